/* Blueprints and their conversion: a network with every kind of downsampling keeps its answer under every circular
 * shift once converted, and computes what it did where only the strides moved. */
#include "support/compare.h"
#include "support/contract.h"

#include "convert/convert.h"
#include "core/memory.h"
#include "core/rng.h"
#include "image/natural_image.h"
#include "layer/layers.h"
#include "net/net.h"
#include "convert/convert_sharpness.h"
#include "task/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, SIZE = 32, CHANNELS = 3 };

static int add(tips_blueprint *b, const tips_layer *layer, const char *name, const void *config, const int *in,
               int n_in) {
    int step;
    expect_ok(tips__blueprint_add(b, layer, name, config, in, n_in, &step));
    return step;
}

static tips_conv2d conv_of(int out, int kernel, int stride, int pad) {
    return (tips_conv2d){.out = out,
                         .kernel = {kernel, kernel},
                         .stride = {stride, stride},
                         .dilation = {1, 1},
                         .groups = 1,
                         .padding = {TIPS_PAD_ZERO, pad, pad, pad, pad},
                         .bias = true};
}

static int conv(tips_blueprint *b, const char *name, int in, int out, int kernel, int stride, int pad) {
    const tips_conv2d c = conv_of(out, kernel, stride, pad);
    return add(b, &tips__layer_conv2d, name, &c, &in, 1);
}

static int relu(tips_blueprint *b, const char *name, int in) { return add(b, &tips__layer_relu, name, NULL, &in, 1); }

static int max_pool(tips_blueprint *b, const char *name, int in, int kernel, int stride, int pad, bool ceil) {
    const tips_max_pool c = {.kernel = {kernel, kernel},
                             .stride = {stride, stride},
                             .dilation = {1, 1},
                             .padding = {TIPS_PAD_ZERO, pad, pad, pad, pad},
                             .ceil = ceil};
    return add(b, &tips__layer_max_pool, name, &c, &in, 1);
}

static int slice(tips_blueprint *b, const char *name, int in, int axis) {
    const tips_slice c = {.axis = axis, .stop = 1 << 20, .step = 2};
    return add(b, &tips__layer_slice, name, &c, &in, 1);
}

static int two(tips_blueprint *b, const tips_layer *layer, const char *name, int x, int y) {
    return add(b, layer, name, NULL, (const int[]){x, y}, 2);
}

/* A residual block with a strided 1x1 shortcut, one with sliced shortcut, and a reduction of two branches. */
static int body(tips_blueprint *b, int x) {
    x = relu(b, "stem.relu", conv(b, "stem", x, 8, 3, 1, 1));
    int y = relu(b, "a.relu", conv(b, "a.conv1", x, 16, 3, 2, 1));
    y = conv(b, "a.conv2", y, 16, 3, 1, 1);
    x = relu(b, "a.out", two(b, &tips__layer_add, "a.add", y, conv(b, "a.short", x, 16, 1, 2, 0)));
    y = conv(b, "b.conv2", relu(b, "b.relu", conv(b, "b.conv1", x, 16, 3, 2, 1)), 16, 3, 1, 1);
    const int sliced = slice(b, "b.slice_w", slice(b, "b.slice_h", x, TIPS_AXIS_H), TIPS_AXIS_W);
    x = relu(b, "b.out", two(b, &tips__layer_add, "b.add", y, sliced));
    y = relu(b, "c.relu", conv(b, "c.conv", x, 8, 3, 2, 1));
    return two(b, &tips__layer_concat, "c.concat", y, max_pool(b, "c.max", x, 3, 2, 1, false));
}

static tips_blueprint *start(int *x) {
    tips_blueprint *b;
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    *x = body(b, TIPS_BLUEPRINT_INPUT);
    return b;
}

static tips_blueprint *with_mean_head(void) {
    int x;
    tips_blueprint *b = start(&x);
    const tips_linear fc = {.out = CLASSES};
    x = add(b, &tips__layer_global_avg, "mean", NULL, &x, 1);
    b->output = add(b, &tips__layer_linear, "fc", &fc, &x, 1);
    b->classes = CLASSES;
    return b;
}

