/* Training: schedules, equal seeds, early stopping, freezing, clipping, and what happens to NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/open_model.h"
#include "net/net.h"
#include "optimizer/gradient_norm.h"
#include "core/threads.h"
#include "support/class_maker.h"
#include "support/train_runs.h"


static void test_schedules(void **state) {
    (void)state;
    tips_schedule s = {.kind = TIPS_SCHEDULE_STEP, .lr = 1, .epochs = 10, .step_size = 4, .gamma = 0.1};
    assert_float_equal(tips__schedule_lr(&s, 5, 0), 1, 0);
    assert_float_equal(tips__schedule_lr(&s, 5, 19), 1, 0);
    assert_float_equal(tips__schedule_lr(&s, 5, 20), 0.1, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 49), 0.01, 1e-15);
    s.step_size = 0; /* a third of the run, rounded up: 4 */
    assert_float_equal(tips__schedule_lr(&s, 5, 20), 0.1, 1e-15);
    s.warmup = 2;
    assert_float_equal(tips__schedule_lr(&s, 5, 0), 0.1, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 9), 1, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 10), 1, 1e-15);
    s.kind = TIPS_SCHEDULE_COSINE;
    assert_float_equal(tips__schedule_lr(&s, 5, 10), 1, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 30), 0.5, 1e-15);
    assert_true(tips__schedule_lr(&s, 5, 49) < 0.01);
    s.kind = TIPS_SCHEDULE_POLY;
    s.power = 0.9;
    assert_float_equal(tips__schedule_lr(&s, 5, 10), 1, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 30), 0.535886731268146, 1e-12); /* 0.5^0.9 */
    s.power = 2;
    assert_float_equal(tips__schedule_lr(&s, 5, 40), 0.0625, 1e-15);
    assert_float_equal(tips__schedule_lr(&s, 5, 50), 0, 0);
    s.kind = TIPS_SCHEDULE_CONSTANT;
    assert_float_equal(tips__schedule_lr(&s, 5, 49), 1, 0);
}

static void test_equal_seeds_equal_bits(void **state) {
    (void)state;
    tips_train_config a = small_run("equal-a"), b = small_run("equal-b"), other = small_run("other-seed");
    a.epochs = b.epochs = other.epochs = 1;
    other.model.seed = 2;
    const tips_train_result result = run_to_end(&a);
    assert_int_equal(result.epochs, 1);
    assert_int_equal(result.best_epoch, 1);
    assert_false(result.resumed);
    run_to_end(&b);
    run_to_end(&other);
    assert_same_run("equal-a", "equal-b");
    char *first = log_without_time("equal-a"), *second = log_without_time("other-seed");
    assert_string_not_equal(first, second);
    free(first);
    free(second);
}

static void test_patience(void **state) {
    (void)state;
    tips_train_config c = small_run("patience");
    c.epochs = 40;
    c.schedule.lr = 0; /* only the running statistics move */
    c.schedule.kind = TIPS_SCHEDULE_CONSTANT;
    c.eps = 0.1;
    c.patience = 2;
    const tips_train_result r = run_to_end(&c);
    assert_true(r.stopped_early);
    assert_in_range(r.epochs, 6, 39); /* two epochs, counted from the fifth on */
    assert_true(r.best_epoch < r.epochs);
}

static void test_a_loss_that_is_not_finite_names_the_layer(void **state) {
    (void)state;
    tips_train_config c = small_run("nan");
    tips_train_result result;
    c.schedule.lr = 1e6;
    c.momentum = 1;
    c.epochs = 20;
    assert_int_equal(tips__train_run(&c, NULL, &result), TIPS_NUMERIC);
    const bool names = strstr(tips_last_error(), "layer '") || strstr(tips_last_error(), "gradient of '");
    if (!names) fail_msg("%s", tips_last_error());
    assert_int_equal(access(inside("nan/checkpoint.safetensors"), F_OK), 0);
}

static const tips_optimizer_spec sgd = {.optimizer = &tips__optimizer_sgd};

/* A small network with its parameters and a compiled net. */
typedef struct network {
    tips_model model;
    tips_params *params;
    tips_net *net;
    float images[2 * 3 * 16 * 16];
    int32_t labels[2];
} network;

