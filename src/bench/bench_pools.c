/* Timing each pooling operator alone: input, operator, output. */
#include "bench/bench_pools.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "net/net.h"
#include "model/graph_count.h"
#include "bench/machine.h"
#include "core/name_list.h"
#include "core/timing.h"

#include <stdio.h>
#include <string.h>

enum { WARMUP = 2 };

/* One operator under test. */
typedef struct bench {
    const tips_bench_pools_config *config;
    tips_graph *graph;
    tips_value x, y;
    tips_params *params;
    tips_net *net;
    float *x_data, *dy_data;    /* plain */
    double *forward, *backward; /* (steps) seconds */
} bench;

static double map_bytes(const bench *b, tips_value value) {
    const tips_value_info *v = tips__value(b->graph, value);
    return (double)b->config->batch * v->c * v->h * v->w * sizeof(float);
}

static tips_status build_graph(bench *b, const tips_pool_spec *spec, const char *name) {
    const tips_bench_pools_config *c = b->config;
    TIPS_TRY(tips__graph_create(&b->graph));
    b->x = tips__graph_input(b->graph, "x", c->channels, c->size[0], c->size[1]);
    b->y = tips__pool_add(b->graph, "pool", spec, c->stride, (tips_pad_mode)c->padding, b->x, NULL, NULL);
    TIPS_TRY(tips__graph_status(b->graph));
    if (b->y == b->x)
        TIPS_FAIL(TIPS_INVALID, "%s at stride %dx%d changes nothing, so there is nothing to time", name, c->stride[0],
                  c->stride[1]);
    tips__graph_output(b->graph, b->y);
    return tips__graph_status(b->graph);
}

static tips_status compile(bench *b) {
    const tips_bench_pools_config *c = b->config;
    TIPS_TRY(tips__params_create(b->graph, (uint64_t)c->seed, &b->params));
    TIPS_TRY(tips__params_for_training(b->params));
    tips_net_options options = {
        .n = c->batch, .pass = tips__pass_training, .output_gradients = true, .seed = (uint64_t)c->seed};
    options.pass.input_gradients = true;
    TIPS_TRY(tips__net_compile(b->graph, b->params, &options, &b->net));
    tips__net_set_weights(b->net, (tips_loss_weights){.task = 0.65, .undo = 0.35, .fm = 1});
    return TIPS_OK;
}

static tips_status random_map(const bench *b, tips_value value, uint64_t stream, float **out) {
    const size_t count = (size_t)map_bytes(b, value) / sizeof(float);
    const tips_rng rng = {(uint64_t)b->config->seed, stream};
    TIPS_TRY(tips__new(out, count * sizeof(float), "a random map"));
    TIPS_PARALLEL_FOR(n, b->config->batch) {
        const size_t each = count / (size_t)b->config->batch;
        for (size_t i = (size_t)n * each; i < (size_t)(n + 1) * each; i++) (*out)[i] = (float)tips__rng_normal(rng, i);
    }
    return TIPS_OK;
}

static tips_status prepare(bench *b, const tips_pool_spec *spec, const char *name) {
    TIPS_TRY(build_graph(b, spec, name));
    TIPS_TRY(compile(b));
    TIPS_TRY(random_map(b, b->x, 1, &b->x_data));
    TIPS_TRY(random_map(b, b->y, 2, &b->dy_data));
    TIPS_TRY(tips__new(&b->forward, 2 * (size_t)b->config->steps * sizeof *b->forward, "the times of steps"));
    b->backward = b->forward + b->config->steps;
    return TIPS_OK;
}

static void release(bench *b) {
    tips__net_destroy(b->net);
    tips__params_destroy(b->params);
    tips__graph_destroy(b->graph);
    tips__free(b->x_data);
    tips__free(b->dy_data);
    tips__free(b->forward);
}

