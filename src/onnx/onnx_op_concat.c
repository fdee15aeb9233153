/* Maps put together along any axis, or the far ends of one around it, which is a circular border. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

#include <limits.h>
#include <string.h>

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

/* As the first map lies, if the axis is the outer one of its channels; else the axis becomes the channels, and the
 * elements have to move. */
static onnx_groups groups_for(const onnx_importer *im, const onnx_value *v, int axis) {
    int role, place;
    const onnx_groups g = tips__onnx_groups_of(im, v);
    if (tips__onnx_find_axis(&g, axis, &role, &place) && role == TIPS_AXIS_C && place == 0) return g;
    return tips__onnx_with_channels(im, v, axis, 1);
}

static tips_status check_fit(const onnx_value *v, const onnx_value *first, int axis) {
    bool fits = v->n_dims == first->n_dims;
    for (int i = 0; i < v->n_dims && fits; i++) fits = i == axis || v->dims[i] == first->dims[i];
    if (!fits) TIPS_FAIL(TIPS_FORMAT, "its inputs do not fit together");
    return TIPS_OK;
}

/* A constant takes the other axes as the maps have them. */
static tips_status take_part(onnx_importer *im, int i, const onnx_value *like, int axis, const onnx_groups *g,
                             onnx_value *part) {
    const onnx_value *v = tips__onnx_in(im, i);
    if (!v) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    if (v->kind == ONNX_MAP) {
        TIPS_TRY(check_fit(v, like, axis));
        TIPS_TRY(tips__onnx_group(im, &im->values[im->node->in[i]], g));
        *part = *v;
        return TIPS_OK;
    }
    onnx_value seen = *like;
    seen.n_dims = v->tensor.n_dims;
    memcpy(seen.dims, v->tensor.dims, sizeof seen.dims);
    TIPS_TRY(check_fit(&seen, like, axis));
    return tips__onnx_add_constant(im, i, &seen, g, part);
}

static tips_status concat_axis(onnx_importer *im, int first, int axis, onnx_value *parts, const onnx_value **in) {
    const onnx_value *v = tips__onnx_in(im, first);
    onnx_value seen = *v;
    TIPS_TRY(tips__onnx_check_batch(v, axis));
    const onnx_groups g = groups_for(im, v, axis);
    seen.dims[axis] = 0;
    for (int i = 0; i < im->node->n_in; i++) {
        TIPS_TRY(take_part(im, i, v, axis, &g, &parts[i]));
        seen.dims[axis] += parts[i].dims[axis];
        in[i] = &parts[i];
    }
    TIPS_TRY(tips__onnx_add_concat(im, in, im->node->n_in, tips__onnx_out(im, 0)));
    tips__onnx_look_grouped(tips__onnx_out(im, 0), &seen, &g);
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

/* One of two parts that a map was cut into, along rows or columns: where it begins and ends. */
typedef struct part {
    const tips_step *step;
    int64_t start, stop;
} part;

static bool is_part(const onnx_importer *im, const onnx_value *v, int axis, int64_t total, part *out) {
    if (!v || v->kind != ONNX_MAP || v->step < 0 || v->is_padded) return false;
    const tips_step *step = &im->blueprint->steps[v->step];
    const tips_slice *slice = step->config;
    if (step->layer != &tips__layer_slice || slice->step != 1 || slice->axis == TIPS_AXIS_C) return false;
    const int64_t start = slice->start < 0 ? slice->start + total : slice->start;
    *out = (part){step, start, start + v->dims[axis]};
    return true;
}

/* The end of a map and then its beginning: it is rolled around the torus, which is a circular border and a cut. */
static tips_status roll(onnx_importer *im, const onnx_value *first, const part *p, int axis, int64_t total) {
    const tips_slice *slice = p->step->config;
    const bool is_rows = slice->axis == TIPS_AXIS_H;
    const tips_pad_config border = {.padding = {.mode = TIPS_PAD_CIRCULAR, .bottom = is_rows ? (int)p->start : 0,
                                                .right = is_rows ? 0 : (int)p->start}};
    const onnx_groups g = tips__onnx_groups_of(im, first);
    onnx_value seen = *first, v = *first, *out = tips__onnx_out(im, 0);
    v.value = tips__graph_node(im->graph, tips__onnx_map_info(im, first)->producer)->in[0];
    v.step = p->step->in[0];
    seen.dims[axis] = total;
    const tips_slice rest = {.start = (int)p->start, .stop = INT_MAX, .step = 1};
    TIPS_TRY(tips__onnx_rework(im, &v, &tips__layer_pad, "pad", &border));
    TIPS_TRY(tips__onnx_add_slice(im, &v, (tips_axis)slice->axis, rest));
    *out = v;
    tips__onnx_look_grouped(out, &seen, &g);
    return TIPS_OK;
}

static tips_status try_roll(onnx_importer *im, int axis, bool *done) {
    const onnx_value *a = tips__onnx_in(im, 0), *b = im->node->n_in == 2 ? tips__onnx_in(im, 1) : NULL;
    part first, second;
    int role, place;
    *done = false;
    if (!a || !b || a->n_dims != b->n_dims) return TIPS_OK;
    const int64_t total = a->dims[axis] + b->dims[axis];
    if (!is_part(im, a, axis, total, &first) || !is_part(im, b, axis, total, &second)) return TIPS_OK;
    const tips_slice *one = first.step->config, *other = second.step->config;
    const onnx_groups g = tips__onnx_groups_of(im, a);
    const bool is_alone = tips__onnx_find_axis(&g, axis, &role, &place) && role == one->axis && g.n[role] == 1;
    if (!is_alone || first.step->in[0] != second.step->in[0] || one->axis != other->axis) return TIPS_OK;
    if (second.start != 0 || second.stop != first.start || first.stop != total) return TIPS_OK;
    const onnx_groups same = tips__onnx_groups_of(im, b);
    if (memcmp(&g, &same, sizeof g) != 0) return TIPS_OK;
    for (int i = 0; i < a->n_dims; i++)
        if (i != axis && a->dims[i] != b->dims[i]) return TIPS_OK;
    *done = true;
    return roll(im, a, &first, axis, total);
}

/* A token in front of those of a map, which lie in a row. */
static tips_status add_token(onnx_importer *im, onnx_value *v, const onnx_groups *g, int axis, tips_axis role) {
    const tips_pad_config border = {.padding = {.mode = TIPS_PAD_ZERO, .top = role == TIPS_AXIS_H,
                                                .left = role == TIPS_AXIS_W}};
    const onnx_tensor *t = tips__onnx_const(im, 0);
    const int dims[3] = {1, 1, (int)t->elements};
    onnx_value seen = *v, row = *v, *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    seen.dims[axis]++;
    TIPS_TRY(tips__onnx_rework(im, &row, &tips__layer_pad, "pad", &border));
    tips__onnx_constant_name(im, 0, "class_token", name);
    const onnx_value *in[] = {&row};
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_class_token, name, NULL, in, 1, out));
    tips__onnx_look_grouped(out, &seen, g);
    return tips__onnx_add_tensor(im, out->step, "", 3, dims, t->floats);
}

