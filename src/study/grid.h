/* The grid of a study: a file that says which options vary, and the cells that follow. */
#ifndef TIPS_STUDY_GRID_H
#define TIPS_STUDY_GRID_H

#include "attack/attack.h"
#include "core/yaml.h"
#include "train/train.h"

enum { TIPS_LABEL_SIZE = 96, TIPS_MOST_AXES = 16, TIPS_CELL_NAME = 160 };

/* One setting of all options. */
typedef struct tips_cell {
    tips_train_config train;                      /* its texts are the grid's */
    char labels[TIPS_MOST_AXES][TIPS_LABEL_SIZE]; /* by axis; "" where the axis does not concern this cell */
    char name[TIPS_CELL_NAME];                    /* of its folder: follows from its options alone */
    bool pretrains;                               /* another run comes first, which leaves the weights to begin with: */
    tips_train_config pretrain;
    char encoder[TIPS_CELL_NAME]; /* the name of its folder; cells with the same one share it */
} tips_cell;

/* What a study measures of every cell, besides training. */
typedef struct tips_grid_options {
    int limit, grid_images, jobs, seeds;
    bool levels;
    const char *title, *study;  /* `study`: what it is called in the table of the paper */
    tips_attack_options attack; /* changed pictures, evaluated too */
} tips_grid_options;

typedef struct tips_grid {
    tips_grid_options options;
    char *path;
    tips_yaml_node *root;
    tips_yaml *recipe;                /* of one run, that `base` begins with; NULL: none */
    const char *axes[TIPS_MOST_AXES]; /* names, in the order of the file; "seed" is the last */
    int n_axes;
    tips_cell *cells;
    int n_cells;
    const tips_yaml_node *analyses; /* a list, or NULL */
} tips_grid;

/* The options that a command line says over the file, "epochs=1": they hold for every cell. */
typedef struct tips_grid_over {
    const char *const *texts; /* (count) */
    int count;
    int seeds; /* 0: as the file says */
} tips_grid_over;

tips_status tips__grid_read(const char *path, const tips_grid_over *over, tips_grid *out) TIPS_MUST_CHECK;
void tips__grid_free(tips_grid *grid);

/* The place of an axis; -1 if there is none. */
int tips__grid_axis(const tips_grid *grid, const char *name);
/* What a cell is called on an axis, or what it has for an option that is none; "" if there is neither. */
void tips__cell_label(const tips_grid *grid, const tips_cell *cell, const char *name, char *out, size_t size);

#endif
