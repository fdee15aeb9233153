/* Training the tiny network as PyTorch did. */
#include "support/golden_steps.h"

#include "arch/arch.h"
#include "pool/tips_pool.h"
#include "task/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

typedef struct training {
    tips_model model;
    tips_params *params;
    tips_net *net;
    tips_optimizer_spec optimizer;
    int n;
} training;

static double real_word(const golden *g, const char *key) {
    char text[32];
    golden_word(g, key, text, sizeof text);
    return strtod(text, NULL);
}

tips_optimizer_spec golden_optimizer(const golden *g) {
    tips_optimizer_spec spec;
    char text[128];
    golden_subject(g, text, sizeof text);
    expect_ok(tips__optimizer_parse(text, &spec));
    return spec;
}

tips_learning golden_learning(const golden *g) {
    return (tips_learning){
        .lr = real_word(g, "lr"), .momentum = real_word(g, "momentum"), .weight_decay = real_word(g, "weight_decay")};
}

static void fix_shifts(const tips_graph *graph, const golden *g) {
    const golden_record *shifts = golden_find(g, "shifts"); /* (step, layer, sample, 2), all alike */
    if (!shifts) return;
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (node->layer->flags & TIPS_LAYER_AUX) ((tips_family_config *)node->config)->fixed_shift = shifts->i32;
    }
}

static training start(const golden *g) {
    training t = {.n = golden_need(g, "x")->dims[0], .optimizer = golden_optimizer(g)};
    const tips_arch *arch;
    char pool[64];
    golden_word(g, "pool", pool, sizeof pool);
    tips_arch_config c = {.in_channels = 3,
                          .size = {16, 16},
                          .classes = golden_number(g, "classes", 0),
                          .width = golden_number(g, "width", 0),
                          .padding = golden_padding(g)};
    expect_ok(tips__pool_parse(pool, 0, &c.pool));
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__arch_resolve(arch, &c));
    expect_ok(tips__model_create(arch, &c, NULL, true, &t.model));
    fix_shifts(t.model.graph, g);
    expect_ok(tips__params_create(t.model.graph, 1, &t.params));
    expect_ok(tips__optimizer_prepare(t.optimizer.optimizer, t.params));
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

void golden_steps(const char *name) {
    golden g = golden_open(name);
    assert_true(golden_next(&g));
    training t = start(&g);
    tips_learning learning = golden_learning(&g);
    const golden_record *loss = golden_need(&g, "loss");
    for (int step = 0; step <= STEPS; step++) {
        /* The step after the last only measures; its statistics are not PyTorch's. */
        if (step == STEPS) check_parameters(&t, &g), check_logits(&t, &g);
        expect_ok(tips__net_forward(t.net));
        expect_number("loss", tips__net_losses(t.net).total, loss->f32[step], 2e-4);
        if (step == STEPS) break;
        expect_ok(tips__net_backward(t.net));
        learning.step = (uint64_t)step;
        tips__optimizer_step(&t.optimizer, t.params, &learning);
    }
    tips__net_destroy(t.net);
    tips__params_destroy(t.params);
    tips__model_destroy(&t.model);
    golden_close(&g);
}
