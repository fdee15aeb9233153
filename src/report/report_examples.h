/* The search for examples: models that look at the same pictures, moved by a few pixels. */
#ifndef TIPS_REPORT_REPORT_EXAMPLES_H
#define TIPS_REPORT_REPORT_EXAMPLES_H

#include "core/pile.h"
#include "model/open_model.h"
#include "report/report_parts.h"
#include "view/answerer.h"

enum { EXAMPLE_SHIFTS = 6, EXAMPLE_VIEWS = 1 + TIPS_SHIFT_KINDS * EXAMPLE_SHIFTS, EXAMPLE_BATCH = 32 };

/* One model of the search. */
typedef struct example_model {
    tips_loaded_model model;
    tips_answerer *answerer;
    tips_pile answers; /* (pictures, EXAMPLE_VIEWS) */
    double *shares;    /* the same: probabilities in percent; NaN where the task has none */
    int row;
    bool open;
} example_model;

/* Pictures that are looked at together. */
typedef struct example_search {
    report_job *job;
    tips_dataset *set;
    tips_split split;
    example_model *models; /* (n_models) */
    int n_models;
    const tips_task *task;
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

/* example_pictures.c */
tips_status tips__example_picture(const example_search *s, int slot, int view, char **out) TIPS_MUST_CHECK;
tips_status tips__example_drawing(const example_search *s, int slot, int view, const tips_bytes *answer,
                                  char **out) TIPS_MUST_CHECK;

/* example_models.c: opens models and data. TIPS_OK with `*why` set if it cannot be done. */
tips_status tips__example_open(example_search *s, char **why) TIPS_MUST_CHECK;
void tips__example_close(example_search *s);
/* Reads pictures from `first` on into the canvas and answers all views. */
tips_status tips__example_look(example_search *s, int first, int count) TIPS_MUST_CHECK;

#endif
