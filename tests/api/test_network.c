/* The public interface: networks run as their internals do, whatever the batch and the neighbours; wrong arguments are
 * refused with a sentence; memory may run out. */
#include "support/compare.h"

#include "arch/arch.h"
#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "net/net.h"
#include "task/model.h"
#include "verify/verify.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>

enum { N = 5, C = 3, H = 8, W = 12, CLASSES = 7, PIXELS = C * H * W };

static tips_network_options options_of(const char *pool) {
    return (tips_network_options){.arch = "tiny", .pool = pool, .height = H, .width = W, .classes = CLASSES};
}

static tips_network *make(const char *pool) {
    const tips_network_options options = options_of(pool);
    tips_network *network = NULL;
    test_case("%s", pool);
    expect_ok(tips_network_create(&options, &network));
    return network;
}

static void draw(float *images, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) images[i] = (float)tips__rng_normal((tips_rng){seed, 1}, i);
}

static const char *const pools[] = {"max", "aps", "lps", "tips", "tips-exact:fm=off"};
enum { POOLS = sizeof pools / sizeof pools[0] };

/* The same network by hand. */
static void run_internal(const char *pool, const float *images, float *logits) {
    const tips_arch *arch;
    tips_model model;
    tips_params *params;
    tips_net *net;
    tips_arch_config config = {.in_channels = C, .size = {H, W}, .classes = CLASSES, .padding = TIPS_PAD_CIRCULAR};
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__pool_parse(pool, 0, &config.pool));
    expect_ok(tips__model_create(arch, &config, NULL, false, &model));
    expect_ok(tips__params_create(model.graph, 1, &params));
    const tips_net_options options = {.n = N, .algorithm = TIPS_ALGORITHM_EXACT, .seed = 1};
    expect_ok(tips__net_compile(model.graph, params, &options, &net));
    expect_ok(tips__net_set_map(net, model.ends.input, images));
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_get_map(net, model.ends.outputs[0], logits));
    tips__net_destroy(net);
    tips__params_destroy(params);
    tips__model_destroy(&model);
}

static void test_defaults(void **state) {
    tips_network *network;
    (void)state;
    test_case("defaults");
    expect_ok(tips_network_create(NULL, &network));
    assert_string_equal(tips_network_arch(network), "resnet18");
    assert_string_equal(tips_network_pool(network), "tips-exact");
    assert_int_equal(tips_network_channels(network), 3);
    assert_int_equal(tips_network_height(network), 32);
    assert_int_equal(tips_network_width(network), 32);
    assert_int_equal(tips_network_classes(network), 10);
    tips_network_destroy(network);
    tips_network_destroy(NULL);
    network = make("tips-exact:fm=off");
    assert_string_equal(tips_network_pool(network), "tips-exact:fm=off");
    assert_int_equal(tips_network_width(network), W);
    tips_network_destroy(network);
}

static void test_run(void **state) {
    float images[N * PIXELS], got[N * CLASSES], want[N * CLASSES], one[CLASSES];
    (void)state;
    draw(images, N * PIXELS, 3);
    for (int p = 0; p < POOLS; p++) {
        tips_network *network = make(pools[p]);
        run_internal(pools[p], images, want);
        expect_ok(tips_network_run(network, images, N, got));
        expect_same_bits("logits", got, want, N * CLASSES);
        for (int n = 0; n < N; n++) {
            expect_ok(tips_network_run(network, images + n * PIXELS, 1, one));
            expect_same_bits("logits of one image", one, want + n * CLASSES, CLASSES);
        }
        expect_ok(tips_network_run(network, images + PIXELS, N - 1, got));
        expect_same_bits("logits of another batch", got, want + CLASSES, (N - 1) * CLASSES);
        const uint64_t before = tips__alloc_count();
        expect_ok(tips_network_run(network, images + PIXELS, N - 1, got));
        assert_int_equal(tips__alloc_count(), before);
        tips_network_destroy(network);
    }
}

