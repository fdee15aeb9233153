/* Sums, differences, products and quotients: of two maps, or of a map and constants, which are one number for each
 * channel or a map themselves. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

/* Which channel an element of a constant meets. */
static int64_t channel_of(const onnx_tensor *t, int channel_axis, size_t element) {
    int64_t at = (int64_t)element, channel = 0;
    for (int i = t->n_dims - 1; i >= 0; i--) {
        if (i == channel_axis) channel = at % t->dims[i];
        at /= t->dims[i];
    }
    return channel;
}

/* Whether a constant is spread over a tensor, and not the other way round. */
static bool is_within(const onnx_tensor *t, const onnx_value *v) {
    for (int i = 0; i < t->n_dims; i++) {
        const int axis = i + v->n_dims - t->n_dims;
        if (t->dims[i] != 1 && (axis < 0 || t->dims[i] != v->dims[axis])) return false;
    }
    return true;
}

static tips_status check_spread(const onnx_tensor *t, const onnx_value *v) {
    if (t->elements == 0) TIPS_FAIL(TIPS_FORMAT, "its constant is empty");
    if (!is_within(t, v)) TIPS_FAIL(TIPS_UNSUPPORTED, "its constant does not fit the map");
    return TIPS_OK;
}

tips_status tips__onnx_per_channel(const onnx_tensor *t, const onnx_value *v, onnx_layout layout, int channels,
                                   float *out) {
    TIPS_TRY(check_spread(t, v));
    const int axis = layout.axis[0] == ONNX_NONE ? -1 : layout.axis[0] - (v->n_dims - t->n_dims);
    const bool is_spread = axis < 0 || t->dims[axis] == 1;
    bool *seen, differs = false;
    TIPS_TRY(tips__new_zero(&seen, (size_t)channels * sizeof *seen, "a constant"));
    for (size_t e = 0; e < t->elements; e++) {
        const int64_t c = is_spread ? 0 : channel_of(t, axis, e);
        if (seen[c] && out[c] != t->floats[e]) differs = true;
        out[c] = t->floats[e];
        seen[c] = true;
    }
    for (int c = 1; c < channels && is_spread; c++) out[c] = out[0];
    tips__free(seen);
    if (differs) TIPS_FAIL(TIPS_UNSUPPORTED, "a constant that differs from pixel to pixel is not supported");
    return TIPS_OK;
}

tips_status tips__onnx_add_affine(onnx_importer *im, onnx_value *in, const float *weight, const float *bias,
                                  onnx_value *out) {
    const tips_affine config = {.trainable = false};
    char name[ONNX_NAME];
    tips__onnx_step_name(im, ONNX_NONE, name);
    TIPS_TRY(tips__onnx_add_pointwise(im, &tips__layer_affine, name, &config, in, out));
    const int channels = tips__onnx_map_info(im, out)->c;
    TIPS_TRY(tips__onnx_add_tensor(im, out->step, "weight", 1, &channels, weight));
    return tips__onnx_add_tensor(im, out->step, "bias", 1, &channels, bias);
}

/* y = weight x + bias for x (op) constant, or constant (op) x where `is_first`. */
static tips_status as_affine(tips_combine_op op, bool is_first, float constant, float *weight, float *bias) {
    *weight = 1, *bias = 0;
    switch (op) {
    case TIPS_COMBINE_ADD: *bias = constant; return TIPS_OK;
    case TIPS_COMBINE_SUB: *bias = is_first ? constant : -constant, *weight = is_first ? -1 : 1; return TIPS_OK;
    case TIPS_COMBINE_MUL: *weight = constant; return TIPS_OK;
    default: break;
    }
    *weight = (float)(1 / (double)constant);
    return TIPS_OK;
}

/* The step that the maker of input i has added, if nothing else reads it and it has no bias yet. */
static tips_step *step_without_bias(const onnx_importer *im, int i, const onnx_value *x) {
    const onnx_source *source = &im->file->sources[im->node->in[i]];
    if (source->origin != ONNX_MADE || im->uses[im->node->in[i]] != 1 || x->step < 0 || x->is_padded) return NULL;
    const char *op = im->file->nodes[source->index].proto->op_type;
    tips_step *step = &im->blueprint->steps[x->step];
    if (strcmp(op, "MatMul") != 0 && strcmp(op, "Gemm") != 0 && strcmp(op, "Conv") != 0) return NULL;
    if (step->layer == &tips__layer_linear) return ((tips_linear *)step->config)->no_bias ? step : NULL;
    return step->layer == &tips__layer_conv2d && !((tips_conv2d *)step->config)->bias ? step : NULL;
}

