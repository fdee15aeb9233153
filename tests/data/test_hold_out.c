/* Held-out pictures: every class gives its share and keeps a picture, whatever the seed. */
#include "core/rng.h"
#include "data/hold_out.h"
#include "data/permutation.h"
#include "support/compare.h"

#include <string.h>

enum { MOST = 4096, MOST_CLASSES = 64, SEEDS = 20 };

typedef struct trial {
    tips_item items[MOST];
    int order[MOST], counts[MOST_CLASSES], held[MOST_CLASSES];
    bool is_held[MOST];
    int pictures, classes, total;
} trial;

static trial t;

/* `sizes` ends with -1; class after class, as folders are read. */
static void make(const int *sizes) {
    memset(&t, 0, sizeof t);
    for (; sizes[t.classes] >= 0; t.classes++) {
        t.counts[t.classes] = sizes[t.classes];
        for (int i = 0; i < sizes[t.classes]; i++) t.items[t.pictures++].label = t.classes;
    }
}

static void hold_out(uint64_t seed, int wanted) {
    const tips_items items = {.rows = t.items, .count = t.pictures, .room = t.pictures};
    int sum = 0;
    tips__permutation((tips_rng){seed, 1}, t.pictures, t.order);
    expect_ok(tips__hold_out(&items, t.classes, t.order, wanted, t.is_held, &t.total));
    memset(t.held, 0, sizeof t.held);
    for (int i = 0; i < t.pictures; i++) t.held[t.items[i].label] += t.is_held[i];
    for (int k = 0; k < t.classes; k++) sum += t.held[k];
    assert_int_equal(sum, t.total);
}

/* Nobody gets less than the whole part of its share, or more than that and one, and nobody gives its last picture. */
static void expect_fair(int wanted) {
    assert_int_equal(t.total, wanted);
    for (int k = 0; k < t.classes; k++) {
        const int whole = (int)((long)wanted * t.counts[k] / t.pictures);
        assert_in_range(t.held[k], whole, whole + 1);
        assert_true(t.held[k] < t.counts[k] || t.counts[k] == 0);
    }
}

static void test_fair(void **state) {
    static const int sizes[][9] = {{500, 24, 1, -1},
                                   {100, 100, 100, -1},
                                   {7, 5, 3, 2, 1, 1, 0, -1},
                                   {1000, 2, 2, 2, -1},
                                   {30, 29, 28, 27, 26, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            make(sizes[i]);
            const int wanted = (t.pictures + 5) / 10;
            hold_out(seed, wanted);
            expect_fair(wanted);
        }
}

/* What is too much for some is taken from the others; what is too much for all is not taken. */
static void test_small_classes(void **state) {
    (void)state;
    make((const int[]){2, 2, 2, 40, -1});
    hold_out(3, 41);
    assert_int_equal(t.total, 41);
    for (int k = 0; k < 3; k++) assert_int_equal(t.held[k], 1);
    hold_out(3, 45);
    assert_int_equal(t.total, 42);
    make((const int[]){1, 1, 1, -1});
    hold_out(3, 1);
    assert_int_equal(t.total, 0);
    make((const int[]){1, 2, 1, -1});
    hold_out(3, 1);
    assert_int_equal(t.held[1], 1);
}

/* Equal remainders: the seed decides which classes give one, and again the same with the same seed. */
static void test_seeds(void **state) {
    int given[10] = {0}, before[10];
    (void)state;
    make((const int[]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5, -1});
    for (uint64_t seed = 1; seed <= 60; seed++) {
        hold_out(seed, 5);
        memcpy(before, t.held, sizeof before);
        hold_out(seed, 5);
        assert_memory_equal(before, t.held, sizeof before);
        for (int k = 0; k < 10; k++) given[k] += t.held[k];
    }
    for (int k = 0; k < 10; k++) assert_in_range(given[k], 10, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fair), cmocka_unit_test(test_small_classes),
                                       cmocka_unit_test(test_seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
