/* A small form of every family, and of every norm: two runs leave the same bits, and so does a run that was stopped and
 * goes on in a process with another number of threads, for it goes on with those it began with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "core/threads.h"
#include "support/train_runs.h"

typedef struct small_network {
    const char *arch;
    int width;
    const char *pool, *norm;
    double dropout, drop_path; /* -1: the family's own */
} small_network;

/* Dropout and stochastic depth are on wherever a family has them. */
static const small_network networks[] = {
    {"mobilenet_v1", 8, "tips-exact", "batch", -1, -1},
    {"mobilenet_v2", 8, "max", "batch", -1, -1},
    {"mobilenet_v3_small", 8, "aps", "batch", -1, -1},
    {"vgg11_bn", 8, "tips-exact", "batch", -1, -1},
    {"densenet_bc_40_12", 8, "lps", "batch", -1, -1},
    {"efficientnet_b0", 8, "tips-exact", "batch", -1, -1},
    {"vit_tiny", 32, "stride", "batch", 0.1, 0.3},
    {"vit_tiny", 32, "tips-exact", "batch", 0.1, 0.3},
    {"swin_tiny", 16, "stride", "batch", 0.1, 0.3},
    {"swin_tiny", 16, "lps", "batch", 0.1, 0.3},
    {"unet", 8, "tips-exact", "batch", -1, -1},
    {"deeplabv3plus", 8, "max", "batch", -1, -1},
    {"retinanet", 8, "tips-exact", "batch", -1, -1},
    {"fasterrcnn", 8, "tips-exact", "batch", -1, -1},
    {"tiny", 8, "tips-exact", "layer", -1, -1},
    {"tiny", 8, "tips-exact", "group:4", -1, -1},
    {"tiny", 8, "tips-exact", "instance", -1, -1},
    {"tiny", 8, "tips-exact", "kernel", -1, -1},
    {"tiny", 8, "tips-exact", "none", -1, -1},
};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* Five steps and a batch of validation an epoch. */
static tips_train_config run_of(const small_network *n, const char *name, int threads) {
    tips_train_config c = small_run(name);
    c.data = "shapes:size=16,train=46,test=8,classes=4";
    c.model.arch = n->arch;
    c.model.width = n->width;
    c.model.pool = n->pool;
    c.model.norm = n->norm;
    c.model.dropout = n->dropout;
    c.model.drop_path = n->drop_path;
    c.model.threads = threads;
    c.epochs = 2;
    c.schedule.lr = 0.01;
    return c;
}

static void stop_after(const tips_train_config *config, int steps) {
    int left = steps;
    tips_train_result result;
    const tips_train_watch watch = {.stop = count_down, .context = &left};
    if (tips__train_run(config, &watch, &result) != TIPS_INTERRUPTED) fail_msg("it did not stop");
}

/* `threads` begin; what goes on is not told how many they were. */
static void check(const small_network *n, int number, int threads) {
    char whole[32], again[32], pieces[32];
    snprintf(whole, sizeof whole, "whole-%d", number);
    snprintf(again, sizeof again, "again-%d", number);
    snprintf(pieces, sizeof pieces, "pieces-%d", number);
    print_message("%s, %s, norm %s, %d threads\n", n->arch, n->pool, n->norm, threads);
    tips_train_config c = run_of(n, whole, threads);
    run_to_end(&c);
    c = run_of(n, again, threads);
    run_to_end(&c);
    assert_same_run(whole, again);
    c = run_of(n, pieces, threads);
    stop_after(&c, 3);
    tips__threads_set(3 - threads);
    c.model.threads = 0;
    c.resume = true;
    stop_after(&c, 4);
    assert_true(run_to_end(&c).resumed);
    assert_same_run(whole, pieces);
}

static void test_families(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) check(&networks[i], i, 1 + i % 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families)};
    return cmocka_run_group_tests(tests, make_run_folder, remove_run_folder);
}
