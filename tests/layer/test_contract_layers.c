/* The contract of layers, over every row of layers.def: forward against the oracle, gradients by finite differences,
 * threads, batches, allocations, and the same bits for shifted maps where nothing breaks the symmetry.
 * A new layer needs a function with its cases in the table at the end, one of them on maps of a single channel. */
#include "layer/detection_layers.h"
#include "support/contract.h"
#include "support/gradient.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int c, h, w; /* c = 0: an index below h; c < 0: a map of indices below -c */
} shape;

typedef struct layer_case {
    const tips_layer *layer;
    const void *config;
    int n, n_in;
    shape in[TRIAL_INPUTS];
    tips_algorithm algorithm;
} layer_case;

/* Winograd's transforms lose about two bits against the direct sum. */
static double looser(const trial *t, double tolerance) {
    return t->algorithm == TIPS_ALGORITHM_FAST ? 4 * tolerance : tolerance;
}

static void check_gradients(const trial *t, int coordinates) {
    expect_gradients(t, (gradient_check){looser(t, 3e-5), coordinates, .inputs = true, .params = true});
}

static void check_forward(const trial *t, bool training) { expect_forward(t, training, looser(t, 1e-5)); }

static tips_value add_input(trial *t, shape s) {
    if (s.c < 0) return trial_index_map(t, -s.c, 1, s.h, s.w);
    return s.c == 0 ? trial_index(t, s.h) : trial_map(t, s.c, s.h, s.w);
}

static trial start(const layer_case *c) {
    trial t = trial_start(c->n);
    t.algorithm = c->algorithm;
    return t;
}

static trial alone(const layer_case *c) {
    tips_value in[TRIAL_INPUTS];
    trial t = start(c);
    for (int i = 0; i < c->n_in; i++) in[i] = add_input(&t, c->in[i]);
    trial_output(&t, tips__graph_add(t.graph, c->layer, "layer", c->config, in, c->n_in));
    trial_ready(&t, 11);
    return t;
}

/* Another reader with its own border before and behind: the layer works on the interior of larger buffers, and adds
 * its gradient to one that is there already. */
static trial among_others(const layer_case *c) {
    tips_value in[TRIAL_INPUTS];
    trial t = start(c);
    for (int i = 0; i < c->n_in; i++) in[i] = add_input(&t, c->in[i]);
    const tips_value y = tips__graph_add(t.graph, c->layer, "layer", c->config, in, c->n_in);
    trial_output(&t, tips__conv_same(t.graph, "behind", y, 4, 3, TIPS_PAD_CIRCULAR));
    for (int i = 0; i < c->n_in; i++)
        if (c->in[i].c > 0) trial_output(&t, tips__conv_same(t.graph, "beside", in[i], 3, 3, TIPS_PAD_CIRCULAR));
    trial_ready(&t, 12);
    return t;
}

/* A loss counts by its weight, and through a gradient that arrives from outside. */
static trial as_loss(const layer_case *c) {
    tips_value in[TRIAL_INPUTS];
    trial t = start(c);
    for (int i = 0; i < c->n_in; i++) in[i] = add_input(&t, c->in[i]);
    const tips_value loss = tips__graph_add(t.graph, c->layer, "layer", c->config, in, c->n_in);
    trial_output(&t, loss);
    tips__graph_loss(t.graph, loss, 0.7);
    trial_ready(&t, 13);
    return t;
}

/* Same size in and out, or one pixel out, and nothing that breaks the symmetry. */
static bool keeps_shifts(const trial *t) {
    const tips_node *node = tips__graph_node(t->graph, 0);
    const tips_value_info *y = tips__value(t->graph, t->out[0]), *x = tips__value(t->graph, t->in[0]);
    if (node->layer->flags & TIPS_LAYER_LOSS || y->per_sample != x->per_sample) return false;
    if (node->layer->breaks && node->layer->breaks(t->graph, node)) return false;
    for (int i = 0; i < t->n_in; i++)
        if (!t->x[i] || tips__value(t->graph, t->in[i])->h != x->h) return false;
    return (y->h == x->h && y->w == x->w) || (y->h == 1 && y->w == 1);
}

static size_t planes_of(const trial *t, tips_value value) {
    const tips_value_info *v = tips__value(t->graph, value);
    return (size_t)t->n * (size_t)v->per_sample * (size_t)v->c;
}

static void set_shifted(const trial *t, tips_net *net, int uy, int ux) {
    for (int i = 0; i < t->n_in; i++) {
        const tips_value_info *x = tips__value(t->graph, t->in[i]);
        float *moved = test_floats(trial_count(t, t->in[i]));
        roll_planes(t->x[i], planes_of(t, t->in[i]), x->h, x->w, uy, ux, moved);
        expect_ok(tips__net_set_map(net, t->in[i], moved));
        free(moved);
    }
}

static void expect_shifted(const trial *t, tips_net *net, const float *base, int uy, int ux) {
    const tips_value_info *y = tips__value(t->graph, t->out[0]);
    const size_t count = trial_count(t, t->out[0]);
    float *got = test_floats(count), *want = test_floats(count);
    set_shifted(t, net, uy, ux);
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_get_map(net, t->out[0], got));
    const bool follows = tips__graph_node(t->graph, 0)->layer != &tips__layer_anchor; /* it undoes the shift */
    roll_planes(base, planes_of(t, t->out[0]), y->h, y->w, follows ? uy : 0, follows ? ux : 0, want);
    expect_same_bits("output of a shifted map", got, want, count);
    free(got);
    free(want);
}

static void expect_shift_exact(const trial *t) {
    if (!keeps_shifts(t) || t->algorithm == TIPS_ALGORITHM_FAST) return;
    const tips_net_options options = trial_options(t, false);
    tips_net *net = trial_compile(t, &options);
    trial_step(t, net, false);
    results base = trial_results(t, net, false);
    const tips_value_info *x = tips__value(t->graph, t->in[0]);
    for (int uy = 0; uy < x->h; uy++)
        for (int ux = 0; ux < x->w; ux++) expect_shifted(t, net, base.y[0], uy, ux);
    results_free(t, &base);
    tips__net_destroy(net);
}

/* Layers that read whole blocks rely on zeros in the channels that do not exist. */
static void expect_zero_lanes(const trial *t) {
    const tips_net_options options = trial_options(t, false);
    tips_net *net = trial_compile(t, &options);
    trial_step(t, net, false);
    for (int i = 0; i < t->n_out; i++) {
        if (!t->dy[i]) continue;
        const tips_map y = tips__net_map(net, t->out[i]);
        const int block = tips__block();
        for (int n = 0; n < y.n; n++)
            for (int row = 0; row < y.h; row++)
                for (int x = 0; x < y.w; x++)
                    for (int c = y.c; c < y.blocks * block; c++) {
                        const float lane = tips__row(&y, n, c / block, row)[x * block + c % block];
                        if (lane != 0) fail_case("channel %d of %d is %g, not zero", c, y.c, lane);
                    }
    }
    tips__net_destroy(net);
}

static void check_contract(const trial *t) {
    const tips_layer *layer = tips__graph_node(t->graph, 0)->layer;
    const bool linear = layer == &tips__layer_conv2d; /* one slope tells as much as many */
    check_forward(t, true);
    check_forward(t, false);
    check_gradients(t, linear ? 6 : 40);
    expect_same_for_threads(t, true);
    if (layer != &tips__layer_contrast) expect_same_for_places(t); /* which is of the whole batch */
    expect_same_for_plans(t);
    expect_same_for_wishes(t);
    expect_no_allocations(t);
    expect_no_alarm(t);
    expect_zero_lanes(t);
    expect_shift_exact(t);
}

static bool had_one_channel; /* a layer's cases were on maps of a single channel too */

static void note_channels(const layer_case *c) {
    bool single = true;
    const int least = c->layer == &tips__layer_attention ? 3 : 1; /* a query, a key and a value */
    for (int i = 0; i < c->n_in; i++) single &= c->in[i].c <= least;
    had_one_channel |= single;
}

static void check(const layer_case *c, const char *label) {
    note_channels(c);
    test_case("%s %s", c->layer->name, label);
    trial t = alone(c);
    check_contract(&t);
    trial_free(&t);
    test_case("%s %s, among others", c->layer->name, label);
    t = among_others(c);
    check_forward(&t, true);
    check_forward(&t, false);
    check_gradients(&t, 6);
    expect_same_for_plans(&t);
    trial_free(&t);
    if (!(c->layer->flags & TIPS_LAYER_LOSS)) return;
    test_case("%s %s, minimised", c->layer->name, label);
    t = as_loss(c);
    check_forward(&t, true);
    check_gradients(&t, 40);
    trial_free(&t);
}

static void check_one_map(const tips_layer *layer, const void *config, int n, shape x, const char *label) {
    check(&(layer_case){.layer = layer, .config = config, .n = n, .n_in = 1, .in = {x}}, label);
}

/* ------------------------------------------------------------------------------------------------------ conv2d */

static void check_conv(tips_conv2d c, int n, shape x) {
    char label[200];
    snprintf(label, sizeof label, "%d->%d kernel %dx%d stride %dx%d dilation %dx%d groups %d %s %d,%d,%d,%d%s on %dx%d",
             x.c, c.out, c.kernel[0], c.kernel[1], c.stride[0], c.stride[1], c.dilation[0], c.dilation[1], c.groups,
             tips_pad_mode_names[c.padding.mode], c.padding.top, c.padding.left, c.padding.bottom, c.padding.right,
             c.bias ? " bias" : "", x.h, x.w);
    check_one_map(&tips__layer_conv2d, &c, n, x, label);
}

/* Same padding, stride and dilation 1 where they are 0. */
static tips_conv2d conv(int out, int kh, int kw, tips_pad_mode mode) {
    tips_conv2d c = {.out = out, .kernel = {kh, kw}, .stride = {1, 1}, .dilation = {1, 1}, .groups = 1};
    c.padding = tips__same_padding(mode, c.kernel, c.dilation);
    return c;
}

