/* Constants that take part in a network as maps: embeddings of positions, tokens, masks, factors of products. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* From one to the next element along an axis of a tensor that the constant is spread over; 0 where it is. */
static size_t step_along(const onnx_tensor *t, const onnx_value *like, int axis) {
    const int own = axis - (like->n_dims - t->n_dims);
    size_t step = 1;
    if (own < 0 || t->dims[own] == 1) return 0;
    for (int i = own + 1; i < t->n_dims; i++) step *= (size_t)t->dims[i];
    return step;
}

void tips__onnx_places(const onnx_tensor *t, const onnx_value *like, const onnx_groups *g, int role, size_t *out) {
    size_t count = 1;
    for (int i = 0; i < g->n[role]; i++) count *= (size_t)like->dims[g->axis[role][i]];
    for (size_t at = 0; at < count; at++) {
        size_t left = at;
        out[at] = 0;
        for (int i = g->n[role] - 1; i >= 0; i--) {
            const size_t extent = (size_t)like->dims[g->axis[role][i]];
            out[at] += left % extent * step_along(t, like, g->axis[role][i]);
            left /= extent;
        }
    }
}

/* A group that the constant is spread over has extent 1 in its map. */
static bool is_spread(const onnx_tensor *t, const onnx_value *like, const onnx_groups *g, int role) {
    for (int i = 0; i < g->n[role]; i++)
        if (step_along(t, like, g->axis[role][i])) return false;
    return true;
}

static tips_status fill(const onnx_tensor *t, const onnx_value *like, const onnx_groups *g, const int extents[3],
                        float *out) {
    size_t *places[3] = {NULL};
    tips_status status = TIPS_OK;
    for (int role = 0; role < 3 && status == TIPS_OK; role++)
        status = tips__new(&places[role], (size_t)extents[role] * sizeof **places, "a constant");
    for (int role = 0; role < 3 && status == TIPS_OK; role++) tips__onnx_places(t, like, g, role, places[role]);
    for (int y = 0; y < extents[1] && status == TIPS_OK; y++)
        for (int x = 0; x < extents[2]; x++)
            for (int c = 0; c < extents[0]; c++) *out++ = t->floats[places[0][c] + places[1][y] + places[2][x]];
    for (int role = 0; role < 3; role++) tips__free(places[role]);
    return status;
}

/* What the file keeps is learnt, as a rule; what it computes, masks for instance, is not. Equal tensors are kept once,
 * and others are made of it. */
static bool is_learnt(const onnx_importer *im, int i) {
    const onnx_source *source = &im->file->sources[im->node->in[i]];
    for (int steps = 0; source->origin == ONNX_MADE && steps < 4; steps++) {
        const onnx_node *maker = &im->file->nodes[source->index];
        const bool is_same = strcmp(maker->proto->op_type, "Identity") == 0 && maker->n_in == 1;
        if (!is_same || maker->in[0] == ONNX_NONE) return false;
        source = &im->file->sources[maker->in[0]];
    }
    return source->origin == ONNX_INITIALISER;
}

void tips__onnx_constant_name(const onnx_importer *im, int i, const char *suffix, char out[ONNX_NAME]) {
    const char *name = im->file->sources[im->node->in[i]].name;
    if (is_learnt(im, i) && strncmp(name, "onnx::", 6) != 0 && strlen(name) < ONNX_NAME) strcpy(out, name);
    else tips__onnx_step_name_of(im, suffix, out);
}

static tips_status put_step(onnx_importer *im, const char *name, bool learnt, const int extents[3], const float *data,
                            onnx_value *out) {
    const tips_constant config = {.c = extents[0], .h = extents[1], .w = extents[2], .trainable = learnt};
    const int dims[3] = {1, extents[1] * extents[2], extents[0]}, step = TIPS_BLUEPRINT_INPUT;
    const onnx_value input = {.kind = ONNX_MAP, .step = step, .value = im->input}, *in[] = {&input};
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_constant, name, &config, in, 1, out));
    return tips__onnx_add_tensor(im, out->step, "value", 3, dims, data);
}

static tips_status reserve(onnx_importer *im, const int extents[3], float **data) {
    const double bytes = (double)extents[0] * extents[1] * extents[2] * sizeof **data;
    if (bytes > (double)(im->most_folded - im->folded))
        TIPS_FAIL(TIPS_UNSUPPORTED, "the constants it computes are too large");
    im->folded += (size_t)bytes;
    return tips__new(data, (size_t)bytes, "a constant");
}

