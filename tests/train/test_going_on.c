/* Stopping and going on: no bit changes, whatever the optimiser, the sampling and the threads; the rest is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/level.h"
#include "model/open_model.h"
#include "net/net.h"
#include "optimizer/gradient_norm.h"
#include "core/threads.h"
#include "support/class_maker.h"
#include "support/train_runs.h"

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

/* What is drawn for mixing depends on the step, not on how often the run was stopped. */
static void test_going_on_with_mixed_pictures(void **state) {
    tips_train_config mixed = small_run("");
    (void)state;
    mixed.mixing = (tips_mixing){.mixup = 0.4, .cutmix = 1};
    stop_and_go_on(mixed, "mixed", "mixed-pieces", (const int[]){5, 9, 0});
    mixed = small_run("plain");
    run_to_end(&mixed);
    char *a = log_without_time("mixed"), *b = log_without_time("plain");
    assert_string_not_equal(a, b);
    free(a);
    free(b);
}

/* The average goes on where it was, and is what is saved. */
static void test_going_on_with_an_average(void **state) {
    tips_train_config averaged = small_run("");
    (void)state;
    averaged.ema = 0.9;
    stop_and_go_on(averaged, "averaged", "averaged-pieces", (const int[]){5, 9, 14, 0});
    averaged = small_run("latest");
    run_to_end(&averaged);
    char *a = log_without_time("averaged"), *b = log_without_time("latest");
    assert_string_not_equal(a, b);
    free(a);
    free(b);
}

/* Norms of a sample keep nothing beside the weights; what kernel norm leaves out is drawn by seed and step. */
static void test_going_on_with_norms(void **state) {
    static const char *const norms[][3] = {{"layer", "layer", "layer-pieces"}, {"group:4", "group", "group-pieces"},
                                           {"instance", "instance", "instance-pieces"}, {"none", "none", "none-pieces"},
                                           {"kernel", "kernel", "kernel-pieces"}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        tips_train_config c = small_run("");
        c.model.norm = norms[i][0];
        c.epochs = 1;
        stop_and_go_on(c, norms[i][1], norms[i][2], (const int[]){5, 0});
    }
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
    /* Or nothing would be tested here. At the lowest level, oneDNN's sums do not depend on the number of threads. */
    if (strcmp(tips__level()->name, "baseline") != 0) assert_string_not_equal(first, second);
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

/* Writes the checkpoint again without one of its options, or with another value. */
static void change_option(const char *run, const char *name, const char *value) {
    char path[256], model[256];
    tips_settings all = {0}, kept = {0};
    tips_loaded_model m;
    snprintf(path, sizeof path, "%s/checkpoint.safetensors", inside(run));
    snprintf(model, sizeof model, "%s/last.safetensors", inside(run));
    assert_int_equal(tips__model_load(model, true, &m), TIPS_OK);
    tips_train_state state = tips__train_state_new(&m.model.assignment);
    assert_int_equal(tips__optimizer_prepare(&tips__optimizer_sgd, m.params), TIPS_OK);
    assert_int_equal(tips__checkpoint_load(path, m.params, &state), TIPS_OK);
    assert_int_equal(tips__checkpoint_settings(path, &all), TIPS_OK);
    assert_non_null(tips__settings_find(&all, name));
    if (value) assert_int_equal(tips__settings_add(&kept, name, value), TIPS_OK);
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
    change_option("older", "smoothing", NULL);
    c.out = inside("older");
    c.resume = true;
    c.smoothing = 0.1;
    refuse_run(&c, "--smoothing was 0 when the run in");
    c.smoothing = 0;
    run_to_end(&c);
    assert_same_run("whole", "older");
}

/* Checkpoints say all options of the operator; an older one that does not means what there was then. */
static void test_checkpoints_spell_the_operator_out(void **state) {
    (void)state;
    tips_train_config c = small_run("spelt");
    tips_train_result result;
    tips_settings kept = {0};
    int left = 20;
    const tips_train_watch watch = {.stop = count_down, .context = &left};
    const char *pool = c.model.pool;
    assert_int_equal(tips__train_run(&c, &watch, &result), TIPS_INTERRUPTED);
    assert_int_equal(tips__checkpoint_settings(inside("spelt/checkpoint.safetensors"), &kept), TIPS_OK);
    assert_non_null(strstr(tips__settings_find(&kept, "pool"), "before="));
    tips__settings_clear(&kept);
    change_option("spelt", "pool", pool);
    c.out = inside("spelt");
    c.resume = true;
    c.model.pool = "tips-exact:before=max";
    refuse_run(&c, "--pool was");
    c.model.pool = "tips-exact:before=none";
    run_to_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_going_on_changes_no_bit),
        cmocka_unit_test(test_going_on_with_mixed_pictures),
        cmocka_unit_test(test_going_on_with_an_average),
        cmocka_unit_test(test_going_on_with_norms),
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
        cmocka_unit_test(test_checkpoints_spell_the_operator_out),
    };
    return cmocka_run_group_tests(tests, make_run_folder, remove_run_folder);
}