static void conv_channels(tips_pad_mode mode) {
    static const int channels[] = {3, 5, 8, 12, 16};
    for (int i = 0; i < 5; i++) {
        tips_conv2d c = conv(channels[(i + 1) % 5], 3, 3, mode);
        c.bias = i % 2;
        check_conv(c, 2 + i % 2, (shape){channels[i], 5, 4 + i});
    }
    check_conv(conv(8, 1, 1, mode), 3, (shape){12, 3, 5});
    check_conv(conv(5, 5, 5, mode), 2, (shape){3, 6, 5});
    check_conv(conv(16, 7, 7, mode), 2, (shape){3, 7, 9});
    check_conv(conv(8, 2, 3, mode), 2, (shape){5, 5, 6});
    check_conv(conv(5, 3, 1, mode), 2, (shape){8, 4, 5});
}

static void conv_strides(tips_pad_mode mode) {
    static const int strides[][2] = {{2, 2}, {3, 3}, {2, 1}, {1, 3}};
    for (int i = 0; i < 4; i++) {
        tips_conv2d c = conv(8, 3, 3, mode);
        memcpy(c.stride, strides[i], sizeof c.stride);
        check_conv(c, 2, (shape){5, 7, 8});
    }
    tips_conv2d stem = conv(16, 7, 7, mode);
    stem.stride[0] = stem.stride[1] = 2;
    check_conv(stem, 2, (shape){3, 9, 10});
    tips_conv2d point = conv(12, 1, 1, mode);
    point.stride[0] = point.stride[1] = 2;
    check_conv(point, 2, (shape){8, 5, 6});
}

static void conv_one_channel(tips_pad_mode mode) {
    static const int kernels[][2] = {{1, 1}, {3, 3}, {2, 3}, {5, 5}};
    for (int i = 0; i < 4; i++) {
        tips_conv2d c = conv(1, kernels[i][0], kernels[i][1], mode);
        c.bias = i % 2;
        check_conv(c, 2, (shape){1, 5, 6});
    }
    tips_conv2d strided = conv(1, 3, 3, mode);
    strided.stride[0] = strided.stride[1] = 2;
    check_conv(strided, 2, (shape){1, 6, 5});
    check_conv(conv(1, 3, 3, mode), 2, (shape){5, 4, 5});
    check_conv(conv(5, 3, 3, mode), 2, (shape){1, 4, 5});
}

static void conv_dilations(tips_pad_mode mode) {
    static const int dilations[][2] = {{2, 2}, {1, 2}, {3, 1}};
    for (int i = 0; i < 3; i++) {
        tips_conv2d c = conv(8, 3, 3, mode);
        memcpy(c.dilation, dilations[i], sizeof c.dilation);
        c.padding = tips__same_padding(mode, c.kernel, c.dilation);
        check_conv(c, 2, (shape){3, 6, 7});
    }
}

static void conv_groups(tips_pad_mode mode) {
    static const int cases[][3] = {{6, 6, 3},  {6, 9, 3},   {5, 5, 5},   {12, 12, 12}, {16, 16, 16},
                                   {5, 10, 5}, {16, 16, 2}, {16, 24, 2}, {12, 8, 4},   {24, 24, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_conv2d c = conv(cases[i][1], 3, 3, mode);
        c.groups = cases[i][2];
        c.bias = i % 2;
        check_conv(c, 2, (shape){cases[i][0], 4, 5});
    }
    tips_conv2d strided = conv(5, 3, 3, mode);
    strided.groups = 5;
    strided.stride[0] = strided.stride[1] = 2;
    check_conv(strided, 2, (shape){5, 5, 7});
}

static void conv_uneven_borders(void) {
    static const tips_pad_mode modes[] = {TIPS_PAD_ZERO, TIPS_PAD_CIRCULAR, TIPS_PAD_REFLECT, TIPS_PAD_REPLICATE};
    for (int i = 0; i < 4; i++) {
        tips_conv2d c = conv(5, 3, 3, modes[i]);
        c.padding = (tips_padding){modes[i], 0, 3, 2, 1};
        check_conv(c, 2, (shape){3, 4, 5});
        c.stride[0] = 2;
        check_conv(c, 1, (shape){8, 5, 5});
        c = conv(4, 3, 3, modes[i]);
        c.padding = (tips_padding){modes[i], 0, 0, 0, 0};
        check_conv(c, 2, (shape){3, 5, 6});
    }
}

/* Borders wider than the map: they wrap or fold more than once. */
static void conv_wide_borders(void) {
    check_conv(conv(5, 7, 7, TIPS_PAD_CIRCULAR), 2, (shape){3, 2, 3});
    check_conv(conv(4, 7, 7, TIPS_PAD_REFLECT), 2, (shape){3, 2, 3});
    check_conv(conv(4, 7, 7, TIPS_PAD_REPLICATE), 1, (shape){3, 1, 2});
    check_conv(conv(3, 3, 3, TIPS_PAD_CIRCULAR), 2, (shape){5, 1, 1});
    tips_conv2d c = conv(5, 5, 5, TIPS_PAD_CIRCULAR);
    c.dilation[0] = c.dilation[1] = 2;
    c.padding = tips__same_padding(TIPS_PAD_CIRCULAR, c.kernel, c.dilation);
    check_conv(c, 1, (shape){3, 1, 2});
    c.groups = c.out = 3;
    check_conv(c, 2, (shape){3, 2, 3});
}

/* Wide enough for the algorithms to differ, on maps that are and are not whole tiles. */
static void conv_algorithms(tips_pad_mode mode, tips_algorithm algorithm) {
    static const int cases[][4] = {{24, 24, 4, 8}, {32, 25, 5, 7}, {25, 40, 6, 3}, {24, 32, 1, 2}, {31, 24, 9, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_conv2d c = conv(cases[i][1], 3, 3, mode);
        char label[96];
        c.bias = i % 2;
        snprintf(label, sizeof label, "%d->%d on %dx%d %s, %s algorithm", cases[i][0], cases[i][1], cases[i][2],
                 cases[i][3], tips_pad_mode_names[mode], algorithm == TIPS_ALGORITHM_FAST ? "fast" : "exact");
        check(&(layer_case){&tips__layer_conv2d, &c, 2, 1, {{cases[i][0], cases[i][2], cases[i][3]}}, algorithm},
              label);
    }
}

static void conv_cases(void) {
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++) {
        conv_channels((tips_pad_mode)mode);
        conv_strides((tips_pad_mode)mode);
        conv_dilations((tips_pad_mode)mode);
        conv_groups((tips_pad_mode)mode);
        conv_one_channel((tips_pad_mode)mode);
    }
    conv_uneven_borders();
    conv_wide_borders();
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_CIRCULAR; mode++) {
        conv_algorithms((tips_pad_mode)mode, TIPS_ALGORITHM_EXACT);
        conv_algorithms((tips_pad_mode)mode, TIPS_ALGORITHM_FAST);
    }
}

/* ------------------------------------------------------------------------------------------------ other layers */

static const shape some_shapes[] = {{3, 5, 7}, {5, 4, 3}, {8, 3, 3}, {12, 1, 5}, {16, 6, 2}, {1, 4, 5}};
enum { SHAPES = sizeof some_shapes / sizeof *some_shapes };

static const char *label_of(shape s) {
    static char label[64];
    snprintf(label, sizeof label, "%dx%dx%d", s.c, s.h, s.w);
    return label;
}

static void batch_norm_cases(void) {
    const tips_batch_norm config = {0}, other = {.eps = 1e-3, .momentum = 0.3};
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_batch_norm, i % 2 ? &other : &config, 3, some_shapes[i], label_of(some_shapes[i]));
    check_one_map(&tips__layer_batch_norm, &config, 4, (shape){8, 1, 1}, "vectors");
}

static void relu_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_relu, NULL, 2, some_shapes[i], label_of(some_shapes[i]));
}

static void add_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check(&(layer_case){.layer = &tips__layer_add, .n = 2, .n_in = 2, .in = {some_shapes[i], some_shapes[i]}},
              label_of(some_shapes[i]));
}

static void concat_cases(void) {
    static const int channels[][5] = {{5, 3}, {8, 4}, {3, 5, 8}, {12, 16}, {1, 1, 1, 1, 1}, {9, 2, 7}, {3, 13, 16, 3}};
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        layer_case c = {.layer = &tips__layer_concat, .n = 2};
        char label[64] = "";
        for (; c.n_in < 5 && channels[i][c.n_in]; c.n_in++) {
            c.in[c.n_in] = (shape){channels[i][c.n_in], 3, 5};
            snprintf(label + strlen(label), sizeof label - strlen(label), "%s%d", c.n_in ? "+" : "",
                     channels[i][c.n_in]);
        }
        check(&c, label);
    }
}

static void linear_cases(void) {
    static const int sizes[][2] = {{3, 5}, {12, 5}, {5, 10}, {33, 17}, {16, 8}, {8, 1}, {1, 5}, {1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char label[64];
        const tips_linear config = {.out = sizes[i][1], .no_bias = i % 2};
        snprintf(label, sizeof label, "%d->%d%s", sizes[i][0], sizes[i][1], i % 2 ? " without bias" : "");
        check_one_map(&tips__layer_linear, &config, 3, (shape){sizes[i][0], 1, 1}, label);
    }
}

static void global_avg_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_global_avg, NULL, 2, some_shapes[i], label_of(some_shapes[i]));
}

static void dense_max_cases(void) {
    static const int kernels[][2] = {{3, 3}, {2, 2}, {3, 2}, {5, 1}, {1, 1}};
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++)
        for (int i = 0; i < 5; i++) {
            char label[64];
            const tips_dense_max config = {.kernel = {kernels[i][0], kernels[i][1]}, .mode = (tips_pad_mode)mode};
            snprintf(label, sizeof label, "%dx%d %s", kernels[i][0], kernels[i][1], tips_pad_mode_names[mode]);
            check_one_map(&tips__layer_dense_max, &config, 2, some_shapes[i], label);
            if (i == 0) check_one_map(&tips__layer_dense_max, &config, 2, (shape){1, 4, 5}, label);
        }
}

