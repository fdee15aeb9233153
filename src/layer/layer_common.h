/* What the layers share: checks of a node's inputs, scratch per thread, and putting or adding a gradient. */
#ifndef TIPS_LAYER_LAYER_COMMON_H
#define TIPS_LAYER_LAYER_COMMON_H

#include "core/fail.h"
#include "core/threads.h"
#include "graph/builder.h"

#include <string.h>

static inline tips_status tips__expect_inputs(const tips_node *node, int count) {
    if (node->n_in != count) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %s takes %d input%s, not %d", node->name, node->layer->name, count,
                  count == 1 ? "" : "s", node->n_in);
    }
    return TIPS_OK;
}

/* The shape of input i: a copy, as later calls of the builder may move the original. */
static inline tips_value_info tips__in_info(const tips_graph *graph, const tips_node *node, int i) {
    return *tips__value(graph, node->in[i]);
}

static inline tips_status tips__expect_map(const tips_graph *graph, const tips_node *node, int i) {
    if (tips__in_info(graph, node, i).kind != TIPS_MAP) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d of %s must be a map, not an index", node->name, i,
                  node->layer->name);
    }
    return TIPS_OK;
}

/* Input i is a map of one pixel: a vector for each sample. */
static inline tips_status tips__expect_vector(const tips_graph *graph, const tips_node *node, int i) {
    TIPS_TRY(tips__expect_map(graph, node, i));
    const tips_value_info info = tips__in_info(graph, node, i);
    if (info.h != 1 || info.w != 1) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %s takes a map of one pixel, not of %dx%d", node->name, node->layer->name,
                  info.h, info.w);
    }
    return TIPS_OK;
}

/* Input i is one number for each of the maps of input 0: a label, a phase. */
static inline tips_status tips__expect_number(const tips_graph *graph, const tips_node *node, int i) {
    const tips_value_info info = tips__in_info(graph, node, i), map = tips__in_info(graph, node, 0);
    if (info.kind != TIPS_INDEX) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d of %s must be an index, not a map", node->name, i,
                  node->layer->name);
    }
    if (!tips__is_number(&info)) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d of %s must be one number a map, not %dx%dx%d of them", node->name,
                  i, node->layer->name, info.c, info.h, info.w);
    }
    if (info.per_sample != map.per_sample) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %d index entries for %d maps per sample", node->name, info.per_sample,
                  map.per_sample);
    }
    return TIPS_OK;
}

/* Input i is a map of the shape of input 0. */
static inline tips_status tips__expect_like_first(const tips_graph *graph, const tips_node *node, int i) {
    TIPS_TRY(tips__expect_map(graph, node, i));
    const tips_value_info info = tips__in_info(graph, node, i), first = tips__in_info(graph, node, 0);
    if (info.c != first.c || info.h != first.h || info.w != first.w || info.per_sample != first.per_sample) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d is %dx%dx%d (%d per sample), input 0 is %dx%dx%d (%d per sample)",
                  node->name, i, info.c, info.h, info.w, info.per_sample, first.c, first.h, first.w, first.per_sample);
    }
    return TIPS_OK;
}

static inline tips_value_info tips__map_info(int c, int h, int w, int per_sample) {
    return (tips_value_info){.kind = TIPS_MAP, .c = c, .h = h, .w = w, .per_sample = per_sample};
}

static inline size_t tips__thread_bytes(size_t floats) { return (size_t)tips__threads() * floats * sizeof(float); }

/* The calling thread's part of a scratch of tips__thread_bytes(floats). */
static inline float *tips__thread_scratch(const tips_op *op, size_t floats) {
    return (float *)op->scratch + (size_t)omp_get_thread_num() * floats;
}

/* The channels of a block that exist. */
static inline int tips__lanes(int channels, int block) {
    const int left = channels - block * TIPS_LANES;
    return left < TIPS_LANES ? left : TIPS_LANES;
}

#ifdef TIPS_BLOCK
/* All bits set in those lanes; channels that do not exist must stay zero. */
static inline vi tips__lane_mask(int channels, int block) {
    const int lanes = tips__lanes(channels, block);
    vi mask;
    for (int l = 0; l < TIPS_BLOCK; l++) mask[l] = l < lanes ? -1 : 0;
    return mask;
}

static inline vf tips__masked(vf value, vi mask) { return (vf)((vi)value & mask); }

/* Doubles in a scratch, which need not be aligned to a vector of them. */
static inline vd tips__load_doubles(const double *p) {
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void tips__store_doubles(double *p, vd v) { memcpy(p, &v, sizeof v); }

static inline void tips__put(float *dst, vf value, bool accumulate) {
    vf_store(dst, accumulate ? vf_load(dst) + value : value);
}
#endif

#endif
