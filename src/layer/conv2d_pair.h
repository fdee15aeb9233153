/* Which two convolutions may run as one. */
#ifndef TIPS_LAYER_CONV2D_PAIR_H
#define TIPS_LAYER_CONV2D_PAIR_H

#include "graph/node.h"

/* Whether `depthwise` may take `expand` along, which nobody else reads, in a pass that does not go back. Both are ops
 * of convolutions without buffers yet. */
bool tips__conv2d_pairs(const tips_op *expand, const tips_op *depthwise);

#endif