static void lpf_cases(void) {
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++)
        for (int size = 2; size <= 7; size++) {
            char label[64];
            const tips_lpf config = {.size = size, .mode = (tips_pad_mode)mode, .gain = size % 2 ? 0 : 4};
            snprintf(label, sizeof label, "%d %s", size, tips_pad_mode_names[mode]);
            check_one_map(&tips__layer_lpf, &config, 2, some_shapes[size % SHAPES], label);
        }
    check_one_map(&tips__layer_lpf, &(tips_lpf){.size = 7, .mode = TIPS_PAD_CIRCULAR}, 1, (shape){9, 2, 3}, "7 on 2x3");
    check_one_map(&tips__layer_lpf, &(tips_lpf){.size = 6, .mode = TIPS_PAD_REFLECT}, 2, (shape){3, 1, 2}, "6 on 1x2");
}

static void pad_cases(void) {
    static const tips_padding pads[] = {
        {TIPS_PAD_ZERO, 0, 0, 1, 1}, {TIPS_PAD_ZERO, 2, 1, 0, 3}, {TIPS_PAD_ZERO, 7, 0, 0, 9}};
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++)
        for (int i = 0; i < 3; i++) {
            char label[64];
            tips_pad_config config = {.padding = pads[i], .value = i == 1 ? 0.75 : 0};
            config.padding.mode = (tips_pad_mode)mode;
            snprintf(label, sizeof label, "%s %d", tips_pad_mode_names[mode], i);
            check_one_map(&tips__layer_pad, &config, 2, some_shapes[i], label);
            if (i == 1) check_one_map(&tips__layer_pad, &config, 2, (shape){1, 4, 5}, label);
        }
}

static const int some_strides[][2] = {{2, 2}, {3, 3}, {3, 2}, {1, 2}, {1, 1}};

static void polyphase_cases(void) {
    for (int i = 0; i < 5; i++) {
        char label[64];
        const int *s = some_strides[i];
        const tips_strided config = {{s[0], s[1]}};
        snprintf(label, sizeof label, "%dx%d", s[0], s[1]);
        check_one_map(&tips__layer_polyphase, &config, 2, (shape){some_shapes[i].c, 2 * s[0], 3 * s[1]}, label);
        check_one_map(&tips__layer_polyphase, &config, 2, (shape){1, 2 * s[0], 3 * s[1]}, label);
    }
}

static void unpool_cases(void) {
    for (int i = 0; i < SHAPES; i++) {
        char label[64];
        const int *s = some_strides[i % 5];
        const tips_strided config = {{s[0], s[1]}};
        snprintf(label, sizeof label, "%dx%d", s[0], s[1]);
        for (int n_in = 1; n_in <= 2; n_in++)
            check(&(layer_case){.layer = &tips__layer_unpool,
                                .config = &config,
                                .n = 4,
                                .n_in = n_in,
                                .in = {some_shapes[i], {0, s[0] * s[1], 0}}},
                  label);
    }
}

static void upsample_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        for (int kind = 0; kind <= 2 * TIPS_UPSAMPLE_CORNER + 1; kind++)
            for (int n_in = 1; n_in <= 2; n_in++) {
                const int mode = kind / 2;
                char label[64];
                const int *s = some_strides[i % 5];
                const tips_upsample config = {{s[0], s[1]}, mode, kind % 2};
                static const char *const modes[] = {"nearest", "linear", "corner"};
                snprintf(label, sizeof label, "%dx%d, %s%s%s", s[0], s[1], modes[mode], kind % 2 ? ", edge" : "",
                         n_in == 2 ? "" : ", no phase");
                check(&(layer_case){.layer = &tips__layer_upsample,
                                    .config = &config,
                                    .n = 4,
                                    .n_in = n_in,
                                    .in = {some_shapes[i], {0, s[0] * s[1], 0}}},
                      label);
            }
    /* On tori of one and two cells, neighbours on both sides are the same. */
    for (int cells = 1; cells <= 2; cells++)
        check(&(layer_case){.layer = &tips__layer_upsample,
                            .config = &(tips_upsample){{3, 2}, TIPS_UPSAMPLE_LINEAR, false},
                            .n = 2,
                            .n_in = 2,
                            .in = {{3, cells, 2}, {0, 6, 0}}},
              cells == 1 ? "one cell" : "two cells");
}

/* kernel, stride, channels, groups and what is cut off each end; `more` at the end. */
static const struct {
    shape in;
    int out, kernel[2], stride[2], dilation[2], groups, cut[4], more[2];
    bool bias, follows; /* follows: a phase is possible */
} some_transposed[] = {
    {{1, 3, 2}, 1, {2, 2}, {2, 2}, {1, 1}, 1, {0}, {0}, false, true},
    {{17, 2, 3}, 9, {2, 2}, {2, 2}, {1, 1}, 1, {0}, {0}, true, true},
    {{3, 3, 4}, 5, {4, 4}, {2, 2}, {1, 1}, 1, {1, 1, 1, 1}, {0}, false, true},
    {{5, 3, 4}, 4, {4, 3}, {2, 1}, {1, 1}, 1, {1, 1, 1, 1}, {0}, false, true},
    {{4, 3, 2}, 3, {3, 3}, {2, 2}, {1, 1}, 1, {1, 1, 1, 1}, {1, 1}, true, true},
    {{4, 4, 3}, 6, {3, 2}, {1, 1}, {1, 1}, 2, {0}, {0}, false, false},
    {{6, 3, 3}, 6, {4, 4}, {2, 2}, {1, 1}, 6, {1, 1, 1, 1}, {0}, false, true},
    {{3, 3, 3}, 2, {3, 3}, {2, 3}, {2, 3}, 1, {0, 2, 3, 1}, {0}, true, false},
    {{2, 2, 3}, 3, {2, 1}, {3, 2}, {1, 1}, 1, {0}, {1, 1}, true, true},
    {{32, 2, 2}, 32, {2, 2}, {2, 2}, {1, 1}, 2, {1, 0, 0, 1}, {0}, false, false},
    {{2, 1, 1}, 2, {8, 8}, {4, 4}, {1, 1}, 1, {2, 2, 2, 2}, {0}, false, true},
};

static tips_conv_transpose transposed_config(size_t i, bool circular) {
    const int *k = some_transposed[i].kernel, *s = some_transposed[i].stride, *d = some_transposed[i].dilation;
    const int *cut = some_transposed[i].cut, *more = some_transposed[i].more;
    return (tips_conv_transpose){
        .conv = {.out = some_transposed[i].out,
                 .kernel = {k[0], k[1]},
                 .stride = {s[0], s[1]},
                 .dilation = {d[0], d[1]},
                 .groups = some_transposed[i].groups,
                 .bias = some_transposed[i].bias,
                 .padding = {circular ? TIPS_PAD_CIRCULAR : TIPS_PAD_ZERO, cut[0], cut[1], cut[2], cut[3]}},
        .more = {more[0], more[1]}};
}

static void conv_transpose_cases(void) {
    for (size_t i = 0; i < sizeof some_transposed / sizeof *some_transposed; i++)
        for (int kind = 0; kind < 4; kind++) {
            const bool circular = kind >= 2, phase = kind % 2 == 1;
            const tips_conv_transpose config = transposed_config(i, circular);
            const int *s = config.conv.stride;
            char label[96];
            if (phase && !circular && !some_transposed[i].follows) continue;
            snprintf(label, sizeof label, "%d: %dx%d by %dx%d, %s%s", (int)i, config.conv.kernel[0],
                     config.conv.kernel[1], s[0], s[1], circular ? "circular" : "zero", phase ? ", phase" : "");
            check(&(layer_case){.layer = &tips__layer_conv_transpose,
                                .config = &config,
                                .n = 3,
                                .n_in = phase ? 2 : 1,
                                .in = {some_transposed[i].in, {0, s[0] * s[1], 0}}},
                  label);
        }
}

/* A map that two choices were made of goes back to where it was, by both at once as by one after the other. */
static void join_phases_cases(void) {
    const tips_join_phases joints[] = {{{2, 2}, {2, 2}}, {{3, 2}, {1, 3}}, {{1, 1}, {4, 2}}, {{2, 3}, {3, 2}}};
    for (int i = 0; i < 4; i++) {
        const tips_join_phases *j = &joints[i];
        const tips_strided both = {{j->outer[0] * j->inner[0], j->outer[1] * j->inner[1]}};
        const tips_strided inner = {{j->inner[0], j->inner[1]}}, outer = {{j->outer[0], j->outer[1]}};
        test_case("join_phases %dx%d of %dx%d", j->inner[0], j->inner[1], j->outer[0], j->outer[1]);
        trial t = trial_start(5);
        const tips_value x = trial_map(&t, 1, 2, 3), first = trial_index(&t, j->outer[0] * j->outer[1]),
                         second = trial_index(&t, j->inner[0] * j->inner[1]);
        const tips_value phase =
            tips__graph_add(t.graph, &tips__layer_join_phases, "layer", j, (const tips_value[]){first, second}, 2);
        const tips_value at_once =
            tips__graph_add(t.graph, &tips__layer_unpool, "both", &both, (const tips_value[]){x, phase}, 2);
        const tips_value half =
            tips__graph_add(t.graph, &tips__layer_unpool, "inner", &inner, (const tips_value[]){x, second}, 2);
        const tips_value then =
            tips__graph_add(t.graph, &tips__layer_unpool, "outer", &outer, (const tips_value[]){half, first}, 2);
        trial_output(&t, at_once);
        trial_output(&t, then);
        trial_ready(&t, 14);
        check_contract(&t);
        const tips_net_options options = trial_options(&t, false);
        results r = trial_run(&t, &options);
        expect_same_bits("both ways", r.y[0], r.y[1], trial_count(&t, at_once));
        results_free(&t, &r);
        trial_free(&t);
        had_one_channel = true;
    }
}

