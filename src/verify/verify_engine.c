/* One batch of shifted inputs, run by the compiled net or by the naive reference, with every value kept. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_BATCH = 16, REF_BATCH = 4 };
static const double batch_bytes = 256e6;

const char *const tips__verify_engine_names[] = {"dnnl", "ref", NULL};

static double bytes_per_sample(const tips_graph *graph) {
    double bytes = 0;
    for (int v = 0; v < tips__graph_value_count(graph); v++) {
        const tips_value_info *info = tips__value(graph, v);
        bytes += (double)sizeof(float) * tips__padded(info->c) * info->h * info->w * info->per_sample;
    }
    return bytes;
}

static int batch_size(const tips_graph *graph, bool is_ref, int most) {
    const double room = batch_bytes / bytes_per_sample(graph);
    int n = is_ref ? REF_BATCH : MOST_BATCH;
    if (n > room) n = room < 1 ? 1 : (int)room;
    return n < most ? n : most;
}

static size_t image_elements(const verify_subject *subject) {
    const tips_arch_config *c = &subject->info.config;
    return (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1];
}

static tips_status create(const verify_subject *subject, bool is_ref, verify_engine *e) {
    const size_t elements = (size_t)e->n * image_elements(subject);
    TIPS_TRY(tips__new_zero(&e->batch, elements * sizeof *e->batch, "a batch of inputs"));
    if (is_ref) {
        TIPS_TRY(tips__new_zero(&e->wide_batch, elements * sizeof *e->wide_batch, "a batch of inputs"));
        return tips__ref_create(subject->model.graph, subject->params, e->n, tips__pass_evaluation, 1, &e->ref_net);
    }
    const tips_net_options options = {.n = e->n, .keep_all = true, .algorithm = TIPS_ALGORITHM_EXACT, .seed = 1};
    return tips__net_compile(subject->model.graph, subject->params, &options, &e->net);
}

tips_status tips__verify_engine_create(const verify_subject *subject, int engine, int most, verify_engine *out) {
    const bool is_ref = engine == TIPS_VERIFY_REF;
    verify_engine e = {.graph = subject->model.graph, .n = batch_size(subject->model.graph, is_ref, most)};
    const tips_status status = create(subject, is_ref, &e);
    if (status != TIPS_OK) tips__verify_engine_destroy(&e);
    else *out = e;
    return status;
}

void tips__verify_engine_destroy(verify_engine *e) {
    tips__net_destroy(e->net);
    tips__ref_destroy(e->ref_net);
    tips__free(e->batch);
    tips__free(e->wide_batch);
}

/* to[y, x] = from[y - u0, x - u1], circularly, for each of c planes. */
static void shift_image(const float *from, int c, int h, int w, const int u[2], float *to) {
    const size_t right = (size_t)u[1], width = (size_t)w;
    for (int plane = 0; plane < c; plane++, from += h * width, to += h * width)
        for (int y = 0; y < h; y++) {
            const float *row = from + (size_t)((y - u[0] + h) % h) * width;
            memcpy(to + (size_t)y * width + right, row, (width - right) * sizeof *row);
            memcpy(to + (size_t)y * width, row + width - right, right * sizeof *row);
        }
}

tips_status tips__verify_engine_run(verify_engine *e, const verify_subject *subject, const int (*shifts)[2],
                                    int count) {
    const tips_arch_config *c = &subject->info.config;
    const size_t elements = image_elements(subject);
    for (int i = 0; i < count; i++)
        shift_image(subject->image, c->in_channels, c->size[0], c->size[1], shifts[i], e->batch + (size_t)i * elements);
    if (e->net) {
        TIPS_TRY(tips__net_set_map(e->net, subject->model.ends.input, e->batch));
        return tips__net_forward(e->net);
    }
    for (size_t i = 0; i < (size_t)e->n * elements; i++) e->wide_batch[i] = e->batch[i];
    TIPS_TRY(tips__ref_set_map(e->ref_net, subject->model.ends.input, e->wide_batch));
    return tips__ref_forward(e->ref_net);
}

