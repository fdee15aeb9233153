/* Maps put together along any axis, or the far ends of one around it, which is a circular border. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

tips_status tips__onnx_add_concat(onnx_importer *im, const onnx_value *const *in, int n_in, onnx_value *out) {
    char name[ONNX_NAME];
    const onnx_value *part[TIPS_MAX_IN];
    onnx_value sofar = *in[0];
    tips__onnx_step_name(im, ONNX_NONE, name);
    for (int done = 1; done < n_in;) {
        int n = 0;
        for (part[n++] = &sofar; n < TIPS_MAX_IN && done < n_in;) part[n++] = in[done++];
        onnx_value made;
        TIPS_TRY(tips__onnx_add_step(im, &tips__layer_concat, name, NULL, part, n, &made));
        sofar = made;
    }
    *out = sofar;
    return TIPS_OK;
}

/* The axis itself as the channels of a map: then any axis can be joined, though the elements may have to move. */
static onnx_layout axis_first(onnx_layout layout, int axis, int n_dims) {
    if (layout.axis[0] == axis || n_dims < 3) return layout;
    const int others[2] = {1, axis == 2 ? 3 : 2};
    if (n_dims == 3) return (onnx_layout){{axis, 3 - axis, ONNX_NONE}};
    return (onnx_layout){{axis, axis == 1 ? 2 : others[0], axis == 1 ? 3 : others[1]}};
}

static tips_status concat_axis(onnx_importer *im, int axis, const onnx_value **in) {
    onnx_value *v, *out = tips__onnx_out(im, 0);
    TIPS_TRY(tips__onnx_need_map(im, 0, &v));
    const int n_dims = v->n_dims;
    const onnx_layout layout = axis_first(tips__onnx_layout_of(im, v), axis, n_dims);
    if (axis == 0 || layout.axis[0] != axis) TIPS_FAIL(TIPS_UNSUPPORTED, "it is not supported along axis %d", axis);
    for (int i = 0; i < im->node->n_in; i++) {
        TIPS_TRY(tips__onnx_need_map(im, i, &v));
        if (v->n_dims != n_dims) TIPS_FAIL(TIPS_FORMAT, "its inputs have different numbers of dimensions");
        TIPS_TRY(tips__onnx_arrange(im, v, layout));
        in[i] = v;
    }
    TIPS_TRY(tips__onnx_add_concat(im, in, im->node->n_in, out));
    tips__onnx_look(im, out, n_dims, layout);
    return TIPS_OK;
}

/* How many rows of x a value holds, from its far end (`is_before`) or its near one; 0 if it is something else. */
static int wrapped_rows(const onnx_importer *im, const onnx_value *v, const onnx_value *x, int axis, bool is_before) {
    const int role = axis == 2 ? TIPS_AXIS_H : TIPS_AXIS_W;
    if (v->kind != ONNX_MAP || v->step < 0 || v->is_padded || v->n_dims != 4) return 0;
    const tips_step *step = &im->blueprint->steps[v->step];
    if (step->layer != &tips__layer_slice || step->in[0] != x->step) return 0;
    const tips_slice *slice = step->config;
    if (slice->axis != role || slice->step != 1) return 0;
    const int64_t start = slice->start < 0 ? slice->start + x->dims[axis] : slice->start;
    return start == (is_before ? x->dims[axis] - v->dims[axis] : 0) ? (int)v->dims[axis] : 0;
}

/* A border of rows that is a step already and one of columns are one border. */
static void join_borders(const onnx_importer *im, onnx_value *v) {
    const tips_step *step = v->step < 0 ? NULL : &im->blueprint->steps[v->step];
    if (!step || step->layer != &tips__layer_pad) return;
    const tips_padding *inner = &((const tips_pad_config *)step->config)->padding;
    const bool has_rows = inner->top || inner->bottom, has_columns = inner->left || inner->right;
    const bool adds_rows = v->border.top || v->border.bottom;
    if (inner->mode != TIPS_PAD_CIRCULAR || has_rows == has_columns || has_rows == adds_rows) return;
    v->border.top += inner->top, v->border.bottom += inner->bottom;
    v->border.left += inner->left, v->border.right += inner->right;
    v->value = tips__graph_node(im->graph, tips__onnx_map_info(im, v)->producer)->in[0];
    v->step = step->in[0];
}

/* Whether input `middle` stands between its own far ends, along axis 2 or 3. */
static bool wrap_around(const onnx_importer *im, int axis, int middle) {
    const int n = im->node->n_in;
    const onnx_value *x = tips__onnx_in(im, middle);
    if (!x || x->kind != ONNX_MAP || x->n_dims != 4 || x->is_padded) return false;
    if (tips__onnx_layout_of(im, x).axis[0] != 1) return false;
    const onnx_value *first = middle > 0 ? tips__onnx_in(im, middle - 1) : NULL;
    const onnx_value *last = middle < n - 1 ? tips__onnx_in(im, middle + 1) : NULL;
    const int before = first ? wrapped_rows(im, first, x, axis, true) : 0;
    const int after = last ? wrapped_rows(im, last, x, axis, false) : 0;
    if ((first && !before) || (last && !after)) return false;
    onnx_value *out = tips__onnx_out(im, 0);
    *out = *x;
    out->is_padded = true;
    out->border = (tips_padding){.mode = TIPS_PAD_CIRCULAR};
    *(axis == 2 ? &out->border.top : &out->border.left) = before;
    *(axis == 2 ? &out->border.bottom : &out->border.right) = after;
    out->dims[axis] += before + after;
    join_borders(im, out);
    return true;
}

static bool is_wrapped(const onnx_importer *im, int axis) {
    const int n = im->node->n_in;
    if (axis < 2 || axis > 3 || n < 2 || n > 3) return false;
    if (n == 3) return wrap_around(im, axis, 1);
    return wrap_around(im, axis, 0) || wrap_around(im, axis, 1);
}

tips_status tips__onnx_map_concat(onnx_importer *im) {
    onnx_value *v;
    const onnx_value **in;
    int64_t wanted = 1;
    int axis;
    TIPS_TRY(tips__onnx_need_map(im, 0, &v));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, v->n_dims, &axis));
    if (is_wrapped(im, axis)) return TIPS_OK;
    TIPS_TRY(tips__new(&in, (size_t)im->node->n_in * sizeof *in, "the inputs of a node"));
    const tips_status status = concat_axis(im, axis, in);
    tips__free(in);
    return status;
}
