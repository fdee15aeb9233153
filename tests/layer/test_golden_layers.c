/* Layers against PyTorch's numbers: values and all gradients. */
#include "layer/detection_layers.h"
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
    assert_int_equal(sscanf(pad, "%d,%d,%d,%d", &c.padding.top, &c.padding.bottom, &c.padding.left, &c.padding.right),
                     4);
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

static void read_pads(const golden *g, tips_padding *padding) {
    char pad[64];
    padding->mode = golden_padding(g);
    golden_word(g, "pad", pad, sizeof pad);
    assert_int_equal(sscanf(pad, "%d,%d,%d,%d", &padding->top, &padding->bottom, &padding->left, &padding->right), 4);
}

static void build_window(const golden *g, golden_run *r, const char *subject) {
    tips_max_pool max = {.ceil = golden_number(g, "ceil", 0) != 0};
    golden_pair(g, "kernel", max.kernel);
    golden_pair(g, "stride", max.stride);
    golden_pair(g, "dilation", max.dilation);
    read_pads(g, &max.padding);
    if (strcmp(subject, "max_pool") == 0) {
        simple(g, r, &tips__layer_max_pool, &max);
        return;
    }
    const tips_avg_pool avg = {.kernel = {max.kernel[0], max.kernel[1]}, .stride = {max.stride[0], max.stride[1]},
                               .padding = max.padding, .ceil = max.ceil,
                               .count_pad = golden_number(g, "count", 0) != 0};
    simple(g, r, &tips__layer_avg_pool, &avg);
}

static void build_arrangement(const golden *g, golden_run *r, const char *subject) {
    if (strcmp(subject, "slice") == 0) {
        simple(g, r, &tips__layer_slice, &(tips_slice){golden_number(g, "axis", 0), golden_number(g, "start", 0),
                                                       golden_number(g, "stop", 0), golden_number(g, "step", 1)});
    } else if (strcmp(subject, "reshape") == 0) {
        simple(g, r, &tips__layer_reshape,
               &(tips_reshape){golden_number(g, "c", 0), golden_number(g, "h", 0), golden_number(g, "w", 0)});
    } else if (strcmp(subject, "shuffle") == 0) {
        simple(g, r, &tips__layer_shuffle, &(tips_shuffle){golden_number(g, "groups", 0)});
    } else if (strcmp(subject, "pad_channels") == 0) {
        simple(g, r, &tips__layer_pad_channels,
               &(tips_pad_channels){golden_number(g, "before", 0), golden_number(g, "after", 0), 0});
    } else if (strcmp(subject, "resize") == 0) {
        tips_resize c = {golden_number(g, "how", 0), golden_number(g, "grid", 0), golden_number(g, "round", 0),
                         0, 0, {0, 0}};
        golden_pair(g, "size", c.size);
        simple(g, r, &tips__layer_resize, &c);
    } else {
        fail_case("no builder for '%s'", subject);
    }
}

/* The layer of the case, configured by those of its words that are options. Inputs are x, or a and b, or x and phase;
 * a parameter that is called like its layer is the record "own". */
