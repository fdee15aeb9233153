/* Training: schedules, that stopping and going on changes no bit, early stopping, clipping, and what happens to NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/open_model.h"
#include "net/net.h"
#include "optimizer/gradient_norm.h"
#include "train/train.h"
#include "core/threads.h"
#include "support/class_maker.h"

static char folder[] = "/tmp/tips-train-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *inside(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A run of a second or so: 12 batches an epoch. */
static tips_train_config small_run(const char *name) {
    tips_train_config c;
    assert_int_equal(tips__options_defaults(tips__train_rows, &c), TIPS_OK);
    c.data = "shapes:size=16,train=110,test=20,classes=4";
    c.model.arch = "tiny";
    c.model.threads = 2;
    c.out = inside(name);
    c.epochs = 3;
    c.batch = 8;
    return c;
}

static char *read_all(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    char *text = calloc(1, 4 << 20);
    assert_non_null(text);
    *length = fread(text, 1, (4 << 20) - 1, file);
    fclose(file);
    return text;
}

static void assert_same_file(const char *run, const char *other, const char *name) {
    char a[512], b[512];
    size_t a_length, b_length;
    snprintf(a, sizeof a, "%s/%s/%s", folder, run, name);
    snprintf(b, sizeof b, "%s/%s/%s", folder, other, name);
    char *first = read_all(a, &a_length), *second = read_all(b, &b_length);
    if (a_length != b_length || memcmp(first, second, a_length) != 0) fail_msg("%s and %s differ", a, b);
    free(first);
    free(second);
}

/* The log without what may differ. */
static char *log_without_time(const char *run) {
    char path[512];
    size_t length;
    snprintf(path, sizeof path, "%s/%s/log.jsonl", folder, run);
    char *log = read_all(path, &length), *at;
    while ((at = strstr(log, ",\"time\":{"))) {
        const char *rest = strchr(at, '}') + 1;
        memmove(at, rest, strlen(rest) + 1);
    }
    return log;
}

static void assert_same_run(const char *run, const char *other) {
    char *a = log_without_time(run), *b = log_without_time(other);
    assert_string_equal(a, b);
    free(a);
    free(b);
    assert_same_file(run, other, "best.safetensors");
    assert_same_file(run, other, "last.safetensors");
}

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
    s.kind = TIPS_SCHEDULE_CONSTANT;
    assert_float_equal(tips__schedule_lr(&s, 5, 49), 1, 0);
}

static tips_train_result run_to_end(const tips_train_config *config) {
    tips_train_result result;
    const tips_status status = tips__train_run(config, NULL, &result);
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    return result;
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

/* Asks to stop after so many questions: one per step, one per batch of validation. */
static bool count_down(void *context) { return --*(int *)context == 0; }

static void stop_and_go_on(tips_train_config config, const char *whole, const char *pieces, const int *stops) {
    tips_train_result result;
    config.out = inside(whole);
    run_to_end(&config);
    config.out = inside(pieces);
    config.resume = true;
    for (; *stops; stops++) {
        int left = *stops;
        const tips_train_watch watch = {.stop = count_down, .context = &left};
        assert_int_equal(tips__train_run(&config, &watch, &result), TIPS_INTERRUPTED);
    }
    result = run_to_end(&config);
    assert_true(result.resumed);
    assert_same_run(whole, pieces);
}

static void test_going_on_changes_no_bit(void **state) {
    (void)state;
    /* 12 steps and 2 batches of validation an epoch: the stops are in the middle, at the last step, in validation. */
    stop_and_go_on(small_run(""), "whole", "pieces", (const int[]){5, 7, 1, 16, 0});
}

typedef struct listener {
    int left; /* steps until it asks to stop */
    char notes[512];
} listener;

static bool stop_there(void *context) { return --((listener *)context)->left == 0; }

static void write_down(void *context, const char *text) {
    char *notes = ((listener *)context)->notes;
    snprintf(notes, sizeof((listener *)0)->notes, "%s", text);
}

/* Begins with one thread, in a process that then has two; goes on as `threads` says. */
static listener go_on_with(const char *name, int threads) {
    tips_train_config c = small_run(name);
    tips_train_result result;
    listener l = {.left = 5};
    const tips_train_watch watch = {.stop = stop_there, .note = write_down, .context = &l};
    c.model.threads = 1;
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_INTERRUPTED);
    assert_int_equal(tips__train_threads_of(c.out), 1);
    assert_string_equal(l.notes, "");
    tips__threads_set(2);
    c.model.threads = threads;
    c.resume = true;
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_OK);
    assert_int_equal(tips__threads(), 2);
    return l;
}

