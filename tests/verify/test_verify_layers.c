/* The verifier on layers that no architecture of ours has: what it follows, and the reasons it gives. */
#include "layer/layers.h"
#include "support/index_layers.h"
#include "support/trial.h"
#include "verify/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 6, CLASSES = 4 };

static tips_value add(tips_graph *g, const tips_layer *layer, const char *name, const void *config, tips_value x) {
    return tips__graph_add(g, layer, name, config, &x, 1);
}

static tips_value vector_head(tips_graph *g, tips_value x) {
    x = add(g, &tips__layer_global_avg, "avg", NULL, x);
    return add(g, &tips__layer_linear, "fc", &(tips_linear){.out = CLASSES}, x);
}

static tips_value flat_head(tips_graph *g, tips_value x) {
    x = add(g, &tips__layer_reshape, "flat", &(tips_reshape){0}, x);
    return add(g, &tips__layer_linear, "fc", &(tips_linear){.out = CLASSES}, x);
}

static tips_value flat(tips_graph *g, tips_value x) { return flat_head(g, x); }

static tips_value anchored(tips_graph *g, tips_value x) {
    return flat_head(g, add(g, &tips__layer_anchor, "anchor", NULL, x));
}

static tips_value enlarged(tips_graph *g, tips_value x) {
    const tips_resize twice = {.grid = TIPS_GRID_ASYMMETRIC, .round = TIPS_ROUND_FLOOR, .scale_h = 2, .scale_w = 3};
    x = add(g, &tips__layer_resize, "resize", &twice, x);
    return vector_head(g, tips__conv_same(g, "after", x, 5, 3, TIPS_PAD_CIRCULAR));
}

static tips_value interpolated(tips_graph *g, tips_value x) {
    const tips_resize twice = {.mode = TIPS_RESIZE_LINEAR, .scale_h = 2, .scale_w = 2};
    return vector_head(g, add(g, &tips__layer_resize, "resize", &twice, x));
}

static tips_value cropped(tips_graph *g, tips_value x) {
    return vector_head(g, add(g, &tips__layer_slice, "slice", &(tips_slice){TIPS_AXIS_H, 1, -1, 1}, x));
}

static tips_value channels(tips_graph *g, tips_value x) {
    x = add(g, &tips__layer_shuffle, "shuffle", &(tips_shuffle){3}, x);
    x = add(g, &tips__layer_slice, "slice", &(tips_slice){TIPS_AXIS_C, 1, INT32_MAX, 2}, x);
    return vector_head(g, add(g, &tips__layer_pad_channels, "more", &(tips_pad_channels){1, 2, 0.5}, x));
}

static tips_value pooled(tips_graph *g, tips_value x, int stride, tips_pad_mode mode) {
    const tips_max_pool max = {{3, 3}, {1, 1}, {1, 1}, {mode, 1, 1, 1, 1}, false};
    const tips_avg_pool avg = {{3, 3}, {stride, stride}, {mode, 1, 1, 1, 1}, false, false};
    x = add(g, &tips__layer_max_pool, "max", &max, x);
    return vector_head(g, add(g, &tips__layer_avg_pool, "pool", &avg, x));
}

static tips_value pooled_densely(tips_graph *g, tips_value x) { return pooled(g, x, 1, TIPS_PAD_CIRCULAR); }
static tips_value pooled_on_grid(tips_graph *g, tips_value x) { return pooled(g, x, 2, TIPS_PAD_CIRCULAR); }
static tips_value pooled_with_zeros(tips_graph *g, tips_value x) { return pooled(g, x, 1, TIPS_PAD_ZERO); }

static tips_value scaled_by_argmax(tips_graph *g, tips_value x) {
    const tips_value index = add(g, &test_argmax, "argmax", NULL, x);
    return vector_head(g, tips__graph_add(g, &test_scale, "scale", NULL, (tips_value[]){x, index}, 2));
}

