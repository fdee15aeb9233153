/* An origin of a circular map that moves along with the picture: where tiles begin, so that the same pixels meet in a
 * tile however the picture is shifted (docs/decisions/0027-tiles-that-follow-the-picture.md). */
#ifndef TIPS_ENGINE_WINOGRAD_ORIGIN_H
#define TIPS_ENGINE_WINOGRAD_ORIGIN_H

#include "engine/winograd.h"

/* Bytes of scratch for a map of this size. */
size_t tips__origins_scratch(int n, int h, int w);
/* One origin for each sample: the pixel that stands out by its bits or, if several do, by the picture as seen from it.
 * Origins of shifted maps are shifted alike. A picture that repeats itself has none: y is then -1. */
void tips__origins_find(const tips_map *map, tips_place *origins, void *scratch);

#endif
