/* The parts of tips verify: what is verified, the engine that runs it, comparing maps, following shifts. */
#ifndef TIPS_VERIFY_VERIFY_PARTS_H
#define TIPS_VERIFY_VERIFY_PARTS_H

#include "net/net.h"
#include "task/outputs.h"
#include "verify/verify.h"

/* A network with weights and settled statistics, and its input. */
typedef struct verify_subject {
    tips_model_info info; /* arch is NULL for an operator alone */
    tips_model model;
    tips_params *params;
    float *image; /* (c, h, w), normalised */
} verify_subject;

/* First the graph, which shows whether the options make sense, then what takes time and memory. A subject that was
 * built is destroyed by its owner, whatever the status. */
tips_status tips__verify_subject_build(const tips_verify_config *config, verify_subject *subject) TIPS_MUST_CHECK;
tips_status tips__verify_subject_fill(const tips_verify_config *config, verify_subject *subject) TIPS_MUST_CHECK;
/* The parts of those two that read files: the whole network, or weights for one that was built. */
tips_status tips__verify_subject_load(const tips_verify_config *config, verify_subject *subject) TIPS_MUST_CHECK;
tips_status tips__verify_subject_weights(const tips_verify_config *config, verify_subject *subject) TIPS_MUST_CHECK;
/* Part of filling: the picture of the config, or a natural-like image. */
tips_status tips__verify_subject_image(const tips_verify_config *config, verify_subject *subject) TIPS_MUST_CHECK;
void tips__verify_subject_destroy(verify_subject *subject);

/* (n, 2): every shift, or `text` of them, without repetition; the one-pixel ones are always among them. */
tips_status tips__verify_shifts(const char *text, int h, int w, uint64_t seed, int (**out)[2],
                                int *count) TIPS_MUST_CHECK;

/* The values of one batch as either engine holds them: maps of planes of rows of pixels of lanes. */
typedef struct verify_view {
    const unsigned char *data;
    size_t map, plane, row, pixel; /* bytes from one to the next */
    int planes, lanes, c, h, w;
    bool is_double;
} verify_view;

typedef struct verify_engine {
    const tips_graph *graph;
    int n;
    tips_net *net; /* one of the two */
    tips_ref_net *ref_net;
    float *batch; /* (n, c, h, w) */
    double *wide_batch;
} verify_engine;

tips_status tips__verify_engine_create(const verify_subject *subject, int engine, int most,
                                       verify_engine *out) TIPS_MUST_CHECK;
void tips__verify_engine_destroy(verify_engine *engine);
/* Runs samples 0..count-1: the image shifted by shifts[i]. */
tips_status tips__verify_engine_run(verify_engine *engine, const verify_subject *subject, const int (*shifts)[2],
                                    int count) TIPS_MUST_CHECK;
verify_view tips__verify_view(const verify_engine *engine, tips_value value);
const int32_t *tips__verify_index(const verify_engine *engine, tips_value value);
float tips__verify_margin(const verify_engine *engine, int node, int sample);
double tips__verify_number(const verify_view *view, int map, int channel, int y, int x);
double tips__verify_largest(const verify_view *view, int maps);            /* absolute value of maps 0..maps-1 */
/* A number of these maps that is none, or else one that is infinite; 0 if all are finite. */
double tips__verify_strange(const verify_view *view, int maps);

typedef struct verify_difference {
    uint64_t bits;
    double error; /* largest absolute one */
} verify_difference;

/* Map m of `view` against map b of `base` shifted by u, any whole numbers. */
verify_difference tips__verify_compare(const verify_view *base, int b, const verify_view *view, int m, const int u[2]);

/* The unshifted run, kept. */
typedef struct verify_base {
    verify_view *views; /* per value; data is NULL for what is not compared */
    int32_t *indices;   /* per value: the first number of an index */
} verify_base;

tips_status tips__verify_base_create(const verify_engine *engine, verify_base *out) TIPS_MUST_CHECK;
void tips__verify_base_destroy(const tips_graph *graph, verify_base *base);

/* What one shift did to one node. */
typedef struct verify_outcome {
    verify_difference difference;
    float margin;
    bool other_phase; /* the chosen phase is not the one that the shift leads to */
} verify_outcome;

/* How far a value has moved: by `u` pixels of its own, or of the map that was split into s[0] * s[1] phases. */
typedef struct verify_track {
    int u[2], s[2];
} verify_track;

/* Follows sample `sample`, shifted by u, through all nodes: outcomes (nodes), tracks (values, room to work in). An
 * output that has the size of the input must have moved as far as that. */
void tips__verify_follow(const verify_engine *engine, const verify_base *base, const tips_ends *ends, int sample,
                         const int u[2], verify_track *tracks, verify_outcome *outcomes);

/* The answer of the network's task to the unshifted input, and whether shifts change it. */
typedef struct verify_answers {
    tips_output_room room; /* for one sample */
    tips_bytes unshifted, shifted;
} verify_answers;

/* Takes the unshifted answer from sample 0. */
tips_status tips__verify_answers_create(const verify_subject *subject, const verify_engine *engine,
                                        verify_answers *out) TIPS_MUST_CHECK;
void tips__verify_answers_destroy(verify_answers *answers);
/* Whether the answer to sample `sample`, shifted by u, is another one once the shift is undone. */
tips_status tips__verify_answers_changed(verify_answers *answers, const verify_engine *engine, int sample,
                                         const int u[2], bool *changed) TIPS_MUST_CHECK;

/* Fills in reason and advice for result->first_breaking; `other_phase` is whether that layer chose another phase. */
void tips__verify_explain(const verify_subject *subject, bool other_phase, tips_verify_result *result);

#endif