static tips_value subsampled(tips_graph *g, tips_value x) {
    return vector_head(g, add(g, &test_subsample, "pool", NULL, x));
}

static tips_value subsampled_beside_index(tips_graph *g, tips_value x) {
    const tips_value index = add(g, &test_argmax, "argmax", NULL, x);
    return vector_head(g, tips__graph_add(g, &test_subsample, "pool", NULL, (tips_value[]){x, index}, 2));
}

static tips_value patched(tips_graph *g, tips_value x) {
    return vector_head(g, add(g, &tips__layer_patches, "patches", &(tips_patches){{2, 3}, false}, x));
}

static tips_value placed(tips_graph *g, tips_value x) {
    x = add(g, &tips__layer_position_embedding, "positions", &(tips_position_embedding){1}, x);
    return vector_head(g, add(g, &tips__layer_class_token, "class", NULL, x));
}

static tips_value beside_constant(tips_graph *g, tips_value x) {
    const tips_value own = add(g, &tips__layer_constant, "own", &(tips_constant){6, SIZE, SIZE, true}, x);
    return vector_head(g, tips__graph_add(g, &tips__layer_combine, "product", &(tips_combine){TIPS_COMBINE_MUL},
                                          (tips_value[]){x, own}, 2));
}

static tips_value anchored_beside_constant(tips_graph *g, tips_value x) {
    return beside_constant(g, add(g, &tips__layer_anchor, "anchor", NULL, x));
}

static tips_value turned(tips_graph *g, tips_value x) {
    const tips_permute order = {{6, SIZE, SIZE}, 132, 6, SIZE, SIZE};
    return vector_head(g, add(g, &tips__layer_permute, "permute", &order, x));
}

static tips_value multiplied(tips_graph *g, tips_value x) {
    return vector_head(g, tips__graph_add(g, &tips__layer_matmul, "matmul", &(tips_matmul_config){true},
                                          (tips_value[]){x, x}, 2));
}

static tips_value attending(tips_graph *g, tips_value x, tips_attention config) {
    return vector_head(g, add(g, &tips__layer_attention, "attention", &config, x));
}

static tips_value windowed(tips_graph *g, tips_value x) { return attending(g, x, (tips_attention){2, 3, 1, 0, 0}); }
static tips_value seeing_all(tips_graph *g, tips_value x) { return attending(g, x, (tips_attention){.heads = 1}); }

static tips_value anchored_tokens(tips_graph *g, tips_value x) {
    x = add(g, &tips__layer_layer_norm, "norm", &(tips_layer_norm){0}, x);
    x = add(g, &tips__layer_patches, "dense", &(tips_patches){{2, 2}, true}, x);
    x = add(g, &tips__layer_anchor, "anchor", NULL, x);
    x = add(g, &tips__layer_attention, "attention", &(tips_attention){2, 3, 1, 1, 1}, x);
    x = add(g, &tips__layer_patches, "merged", &(tips_patches){{2, 2}, false}, x);
    return placed(g, x);
}

/* The map is rolled to the phase of its strongest pixel, so that a fixed grid behind it follows. */
static tips_value rolled(tips_graph *g, tips_value x) {
    static const int stride[2] = {2, 2};
    tips_pool_spec aps;
    tips_selection selection;
    expect_ok(tips__pool_parse("aps", 0, &aps));
    tips__pool_add(g, "pool", &aps, stride, TIPS_PAD_CIRCULAR, x, NULL, &selection);
    x = tips__graph_add(g, &tips__layer_roll, "roll", &(tips_strided){{2, 2}}, (tips_value[]){x, selection.phase}, 2);
    return vector_head(g, add(g, &tips__layer_patches, "patches", &(tips_patches){{2, 2}, false}, x));
}

typedef tips_value (*network)(tips_graph *g, tips_value x);

