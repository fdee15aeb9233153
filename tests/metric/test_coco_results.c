/* Results that are written read back to the same bits, by this reader and as plain JSON. */
#include "support/compare.h"
#include "support/temporary.h"

#include "core/json_tree.h"
#include "metric/coco_results.h"

#include <math.h>
#include <string.h>

enum { RESULTS = 50 };

static uint64_t draw_state = 1;
static double draw(void) {
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(draw_state >> 11) / 9007199254740992.0;
}

static tips_coco_result draw_result(int i) {
    return (tips_coco_result){.picture = i == 3 ? 900719925474099 : i / 3,
                              .category = 1 + i % 80,
                              .bbox = {i % 5 ? 1000 * draw() : -3, 1e-7 * draw(), 1e6 * draw(), i % 7 ? draw() : 0},
                              .score = i % 4 ? draw() : 1};
}

static tips_status check(void *context, const tips_coco_result *got, size_t number) {
    const tips_coco_result *results = context;
    assert_true(number >= 1 && number <= RESULTS);
    const tips_coco_result *want = &results[number - 1];
    assert_true(got->picture == want->picture && got->category == want->category && got->score == want->score);
    assert_memory_equal(got->bbox, want->bbox, sizeof got->bbox);
    return TIPS_OK;
}

static void write_all(const char *path, const tips_coco_result *results, int n) {
    tips_results_writer *w;
    expect_ok(tips__coco_results_open(path, &w));
    for (int i = 0; i < n; i++) expect_ok(tips__coco_results_add(w, &results[i]));
    expect_ok(tips__coco_results_commit(w));
}

static void round_trip(void **state) {
    tips_coco_result results[RESULTS];
    tips_json_node *tree;
    const char *path = path_in_temporary("results.json");
    (void)state;
    for (int i = 0; i < RESULTS; i++) results[i] = draw_result(i);
    write_all(path, results, RESULTS);
    expect_ok(tips__coco_results_read(path, check, results));
    expect_ok(tips__json_tree_load(path, &tree));
    assert_int_equal(tree->count, RESULTS);
    int i = 0;
    for (const tips_json_node *entry = tree->first; entry; entry = entry->next, i++) {
        const tips_json_node *v = tips__json_get(entry, "bbox")->first;
        assert_int_equal(entry->count, 4);
        assert_true(tips__json_get_number(entry, "score") == results[i].score);
        for (int k = 0; k < 4; k++, v = v->next) assert_true(v->number == results[i].bbox[k]);
    }
    tips__json_tree_free(tree);
    write_all(path, NULL, 0);
    expect_ok(tips__json_tree_load(path, &tree));
    assert_true(tree->kind == TIPS_JSON_ARRAY && tree->count == 0);
    tips__json_tree_free(tree);
    remove_temporary();
}

/* An old file stays until a new one is whole. */
static void given_up(void **state) {
    tips_coco_result results[RESULTS];
    tips_results_writer *w;
    const char *path = path_in_temporary("results.json");
    (void)state;
    for (int i = 0; i < RESULTS; i++) results[i] = draw_result(i);
    write_all(path, results, RESULTS);
    expect_ok(tips__coco_results_open(path, &w));
    expect_ok(tips__coco_results_add(w, &results[0]));
    assert_int_equal(tips__coco_results_add(w, &(tips_coco_result){.picture = 5, .score = NAN}), TIPS_NUMERIC);
    assert_non_null(strstr(tips_last_error(), "picture 5"));
    tips__coco_results_abandon(w);
    tips__coco_results_abandon(NULL);
    expect_ok(tips__coco_results_read(path, check, results));
    remove_temporary();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
