/* Looking at L_undo while a run goes on: after each epoch, on some pictures of the validation data, how near psi(x) is
 * to x^t in every layer and how near it can come; now and then as pictures of the maps. Nothing that is learned depends
 * on it, and what it says depends on the weights alone. */
#ifndef TIPS_TRAIN_TRAIN_UNDO_H
#define TIPS_TRAIN_TRAIN_UNDO_H

#include "core/json.h"
#include "data/loader.h"
#include "metric/undo_floor.h"
#include "task/model.h"

typedef struct tips_undo_watch tips_undo_watch;

/* The first `pictures` of the loader's first batch, or as many as that has. *out is NULL for a network whose operators
 * have no such loss. The loader has to be started again afterwards. */
tips_status tips__undo_watch_create(const tips_model *model, tips_params *params, tips_loader *loader, int pictures,
                                    tips_undo_watch **out) TIPS_MUST_CHECK;
void tips__undo_watch_destroy(tips_undo_watch *watch);

/* Measures with the weights as they are; with a folder also draws: folder/LAYER-epoch-NNN.png. */
tips_status tips__undo_watch_look(tips_undo_watch *watch, const char *folder, int epoch) TIPS_MUST_CHECK;
/* Keys of the open object: means over the layers, and "undo_layers". */
void tips__undo_watch_put(const tips_undo_watch *watch, tips_json *json);

/* Whether the maps of an epoch, from 0, are drawn: the first and the last, those around the one at which L_undo begins,
 * and the one after three quarters. */
bool tips__undo_draws(int epoch, int epochs, double eps);

#endif