static tips_blueprint *with_flat_head(void) {
    int x;
    tips_blueprint *b = start(&x);
    const tips_linear fc = {.out = CLASSES};
    x = add(b, &tips__layer_reshape, "flatten", &(tips_reshape){0}, &x, 1);
    b->output = add(b, &tips__layer_linear, "fc", &fc, &x, 1);
    b->classes = CLASSES;
    return b;
}

typedef struct network {
    tips_model model;
    tips_params *params;
    tips_net *net;
} network;

static network build(tips_blueprint *b, int size) {
    network n;
    tips_arch_config config = {.in_channels = CHANNELS, .size = {size, size}, .classes = CLASSES, .blueprint = b};
    expect_ok(tips__pool_parse("stride", 0, &config.pool));
    expect_ok(tips__model_create(&tips__arch_graph, &config, NULL, false, &n.model));
    expect_ok(tips__params_create(n.model.graph, 7, &n.params));
    n.net = NULL;
    return n;
}

static void compile(network *n) {
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT};
    expect_ok(tips__net_compile(n->model.graph, n->params, &options, &n->net));
}

static void finish(network *n) {
    tips__net_destroy(n->net);
    tips__params_destroy(n->params);
    tips__model_destroy(&n->model);
}

static void run(network *n, const float *x, float *logits) {
    expect_ok(tips__net_set_map(n->net, n->model.ends.input, x));
    expect_ok(tips__net_forward(n->net));
    expect_ok(tips__net_get_map(n->net, n->model.ends.outputs[0], logits));
}

static float *picture(int size) {
    const size_t count = (size_t)CHANNELS * (size_t)size * (size_t)size;
    float *x = test_floats(count);
    const tips_rng rng = {.seed = 3, .stream = 5};
    for (size_t i = 0; i < count; i++) x[i] = (float)tips__rng_normal(rng, i);
    return x;
}

static int count_changed(network *n, int size) {
    float *x = picture(size), *moved = test_floats((size_t)CHANNELS * (size_t)size * (size_t)size);
    float base[CLASSES], other[CLASSES];
    int changed = 0;
    run(n, x, base);
    for (int u = 1; u < size * size; u++) {
        roll_planes(x, CHANNELS, size, size, u / size, u % size, moved);
        run(n, moved, other);
        changed += memcmp(base, other, sizeof base) != 0;
    }
    free(x);
    free(moved);
    return changed;
}

static tips_conversion convert(const tips_blueprint *from, const char *pool, tips_convert_options o) {
    tips_conversion c;
    expect_ok(tips__pool_parse(pool, o.pool.lpf, &o.pool));
    if (o.size[0] == 0) o.size[0] = o.size[1] = SIZE;
    expect_ok(tips__convert(from, &o, &c));
    return c;
}

static const tips_convert_options circular = {.padding = TIPS_PAD_CIRCULAR};

static void check_exact(tips_blueprint *from, const char *pool, tips_convert_options o, int expected) {
    tips_conversion c = convert(from, pool, o);
    network original = build(from, SIZE), n = build(c.blueprint, SIZE);
    expect_ok(tips__convert_params(&c, original.params, n.params));
    compile(&n);
    const int changed = count_changed(&n, SIZE);
    if (expected == 0) assert_int_equal(changed, 0);
    else assert_true(changed > 0);
    finish(&n);
    finish(&original);
    tips__conversion_free(&c);
}

static void test_exact(void **state) {
    (void)state;
    const char *const pools[] = {"tips-exact", "aps", "tips-exact:psi=full"};
    tips_blueprint *mean = with_mean_head(), *flat = with_flat_head();
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) check_exact(mean, pools[i], circular, 0);
    check_exact(flat, "tips-exact", circular, 0);
    check_exact(flat, "aps", (tips_convert_options){.padding = TIPS_PAD_CIRCULAR, .gap_head = true}, 0);
    tips__blueprint_release(mean);
    tips__blueprint_release(flat);
}

