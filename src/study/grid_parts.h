/* What the files of a grid share. */
#ifndef TIPS_STUDY_GRID_PARTS_H
#define TIPS_STUDY_GRID_PARTS_H

#include "study/grid.h"

/* The options of the file besides its parts. */
extern const tips_option tips__grid_rows[];

/* Sets the options of a mapping; its name and other mappings in it are left to others. */
tips_status tips__grid_apply(const tips_grid *grid, const tips_yaml_node *map,
                             tips_train_config *train) TIPS_MUST_CHECK;

/* The options of the run that comes first, as `key`, a part of the file or an axis, says them: a mapping, or NULL. */
const tips_yaml_node *tips__pretrain_of(const char *key, const tips_yaml_node *value);
/* Whether a key of the file or of the command line is about that run: "pretrain", "pretrain.epochs". */
bool tips__is_pretrain(const char *key);
/* Puts these options over those of the cell's first run, which begins with the options of the cell. */
tips_status tips__pretrain_set(const tips_grid *grid, const tips_yaml_node *options, tips_cell *cell) TIPS_MUST_CHECK;
/* What the command line says of it, and its name. */
tips_status tips__pretrain_finish(const tips_grid_over *over, tips_cell *cell) TIPS_MUST_CHECK;

/* "resnet18-cifar10-max-d2-s1-3f9a12bc": what people look for, and a number that follows from every option that is not
 * the default. The same cell has the same name in any grid. */
tips_status tips__cell_name(const tips_train_config *train, char *out, size_t size) TIPS_MUST_CHECK;

/* Two paths that end alike, a/cifar10 and b/cifar10, are called by the whole of them. */
void tips__cells_tell_apart(tips_grid *grid);

#endif
