/* tips predict: what a model answers to pictures, a class, a mask or boxes, how stable that is under shifts, and how
 * much it changes along the frames of a scene. */
#ifndef TIPS_PREDICT_PREDICT_H
#define TIPS_PREDICT_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "metric/box_jitter.h"
#include "model/input_options.h"
#include "model/model_options.h"
#include "task/found_tally.h"

typedef struct tips_predict_config {
    const char *model;          /* file; NULL: a network of `network` with random weights */
    tips_model_options network; /* also seed and threads */
    tips_input_options input;   /* over what the model says */
    char *const *files; /* (n_files): pictures, or .npy arrays (n, c, h, w) or (c, h, w) as the network takes them */
    int n_files;
    const char *sequence;    /* folder of frames in order of their names (frame2 before frame10), or NULL */
    const char *motion;      /* how far the scene moves from frame to frame: "DY,DX" or a file; NULL: not */
    const char *out;         /* folder for masks/, overlays/, boxes/ and what flickers; NULL: nothing is written */
    const char *detections;  /* file for boxes as COCO's results, or NULL */
    const char *annotations; /* COCO's file that has the ids of the pictures and classes for it, or NULL */
    double shown;            /* least score of a box that is shown; 0: the model's */
    int top;                 /* classes or boxes per picture; 0: one, and of masks and boxes all */
    bool stability;          /* how much of the answer standard shifts of the task's protocol keep */
    int stability_shifts;    /* that many of them, drawn by seed; 0: all, and 64 for masks and boxes */
    bool keep_scores;        /* of masks too, which takes memory; those of classes are always kept */
    int batch;
} tips_predict_config;

typedef struct tips_prediction {
    char *name;          /* file, or file[i] for entry i of an array */
    int *classes;        /* (n_classes), best first, or the largest */
    double *probability; /* (n_classes); NULL of a mask */
    double *share;       /* (n_classes): percent of the answered pixels; NULL where the answer is a class */
    int n_classes;
    tips_detection *boxes; /* (n_boxes) in pixels of the picture and cut off at its border, best first */
    int n_boxes;
    int n_shown;                    /* the first of them have the score that is asked for, and are no more than `top` */
    int64_t id;                     /* of the picture, in COCO's results */
    int size[2];                    /* of the picture that a mask or boxes are of, else 0 */
    char *mask, *overlay, *drawing; /* files that were written, or NULL */
    double stability;               /* percent, not a number if not asked for */
    tips_jitter jitter;             /* what the same shifts do to boxes, in pixels of the input */
} tips_prediction;

/* From one frame to the next. */
typedef struct tips_predict_step {
    int motion[2];      /* that was undone: down, right */
    int64_t pixels;     /* that both frames show */
    double changed;     /* percent of them whose class is another; not a number without any */
    tips_jitter jitter; /* of boxes, in pixels of the frames */
} tips_predict_step;

/* What the answers are. */
typedef enum tips_predicts { TIPS_PREDICTS_CLASSES, TIPS_PREDICTS_MASKS, TIPS_PREDICTS_BOXES } tips_predicts;

typedef struct tips_predict_result {
    tips_prediction *predictions; /* (count) */
    int count;
    tips_predicts kind;
    tips_input_facts input; /* how pictures became it; nothing where there were none, but arrays alone */
    tips_found_tally found; /* boxes of a detector from elsewhere */
    double shown;       /* least score of a box that is shown */
    bool has_ids;       /* the pictures have been given ids */
    char **class_names; /* (n_classes), NULL if the model has none */
    int n_classes;
    int shifts;               /* behind each stability */
    int frames, flips;        /* of the sequence: pictures count - frames.. are its frames */
    double flip_rate;         /* percent of the steps from frame to frame, not a number without steps; of classes */
    tips_predict_step *steps; /* (n_steps), of masks and boxes */
    int n_steps;
    double flicker;     /* mean of `changed` over the steps, not a number without any */
    tips_jitter jitter; /* of boxes, all steps together */
    char *flicker_map;  /* the file, or NULL: of boxes a chart */
    float *scores;      /* (count, score_dims), before the softmax; NULL if not kept */
    int score_dims[3];  /* of one picture: classes, and of masks height and width */
} tips_predict_result;

/* Of a tips_predict_result. */
extern const tips_warning_rule tips__predict_rules[];

/* On success the result is the caller's, to be freed. */
tips_status tips__predict_run(const tips_predict_config *config, tips_predict_result *out) TIPS_MUST_CHECK;
/* Refuses an output that is one of the files that are read. */
tips_status tips__predict_keep_inputs(const tips_predict_config *config, const char *output) TIPS_MUST_CHECK;
/* The scores as a .npy file. */
tips_status tips__predict_save_scores(const tips_predict_result *result, const char *path) TIPS_MUST_CHECK;
void tips__predict_free(tips_predict_result *result);

#endif