/* What must break: an operator with a fixed grid, zero padding, and the original itself. */
static void test_controls(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head();
    check_exact(b, "max", circular, 1);
    check_exact(b, "tips-exact", (tips_convert_options){.padding = TIPS_PAD_ZERO}, 1);
    network original = build(b, SIZE);
    compile(&original);
    assert_true(count_changed(&original, SIZE) > 0);
    finish(&original);
    tips__blueprint_release(b);
}

/* With the first phase always taken and paddings kept, nothing is computed differently. */
static void test_same_answer(void **state) {
    (void)state;
    tips_blueprint *b = with_flat_head();
    tips_conversion c = convert(b, "stride", (tips_convert_options){.keep_padding = true});
    c.blueprint->steps[tips__blueprint_find(c.blueprint, "flatten.anchor")].layer = &tips__layer_relu; /* positive */
    network original = build(b, SIZE), n = build(c.blueprint, SIZE);
    expect_ok(tips__convert_params(&c, original.params, n.params));
    compile(&original);
    compile(&n);
    float *x = picture(SIZE), want[CLASSES], got[CLASSES];
    run(&original, x, want);
    run(&n, x, got);
    expect_close_to_floats("logits", got, want, CLASSES, 1e-5);
    free(x);
    finish(&n);
    finish(&original);
    tips__conversion_free(&c);
    tips__blueprint_release(b);
}

static const tips_step *step_of(const tips_blueprint *b, const char *name) {
    const int i = tips__blueprint_find(b, name);
    if (i < 0) fail_msg("there is no step '%s'", name);
    return &b->steps[i];
}

static void test_sharing(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head();
    tips_conversion c = convert(b, "aps", circular);
    assert_int_equal(c.operators, 6);
    assert_int_equal(c.sharing, 3);
    assert_int_equal(step_of(c.blueprint, "a.conv1.pool")->shares, TIPS_BLUEPRINT_NOTHING);
    assert_int_equal(step_of(c.blueprint, "a.short.pool")->shares, tips__blueprint_find(c.blueprint, "a.conv1.pool"));
    assert_int_equal(step_of(c.blueprint, "b.slice_h.pool")->shares, tips__blueprint_find(c.blueprint, "b.conv1.pool"));
    assert_int_equal(step_of(c.blueprint, "c.max.pool")->shares, tips__blueprint_find(c.blueprint, "c.conv.pool"));
    /* Behind the activation, and before a 1x1 convolution that only follows. */
    assert_int_equal(step_of(c.blueprint, "a.conv1.pool")->in[0], tips__blueprint_find(c.blueprint, "a.relu"));
    assert_int_equal(step_of(c.blueprint, "a.short")->in[0], tips__blueprint_find(c.blueprint, "a.short.pool"));
    tips__conversion_free(&c);
    tips__blueprint_release(b);
}

/* A strided layer gets the maximum that is asked for, a max pooling has its own already; files keep both. */
static void expect_before(const tips_blueprint *b, const char *name, const char *want) {
    char text[256];
    tips__pool_format_all(&step_of(b, name)->pool, text, sizeof text);
    if (!strstr(text, want)) fail_msg("%s: '%s' does not say '%s'", name, text, want);
}

static void test_steps_before(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head(), *read;
    tips_conversion c = convert(b, "aps:before=max+lpf3", circular);
    char *text;
    expect_ok(tips__blueprint_format(c.blueprint, &text));
    expect_ok(tips__blueprint_parse(text, strlen(text), &read));
    for (int i = 0; i < 2; i++) {
        expect_before(i ? read : c.blueprint, "a.conv1.pool", "before=max+lpf3");
        expect_before(i ? read : c.blueprint, "c.max.pool", "before=lpf3");
    }
    tips__free(text);
    tips__blueprint_release(read);
    tips__conversion_free(&c);
    tips__blueprint_release(b);
}

