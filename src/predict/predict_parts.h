/* The parts of tips predict: inputs from files, answers in batches. */
#ifndef TIPS_PREDICT_PREDICT_PARTS_H
#define TIPS_PREDICT_PREDICT_PARTS_H

#include "model/open_model.h"
#include "predict/predict.h"
#include "view/answerer.h"

typedef struct predictor {
    const tips_predict_config *config;
    tips_loaded_model model;
    tips_answerer *answerer;
    size_t elements; /* of one input */
    float *black;    /* (c, h, w): a black picture, normalised */
    float *waiting;  /* (batch, c, h, w): inputs that wait for a full batch */
    int n_waiting;
    int capacity; /* of the result's predictions and scores */
    tips_predict_result result;
} predictor;

tips_status tips__predictor_create(predictor *p) TIPS_MUST_CHECK; /* config is given */
void tips__predictor_destroy(predictor *p);                       /* not the result */
/* The place for the next input, to be filled before the call returns; `name` is copied. */
tips_status tips__predictor_push(predictor *p, const char *name, const float *input) TIPS_MUST_CHECK;
tips_status tips__predictor_flush(predictor *p) TIPS_MUST_CHECK;

/* Pushes a picture or all entries of a .npy array. */
tips_status tips__predict_file(predictor *p, const char *path) TIPS_MUST_CHECK;
/* Pushes the files of a folder in the order of their names; hidden ones and folders are left out. */
tips_status tips__predict_folder(predictor *p, const char *path, int *frames) TIPS_MUST_CHECK;

/* (c, h, w) moved down and right by (dy, dx), `black` where nothing is left. */
void tips__predict_shift(const tips_preprocess *p, const float *src, const float *black, int dy, int dx, float *dst);

#endif
