/* What a report shows, gathered by whoever knows where it lies: runs, their training, their evaluations, examples. */
#ifndef TIPS_REPORT_REPORT_DATA_H
#define TIPS_REPORT_REPORT_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <tips/status.h>

#include "evaluate/picture_values.h"
#include "metric/metric.h"
#include "train/train_log.h"

typedef struct tips_report_shift {
    int *sizes;          /* (n_levels) */
    tips_figure *levels; /* (n_levels): consistency at each size */
    int n_levels;
    bool levels_from_map; /* means over the heat map: there is no interval */
    int low[2], high[2];  /* of the heat map: dy, dx */
    int map_images;       /* 0: there is no heat map */
    double *cells;        /* (dy, dx) */
    tips_figure one_pixel; /* percent of the answers, pixels or boxes that a shift by one pixel changes */
} tips_report_shift;

typedef struct tips_report_layer {
    char *name;
    tips_figure msb, nontrivial;
} tips_report_layer;

typedef struct tips_report_evaluation {
    char *data, *split, *protocol; /* NULL data: there is no evaluation */
    char *command;                 /* that does the same again, or NULL */
    char *remarks;                 /* what must be known about it, or NULL */
    char *border;                  /* what standard shifts bring in: "black", ...; NULL: it does not say */
    int images, pairs;
    tips_figures figures;
    tips_picture_values each; /* no pictures where the file does not have them */
    tips_report_shift shift[TIPS_SHIFT_KINDS];
    tips_report_layer *layers; /* (n_layers) */
    int n_layers;
} tips_report_evaluation;

typedef struct tips_report_run {
    char *folder;
    char *pool, *arch, *padding;
    int seed, lpf;
    char *data; /* what it was trained on */
    bool val_is_test;
    const tips_task *task;
    tips_train_log log;
    tips_report_evaluation evaluation;
    int row; /* of the table */
} tips_report_run;

/* Runs that differ in their seed only: a row of a table and a colour. */
typedef struct tips_report_row {
    char *label;
    int look; /* colour, the same throughout */
    int set;  /* rows of one set may be compared */
    int runs; /* all, and those that were evaluated */
    int evaluated;
    bool val_is_test;
} tips_report_row;

/* What was measured on the same pictures in the same way. */
typedef struct tips_report_set {
    char *name; /* "shapes, test" */
    char *protocol;
    const char *border;      /* of the first evaluation that says what standard shifts bring in, borrowed; or NULL */
    const tips_metric *task; /* its metrics */
    int images;              /* of the first; differs says whether others have another number */
    bool images_differ;
} tips_report_set;

/* What a model said to a picture. */
typedef struct tips_report_said {
    char *text;    /* "cat" */
    char *picture; /* with the answer drawn over it, PNG in base64; NULL where words say it all */
    double share;  /* probability in percent; NaN where answers have none */
    bool right;
} tips_report_said;

typedef struct tips_report_answer {
    int row;
    tips_report_said before, after;
    char *difference; /* where both differ, PNG in base64; NULL where the task does not draw it */
    double agree;     /* 0..1, with the shift undone */
    bool keeps;       /* they count as the same */
} tips_report_answer;

/* A class and the colour it is drawn in. */
typedef struct tips_report_class {
    char *name;
    uint8_t rgb[3];
} tips_report_class;

/* A picture whose answer flips under one model and not under another; of answers that agree in part, one where they do
 * so least. */
typedef struct tips_report_example {
    char *name, *label; /* the label is NULL where the task has no classes of pictures */
    int kind, shift[2]; /* TIPS_STANDARD or TIPS_CIRCULAR; dy, dx */
    int size[2];
    char *picture[2];            /* before and after, PNG in base64 */
    char *truth;                 /* drawn over the picture, the same; NULL where the task does not draw it */
    tips_report_answer *answers; /* (n_answers) */
    int n_answers;
} tips_report_example;

typedef struct tips_report_data {
    char *title;
    tips_report_run *runs;
    int n_runs;
    tips_report_row *rows;
    int n_rows;
    tips_report_set *sets;
    int n_sets;
    tips_report_example *examples;
    int n_examples;
    bool graded;                /* their answers agree in part */
    bool boxes;                 /* their answers are boxes */
    tips_report_class *classes; /* (n_classes): the legend of drawings; none where nothing is drawn in colours */
    int n_classes;
    int searched;      /* pictures that examples were looked for in */
    char *no_examples; /* why there are none, or NULL */
    char **notes;      /* what the reader must know: chosen on the test set, not evaluated, ... */
    int n_notes;
    char **commands; /* in order */
    int n_commands;
    const char *version, *build;
    const char *what;  /* of a row: NULL for "operator"; borrowed */
    const char *first; /* sections before the results, as markup; or NULL; borrowed */
    const char *extra; /* sections before the examples, as markup, which are then not missed; or NULL; borrowed */
} tips_report_data;

void tips__report_free(tips_report_data *report);

/* The columns of a table, as places in the list of the task's metrics and the common ones: columns (TIPS_MOST_METRICS).
 * Returns how many there are. */
int tips__report_columns(const tips_metric *task, int *columns);

/* One row: with one run its value and interval, with several the mean, its deviation (of the sample), and the least
 * and the greatest as low and high. */
typedef struct tips_report_cell {
    tips_figure value;
    double deviation; /* not a number with one run */
    int count;
} tips_report_cell;
tips_report_cell tips__report_cell(const tips_report_data *report, int row, int metric); /* of the list */
tips_report_cell tips__report_common_cell(const tips_report_data *report, int row, tips_common_metric metric);
/* The same of any values, those that are numbers. */
tips_report_cell tips__report_mean(const tips_figure *values, int count);

bool tips__report_is_in(const tips_report_data *report, const tips_report_run *run, int set);

/* What a shift by one pixel changes, of a row. */
tips_report_cell tips__report_one_pixel(const tips_report_data *report, int row, int kind);

/* One more sentence for the reader. */
tips_status tips__report_add_note(tips_report_data *data, const char *text) TIPS_MUST_CHECK;

#endif
