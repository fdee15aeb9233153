/* Layers for tests, which make and read maps of whole numbers.
 *
 *   test_argmax         x (c, h, w)                        -> index (1, h, w): the first channel with the largest value
 *   test_scale          x (c, h, w), index (1, h, w)       -> x (1 + index), with a gradient by x
 *   test_subsample      x (c, h, w) [, index (1, h, w)]    -> every other row and column of x, whatever the index */
#ifndef TIPS_TESTS_INDEX_LAYERS_H
#define TIPS_TESTS_INDEX_LAYERS_H

#include "graph/builder.h"

extern const tips_layer test_argmax, test_scale, test_subsample;

#endif