/* Unpadded and hanging windows: sizes are kept, and what is left over behind the anchor is cut. */
static void test_unpadded(void **state) {
    (void)state;
    tips_blueprint *b;
    const tips_linear fc = {.out = CLASSES};
    const tips_pad_config pad = {.padding = {TIPS_PAD_ZERO, 0, 0, 1, 1}};
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    int x = relu(b, "relu1", conv(b, "conv1", TIPS_BLUEPRINT_INPUT, 8, 7, 2, 0));
    x = max_pool(b, "max1", x, 3, 2, 0, true);
    x = add(b, &tips__layer_pad, "pad", &pad, &x, 1);
    x = relu(b, "relu2", conv(b, "conv2", x, 8, 3, 1, 0));
    x = add(b, &tips__layer_reshape, "flatten", &(tips_reshape){0}, &x, 1);
    b->output = add(b, &tips__layer_linear, "fc", &fc, &x, 1);
    b->classes = CLASSES;
    check_exact(b, "tips-exact", circular, 0);
    tips__blueprint_release(b);
}

/* The start: tau is nearly one-hot, so a soft choice answers almost like a hard one. */
static void test_start_is_sharp(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head();
    tips_conversion soft = convert(b, "tips-exact", circular), hard = convert(b, "tips-exact:select=hard", circular);
    network original = build(b, SIZE), s = build(soft.blueprint, SIZE), h = build(hard.blueprint, SIZE);
    expect_ok(tips__convert_params(&soft, original.params, s.params));
    expect_ok(tips__convert_params(&hard, original.params, h.params));
    compile(&s);
    compile(&h);
    float *x = picture(SIZE), a[CLASSES], c[CLASSES];
    run(&s, x, a);
    run(&h, x, c);
    expect_close_to_floats("logits", a, c, CLASSES, 0.05);
    free(x);
    finish(&s);
    finish(&h);
    finish(&original);
    tips__conversion_free(&soft);
    tips__conversion_free(&hard);
    tips__blueprint_release(b);
}

/* How far a soft choice is from a hard one, as a share of the largest logit, if pixels are divided by `range`. */
static double softness(tips_blueprint *b, float range, bool sharpened) {
    tips_conversion soft = convert(b, "tips-exact", circular), hard = convert(b, "tips-exact:select=hard", circular);
    network original = build(b, SIZE), s = build(soft.blueprint, SIZE), h = build(hard.blueprint, SIZE);
    const tips_convert_input input = {
        .value = s.model.ends.input, .mean = {0.5f, 0.5f, 0.5f}, .std = {range, range, range}};
    expect_ok(tips__convert_params(&soft, original.params, s.params));
    expect_ok(tips__convert_params(&hard, original.params, h.params));
    if (sharpened) expect_ok(tips__convert_sharpen(&input, s.params));
    compile(&s);
    compile(&h);
    float *x = picture(SIZE), a[CLASSES], c[CLASSES];
    double error = 0, largest = 0;
    tips__natural_image(99, CHANNELS, SIZE, SIZE, x);
    for (int i = 0; i < CHANNELS * SIZE * SIZE; i++) x[i] = (x[i] - 0.5f) / range;
    run(&s, x, a);
    run(&h, x, c);
    for (int i = 0; i < CLASSES; i++) {
        error = test_larger(error, fabs((double)a[i] - c[i]));
        largest = test_larger(largest, fabs((double)c[i]));
    }
    free(x);
    finish(&s);
    finish(&h);
    finish(&original);
    tips__conversion_free(&soft);
    tips__conversion_free(&hard);
    return error / largest;
}

/* Weak signals are chosen from as sharply as strong ones once the network has looked at pictures; the fixed start is
 * not enough for them. */
