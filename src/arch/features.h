/* What a backbone offers to the head of a task: the last map before each downsampling and the one at the end, with the
 * choices of phase that lead from one to the next, which whatever has pixel coordinates needs (unpooling, boxes). */
#ifndef TIPS_ARCH_FEATURES_H
#define TIPS_ARCH_FEATURES_H

#include "pool/pool.h"

enum { TIPS_MOST_LEVELS = 8, TIPS_MOST_WHOLES = 32 };

typedef struct tips_feature {
    tips_value map;
    int stride[2];            /* pixels of the input to a cell */
    tips_selection selection; /* made by the operator that leads here from the level before; none at level 0 */
} tips_feature;

typedef struct tips_features {
    tips_feature levels[TIPS_MOST_LEVELS]; /* (count): finest first */
    int count;
    tips_value whole; /* of a network that came with its head: what it puts out; TIPS_NO_VALUE else */
    tips_value outputs[TIPS_MOST_WHOLES]; /* (n_outputs): of one that puts out several maps */
    int n_outputs;
} tips_features;

/* An architecture calls begin, then for each downsampling leave (with the last map of the level) and enter (with the
 * operator, its stride and the selection it made), and leave once more at the end. */
void tips__features_begin(tips_features *features);
void tips__features_leave(tips_features *features, tips_value map);
void tips__features_enter(tips_features *features, const tips_pool_spec *pool, const int stride[2],
                          const tips_selection *selection);

/* The deepest map. */
tips_value tips__features_last(const tips_features *features);
/* The level whose cells are `stride` pixels high, or NULL. */
const tips_feature *tips__features_at(const tips_features *features, int stride);

#endif