static void activation(const golden *g, golden_run *r, const char *subject) {
    union {
        double aligned;
        char bytes[128];
    } config = {0};
    const tips_layer *layer = tips__layer_find(subject);
    if (!layer || layer->config_size > sizeof config) fail_case("no layer '%s'", subject);
    for (tips_option_walk walk = tips__options_walk(layer->options); tips__options_next(&walk);) {
        const tips_option *o = &walk.row;
        char word[64];
        golden_word(g, o->name, word, sizeof word);
        expect_ok(tips__option_set(o, &config, *word ? word : o->fallback, o->name));
    }
    if (golden_find(g, "a")) {
        const tips_value a = golden_input(r, g, "a"), b = golden_input(r, g, "b");
        golden_output(r, "y", add_node(r, layer, &config, (const tips_value[]){a, b}, 2));
    } else if (golden_find(g, "phase")) {
        const tips_value x = golden_input(r, g, "x"), phase = golden_input(r, g, "phase");
        golden_output(r, "y", add_node(r, layer, &config, (const tips_value[]){x, phase}, 2));
    } else if (golden_find(g, "own")) {
        const tips_value x = golden_input(r, g, "x");
        golden_output(r, "y", tips__graph_add(r->graph, layer, "own", &config, &x, 1));
    } else {
        simple(g, r, layer, &config);
    }
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
        simple(g, r, &tips__layer_linear,
               &(tips_linear){.out = golden_need(g, "weight")->dims[0], .no_bias = !golden_find(g, "bias")});
    } else if (strcmp(subject, "dense_max") == 0) {
        tips_dense_max c = {.mode = golden_padding(g)};
        golden_pair(g, "kernel", c.kernel);
        simple(g, r, &tips__layer_dense_max, &c);
    } else if (strcmp(subject, "lpf") == 0) {
        simple(g, r, &tips__layer_lpf, &(tips_lpf){.size = golden_number(g, "n", 0), .mode = golden_padding(g)});
    } else if (strstr(subject, "_pool")) {
        build_window(g, r, subject);
    } else {
        build_arrangement(g, r, subject);
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

/* Cases whose subject is a layer and whose words are its options. */
static void check_by_options(const char *file, int cases) {
    golden g = golden_open(file);
    int count = 0;
    for (; golden_next(&g); count++) {
        char subject[64];
        golden_run r = golden_start();
        golden_subject(&g, subject, sizeof subject);
        activation(&g, &r, subject);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= cases);
}

static void activations(void **state) { (void)state, check_by_options("activations", 28); }
static void sample_norms(void **state) { (void)state, check_by_options("norms", 23); }
static void transformers(void **state) { (void)state, check_by_options("transformers", 16); }
static void tensors(void **state) { (void)state, check_by_options("tensors", 14); }
static void convolutions(void **state) { (void)state, check_file("conv2d", 40); }
static void norms(void **state) { (void)state, check_file("batch_norm", 10); }
static void simple_layers(void **state) { (void)state, check_file("layers", 13); }
static void filters(void **state) { (void)state, check_file("lpf", 28); }
static void windows(void **state) { (void)state, check_file("windows", 22); }
static void arrangements(void **state) { (void)state, check_file("arrangements", 22); }

typedef struct loss_kind {
    const char *subject;
    const tips_layer *layer;
    const char *in[4]; /* two or four */
    bool per_sample; /* seeded with dloss; else their mean */
} loss_kind;

static const loss_kind loss_kinds[] = {
    {"softmax_cross_entropy", &tips__layer_cross_entropy, {"x", "labels"}, true},
    {"mixed_cross_entropy", &tips__layer_cross_entropy, {"x", "labels", "others", "share"}, true},
    {"pixel_cross_entropy", &tips__layer_pixel_cross_entropy, {"x", "labels"}, true},
    {"dice", &tips__layer_dice, {"x", "labels"}, true},
    {"mse", &tips__layer_mse, {"a", "b"}, false},
    {"distill", &tips__layer_distill, {"x", "t"}, true},
    {"contrast", &tips__layer_contrast, {"x", "labels"}, true}, /* of unit vectors */
};

static const loss_kind *kind_of(const golden *g) {
    char subject[64];
    golden_subject(g, subject, sizeof subject);
    for (size_t i = 0; i < sizeof loss_kinds / sizeof *loss_kinds; i++)
        if (strcmp(subject, loss_kinds[i].subject) == 0) return &loss_kinds[i];
    fail_msg("no such loss: %s", subject);
    return NULL;
}

static void losses(void **state) {
    (void)state;
    golden g = golden_open("losses");
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        const loss_kind *kind = kind_of(&g);
        const tips_distill distill = {golden_number(&g, "temperature", 1)};
        const tips_cross_entropy smoothed = {golden_number(&g, "smoothed", 0) / 100.0};
        const tips_dice dice = {.ignore = golden_number(&g, "ignore", -1), .smooth = 1};
        const tips_pixel_cross_entropy pixels = {dice.ignore};
        const tips_contrast contrast = {golden_number(&g, "percent", 0) / 100.0};
        const bool mixes = kind->in[2] != NULL;
        tips_value in[4];
        for (int i = 0; i < (mixes ? 4 : 2); i++) in[i] = golden_input(&r, &g, kind->in[i]);
        const void *config = NULL;
        if (kind->layer == &tips__layer_distill) config = &distill;
        else if (kind->layer == &tips__layer_dice) config = &dice;
        else if (kind->layer == &tips__layer_pixel_cross_entropy) config = &pixels;
        else if (kind->layer == &tips__layer_contrast) config = &contrast;
        else if (mixes) config = &smoothed;
        if (kind->layer == &tips__layer_contrast)
            golden_output(&r, "z", in[0] = add_node(&r, &tips__layer_unit, NULL, in, 1));
        const tips_value loss = add_node(&r, kind->layer, config, in, mixes ? 4 : 2);
        if (kind->per_sample) golden_output(&r, "loss", loss);
        else tips__graph_loss(r.graph, loss, 1);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 19);
}