static void test_sharpness_follows_the_signal(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head();
    for (int i = 0; i < 3; i++) {
        const float range = (const float[]){0.25f, 30, 1e3f}[i];
        const double error = softness(b, range, true);
        if (error > 0.03) fail_msg("pixels over %g: the soft choice is %g away", (double)range, error);
    }
    const double unmeasured = softness(b, 1e3f, false);
    if (unmeasured < 0.05) fail_msg("the control is sharp too: %g", unmeasured);
    tips__blueprint_release(b);
}

/* A network whose second downsampling is a mean: at stride 1 all its phases have the same mean. */
static tips_blueprint *with_mean_pool(void) {
    tips_blueprint *b;
    const tips_linear fc = {.out = CLASSES};
    const tips_avg_pool mean = {.kernel = {2, 2}, .stride = {2, 2}};
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    int x = relu(b, "relu1", conv(b, "conv1", TIPS_BLUEPRINT_INPUT, 8, 3, 2, 1));
    x = add(b, &tips__layer_avg_pool, "mean", &mean, &x, 1);
    x = relu(b, "relu2", conv(b, "conv2", x, 16, 3, 1, 1));
    x = add(b, &tips__layer_global_avg, "gap", NULL, &x, 1);
    b->output = add(b, &tips__layer_linear, "fc", &fc, &x, 1);
    b->classes = CLASSES;
    return b;
}

/* How far the answer moves, as a share of the largest logit, if pixels change by about their rounding error. */
static double jitter(tips_blueprint *b, const char *pool, int lpf, bool sharpened) {
    tips_convert_options o = circular;
    o.pool.lpf = lpf;
    tips_conversion c = convert(b, pool, o);
    network original = build(b, SIZE), n = build(c.blueprint, SIZE);
    const tips_convert_input input = {.value = n.model.ends.input, .std = {1, 1, 1}};
    expect_ok(tips__convert_params(&c, original.params, n.params));
    if (sharpened) expect_ok(tips__convert_sharpen(&input, n.params));
    compile(&n);
    float *x = picture(SIZE), before[CLASSES], after[CLASSES];
    double moved = 0, largest = 0;
    tips__natural_image(99, CHANNELS, SIZE, SIZE, x);
    run(&n, x, before);
    for (int t = 0; t < 16; t++) {
        const tips_rng rng = {.seed = 8, .stream = (uint64_t)t};
        for (int i = 0; i < CHANNELS * SIZE * SIZE; i++) x[i] *= 1 + 1e-7f * (float)tips__rng_normal(rng, (uint64_t)i);
        run(&n, x, after);
        for (int i = 0; i < CLASSES; i++) {
            moved = test_larger(moved, fabs((double)after[i] - before[i]));
            largest = test_larger(largest, fabs((double)before[i]));
        }
    }
    free(x);
    finish(&n);
    finish(&original);
    tips__conversion_free(&c);
    return moved / largest;
}

/* Behind a filter that is zero where phases differ, a choice by the mean would be one of rounding errors. */
static void test_filtered_maps_are_told_apart(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_pool();
    double control = 0; /* equal sums round to equal floats now and then: not every control moves */
    for (int i = 0; i < 6; i++) {
        const int lpf = (const int[]){0, 2, 3, 5, 7, 3}[i];
        const char *pool = i == 5 ? "tips-exact:psi=full" : "tips-exact";
        const double moved = jitter(b, pool, lpf, true);
        control = fmax(control, jitter(b, pool, lpf, false));
        if (moved > 1e-4) fail_msg("%s behind LPF-%d: rounding moves the answer by %g", pool, lpf, moved);
    }
    if (control < 1e-3) fail_msg("the controls move by %g only", control);
    tips__blueprint_release(b);
}