/* The number of threads decides the order of sums, so it is part of the run: nobody has to repeat it. */
static void test_going_on_with_the_threads_it_began_with(void **state) {
    (void)state;
    tips_train_config one = small_run("one-thread"), two = small_run("two-threads");
    one.model.threads = 1;
    run_to_end(&one);
    run_to_end(&two);
    char *first = log_without_time("one-thread"), *second = log_without_time("two-threads");
    assert_string_not_equal(first, second); /* or nothing would be tested here */
    free(first);
    free(second);
    listener l = go_on_with("not-repeated", 0);
    assert_string_equal(l.notes, "");
    assert_same_run("one-thread", "not-repeated");
    l = go_on_with("other-number", 2);
    assert_non_null(strstr(l.notes, "began with --threads 1 and goes on with 2"));
}

static void test_going_on_with_sampling_and_augmentation(void **state) {
    (void)state;
    tips_train_config c = small_run("");
    c.model.pool = "lps";
    c.augment = (tips_augment){.flip = true, .crop = 2, .shift = TIPS_SHIFT_BOTH};
    c.epochs = 2;
    c.clip = 1;
    c.smoothing = 0.1;
    c.exempt_norms = true;
    c.schedule.kind = TIPS_SCHEDULE_COSINE;
    stop_and_go_on(c, "lps-whole", "lps-pieces", (const int[]){3, 13, 0});
}

static void test_going_on_with_adamw(void **state) {
    (void)state;
    tips_train_config c = small_run("");
    c.optimizer = "adamw:beta2=0.99";
    c.schedule.lr = 0.001;
    c.weight_decay = 0.05;
    c.exempt_norms = true;
    stop_and_go_on(c, "adamw-whole", "adamw-pieces", (const int[]){5, 7, 1, 16, 0});
    char *sgd_log = log_without_time("whole"), *log = log_without_time("adamw-whole");
    assert_string_not_equal(sgd_log, log);
    free(sgd_log);
    free(log);
}

enum { CLASSIFIER = 4 * 32 };

static void read_tensor(const char *name, float out[CLASSIFIER]) {
    tips_safetensors *file;
    assert_int_equal(tips__safetensors_open(inside("counted/checkpoint.safetensors"), &file), TIPS_OK);
    const int at = tips__safetensors_find(file, name);
    assert_true(at >= 0);
    assert_int_equal(tips__safetensors_read(file, at, out, CLASSIFIER), TIPS_OK);
    tips__safetensors_close(file);
}

/* Step t as its checkpoint tells it: w - w_before = -lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps). */
static void expect_step(int t, const float before[CLASSIFIER], float after[CLASSIFIER]) {
    float mean[CLASSIFIER], square[CLASSIFIER];
    read_tensor("fc.weight", after);
    read_tensor("exp_avg/fc.weight", mean);
    read_tensor("exp_avg_sq/fc.weight", square);
    for (int i = 0; i < CLASSIFIER; i++) {
        const double root = sqrt(square[i] / (1 - pow(0.99, t))) + 1e-8;
        assert_float_equal(after[i] - before[i], -0.125 * mean[i] / (1 - pow(0.9, t)) / root, 1e-6);
    }
}

/* Steps are counted from the first of the run, also by those that go on. */
static void test_adamw_knows_the_step(void **state) {
    (void)state;
    tips_train_config c = small_run("counted");
    float weights[4][CLASSIFIER];
    tips_train_result result;
    c.optimizer = "adamw:beta2=0.99";
    c.schedule = (tips_schedule){.kind = TIPS_SCHEDULE_CONSTANT, .lr = 0.125};
    c.weight_decay = 0;
    c.resume = true;
    for (int t = 1; t <= 3; t++) {
        int left = 1;
        c.out = inside("counted"); /* again: its text lives for a few calls */
        const tips_train_watch watch = {.stop = count_down, .context = &left};
        assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_INTERRUPTED);
        if (t > 1) expect_step(t, weights[t - 1], weights[t]);
        else read_tensor("fc.weight", weights[t]);
    }
}

static void refuse_run(const tips_train_config *config, const char *why) {
    tips_train_result result;
    assert_int_equal(tips__train_run(config, NULL, &result), TIPS_INVALID);
    if (!strstr(tips_last_error(), why)) fail_msg("'%s' is not said: %s", why, tips_last_error());
}

static void test_optimizers_are_not_mixed_up(void **state) {
    (void)state;
    tips_train_config c = small_run("adamw-momentum");
    c.optimizer = "adamw";
    c.momentum = 0.8;
    refuse_run(&c, "--momentum 0.8 is not for adamw, which has beta1 in its place: write --optimizer adamw:beta1=0.8");
    c = small_run("whole");
    c.resume = true;
    c.optimizer = "adamw";
    refuse_run(&c, "--optimizer was sgd when the run in");
    c = small_run("adamw-whole");
    c.resume = true;
    c.schedule.lr = 0.001;
    c.weight_decay = 0.05;
    c.exempt_norms = true;
    refuse_run(&c, "--optimizer was adamw:beta2=0.99 when the run in");
    assert_non_null(strstr(tips_last_error(), "and is sgd now"));
}

