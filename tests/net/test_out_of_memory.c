/* Failing allocations, one after the other: every call that meets one returns TIPS_MEMORY, leaves nothing behind (the
 * leak sanitizer watches), hands out nothing, and succeeds when it is made again. */
#include "support/compare.h"

#include "arch/arch.h"
#include "core/memory.h"
#include "net/net.h"
#include "optimizer/optimizer.h"
#include "task/model.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2, CHANNELS = 3, SIZE = 16, CLASSES = 4, MOST_FAILURES = 5000 };
enum { ELEMENTS = SAMPLES * CHANNELS * SIZE * SIZE };

/* Everything a run makes, one stage after the other. */
typedef struct subject {
    const tips_arch *arch;
    tips_arch_config config;
    tips_model model;
    tips_params *params;
    tips_net *training, *evaluation;
    tips_ref_net *reference;
    float x[ELEMENTS];
    double wide_x[ELEMENTS];
    int32_t label[SAMPLES];
    float logits[SAMPLES * CLASSES];
} subject;

typedef tips_status stage(subject *s);

/* Lets the 1st, 2nd, ... allocation of `run` fail until there are fewer; the number of failures. */
static int fail_each(const char *what, stage *run, subject *s) {
    for (int n = 1; n <= MOST_FAILURES; n++) {
        test_case("%s, allocation %d", what, n);
        tips__alloc_fail_at((uint64_t)n);
        const uint64_t before = tips__alloc_count();
        const tips_status status = run(s);
        const bool reached = tips__alloc_count() - before >= (uint64_t)n;
        tips__alloc_fail_at(0);
        if (!reached) {
            expect_ok(status);
            print_message("%s: %d allocations\n", what, n - 1);
            return n - 1;
        }
        if (status != TIPS_MEMORY) fail_case("gives '%s', not TIPS_MEMORY", tips_status_name(status));
        if (!strstr(tips_last_error(), "memory")) fail_case("the error says '%s'", tips_last_error());
    }
    fail_case("there is no end of allocations");
    return -1;
}

static tips_status parse(const char *pool, tips_arch_config *config) {
    *config = (tips_arch_config){
        .in_channels = CHANNELS, .size = {SIZE, SIZE}, .classes = CLASSES, .width = 8, .padding = TIPS_PAD_CIRCULAR};
    return tips__pool_parse(pool, 0, &config->pool);
}

static tips_status build(subject *s) {
    const tips_status status = tips__model_create(s->arch, &s->config, NULL, true, &s->model);
    if (status != TIPS_OK && s->model.graph) fail_case("a graph was handed out");
    return status;
}

static tips_status make_params(subject *s) {
    const tips_status status = tips__params_create(s->model.graph, 1, &s->params);
    if (status != TIPS_OK && s->params) fail_case("parameters were handed out");
    return status;
}

static const tips_optimizer_spec sgd = {.optimizer = &tips__optimizer_sgd};

static tips_status prepare_training(subject *s) { return tips__optimizer_prepare(sgd.optimizer, s->params); }

static tips_status compile(subject *s, tips_net_options options, tips_net **net) {
    options.n = SAMPLES;
    options.seed = 1;
    const tips_status status = tips__net_compile(s->model.graph, s->params, &options, net);
    if (status != TIPS_OK && *net) fail_case("a network was handed out");
    return status;
}

static tips_status compile_training(subject *s) {
    return compile(s, (tips_net_options){.pass = tips__pass_training}, &s->training);
}
static tips_status compile_evaluation(subject *s) { return compile(s, (tips_net_options){0}, &s->evaluation); }

static tips_status compile_keeping(subject *s) {
    tips_net *net = NULL;
    const tips_status status =
        compile(s, (tips_net_options){.keep_all = true, .algorithm = TIPS_ALGORITHM_EXACT}, &net);
    tips__net_destroy(net);
    return status;
}

static tips_status step(tips_net *net, subject *s) {
    tips_status status = tips__net_set_map(net, s->model.ends.input, s->x);
    if (status == TIPS_OK) status = tips__net_set_index(net, s->model.ends.targets[0], s->label);
    if (status == TIPS_OK) status = tips__net_forward(net);
    return status;
}