static network make_network(void) {
    network n = {.labels = {0, 1}};
    const tips_arch *arch;
    tips_arch_config config = {.in_channels = 3, .size = {16, 16}, .classes = 4, .padding = TIPS_PAD_CIRCULAR};
    const tips_net_options options = {.n = 2, .pass = tips__pass_training, .seed = 1};
    assert_int_equal(tips__arch_find("tiny", &arch), TIPS_OK);
    assert_int_equal(tips__pool_parse("tips-exact", 0, &config.pool), TIPS_OK);
    assert_int_equal(tips__model_create(arch, &config, NULL, true, &n.model), TIPS_OK);
    assert_int_equal(tips__params_create(n.model.graph, 1, &n.params), TIPS_OK);
    assert_int_equal(tips__optimizer_prepare(sgd.optimizer, n.params), TIPS_OK);
    assert_int_equal(tips__net_compile(n.model.graph, n.params, &options, &n.net), TIPS_OK);
    for (size_t i = 0; i < sizeof n.images / sizeof n.images[0]; i++)
        n.images[i] = (float)tips__rng_normal((tips_rng){1, 1}, i);
    assert_int_equal(tips__net_set_map(n.net, n.model.ends.input, n.images), TIPS_OK);
    assert_int_equal(tips__net_set_index(n.net, n.model.ends.targets[0], n.labels), TIPS_OK);
    return n;
}

static void destroy_network(network *n) {
    tips__net_destroy(n->net);
    tips__params_destroy(n->params);
    tips__model_destroy(&n->model);
}

static void test_checking_names_the_first_layer(void **state) {
    (void)state;
    network n = make_network();
    const int id = tips__param_find(n.model.graph, "layer2.0.conv1.weight");
    assert_true(id >= 0);
    tips__net_check(n.net, true);
    assert_int_equal(tips__net_forward(n.net), TIPS_OK);
    n.params->data[id][0] = NAN;
    assert_int_equal(tips__net_forward(n.net), TIPS_NUMERIC);
    assert_non_null(strstr(tips_last_error(), "layer 'layer2.0.conv1'"));
    n.images[7] = INFINITY;
    assert_int_equal(tips__net_set_map(n.net, n.model.ends.input, n.images), TIPS_OK);
    assert_int_equal(tips__net_forward(n.net), TIPS_NUMERIC);
    assert_non_null(strstr(tips_last_error(), "the input"));
    tips__net_check(n.net, false);
    assert_int_equal(tips__net_forward(n.net), TIPS_OK);
    destroy_network(&n);
}

/* The first batch that a run learns from. */
static void load_first_batch(const tips_train_config *c, const tips_model_info *info, float *images, int32_t *labels) {
    const tips_dataset_options options = {.val_split = c->val_split, .seed = (uint64_t)c->model.seed};
    tips_dataset *set;
    tips_loader *loader;
    tips_batch batch;
    assert_int_equal(tips__dataset_open(c->data, &options, &set), TIPS_OK);
    const tips_loader_config config = {.set = set,
                                       .split = TIPS_SPLIT_TRAIN,
                                       .preprocess = tips__model_preprocess(info),
                                       .augment = c->augment,
                                       .maker = test_class_target,
                                       .batch = c->batch,
                                       .shuffle = true,
                                       .drop_last = true,
                                       .seed = (uint64_t)c->model.seed};
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_OK);
    assert_int_equal(tips__loader_start(loader, 0, 0), TIPS_OK);
    assert_int_equal(tips__loader_next(loader, &batch), TIPS_OK);
    assert_int_equal(batch.n, c->batch);
    memcpy(images, batch.images, (size_t)batch.n * 3 * 16 * 16 * sizeof *images);
    for (int i = 0; i < batch.n; i++) labels[i] = test_class_of(&batch.targets[i]);
    tips__loader_destroy(loader);
    tips__dataset_close(set);
}

