/* All gradients of a network together: their norm, scaling them down, finding what is broken. */
#ifndef TIPS_OPTIMIZER_GRADIENT_NORM_H
#define TIPS_OPTIMIZER_GRADIENT_NORM_H

#include "graph/params.h"

/* The Euclidean norm of all gradients together; the same bits with any number of threads. */
double tips__gradient_norm(const tips_params *params);
void tips__gradient_scale(tips_params *params, double factor);
/* The last parameter, in the order of the layers, with a gradient that is not finite; -1 if there is none. As
 * gradients run backwards, it belongs to the layer where the trouble began. */
int tips__gradient_broken(const tips_params *params);

#endif
