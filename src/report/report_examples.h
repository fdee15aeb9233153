/* The search for examples: models that look at the same pictures, moved by a few pixels. */
#ifndef TIPS_REPORT_REPORT_EXAMPLES_H
#define TIPS_REPORT_REPORT_EXAMPLES_H

#include "net/net.h"
#include "model/open_model.h"
#include "report/report_parts.h"

enum { EXAMPLE_SHIFTS = 6, EXAMPLE_VIEWS = 1 + TIPS_SHIFT_KINDS * EXAMPLE_SHIFTS, EXAMPLE_BATCH = 32 };

/* One model of the search. */
typedef struct example_model {
    tips_loaded_model model;
    tips_net *net;
    int row;
    bool open;
} example_model;

typedef struct example_answer {
    int class_index;
    double share; /* its probability in percent */
} example_answer;

/* Pictures that are looked at together. */
typedef struct example_search {
    report_job *job;
    tips_dataset *set;
    tips_split split;
    example_model *models; /* (n_models) */
    int n_models;
    float *input;   /* (EXAMPLE_BATCH, c, h, w) */
    float *scores;  /* (EXAMPLE_BATCH, classes) */
    double *shares; /* (classes) */
    int count, index[EXAMPLE_BATCH], label[EXAMPLE_BATCH];
    uint8_t *canvas;            /* (EXAMPLE_BATCH, h, w, c) */
    example_answer *answers;    /* (n_models, EXAMPLE_VIEWS, EXAMPLE_BATCH) */
    tips_report_example *found; /* (TIPS_SHIFT_KINDS, 2, wanted): all right before the shift, or not */
    int n_found[TIPS_SHIFT_KINDS][2], wanted;
} example_search;

/* View 0 is unshifted; others are shifts of a kind. */
void tips__example_view(int view, int *kind, int shift[2]);
example_answer *tips__example_answer(const example_search *s, int model, int view, int slot);

/* example_models.c: opens models and data. TIPS_OK with `*why` set if it cannot be done. */
tips_status tips__example_open(example_search *s, char **why) TIPS_MUST_CHECK;
void tips__example_close(example_search *s);
/* Reads pictures from `first` on into the canvas and answers all views. */
tips_status tips__example_look(example_search *s, int first, int count) TIPS_MUST_CHECK;

#endif
