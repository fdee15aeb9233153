/* The parts of ddac: its config and geometry, and the passes over pixels and planes. */
#ifndef TIPS_POOL_DDAC_H
#define TIPS_POOL_DDAC_H

#include "pool/pool_parts.h"
#include "tensor/pad.h"

enum { DDAC_SOFTMAX_ALL, DDAC_SOFTMAX_GROUP };

typedef struct ddac_config {
    tips_pool_common common;
    int groups, kernel, softmax;
} ddac_config;

typedef struct ddac_shape {
    int groups;           /* the largest divisor of c up to config.groups */
    int kernel, taps;     /* k and k*k */
    int channels;         /* of the logits: groups * taps */
    int padded;           /* the same, up to a multiple of B */
    int segment;          /* channels that share one softmax */
    int per_group;        /* channels of x in one group */
    int oh, ow;
    int stride[2];
    tips_padding padding;
    size_t plane;         /* floats of a plane of x with its border */
} ddac_shape;

ddac_shape tips__ddac_shape(const ddac_config *config, int c, int h, int w);

/* One vector of each channel block: where its lanes find their weights. */
typedef struct ddac_lanes {
    vi offset;    /* group(c) * taps for each lane */
    bool uniform; /* all lanes belong to one group */
} ddac_lanes;
ddac_lanes tips__ddac_lanes(const ddac_shape *s, int c, int block);

/* The weights of one sample: w (oh, ow, padded) = softmax of the logits at the pixels of P_0. */
void tips__ddac_softmax_row(const ddac_shape *s, const tips_map *l, int n, int i, float *w);
/* In place: dw (oh, ow, padded) becomes the gradient of the logits. */
void tips__ddac_softmax_diff(const ddac_shape *s, const float *w, float *dw);

/* x: one padded plane. */
void tips__ddac_plane(const ddac_shape *s, ddac_lanes lanes, const float *x, const float *w, const tips_map *y, int n,
                      int block);
/* dx: one padded plane, zero before. */
void tips__ddac_diff_plane(const ddac_shape *s, ddac_lanes lanes, const float *w, const tips_map *dy, int n, int block,
                           float *dx);
/* Adds the plane's share to dw. */
void tips__ddac_dweights_plane(const ddac_shape *s, ddac_lanes lanes, const float *x, const tips_map *dy, int n,
                               int block, float *dw);

tips_status tips__ddac_plan(tips_op *op, tips_plan *out);
tips_status tips__ddac_forward(tips_op *op);
tips_status tips__ddac_backward(tips_op *op);
tips_status tips__ddac_emit(tips_emitter *to, const tips_node *node);

#endif