static void test_run_on_nan(void **state) {
    float images[2 * PIXELS], logits[2 * CLASSES], want[2 * CLASSES];
    tips_verdict verdict;
    tips_network *network = make("tips-exact");
    (void)state;
    draw(images, 2 * PIXELS, 3);
    expect_ok(tips_network_run(network, images, 2, want));
    images[PIXELS + 7] = NAN;
    assert_int_equal(tips_network_run(network, images, 2, logits), TIPS_NUMERIC);
    assert_non_null(strstr(tips_last_error(), "image 1 "));
    assert_int_equal(tips_network_verify(network, images + PIXELS, 1, &verdict), TIPS_NUMERIC);
    draw(images, 2 * PIXELS, 3);
    expect_ok(tips_network_run(network, images, 2, logits));
    expect_same_bits("logits", logits, want, 2 * CLASSES);
    tips_network_destroy(network);
}

/* Products and sums overflow; the ReLUs of some layers would hide it. */
static void test_run_on_huge(void **state) {
    float images[2 * PIXELS], logits[2 * CLASSES];
    tips_verdict verdict;
    (void)state;
    for (int i = 0; i < POOLS; i++) {
        tips_network *network = make(pools[i]);
        draw(images, PIXELS, 3);
        for (int k = 0; k < PIXELS; k++) images[PIXELS + k] = k % 3 ? 3e38f : -3e38f;
        assert_int_equal(tips_network_run(network, images, 2, logits), TIPS_NUMERIC);
        assert_non_null(strstr(tips_last_error(), "input 2 of 2: layer '"));
        assert_int_equal(tips_network_verify(network, images + PIXELS, 1, &verdict), TIPS_NUMERIC);
        expect_ok(tips_network_run(network, images, 1, logits));
        tips_network_destroy(network);
    }
}

static void test_nan_inside(void **state) {
    float images[PIXELS], logits[CLASSES];
    tips_verdict verdict;
    tips_tensor_info tensor;
    (void)state;
    for (int i = 0; i < POOLS; i++) {
        tips_network *network = make(pools[i]);
        draw(images, PIXELS, 3);
        for (int k = 0; tips_network_tensor(network, k, &tensor) && strcmp(tensor.name, "conv1.weight") != 0;) k++;
        float *values = test_floats(tensor.elements);
        expect_ok(tips_network_get(network, tensor.name, values, tensor.elements));
        const float before = values[4], strange[] = {NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++) {
            values[4] = strange[k];
            assert_int_equal(tips_network_set(network, tensor.name, values, tensor.elements), TIPS_NUMERIC);
            assert_non_null(strstr(tips_last_error(), "number 4 of 'conv1.weight'"));
        }
        expect_ok(tips_network_get(network, tensor.name, values, tensor.elements));
        assert_true(values[4] == before);
        for (size_t k = 0; k < tensor.elements; k++) values[k] = k % 2 ? FLT_MAX : -FLT_MAX;
        expect_ok(tips_network_set(network, tensor.name, values, tensor.elements));
        assert_int_equal(tips_network_run(network, images, 1, logits), TIPS_NUMERIC);
        assert_non_null(strstr(tips_last_error(), "layer 'conv1'"));
        assert_int_equal(tips_network_verify(network, images, 3, &verdict), TIPS_NUMERIC);
        free(values);
        tips_network_destroy(network);
    }
}

static void test_phases(void **state) {
    float images[2 * PIXELS], logits[2 * CLASSES];
    int32_t phases[2];
    tips_network *network = make("tips-exact");
    (void)state;
    assert_int_equal(tips_network_phase(network, "layer2.0.pool", phases), TIPS_INVALID);
    draw(images, PIXELS, 3);
    /* The second image is the first, moved right by one: the chosen column is the other one, the row the same. */
    for (int row = 0; row < C * H; row++)
        for (int x = 0; x < W; x++) images[PIXELS + row * W + (x + 1) % W] = images[row * W + x];
    expect_ok(tips_network_run(network, images, 2, logits));
    expect_ok(tips_network_phase(network, "layer2.0.pool", phases));
    assert_true(phases[0] >= 0 && phases[0] < 4);
    assert_int_equal(phases[0] ^ 1, phases[1]);
    expect_same_bits("logits", logits + CLASSES, logits, CLASSES);
    assert_int_equal(tips_network_phase(network, "layer9", phases), TIPS_UNKNOWN);
    assert_non_null(strstr(tips_last_error(), "layer2.0.pool, layer3.0.pool"));
    tips_network_destroy(network);
    network = make("max");
    assert_int_equal(tips_network_phase(network, "layer2.0.pool", phases), TIPS_UNKNOWN);
    assert_non_null(strstr(tips_last_error(), "none of this network"));
    tips_network_destroy(network);
}