static void check_pixel_loss(const tips_layer *layer, const void *config, shape logits, const char *label) {
    check(
        &(layer_case){
            .layer = layer, .config = config, .n = 3, .n_in = 2, .in = {logits, {-logits.c, logits.h, logits.w}}},
        label);
}

static const shape some_logits[] = {{1, 3, 2}, {2, 5, 4}, {21, 4, 3}, {257, 2, 2}, {3, 2, 37}, {18, 1, 16}};
enum { LOGITS = sizeof some_logits / sizeof *some_logits };

/* One of the classes is ignored, or none. */
static void pixel_cross_entropy_cases(void) {
    for (int i = 0; i < LOGITS; i++)
        for (int ignore = -1; ignore < 2; ignore++)
            check_pixel_loss(&tips__layer_pixel_cross_entropy, &(tips_pixel_cross_entropy){ignore}, some_logits[i],
                             label_of(some_logits[i]));
}

static void dice_cases(void) {
    for (int i = 0; i < LOGITS; i++)
        for (int ignore = -1; ignore < 2; ignore++)
            check_pixel_loss(&tips__layer_dice, &(tips_dice){ignore, ignore ? 1 : 0.01}, some_logits[i],
                             label_of(some_logits[i]));
}

static void cross_entropy_cases(void) {
    static const int classes[] = {1, 3, 10, 257};
    for (int i = 0; i < 4; i++)
        for (int smooth = 0; smooth < 2; smooth++) {
            char label[64];
            const tips_cross_entropy config = {.smoothing = smooth ? 0.1 : 0};
            snprintf(label, sizeof label, "%d classes%s", classes[i], smooth ? ", smoothed" : "");
            for (int mixed = 0; mixed < 2; mixed++)
                check(&(layer_case){.layer = &tips__layer_cross_entropy,
                                    .config = &config,
                                    .n = 3,
                                    .n_in = mixed ? 4 : 2,
                                    .in = {{classes[i], 1, 1}, {0, classes[i], 0}, {0, classes[i], 0}, {1, 1, 1}}},
                      label);
        }
}

/* As many numbers as give most samples others alike, and with one number for all. */
static void contrast_cases(void) {
    static const struct {
        int channels, n, numbers;
        double temperature;
    } cases[] = {{1, 5, 2, 1}, {5, 7, 3, 0.5}, {19, 6, 2, 2}, {3, 4, 1, 0.7}, {4, 5, 9, 1}, {33, 12, 4, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char label[96];
        const tips_contrast config = {cases[i].temperature};
        snprintf(label, sizeof label, "%d channels, %d samples of %d numbers, temperature %g", cases[i].channels,
                 cases[i].n, cases[i].numbers, cases[i].temperature);
        check(&(layer_case){.layer = &tips__layer_contrast,
                            .config = &config,
                            .n = cases[i].n,
                            .n_in = 2,
                            .in = {{cases[i].channels, 1, 1}, {0, cases[i].numbers, 0}}},
              label);
    }
}

static void unit_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_unit, NULL, 3, some_shapes[i], label_of(some_shapes[i]));
}

static void mse_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check(&(layer_case){.layer = &tips__layer_mse, .n = 3, .n_in = 2, .in = {some_shapes[i], some_shapes[i]}},
              label_of(some_shapes[i]));
}

static void distill_cases(void) {
    static const int classes[] = {1, 3, 10, 257};
    static const double temperatures[] = {1, 4, 0.5, 20};
    for (int i = 0; i < 4; i++) {
        char label[64];
        const tips_distill config = {temperatures[i]};
        const shape logits = {classes[i], 1, 1};
        snprintf(label, sizeof label, "%d classes, temperature %g", classes[i], temperatures[i]);
        check(
            &(layer_case){.layer = &tips__layer_distill, .config = &config, .n = 3, .n_in = 2, .in = {logits, logits}},
            label);
    }
}

/* ------------------------------------------------------------------------------------- functions of one element */

static const shape odd_shapes[] = {{3, 5, 4}, {5, 1, 1}, {11, 3, 2}, {8, 2, 3}, {1, 3, 4}};
enum { ODD_SHAPES = sizeof odd_shapes / sizeof *odd_shapes };

static void check_pointwise(const tips_layer *layer, const void *config) {
    for (int i = 0; i < ODD_SHAPES; i++) check_one_map(layer, config, 2, odd_shapes[i], label_of(odd_shapes[i]));
}

static void clip_cases(void) {
    static const tips_clip ranges[] = {{-0.4, 0.8},           {0, 6},     {-INFINITY, 0.5}, {0.3, INFINITY},
                                       {-INFINITY, INFINITY}, {0.7, -0.2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char label[64];
        snprintf(label, sizeof label, "%g..%g", ranges[i].min, ranges[i].max);
        check_one_map(&tips__layer_clip, &ranges[i], 2, odd_shapes[i % ODD_SHAPES], label);
    }
}

static void leaky_relu_cases(void) {
    static const double alphas[] = {0.01, 0, 0.3, -0.5, 1.5};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        char label[64];
        snprintf(label, sizeof label, "alpha %g", alphas[i]);
        check_one_map(&tips__layer_leaky_relu, &(tips_leaky_relu){alphas[i]}, 2, odd_shapes[i % ODD_SHAPES], label);
    }
}

static void prelu_cases(void) {
    for (int shared = 0; shared < 2; shared++) check_pointwise(&tips__layer_prelu, &(tips_prelu){shared});
}

static void sigmoid_cases(void) { check_pointwise(&tips__layer_sigmoid, NULL); }

static void hard_sigmoid_cases(void) {
    check_pointwise(&tips__layer_hard_sigmoid, &(tips_hard_sigmoid){0.2, 0.5});
    check_one_map(&tips__layer_hard_sigmoid, &(tips_hard_sigmoid){-1.5, 0.3}, 2, (shape){11, 3, 5}, "falling");
}

static void hard_swish_cases(void) { check_pointwise(&tips__layer_hard_swish, NULL); }
static void silu_cases(void) { check_pointwise(&tips__layer_silu, NULL); }

static void dropout_cases(void) {
    for (int i = 0; i < 3; i++)
        check_pointwise(&tips__layer_dropout, &(tips_dropout){(const double[]){0, 0.3, 0.9}[i]});
    check_one_map(&tips__layer_dropout, &(tips_dropout){0.4}, 2, (shape){19, 3, 37}, "rows of more than one draw");
}
static void drop_path_cases(void) {
    for (int i = 0; i < 3; i++)
        check_pointwise(&tips__layer_drop_path, &(tips_dropout){(const double[]){0, 0.5, 0.9}[i]});
}

static void tanh_cases(void) { check_pointwise(&tips__layer_tanh, NULL); }
static void gelu_cases(void) { check_pointwise(&tips__layer_gelu, NULL); }
static void gelu_tanh_cases(void) { check_pointwise(&tips__layer_gelu_tanh, NULL); }
static void erf_cases(void) { check_pointwise(&tips__layer_erf, NULL); }
static void softplus_cases(void) { check_pointwise(&tips__layer_softplus, NULL); }

static void elu_cases(void) {
    check_pointwise(&tips__layer_elu, &(tips_elu){1});
    check_pointwise(&tips__layer_elu, &(tips_elu){0.3});
}

static void affine_cases(void) {
    for (int trainable = 0; trainable < 2; trainable++) check_pointwise(&tips__layer_affine, &(tips_affine){trainable});
}

/* -------------------------------------------------------------------------------------- two maps, and channels */

static void check_combine(int op, shape a, shape b) {
    char label[96];
    const tips_combine config = {op};
    snprintf(label, sizeof label, "op %d of %dx%dx%d and %dx%dx%d", op, a.c, a.h, a.w, b.c, b.h, b.w);
    check(&(layer_case){.layer = &tips__layer_combine, .config = &config, .n = 2, .n_in = 2, .in = {a, b}}, label);
}

/* Both gradients go to the same map. */
static void check_combine_with_itself(int op) {
    test_case("combine op %d of a map with itself", op);
    trial t = trial_start(2);
    const tips_value x = trial_map(&t, 5, 3, 2);
    trial_output(&t, tips__graph_add(t.graph, &tips__layer_combine, "layer", &(tips_combine){op},
                                     (const tips_value[]){x, x}, 2));
    trial_ready(&t, 14);
    check_contract(&t);
    trial_free(&t);
}

static void combine_cases(void) {
    static const shape pairs[][2] = {{{5, 3, 4}, {5, 3, 4}}, {{11, 3, 4}, {11, 1, 1}}, {{1, 3, 4}, {11, 3, 4}},
                                     {{9, 1, 4}, {9, 3, 1}}, {{3, 2, 3}, {1, 1, 1}},   {{1, 1, 5}, {5, 4, 1}}};
    for (int op = TIPS_COMBINE_ADD; op <= TIPS_COMBINE_MAX; op++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) check_combine(op, pairs[i][0], pairs[i][1]);
    check_combine(TIPS_COMBINE_MUL, (shape){1, 1, 1}, (shape){1, 1, 1});
    check_combine(TIPS_COMBINE_DIV, (shape){1, 4, 1}, (shape){17, 1, 3});
    for (int op = TIPS_COMBINE_ADD; op <= TIPS_COMBINE_MUL; op++) check_combine_with_itself(op);
}