static verify_view blocked_view(const tips_map *m) {
    const size_t size = sizeof(float);
    return (verify_view){.data = (const unsigned char *)m->data,
                         .map = (size_t)m->sn * size,
                         .plane = (size_t)m->sb * size,
                         .row = (size_t)m->sh * size,
                         .pixel = (size_t)tips__block() * size,
                         .planes = m->blocks,
                         .lanes = tips__block(),
                         .c = m->c,
                         .h = m->h,
                         .w = m->w};
}

static verify_view plain_view(const double *data, const tips_value_info *info) {
    const size_t row = (size_t)info->w * sizeof(double), plane = (size_t)info->h * row;
    return (verify_view){.data = (const unsigned char *)data,
                         .map = (size_t)info->c * plane,
                         .plane = plane,
                         .row = row,
                         .pixel = sizeof(double),
                         .planes = info->c,
                         .lanes = 1,
                         .c = info->c,
                         .h = info->h,
                         .w = info->w,
                         .is_double = true};
}

verify_view tips__verify_view(const verify_engine *e, tips_value value) {
    if (!e->net) return plain_view(tips__ref_map(e->ref_net, value), tips__value(e->graph, value));
    const tips_map map = tips__net_map(e->net, value);
    return blocked_view(&map);
}

const int32_t *tips__verify_index(const verify_engine *e, tips_value value) {
    return e->net ? tips__net_index(e->net, value) : tips__ref_index(e->ref_net, value);
}

float tips__verify_margin(const verify_engine *e, int node, int sample) {
    const float *margins = e->net ? tips__net_margin(e->net, node) : NULL;
    return margins ? margins[sample] : INFINITY;
}

/* A dense copy of the first `maps` maps. */
static tips_status copy_view(const verify_view *view, int maps, verify_view *out) {
    verify_view copy = *view;
    unsigned char *data;
    copy.row = (size_t)view->w * view->pixel;
    copy.plane = (size_t)view->h * copy.row;
    copy.map = (size_t)view->planes * copy.plane;
    TIPS_TRY(tips__new(&data, (size_t)maps * copy.map, "the unshifted run"));
    for (int m = 0; m < maps; m++)
        for (int p = 0; p < view->planes; p++)
            for (int y = 0; y < view->h; y++)
                memcpy(data + (size_t)m * copy.map + (size_t)p * copy.plane + (size_t)y * copy.row,
                       view->data + (size_t)m * view->map + (size_t)p * view->plane + (size_t)y * view->row, copy.row);
    copy.data = data;
    *out = copy;
    return TIPS_OK;
}

static tips_status copy_all(const verify_engine *e, verify_base *base) {
    for (int v = 0; v < tips__graph_value_count(e->graph); v++) {
        const tips_value_info *info = tips__value(e->graph, v);
        if (info->kind == TIPS_INDEX) {
            base->indices[v] = tips__verify_index(e, v)[0];
        } else {
            const verify_view view = tips__verify_view(e, v);
            TIPS_TRY(copy_view(&view, info->per_sample, &base->views[v]));
        }
    }
    return TIPS_OK;
}

tips_status tips__verify_base_create(const verify_engine *e, verify_base *out) {
    const size_t values = (size_t)tips__graph_value_count(e->graph);
    verify_base base = {0};
    tips_status status = tips__new_zero(&base.views, values * sizeof *base.views, "the unshifted run");
    if (status == TIPS_OK) status = tips__new_zero(&base.indices, values * sizeof *base.indices, "the unshifted run");
    if (status == TIPS_OK) status = copy_all(e, &base);
    if (status != TIPS_OK) tips__verify_base_destroy(e->graph, &base);
    else *out = base;
    return status;
}

void tips__verify_base_destroy(const tips_graph *graph, verify_base *base) {
    for (int v = 0; base->views && v < tips__graph_value_count(graph); v++) tips__free((void *)base->views[v].data);
    tips__free(base->views);
    tips__free(base->indices);
}