/* A layer and the bias that is added to it, as exporters write linear layers over pixels. */
static tips_status add_bias(onnx_importer *im, tips_step *step, const onnx_value *x, const float *bias,
                            onnx_value *out) {
    const int channels = tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__onnx_add_tensor(im, x->step, "bias", 1, &channels, bias));
    if (step->layer == &tips__layer_linear) ((tips_linear *)step->config)->no_bias = false;
    else ((tips_conv2d *)step->config)->bias = true;
    *out = *x;
    return TIPS_OK;
}

static tips_status with_numbers(onnx_importer *im, tips_combine_op op, onnx_value *x, bool is_first, float *numbers,
                                onnx_value *out) {
    const int channels = tips__onnx_map_info(im, x)->c;
    float *weight = numbers + channels, *bias = weight + channels;
    for (int c = 0; c < channels; c++) TIPS_TRY(as_affine(op, is_first, numbers[c], &weight[c], &bias[c]));
    return tips__onnx_add_affine(im, x, weight, bias, out);
}

/* One number for each channel, if the constant has no more for any pixel. */
static bool is_per_channel(const onnx_tensor *t, const int extents[3], size_t *const places[3], float *out) {
    for (int c = 0; c < extents[0]; c++) {
        out[c] = t->floats[places[0][c]];
        for (int y = 0; y < extents[1]; y++)
            for (int x = 0; x < extents[2]; x++)
                if (t->floats[places[0][c] + places[1][y] + places[2][x]] != out[c]) return false;
    }
    return true;
}

/* Fills in `numbers` (channels) for a map that lies in these groups; *fits: they are all there is to know. */
static tips_status per_channel(const onnx_importer *im, const onnx_tensor *t, const onnx_value *x, const onnx_groups *g,
                               float *numbers, bool *fits) {
    const tips_value_info *map = tips__onnx_map_info(im, x);
    const int extents[3] = {map->c, map->h, map->w};
    size_t *places[3] = {NULL};
    tips_status status = TIPS_OK;
    for (int role = 0; role < 3 && status == TIPS_OK; role++)
        status = tips__new(&places[role], (size_t)extents[role] * sizeof **places, "a constant");
    for (int role = 0; role < 3 && status == TIPS_OK; role++) tips__onnx_places(t, x, g, role, places[role]);
    if (status == TIPS_OK) *fits = is_per_channel(t, extents, places, numbers);
    for (int role = 0; role < 3; role++) tips__free(places[role]);
    return status;
}

/* A constant with numbers for pixels, or one that the map is spread over, takes part as a map. */
static tips_status with_map(onnx_importer *im, tips_combine_op op, onnx_value *x, int constant, const onnx_groups *g,
                            onnx_value *out) {
    onnx_value own, *other = &own;
    const onnx_tensor *t = tips__onnx_const(im, constant);
    const bool fits = t->n_dims <= x->n_dims && is_within(t, x);
    bool done = false;
    if (fits && op == TIPS_COMBINE_ADD) TIPS_TRY(tips__onnx_add_positions(im, constant, x, g, out, &done));
    if (done) return TIPS_OK;
    if (fits) TIPS_TRY(tips__onnx_add_constant(im, constant, x, g, &own));
    else TIPS_TRY(tips__onnx_any_map(im, constant, &own, &other));
    return constant == 0 ? tips__onnx_two_maps(im, op, other, x, out) : tips__onnx_two_maps(im, op, x, other, out);
}

static bool is_number(const onnx_tensor *t, const onnx_value *x) { return t->elements == 1 && t->n_dims <= x->n_dims; }

/* Of a map that lies in these groups, unless the constant is a number. */
static tips_status apply(onnx_importer *im, tips_combine_op op, onnx_value *x, const onnx_groups *g, int constant,
                         float *numbers, onnx_value *out) {
    const onnx_tensor *t = tips__onnx_const(im, constant);
    bool fits = is_number(t, x);
    if (fits)
        for (int c = 0; c < tips__onnx_map_info(im, x)->c; c++) numbers[c] = t->floats[0];
    else if (is_within(t, x)) TIPS_TRY(per_channel(im, t, x, g, numbers, &fits));
    if (!fits || (op == TIPS_COMBINE_DIV && constant == 0)) return with_map(im, op, x, constant, g, out);
    tips_step *step = op == TIPS_COMBINE_ADD ? step_without_bias(im, 1 - constant, x) : NULL;
    if (step) return add_bias(im, step, x, numbers, out);
    return with_numbers(im, op, x, constant == 0, numbers, out);
}

