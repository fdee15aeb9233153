/* A report takes an evaluation as it is in memory and as it is in eval.json: both must end in the same values. */
#include "support/compare.h"

#include "core/json.h"
#include "core/memory.h"
#include "evaluate/evaluate_json.h"
#include "report/report_gather.h"
#include "report/report_parts.h"

#include <math.h>
#include <string.h>

static tips_evaluate_result evaluate(bool levels, int grid_images, bool msb, int protocol) {
    const tips_evaluate_config config = {
        .network =
            {.arch = "tiny", .pool = "aps", .padding = TIPS_PAD_CIRCULAR, .size = {16, 16}, .seed = 3, .threads = 1},
        .data = "shapes:size=16,train=20,test=12",
        .split = TIPS_SPLIT_TEST,
        .protocol = protocol,
        .levels = levels,
        .msb = msb,
        .grid_images = grid_images,
        .batch = 4};
    tips_evaluate_result result;
    expect_ok(tips__evaluate_run(&config, &result));
    return result;
}

static void take_text(const tips_evaluate_result *r, tips_report_evaluation *out) {
    tips_json *json;
    tips_json_node *tree;
    const char *text;
    size_t length;
    expect_ok(tips__json_create(&json));
    tips__evaluate_put(json, r);
    expect_ok(tips__json_result(json, &text, &length));
    expect_ok(tips__json_tree_parse(text, length, &tree));
    expect_ok(tips__report_take_json(tree, out));
    tips__json_tree_free(tree);
    tips__json_destroy(json);
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_figure(tips_figure a, tips_figure b) {
    return same_number(a.value, b.value) && same_number(a.low, b.low) && same_number(a.high, b.high);
}

static void expect_same_shift(const tips_report_shift *a, const tips_report_shift *b) {
    assert_int_equal(a->n_levels, b->n_levels);
    assert_true(a->levels_from_map == b->levels_from_map);
    for (int i = 0; i < a->n_levels; i++)
        assert_true(a->sizes[i] == b->sizes[i] && same_figure(a->levels[i], b->levels[i]));
    assert_int_equal(a->map_images, b->map_images);
    assert_memory_equal(a->low, b->low, sizeof a->low);
    assert_memory_equal(a->high, b->high, sizeof a->high);
    const int cells = a->map_images ? (a->high[0] - a->low[0] + 1) * (a->high[1] - a->low[1] + 1) : 0;
    for (int i = 0; i < cells; i++) assert_true(same_number(a->cells[i], b->cells[i]));
}

static void expect_same(const tips_report_evaluation *a, const tips_report_evaluation *b) {
    assert_string_equal(a->data, b->data);
    assert_string_equal(a->split, b->split);
    assert_string_equal(a->protocol, b->protocol);
    assert_true(a->images == b->images && a->pairs == b->pairs && a->n_layers == b->n_layers);
    for (int i = 0; tips__metric_at(a->figures.task, i); i++)
        if (!same_figure(tips__figure_at(&a->figures, i), tips__figure_at(&b->figures, i)))
            fail_case("%s differs", tips__metric_at(a->figures.task, i)->name);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) expect_same_shift(&a->shift[kind], &b->shift[kind]);
    for (int i = 0; i < a->n_layers; i++) {
        assert_string_equal(a->layers[i].name, b->layers[i].name);
        assert_true(same_figure(a->layers[i].msb, b->layers[i].msb));
        assert_true(same_figure(a->layers[i].nontrivial, b->layers[i].nontrivial));
    }
}

static tips_report_data make_report(tips_report_run **run) {
    tips_report_data d = {.n_runs = 1};
    expect_ok(tips__new_zero(&d.runs, sizeof *d.runs, "a run"));
    *run = d.runs;
    return d;
}

static void compare(bool levels, int grid_images, bool msb, int protocol) {
    tips_report_run *direct, *read;
    tips_report_data a = make_report(&direct), b = make_report(&read);
    tips_evaluate_result result = evaluate(levels, grid_images, msb, protocol);
    test_case("%d levels, %d pictures of the heat map, %d MSB, protocol %d", levels, grid_images, msb, protocol);
    expect_ok(tips__report_take_result(&result, &result.models[0], &direct->evaluation));
    take_text(&result, &read->evaluation);
    expect_same(&direct->evaluation, &read->evaluation);
    tips__evaluate_free(&result);
    tips__report_free(&a);
    tips__report_free(&b);
}

static void test_both_ways(void **state) {
    (void)state;
    for (int levels = 0; levels < 2; levels++)
        for (int grid_images = 0; grid_images < 8; grid_images += 5) compare(levels, grid_images, levels == 0, 0);
    compare(false, 5, true, 5); /* frames */
}

/* Whichever allocation fails, what was taken is freed with the report. */
static void test_memory(void **state) {
    tips_evaluate_result result = evaluate(true, 3, true, 0);
    tips_status status = TIPS_MEMORY;
    (void)state;
    for (uint64_t n = 1; status == TIPS_MEMORY; n++) {
        tips_report_run *run;
        tips_report_data d = make_report(&run);
        tips__alloc_fail_at(n);
        status = tips__report_take_result(&result, &result.models[0], &run->evaluation);
        tips__alloc_fail_at(0);
        tips__report_free(&d);
    }
    expect_ok(status);
    tips__evaluate_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
