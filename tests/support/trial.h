/* A small graph under test with drawn inputs, parameters and output gradients: run by the fast net and by the oracle.
 */
#ifndef TIPS_TESTS_TRIAL_H
#define TIPS_TESTS_TRIAL_H

#include "net/net.h"
#include "support/compare.h"

enum { TRIAL_INPUTS = 8, TRIAL_OUTPUTS = 8 };

typedef struct trial {
    tips_graph *graph;
    tips_params *params;
    int n; /* samples */
    uint64_t seed;
    tips_loss_weights weights; /* of the graph's and the operators' losses */
    bool relative_undo;        /* L_undo as a share of what it compares */
    int n_in, n_out;
    tips_value in[TRIAL_INPUTS], out[TRIAL_OUTPUTS];
    float *x[TRIAL_INPUTS];        /* maps, plain NCHW; NULL for an index */
    int32_t *index[TRIAL_INPUTS];  /* NULL for a map */
    int limit[TRIAL_INPUTS];       /* an index is drawn from 0..limit-1 */
    float *dy[TRIAL_OUTPUTS];      /* gradient that arrives at a map; NULL for an index */
    bool sparse;                   /* draw maps as a ReLU leaves them: many zeros */
    bool standing;                 /* gradients of the network as it stands: running statistics, nothing drawn */
    bool lossless;                 /* without losses: gradients come from the outputs alone */
    bool inputs_only, params_only; /* the only gradients that are asked for */
    tips_algorithm algorithm;      /* of the nets that are compiled */
} trial;

/* Build: start, inputs, nodes of t.graph, outputs; then ready draws everything from `seed` and checks the graph. */
trial trial_start(int n);
tips_value trial_map(trial *t, int c, int h, int w);
tips_value trial_index(trial *t, int limit);
tips_value trial_index_map(trial *t, int limit, int c, int h, int w);
void trial_output(trial *t, tips_value value);
void trial_ready(trial *t, uint64_t seed);
void trial_free(trial *t);

/* Floats (or entries) of a value for all samples. */
size_t trial_count(const trial *t, tips_value value);
/* Standard normal numbers, or max(0, normal - 0.3) if sparse. */
void draw_floats(float *out, size_t count, uint64_t seed, bool sparse);

/* The same graph and parameters on some of the samples. `out` borrows graph and params: free with trial_free_part. */
trial trial_part(const trial *t, const int *samples, int n);
void trial_free_part(trial *t);

/* What one step of the fast net gives. */
typedef struct results {
    float *y[TRIAL_OUTPUTS];       /* maps */
    int32_t *index[TRIAL_OUTPUTS]; /* indices */
    float *dx[TRIAL_INPUTS];       /* training: gradient of each map input, if asked for */
    float **dparam;                /* training: gradient of each trainable parameter, if asked for, else NULL */
    tips_losses losses;
} results;

/* Training with gradients of everything, less what the trial leaves out; or evaluation. */
tips_pass trial_pass(const trial *t, bool training);
/* Options for a training net that takes gradients at its outputs, or for an evaluation net of the trial. */
tips_net_options trial_options(const trial *t, bool training);
tips_net *trial_compile(const trial *t, const tips_net_options *options);
/* Inputs, forward and, in training, backward. */
void trial_step(const trial *t, tips_net *net, bool training);
results trial_results(const trial *t, const tips_net *net, bool training);
/* Compile, one step, results. */
results trial_run(const trial *t, const tips_net_options *options);
void results_free(const trial *t, results *r);
void expect_same_results(const trial *t, const results *got, const results *want);

/* The oracle with the trial's inputs set and run once. */
tips_ref_net *trial_oracle(const trial *t, bool training);

/* Forward against the oracle: outputs, indices and, in training, losses. */
void expect_forward(const trial *t, bool training, double tolerance);

#endif
