/* MSB by hand and against a naive count over the maps of real networks. */
#include "support/compare.h"

#include "core/memory.h"
#include "image/natural_image.h"
#include "metric/msb.h"
#include "pool/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tips_map make_map(const float *values, int c, int h, int w) {
    float *data = tips__alloc(tips__map_bytes(1, c, h, w, NULL));
    assert_non_null(data);
    const tips_map map = tips__map_dense(data, 1, c, h, w);
    tips__map_from_nchw(&map, values);
    return map;
}

static tips_msb_count count_by_hand(const float *x, const float *y, int anchor) {
    const tips_msb_layer layer = {.stride = {2, 2}, .grid = {4, 4}, .anchor = TIPS_NO_VALUE, .mode = TIPS_PAD_CIRCULAR};
    const tips_map in = make_map(x, 1, 4, 4), out = make_map(y, 1, 2, 2);
    const tips_msb_count count = tips__msb_count(&layer, &in, &out, anchor, 0);
    tips__free(in.data);
    tips__free(out.data);
    return count;
}

static void expect_count(tips_msb_count got, int64_t windows, int64_t hits, int64_t nontrivial,
                         int64_t nontrivial_hits) {
    assert_int_equal(got.windows, windows);
    assert_int_equal(got.hits, hits);
    assert_int_equal(got.nontrivial_windows, nontrivial);
    assert_int_equal(got.nontrivial_hits, nontrivial_hits);
}

static const float square[16] = {1, 2, 0, 0, /* */ 3, 4, 0, 0, /* */ 5, 5, 9, 1, /* */ 5, 5, 2, -3};

static void test_counts_by_hand(void **state) {
    (void)state;
    expect_count(count_by_hand(square, (const float[4]){4, 0, 5, 9}, 0), 4, 4, 2, 2);
    expect_count(count_by_hand(square, (const float[4]){1, 0, 5, 2}, 0), 4, 2, 2, 0);
    expect_count(count_by_hand(square, (const float[4]){1, 1e-9f, 5, 9}, 0), 4, 2, 2, 1); /* no slack at zero */
    expect_count(count_by_hand(square, (const float[4]){4, 0, 5, 9 * (1 + 5e-7f)}, 0), 4, 4, 2, 2);
    expect_count(count_by_hand(square, (const float[4]){4, 0, 5, 9 * (1 + 3e-6f)}, 0), 4, 3, 2, 1);
    expect_count(count_by_hand(square, (const float[4]){4, 0, 5, 9 * (1 - 3e-6f)}, 0), 4, 3, 2, 1);
}

/* Windows from (1, 1), around the border: {4 0 5 9} {0 3 1 5} {5 2 2 0} {-3 5 0 1}. */
static void test_anchored_by_hand(void **state) {
    (void)state;
    expect_count(count_by_hand(square, (const float[4]){9, 5, 5, 5}, 3), 4, 4, 4, 4);
    expect_count(count_by_hand(square, (const float[4]){4, 0, 5, 9}, 3), 4, 1, 4, 1);
}

typedef struct trial {
    tips_graph *graph;
    tips_params *params;
    tips_net *net;
    tips_value input;
    tips_msb_layer *layers;
    int n_layers;
} trial;

enum { SAMPLES = 2 };

/* [LPF], operator, global average on a natural-like picture, every value kept. */
static trial make_trial(const char *pool, int lpf, tips_pad_mode padding, int h, int w) {
    const tips_net_options options = {.n = SAMPLES, .keep_all = true, .algorithm = TIPS_ALGORITHM_EXACT};
    tips_pool_spec spec;
    trial t = {0};
    test_case("%s, lpf %d, %s, %dx%d", pool, lpf, tips_pad_mode_names[padding], h, w);
    expect_ok(tips__pool_parse(pool, lpf, &spec));
    expect_ok(tips__graph_create(&t.graph));
    t.input = tips__graph_input(t.graph, "input", 11, h, w);
    tips_value y = tips__pool_add(t.graph, "pool", &spec, (const int[2]){2, 2}, padding, t.input, NULL, NULL);
    y = tips__graph_add(t.graph, tips__layer_find("global_avg"), "avgpool", NULL, &y, 1);
    tips__graph_output(t.graph, y);
    expect_ok(tips__graph_status(t.graph));
    expect_ok(tips__params_create(t.graph, 5, &t.params));
    expect_ok(tips__net_compile(t.graph, t.params, &options, &t.net));
    expect_ok(tips__msb_layers(t.graph, &t.layers, &t.n_layers));
    assert_int_equal(t.n_layers, 1);
    return t;
}