static tips_verify_result verify(network body) {
    tips_loaded_model m = {.info = {.config = {.in_channels = 3, .size = {SIZE, SIZE}, .padding = TIPS_PAD_CIRCULAR}}};
    const tips_verify_config config = {.shifts = "all", .model = {.seed = 1}};
    tips_verify_result result;
    float input[3 * SIZE * SIZE];
    expect_ok(tips__pool_parse("aps", 0, &m.info.config.pool));
    expect_ok(tips__graph_create(&m.model.graph));
    m.model.ends.input = tips__graph_input(m.model.graph, "x", 3, SIZE, SIZE);
    m.model.assignment = (tips_assignment){.spec = tips__task_default(), .classes = 6, .size = {SIZE, SIZE}};
    m.model.ends.n_outputs = 1;
    m.model.ends.outputs[0] =
        body(m.model.graph, tips__conv_same(m.model.graph, "conv", m.model.ends.input, 6, 3, TIPS_PAD_CIRCULAR));
    tips__graph_output(m.model.graph, m.model.ends.outputs[0]);
    expect_ok(tips__graph_status(m.model.graph));
    expect_ok(tips__params_create(m.model.graph, 3, &m.params));
    draw_floats(input, 3 * SIZE * SIZE, 9, false);
    expect_ok(tips__verify_model(&config, &m, input, &result));
    tips__params_destroy(m.params);
    tips__graph_destroy(m.model.graph);
    return result;
}

static void exact_networks(void **state) {
    static const network bodies[] = {anchored,         enlarged,        channels, pooled_densely,
                                     scaled_by_argmax, anchored_tokens, rolled,   anchored_beside_constant};
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        tips_verify_result r = verify(bodies[i]);
        if (!r.exact) fail_msg("network %d: %s breaks (%s)", (int)i, r.layers[r.first_breaking].name, r.reason);
        tips__verify_free(&r);
    }
}

static void reasons(void **state) {
    static const struct {
        network body;
        const char *layer, *reason;
    } cases[] = {{flat, "flat", "position-dependent head"},
                 {cropped, "slice", "crop"},
                 {interpolated, "resize", "fixed grid"},
                 {pooled_on_grid, "pool", "fixed grid"},
                 {pooled_with_zeros, "max", "padding"},
                 {patched, "patches", "patch grid"},
                 {placed, "positions", "position embedding"},
                 {beside_constant, "product", "position embedding"},
                 {turned, "permute", "token order"},
                 {multiplied, "matmul", "token order"},
                 {windowed, "attention", "windows"},
                 {seeing_all, "attention", "token order"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_verify_result r = verify(cases[i].body);
        assert_false(r.exact);
        assert_string_equal(r.layers[r.first_breaking].name, cases[i].layer);
        assert_string_equal(r.reason, cases[i].reason);
        tips__verify_free(&r);
    }
}

static void tells_the_margin(void **state) {
    (void)state;
    tips_verify_result r = verify(anchored);
    assert_string_equal(r.layers[r.margin_layer].name, "anchor");
    assert_true(r.margin > 0 && r.margin < 1);
    tips__verify_free(&r);
}

static uint64_t bits_of(const tips_verify_result *r, const char *layer) {
    for (int i = 0; i < r->n_layers; i++)
        if (strcmp(r->layers[i].name, layer) == 0) return r->layers[i].differing_bits;
    fail_msg("there is no layer %s", layer);
    return 0;
}

/* A map of numbers is no phase, though a layer that downsamples reads it. */
static void index_maps_are_not_followed(void **state) {
    (void)state;
    tips_verify_result plain = verify(subsampled), beside = verify(subsampled_beside_index);
    assert_true(bits_of(&plain, "pool") > 0);
    assert_true(bits_of(&beside, "pool") == bits_of(&plain, "pool"));
    assert_true(bits_of(&beside, "argmax") == 0);
    tips__verify_free(&plain);
    tips__verify_free(&beside);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_networks), cmocka_unit_test(reasons),
                                       cmocka_unit_test(tells_the_margin),
                                       cmocka_unit_test(index_maps_are_not_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