static tips_status with_constant(onnx_importer *im, tips_combine_op op, onnx_value *x, int constant, onnx_value *out) {
    const onnx_tensor *t;
    float *numbers; /* (3, channels): the constant, weight and bias */
    TIPS_TRY(tips__onnx_need_floats(im, constant, "constant", &t));
    TIPS_TRY(tips__onnx_settle(im, x));
    if (t->elements == 0) TIPS_FAIL(TIPS_FORMAT, "its constant is empty");
    const onnx_groups g = tips__onnx_groups_of(im, x);
    if (!is_number(t, x)) TIPS_TRY(tips__onnx_group(im, x, &g));
    const size_t channels = (size_t)tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__new(&numbers, 3 * channels * sizeof *numbers, "constants"));
    const tips_status status = apply(im, op, x, &g, constant, numbers, out);
    tips__free(numbers);
    return status;
}

static bool same_view(const onnx_importer *im, const onnx_value *a, const onnx_value *b) {
    const tips_value_info *x = tips__onnx_map_info(im, a), *y = tips__onnx_map_info(im, b);
    if (x->c != y->c || x->h != y->h || x->w != y->w || a->n_dims != b->n_dims) return false;
    for (int i = 0; i < a->n_dims; i++)
        if (a->dims[i] != b->dims[i] || (a->dims[i] != 1 && a->strides[i] != b->strides[i])) return false;
    return true;
}

/* More axes of extent 1 in front, so that both tensors have as many. */
void tips__onnx_add_axes(onnx_value *v, int n_dims) {
    const int more = n_dims - v->n_dims;
    if (more <= 0) return;
    memmove(v->dims + more, v->dims, (size_t)v->n_dims * sizeof *v->dims);
    memmove(v->strides + more, v->strides, (size_t)v->n_dims * sizeof *v->strides);
    for (int i = 0; i < more; i++) v->dims[i] = v->strides[i] = 1;
    v->n_dims = n_dims;
    if (v->batch != ONNX_NONE) v->batch += more;
}

static tips_status combine(onnx_importer *im, tips_combine_op op, const onnx_value *a, const onnx_value *b,
                           onnx_value *out) {
    const tips_value_info *x = tips__onnx_map_info(im, a), *y = tips__onnx_map_info(im, b);
    const bool is_sum = op == TIPS_COMBINE_ADD && x->c == y->c && x->h == y->h && x->w == y->w;
    const tips_combine config = {.op = (int)op};
    const onnx_value *in[] = {a, b};
    char name[ONNX_NAME];
    tips__onnx_step_name(im, ONNX_NONE, name);
    if (is_sum) return tips__onnx_add_step(im, &tips__layer_add, name, NULL, in, 2, out);
    return tips__onnx_add_step(im, &tips__layer_combine, name, &config, in, 2, out);
}

static tips_status combine_alike(onnx_importer *im, tips_combine_op op, const onnx_value *a, const onnx_value *b,
                                 onnx_value *out) {
    const onnx_value view = *a;
    TIPS_TRY(combine(im, op, a, b, out));
    out->n_dims = view.n_dims;
    out->batch = view.batch;
    memcpy(out->dims, view.dims, sizeof out->dims);
    memcpy(out->strides, view.strides, sizeof out->strides);
    return TIPS_OK;
}

static int64_t extent_of(const onnx_value *v, const onnx_groups *g, int role) {
    int64_t product = 1;
    for (int i = 0; i < g->n[role]; i++) product *= v->dims[g->axis[role][i]];
    return product;
}

/* Groups in which each map is spread over whole channels, rows or columns of the other: those of the larger one, or,
 * where they do not do, channels that both have, rows that the second has alone, columns that the first has alone. */
static onnx_groups common_groups(const onnx_importer *im, const onnx_value *x, const onnx_value *y, bool first_leads) {
    onnx_groups g = tips__onnx_groups_of(im, first_leads ? x : y), apart = {.n = {0}};
    bool fits = true, is_listed[TIPS_ONNX_MAX_DIMS] = {false};
    for (int role = 0; role < 3; role++) {
        const int64_t a = extent_of(x, &g, role), b = extent_of(y, &g, role);
        fits = fits && (a == b || a == 1 || b == 1);
        for (int i = 0; i < g.n[role]; i++) is_listed[g.axis[role][i]] = true;
    }
    for (int i = 0; i < x->n_dims; i++) {
        const int role = x->dims[i] == y->dims[i] ? 0 : x->dims[i] == 1 ? 1 : 2;
        if (!is_listed[i] && (x->dims[i] > 1 || y->dims[i] > 1)) fits = false;
        if (x->dims[i] > 1 || y->dims[i] > 1) apart.axis[role][apart.n[role]++] = i;
    }
    return fits ? g : apart;
}

