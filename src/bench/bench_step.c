/* Timing steps of a network, with its memory, its allocations and its layers. */
#include "bench/bench_step.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "model/graph_count.h"
#include "bench/machine.h"
#include "core/timing.h"

#include <stdio.h>
#include <string.h>

const char *const tips__bench_mode_names[] = {"train", "infer", NULL};

enum { PARTS = 4 };

/* Steps in the making: seconds of each part, part after part. */
typedef struct record {
    double *part[PARTS]; /* (steps) each: input, forward, backward, update */
    double *sorted;      /* (steps) */
} record;

static tips_status make_record(int steps, record *out) {
    double *memory;
    TIPS_TRY(tips__new_zero(&memory, (size_t)(PARTS + 1) * (size_t)steps * sizeof *memory, "the times of steps"));
    for (int i = 0; i < PARTS; i++) out->part[i] = memory + (ptrdiff_t)i * steps;
    out->sorted = memory + (ptrdiff_t)PARTS * steps;
    return TIPS_OK;
}

static void note_step(record *r, int step, tips_step_times times, double seconds, tips_bench_step_result *result) {
    const double parts[PARTS] = {times.input, times.forward, times.backward, times.update};
    for (int i = 0; i < PARTS; i++) r->part[i][step] = parts[i];
    result->seconds[step] = seconds;
}

/* The second step is where allocations would show: the first may still set things up. */
static void note_allocations(const tips_bench_step_config *config, uint64_t ours, uint64_t all,
                             tips_bench_step_result *result) {
    result->allocations_second_step = ours;
    result->has_library_allocations = config->malloc_count != NULL;
    result->library_allocations_second_step = config->malloc_count ? all - ours : 0;
}

static bool is_enough(const tips_bench_step_config *config, double timed) {
    return config->most_seconds > 0 && timed >= config->most_seconds;
}

static tips_status run_steps(const tips_bench_step_config *config, tips_step_runner *runner, record *r,
                             tips_bench_step_result *result) {
    double timed = 0;
    for (int s = 0; s < config->warmup + config->steps && !is_enough(config, timed); s++) {
        if (s == config->warmup && config->layers && runner->net) tips__net_time_ops(runner->net, true);
        const uint64_t ours = tips__alloc_count(), all = config->malloc_count ? config->malloc_count() : 0;
        tips_step_times times;
        const double start = tips__now();
        TIPS_TRY(tips__runner_step(runner, (uint64_t)s, &times));
        const double seconds = tips__now() - start;
        if (s == 1)
            note_allocations(config, tips__alloc_count() - ours,
                             config->malloc_count ? config->malloc_count() - all : 0, result);
        if (s < config->warmup) continue;
        note_step(r, result->steps++, times, seconds, result);
        timed += seconds;
    }
    return TIPS_OK;
}

static void sum_up_speed(const tips_bench_step_config *config, record *r, tips_bench_step_result *result) {
    const int steps = result->steps;
    for (int s = 0; s < steps; s++) r->sorted[s] = config->batch / result->seconds[s];
    result->images_per_second = tips__quantile(r->sorted, steps, 0.5);
    result->images_per_second_low = tips__quantile(r->sorted, steps, 0.1);
    result->images_per_second_high = tips__quantile(r->sorted, steps, 0.9);
    memcpy(r->sorted, result->seconds, (size_t)steps * sizeof *r->sorted);
    result->latency_median = tips__quantile(r->sorted, steps, 0.5);
    result->latency_p99 = tips__quantile(r->sorted, steps, 0.99);
    result->parts = (tips_step_times){tips__quantile(r->part[0], steps, 0.5), tips__quantile(r->part[1], steps, 0.5),
                                      tips__quantile(r->part[2], steps, 0.5), tips__quantile(r->part[3], steps, 0.5)};
}

static double passes(const tips_step_runner *runner) { return runner->config.training ? 3 : 1; }

static void describe(const tips_step_runner *runner, tips_bench_step_result *result) {
    const tips_graph *graph = runner->loaded.model.graph;
    const tips_runner_config *c = &runner->config;
    result->arch = c->arch->name;
    result->network = c->network;
    result->from_elsewhere = c->network.blueprint != NULL;
    result->network.blueprint = NULL; /* the runner's */
    result->threads = tips__threads();
    result->parameters = tips__graph_parameters(graph);
    result->multiply_adds = tips__graph_multiply_adds(graph);
    if (c->network.padding != TIPS_PAD_ZERO && result->multiply_adds > 0)
        result->extra_multiply_adds = tips__border_multiply_adds(graph) / result->multiply_adds;
    result->gflops = 2e-9 * passes(runner) * result->multiply_adds * result->images_per_second;
    if (runner->net) result->arena_mb = (double)tips__net_memory(runner->net).arena / (1 << 20);
}

