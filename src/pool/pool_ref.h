/* Reading plain NCHW in double, for the operators' reference runs. */
#ifndef TIPS_POOL_POOL_REF_H
#define TIPS_POOL_POOL_REF_H

#include "graph/node.h"
#include "tensor/pad.h"

static inline double *ref_at(const tips_ref_slot *s, int n, int c, int y, int x) {
    return s->data + (((ptrdiff_t)n * s->c + c) * s->h + y) * s->w + x;
}

/* The cell (y, x) of the map continued beyond its border. */
static inline double ref_padded(const tips_ref_slot *s, tips_pad_mode mode, int n, int c, int y, int x) {
    const int from_y = tips__pad_index(mode, y, s->h), from_x = tips__pad_index(mode, x, s->w);
    return from_y < 0 || from_x < 0 ? 0 : *ref_at(s, n, c, from_y, from_x);
}

/* P_k(x)[i,j]. */
static inline double ref_phase(const tips_ref_slot *x, const int stride[2], int k, int n, int c, int i, int j) {
    return *ref_at(x, n, c, stride[0] * i + k / stride[1], stride[1] * j + k % stride[1]);
}

/* for every cell of a slot: the body follows. */
#define REF_CELLS(s, n_, c_, y_, x_)           \
    for (int n_ = 0; n_ < (s)->n; n_++)        \
        for (int c_ = 0; c_ < (s)->c; c_++)    \
            for (int y_ = 0; y_ < (s)->h; y_++) \
                for (int x_ = 0; x_ < (s)->w; x_++)

/* y = P_k(x) with k = phase[n], or 0 where phase is NULL. */
void tips__ref_gather(const tips_ref_slot *y, const tips_ref_slot *x, const int stride[2], const int32_t *phase);
/* argmax of score (sh*sw); ties go to the larger 2-norm of x's phases, then to the lowest index. */
int tips__ref_choose(const double *score, const tips_ref_slot *x, const int stride[2], int n);
/* (sum |P_k(x)|^p over sample n), or the largest |P_k(x)| where p is 0. */
double tips__ref_norm(const tips_ref_slot *x, const int stride[2], int n, int k, int p);

#endif
