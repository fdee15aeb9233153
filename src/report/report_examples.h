/* The search for examples: models that look at the same pictures, moved by a few pixels. */
#ifndef TIPS_REPORT_REPORT_EXAMPLES_H
#define TIPS_REPORT_REPORT_EXAMPLES_H

#include "core/pile.h"
#include "model/open_model.h"
#include "report/report_parts.h"
#include "view/answerer.h"

enum { EXAMPLE_SHIFTS = 6, EXAMPLE_VIEWS = 1 + TIPS_SHIFT_KINDS * EXAMPLE_SHIFTS, EXAMPLE_BATCH = 32 };
/* Of answers that agree in part, masks for instance, which take more memory and time: pictures, and views at once. */
enum { EXAMPLE_FEW = 16, EXAMPLE_VIEWS_AT_ONCE = 4 };

/* One model of the search. */
typedef struct example_model {
    const tips_loaded_model *model;
    tips_loaded_model own;      /* where it was opened here */
    tips_assignment assignment; /* with the colours to draw in */
    tips_colours colours;
    tips_answerer *answerer;
    tips_pile answers; /* (pictures, EXAMPLE_VIEWS) */
    double *shares;    /* the same: probabilities in percent; NaN where the task has none */
    int row;
    bool open;
} example_model;

/* Pictures that are looked at together. */
typedef struct example_search {
    tips_report_data *data; /* where examples go */
    int most;               /* pictures to look at; 0: all */
    tips_dataset *set;
    bool own_set; /* it was opened here */
    tips_split split;
    example_model *models; /* (n_models) */
    int n_models;
    const tips_task *task;
    char **names;       /* (classes): of the data, for the task, or of the model's outputs */
    const int *outputs; /* (classes of the data): the model's output for each; NULL: they have the same order */
    int count, index[EXAMPLE_BATCH], label[EXAMPLE_BATCH];
    tips_bytes target[EXAMPLE_BATCH];
    uint8_t *canvas;            /* (EXAMPLE_BATCH, h, w, c) */
    tips_bytes answer;          /* the one at hand */
    double *probabilities;      /* (classes) */
    tips_report_example *found; /* (TIPS_SHIFT_KINDS, 2, room): all right before the shift, or not */
    int n_found[TIPS_SHIFT_KINDS][2], wanted, room;
} example_search;

/* View 0 is unshifted; others are shifts of a kind. */
void tips__example_view(int view, int *kind, int shift[2]);
/* What model `model` answers to view `view` of a picture against its answer to the picture itself. */
tips_agreement tips__example_agree(const example_search *s, int model, int view, int slot);
bool tips__example_keeps(const example_search *s, int model, int view, int slot);
/* The same in words, and how sure it is. */
tips_status tips__example_said(const example_search *s, int model, int view, int slot,
                               tips_report_said *said) TIPS_MUST_CHECK;

/* Answer and shift of a view, as the task compares them. */
typedef struct example_answer {
    tips_bytes bytes;
    int shift[2];
    bool circular;
} example_answer;
example_answer tips__example_answer(const example_search *s, int model, int view, int slot);

/* example_pictures.c: PNG in base64. The last two stay NULL where the task does not draw such things. */
tips_status tips__example_picture(const example_search *s, int slot, int view, char **out) TIPS_MUST_CHECK;
tips_status tips__example_drawing(const example_search *s, int model, int slot, int view, char **out) TIPS_MUST_CHECK;
tips_status tips__example_truth(const example_search *s, int slot, char **out) TIPS_MUST_CHECK;
tips_status tips__example_difference(const example_search *s, int model, int slot, int view,
                                     char **out) TIPS_MUST_CHECK;

/* example_models.c: opens the models of the job's rows and their data; TIPS_OK with `*why` set if it cannot be done. Or
 * takes one that is open. */
tips_status tips__example_open(example_search *s, report_job *job, char **why) TIPS_MUST_CHECK;
tips_status tips__example_take(example_search *s, const tips_report_subject *subject) TIPS_MUST_CHECK;
void tips__example_close(example_search *s);
bool tips__example_is_graded(const example_search *s);
/* Reads pictures from `first` on into the canvas and answers all views. */
tips_status tips__example_look(example_search *s, int first, int count) TIPS_MUST_CHECK;

#endif
