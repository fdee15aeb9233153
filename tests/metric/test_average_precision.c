/* Average precision against pycocotools' numbers and a naive computation of VOC's (tests/golden/detections.py), and
 * drawings of pictures against sets that repeat them. */
#include "support/compare.h"

#include "core/json_tree.h"
#include "core/memory.h"
#include "metric/average_precision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TIPS_AP_FIGURES] = {"ap",        "ap50",     "ap75",   "ap_small", "ap_medium",
                                                   "ap_large",  "ar1",      "ar10",   "ar100",    "ar_small",
                                                   "ar_medium", "ar_large", "voc_ap", "voc07_ap"};

enum { MOST_PICTURES = 64, MOST_LIST = 512 };

typedef struct set {
    int pictures, classes;
    tips_bytes scores[MOST_PICTURES];
    tips_picture_finds finds[MOST_PICTURES];
} set;

static int numbers_of(const tips_json_node *row, double *out) {
    int n = 0;
    for (const tips_json_node *v = row->first; v; v = v->next) out[n++] = v->number;
    return n;
}

static tips_json_node *open_cases(void) {
    const char *source = getenv("SOURCE_DIR");
    char path[4096];
    tips_json_node *tree;
    snprintf(path, sizeof path, "%s/tests/golden/average_precision.json", source ? source : ".");
    expect_ok(tips__json_tree_load(path, &tree));
    return tree;
}

/* `apart`: no two scores are equal. */
static void match_picture(const tips_json_node *c, int picture, bool apart, tips_bytes *out) {
    static tips_detection found[MOST_LIST];
    static tips_object there[MOST_LIST];
    int n_found = 0, n_there = 0;
    double v[16];
    int number = 0;
    for (const tips_json_node *row = tips__json_get(c, "detections")->first; row; row = row->next) {
        assert_int_equal(numbers_of(row, v), 7);
        if (apart) v[6] -= 1e-9 * number++;
        if ((int)v[0] != picture) continue;
        found[n_found++] = (tips_detection){v[2], v[3], v[4], v[5], v[6], (int32_t)v[1]};
    }
    for (const tips_json_node *row = tips__json_get(c, "objects")->first; row; row = row->next) {
        assert_int_equal(numbers_of(row, v), 8);
        if ((int)v[0] != picture) continue;
        there[n_there++] = (tips_object){v[2], v[3], v[4], v[5], v[6], (int32_t)v[1], v[7] != 0, false};
    }
    expect_ok(tips__match_finds(found, n_found, there, n_there, 0, out));
}

static set match_case(const tips_json_node *c, bool apart) {
    set s = {tips__json_get_int(c, "pictures", 0), tips__json_get_int(c, "classes", 0), {{0}}, {{0}}};
    for (int i = 0; i < s.pictures; i++) {
        match_picture(c, i, apart, &s.scores[i]);
        s.finds[i] = tips__finds_in(&s.scores[i], 0);
    }
    return s;
}

static void free_set(set *s) {
    for (int i = 0; i < s->pictures; i++) tips__bytes_clear(&s->scores[i]);
}

static void expect_figure(const char *what, const char *name, double got, double want) {
    if (!(fabs(got - want) <= 1e-9) && !(isnan(got) && isnan(want)))
        fail_msg("%s: %s is %.15g, not %.15g", what, name, got, want);
}

static double or_nan(const tips_json_node *value) { return value->kind == TIPS_JSON_NUMBER ? value->number : NAN; }

static void equal_to_others(void **state) {
    tips_json_node *cases = open_cases();
    int count = 0;
    (void)state;
    for (const tips_json_node *c = cases->first; c; c = c->next, count++) {
        const char *what = tips__json_get_text(c, "name", "");
        const tips_json_node *figures = tips__json_get(c, "figures");
        double got[TIPS_AP_FIGURES], ap, ap50;
        set s = match_case(c, false);
        tips_ap_index *index;
        expect_ok(tips__ap_index_create(s.finds, s.pictures, &index));
        tips__ap_figures(index, NULL, 0, got);
        for (int f = 0; f < TIPS_AP_FIGURES; f++)
            expect_figure(what, names[f], got[f], or_nan(tips__json_get(figures, names[f])));
        tips__ap_pair(index, NULL, 0, &ap, &ap50);
        expect_figure(what, "ap alone", ap, got[TIPS_AP]);
        expect_figure(what, "ap50 alone", ap50, got[TIPS_AP50]);
        int label = 0;
        for (const tips_json_node *v = tips__json_get(c, "per_class")->first; v; v = v->next, label++)
            expect_figure(what, "a class", tips__ap_of_class(index, NULL, 0, label), or_nan(v));
        assert_int_equal(label, s.classes);
        tips__ap_index_destroy(index);
        free_set(&s);
    }
    assert_true(count >= 8);
    tips__json_tree_free(cases);
}

static uint64_t draw_state = 1;
static int below(int n) {
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((draw_state >> 33) % (uint64_t)n);
}

/* Pictures that are drawn several times are as many pictures. (Equal scores on one would alternate between its copies.)
 */
