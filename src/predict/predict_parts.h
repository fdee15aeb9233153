/* The parts of tips predict: inputs from files, answers in batches, and what becomes of answers of a kind. */
#ifndef TIPS_PREDICT_PREDICT_PARTS_H
#define TIPS_PREDICT_PREDICT_PARTS_H

#include "model/open_model.h"
#include "predict/motion.h"
#include "predict/predict.h"
#include "predict/used_names.h"
#include "view/answerer.h"

typedef struct predictor predictor;

/* A picture that waits for a full batch. */
typedef struct predict_item {
    const char *name, *path; /* as in tips_prediction; the file alone */
    int entry;               /* of an array, else -1 */
    tips_image picture;      /* where the kind needs it, else no pixels */
} predict_item;

/* What becomes of the answers. */
typedef struct predict_kind {
    unsigned flag; /* TIPS_TASK_*: of tasks with such answers */
    bool pictures; /* it wants to see the pictures too */
    tips_status (*begin)(predictor *p);
    /* The answer to waiting input `slot`, in p->answers, and its scores; in order. */
    tips_status (*take)(predictor *p, int slot, const float *scores, tips_prediction *out);
    tips_status (*end)(predictor *p);
    /* Two answers to a picture, as it is and under a standard shift; NULL: agreement says all. */
    void (*compare)(const predictor *p, tips_answer_at still, tips_answer_at moved, tips_prediction *out);
} predict_kind;
extern const predict_kind tips__predict_classes, tips__predict_masks, tips__predict_boxes;

/* The frames of a sequence of masks or boxes. */
typedef struct predict_flicker {
    tips_motion motion;
    tips_image last;              /* mask of the frame before; no pixels before the first */
    uint32_t *changed, *compared; /* (h, w): how often each pixel of a frame did, against the one before */
    int capacity;                 /* of the result's steps */
    int seen;                     /* frames of boxes, so far */
} predict_flicker;

struct predictor {
    const tips_predict_config *config;
    const predict_kind *kind;
    const tips_task *task;
    tips_loaded_model model;
    tips_answerer *answerer;
    size_t elements; /* of one input */
    size_t scores;   /* of one picture */
    bool keeps_scores;
    float *black;        /* (c, h, w): a black picture, normalised */
    float *waiting;      /* (batch, c, h, w): inputs that wait for a full batch */
    predict_item *items; /* (batch): name and path are copies */
    tips_bytes *answers; /* (batch) */
    int n_waiting;
    int capacity;     /* of the result's predictions and scores */
    bool in_sequence; /* what is pushed is a frame */
    tips_used_names names;
    predict_flicker flicker;
    tips_predict_result result;
};

/* Of kinds that have no boxes. */
tips_status tips__predict_refuse_box_flags(const predictor *p) TIPS_MUST_CHECK;

tips_status tips__predictor_create(predictor *p) TIPS_MUST_CHECK; /* config is given */
void tips__predictor_destroy(predictor *p);                       /* not the result */
/* Copies the input and the texts of `item`, and takes its picture. */
tips_status tips__predictor_push(predictor *p, predict_item item, const float *input) TIPS_MUST_CHECK;
tips_status tips__predictor_flush(predictor *p) TIPS_MUST_CHECK;

/* Pushes a picture or all entries of a .npy array. */
tips_status tips__predict_file(predictor *p, const char *path) TIPS_MUST_CHECK;
/* Pushes the files of a folder in the order of their names; hidden ones and folders are left out. */
tips_status tips__predict_folder(predictor *p, const char *path, int *frames) TIPS_MUST_CHECK;

/* predict_stability.c: percent of the answer to `input` that shifts keep. */
tips_status tips__predict_stability(predictor *p, const float *input, const tips_bytes *answer,
                                    tips_prediction *out) TIPS_MUST_CHECK;
/* (c, h, w) moved down and right by (dy, dx), `black` where nothing is left. */
void tips__predict_shift(const tips_preprocess *p, const float *src, const float *black, int dy, int dx, float *dst);

/* predict_files.c: folders below --out, by their names, which NULL ends; none may hold what is read. */
tips_status tips__predict_make_folders(const predictor *p, const char *const *folders) TIPS_MUST_CHECK;
/* A name for the files of a picture that no other has; lives as long as the predictor. */
tips_status tips__predict_stem(predictor *p, const predict_item *item, const char **out) TIPS_MUST_CHECK;
/* "out/folder/stem.png" as a copy. */
tips_status tips__predict_name_file(const predictor *p, const char *folder, const char *stem,
                                    char **out) TIPS_MUST_CHECK;

/* predict_mask_files.c: a mask, and the picture with the mask over it. Makes a picture one in colour. */
extern const char *const tips__predict_mask_folders[];
tips_status tips__predict_save_mask(predictor *p, predict_item *item, const tips_image *mask,
                                    tips_prediction *out) TIPS_MUST_CHECK;
tips_status tips__predict_save_flicker(predictor *p, char **path) TIPS_MUST_CHECK;

/* predict_sequence.c: --motion without --sequence is refused; reads the motion. */
tips_status tips__predict_begin_sequence(predictor *p) TIPS_MUST_CHECK;
/* The motion from the last frame to this one, and an error unless frames have one size. */
tips_status tips__predict_next_step(predictor *p, const char *name, const int last[2], const int now[2],
                                    int motion[2]) TIPS_MUST_CHECK;
tips_status tips__predict_add_step(predictor *p, tips_predict_step step) TIPS_MUST_CHECK;

/* predict_flicker.c: one more frame, whose mask is taken; and the mean of all. */
tips_status tips__predict_add_frame(predictor *p, const char *name, tips_image *mask) TIPS_MUST_CHECK;
tips_status tips__predict_end_flicker(predictor *p) TIPS_MUST_CHECK;
void tips__predict_flicker_clear(predict_flicker *flicker);

/* predict_jitter.c: one more frame, that of prediction `now`; and the sum of all steps. */
tips_status tips__predict_add_boxes(predictor *p, const tips_prediction *now) TIPS_MUST_CHECK;
tips_status tips__predict_end_jitter(predictor *p) TIPS_MUST_CHECK;

/* predict_results.c: gives every picture its id, and writes all boxes as COCO's results. */
tips_status tips__predict_save_results(predictor *p) TIPS_MUST_CHECK;

#endif
