/* tips verify: does a network, layer by layer, commute with every circular shift of its input? */
#ifndef TIPS_VERIFY_VERIFY_H
#define TIPS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <tips/status.h>

#include "model/input_options.h"
#include "model/model_file.h"
#include "model/model_options.h"

typedef enum tips_verify_engine { TIPS_VERIFY_DNNL, TIPS_VERIFY_REF } tips_verify_engine;
extern const char *const tips__verify_engine_names[]; /* "dnnl", "ref", NULL */

typedef struct tips_verify_config {
    tips_model_options model;
    tips_input_options input; /* over what the network says; the size also over that of `model`; no labels */
    const char *shifts; /* "all", or how many, drawn without repetition */
    const char *image;  /* file of the input, NULL: a natural-like one from the seed */
    const char *data;   /* or a dataset, of which the input is test picture number `picture`, NULL: none */
    int picture;
    int engine;         /* tips_verify_engine */
    bool alone;         /* the operator by itself instead of an architecture */
    int stride[2];      /* of the operator alone, 2 where 0; an architecture has its own */
    const char *model_file; /* a model to verify instead of one made by the options, NULL: none */
    const char *weights;    /* weights for the network that the options make, NULL: random ones */
    void (*progress)(void *context, int done, int total); /* may be NULL */
    void *progress_context;
    tips_given given;            /* the options that were said, where a command line did */
    bool (*stop)(void *context); /* of progress_context; true ends the run with the shifts there are; may be NULL */
} tips_verify_config;

enum { TIPS_VERIFY_NAME = 96 };

typedef struct tips_verify_layer {
    char name[TIPS_VERIFY_NAME];
    const char *type;
    int channels, height, width, per_sample;
    uint64_t differing_bits;             /* summed over the shifts */
    double max_abs_error, max_rel_error; /* relative to the largest value of the layer's output */
    double margin;                       /* between best and second phase, INFINITY if it chooses none */
    bool exact;
    int behind; /* the layer whose difference reaches it; -1: it is exact, or breaks by itself */
    int hidden[2]; /* its stride, where it breaks although its input differs already; else 0, 0 */
} tips_verify_layer;

typedef struct tips_verify_result {
    const char *arch;         /* NULL for an operator alone */
    tips_arch_config network; /* as resolved; alone: input, padding and pool only; no blueprint */
    tips_input_facts input;
    bool from_elsewhere;      /* a network of no architecture of ours: stem, down and width mean nothing */
    char pool[256];
    const char *engine;
    int seed;
    tips_verify_layer *layers;
    int n_layers;
    int shifts;
    int wanted;       /* shifts to be tried */
    bool interrupted; /* before all of them were */
    uint64_t differing_bits;
    double max_abs_error, max_rel_error;
    bool exact;            /* no bit differs in any layer under any shift */
    bool within_tolerance; /* no relative error above 1e-5 */
    int first_breaking;    /* layer, or -1 */
    const char *reason;    /* "padding", "odd size", "fixed grid", "patch grid", "tie", ... (docs/verify.md), or NULL */
    char advice[512];      /* the reason as a sentence, with a remedy */
    double margin;         /* the smallest of all layers, INFINITY if there is none */
    int margin_layer;      /* where, or -1 */
    int answer_changes;    /* shifts under which the largest logit is another one */
} tips_verify_result;

/* How many layers differ because layer `layer` does, and how many layers are hidden by others. */
int tips__verify_behind(const tips_verify_result *result, int layer);
int tips__verify_hidden(const tips_verify_result *result);

/* On success the result is the caller's, to be freed. */
tips_status tips__verify_run(const tips_verify_config *config, tips_verify_result *out) TIPS_MUST_CHECK;
void tips__verify_free(tips_verify_result *result);

/* The same for a model that is open already, on an input (c, h, w), or on a natural-like one if that is NULL. Of the
 * config, seed, shifts, engine and progress count. */
tips_status tips__verify_model(const tips_verify_config *config, const tips_loaded_model *model, const float *input,
                               tips_verify_result *out) TIPS_MUST_CHECK;

#endif
