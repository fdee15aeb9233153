/* Layers against PyTorch's numbers: values and all gradients. */
#include "layer/layers.h"
#include "support/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tips_value add_node(golden_run *r, const tips_layer *layer, const void *config, const tips_value *in, int n_in) {
    return tips__graph_add(r->graph, layer, "", config, in, n_in);
}

static void conv2d(const golden *g, golden_run *r) {
    tips_conv2d c = {.out = golden_need(g, "weight")->dims[0], .groups = golden_number(g, "groups", 1),
                     .bias = golden_number(g, "bias", 0) != 0, .padding = {.mode = golden_padding(g)}};
    char pad[64];
    golden_pair(g, "kernel", c.kernel);
    golden_pair(g, "stride", c.stride);
    golden_pair(g, "dilation", c.dilation);
    golden_word(g, "pad", pad, sizeof pad);
    assert_int_equal(sscanf(pad, "%d,%d,%d,%d", &c.padding.top, &c.padding.bottom, &c.padding.left, &c.padding.right), 4);
    golden_output(r, "y", tips__conv2d(r->graph, "", golden_input(r, g, "x"), c));
}

/* Fused with what follows by the compiler, as the case says. */
static void batch_norm(const golden *g, golden_run *r) {
    tips_value y = tips__batch_norm(r->graph, "", golden_input(r, g, "x"));
    if (golden_number(g, "residual", 0)) y = tips__add(r->graph, "add", y, golden_input(r, g, "residual"));
    if (golden_number(g, "relu", 0)) y = tips__relu(r->graph, "relu", y);
    golden_output(r, "y", y);
}

static void pairwise(const golden *g, golden_run *r, const tips_layer *layer) {
    const tips_value a = golden_input(r, g, "a"), b = golden_input(r, g, "b");
    golden_output(r, "y", add_node(r, layer, NULL, (const tips_value[]){a, b}, 2));
}

static void simple(const golden *g, golden_run *r, const tips_layer *layer, const void *config) {
    const tips_value x = golden_input(r, g, "x");
    golden_output(r, "y", add_node(r, layer, config, &x, 1));
}

static void build(const golden *g, golden_run *r) {
    char subject[64];
    golden_subject(g, subject, sizeof subject);
    if (strcmp(subject, "conv2d") == 0) {
        conv2d(g, r);
    } else if (strcmp(subject, "batch_norm") == 0) {
        batch_norm(g, r);
    } else if (strcmp(subject, "relu") == 0) {
        simple(g, r, &tips__layer_relu, NULL);
    } else if (strcmp(subject, "global_average_pool") == 0) {
        simple(g, r, &tips__layer_global_avg, NULL);
    } else if (strcmp(subject, "add") == 0) {
        pairwise(g, r, &tips__layer_add);
    } else if (strcmp(subject, "concat") == 0) {
        pairwise(g, r, &tips__layer_concat);
    } else if (strcmp(subject, "linear") == 0) {
        simple(g, r, &tips__layer_linear, &(tips_linear){.out = golden_need(g, "weight")->dims[0], .no_bias = !golden_find(g, "bias")});
    } else if (strcmp(subject, "dense_max") == 0) {
        tips_dense_max c = {.mode = golden_padding(g)};
        golden_pair(g, "kernel", c.kernel);
        simple(g, r, &tips__layer_dense_max, &c);
    } else if (strcmp(subject, "lpf") == 0) {
        simple(g, r, &tips__layer_lpf, &(tips_lpf){.size = golden_number(g, "n", 0), .mode = golden_padding(g)});
    } else {
        fail_case("no builder for '%s'", subject);
    }
}

static void check_file(const char *name, int cases) {
    golden g = golden_open(name);
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        build(&g, &r);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= cases);
}

static void convolutions(void **state) { (void)state, check_file("conv2d", 40); }
static void norms(void **state) { (void)state, check_file("batch_norm", 10); }
static void simple_layers(void **state) { (void)state, check_file("layers", 13); }
static void filters(void **state) { (void)state, check_file("lpf", 28); }

/* Losses: per sample where PyTorch gives them so, else their mean. */
static void losses(void **state) {
    (void)state;
    golden g = golden_open("losses");
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        char subject[64];
        golden_subject(&g, subject, sizeof subject);
        const bool entropy = strcmp(subject, "softmax_cross_entropy") == 0;
        const tips_value a = golden_input(&r, &g, entropy ? "x" : "a"), b = golden_input(&r, &g, entropy ? "labels" : "b");
        const tips_value loss = add_node(&r, entropy ? &tips__layer_cross_entropy : &tips__layer_mse, NULL, (const tips_value[]){a, b}, 2);
        if (entropy)
            golden_output(&r, "loss", loss); /* seeded with dloss */
        else
            tips__graph_loss(r.graph, loss, 1);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 4);
}

static void unpooling(void **state) {
    (void)state;
    golden g = golden_open("unpool");
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        tips_strided s;
        golden_pair(&g, "stride", s.stride);
        const tips_value z = golden_input(&r, &g, "z"), phase = golden_input(&r, &g, "phase");
        tips_value y = tips__graph_add(r.graph, &tips__layer_unpool, "up", &s, (const tips_value[]){z, phase}, 2);
        const int lpf = golden_number(&g, "lpf", 0);
        const tips_lpf filter = {.size = lpf, .mode = golden_padding(&g), .gain = s.stride[0] * s.stride[1]};
        if (lpf) y = tips__graph_add(r.graph, &tips__layer_lpf, "lpf", &filter, &y, 1);
        golden_output(&r, "y", y);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions), cmocka_unit_test(norms),  cmocka_unit_test(simple_layers),
        cmocka_unit_test(filters),      cmocka_unit_test(losses), cmocka_unit_test(unpooling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
