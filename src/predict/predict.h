/* tips predict: the classes of pictures, how stable the answers are under shifts, and how often they flip along frames.
 */
#ifndef TIPS_PREDICT_PREDICT_H
#define TIPS_PREDICT_PREDICT_H

#include <stdbool.h>

#include "model/input_options.h"
#include "model/model_options.h"

typedef struct tips_predict_config {
    const char *model;          /* file; NULL: a network of `network` with random weights */
    tips_model_options network; /* also seed and threads */
    tips_input_options input;   /* over what the model says */
    char *const *files; /* (n_files): pictures, or .npy arrays (n, c, h, w) or (c, h, w) as the network takes them */
    int n_files;
    const char *sequence; /* folder of frames in order of their names (frame2 before frame10), or NULL */
    int top;              /* classes per picture */
    bool stability;       /* share of the standard shifts of the protocol "tips" that keep the answer */
    int batch;
} tips_predict_config;

typedef struct tips_prediction {
    char *name;          /* file, or file[i] for entry i of an array */
    int *classes;        /* (top), best first */
    double *probability; /* (top) */
    double stability;    /* percent of the shifts, not a number if not asked for */
} tips_prediction;

typedef struct tips_predict_result {
    tips_prediction *predictions; /* (count) */
    int count, top;
    char **class_names; /* (n_classes), NULL if the model has none */
    int n_classes;
    int shifts;        /* behind each stability */
    int frames, flips; /* of the sequence: pictures count - frames.. are its frames */
    double flip_rate;  /* percent of the steps from frame to frame, not a number without steps */
    float *scores;     /* (count, n_classes), before the softmax */
} tips_predict_result;

/* On success the result is the caller's, to be freed. */
tips_status tips__predict_run(const tips_predict_config *config, tips_predict_result *out) TIPS_MUST_CHECK;
/* Refuses an output that is one of the files that are read. */
tips_status tips__predict_keep_inputs(const tips_predict_config *config, const char *output) TIPS_MUST_CHECK;
/* The scores as a .npy file. */
tips_status tips__predict_save_scores(const tips_predict_result *result, const char *path) TIPS_MUST_CHECK;
void tips__predict_free(tips_predict_result *result);

#endif