static tips_status run_steps(bench *b) {
    for (int s = -WARMUP; s < b->config->steps; s++) {
        tips__net_set_step(b->net, (uint64_t)(s + WARMUP));
        TIPS_TRY(tips__net_set_map(b->net, b->x, b->x_data));
        const double start = tips__now();
        TIPS_TRY(tips__net_forward(b->net));
        const double between = tips__now();
        TIPS_TRY(tips__net_set_output_gradient(b->net, b->y, b->dy_data));
        const double again = tips__now();
        TIPS_TRY(tips__net_backward(b->net));
        if (s < 0) continue;
        b->forward[s] = between - start;
        b->backward[s] = tips__now() - again;
    }
    return TIPS_OK;
}

static void sum_up(const bench *b, double bandwidth, tips_bench_pool *out) {
    const double x = map_bytes(b, b->x), y = map_bytes(b, b->y);
    const double forward = tips__quantile(b->forward, b->config->steps, 0.5);
    const double backward = tips__quantile(b->backward, b->config->steps, 0.5);
    out->parameters = tips__graph_parameters(b->graph);
    out->multiply_adds = tips__graph_multiply_adds(b->graph);
    out->forward_ms = 1e3 * forward;
    out->backward_ms = 1e3 * backward;
    out->forward_gbs = 1e-9 * (x + y) / forward;
    out->backward_gbs = 1e-9 * (y + x + x) / backward;
    out->forward_share = out->forward_gbs / bandwidth;
    out->backward_share = out->backward_gbs / bandwidth;
}

static tips_status bench_one(const tips_bench_pools_config *config, const char *name, double bandwidth,
                             tips_bench_pool *out) {
    bench b = {.config = config};
    tips_pool_spec spec;
    tips_bench_pool row = {0};
    TIPS_TRY(tips__pool_parse(name, config->lpf, &spec));
    tips__pool_format(&spec, row.name, sizeof row.name);
    tips_status status = prepare(&b, &spec, name);
    if (status == TIPS_OK) status = run_steps(&b);
    if (status == TIPS_OK) {
        sum_up(&b, bandwidth, &row);
        *out = row;
    }
    release(&b);
    return status;
}

static tips_status bench_table(const tips_bench_pools_config *config, tips_bench_pools_result *result) {
    for (const tips_pool *const *pool = tips__pools; *pool; pool++) {
        tips_pool_spec spec;
        TIPS_TRY(tips__pool_parse((*pool)->layer.name, config->lpf, &spec));
        if (tips__pool_traits(&spec) & TIPS_POOL_IDENTITY) continue;
        TIPS_TRY(bench_one(config, (*pool)->layer.name, result->bandwidth_gbs, &result->pools[result->count]));
        result->count++;
    }
    return TIPS_OK;
}

static tips_status bench_list(const tips_bench_pools_config *config, tips_bench_pools_result *result) {
    const char *rest = config->pools;
    char name[sizeof result->pools->name];
    for (bool more;;) {
        TIPS_TRY(tips__name_list_next(&rest, name, sizeof name, &more));
        if (!more) return TIPS_OK;
        TIPS_TRY(bench_one(config, name, result->bandwidth_gbs, &result->pools[result->count]));
        result->count++;
    }
}

static int most_rows(const tips_bench_pools_config *config) {
    if (config->pools) return tips__name_list_count(config->pools);
    int count = 0;
    while (tips__pools[count]) count++;
    return count;
}

tips_status tips__bench_pools(const tips_bench_pools_config *config, tips_bench_pools_result *out) {
    tips_bench_pools_result result = {0};
    const int rows = most_rows(config);
    if (rows == 0) TIPS_FAIL(TIPS_INVALID, "the list of operators is empty");
    if (config->steps < 1 || config->batch < 1) TIPS_FAIL(TIPS_RANGE, "steps and batch start at 1");
    tips__threads_use(config->threads);
    result.threads = tips__threads();
    TIPS_TRY(tips__new_zero(&result.pools, (size_t)rows * sizeof *result.pools, "the operators' times"));
    tips_status status = tips__machine_bandwidth(&result.bandwidth_gbs);
    if (status == TIPS_OK) status = config->pools ? bench_list(config, &result) : bench_table(config, &result);
    if (status == TIPS_OK)
        *out = result;
    else
        tips__bench_pools_clear(&result);
    return status;
}

void tips__bench_pools_clear(tips_bench_pools_result *result) {
    tips__free(result->pools);
    memset(result, 0, sizeof *result);
}