static tips_status train(subject *s) {
    tips__net_set_weights(s->training, (tips_loss_weights){1, 0.5, 0.5});
    tips_status status = step(s->training, s);
    if (status == TIPS_OK) status = tips__net_backward(s->training);
    const tips_learning learning = {.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4};
    if (status == TIPS_OK) tips__optimizer_step(&sgd, s->params, &learning);
    return status;
}

static tips_status evaluate(subject *s) {
    const tips_status status = step(s->evaluation, s);
    return status == TIPS_OK ? tips__net_get_map(s->evaluation, s->model.ends.outputs[0], s->logits) : status;
}

static tips_status make_reference(subject *s) {
    const tips_status status =
        tips__ref_create(s->model.graph, s->params, SAMPLES, tips__pass_evaluation, 1, &s->reference);
    if (status != TIPS_OK && s->reference) fail_case("a reference was handed out");
    return status;
}

static tips_status run_reference(subject *s) {
    tips_status status = tips__ref_set_map(s->reference, s->model.ends.input, s->wide_x);
    if (status == TIPS_OK) status = tips__ref_set_index(s->reference, s->model.ends.targets[0], s->label);
    return status == TIPS_OK ? tips__ref_forward(s->reference) : status;
}

static void destroy(subject *s) {
    tips__ref_destroy(s->reference);
    tips__net_destroy(s->evaluation);
    tips__net_destroy(s->training);
    tips__params_destroy(s->params);
    tips__model_destroy(&s->model);
}

static void start(subject *s, const char *pool) {
    memset(s, 0, sizeof *s);
    expect_ok(parse(pool, &s->config));
    expect_ok(tips__arch_find("tiny", &s->arch));
    for (int i = 0; i < ELEMENTS; i++) s->wide_x[i] = s->x[i] = (float)(i * 7919 % 257) / 128 - 1;
    for (int i = 0; i < SAMPLES; i++) s->label[i] = i % CLASSES;
}

/* What failed and was made again computes what it would have computed without failures. */
static void expect_same_as_undisturbed(const subject *disturbed, const char *pool) {
    static subject s;
    test_case("%s after failures", pool);
    start(&s, pool);
    expect_ok(build(&s));
    expect_ok(make_params(&s));
    expect_ok(prepare_training(&s));
    expect_ok(compile_training(&s));
    expect_ok(train(&s));
    expect_ok(compile_evaluation(&s));
    expect_ok(evaluate(&s));
    expect_same_bits("logits", disturbed->logits, s.logits, SAMPLES * CLASSES);
    destroy(&s);
}

static void test_network(void **state) {
    static subject s;
    const char *pool = *state;
    start(&s, pool);
    assert_true(fail_each("building", build, &s) > 100);
    assert_true(fail_each("parameters", make_params, &s) > 0);
    assert_true(fail_each("gradients and momentum", prepare_training, &s) == 2);
    assert_true(fail_each("compiling for training", compile_training, &s) > 0);
    fail_each("a training step", train, &s);
    assert_true(fail_each("compiling for evaluation", compile_evaluation, &s) > 0);
    fail_each("evaluating", evaluate, &s);
    assert_true(fail_each("compiling with every value kept", compile_keeping, &s) > 0);
    assert_true(fail_each("the reference", make_reference, &s) > 0);
    fail_each("running the reference", run_reference, &s);
    expect_same_as_undisturbed(&s, pool);
    destroy(&s);
}

int main(void) {
    static const char *const pools[] = {"tips-exact", "lps", "tips", "ddac", "aps:choice=channel", "blur"};
    enum { POOLS = sizeof pools / sizeof *pools };
    struct CMUnitTest tests[POOLS];
    for (int i = 0; i < POOLS; i++)
        tests[i] = (struct CMUnitTest){pools[i], test_network, NULL, NULL, (void *)(uintptr_t)pools[i]};
    return _cmocka_run_group_tests("out of memory", tests, POOLS, NULL, NULL);
}