static void check_softmax(const tips_layer *layer) {
    static const shape shapes[] = {{3, 4, 3}, {5, 1, 1}, {11, 2, 3}, {16, 3, 2}, {257, 1, 1}, {1, 2, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_one_map(layer, NULL, 2, shapes[i], label_of(shapes[i]));
}

static void softmax_cases(void) { check_softmax(&tips__layer_softmax); }
static void log_softmax_cases(void) { check_softmax(&tips__layer_log_softmax); }

static void lrn_cases(void) {
    static const tips_lrn configs[] = {{5, 0.5, 0.75, 1}, {4, 1, 0.5, 2},   {1, 0.3, 1, 0.5},  {2, 2, 1.3, 1},
                                       {7, 0.8, 0.6, 1},  {40, 3, 0.75, 1}, {5, 1e-4, 0.75, 2}};
    static const shape shapes[] = {{3, 4, 3}, {11, 2, 3}, {5, 1, 1}, {19, 3, 2}, {8, 2, 2}, {1, 3, 4}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        char label[64];
        const shape x = shapes[i % 6];
        snprintf(label, sizeof label, "window %d, beta %g on %d channels", configs[i].size, configs[i].beta, x.c);
        check_one_map(&tips__layer_lrn, &configs[i], 2, x, label);
    }
}

/* --------------------------------------------------------------------------------- windows, and other arrangements */

static void check_max_pool(tips_max_pool c, shape x) {
    char label[160];
    snprintf(label, sizeof label, "%dx%d stride %dx%d dilation %dx%d %s %d,%d,%d,%d%s on %dx%dx%d", c.kernel[0],
             c.kernel[1], c.stride[0], c.stride[1], c.dilation[0], c.dilation[1], tips_pad_mode_names[c.padding.mode],
             c.padding.top, c.padding.left, c.padding.bottom, c.padding.right, c.ceil ? " ceil" : "", x.c, x.h, x.w);
    check_one_map(&tips__layer_max_pool, &c, 2, x, label);
}

static void max_pool_cases(void) {
    static const tips_max_pool configs[] = {
        {{3, 3}, {2, 2}, {1, 1}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, false},
        {{2, 2}, {2, 2}, {1, 1}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, true},
        {{3, 3}, {1, 1}, {1, 1}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, true},
        {{2, 3}, {3, 1}, {2, 1}, {TIPS_PAD_ZERO, 0, 2, 1, 0}, true},
        {{3, 2}, {3, 2}, {1, 3}, {TIPS_PAD_REFLECT, 2, 1, 0, 3}, false},
        {{3, 3}, {2, 3}, {1, 1}, {TIPS_PAD_REPLICATE, 1, 0, 1, 2}, true},
        {{4, 1}, {1, 2}, {1, 1}, {TIPS_PAD_ZERO, 3, 0, 3, 0}, true},
    };
    static const shape shapes[] = {{3, 7, 9}, {11, 5, 8}, {5, 6, 5}, {8, 7, 4}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        check_max_pool(configs[i], shapes[i % 4]);
        check_max_pool(configs[i], shapes[(i + 1) % 4]);
    }
    check_max_pool((tips_max_pool){{3, 3}, {1, 1}, {1, 1}, {TIPS_PAD_CIRCULAR, 1, 1, 1, 1}, false}, (shape){11, 3, 5});
    check_max_pool((tips_max_pool){{5, 2}, {1, 1}, {1, 2}, {TIPS_PAD_CIRCULAR, 2, 1, 2, 1}, false}, (shape){3, 2, 3});
    check_max_pool((tips_max_pool){{3, 3}, {2, 2}, {1, 1}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, true}, (shape){5, 1, 1});
    check_max_pool((tips_max_pool){{1, 1}, {3, 2}, {1, 1}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, false}, (shape){5, 4, 7});
    check_max_pool(configs[0], (shape){1, 5, 6});
    check_max_pool((tips_max_pool){{6, 7}, {1, 1}, {1, 1}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, false}, (shape){3, 6, 7});
}

static void check_avg_pool(tips_avg_pool c, shape x) {
    for (int count_pad = 0; count_pad < 2; count_pad++) {
        char label[160];
        c.count_pad = count_pad;
        snprintf(label, sizeof label, "%dx%d stride %dx%d %s %d,%d,%d,%d%s%s on %dx%dx%d", c.kernel[0], c.kernel[1],
                 c.stride[0], c.stride[1], tips_pad_mode_names[c.padding.mode], c.padding.top, c.padding.left,
                 c.padding.bottom, c.padding.right, c.ceil ? " ceil" : "", count_pad ? " counting" : "", x.c, x.h, x.w);
        check_one_map(&tips__layer_avg_pool, &c, 2, x, label);
    }
}

static void adaptive_avg_cases(void) {
    static const tips_adaptive_avg configs[] = {{{7, 7}}, {{2, 3}}, {{1, 1}}, {{5, 4}}};
    static const shape shapes[] = {{3, 8, 9}, {17, 2, 3}, {1, 5, 4}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            char label[96];
            snprintf(label, sizeof label, "%dx%d of %s", configs[i].size[0], configs[i].size[1], label_of(shapes[k]));
            check_one_map(&tips__layer_adaptive_avg, &configs[i], 2, shapes[k], label);
        }
}

static void avg_pool_cases(void) {
    static const tips_avg_pool configs[] = {
        {{2, 2}, {2, 2}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, true, false},
        {{3, 3}, {1, 1}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, false, false},
        {{3, 3}, {2, 2}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, true, false},
        {{2, 3}, {3, 1}, {TIPS_PAD_ZERO, 1, 2, 0, 1}, true, false},
        {{3, 2}, {2, 3}, {TIPS_PAD_REFLECT, 2, 0, 1, 1}, true, false},
    };
    static const shape shapes[] = {{3, 7, 9}, {11, 5, 8}, {5, 6, 5}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) check_avg_pool(configs[i], shapes[i % 3]);
    check_avg_pool((tips_avg_pool){{3, 3}, {1, 1}, {TIPS_PAD_CIRCULAR, 1, 1, 1, 1}, false, false}, (shape){11, 3, 4});
    check_avg_pool((tips_avg_pool){{3, 3}, {2, 2}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, true, false}, (shape){5, 1, 1});
    check_avg_pool(configs[2], (shape){1, 5, 6});
    check_avg_pool((tips_avg_pool){{5, 6}, {5, 6}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, false, false}, (shape){3, 5, 6});
}

static void check_slice(int axis, int start, int stop, int step, shape x) {
    char label[96];
    const tips_slice config = {axis, start, stop, step};
    snprintf(label, sizeof label, "%c %d:%d:%d of %dx%dx%d", "chw"[axis], start, stop, step, x.c, x.h, x.w);
    check_one_map(&tips__layer_slice, &config, 2, x, label);
}

static void slice_cases(void) {
    check_slice(TIPS_AXIS_C, 0, 5, 1, (shape){11, 3, 4});
    check_slice(TIPS_AXIS_C, 3, INT_MAX, 1, (shape){19, 2, 3});
    check_slice(TIPS_AXIS_C, 8, 24, 1, (shape){24, 2, 3});
    check_slice(TIPS_AXIS_C, 1, -1, 2, (shape){11, 3, 4});
    check_slice(TIPS_AXIS_C, -40, 100, 3, (shape){5, 1, 1});
    check_slice(TIPS_AXIS_H, 1, INT_MAX, 1, (shape){3, 5, 4});
    check_slice(TIPS_AXIS_H, 0, INT_MAX, 2, (shape){11, 5, 3});
    check_slice(TIPS_AXIS_W, -3, -1, 1, (shape){5, 2, 7});
    check_slice(TIPS_AXIS_W, 1, INT_MAX, 3, (shape){5, 3, 8});
    for (int axis = TIPS_AXIS_C; axis <= TIPS_AXIS_W; axis++) check_slice(axis, 0, INT_MAX, 2, (shape){1, 4, 5});
}

static void reshape_cases(void) {
    static const struct {
        shape from;
        tips_reshape to;
    } cases[] = {{{3, 5, 7}, {0, 0, 0}},  {{11, 2, 3}, {0, 0, 0}}, {{5, 1, 1}, {0, 0, 0}}, {{12, 3, 2}, {6, 4, 3}},
                 {{3, 4, 5}, {20, 1, 3}}, {{18, 1, 1}, {2, 3, 3}}, {{5, 3, 4}, {5, 4, 3}}, {{9, 2, 3}, {9, 2, 3}},
                 {{1, 3, 4}, {0, 0, 0}},  {{1, 3, 4}, {1, 4, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_one_map(&tips__layer_reshape, &cases[i].to, 2, cases[i].from, label_of(cases[i].from));
}

static void shuffle_cases(void) {
    static const int cases[][2] = {{3, 3}, {10, 2}, {11, 1}, {24, 3}, {16, 8}, {5, 5}, {1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char label[64];
        snprintf(label, sizeof label, "%d channels in %d groups", cases[i][0], cases[i][1]);
        check_one_map(&tips__layer_shuffle, &(tips_shuffle){cases[i][1]}, 2, (shape){cases[i][0], 3, 2}, label);
    }
}

static void pad_channels_cases(void) {
    static const tips_pad_channels configs[] = {{0, 3, 0},      {2, 0, 0.5}, {8, 8, 0},
                                                {3, 11, -1.25}, {0, 0, 1},   {1, 2, 0.5}};
    static const int channels[] = {3, 5, 11, 8, 16, 1};
    for (int i = 0; i < 6; i++) {
        char label[64];
        snprintf(label, sizeof label, "%d + %d + %d", configs[i].before, channels[i], configs[i].after);
        check_one_map(&tips__layer_pad_channels, &configs[i], 2, (shape){channels[i], 3, 2}, label);
    }
}

static void check_resize(tips_resize c, shape x) {
    char label[128];
    snprintf(label, sizeof label, "mode %d grid %d round %d by %gx%g to %dx%d on %dx%dx%d", c.mode, c.grid, c.round,
             c.scale_h, c.scale_w, c.size[0], c.size[1], x.c, x.h, x.w);
    check_one_map(&tips__layer_resize, &c, 2, x, label);
}

static void resize_cases(void) {
    for (int grid = TIPS_GRID_HALF_PIXEL; grid <= TIPS_GRID_ASYMMETRIC; grid++) {
        for (int round = TIPS_ROUND_PREFER_FLOOR; round <= TIPS_ROUND_CEIL; round++)
            check_resize((tips_resize){TIPS_RESIZE_NEAREST, grid, round, 1.7, 0.6, {0, 0}}, (shape){5, 4, 5});
        check_resize((tips_resize){TIPS_RESIZE_LINEAR, grid, 0, 2, 2, {0, 0}}, (shape){3, 3, 4});
        check_resize((tips_resize){TIPS_RESIZE_LINEAR, grid, 0, 2, 2, {0, 0}}, (shape){1, 3, 4});
        check_resize((tips_resize){TIPS_RESIZE_LINEAR, grid, 0, 0.5, 1.4, {0, 0}}, (shape){11, 5, 4});
        check_resize((tips_resize){TIPS_RESIZE_LINEAR, grid, 0, 1, 3, {1, 0}}, (shape){5, 4, 2});
        check_resize((tips_resize){TIPS_RESIZE_LINEAR, grid, 0, 0, 0, {5, 3}}, (shape){5, 1, 1});
    }
    check_resize((tips_resize){TIPS_RESIZE_NEAREST, TIPS_GRID_ASYMMETRIC, TIPS_ROUND_FLOOR, 2, 3, {0, 0}},
                 (shape){11, 2, 3});
    check_resize((tips_resize){TIPS_RESIZE_LINEAR, TIPS_GRID_HALF_PIXEL, 0, 1, 1, {0, 0}}, (shape){5, 3, 4});
}

static void anchor_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_anchor, NULL, 2, some_shapes[i], label_of(some_shapes[i]));
    check_one_map(&tips__layer_anchor, NULL, 3, (shape){11, 1, 1}, "vectors");
}

/* ------------------------------------------------------------------------------------------------------- norms */

static void check_group_norm(int groups, bool affine, int n, shape x) {
    char label[96];
    const tips_group_norm config = {.groups = groups, .affine = affine, .eps = groups % 2 ? 0 : 0.01};
    snprintf(label, sizeof label, "%d groups of %s%s", groups, label_of(x), affine ? "" : ", plain");
    check_one_map(&tips__layer_group_norm, &config, n, x, label);
}

/* Groups within blocks, of whole blocks, and across the borders of blocks of 8 and of 16. */
static void group_norm_cases(void) {
    static const struct {
        int groups;
        shape x;
    } cases[] = {{1, {3, 4, 5}},  {3, {3, 4, 5}},  {3, {12, 3, 4}}, {5, {20, 3, 2}}, {8, {8, 4, 3}}, {2, {32, 2, 3}},
                 {4, {36, 3, 3}}, {1, {33, 2, 2}}, {2, {6, 1, 7}},  {3, {24, 1, 1}}, {1, {1, 4, 5}}, {1, {17, 6, 5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int affine = 0; affine < 2; affine++)
            check_group_norm(cases[i].groups, affine, 2 + (int)i % 2, cases[i].x);
}

static void check_kernel_conv(tips_conv2d c, double dropout, int n, shape x, tips_algorithm algorithm) {
    char label[160];
    const tips_kernel_conv config = {.conv = c, .dropout = dropout, .eps = dropout > 0.1 ? 0.01 : 0};
    snprintf(label, sizeof label, "%d->%d kernel %dx%d stride %dx%d dilation %dx%d groups %d %s dropout %g on %dx%d%s",
             x.c, c.out, c.kernel[0], c.kernel[1], c.stride[0], c.stride[1], c.dilation[0], c.dilation[1], c.groups,
             tips_pad_mode_names[c.padding.mode], dropout, x.h, x.w, algorithm == TIPS_ALGORITHM_FAST ? ", fast" : "");
    check(&(layer_case){&tips__layer_kernel_conv, &config, n, 1, {x}, algorithm}, label);
}

static void kernel_conv_shapes(tips_pad_mode mode) {
    static const int cases[][5] = {
        {3, 5, 3, 5, 4}, {12, 8, 1, 3, 5}, {5, 16, 3, 4, 6}, {8, 5, 2, 5, 5}, {1, 1, 3, 4, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_conv2d c = conv(cases[i][1], cases[i][2], cases[i][2], mode);
        c.bias = i % 2;
        check_kernel_conv(c, i % 2 ? 0.05 : 0.4, 2, (shape){cases[i][0], cases[i][3], cases[i][4]},
                          TIPS_ALGORITHM_AUTO);
    }
}

/* Statistics go over all channels, weights over those of a group. */
static void kernel_conv_groups(tips_pad_mode mode) {
    static const int cases[][3] = {{6, 9, 3}, {12, 12, 12}, {16, 16, 2}, {5, 10, 5}, {20, 8, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_conv2d c = conv(cases[i][1], 3, 3, mode);
        c.groups = cases[i][2];
        c.bias = i % 2;
        check_kernel_conv(c, i % 2 ? 0.2 : 0, 2, (shape){cases[i][0], 4, 5}, TIPS_ALGORITHM_AUTO);
    }
}

static void kernel_conv_cases(void) {
    static const tips_pad_mode modes[] = {TIPS_PAD_ZERO, TIPS_PAD_CIRCULAR, TIPS_PAD_REFLECT, TIPS_PAD_REPLICATE};
    for (int i = 0; i < 4; i++) kernel_conv_shapes(modes[i]);
    kernel_conv_groups(TIPS_PAD_ZERO);
    kernel_conv_groups(TIPS_PAD_CIRCULAR);
    tips_conv2d c = conv(5, 3, 3, TIPS_PAD_CIRCULAR);
    c.stride[0] = 2, c.dilation[1] = 2, c.padding = (tips_padding){TIPS_PAD_CIRCULAR, 0, 3, 2, 1};
    check_kernel_conv(c, 0.1, 2, (shape){3, 5, 6}, TIPS_ALGORITHM_AUTO);
    check_kernel_conv(conv(4, 7, 7, TIPS_PAD_CIRCULAR), 0.1, 2, (shape){3, 2, 3}, TIPS_ALGORITHM_AUTO);
    c = conv(25, 3, 3, TIPS_PAD_CIRCULAR);
    c.bias = true;
    check_kernel_conv(c, 0.05, 2, (shape){32, 5, 7}, TIPS_ALGORITHM_AUTO);
    check_kernel_conv(c, 0.05, 2, (shape){24, 4, 8}, TIPS_ALGORITHM_FAST);
    check_kernel_conv(c, 0, 2, (shape){32, 5, 7}, TIPS_ALGORITHM_EXACT);
}

/* ------------------------------------------------------------------------------------------------ transformers */

static void layer_norm_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_layer_norm, &(tips_layer_norm){i % 2 ? 1e-3 : 0}, 2, some_shapes[i],
                      label_of(some_shapes[i]));
    check_one_map(&tips__layer_layer_norm, &(tips_layer_norm){1e-6}, 3, (shape){35, 1, 7}, "a row of tokens");
    check_one_map(&tips__layer_layer_norm, &(tips_layer_norm){0.5}, 2, (shape){1, 3, 4}, "one channel");
}

static void check_attention(tips_attention c, int d, int h, int w) {
    char label[128];
    snprintf(label, sizeof label, "of %d heads of %d, window %d, shift %d%s%s on %dx%d", c.heads, d, c.window, c.shift,
             c.masked ? ", masked" : "", c.bias ? ", biased" : "", h, w);
    check_one_map(&tips__layer_attention, &c, 2, (shape){3 * c.heads * d, h, w}, label);
}

static void attention_cases(void) {
    check_attention((tips_attention){.heads = 1}, 1, 2, 3);
    check_attention((tips_attention){.heads = 2}, 3, 1, 5);
    check_attention((tips_attention){.heads = 3}, 8, 1, 9);
    check_attention((tips_attention){.heads = 2}, 16, 3, 6);
    check_attention((tips_attention){.heads = 1}, 5, 1, 1);
    check_attention((tips_attention){.heads = 2, .window = 2}, 3, 4, 6);
    check_attention((tips_attention){.heads = 2, .window = 3, .bias = true}, 8, 3, 6);
    check_attention((tips_attention){.heads = 1, .window = 3, .shift = 1}, 4, 6, 3);
    check_attention((tips_attention){.heads = 2, .window = 4, .shift = 2, .masked = true}, 16, 8, 8);
    check_attention((tips_attention){.heads = 3, .window = 2, .shift = 1, .masked = true, .bias = true}, 5, 4, 6);
    check_attention((tips_attention){.heads = 2, .window = 2, .shift = 1, .bias = true}, 8, 4, 4);
    check_attention((tips_attention){.heads = 1, .window = 3, .shift = 1, .masked = true, .bias = true}, 1, 3, 6);
    test_case("%s", "what attention refuses");
    trial t = trial_start(1);
    const tips_value x = trial_map(&t, 12, 4, 6);
    const tips_attention wrong = {.heads = 2, .window = 4};
    assert_int_equal(tips__graph_add(t.graph, &tips__layer_attention, "layer", &wrong, &x, 1), TIPS_NO_VALUE);
    assert_non_null(strstr(tips_last_error(), "windows of 4 do not divide a map of 4x6"));
    tips__graph_destroy(t.graph);
}

static void position_embedding_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_position_embedding, &(tips_position_embedding){i % 3}, 2, some_shapes[i],
                      label_of(some_shapes[i]));
    check_one_map(&tips__layer_position_embedding, &(tips_position_embedding){1}, 3, (shape){1, 3, 2}, "one channel");
}

static void permute_cases(void) {
    static const struct {
        shape in;
        tips_permute config;
    } cases[] = {
        {{6, 3, 5}, {{6, 15}, 21, 15, 6, 1}},              /* positions become channels */
        {{12, 2, 4}, {{3, 4, 8}, 132, 3, 8, 4}},           /* heads and tokens */
        {{10, 4, 6}, {{10, 2, 2, 2, 3}, 13245, 10, 4, 6}}, /* windows */
        {{17, 1, 9}, {{17, 3, 3}, 321, 3, 3, 17}},
        {{24, 1, 1}, {{2, 3, 4}, 312, 24, 1, 1}},   /* channels alone */
        {{8, 3, 3}, {{2, 4, 3, 3}, 2134, 8, 3, 3}}, /* the same at every pixel */
        {{2, 6, 10}, {{4, 30}, 21, 30, 4, 1}},      /* axes that are not the map's */
        {{1, 4, 6}, {{2, 2, 1, 3, 2, 1}, 654321, 1, 6, 4}},
        {{1, 3, 4}, {{1, 3, 4}, 132, 1, 4, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char label[96];
        const tips_permute *c = &cases[i].config;
        snprintf(label, sizeof label, "order %d to %dx%dx%d on %s", c->order, c->c, c->h, c->w, label_of(cases[i].in));
        check_one_map(&tips__layer_permute, c, 2, cases[i].in, label);
    }
}

static void matmul_cases(void) {
    static const struct {
        shape a, b;
        bool turned;
    } cases[] = {
        {{5, 3, 4}, {7, 3, 5}, false},    {{5, 3, 4}, {5, 3, 7}, true},  {{16, 2, 9}, {16, 2, 9}, true},
        {{17, 1, 3}, {33, 1, 17}, false}, {{4, 3, 5}, {6, 1, 4}, false}, {{4, 1, 5}, {4, 3, 6}, true},
        {{1, 2, 3}, {1, 2, 1}, false},    {{1, 2, 3}, {1, 2, 4}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tips_matmul_config config = {cases[i].turned};
        char label[96];
        snprintf(label, sizeof label, "%dx%dx%d by %dx%dx%d%s", cases[i].a.c, cases[i].a.h, cases[i].a.w, cases[i].b.c,
                 cases[i].b.h, cases[i].b.w, config.turned ? " turned" : "");
        check(&(layer_case){&tips__layer_matmul, &config, 2, 2, {cases[i].a, cases[i].b}, TIPS_ALGORITHM_AUTO}, label);
    }
}

static void constant_cases(void) {
    for (int i = 0; i < SHAPES; i++) {
        const shape s = some_shapes[i];
        check_one_map(&tips__layer_constant, &(tips_constant){s.c, s.h, s.w, i % 2 == 0}, 2, (shape){3, 2, 2},
                      label_of(s));
    }
    check_one_map(&tips__layer_constant, &(tips_constant){1, 1, 1, true}, 2, (shape){1, 3, 2}, "one number");
}

static void class_token_cases(void) {
    for (int i = 0; i < SHAPES; i++)
        check_one_map(&tips__layer_class_token, NULL, 2, some_shapes[i], label_of(some_shapes[i]));
    check_one_map(&tips__layer_class_token, NULL, 2, (shape){1, 1, 4}, "one channel");
}

static void roll_cases(void) {
    static const tips_strided strides[] = {{{2, 2}}, {{1, 3}}, {{4, 4}}, {{16, 2}}};
    static const shape shapes[] = {{5, 4, 6}, {11, 3, 5}, {1, 8, 4}, {16, 3, 4}};
    for (int i = 0; i < 4; i++) {
        const int phases = strides[i].stride[0] * strides[i].stride[1];
        check(&(layer_case){&tips__layer_roll, &strides[i], 3, 2, {shapes[i], {0, phases, 1}}, TIPS_ALGORITHM_AUTO},
              label_of(shapes[i]));
    }
}

static void patches_cases(void) {
    static const tips_patches configs[] = {{{2, 2}, false}, {{2, 3}, true}, {{1, 2}, false}, {{2, 2}, true},
                                           {{2, 2}, false}, {{3, 2}, true}, {{4, 4}, false}};
    static const shape shapes[] = {{5, 4, 6}, {3, 2, 2}, {16, 3, 4}, {16, 3, 4}, {1, 2, 4}, {1, 4, 5}, {3, 8, 4}};
    for (int i = 0; i < 7; i++) {
        char label[96];
        snprintf(label, sizeof label, "%dx%d%s of %s", configs[i].size[0], configs[i].size[1],
                 configs[i].dense ? " dense" : "", label_of(shapes[i]));
        check_one_map(&tips__layer_patches, &configs[i], 2, shapes[i], label);
    }
}

/* --------------------------------------------------------------------------------------------------- detection */

/* Two levels, of which the second has one column. */
static tips_anchors two_levels(int scales, bool circular) {
    return (tips_anchors){.n_levels = 2,
                          .scales = scales,
                          .size = {12, 8},
                          .circular = circular,
                          .levels = {{{3, 2}, {4, 4}, 5}, {{2, 1}, {8, 8}, 9}}};
}

static void anchor_origins_cases(void) {
    const tips_anchor_origins config = {
        .anchors = two_levels(2, true), .steps = 3, .stride = {{2, 2}, {3, 1}, {1, 2}}, .depth = {1, 3}};
    const layer_case c = {.layer = &tips__layer_anchor_origins,
                          .config = &config,
                          .n = 3,
                          .n_in = 4,
                          .in = {{1, 3, 2}, {0, 4, 0}, {0, 3, 0}, {0, 2, 0}}};
    check(&c, "three phases");
    check(&(layer_case){.layer = c.layer, .config = &config, .n = 2, .n_in = 1, .in = {{5, 2, 2}}}, "no phases");
}

enum { TRUTH_ROWS = 5, SAMPLES = 3 };

/* Truths on the picture, some of them turned inside out and so not there, and classes below `classes`. */
static tips_value truths_input(trial *t) {
    return trial_index_map(t, 12 * TIPS_TRUTH_PARTS, 1, TRUTH_ROWS, TIPS_TRUTH_COLUMNS);
}

static void limit_labels(const trial *t, int input, int classes) {
    for (int i = 0; i < SAMPLES * TRUTH_ROWS; i++) t->index[input][i * TIPS_TRUTH_COLUMNS + 4] %= classes;
}

static void match_anchors_cases(void) {
    for (int i = 0; i < 4; i++) {
        const bool samples = i > 1;
        const tips_match_anchors config = {two_levels(1 + i % 3, i % 2), {0.5, 0.4, samples ? 6 : 0, 0.5}};
        trial t = trial_start(SAMPLES);
        test_case("match_anchors %s%s", i % 2 ? "circular" : "plain", samples ? ", a sample" : "");
        const tips_value origins = trial_index_map(&t, 4, 1, 2, 2);
        const tips_value in[] = {origins, truths_input(&t)};
        trial_output(&t, tips__graph_add(t.graph, &tips__layer_match_anchors, "layer", &config, in, 2));
        trial_ready(&t, 14);
        check_forward(&t, true);
        check_forward(&t, false);
        expect_same_for_threads(&t, true);
        if (!samples) expect_same_for_places(&t);
        expect_no_allocations(&t);
        trial_free(&t);
    }
    had_one_channel = true;
}

/* A head's maps, matches, origins if the loss reads them, and truths. */
static void check_anchor_loss(const tips_layer *layer, const void *config, const tips_anchors *a, int channels,
                              bool places, const char *label) {
    tips_value in[5];
    int n = 0;
    trial t = trial_start(SAMPLES);
    test_case("%s %s", layer->name, label);
    for (int l = 0; l < a->n_levels; l++)
        in[n++] = trial_map(&t, channels * tips__anchor_shapes(a), a->levels[l].cells[0], a->levels[l].cells[1]);
    const int anchors = tips__anchor_count(a), matches = n;
    in[n++] = trial_index_map(&t, TRUTH_ROWS + 2, 1, anchors, 1);
    if (places) in[n++] = trial_index_map(&t, 4, 1, 2, 2);
    in[n++] = truths_input(&t);
    const tips_value loss = tips__graph_add(t.graph, layer, "layer", config, in, n);
    trial_output(&t, loss);
    tips__graph_loss(t.graph, loss, 0.7);
    trial_ready(&t, 15);
    limit_labels(&t, n - 1, channels);
    for (int i = 0; i < SAMPLES * anchors; i++) t.index[matches][i] -= 2; /* nothing, and no matter, among them */
    check_contract(&t);
    trial_free(&t);
    had_one_channel |= channels == 1;
}

static void focal_loss_cases(void) {
    const tips_anchors three = two_levels(3, false), one = two_levels(1, true);
    check_anchor_loss(&tips__layer_focal_loss, &(tips_focal_loss){three, 4, 0.25, 2, TIPS_OVER_TRUTHS}, &three, 4,
                      false, "4 classes");
    check_anchor_loss(&tips__layer_focal_loss, &(tips_focal_loss){one, 3, 0.5, 1.5, TIPS_OVER_TRUTHS}, &one, 3, false,
                      "gamma 1.5");
    check_anchor_loss(&tips__layer_focal_loss, &(tips_focal_loss){one, 1, -1, 0, TIPS_OVER_COUNTED}, &one, 1, false,
                      "cross-entropy");
}

static void box_loss_cases(void) {
    const tips_anchors three = two_levels(3, false), one = two_levels(1, true);
    check_anchor_loss(&tips__layer_box_loss, &(tips_box_loss){three, 0, TIPS_OVER_TRUTHS}, &three, 4, true, "plain");
    check_anchor_loss(&tips__layer_box_loss, &(tips_box_loss){one, 0.5, TIPS_OVER_COUNTED}, &one, 4, true,
                      "smooth, circular");
    had_one_channel = true; /* codes are four */
}

enum { ROI_ROWS = 6 };

/* Regions on the picture, drawn as corners; the third of each sample is not there. */
static tips_value rois_input(trial *t) {
    return trial_index_map(t, 12 * TIPS_PIXEL_PARTS, 1, ROI_ROWS, TIPS_ROI_COLUMNS);
}

static void order_corners(const trial *t, int input) {
    for (int i = 0; i < SAMPLES * ROI_ROWS; i++) {
        int32_t *row = t->index[input] + (ptrdiff_t)i * TIPS_ROI_COLUMNS;
        for (int k = 0; k < 2; k++) {
            const int32_t low = row[k] < row[k + 2] ? row[k] : row[k + 2], high = row[k] + row[k + 2] - low;
            row[k] = low, row[k + 2] = high;
        }
        row[4] = i % ROI_ROWS != 2;
    }
}

static void check_data_layer(const trial *t, bool draws) {
    check_forward(t, true);
    check_forward(t, false);
    expect_same_for_threads(t, true);
    if (!draws) expect_same_for_places(t);
    expect_no_allocations(t);
    expect_zero_lanes(t);
}

/* More and fewer regions than are asked for, on the plane and on the torus. */
static void proposals_cases(void) {
    for (int i = 0; i < 4; i++) {
        const tips_anchors a = two_levels(1 + i % 3, i % 2);
        const tips_proposals config = {a, i < 2 ? 7 : 100, i < 2 ? 9 : 80, 0.7, i < 2 ? 1e-3 : 4};
        tips_value in[5];
        trial t = trial_start(SAMPLES);
        test_case("proposals %s, %d of %d", i % 2 ? "circular" : "plain", config.most, config.candidates);
        for (int k = 0; k < 4; k++)
            in[k] = trial_map(&t, (k < 2 ? 1 : 4) * tips__anchor_shapes(&a), a.levels[k % 2].cells[0],
                              a.levels[k % 2].cells[1]);
        in[4] = trial_index_map(&t, 4, 1, 2, 2);
        const tips_value numbers = tips__graph_add(t.graph, &tips__layer_proposals, "layer", &config, in, 5);
        trial_output(&t, numbers);
        trial_output(&t, tips__graph_sibling(t.graph, numbers, 1));
        for (int k = 0; k < 4; k++) { /* gradients come from these */
            char name[] = "beside-0";
            name[7] = (char)('0' + k);
            trial_output(&t, tips__conv_same(t.graph, name, in[k], 3, 1, TIPS_PAD_CIRCULAR));
        }
        trial_ready(&t, 16);
        check_data_layer(&t, false);
        trial_free(&t);
    }
    had_one_channel = true; /* shapes are three at least */
}

static void sample_rois_cases(void) {
    for (int i = 0; i < 3; i++) {
        const tips_sample_rois config = {
            {12, 8}, i == 1, {i ? 0.2 : 0.5, i ? 0.2 : 0.5, i == 2 ? 20 : 4, 0.5}}; /* all, or a part of them */
        trial t = trial_start(SAMPLES);
        test_case("sample_rois %d%s", config.rule.sample, config.circular ? ", circular" : "");
        const tips_value in[] = {rois_input(&t), truths_input(&t)};
        const tips_value regions = tips__graph_add(t.graph, &tips__layer_sample_rois, "layer", &config, in, 2);
        for (int k = 0; k < 3; k++) trial_output(&t, tips__graph_sibling(t.graph, regions, k));
        trial_ready(&t, 17);
        order_corners(&t, 0);
        limit_labels(&t, 1, 3);
        check_data_layer(&t, config.rule.sample < 20);
        trial_free(&t);
    }
    had_one_channel = true;
}

static void roi_align_cases(void) {
    for (int i = 0; i < 4; i++) {
        const int channels[] = {1, 5, 16, 19};
        const tips_roi_align config = {2, {{4, 4}, {8, 8}}, i ? 3 : 7, i == 3 ? 1 : 2, 3, i % 2};
        tips_value in[4];
        trial t = trial_start(SAMPLES);
        test_case("roi_align %d channels%s", channels[i], config.circular ? ", circular" : "");
        in[0] = trial_map(&t, channels[i], 3, 2);
        in[1] = trial_map(&t, channels[i], 2, 1);
        in[2] = rois_input(&t);
        in[3] = trial_index_map(&t, 4, 1, 3, 2); /* of a level more, which is not read */
        trial_output(&t, tips__graph_add(t.graph, &tips__layer_roi_align, "layer", &config, in, 4));
        for (int k = 0; k < 2 && i > 1; k++)
            trial_output(&t, tips__conv_same(t.graph, k ? "b" : "a", in[k], 3, 3, TIPS_PAD_CIRCULAR));
        trial_ready(&t, 18);
        order_corners(&t, 2);
        check_contract(&t);
        trial_free(&t);
    }
    had_one_channel = true;
}

static void roi_box_loss_cases(void) {
    for (int i = 0; i < 3; i++) {
        const tips_roi_box_loss config = {{12, 8}, i == 1, {10, 5}, i == 2 ? 0 : 1.0 / 9};
        trial t = trial_start(SAMPLES);
        test_case("roi_box_loss %s", i == 1 ? "circular" : i == 2 ? "without squares" : "plain");
        tips_value in[4] = {trial_map(&t, 16, 1, ROI_ROWS), rois_input(&t)};
        in[2] = trial_index_map(&t, TRUTH_ROWS + 2, 1, ROI_ROWS, 1);
        in[3] = truths_input(&t);
        const tips_value loss = tips__graph_add(t.graph, &tips__layer_roi_box_loss, "layer", &config, in, 4);
        trial_output(&t, loss);
        tips__graph_loss(t.graph, loss, 0.7);
        trial_ready(&t, 19);
        order_corners(&t, 1);
        limit_labels(&t, 3, 3);
        for (int k = 0; k < SAMPLES * ROI_ROWS; k++) t.index[2][k] -= 2;
        check_contract(&t);
        trial_free(&t);
    }
    had_one_channel = true; /* codes are four */
}

/* ------------------------------------------------------------------------------------------------------- table */

static const struct {
    const tips_layer *layer;
    void (*run)(void);
} case_table[] = {
    {&tips__layer_conv2d, conv_cases},
    {&tips__layer_batch_norm, batch_norm_cases},
    {&tips__layer_relu, relu_cases},
    {&tips__layer_add, add_cases},
    {&tips__layer_concat, concat_cases},
    {&tips__layer_linear, linear_cases},
    {&tips__layer_global_avg, global_avg_cases},
    {&tips__layer_dense_max, dense_max_cases},
    {&tips__layer_lpf, lpf_cases},
    {&tips__layer_pad, pad_cases},
    {&tips__layer_polyphase, polyphase_cases},
    {&tips__layer_unpool, unpool_cases},
    {&tips__layer_cross_entropy, cross_entropy_cases},
    {&tips__layer_mse, mse_cases},
    {&tips__layer_distill, distill_cases},
    {&tips__layer_clip, clip_cases},
    {&tips__layer_leaky_relu, leaky_relu_cases},
    {&tips__layer_prelu, prelu_cases},
    {&tips__layer_sigmoid, sigmoid_cases},
    {&tips__layer_hard_sigmoid, hard_sigmoid_cases},
    {&tips__layer_hard_swish, hard_swish_cases},
    {&tips__layer_tanh, tanh_cases},
    {&tips__layer_gelu, gelu_cases},
    {&tips__layer_combine, combine_cases},
    {&tips__layer_affine, affine_cases},
    {&tips__layer_softmax, softmax_cases},
    {&tips__layer_log_softmax, log_softmax_cases},
    {&tips__layer_lrn, lrn_cases},
    {&tips__layer_max_pool, max_pool_cases},
    {&tips__layer_avg_pool, avg_pool_cases},
    {&tips__layer_adaptive_avg, adaptive_avg_cases},
    {&tips__layer_slice, slice_cases},
    {&tips__layer_reshape, reshape_cases},
    {&tips__layer_shuffle, shuffle_cases},
    {&tips__layer_pad_channels, pad_channels_cases},
    {&tips__layer_resize, resize_cases},
    {&tips__layer_anchor, anchor_cases},
    {&tips__layer_silu, silu_cases},
    {&tips__layer_dropout, dropout_cases},
    {&tips__layer_drop_path, drop_path_cases},
    {&tips__layer_group_norm, group_norm_cases},
    {&tips__layer_kernel_conv, kernel_conv_cases},
    {&tips__layer_layer_norm, layer_norm_cases},
    {&tips__layer_attention, attention_cases},
    {&tips__layer_position_embedding, position_embedding_cases},
    {&tips__layer_class_token, class_token_cases},
    {&tips__layer_roll, roll_cases},
    {&tips__layer_patches, patches_cases},
    {&tips__layer_upsample, upsample_cases},
    {&tips__layer_conv_transpose, conv_transpose_cases},
    {&tips__layer_join_phases, join_phases_cases},
    {&tips__layer_pixel_cross_entropy, pixel_cross_entropy_cases},
    {&tips__layer_dice, dice_cases},
    {&tips__layer_permute, permute_cases},
    {&tips__layer_matmul, matmul_cases},
    {&tips__layer_constant, constant_cases},
    {&tips__layer_elu, elu_cases},
    {&tips__layer_softplus, softplus_cases},
    {&tips__layer_erf, erf_cases},
    {&tips__layer_gelu_tanh, gelu_tanh_cases},
    {&tips__layer_anchor_origins, anchor_origins_cases},
    {&tips__layer_match_anchors, match_anchors_cases},
    {&tips__layer_focal_loss, focal_loss_cases},
    {&tips__layer_box_loss, box_loss_cases},
    {&tips__layer_proposals, proposals_cases},
    {&tips__layer_sample_rois, sample_rois_cases},
    {&tips__layer_roi_align, roi_align_cases},
    {&tips__layer_roi_box_loss, roi_box_loss_cases},
    {&tips__layer_unit, unit_cases},
    {&tips__layer_contrast, contrast_cases},
};

static void test_layer(void **state) {
    const tips_layer *layer = *state;
    for (size_t i = 0; i < sizeof case_table / sizeof *case_table; i++) {
        if (case_table[i].layer != layer) continue;
        had_one_channel = false;
        case_table[i].run();
        if (!had_one_channel) fail_msg("no case of the layer '%s' is on maps of a single channel", layer->name);
        print_message("%s: %d cases\n", layer->name, test_case_count());
        return;
    }
    fail_msg("the layer '%s' has no cases: add a function for it to the table in tests/layer/test_contract_layers.c",
             layer->name);
}

/* The argument, if there is one, names the layers to test: "max_pool", "*pool". */
int main(int argc, char **argv) {
    int count = 0;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    while (tips__layers[count]) count++;
    struct CMUnitTest *tests = calloc((size_t)count, sizeof *tests);
    for (int i = 0; tests && i < count; i++)
        tests[i] =
            (struct CMUnitTest){tips__layers[i]->name, test_layer, NULL, NULL, (void *)(uintptr_t)tips__layers[i]};
    const int failed = tests ? _cmocka_run_group_tests("layers", tests, (size_t)count, NULL, NULL) : 1;
    free(tests);
    return failed;
}