static tips_status try_token(onnx_importer *im, int axis, bool *done) {
    const onnx_tensor *t = tips__onnx_const(im, 0);
    onnx_value *v = im->node->n_in == 2 ? tips__onnx_in(im, 1) : NULL;
    int role, place;
    *done = false;
    if (!t || !t->floats || !v || v->kind != ONNX_MAP || t->n_dims != v->n_dims || axis == v->batch) return TIPS_OK;
    const onnx_groups g = tips__onnx_groups_of(im, v);
    if (!tips__onnx_find_axis(&g, axis, &role, &place) || role == TIPS_AXIS_C || g.n[role] != 1) return TIPS_OK;
    if (g.n[0] != 1 || t->dims[axis] != 1 || (int64_t)t->elements != v->dims[g.axis[0][0]]) return TIPS_OK;
    if (t->dims[g.axis[0][0]] != v->dims[g.axis[0][0]]) return TIPS_OK;
    for (int i = 0; i < v->n_dims; i++)
        if (i != axis && i != g.axis[0][0] && v->dims[i] != 1) return TIPS_OK;
    *done = true;
    TIPS_TRY(tips__onnx_group(im, v, &g));
    return add_token(im, v, &g, axis, (tips_axis)role);
}

static int first_map(const onnx_importer *im) {
    int i = 0;
    while (i < im->node->n_in && (!tips__onnx_in(im, i) || tips__onnx_in(im, i)->kind != ONNX_MAP)) i++;
    return i;
}

tips_status tips__onnx_map_concat(onnx_importer *im) {
    onnx_value *parts = NULL;
    const onnx_value **in = NULL;
    const int first = first_map(im), n = im->node->n_in;
    int64_t wanted = 1;
    bool done;
    int axis;
    TIPS_TRY(tips__onnx_settle(im, tips__onnx_in(im, first)));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, tips__onnx_in(im, first)->n_dims, &axis));
    if (is_wrapped(im, axis)) return TIPS_OK;
    TIPS_TRY(try_roll(im, axis, &done));
    if (!done) TIPS_TRY(try_token(im, axis, &done));
    if (done) return TIPS_OK;
    tips_status status = tips__new(&in, (size_t)n * sizeof *in, "the inputs of a node");
    if (status == TIPS_OK) status = tips__new(&parts, (size_t)n * sizeof *parts, "the inputs of a node");
    if (status == TIPS_OK) status = concat_axis(im, first, axis, parts, in);
    tips__free(parts);
    tips__free(in);
    return status;
}