static tips_status add_map(onnx_importer *im, const onnx_tensor *t, const char *name, bool learnt,
                           const onnx_value *like, const onnx_groups *g, onnx_value *out) {
    onnx_value seen = *like;
    onnx_groups kept = *g;
    int extents[3];
    float *data;
    for (int role = 0; role < 3; role++) {
        const bool spread = is_spread(t, like, g, role);
        int64_t extent = 1;
        for (int k = 0; k < g->n[role]; k++)
            if (spread) seen.dims[g->axis[role][k]] = 1;
            else extent *= like->dims[g->axis[role][k]];
        if (spread) kept.n[role] = 0;
        if (extent > 1 << 28) TIPS_FAIL(TIPS_UNSUPPORTED, "the constants it computes are too large");
        extents[role] = (int)extent;
    }
    TIPS_TRY(reserve(im, extents, &data));
    tips_status status = fill(t, &seen, &kept, extents, data);
    if (status == TIPS_OK) status = put_step(im, name, learnt, extents, data, out);
    tips__free(data);
    if (status == TIPS_OK) tips__onnx_look_grouped(out, &seen, &kept);
    return status;
}

tips_status tips__onnx_add_constant(onnx_importer *im, int i, const onnx_value *like, const onnx_groups *g,
                                    onnx_value *out) {
    const onnx_tensor *t;
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_need_floats(im, i, "constant", &t));
    tips__onnx_constant_name(im, i, "constant", name);
    return add_map(im, t, name, is_learnt(im, i), like, g, out);
}

/* The last axis as channels, the one before it as columns, the others as rows. */
static onnx_groups usual_groups(int n_dims) {
    onnx_groups g = {.n = {0}};
    if (n_dims > 0) g.axis[0][g.n[0]++] = n_dims - 1;
    for (int k = 0; k < n_dims - 1; k++) {
        const int role = k == n_dims - 2 ? 2 : 1;
        g.axis[role][g.n[role]++] = k;
    }
    return g;
}

tips_status tips__onnx_add_computed(onnx_importer *im, const onnx_tensor *t, const char *suffix, onnx_value *out) {
    onnx_value seen = {.batch = ONNX_NONE, .n_dims = t->n_dims};
    const onnx_groups g = usual_groups(t->n_dims);
    char name[ONNX_NAME];
    memcpy(seen.dims, t->dims, sizeof seen.dims);
    tips__onnx_step_name_of(im, suffix, name);
    return add_map(im, t, name, false, &seen, &g, out);
}

tips_status tips__onnx_add_positions(onnx_importer *im, int i, onnx_value *x, const onnx_groups *g, onnx_value *out,
                                     bool *done) {
    const onnx_tensor *t = tips__onnx_const(im, i);
    const tips_value_info *map = tips__onnx_map_info(im, x);
    const int extents[3] = {map->c, map->h, map->w}, dims[3] = {1, map->h * map->w, map->c};
    const tips_position_embedding config = {0};
    float *data;
    char name[ONNX_NAME];
    *done = is_learnt(im, i) && t->elements == (size_t)map->c * (size_t)map->h * (size_t)map->w;
    if (!*done) return TIPS_OK;
    TIPS_TRY(tips__new(&data, t->elements * sizeof *data, "a constant"));
    tips__onnx_constant_name(im, i, "positions", name);
    tips_status status = fill(t, x, g, extents, data);
    if (status == TIPS_OK)
        status = tips__onnx_add_pointwise(im, &tips__layer_position_embedding, name, &config, x, out);
    if (status == TIPS_OK) status = tips__onnx_add_tensor(im, out->step, "", 3, dims, data);
    tips__free(data);
    return status;
}

tips_status tips__onnx_any_map(onnx_importer *im, int i, onnx_value *own, onnx_value **out) {
    onnx_value *v = tips__onnx_in(im, i), seen = {.batch = ONNX_NONE};
    if (!v) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    *out = v;
    if (v->kind == ONNX_MAP) return tips__onnx_settle(im, v);
    if (v->tensor.elements == 0) TIPS_FAIL(TIPS_FORMAT, "its input %d is empty", i);
    const onnx_groups g = usual_groups(v->tensor.n_dims);
    seen.n_dims = v->tensor.n_dims;
    memcpy(seen.dims, v->tensor.dims, sizeof seen.dims);
    TIPS_TRY(tips__onnx_add_constant(im, i, &seen, &g, own));
    *out = own;
    return TIPS_OK;
}
