/* The per-channel choice of aps: as published code has it, every channel picks a phase of its own. */
#ifndef TIPS_POOL_APS_CHANNEL_H
#define TIPS_POOL_APS_CHANNEL_H

#include "tensor/map.h"

/* Of each lane: the phase with the largest p-norm (p = 0: infinity); ties go to the lowest index. */
vi tips__aps_channel_choose(const tips_map *x, int n, int block, const int stride[2], int p);
/* y takes lane l from P_k(x), k = phase[l]. */
void tips__aps_channel_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2], vi phase);
/* Its transpose. */
void tips__aps_channel_diff_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2],
                                  vi phase, bool accumulate);

#endif