static void test_refusals(void **state) {
    (void)state;
    tips_blueprint *b;
    tips_conversion c;
    tips_convert_options o = {.padding = TIPS_PAD_CIRCULAR, .size = {SIZE, SIZE}};
    expect_ok(tips__pool_parse("aps", 0, &o.pool));
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    /* Two halvings meet a quartering: their phases cannot be matched. */
    int x = conv(b, "half2", conv(b, "half1", TIPS_BLUEPRINT_INPUT, 8, 3, 2, 1), 8, 3, 2, 1);
    x = two(b, &tips__layer_add, "meet", x, conv(b, "quarter", TIPS_BLUEPRINT_INPUT, 8, 3, 4, 1));
    b->output = add(b, &tips__layer_global_avg, "mean", NULL, &x, 1);
    b->classes = 8;
    assert_int_equal(tips__convert(b, &o, &c), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "meet"));
    tips__blueprint_release(b);
    b = with_mean_head();
    tips_conversion once = convert(b, "aps", circular);
    assert_int_equal(tips__convert(once.blueprint, &o, &c), TIPS_INVALID);
    tips__conversion_free(&once);
    tips__blueprint_release(b);
}

static int same_order(tips_blueprint *b, const char *name, int in, tips_permute c) {
    return add(b, &tips__layer_permute, name, &c, &in, 1);
}

/* Patches of 4, attention among them, and numbers of their own for every position. */
static tips_blueprint *with_tokens(void) {
    tips_blueprint *b;
    const tips_linear fc = {.out = CLASSES};
    const tips_matmul_config turned = {true}, plain = {false};
    const tips_combine product = {.op = TIPS_COMBINE_MUL};
    int picture = TIPS_BLUEPRINT_INPUT;
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    const int x = conv(b, "patches", relu(b, "relu", conv(b, "stem", picture, 8, 3, 1, 1)), 16, 4, 4, 0);
    const int t = same_order(b, "tokens", x, (tips_permute){{16, 64}, 12, 16, 1, 64});
    int y = add(b, &tips__layer_matmul, "scores", &turned, (const int[]){t, t}, 2);
    y = add(b, &tips__layer_softmax, "shares", NULL, &y, 1);
    y = add(b, &tips__layer_matmul, "mixed", &plain, (const int[]){y, t}, 2);
    y = two(b, &tips__layer_add, "sum", x, same_order(b, "back", y, (tips_permute){{16, 8, 8}, 123, 16, 8, 8}));
    const int own = add(b, &tips__layer_constant, "own", &(tips_constant){16, 8, 8, true}, &picture, 1);
    y = add(b, &tips__layer_combine, "weighted", &product, (const int[]){y, own}, 2);
    y = add(b, &tips__layer_global_avg, "mean", NULL, &y, 1);
    b->output = add(b, &tips__layer_linear, "fc", &fc, &y, 1);
    b->classes = CLASSES;
    return b;
}

/* Tokens are anchored behind the patches, whose map is the last that all that follows is made of. */
static void test_tokens(void **state) {
    (void)state;
    tips_blueprint *b = with_tokens();
    network original = build(b, SIZE);
    compile(&original);
    assert_true(count_changed(&original, SIZE) > 0);
    finish(&original);
    check_exact(b, "tips-exact", circular, 0);
    check_exact(b, "aps", circular, 0);
    tips_conversion c = convert(b, "tips-exact", circular);
    assert_true(c.anchors_tokens);
    const int anchor = tips__blueprint_find(c.blueprint, "patches.anchor");
    assert_true(anchor > 0);
    assert_int_equal(step_of(c.blueprint, "tokens")->in[0], anchor);
    assert_int_equal(step_of(c.blueprint, "sum")->in[0], anchor);
    tips__conversion_free(&c);
    /* An operator that is not exact leaves them alone. */
    c = convert(b, "max", circular);
    assert_false(c.anchors_tokens);
    assert_true(tips__blueprint_find(c.blueprint, "patches.anchor") < 0);
    tips__conversion_free(&c);
    tips__blueprint_release(b);
}

