/* Padding arithmetic, in one place. */
#ifndef TIPS_TENSOR_PAD_H
#define TIPS_TENSOR_PAD_H

#include "tensor/map.h"

/* Where position i of an axis of n cells comes from, for any i; -1 is zero. Circular and reflected borders may
 * be wider than the map. */
int tips__pad_index(tips_pad_mode mode, int i, int n);

/* Floats of one padded plane (h + top + bottom) x (w + left + right) x B. */
size_t tips__pad_plane_floats(int h, int w, const tips_padding *pad);

/* Copies one plane of src with its border materialised into dst. */
void tips__pad_plane(const tips_map *src, int n, int block, const tips_padding *pad, float *dst);

/* The transpose: adds (or puts) the interior of a padded gradient plane into dst, its border folded back. */
void tips__fold_plane(float *padded, const tips_padding *pad, const tips_map *dst, int n, int block, bool accumulate);

/* Fills only the border of maps, thin ones too, whose buffer has room for it. */
void tips__halo_fill(const tips_map *map, const tips_padding *halo);
/* Folds the border of a haloed gradient into its own interior. */
void tips__halo_fold(const tips_map *map, const tips_padding *halo);

static inline bool tips__pad_none(const tips_padding *p) {
    return p->top == 0 && p->left == 0 && p->bottom == 0 && p->right == 0;
}

#endif