static void test_tensors(void **state) {
    tips_network *network = make("tips-exact"), *other;
    tips_tensor_info info;
    float images[PIXELS], want[CLASSES], got[CLASSES];
    size_t trainable = 0;
    (void)state;
    tips_network_options options = options_of("tips-exact");
    options.seed = 2;
    expect_ok(tips_network_create(&options, &other));
    for (int i = 0; tips_network_tensor(network, i, &info); i++) {
        float *values = test_floats(info.elements);
        if (info.trainable) trainable += info.elements;
        expect_ok(tips_network_get(network, info.name, values, info.elements));
        expect_ok(tips_network_set(other, info.name, values, info.elements));
        free(values);
    }
    assert_int_equal(trainable, tips_network_parameters(network));
    draw(images, PIXELS, 3);
    expect_ok(tips_network_run(network, images, 1, want));
    expect_ok(tips_network_run(other, images, 1, got));
    expect_same_bits("logits after copying", got, want, CLASSES);

    assert_false(tips_network_tensor(network, -1, &info));
    assert_int_equal(tips_network_get(network, "fc.bais", got, CLASSES), TIPS_UNKNOWN);
    assert_non_null(strstr(tips_last_error(), "did you mean 'fc.bias'?"));
    assert_int_equal(tips_network_set(network, "fc.bias", got, CLASSES + 1), TIPS_SHAPE);
    assert_non_null(strstr(tips_last_error(), "has 7 elements, not 8"));
    /* PyTorch's order: adding to one bias moves that logit alone. */
    float bias[CLASSES] = {[2] = 1.0f};
    expect_ok(tips_network_set(network, "fc.bias", bias, CLASSES));
    expect_ok(tips_network_run(network, images, 1, got));
    want[2] += 1;
    expect_close_to_floats("logits", got, want, CLASSES, 1e-6);
    tips_network_destroy(network);
    tips_network_destroy(other);
}

static void expect_refused(tips_network_options options, tips_status status, const char *text) {
    tips_network *network = NULL;
    test_case("%s", text);
    const tips_status got = tips_network_create(&options, &network);
    if (got != status) fail_case("%s: %s", tips_status_name(got), tips_last_error());
    if (!strstr(tips_last_error(), text)) fail_case("the message is '%s'", tips_last_error());
    assert_null(network);
}

static void test_bad_options(void **state) {
    (void)state;
    expect_refused((tips_network_options){.arch = "resnet81"}, TIPS_UNKNOWN, "did you mean 'resnet18'?");
    expect_refused((tips_network_options){.pool = "tips-exakt"}, TIPS_UNKNOWN, "did you mean 'tips-exact'?");
    expect_refused((tips_network_options){.pool = "tips-exact:fm=of"}, TIPS_UNKNOWN, "did you mean 'off'?");
    expect_refused((tips_network_options){.padding = "circle"}, TIPS_UNKNOWN, "zero|circular|reflect|replicate");
    expect_refused((tips_network_options){.stem = "large"}, TIPS_UNKNOWN, "auto|cifar|imagenet");
    expect_refused((tips_network_options){.lpf = 9}, TIPS_RANGE, "lpf: '9' is out of range");
    expect_refused((tips_network_options){.lpf = 1}, TIPS_RANGE, "size 2..7");
    expect_refused((tips_network_options){.channels = -1}, TIPS_RANGE, "channels: '-1' is out of range");
    expect_refused((tips_network_options){.height = 5000}, TIPS_RANGE, "height and width: '5000x5000' is out of range");
    expect_refused((tips_network_options){.height = 2}, TIPS_RANGE, "too small for resnet18");
    expect_refused((tips_network_options){.classes = -3}, TIPS_RANGE, "classes: '-3' is out of range");
    expect_refused((tips_network_options){.first_width = 5000}, TIPS_RANGE, "first_width: '5000' is out of range");
    expect_refused((tips_network_options){.down = 7}, TIPS_RANGE, "down: '7' is out of range");
    expect_refused((tips_network_options){.seed = -1}, TIPS_RANGE, "seed: '-1' is out of range");
}