static void drawings_are_sets(void **state) {
    tips_json_node *cases = open_cases();
    (void)state;
    for (const tips_json_node *c = cases->first; c; c = c->next) {
        set s = match_case(c, true);
        tips_ap_index *index;
        expect_ok(tips__ap_index_create(s.finds, s.pictures, &index));
        for (int round = 0; round < 20; round++) {
            tips_picture_finds repeated[MOST_PICTURES];
            double got[TIPS_AP_FIGURES], want[TIPS_AP_FIGURES];
            int drawn[MOST_PICTURES], n = 0;
            for (int i = 0; i < s.pictures; i++)
                for (int often = below(3); often > 0 && n < MOST_PICTURES; often--)
                    drawn[n] = i, repeated[n++] = s.finds[i];
            tips_ap_index *other;
            expect_ok(tips__ap_index_create(repeated, n, &other));
            tips__ap_figures(other, NULL, 0, want);
            tips__ap_figures(index, drawn, n, got);
            for (int f = 0; f < TIPS_AP_FIGURES; f++) expect_figure("drawn", names[f], got[f], want[f]);
            tips__ap_index_destroy(other);
        }
        tips__ap_index_destroy(index);
        free_set(&s);
    }
    tips__json_tree_free(cases);
}

static void intervals(void **state) {
    tips_json_node *cases = open_cases();
    set s = match_case(cases->first, false);
    tips_figure x[TIPS_AP_FIGURES], y[TIPS_AP_FIGURES], one;
    double plain[TIPS_AP_FIGURES];
    tips_ap_index *index;
    (void)state;
    expect_ok(tips__ap_index_create(s.finds, s.pictures, &index));
    tips__ap_figures(index, NULL, 0, plain);
    expect_ok(tips__ap_intervals(index, x));
    expect_ok(tips__ap_intervals(index, y));
    assert_memory_equal(x, y, sizeof x);
    for (int f = 0; f < TIPS_AP_FIGURES; f++) {
        expect_figure("in percent", names[f], x[f].value, 100 * plain[f]);
        assert_true(x[f].low < x[f].value && x[f].value < x[f].high);
        assert_true(x[f].low >= 0 && x[f].high <= 100);
    }
    expect_ok(tips__ap_class_interval(index, 1, &one));
    expect_figure("a class", "in percent", one.value, 100 * tips__ap_of_class(index, NULL, 0, 1));
    expect_ok(tips__ap_class_interval(index, 99, &one));
    assert_true(isnan(one.value));
    tips__ap_index_destroy(index);
    free_set(&s);
    tips__json_tree_free(cases);
}

/* An object to be ignored is neither missed nor, if found, counted; unlike a crowd it is found once. */
static void ignored_objects(void **state) {
    const tips_object there[] = {{0, 0, 10, 10, 100, 0, false, true}, {20, 0, 10, 10, 100, 0, false, false}};
    const tips_detection found[] = {{0, 0, 10, 10, 0.9, 0}, {0, 0, 10, 9, 0.8, 0}, {20, 0, 10, 10, 0.7, 0}};
    tips_bytes bytes = {0};
    (void)state;
    expect_ok(tips__match_finds(found, 3, there, 2, 16, &bytes));
    const tips_picture_finds f = tips__finds_in(&bytes, 16);
    assert_int_equal(f.n_finds, 3);
    assert_int_equal(f.n_classes, 1);
    assert_int_equal(f.classes[0].count[TIPS_AREA_ALL], 1);
    assert_int_equal(f.classes[0].count[TIPS_AREA_LARGE], 0);
    assert_int_equal(f.finds[0].hit[0] | f.finds[0].miss[0], 0);
    assert_int_equal(f.finds[1].hit[0], 0);
    assert_int_equal(f.finds[1].miss[0], (1 << TIPS_COCO_THRESHOLDS) - 1); /* VOC's difficult ones take any number */
    assert_int_equal(f.finds[2].hit[0], (1 << TIPS_RULES) - 1);
    assert_int_equal(f.finds[2].miss[0], 0);
    tips__bytes_clear(&bytes);
}

static void memory_runs_out(void **state) {
    tips_json_node *cases = open_cases();
    const tips_json_node *c = cases->first;
    set s = match_case(c, false);
    const tips_find *finds = s.finds[3].finds;
    tips_detection found[MOST_LIST];
    tips_bytes bytes = {0};
    tips_ap_index *index;
    (void)state;
    for (int i = 0; i < s.finds[3].n_finds; i++) found[i] = (tips_detection){0, 0, 1, 1, finds[i].score, 0};
    for (uint64_t n = 1;; n++) {
        tips__alloc_fail_at(n);
        const tips_status status = tips__match_finds(found, s.finds[3].n_finds, NULL, 0, 0, &bytes);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) break;
        assert_int_equal(status, TIPS_MEMORY);
    }
    for (uint64_t n = 1;; n++) {
        tips__alloc_fail_at(n);
        const tips_status status = tips__ap_index_create(s.finds, s.pictures, &index);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) break;
        assert_int_equal(status, TIPS_MEMORY);
    }
    tips__ap_index_destroy(index);
    tips__bytes_clear(&bytes);
    free_set(&s);
    tips__json_tree_free(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_others), cmocka_unit_test(drawings_are_sets), cmocka_unit_test(intervals),
        cmocka_unit_test(ignored_objects), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
