/* What a public model that is asked about pictures holds, whatever it answers: a model that nobody changes, and nets
 * compiled for it, each used by one thread. */
#ifndef TIPS_API_ASKED_PARTS_H
#define TIPS_API_ASKED_PARTS_H

#include <tips/consistency.h>
#include <tips/memory.h>
#include <tips/picture.h>

#include "api/need.h"
#include "model/open_model.h"
#include "shift/shift_protocol.h"
#include "task/detect_score.h"
#include "task/tally.h"
#include "view/answerer.h"

/* Answerers that wait for the next call with their batch size. */
typedef struct asked_nets asked_nets;

typedef struct asked_model {
    tips_loaded_model model;
    size_t elements; /* of one image */
    size_t outputs;  /* floats of output 0 for one image */
    char pool[256];
    const tips_allocator *allocator; /* of the thread that loaded it */
    asked_nets *nets;
} asked_model;

/* As in tips_classifier_options. */
typedef struct asked_options {
    int height, width, kept;
    const char *task, *boxes; /* of ONNX files by others, as in tips_read_as; or NULL */
} asked_options;

/* Into zeroed memory; closed by the caller also where it fails. `expect` refuses models for other tasks: one of
 * tips__task_expect_*; `who` is what it is opened as. */
tips_status tips__asked_open(const char *path, const asked_options *options,
                             tips_status (*expect)(const tips_task_spec *, const char *who), const char *who,
                             asked_model *out) TIPS_MUST_CHECK;
void tips__asked_close(asked_model *model);

/* The name of class i, or NULL. */
const char *tips__asked_name(const asked_model *model, int i);

/* One of its answerers; the caller's alone until it is given back. */
typedef struct asked_net {
    struct asked_net *next;
    tips_answerer *answerer;
    int n, threads;
} asked_net;

tips_status tips__asked_nets_create(int kept, asked_nets **out) TIPS_MUST_CHECK;
void tips__asked_nets_destroy(asked_nets *nets);
/* One for n images, compiled if none is free. */
tips_status tips__asked_take(const asked_model *model, int n, asked_net **out) TIPS_MUST_CHECK;
void tips__asked_give_back(const asked_model *model, asked_net *net);

/* asked_run.c: images (n, channels, height, width), checked, to output 0 (n, outputs); and without checks, by the
 * allocator in use. */
tips_status tips__asked_run(const asked_model *model, const float *images, int n, float *outputs) TIPS_MUST_CHECK;
tips_status tips__asked_forward(const asked_model *model, const float *images, int n, float *outputs) TIPS_MUST_CHECK;
/* The task's answer to one image, through a net of its own. */
tips_status tips__asked_answer(const asked_model *model, const float *image, tips_bytes *answer) TIPS_MUST_CHECK;
/* The canvas (height, width, channels) of a picture, which is checked; and the image of a whole call. */
tips_status tips__asked_canvas(const asked_model *model, const tips_picture *picture, uint8_t *canvas) TIPS_MUST_CHECK;
tips_status tips__asked_image(const asked_model *model, const tips_picture *picture, float *image) TIPS_MUST_CHECK;
tips_status tips__asked_prepare(const asked_model *model, const tips_picture *picture, float *image) TIPS_MUST_CHECK;

/* asked_survey.c: what tips eval measures with the protocol of the task. */
typedef struct asked_figures {
    tips_figure own[TIPS_MOST_OWN_METRICS]; /* the task's metrics; none without truth */
    tips_figure consistency[TIPS_SHIFT_KINDS], fidelity[TIPS_SHIFT_KINDS];
    tips_jitter jitter[TIPS_SHIFT_KINDS]; /* of boxes: the unshifted picture against each shifted view */
} asked_figures;

/* `truth` says what is right for picture i, borrowed for the survey; NULL: nobody knows. */
typedef struct asked_survey {
    const tips_picture *pictures;
    int count;
    void (*truth)(const void *context, int i, tips_annotation *out);
    const void *context;
} asked_survey;
tips_status tips__asked_survey(const asked_model *model, const asked_survey *survey,
                               const tips_consistency_options *options, asked_figures *out) TIPS_MUST_CHECK;

#endif
