/* A network with random weights, or a model from a file, with a random batch and ready to take steps: what benchmarks
 * time. */
#ifndef TIPS_BENCH_STEP_RUNNER_H
#define TIPS_BENCH_STEP_RUNNER_H

#include "model/model_file.h"

typedef enum tips_engine_choice { TIPS_ENGINE_DNNL, TIPS_ENGINE_REF } tips_engine_choice;
extern const char *const tips__engine_names[]; /* in the order of the enum, closed by NULL */
extern const char *const tips__algorithm_names[]; /* of tips_algorithm, likewise */

typedef struct tips_runner_config {
    const char *file;         /* a model; arch, network and task are then the file's. NULL: random weights */
    const tips_arch *arch;
    tips_arch_config network; /* resolved; of a file, its size alone, 0 for the file's own */
    tips_task_spec task;
    int batch;
    bool training;            /* forward, backward and an SGD update; else forward alone */
    bool keep;                /* keep what backward could recompute */
    tips_engine_choice engine;
    tips_algorithm algorithm;
    uint64_t seed;
} tips_runner_config;

/* Seconds of the parts of a step. */
typedef struct tips_step_times {
    double input, forward, backward, update;
} tips_step_times;

typedef struct tips_step_runner {
    tips_runner_config config; /* with what the file says */
    tips_loaded_model loaded;  /* its info is a file's */
    tips_net *net;     /* NULL with the ref engine */
    tips_ref_net *ref; /* NULL with the dnnl engine */
    float *images;     /* (batch, channels, h, w) */
    tips_bytes *targets; /* (batch), in training */
    tips_bytes room;     /* to gather them in */
} tips_step_runner;

tips_status tips__runner_create(const tips_runner_config *config, tips_step_runner **out) TIPS_MUST_CHECK;
void tips__runner_destroy(tips_step_runner *runner);

/* One step: the batch goes in, forward; in training backward and SGD as in the paper's classification runs, with the
 * operators' own losses. `times` may be NULL. */
tips_status tips__runner_step(tips_step_runner *runner, uint64_t step, tips_step_times *times) TIPS_MUST_CHECK;

#endif
