/* The maps of a layer as a picture: a row for each of the four channels that vary most, and in it x, x^t, psi(x) and
 * |psi(x) - x^t| of the first sample, all on one scale from black to white. x^t is x shifted as far as L_undo does. */
#ifndef TIPS_TRAIN_UNDO_STRIP_H
#define TIPS_TRAIN_UNDO_STRIP_H

#include "metric/undo_floor.h"

/* Writes a PNG; without libpng nothing. */
tips_status tips__undo_strip(const tips_undo_maps *maps, const char *path) TIPS_MUST_CHECK;

#endif