tips_status tips__onnx_two_maps(onnx_importer *im, tips_combine_op op, onnx_value *a, onnx_value *b, onnx_value *out) {
    TIPS_TRY(tips__onnx_settle(im, a));
    TIPS_TRY(tips__onnx_settle(im, b));
    if (same_view(im, a, b)) return combine_alike(im, op, a, b, out);
    const int n_dims = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    onnx_value x = *a, y = *b;
    tips__onnx_add_axes(&x, n_dims);
    tips__onnx_add_axes(&y, n_dims);
    const tips_value_info *p = tips__onnx_map_info(im, a), *q = tips__onnx_map_info(im, b);
    const bool first_is_larger = (int64_t)p->c * p->h * p->w >= (int64_t)q->c * q->h * q->w;
    onnx_value seen = first_is_larger ? x : y;
    for (int i = 0; i < n_dims; i++) {
        if (x.dims[i] != y.dims[i] && x.dims[i] != 1 && y.dims[i] != 1)
            TIPS_FAIL(TIPS_FORMAT, "axes of %lld and %lld elements do not fit", (long long)x.dims[i],
                      (long long)y.dims[i]);
        seen.dims[i] = x.dims[i] > y.dims[i] ? x.dims[i] : y.dims[i];
    }
    const onnx_groups g = common_groups(im, &x, &y, first_is_larger);
    TIPS_TRY(tips__onnx_group(im, &x, &g));
    TIPS_TRY(tips__onnx_group(im, &y, &g));
    TIPS_TRY(combine(im, op, &x, &y, out));
    tips__onnx_look_grouped(out, &seen, &g);
    return TIPS_OK;
}

static tips_status binary(onnx_importer *im, tips_combine_op op) {
    onnx_value *a = tips__onnx_in(im, 0), *b = tips__onnx_in(im, 1), *out = tips__onnx_out(im, 0);
    if (!a || !b) TIPS_FAIL(TIPS_FORMAT, "it needs two inputs");
    if (tips__onnx_attribute(im->node->proto, "axis") || tips__onnx_attribute(im->node->proto, "broadcast"))
        TIPS_FAIL(TIPS_UNSUPPORTED, "it spreads its second input in the way of opsets before 7");
    if (a->kind == ONNX_CONSTANT) return with_constant(im, op, b, 0, out);
    if (b->kind == ONNX_CONSTANT) return with_constant(im, op, a, 1, out);
    return tips__onnx_two_maps(im, op, a, b, out);
}

tips_status tips__onnx_map_add(onnx_importer *im) { return binary(im, TIPS_COMBINE_ADD); }
tips_status tips__onnx_map_sub(onnx_importer *im) { return binary(im, TIPS_COMBINE_SUB); }
tips_status tips__onnx_map_mul(onnx_importer *im) { return binary(im, TIPS_COMBINE_MUL); }
tips_status tips__onnx_map_div(onnx_importer *im) { return binary(im, TIPS_COMBINE_DIV); }

tips_status tips__onnx_map_sum(onnx_importer *im) {
    onnx_value *first, *next;
    TIPS_TRY(tips__onnx_need_map(im, 0, &first));
    onnx_value sum = *first;
    for (int i = 1; i < im->node->n_in; i++) {
        onnx_value made;
        TIPS_TRY(tips__onnx_need_map(im, i, &next));
        TIPS_TRY(tips__onnx_two_maps(im, TIPS_COMBINE_ADD, &sum, next, &made));
        sum = made;
    }
    *tips__onnx_out(im, 0) = sum;
    return TIPS_OK;
}

tips_status tips__onnx_map_neg(onnx_importer *im) {
    onnx_value *x;
    float *numbers; /* (2, channels): weight and bias */
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    const int channels = tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__new(&numbers, 2 * (size_t)channels * sizeof *numbers, "constants"));
    for (int c = 0; c < channels; c++) numbers[c] = -1, numbers[channels + c] = 0;
    const tips_status status = tips__onnx_add_affine(im, x, numbers, numbers + channels, tips__onnx_out(im, 0));
    tips__free(numbers);
    return status;
}