static void destroy_trial(trial *t) {
    tips__net_destroy(t->net);
    tips__params_destroy(t->params);
    tips__graph_destroy(t->graph);
    tips__free(t->layers);
}

/* A rectified picture, so that some windows are flat; moved by `shift` around the border. */
static tips_msb_count run_trial(const trial *t, int shift) {
    const tips_value_info *info = tips__value(t->graph, t->input);
    const int h = info->h, w = info->w;
    const size_t elements = 11 * (size_t)h * (size_t)w;
    float *picture = test_floats(elements), *batch = test_floats(SAMPLES * elements);
    tips_msb_count counts[SAMPLES], sum = {0};
    for (int i = 0; i < SAMPLES; i++) {
        tips__natural_image((uint64_t)(9 + i), 11, h, w, picture);
        for (int c = 0; c < 11; c++)
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++)
                    batch[(size_t)i * elements + (size_t)((c * h + (y + shift) % h) * w + (x + shift) % w)] =
                        fmaxf(picture[(c * h + y) * w + x] - 0.4f, 0);
    }
    expect_ok(tips__net_set_map(t->net, t->input, batch));
    expect_ok(tips__net_forward(t->net));
    tips__msb_net(t->net, t->layers, 1, SAMPLES, counts);
    for (int i = 0; i < SAMPLES; i++) {
        sum.windows += counts[i].windows;
        sum.hits += counts[i].hits;
        sum.nontrivial_windows += counts[i].nontrivial_windows;
        sum.nontrivial_hits += counts[i].nontrivial_hits;
    }
    free(picture);
    free(batch);
    return sum;
}

static void test_max_is_one(void **state) {
    static const int sizes[][2] = {{8, 8}, {6, 10}, {7, 9}, {5, 8}};
    (void)state;
    for (int mode = 0; mode < 4; mode++)
        for (int i = 0; i < 4; i++) {
            trial t = make_trial("max", 0, (tips_pad_mode)mode, sizes[i][0], sizes[i][1]);
            const tips_msb_count count = run_trial(&t, 0);
            const int64_t windows = 2 * 11 * ((sizes[i][0] + 1) / 2) * ((sizes[i][1] + 1) / 2);
            if (count.windows != windows) fail_case("%lld windows", (long long)count.windows);
            if (count.hits != windows) fail_case("%lld of %lld hits", (long long)count.hits, (long long)windows);
            if (count.nontrivial_hits != count.nontrivial_windows) fail_case("a window that differs is missed");
            if (count.nontrivial_windows >= windows || count.nontrivial_windows == 0) fail_case("no flat windows");
            destroy_trial(&t);
        }
}

/* Maxima that are taken before the sampling are those of the map before them. */
static void test_maxima_before(void **state) {
    (void)state;
    trial t = make_trial("stride:before=max", 0, TIPS_PAD_CIRCULAR, 8, 12);
    const tips_msb_count count = run_trial(&t, 0);
    assert_true(tips__value(t.graph, t.layers[0].x)->producer == -1);
    assert_true(count.windows == 2 * 11 * 4 * 6 && count.hits == count.windows);
    destroy_trial(&t);
}