static void transposed(void **state) {
    (void)state;
    golden g = golden_open("conv_transpose");
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        tips_conv_transpose c = {.conv = {.groups = golden_number(&g, "groups", 1)}};
        c.conv.bias = golden_number(&g, "bias", 0) != 0;
        c.conv.out = golden_need(&g, "weight")->dims[1] * c.conv.groups;
        golden_pair(&g, "kernel", c.conv.kernel);
        golden_pair(&g, "stride", c.conv.stride);
        golden_pair(&g, "dilation", c.conv.dilation);
        golden_pair(&g, "more", c.more);
        read_pads(&g, &c.conv.padding);
        tips_value in[2] = {golden_input(&r, &g, "x")};
        const bool follows = golden_number(&g, "phase", 0) != 0;
        if (follows) in[1] = golden_input(&r, &g, "phase");
        golden_output(&r, "y", add_node(&r, &tips__layer_conv_transpose, &c, in, follows ? 2 : 1));
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 14);
}

static void unpooling(void **state) {
    (void)state;
    golden g = golden_open("unpool");
    int count = 0;
    for (; golden_next(&g); count++) {
        golden_run r = golden_start();
        char subject[64];
        tips_upsample s = {.mode = golden_number(&g, "linear", 0)}; /* begins as the config of unpool */
        golden_subject(&g, subject, sizeof subject);
        golden_pair(&g, "stride", s.stride);
        const tips_layer *layer = strcmp(subject, "unpool") == 0 ? &tips__layer_unpool : &tips__layer_upsample;
        const tips_value z = golden_input(&r, &g, "z"), phase = golden_input(&r, &g, "phase");
        tips_value y = tips__graph_add(r.graph, layer, "up", &s, (const tips_value[]){z, phase}, 2);
        const int lpf = golden_number(&g, "lpf", 0);
        const tips_lpf filter = {.size = lpf, .mode = golden_padding(&g), .gain = s.stride[0] * s.stride[1]};
        if (lpf) y = tips__graph_add(r.graph, &tips__layer_lpf, "lpf", &filter, &y, 1);
        golden_output(&r, "y", y);
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 11);
}

static void regions(void **state) {
    (void)state;
    golden g = golden_open("regions");
    int count = 0;
    for (; golden_next(&g); count++) {
        static const char *const levels[] = {"a", "b"};
        golden_run r = golden_start();
        tips_roi_align c = {.levels = golden_number(&g, "levels", 1), .stride = {{4, 4}, {8, 8}},
                            .bins = golden_number(&g, "bins", 0), .samples = golden_number(&g, "samples", 0),
                            .unit = golden_number(&g, "unit", 0)};
        tips_value in[4];
        for (int l = 0; l < c.levels; l++) in[l] = golden_input(&r, &g, levels[l]);
        in[c.levels] = golden_input(&r, &g, "rois");
        in[c.levels + 1] = golden_input(&r, &g, "origins");
        golden_output(&r, "y", add_node(&r, &tips__layer_roi_align, &c, in, c.levels + 2));
        golden_check(&r, &g);
    }
    golden_close(&g);
    assert_true(count >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions), cmocka_unit_test(norms),  cmocka_unit_test(simple_layers),
        cmocka_unit_test(filters),      cmocka_unit_test(losses), cmocka_unit_test(unpooling),
        cmocka_unit_test(regions),
        cmocka_unit_test(transposed),
        cmocka_unit_test(activations), cmocka_unit_test(sample_norms), cmocka_unit_test(transformers),
        cmocka_unit_test(tensors),
        cmocka_unit_test(windows),      cmocka_unit_test(arrangements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
