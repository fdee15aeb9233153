/* What a conversion recommends: how far circular padding alone moves a network, against the same network built with
 * other paddings and never converted. */
#include "support/compare.h"
#include "support/contract.h"

#include "convert/convert_advice.h"
#include "convert/convert_picture.h"
#include "layer/layers.h"
#include "net/net.h"

#include <math.h>
#include <stdlib.h>

enum { CLASSES = 6, SIZE = 16, CHANNELS = 3, NUMBERS = TIPS_CONVERT_PICTURES * CLASSES };

static int conv(tips_blueprint *b, const char *name, int in, int out, int stride, tips_pad_mode padding) {
    const tips_conv2d c = {.out = out,
                           .kernel = {3, 3},
                           .stride = {stride, stride},
                           .dilation = {1, 1},
                           .groups = 1,
                           .padding = {padding, 1, 1, 1, 1},
                           .bias = true};
    int step;
    expect_ok(tips__blueprint_add(b, &tips__layer_conv2d, name, &c, &in, 1, &step));
    expect_ok(tips__blueprint_add(b, &tips__layer_relu, "relu", NULL, &step, 1, &step));
    return step;
}

static tips_blueprint *network(tips_pad_mode padding) {
    const tips_linear fc = {.out = CLASSES};
    tips_blueprint *b;
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    int x = conv(b, "first", TIPS_BLUEPRINT_INPUT, 16, 2, padding);
    x = conv(b, "second", x, 16, 1, padding);
    x = conv(b, "third", x, 24, 2, padding);
    expect_ok(tips__blueprint_add(b, &tips__layer_global_avg, "mean", NULL, &x, 1, &x));
    expect_ok(tips__blueprint_add(b, &tips__layer_linear, "fc", &fc, &x, 1, &b->output));
    b->classes = CLASSES;
    return b;
}

static void load(tips_blueprint *b, tips_loaded_model *out) {
    *out = (tips_loaded_model){.info = {.arch = &tips__arch_graph,
                                        .config = {.in_channels = CHANNELS, .size = {SIZE, SIZE}, .classes = CLASSES},
                                        .task = tips__task_default(),
                                        .mean = {0.4f, 0.5f, 0.6f},
                                        .std = {0.2f, 0.25f, 0.3f}}};
    out->info.config.blueprint = b;
    expect_ok(tips__pool_parse("stride", 0, &out->info.config.pool));
    expect_ok(tips__model_create(out->info.arch, &out->info.config, &out->info.task, false, &out->model));
    expect_ok(tips__params_create(out->model.graph, 5, &out->params));
}

static void unload(tips_loaded_model *m) {
    tips__params_destroy(m->params);
    tips__model_destroy(&m->model);
    tips__blueprint_release(m->info.config.blueprint);
}

/* Answers of the network as it is. */
static void ask(const tips_loaded_model *m, float scores[NUMBERS]) {
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT};
    const tips_value input = m->model.ends.input;
    const tips_convert_input range = {input, {0.4f, 0.5f, 0.6f}, {0.2f, 0.25f, 0.3f}};
    float pixels[CHANNELS * SIZE * SIZE];
    tips_net *net;
    expect_ok(tips__net_compile(m->model.graph, m->params, &options, &net));
    for (int p = 0; p < TIPS_CONVERT_PICTURES; p++) {
        tips__convert_picture(tips__value(m->model.graph, input), &range, p, pixels);
        expect_ok(tips__net_set_map(net, input, pixels));
        expect_ok(tips__net_forward(net));
        expect_ok(tips__net_get_map(net, m->model.ends.outputs[0], scores + (size_t)p * CLASSES));
    }
    tips__net_destroy(net);
}

static int best_of(const float *scores) {
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (scores[c] > scores[best]) best = c;
    return best;
}

static double less_mean(const float *scores, int c) {
    double sum = 0;
    for (int k = 0; k < CLASSES; k++) sum += scores[k];
    return scores[c] - sum / CLASSES;
}

static tips_convert_advice advise(tips_pad_mode padding, bool asked_to_keep) {
    const tips_convert_options options = {.keep_padding = asked_to_keep, .size = {SIZE, SIZE}};
    tips_convert_advice advice;
    tips_loaded_model m;
    load(network(padding), &m);
    expect_ok(tips__convert_advise(&m, &options, &advice));
    unload(&m);
    return advice;
}

static void test_zero_padding(void **state) {
    (void)state;
    const tips_convert_advice advice = advise(TIPS_PAD_ZERO, false), again = advise(TIPS_PAD_ZERO, true);
    tips_loaded_model zero, circular;
    float a[NUMBERS], b[NUMBERS];
    double moved = 0, spread = 0;
    int changed = 0;
    load(network(TIPS_PAD_ZERO), &zero);
    load(network(TIPS_PAD_CIRCULAR), &circular);
    ask(&zero, a);
    ask(&circular, b);
    for (int p = 0; p < TIPS_CONVERT_PICTURES; p++) {
        const float *x = a + (size_t)p * CLASSES, *y = b + (size_t)p * CLASSES;
        changed += best_of(x) != best_of(y);
        for (int c = 0; c < CLASSES; c++) {
            moved += pow(less_mean(x, c) - less_mean(y, c), 2);
            spread += pow(less_mean(x, c), 2);
        }
    }
    unload(&zero);
    unload(&circular);
    assert_int_equal(advice.pictures, TIPS_CONVERT_PICTURES);
    assert_int_equal(advice.changed, changed);
    assert_true(fabs(advice.moved - sqrt(moved / spread)) < 1e-4 * advice.moved);
    assert_true(advice.moved > 0.1 && advice.keep);
    assert_true(again.moved == advice.moved && again.keep);
}

static void test_circular_padding_costs_nothing(void **state) {
    (void)state;
    const tips_convert_advice advice = advise(TIPS_PAD_CIRCULAR, false);
    assert_int_equal(advice.pictures, TIPS_CONVERT_PICTURES);
    assert_true(advice.moved == 0 && advice.changed == 0 && !advice.keep);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zero_padding),
                                       cmocka_unit_test(test_circular_padding_costs_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
