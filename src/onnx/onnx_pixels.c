/* Logits of pixels: one channel stands for two classes, classes that the file has chosen are chosen here, and maps of
 * another size are brought to the input's. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"

#include <string.h>

/* The class is chosen by who reads the logits, the first of equal ones as here. */
tips_status tips__onnx_map_arg_max(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    int64_t axis = 0, last = 0;
    int channel;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &axis));
    TIPS_TRY(tips__onnx_int(im->node->proto, "select_last_index", &last));
    TIPS_TRY(tips__onnx_axis(axis, x->n_dims, &channel));
    const onnx_layout layout = tips__onnx_layout_of(im, x);
    if (channel != layout.axis[0] || last)
        TIPS_FAIL(TIPS_UNSUPPORTED, "only the first of the largest channels can be chosen, not along axis %lld",
                  (long long)axis);
    TIPS_TRY(tips__onnx_arrange(im, x, layout));
    *out = *x;
    out->kind = ONNX_CLASSES;
    return TIPS_OK;
}

tips_status tips__onnx_pass_classes(onnx_importer *im) {
    static const char *const passing[] = {"Cast", "Identity", "Squeeze", "Unsqueeze", "Reshape", "Transpose"};
    const onnx_value *x = tips__onnx_in(im, 0);
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        if (strcmp(im->node->proto->op_type, passing[i]) != 0 || !x || x->kind != ONNX_CLASSES) continue;
        *tips__onnx_out(im, 0) = *x;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_UNSUPPORTED, "it computes with classes that an ArgMax has chosen; they are read at the end only");
}

static const tips_step *step_of(const onnx_importer *im, int step) {
    return step < 0 ? NULL : &im->blueprint->steps[step];
}

/* Whether a map holds shares in 0..1: what a sigmoid or a softmax made, or a part of it, or that at another size. */
static bool holds_shares(const onnx_importer *im, int step) {
    for (const tips_step *s = step_of(im, step); s; s = step_of(im, s->in[0])) {
        if (s->layer == &tips__layer_sigmoid || s->layer == &tips__layer_softmax ||
            s->layer == &tips__layer_hard_sigmoid)
            return true;
        if (s->layer != &tips__layer_resize && s->layer != &tips__layer_slice && s->layer != &tips__layer_clip)
            return false;
    }
    return false;
}

/* One number x says how likely class 1 is against class 0: logits 0 and x, or shares 1/2 and x. */
static tips_status split_in_two(onnx_importer *im, onnx_value *v) {
    const tips_step *last = step_of(im, v->step);
    const bool shares = holds_shares(im, v->step), bare = shares && last->layer == &tips__layer_sigmoid;
    const tips_pad_channels config = {.before = 1, .value = shares && !bare ? 0.5 : 0};
    onnx_value before = *v;
    const onnx_value *in[] = {&before};
    im->out->lone_channel = !shares;
    if (bare) { /* the sigmoid chooses as its input does */
        before.step = last->in[0];
        const tips_node *node = tips__graph_node(im->graph, tips__value(im->graph, v->value)->producer);
        before.value = node->in[0];
    }
    return tips__onnx_add_step(im, &tips__layer_pad_channels, "background", &config, in, 1, v);
}

static tips_status enlarge(onnx_importer *im, onnx_value *v, bool chosen) {
    const int *size = im->out->built_size;
    const tips_value_info map = *tips__onnx_map_info(im, v);
    const bool whole = size[0] % map.h == 0 && size[1] % map.w == 0;
    tips_resize config = {.mode = chosen ? TIPS_RESIZE_NEAREST : TIPS_RESIZE_LINEAR,
                          .grid = chosen ? TIPS_GRID_ASYMMETRIC : TIPS_GRID_HALF_PIXEL,
                          .round = TIPS_ROUND_FLOOR,
                          .scale_h = 1,
                          .scale_w = 1};
    const onnx_value before = *v, *in[] = {&before};
    if (whole) config.scale_h = size[0] / map.h, config.scale_w = size[1] / map.w;
    else config.size[0] = size[0], config.size[1] = size[1];
    return tips__onnx_add_step(im, &tips__layer_resize, TIPS_BLUEPRINT_TO_INPUT, &config, in, 1, v);
}

tips_status tips__onnx_fit_pixels(onnx_importer *im, onnx_value *v, bool chosen) {
    if (tips__onnx_map_info(im, v)->c == 1 && chosen)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its output is the largest of one channel, which says nothing");
    if (tips__onnx_map_info(im, v)->c == 1) TIPS_TRY(split_in_two(im, v));
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const bool fits = map->h == im->out->built_size[0] && map->w == im->out->built_size[1];
    return fits ? TIPS_OK : enlarge(im, v, chosen);
}