/* Operators that do not take the maximum, and max after a filter: the control. */
static void test_others_are_not(void **state) {
    static const struct {
        const char *pool;
        int lpf;
    } cases[] = {{"stride", 0}, {"avg", 0},  {"blur", 3},          {"aps", 0}, {"tips", 0},
                 {"max", 3},    {"ddac", 0}, {"tips-official", 0}, {"lps", 0}, {"tips-exact", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trial t = make_trial(cases[i].pool, cases[i].lpf, TIPS_PAD_CIRCULAR, 8, 12);
        const tips_msb_count count = run_trial(&t, 0);
        if (count.windows != 2 * 11 * 4 * 6) fail_case("%lld windows", (long long)count.windows);
        if (count.nontrivial_hits * 10 > count.nontrivial_windows * 6) fail_case("more than 60 %% maxima");
        assert_true(tips__value(t.graph, t.layers[0].x)->producer == -1); /* the map before the filter */
        destroy_trial(&t);
    }
}

/* Anchored windows move with the picture, so the count is the same for every shift. */
static void test_anchored_counts_move_along(void **state) {
    static const char *const pools[] = {"tips-exact", "tips-exact:select=hard", "tips:anchor=norm"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        trial t = make_trial(pools[i], 0, TIPS_PAD_CIRCULAR, 8, 12);
        assert_true(t.layers[0].anchor != TIPS_NO_VALUE);
        const tips_msb_count still = run_trial(&t, 0);
        for (int shift = 1; shift < 4; shift++) {
            const tips_msb_count moved = run_trial(&t, shift);
            if (memcmp(&moved, &still, sizeof still) != 0) fail_case("shift %d changes the count", shift);
        }
        destroy_trial(&t);
    }
}

/* Without pooling the final average is the one layer: the mean of a map that is not flat is no maximum. */
static void test_none(void **state) {
    (void)state;
    trial t = make_trial("none", 0, TIPS_PAD_CIRCULAR, 6, 6);
    assert_string_equal(t.layers[0].name, "avgpool");
    const tips_msb_count count = run_trial(&t, 0);
    expect_count(count, SAMPLES * 11, 0, SAMPLES * 11, 0);
    destroy_trial(&t);
}

/* Overlapping windows of other people's layers: the maximum of 3x3 cells is always one, the mean never on a slope. */
static void test_foreign_windows(void **state) {
    const tips_max_pool max = {.kernel = {3, 3},
                               .stride = {2, 2},
                               .dilation = {1, 1},
                               .padding = {.top = 1, .bottom = 1, .left = 1, .right = 1}};
    const tips_avg_pool mean = {.kernel = {3, 2}, .stride = {2, 1}, .padding = {.top = 1, .right = 1}};
    const float x[12] = {-9, -8, -7, -6, /* */ -5, -4, -3, -2, /* */ -1, 0, 1, 2};
    (void)state;
    tips_msb_layer layer = {.anchor = TIPS_NO_VALUE, .foreign = true};
    const tips_map in = make_map(x, 1, 3, 4);
    tips__max_pool_windows(&max, 3, 4, layer.axes);
    tips_map out = make_map((const float[4]){-4, -2, 0, 2}, 1, 2, 2);
    expect_count(tips__msb_count(&layer, &in, &out, 0, 0), 4, 4, 4, 4);
    tips__free(out.data);
    out = make_map((const float[4]){0, -2, 0, 1}, 1, 2, 2); /* the border is no cell; a cell beside the largest */
    expect_count(tips__msb_count(&layer, &in, &out, 0, 0), 4, 2, 4, 2);
    tips__free(out.data);
    tips__avg_pool_windows(&mean, 3, 4, layer.axes);
    out = make_map((const float[4]){-4, -5.5f, -4.5f, -4}, 1, 1, 4);
    expect_count(tips__msb_count(&layer, &in, &out, 0, 0), 4, 1, 4, 1);
    tips__free(out.data);
    tips__free(in.data);
}

/* An imported network is counted at its own pooling layers, not at those that keep the size or end in one cell. */
static void test_foreign_layers(void **state) {
    const tips_max_pool same = {.kernel = {3, 3},
                                .stride = {1, 1},
                                .dilation = {1, 1},
                                .padding = {.top = 1, .bottom = 1, .left = 1, .right = 1}};
    const tips_max_pool half = {.kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
    const tips_avg_pool whole = {.kernel = {4, 4}, .stride = {4, 4}};
    tips_graph *graph;
    tips_msb_layer *layers;
    int count;
    (void)state;
    expect_ok(tips__graph_create(&graph));
    tips_value y = tips__graph_input(graph, "input", 3, 8, 8);
    y = tips__graph_add(graph, tips__layer_find("max_pool"), "same", &same, &y, 1);
    y = tips__graph_add(graph, tips__layer_find("max_pool"), "half", &half, &y, 1);
    y = tips__graph_add(graph, tips__layer_find("avg_pool"), "whole", &whole, &y, 1);
    tips__graph_output(graph, y);
    expect_ok(tips__graph_status(graph));
    expect_ok(tips__msb_layers(graph, &layers, &count));
    assert_int_equal(count, 1);
    assert_string_equal(layers[0].name, "half");
    tips__free(layers);
    tips__graph_destroy(graph);
}

/* aps and lps choose a phase of the fixed windows; their output is one of each window's values. */
static void test_chosen_phases_use_fixed_windows(void **state) {
    (void)state;
    trial t = make_trial("aps", 0, TIPS_PAD_CIRCULAR, 8, 8);
    assert_int_equal(t.layers[0].anchor, TIPS_NO_VALUE);
    destroy_trial(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_by_hand),
        cmocka_unit_test(test_anchored_by_hand),
        cmocka_unit_test(test_max_is_one), cmocka_unit_test(test_maxima_before),
        cmocka_unit_test(test_others_are_not),
        cmocka_unit_test(test_anchored_counts_move_along),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_foreign_windows),
        cmocka_unit_test(test_foreign_layers),
        cmocka_unit_test(test_chosen_phases_use_fixed_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
