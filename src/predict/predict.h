/* tips predict: what a model answers to pictures, a class or a mask, how stable that is under shifts, and how much it
 * changes along the frames of a scene. */
#ifndef TIPS_PREDICT_PREDICT_H
#define TIPS_PREDICT_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input_options.h"
#include "model/model_options.h"

typedef struct tips_predict_config {
    const char *model;          /* file; NULL: a network of `network` with random weights */
    tips_model_options network; /* also seed and threads */
    tips_input_options input;   /* over what the model says */
    char *const *files; /* (n_files): pictures, or .npy arrays (n, c, h, w) or (c, h, w) as the network takes them */
    int n_files;
    const char *sequence; /* folder of frames in order of their names (frame2 before frame10), or NULL */
    const char *motion;   /* how far the scene moves from frame to frame, for masks: "DY,DX" or a file; NULL: not */
    const char *out;      /* folder for masks/, overlays/ and flicker.png; NULL: nothing is written */
    int top;              /* classes per picture; 0: one, and of masks all that occur */
    bool stability;       /* how much of the answer standard shifts of the task's protocol keep */
    int stability_shifts; /* that many of them, drawn by seed; 0: all, and 64 for masks */
    bool keep_scores;     /* of masks too, which takes memory; those of classes are always kept */
    int batch;
} tips_predict_config;

typedef struct tips_prediction {
    char *name;          /* file, or file[i] for entry i of an array */
    int *classes;        /* (n_classes), best first, or the largest */
    double *probability; /* (n_classes); NULL of a mask */
    double *share;       /* (n_classes): percent of the answered pixels; NULL where the answer is a class */
    int n_classes;
    int size[2];          /* of a mask and its picture, else 0 */
    char *mask, *overlay; /* files that were written, or NULL */
    double stability;     /* percent, not a number if not asked for */
} tips_prediction;

/* From one frame to the next. */
typedef struct tips_predict_step {
    int motion[2];  /* that was undone: down, right */
    int64_t pixels; /* that both frames show */
    double changed; /* percent of them whose class is another; not a number without any */
} tips_predict_step;

typedef struct tips_predict_result {
    tips_prediction *predictions; /* (count) */
    int count;
    bool masks;         /* the answers are masks */
    char **class_names; /* (n_classes), NULL if the model has none */
    int n_classes;
    int shifts;               /* behind each stability */
    int frames, flips;        /* of the sequence: pictures count - frames.. are its frames */
    double flip_rate;         /* percent of the steps from frame to frame, not a number without steps; of classes */
    tips_predict_step *steps; /* (n_steps), of masks */
    int n_steps;
    double flicker;    /* mean of `changed` over the steps, not a number without any */
    char *flicker_map; /* the file, or NULL */
    float *scores;     /* (count, score_dims), before the softmax; NULL if not kept */
    int score_dims[3]; /* of one picture: classes, and of masks height and width */
} tips_predict_result;

/* On success the result is the caller's, to be freed. */
tips_status tips__predict_run(const tips_predict_config *config, tips_predict_result *out) TIPS_MUST_CHECK;
/* Refuses an output that is one of the files that are read. */
tips_status tips__predict_keep_inputs(const tips_predict_config *config, const char *output) TIPS_MUST_CHECK;
/* The scores as a .npy file. */
tips_status tips__predict_save_scores(const tips_predict_result *result, const char *path) TIPS_MUST_CHECK;
void tips__predict_free(tips_predict_result *result);

#endif