static void test_bad_calls(void **state) {
    float images[PIXELS] = {0}, logits[CLASSES];
    tips_verdict verdict;
    tips_network *network = make("max");
    (void)state;
    assert_int_equal(tips_network_create(NULL, NULL), TIPS_INVALID);
    assert_int_equal(tips_network_run(network, images, 0, logits), TIPS_RANGE);
    assert_int_equal(tips_network_run(network, images, INT32_MAX, logits), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "1..65536"));
    assert_int_equal(tips_network_run(network, NULL, 1, logits), TIPS_INVALID);
    assert_int_equal(tips_network_run(network, images, 1, NULL), TIPS_INVALID);
    assert_int_equal(tips_network_verify(network, NULL, H * W + 1, &verdict), TIPS_RANGE);
    assert_int_equal(tips_network_verify(network, NULL, -1, &verdict), TIPS_RANGE);
    expect_ok(tips_network_run(network, images, 1, logits));
    tips_network_destroy(network);
}

/* The verdict is that of the command for the same options. */
static void test_verify(void **state) {
    (void)state;
    for (int p = 0; p < POOLS; p++) {
        tips_network *network = make(pools[p]);
        tips_verdict v;
        tips_verify_result r;
        const tips_verify_config config = {.model = {.arch = "tiny",
                                                     .pool = pools[p],
                                                     .padding = TIPS_PAD_CIRCULAR,
                                                     .size = {H, W},
                                                     .classes = CLASSES,
                                                     .channels = C,
                                                     .seed = 1},
                                           .shifts = "9"};
        expect_ok(tips_network_settle(network));
        expect_ok(tips_network_verify(network, NULL, 9, &v));
        expect_ok(tips__verify_run(&config, &r));
        assert_int_equal(v.exact, r.exact);
        assert_int_equal(v.differing_bits, r.differing_bits);
        assert_int_equal(v.answer_changes, r.answer_changes);
        assert_int_equal(v.shifts, 9);
        assert_int_equal(v.layers, r.n_layers);
        assert_true(v.max_abs_error == r.max_abs_error && v.margin == r.margin);
        assert_string_equal(v.first_breaking_layer, r.exact ? "" : r.layers[r.first_breaking].name);
        assert_string_equal(v.reason ? v.reason : "", r.reason ? r.reason : "");
        assert_int_equal(v.exact, strcmp(v.advice, "") == 0);
        tips__verify_free(&r);
        tips_network_destroy(network);
    }
}

/* The caller's image counts, and neither parameters nor the last run change. */
static void test_verify_image(void **state) {
    float image[PIXELS], before[CLASSES], after[CLASSES];
    int32_t phase, phase_after;
    tips_verdict v;
    tips_network *network = make("aps");
    (void)state;
    draw(image, PIXELS, 3);
    expect_ok(tips_network_run(network, image, 1, before));
    expect_ok(tips_network_phase(network, "layer2.0.pool", &phase));
    expect_ok(tips_network_verify(network, image, 0, &v));
    assert_true(v.exact && v.invariant && v.shifts == H * W && v.margin > 0);
    const double margin = v.margin;
    for (int i = 0; i < PIXELS; i++) image[i] = 1;
    expect_ok(tips_network_verify(network, image, 4, &v));
    assert_true(v.exact && v.margin != margin);
    expect_ok(tips_network_phase(network, "layer2.0.pool", &phase_after));
    assert_int_equal(phase, phase_after);
    draw(image, PIXELS, 3);
    expect_ok(tips_network_run(network, image, 1, after));
    expect_same_bits("logits", after, before, CLASSES);
    tips_network_destroy(network);
}

