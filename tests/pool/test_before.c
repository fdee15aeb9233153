/* What comes before the sampling: the same bits as its layers placed by hand, in their order and in front of every
 * operator; the usual poolings are such a step and a stride; a stand-in for max pooling takes no second maximum; files
 * from before there was the option have none. */
#include "support/pool_trial.h"

#include "layer/layers.h"

#include <stdlib.h>
#include <string.h>

static const pool_setting settings[] = {
    {{2, 2}, 2, 5, 6, 8, TIPS_PAD_CIRCULAR, 0},
    {{3, 2}, 2, 20, 9, 6, TIPS_PAD_ZERO, 0},
    {{2, 2}, 1, 3, 7, 5, TIPS_PAD_REFLECT, 3},
    {{1, 2}, 2, 3, 4, 6, TIPS_PAD_REPLICATE, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void expect_same_run(pool_trial *a, pool_trial *b) {
    for (int training = 0; training < 2; training++) {
        const tips_net_options options = trial_options(&a->t, training);
        results got = trial_run(&a->t, &options), want = trial_run(&b->t, &options);
        expect_same_results(&a->t, &got, &want);
        results_free(&a->t, &got);
        results_free(&b->t, &want);
    }
    trial_free(&a->t);
    trial_free(&b->t);
}

/* ---- by hand ---- */

static tips_value maximum(tips_graph *g, const pool_setting *s, int h, int w, tips_value x) {
    const tips_dense_max config = {.kernel = {h, w}, .mode = s->padding};
    return tips__graph_add(g, &tips__layer_dense_max, "by hand 1", &config, &x, 1);
}

static tips_value mean(tips_graph *g, const pool_setting *s, int h, int w, tips_value x) {
    const int kernel[2] = {h, w}, one[2] = {1, 1};
    const tips_avg_pool config = {.kernel = {h, w}, .stride = {1, 1},
                                  .padding = tips__same_padding(s->padding, kernel, one)};
    return tips__graph_add(g, &tips__layer_avg_pool, "by hand 2", &config, &x, 1);
}

static tips_value filter(tips_graph *g, const pool_setting *s, int size, tips_value x) {
    return tips__graph_add(g, &tips__layer_lpf, "by hand 3", &(tips_lpf){.size = size, .mode = s->padding}, &x, 1);
}

typedef tips_value steps(tips_graph *g, const pool_setting *s, tips_value x);

static tips_value steps_none(tips_graph *g, const pool_setting *s, tips_value x) {
    (void)g, (void)s;
    return x;
}
static tips_value steps_max(tips_graph *g, const pool_setting *s, tips_value x) {
    return maximum(g, s, s->stride[0], s->stride[1], x);
}
static tips_value steps_max5(tips_graph *g, const pool_setting *s, tips_value x) { return maximum(g, s, 5, 5, x); }
static tips_value steps_avg(tips_graph *g, const pool_setting *s, tips_value x) {
    return mean(g, s, s->stride[0], s->stride[1], x);
}
static tips_value steps_max3_lpf4(tips_graph *g, const pool_setting *s, tips_value x) {
    return filter(g, s, 4, maximum(g, s, 3, 3, x));
}
static tips_value steps_lpf4_max3(tips_graph *g, const pool_setting *s, tips_value x) {
    return maximum(g, s, 3, 3, filter(g, s, 4, x));
}
static tips_value steps_avg3_max_lpf7(tips_graph *g, const pool_setting *s, tips_value x) {
    return filter(g, s, 7, maximum(g, s, s->stride[0], s->stride[1], mean(g, s, 3, 3, x)));
}

static const struct {
    const char *before;
    steps *by_hand;
} chains[] = {{"none", steps_none},           {"max", steps_max},
              {"max5", steps_max5},           {"avg", steps_avg},
              {"max3+lpf4", steps_max3_lpf4}, {"lpf4+max3", steps_lpf4_max3},
              {"avg3+max+lpf7", steps_avg3_max_lpf7}};
enum { CHAINS = sizeof chains / sizeof *chains };

static pool_trial by_hand(const char *pool, const pool_setting *s, steps *first) {
    pool_trial p = {.t = trial_start(s->n)};
    char text[VARIANT_SIZE];
    snprintf(text, sizeof text, "%s:before=none", pool);
    expect_ok(tips__pool_parse(text, s->lpf, &p.spec));
    p.t.weights = (tips_loss_weights){1, 0.3, 0.7};
    const tips_value x = first(p.t.graph, s, trial_map(&p.t, s->c, s->h, s->w));
    trial_output(&p.t, tips__pool_add(p.t.graph, "pool", &p.spec, s->stride, s->padding, x, NULL, &p.selection));
    if (p.selection.phase != TIPS_NO_VALUE) trial_output(&p.t, p.selection.phase);
    if (p.selection.weights != TIPS_NO_VALUE) trial_output(&p.t, p.selection.weights);
    trial_ready(&p.t, 11);
    return p;
}

static void test_by_hand(void **state) {
    (void)state;
    static const char *const pools[] = {"stride", "max", "blur", "aps", "lps", "ddac", "tips", "tips-exact"};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        for (int c = 0; c < CHAINS; c++)
            for (int k = 0; k < SETTINGS; k++) {
                char text[VARIANT_SIZE];
                snprintf(text, sizeof text, "%s:before=%s", pools[i], chains[c].before);
                test_case("%s, %s", text, setting_name(&settings[k]));
                pool_trial got = pool_alone(text, &settings[k], false, 11);
                got.t.weights = (tips_loss_weights){1, 0.3, 0.7};
                pool_trial want = by_hand(pools[i], &settings[k], chains[c].by_hand);
                expect_same_run(&got, &want);
            }
}

/* ---- max pooling is a step and a stride: of two, the window begins at its pixel ---- */

static void test_usual_poolings(void **state) {
    (void)state;
    for (int k = 0; k < SETTINGS; k++) {
        pool_setting s = settings[k];
        if (s.stride[0] > 2) continue;
        s.lpf = 0;
        s.h -= s.h % s.stride[0], s.w -= s.w % s.stride[1];
        test_case("stride:before=max is max, %s", setting_name(&s));
        pool_trial got = pool_alone("stride:before=max", &s, false, 5), want = pool_alone("max", &s, false, 5);
        expect_same_run(&got, &want);
    }
}

/* ---- stand-ins for max pooling ---- */

static void expect_behind_max(const char *text, const char *left) {
    tips_pool_spec spec;
    char got[VARIANT_SIZE];
    test_case("%s behind a maximum", text);
    expect_ok(tips__pool_parse(text, 3, &spec));
    const tips_pool_spec behind = tips__pool_behind_max(&spec);
    tips__pool_format(&behind, got, sizeof got);
    assert_string_equal(got, left);
    assert_int_equal(behind.lpf, 3);
}

static void test_behind_max(void **state) {
    (void)state;
    expect_behind_max("aps:before=max", "aps");
    expect_behind_max("aps:before=max3+lpf3", "aps:before=lpf3");
    expect_behind_max("aps:p=1,before=avg+max5+lpf7+max", "aps:p=1,before=avg+lpf7");
    expect_behind_max("aps:before=lpf2", "aps:before=lpf2");
}

/* ---- texts ---- */

static void expect_round_trip(const char *text, const char *want) {
    tips_pool_spec spec, again;
    char whole[1024], shortly[1024];
    test_case("%s", text);
    expect_ok(tips__pool_parse(text, 0, &spec));
    tips__pool_format(&spec, shortly, sizeof shortly);
    assert_string_equal(shortly, want);
    tips__pool_format_all(&spec, whole, sizeof whole);
    if (!strstr(whole, "before=")) fail_case("'%s' leaves open what comes before", whole);
    expect_ok(tips__pool_parse_stored(whole, 0, &again));
    assert_memory_equal(&spec, &again, sizeof spec);
}

static void test_texts(void **state) {
    (void)state;
    expect_round_trip("aps:before=none", "aps");
    expect_round_trip("aps:before=max+lpf3", "aps:before=max+lpf3");
    expect_round_trip("tips-exact", "tips-exact");
    expect_round_trip("tips-exact:before=avg+avg+avg+avg", "tips-exact:before=avg+avg+avg+avg");
}

static void test_older_files(void **state) {
    (void)state;
    for (const tips_pool *const *pool = tips__pools; *pool; pool++) {
        tips_pool_spec spec;
        test_case("%s of an older file", (*pool)->layer.name);
        expect_ok(tips__pool_parse_stored((*pool)->layer.name, 0, &spec));
        for (int i = 0; i < TIPS_CHAIN_MOST; i++) assert_int_equal(spec.config.common.before[i], 0);
    }
}

static void expect_refusal(const char *text, tips_status status, const char *says) {
    tips_pool_spec spec;
    test_case("%s", text);
    assert_int_equal(tips__pool_parse(text, 0, &spec), status);
    if (!strstr(tips_last_error(), says)) fail_case("'%s' does not say '%s'", tips_last_error(), says);
}

static void test_refusals(void **state) {
    (void)state;
    expect_refusal("aps:before=maxx", TIPS_UNKNOWN, "did you mean 'max'");
    expect_refusal("aps:before=max+", TIPS_UNKNOWN, "it takes none|max");
    expect_refusal("aps:before=max+none", TIPS_INVALID, "'none' stands alone");
    expect_refusal("aps:before=none+max", TIPS_INVALID, "'none' stands alone");
    expect_refusal("aps:before=max+max+max+max+max", TIPS_RANGE, "too long");
    expect_refusal("aps:before=lpf8", TIPS_UNKNOWN, "lpf7");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_usual_poolings), cmocka_unit_test(test_behind_max),
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_older_files),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
