/* The use case behind `tips bench step`: how fast a network trains or infers, and what it takes. */
#ifndef TIPS_BENCH_BENCH_STEP_H
#define TIPS_BENCH_BENCH_STEP_H

#include "model/model_options.h"
#include "bench/step_runner.h"

typedef struct tips_bench_step_config {
    tips_model_options model; /* of a file: seed, threads and size count, size 0 is the file's own */
    const char *model_file;   /* to be timed instead of a network of `model`; NULL: none */
    int batch;
    int mode;           /* 0: train, 1: infer */
    int steps, warmup;  /* at least 1 each */
    double most_seconds; /* timed steps end after as many; 0: no limit */
    int engine;         /* tips_engine_choice */
    int algorithm;      /* tips_algorithm */
    bool layers;        /* time every layer */
    bool replay;        /* recompute in backward what is cheap to recompute */
    uint64_t (*malloc_count)(void); /* allocations of the whole process so far; NULL: not counted */
} tips_bench_step_config;

extern const char *const tips__bench_mode_names[]; /* "train", "infer", NULL */

/* Means over the timed steps. A layer that was fused into the one before it has no line of its own. */
typedef struct tips_bench_layer {
    char name[96], type[32];
    double forward_ms, backward_ms;
    double share;  /* of the whole step */
    double gflops; /* 0 for a layer without multiply-adds */
} tips_bench_layer;

typedef struct tips_bench_step_result {
    const char *arch;
    tips_arch_config network; /* as resolved, without a blueprint */
    bool from_elsewhere;      /* not one of our architectures */
    int threads;
    double images_per_second, images_per_second_low, images_per_second_high; /* median, 10th and 90th percentile */
    double latency_median, latency_p99; /* seconds of a step: median and 99th percentile */
    double *seconds; /* (steps), in the order they ran */
    int steps;       /* that were timed */
    tips_step_times parts;      /* medians */
    double build_ms;            /* from options to a compiled network */
    size_t parameters;          /* trainable */
    double multiply_adds;       /* per image, forward, nominal: taps beyond the border included */
    double extra_multiply_adds; /* share of them that zero padding would skip; 0 with zero padding */
    /* 2 operations a multiply-add; a training step counts three forward passes (the first convolution's data
     * gradient, which nobody needs, is counted too). Counted as direct convolution, whatever algorithm runs: the share
     * may pass 1 where Winograd saves multiplications. */
    double gflops, peak_gflops, peak_share;
    double peak_resident_mb, arena_mb;
    uint64_t allocations_second_step;         /* ours */
    uint64_t library_allocations_second_step; /* everyone else's */
    bool has_library_allocations;
    tips_bench_layer *layers;
    int n_layers;
} tips_bench_step_result;

tips_status tips__bench_step(const tips_bench_step_config *config, tips_bench_step_result *out) TIPS_MUST_CHECK;
void tips__bench_step_clear(tips_bench_step_result *result);

#endif