/* The loss of a model file on that batch, in evaluation or as a step of training finds it. */
static double loss_of(const tips_train_config *c, const char *path, tips_pass pass) {
    tips_loaded_model m;
    tips_net *net;
    float images[8 * 3 * 16 * 16];
    int32_t labels[8];
    const tips_net_options options = {.n = 8, .pass = pass, .seed = 1};
    assert_int_equal(tips__model_load(path, true, &m), TIPS_OK);
    load_first_batch(c, &m.info, images, labels);
    assert_int_equal(tips__params_for_training(m.params), TIPS_OK);
    assert_int_equal(tips__net_compile(m.model.graph, m.params, &options, &net), TIPS_OK);
    assert_int_equal(tips__net_set_map(net, m.model.ends.input, images), TIPS_OK);
    assert_int_equal(tips__net_set_index(net, m.model.ends.targets[0], labels), TIPS_OK);
    assert_int_equal(tips__net_forward(net), TIPS_OK);
    const double loss = tips__net_losses(net).task;
    tips__net_destroy(net);
    tips__loaded_model_destroy(&m);
    return loss;
}

static void assert_only_operators_moved(const char *before, const char *after) {
    tips_loaded_model a, b;
    int moved = 0;
    assert_int_equal(tips__model_load(before, false, &a), TIPS_OK);
    assert_int_equal(tips__model_load(after, false, &b), TIPS_OK);
    for (int i = 0; i < a.params->count; i++) {
        const char *name = tips__graph_param(a.model.graph, i)->name;
        const bool same = memcmp(a.params->data[i], b.params->data[i], a.params->floats[i] * sizeof(float)) == 0;
        if (!same && !strstr(name, ".pool.")) fail_msg("%s has moved", name);
        moved += !same;
    }
    assert_true(moved > 0);
    tips__loaded_model_destroy(&a);
    tips__loaded_model_destroy(&b);
}

static void keep_first_loss(void *context, const tips_train_progress *p) {
    if (!p->validating && !p->epoch_done && p->epoch == 1 && p->batch == 1) *(double *)context = p->losses.task;
}

/* Frozen norms use their running statistics: the first step sees the network as it is, and leaves it so. */
static void test_freezing(void **state) {
    (void)state;
    tips_train_config first = small_run("melted"), c = small_run("frozen");
    tips_train_result result;
    double loss = 0;
    const tips_train_watch watch = {.progress = keep_first_loss, .context = &loss};
    first.epochs = c.epochs = 2;
    run_to_end(&first);
    c.init = inside("melted/last.safetensors");
    c.freeze = true;
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_OK);
    const double as_it_stands = loss_of(&c, c.init, (tips_pass){.losses = true});
    const double by_batch = loss_of(&c, c.init, tips__pass_training);
    assert_float_equal(loss, as_it_stands, 1e-5 * as_it_stands);
    assert_true(fabs(by_batch - as_it_stands) > 1e-3 * as_it_stands);
    assert_only_operators_moved(c.init, inside("frozen/last.safetensors"));
}

static void test_clipping_and_exempt_vectors(void **state) {
    (void)state;
    network n = make_network();
    const int weight = tips__param_find(n.model.graph, "conv1.weight"),
              gamma = tips__param_find(n.model.graph, "bn1.weight");
    assert_int_equal(tips__net_forward(n.net), TIPS_OK);
    assert_int_equal(tips__net_backward(n.net), TIPS_OK);
    const double norm = tips__gradient_norm(n.params);
    assert_true(norm > 0);
    assert_int_equal(tips__gradient_broken(n.params), -1);
    tips__gradient_scale(n.params, 0.5 / norm);
    assert_float_equal(tips__gradient_norm(n.params), 0.5, 1e-6);
    tips__gradient_scale(n.params, 0);
    const float before[2] = {n.params->data[weight][0], n.params->data[gamma][0]};
    tips__optimizer_step(&sgd, n.params, &(tips_learning){.lr = 1, .weight_decay = 0.5, .spare_vectors = true});
    assert_true(n.params->data[weight][0] == before[0] * 0.5f);
    assert_true(n.params->data[gamma][0] == before[1]);
    tips__optimizer_step(&sgd, n.params, &(tips_learning){.lr = 1, .weight_decay = 0.5});
    assert_true(n.params->data[gamma][0] == before[1] * 0.5f);
    n.params->diff[weight][1] = NAN;
    assert_int_equal(tips__gradient_broken(n.params), weight);
    destroy_network(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_equal_seeds_equal_bits),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_a_loss_that_is_not_finite_names_the_layer),
        cmocka_unit_test(test_checking_names_the_first_layer),
        cmocka_unit_test(test_freezing),
        cmocka_unit_test(test_clipping_and_exempt_vectors),
    };
    return cmocka_run_group_tests(tests, make_run_folder, remove_run_folder);
}
