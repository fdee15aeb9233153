/* Ten SGD steps of the tiny network against PyTorch: the losses of every step, the final parameters and logits.
 * Rounding grows over ten steps, which the tolerances allow for. */
#include "arch/arch.h"
#include "pool/tips_pool.h"
#include "support/golden.h"
#include "task/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

typedef struct training {
    tips_model model;
    tips_params *params;
    tips_net *net;
    int n;
} training;

static void fix_shifts(const tips_graph *graph, const golden *g) {
    const golden_record *shifts = golden_find(g, "shifts"); /* (step, layer, sample, 2), all alike */
    if (!shifts) return;
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (node->layer->flags & TIPS_LAYER_AUX) ((tips_family_config *)node->config)->fixed_shift = shifts->i32;
    }
}

static training start(const golden *g) {
    training t = {.n = golden_need(g, "x")->dims[0]};
    const tips_arch *arch;
    char pool[64];
    golden_word(g, "pool", pool, sizeof pool);
    tips_arch_config c = {.in_channels = 3, .size = {16, 16}, .classes = golden_number(g, "classes", 0),
                          .width = golden_number(g, "width", 0), .padding = golden_padding(g)};
    expect_ok(tips__pool_parse(pool, 0, &c.pool));
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__arch_resolve(arch, &c));
    expect_ok(tips__model_create(arch, &c, NULL, true, &t.model));
    fix_shifts(t.model.graph, g);
    expect_ok(tips__params_create(t.model.graph, 1, &t.params));
    expect_ok(tips__params_for_training(t.params));
    golden_set_params(g, t.params, "init.");
    expect_ok(
        tips__net_compile(t.model.graph, t.params, &(tips_net_options){.n = t.n, .pass = tips__pass_training}, &t.net));
    tips__net_set_weights(t.net, (tips_loss_weights){0.65, 0.35, 1});
    expect_ok(tips__net_set_map(t.net, t.model.ends.input, golden_need(g, "x")->f32));
    expect_ok(tips__net_set_index(t.net, t.model.ends.targets[0], golden_need(g, "labels")->i32));
    return t;
}

static void check_logits(const training *t, const golden *g) {
    const golden_record *want = golden_need(g, "final_logits_infer");
    tips_net *net;
    float *got = test_floats(want->count);
    expect_ok(tips__net_compile(t->model.graph, t->params, &(tips_net_options){.n = t->n}, &net));
    expect_ok(tips__net_set_map(net, t->model.ends.input, golden_need(g, "x")->f32));
    expect_ok(tips__net_set_index(net, t->model.ends.targets[0], golden_need(g, "labels")->i32));
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_get_map(net, t->model.ends.outputs[0], got));
    expect_close_to_floats("logits", got, want->f32, want->count, 1e-3);
    tips__net_destroy(net);
    free(got);
}

static void check_parameters(const training *t, const golden *g) {
    for (int i = 0; i < t->params->count; i++) {
        char name[192];
        snprintf(name, sizeof name, "final.%s", tips__graph_param(t->model.graph, i)->name);
        const golden_record *want = golden_need(g, name);
        float *got = test_floats(want->count);
        tips__param_get(t->params, i, got);
        expect_close_to_floats(name, got, want->f32, want->count, 5e-4);
        free(got);
    }
}

static void ten_steps(const char *file) {
    golden g = golden_open(file);
    assert_true(golden_next(&g));
    training t = start(&g);
    const golden_record *loss = golden_need(&g, "loss");
    for (int step = 0; step <= STEPS; step++) {
        /* The step after the last only measures; its statistics are not PyTorch's. */
        if (step == STEPS) check_parameters(&t, &g), check_logits(&t, &g);
        expect_ok(tips__net_forward(t.net));
        expect_number("loss", tips__net_losses(t.net).total, loss->f32[step], 2e-4);
        if (step == STEPS) break;
        expect_ok(tips__net_backward(t.net));
        tips__sgd_step(t.params, &(tips_sgd){.lr = 0.05, .momentum = 0.9, .weight_decay = 1e-4});
    }
    tips__net_destroy(t.net);
    tips__params_destroy(t.params);
    tips__model_destroy(&t.model);
    golden_close(&g);
}

static void with_max(void **state) { (void)state, ten_steps("sgd_max"); }
static void with_aps(void **state) { (void)state, ten_steps("sgd_aps"); }
static void with_tips_exact(void **state) { (void)state, ten_steps("sgd_tips_exact"); }
static void with_tips_exact_zero(void **state) { (void)state, ten_steps("sgd_tips_exact_zero"); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_max),
        cmocka_unit_test(with_aps),
        cmocka_unit_test(with_tips_exact),
        cmocka_unit_test(with_tips_exact_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