static tips_bench_layer layer_line(const tips_step_runner *runner, int op, const tips_bench_step_result *result,
                                   double step_seconds) {
    const tips_op_time t = tips__net_op_time(runner->net, op);
    const double forward = t.forward / result->steps, backward = t.backward / result->steps, both = forward + backward;
    const double operations = 2 * passes(runner) * t.multiply_adds * runner->config.batch;
    tips_bench_layer line = {.forward_ms = 1e3 * forward, .backward_ms = 1e3 * backward,
                             .share = both / step_seconds, .gflops = both > 0 ? 1e-9 * operations / both : 0};
    snprintf(line.name, sizeof line.name, "%s", t.name);
    snprintf(line.type, sizeof line.type, "%s", t.layer);
    return line;
}

/* What a step does outside the layers. */
static tips_bench_layer other_line(const char *name, double seconds, double step_seconds) {
    tips_bench_layer line = {.forward_ms = 1e3 * seconds, .share = seconds / step_seconds};
    snprintf(line.name, sizeof line.name, "%s", name);
    snprintf(line.type, sizeof line.type, "-");
    return line;
}

static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

static tips_status note_layers(const tips_step_runner *runner, const record *r, tips_bench_step_result *result) {
    const int ops = tips__net_op_count(runner->net);
    const double step_seconds = mean(result->seconds, result->steps);
    TIPS_TRY(tips__new_zero(&result->layers, (size_t)(ops + 2) * sizeof *result->layers, "the times of layers"));
    for (int i = 0; i < ops; i++) result->layers[i] = layer_line(runner, i, result, step_seconds);
    result->n_layers = ops;
    result->layers[result->n_layers++] = other_line("(input)", mean(r->part[0], result->steps), step_seconds);
    if (runner->config.training)
        result->layers[result->n_layers++] = other_line("(sgd)", mean(r->part[3], result->steps), step_seconds);
    return TIPS_OK;
}

static tips_status measure(const tips_bench_step_config *config, tips_step_runner *runner, record *r,
                           tips_bench_step_result *result) {
    TIPS_TRY(run_steps(config, runner, r, result));
    result->peak_resident_mb = tips__machine_peak_resident_mb();
    sum_up_speed(config, r, result);
    describe(runner, result);
    if (config->layers && runner->net) TIPS_TRY(note_layers(runner, r, result));
    result->peak_gflops = tips__machine_peak_gflops();
    result->peak_share = result->gflops / result->peak_gflops;
    return TIPS_OK;
}

static tips_status make_runner(const tips_bench_step_config *config, tips_step_runner **out) {
    tips_runner_config c = {.file = config->model_file, .batch = config->batch,
                            .training = config->mode == 0, .keep = !config->replay,
                            .engine = (tips_engine_choice)config->engine,
                            .algorithm = (tips_algorithm)config->algorithm, .seed = (uint64_t)config->model.seed};
    if (config->steps < 1 || config->warmup < 1 || config->batch < 1)
        TIPS_FAIL(TIPS_RANGE, "steps, warm-up steps and batch start at 1");
    if (c.file) memcpy(c.network.size, config->model.size, sizeof c.network.size);
    else TIPS_TRY(tips__model_options_resolve(&config->model, &c.arch, &c.network, &c.task));
    return tips__runner_create(&c, out);
}

tips_status tips__bench_step(const tips_bench_step_config *config, tips_bench_step_result *out) {
    tips_bench_step_result result = {0};
    tips_step_runner *runner = NULL;
    record r = {0};
    const double start = tips__now();
    tips__threads_use(config->model.threads);
    TIPS_TRY(make_runner(config, &runner));
    result.build_ms = 1e3 * (tips__now() - start);
    tips_status status = make_record(config->steps, &r);
    if (status == TIPS_OK)
        status = tips__new(&result.seconds, (size_t)config->steps * sizeof *result.seconds, "the times of steps");
    if (status == TIPS_OK) status = measure(config, runner, &r, &result);
    tips__free(r.part[0]);
    tips__runner_destroy(runner);
    if (status == TIPS_OK)
        *out = result;
    else
        tips__bench_step_clear(&result);
    return status;
}

void tips__bench_step_clear(tips_bench_step_result *result) {
    tips__free(result->seconds);
    tips__free(result->layers);
    memset(result, 0, sizeof *result);
}