static void test_train(void **state) {
    float images[N * PIXELS], before[CLASSES], after[CLASSES], again[CLASSES];
    int32_t labels[N];
    tips_losses first = {0}, last = {0};
    (void)state;
    draw(images, N * PIXELS, 3);
    for (int n = 0; n < N; n++) labels[n] = n;
    for (int p = 0; p < POOLS; p++) {
        tips_network *network = make(pools[p]), *twin = make(pools[p]);
        tips_train_options options = tips_train_defaults();
        options.lr = 0.02;
        expect_ok(tips_network_run(network, images, 1, before));
        for (int step = 0; step < 12; step++) {
            expect_ok(tips_network_train_step(network, images, labels, N, &options, step ? &last : &first));
            expect_ok(tips_network_train_step(twin, images, labels, N, &options, NULL));
        }
        if (!(last.task < 0.6 * first.task)) fail_case("the loss goes from %g to %g", first.task, last.task);
        expect_ok(tips_network_run(network, images, 1, after));
        expect_ok(tips_network_run(twin, images, 1, again));
        assert_true(differing_bits(before, after, CLASSES) > 0);
        expect_same_bits("the twin's logits", again, after, CLASSES);
        const bool has_losses = strncmp(pools[p], "tips", 4) == 0;
        const double total = has_losses ? 0.65 * last.task + 0.35 * last.undo + last.fm : last.task;
        expect_number("the total", last.total, total, 1e-9);
        tips_network_destroy(network);
        tips_network_destroy(twin);
    }
}

static void expect_no_step(tips_network *network, const float *images, int32_t label, double lr, tips_status status) {
    tips_train_options options = tips_train_defaults();
    float before[CLASSES], after[CLASSES];
    options.lr = lr;
    expect_ok(tips_network_get(network, "fc.bias", before, CLASSES));
    assert_int_equal(tips_network_train_step(network, images, &label, 1, &options, NULL), status);
    expect_ok(tips_network_get(network, "fc.bias", after, CLASSES));
    expect_same_bits("fc.bias", after, before, CLASSES);
}

static void test_bad_training(void **state) {
    float images[PIXELS];
    tips_network *network = make("tips-exact");
    (void)state;
    draw(images, PIXELS, 3);
    expect_no_step(network, images, CLASSES, 0.1, TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "label 7 of image 0 is not in 0..6"));
    expect_no_step(network, images, -1, 0.1, TIPS_RANGE);
    expect_no_step(network, images, 0, -0.1, TIPS_RANGE);
    expect_no_step(network, images, 0, NAN, TIPS_RANGE);
    expect_no_step(network, images, 0, INFINITY, TIPS_RANGE);
    images[5] = INFINITY;
    expect_no_step(network, images, 0, 0.1, TIPS_NUMERIC);
    images[5] = 0;
    const float bias[CLASSES] = {[0] = -FLT_MAX, [1] = FLT_MAX};
    expect_ok(tips_network_set(network, "fc.bias", bias, CLASSES));
    expect_no_step(network, images, 0, 0.1, TIPS_NUMERIC);
    assert_non_null(strstr(tips_last_error(), "loss of step 0"));
    tips_network_destroy(network);
}

/* What one thread does with a network of its own. */
typedef struct job {
    const char *pool;
    float logits[N * CLASSES];
    tips_losses losses;
    uint64_t differing_bits;
    bool ok;
} job;

static tips_status work(tips_network *network, job *j) {
    float images[N * PIXELS];
    const int32_t labels[2] = {1, 2};
    tips_verdict verdict;
    draw(images, N * PIXELS, 3);
    for (int i = 0; i < 3; i++) {
        tips_status status = tips_network_train_step(network, images, labels, 2, NULL, &j->losses);
        if (status == TIPS_OK) status = tips_network_run(network, images, N, j->logits);
        if (status != TIPS_OK) return status;
    }
    const tips_status status = tips_network_verify(network, images, 4, &verdict);
    if (status == TIPS_OK) j->differing_bits = verdict.differing_bits;
    return status;
}

static void *run_job(void *data) {
    job *j = data;
    const tips_network_options options = options_of(j->pool);
    tips_network *network = NULL;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = work(network, j);
    tips_network_destroy(network);
    j->ok = status == TIPS_OK;
    return NULL;
}

static void test_threads(void **state) {
    job alone[POOLS], together[POOLS];
    pthread_t threads[POOLS];
    (void)state;
    for (int p = 0; p < POOLS; p++) alone[p].pool = together[p].pool = pools[p];
    for (int p = 0; p < POOLS; p++) run_job(&alone[p]);
    for (int p = 0; p < POOLS; p++) assert_int_equal(pthread_create(&threads[p], NULL, run_job, &together[p]), 0);
    for (int p = 0; p < POOLS; p++) pthread_join(threads[p], NULL);
    for (int p = 0; p < POOLS; p++) {
        test_case("%s", pools[p]);
        assert_true(alone[p].ok && together[p].ok);
        expect_same_bits("logits", together[p].logits, alone[p].logits, N * CLASSES);
        assert_memory_equal(&together[p].losses, &alone[p].losses, sizeof alone[p].losses);
        assert_int_equal(together[p].differing_bits, alone[p].differing_bits);
    }
}