static void test_tokens_beside_others(void **state) {
    (void)state;
    tips_blueprint *b;
    tips_conversion c;
    tips_convert_options o = {.padding = TIPS_PAD_CIRCULAR, .size = {SIZE, SIZE}};
    expect_ok(tips__pool_parse("tips-exact", 0, &o.pool));
    expect_ok(tips__blueprint_create(CHANNELS, &b));
    int x = conv(b, "first", TIPS_BLUEPRINT_INPUT, 8, 3, 1, 1);
    x = same_order(b, "tokens", x, (tips_permute){{8, SIZE, SIZE}, 132, 8, SIZE, SIZE});
    x = two(b, &tips__layer_add, "meet", x, conv(b, "second", TIPS_BLUEPRINT_INPUT, 8, 3, 1, 1));
    b->output = add(b, &tips__layer_global_avg, "mean", NULL, &x, 1);
    b->classes = 8;
    assert_int_equal(tips__convert(b, &o, &c), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "takes positions in their order"));
    assert_non_null(strstr(tips_last_error(), "tips train --arch vit_tiny --pool tips-exact"));
    tips__blueprint_release(b);
}

static void test_json(void **state) {
    (void)state;
    tips_blueprint *b = with_flat_head(), *again;
    tips_conversion c = convert(b, "tips-exact:fm=off", circular);
    char *text, *twice;
    expect_ok(tips__blueprint_format(c.blueprint, &text));
    expect_ok(tips__blueprint_parse(text, strlen(text), &again));
    expect_ok(tips__blueprint_format(again, &twice));
    assert_string_equal(text, twice);
    network first = build(c.blueprint, SIZE), second = build(again, SIZE);
    compile(&first);
    compile(&second);
    float *x = picture(SIZE), want[CLASSES], got[CLASSES];
    run(&first, x, want);
    run(&second, x, got);
    expect_same_bits("logits", got, want, CLASSES);
    free(x);
    finish(&first);
    finish(&second);
    tips__free(text);
    tips__free(twice);
    tips__blueprint_release(again);
    tips__conversion_free(&c);
    tips__blueprint_release(b);
}

static void test_bad_json(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"channels\":3,\"output\":0,\"steps\":[]}",
        "{\"channels\":3,\"output\":1,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[0]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[5]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"\",\"layer\":\"relu\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"melt\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"cross_entropy\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"conv2d\",\"options\":\"out=x\",\"in\":[-1]"
        "}]}",
        "{\"channels\":0,\"output\":0,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":1,\"steps\":[{\"name\":\"a\",\"layer\":\"relu\",\"in\":[-1]},"
        "{\"name\":\"a\",\"layer\":\"relu\",\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"pool\":\"aps\",\"padding\":\"odd\",\"stride\":[2,2],"
        "\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"pool\":\"aps\",\"padding\":\"zero\",\"stride\":[2],"
        "\"in\":[-1]}]}",
        "{\"channels\":3,\"output\":0,\"steps\":[{\"name\":\"a\",\"pool\":\"aps\",\"padding\":\"zero\",\"shares\":0,"
        "\"stride\":[2,2],\"in\":[-1]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tips_blueprint *b = NULL;
        if (tips__blueprint_parse(texts[i], strlen(texts[i]), &b) == TIPS_OK) fail_msg("taken: %s", texts[i]);
        assert_null(b);
    }
}

static void test_classes(void **state) {
    (void)state;
    tips_blueprint *b = with_mean_head();
    const int softmax = add(b, &tips__layer_softmax, "softmax", NULL, &b->output, 1);
    b->output = softmax;
    tips__blueprint_skip_softmax(b);
    assert_string_equal(b->steps[b->output].name, "fc");
    expect_ok(tips__blueprint_set_classes(b, 3));
    assert_int_equal(((const tips_linear *)b->steps[b->output].config)->out, 3);
    tips__blueprint_release(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),    cmocka_unit_test(test_controls), cmocka_unit_test(test_same_answer),
        cmocka_unit_test(test_sharing),  cmocka_unit_test(test_unpadded), cmocka_unit_test(test_start_is_sharp),
        cmocka_unit_test(test_sharpness_follows_the_signal), cmocka_unit_test(test_filtered_maps_are_told_apart),
        cmocka_unit_test(test_tokens), cmocka_unit_test(test_tokens_beside_others),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_json),     cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_steps_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