/* The summary in a model names the optimiser unless it is the one there always was. */
static void test_models_name_their_optimizer(void **state) {
    (void)state;
    tips_model_info info;
    assert_int_equal(tips__model_info_load(inside("adamw-whole/best.safetensors"), &info), TIPS_OK);
    assert_non_null(strstr(info.training, "\"optimizer\":\"adamw:beta2=0.99\""));
    tips__model_info_clear(&info);
    assert_int_equal(tips__model_info_load(inside("whole/best.safetensors"), &info), TIPS_OK);
    assert_null(strstr(info.training, "optimizer"));
    tips__model_info_clear(&info);
}

/* Rates that are not given are the optimiser's; those of SGD are what the table of options says. */
static void test_usual_rates(void **state) {
    (void)state;
    tips_train_config c;
    assert_int_equal(tips__options_defaults(tips__train_rows, &c), TIPS_OK);
    assert_float_equal(c.schedule.lr, strtod(tips__optimizer_sgd.lr, NULL), 0);
    assert_float_equal(c.weight_decay, strtod(tips__optimizer_sgd.weight_decay, NULL), 0);
}

static void test_lines_after_the_checkpoint_are_cut(void **state) {
    (void)state;
    tips_train_config c = small_run("cut");
    tips_train_result result;
    int left = 20;
    const tips_train_watch watch = {.stop = count_down, .context = &left};
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_INTERRUPTED);
    FILE *log = fopen(inside("cut/log.jsonl"), "ab");
    fputs("{\"epoch\":2,\"half a li", log);
    fclose(log);
    c.resume = true;
    run_to_end(&c);
    assert_same_run("whole", "cut");
}

static void test_a_folder_in_use_is_refused(void **state) {
    (void)state;
    tips_train_config c = small_run("whole");
    tips_train_result result;
    assert_int_equal(tips__train_run(&c, NULL, &result), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "--resume"));
    c.resume = true;
    c.schedule.lr = 0.5;
    assert_int_equal(tips__train_run(&c, NULL, &result), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "--lr was 0.05"));
    c = small_run("whole");
    c.resume = true;
    assert_int_equal(run_to_end(&c).epochs, 3); /* finished: nothing to do */
    c.out = NULL;
    assert_int_equal(tips__train_run(&c, NULL, &result), TIPS_INVALID);
}

/* Writes the checkpoint again without one of its options. */
static void forget_option(const char *path, const char *name) {
    tips_settings all = {0}, kept = {0};
    tips_loaded_model m;
    assert_int_equal(tips__model_load(inside("older/last.safetensors"), true, &m), TIPS_OK);
    tips_train_state state = tips__train_state_new(&m.model.assignment);
    assert_int_equal(tips__optimizer_prepare(&tips__optimizer_sgd, m.params), TIPS_OK);
    assert_int_equal(tips__checkpoint_load(path, m.params, &state), TIPS_OK);
    assert_int_equal(tips__checkpoint_settings(path, &all), TIPS_OK);
    assert_non_null(tips__settings_find(&all, name));
    for (int i = 0; i < all.count; i++)
        if (strcmp(all.items[i].name, name) != 0)
            assert_int_equal(tips__settings_add(&kept, all.items[i].name, all.items[i].value), TIPS_OK);
    assert_int_equal(tips__checkpoint_save(path, m.params, &state, &kept), TIPS_OK);
    tips__settings_clear(&all);
    tips__settings_clear(&kept);
    tips__train_state_clear(&state);
    tips__loaded_model_destroy(&m);
}

/* A run from before there was an option goes on with its default, and with nothing else. */
static void test_older_checkpoints(void **state) {
    (void)state;
    tips_train_config c = small_run("older");
    tips_train_result result;
    int left = 20;
    const tips_train_watch watch = {.stop = count_down, .context = &left};
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_INTERRUPTED);
    forget_option(inside("older/checkpoint.safetensors"), "smoothing");
    c.out = inside("older");
    c.resume = true;
    c.smoothing = 0.1;
    refuse_run(&c, "--smoothing was 0 when the run in");
    c.smoothing = 0;
    run_to_end(&c);
    assert_same_run("whole", "older");
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
        cmocka_unit_test(test_going_on_changes_no_bit),
        cmocka_unit_test(test_going_on_with_the_threads_it_began_with),
        cmocka_unit_test(test_going_on_with_sampling_and_augmentation),
        cmocka_unit_test(test_going_on_with_adamw),
        cmocka_unit_test(test_adamw_knows_the_step),
        cmocka_unit_test(test_optimizers_are_not_mixed_up),
        cmocka_unit_test(test_models_name_their_optimizer),
        cmocka_unit_test(test_usual_rates),
        cmocka_unit_test(test_lines_after_the_checkpoint_are_cut),
        cmocka_unit_test(test_a_folder_in_use_is_refused),
        cmocka_unit_test(test_older_checkpoints),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_a_loss_that_is_not_finite_names_the_layer),
        cmocka_unit_test(test_checking_names_the_first_layer),
        cmocka_unit_test(test_freezing),
        cmocka_unit_test(test_clipping_and_exempt_vectors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
