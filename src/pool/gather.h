/* Polyphase components of one plane: P_k(x)[i,j] = x[sh*i+a, sw*j+b], k = a*sw+b, taken, put back and mixed.
 * All maps have a full number of windows: h = sh*oh, w = sw*ow. */
#ifndef TIPS_POOL_GATHER_H
#define TIPS_POOL_GATHER_H

#include "tensor/map.h"

/* y = P_k(x). */
void tips__gather_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2], int k);
/* Its transpose: dx is dy at phase k and zero at all others. */
void tips__scatter_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2], int k,
                         bool accumulate);

/* y = sum_k weights[k] P_k(x), in the order of k. */
void tips__mix_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2],
                     const float *weights);
/* P_k(dx) = weights[k] dy. */
void tips__mix_diff_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2],
                          const float *weights, bool accumulate);
/* dweights[k] = sum over the plane's channels and positions of dy * P_k(x). */
void tips__mix_dweights_plane(const tips_map *x, const tips_map *dy, int n, int block, const int stride[2],
                              double *dweights);

#endif
