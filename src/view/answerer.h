/* Inputs in, outputs out, in full batches: the one way to a network's answers, whoever asks. */
#ifndef TIPS_VIEW_ANSWERER_H
#define TIPS_VIEW_ANSWERER_H

#include "task/outputs.h"

typedef struct tips_answerer tips_answerer;

/* `model` and `params` must outlive it. Bits depend on neither batch nor threads. */
tips_status tips__answerer_create(const tips_model *model, tips_params *params, int batch, tips_algorithm algorithm,
                                  tips_answerer **out) TIPS_MUST_CHECK;
void tips__answerer_destroy(tips_answerer *answerer);
int tips__answerer_batch(const tips_answerer *answerer);
/* The net behind it, with the last batch. */
tips_net *tips__answerer_net(tips_answerer *answerer);

/* The outputs for inputs (n, c, h, w), n at most the batch; they stay until the next call. */
tips_status tips__answer_inputs(tips_answerer *answerer, const float *inputs, int n,
                                tips_outputs *out) TIPS_MUST_CHECK;

/* Many questions: `fill` makes input number i, on several threads at once; `take` is told each output in order, sample
 * `at` of `outputs`. */
typedef struct tips_questions {
    int64_t count;
    void (*fill)(void *context, int64_t i, float *input);
    tips_status (*take)(void *context, int64_t i, const tips_outputs *outputs, int at);
    void (*progress)(void *context, int answered); /* after each batch; may be NULL */
    void *context;
} tips_questions;
tips_status tips__answer_all(tips_answerer *answerer, const tips_questions *questions) TIPS_MUST_CHECK;

#endif