/* Everything once, with one allocation failing; what failed works when tried again. */
static tips_status use_all(tips_network **network, float *logits) {
    const tips_network_options options = options_of("tips-exact");
    const int32_t label = 1;
    float image[PIXELS];
    tips_verdict verdict;
    draw(image, PIXELS, 3);
    tips_status status = *network ? TIPS_OK : tips_network_create(&options, network);
    if (status == TIPS_OK) status = tips_network_run(*network, image, 1, logits);
    if (status == TIPS_OK) status = tips_network_verify(*network, NULL, 2, &verdict);
    if (status == TIPS_OK) status = tips_network_train_step(*network, image, &label, 1, NULL, NULL);
    return status;
}

static void test_out_of_memory(void **state) {
    float want[CLASSES], logits[CLASSES];
    tips_network *network = NULL;
    tips_status status = TIPS_MEMORY;
    int failures = 0;
    (void)state;
    tips__threads_set(1); /* many small runs */
    expect_ok(use_all(&network, want));
    tips_network_destroy(network);
    for (uint64_t n = 1; status != TIPS_OK; n++) {
        test_case("allocation %d fails", (int)n);
        network = NULL;
        tips__alloc_fail_at(n);
        status = use_all(&network, logits);
        tips__alloc_fail_at(0);
        assert_true(status == TIPS_OK || status == TIPS_MEMORY);
        failures += status != TIPS_OK;
        if (status != TIPS_OK && n % 8 == 0) expect_ok(use_all(&network, logits));
        if (n % 8 == 0) expect_same_bits("logits", logits, want, CLASSES);
        tips_network_destroy(network);
    }
    assert_true(failures > 100);
    tips__threads_set(omp_get_num_procs());
}

static void test_catalog(void **state) {
    tips_pool_info pool;
    tips_arch_info arch;
    tips_option_info option;
    int n_pools = 0, n_archs = 0, n_options = 0;
    (void)state;
    for (; tips_catalog_pool(n_pools, &pool); n_pools++) {
        tips_network *network = make(pool.name);
        assert_true(strlen(pool.brief) > 0);
        tips_network_destroy(network);
        if (strcmp(pool.name, "tips-exact") == 0) assert_true(pool.exact && pool.learned && pool.losses);
        if (strcmp(pool.name, "max") == 0) assert_false(pool.exact || pool.learned || pool.chooses);
        for (int i = 0; tips_catalog_option(pool.name, i, &option); i++, n_options++)
            assert_true(strlen(option.name) > 0 && strlen(option.help) > 0 && strlen(option.range) > 0);
    }
    for (; tips_catalog_arch(n_archs, &arch); n_archs++) assert_true(strlen(arch.name) > 0 && strlen(arch.brief) > 0);
    assert_true(n_pools >= 11 && n_archs >= 5 && n_options > 10);
    assert_false(tips_catalog_pool(-1, &pool) || tips_catalog_pool(1000, &pool));
    assert_false(tips_catalog_arch(-1, &arch) || tips_catalog_arch(1000, &arch));
    assert_false(tips_catalog_option("nothing", 0, &option) || tips_catalog_option("aps", 1000, &option));
    assert_false(tips_catalog_option(NULL, 0, &option) || tips_catalog_option("aps", -1, &option));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_run),          cmocka_unit_test(test_run_on_nan),
        cmocka_unit_test(test_run_on_huge),  cmocka_unit_test(test_nan_inside),   cmocka_unit_test(test_phases),
        cmocka_unit_test(test_tensors),      cmocka_unit_test(test_bad_options),  cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_verify),       cmocka_unit_test(test_verify_image), cmocka_unit_test(test_train),
        cmocka_unit_test(test_bad_training), cmocka_unit_test(test_threads),      cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_catalog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
