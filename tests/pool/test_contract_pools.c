/* The contract of pooling operators, over every row of pools.def and every value of its options: forward and losses
 * against the oracle, gradients by finite differences, threads, batches, allocations, sharing; exact under every
 * circular shift where the traits claim it, and shown to break where they do not. */
#include "support/contract.h"
#include "support/gradient.h"
#include "support/pool_trial.h"
#include "support/shift_exact.h"

#include "pool/tips_pool.h"

#include <stdlib.h>
#include <string.h>

static const double forward_tolerance = 1e-5, gradient_tolerance = 5e-5;

/* Combinations that single options do not reach. */
static const char *const combinations[] = {"tips:anchor=norm",
                                           "tips:tau=phase,anchor=logits",
                                           "tips:tau=phase,anchor=norm",
                                           "tips:psi=depthwise,anchor=norm,fm=band",
                                           "tips:tau=phase,anchor=logits,select=hard",
                                           "tips-official:psi=full,anchor=norm",
                                           "tips-official:anchor=norm,select=hard",
                                           "tips-exact:psi=full,anchor=norm",
                                           "tips-exact:tau=gap,anchor=norm",
                                           "tips-exact:tau=quadrant,anchor=norm",
                                           "tips-exact:tau=quadrant,anchor=none",
                                           "tips-exact:anchor=norm,select=hard",
                                           "aps:p=1,choice=channel",
                                           "aps:p=inf,choice=channel",
                                           "ddac:groups=2,kernel=5,softmax=group",
                                           "lps:width=2,temperature=0.5",
                                           NULL};

/* Variants that must be refused, and what the message must say. */
static const struct {
    const char *spec, *says;
} refused[] = {
    {"tips:anchor=logits", "anchor=logits needs tau=phase"},
    {"tips-official:anchor=logits", "anchor=logits needs tau=phase"},
    {"tips-exact:tau=gap", "anchor=logits needs tau=phase"},
    {"tips-exact:tau=quadrant", "anchor=logits needs tau=phase"},
    {"ddac:kernel=2", "kernel=2 is not odd"},
    {"ddac:kernel=4", "kernel=4 is not odd"},
    {"ddac:kernel=6", "kernel=6 is not odd"},
};

static const pool_setting settings[] = {
    {{2, 2}, 3, 5, 6, 8, TIPS_PAD_CIRCULAR, 0}, {{2, 2}, 2, 3, 5, 7, TIPS_PAD_ZERO, 0},
    {{2, 2}, 2, 8, 7, 5, TIPS_PAD_REFLECT, 3},  {{2, 2}, 2, 12, 5, 6, TIPS_PAD_REPLICATE, 0},
    {{3, 3}, 2, 3, 6, 9, TIPS_PAD_CIRCULAR, 0}, {{3, 2}, 2, 5, 7, 5, TIPS_PAD_CIRCULAR, 5},
    {{1, 2}, 2, 3, 5, 6, TIPS_PAD_ZERO, 0},     {{2, 2}, 1, 16, 6, 8, TIPS_PAD_CIRCULAR, 3},
    {{2, 1}, 2, 3, 1, 3, TIPS_PAD_REFLECT, 0},  {{2, 2}, 3, 1, 6, 8, TIPS_PAD_CIRCULAR, 0},
    {{2, 3}, 2, 1, 5, 7, TIPS_PAD_ZERO, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Sizes that the strides divide. */
static const pool_setting divisible[] = {
    {{2, 2}, 3, 5, 8, 6, TIPS_PAD_CIRCULAR, 0},  {{3, 3}, 2, 3, 6, 9, TIPS_PAD_CIRCULAR, 0},
    {{3, 2}, 2, 12, 9, 4, TIPS_PAD_CIRCULAR, 0}, {{1, 2}, 2, 5, 5, 8, TIPS_PAD_CIRCULAR, 0},
    {{2, 2}, 2, 16, 6, 4, TIPS_PAD_CIRCULAR, 3}, {{2, 2}, 2, 3, 4, 8, TIPS_PAD_CIRCULAR, 5},
    {{2, 2}, 2, 1, 8, 6, TIPS_PAD_CIRCULAR, 0},
};
enum { DIVISIBLE = sizeof divisible / sizeof *divisible };

static bool is_refused(const char *spec) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i].spec, spec) == 0) return true;
    return false;
}

/* Runs `check` for every variant and combination of one operator. */
typedef void variant_check(const char *spec);

static void visit_variant(const char *spec, void *check) {
    if (!is_refused(spec)) (*(variant_check *const *)check)(spec);
}

static void for_variants(const tips_pool *pool, variant_check *check) {
    const size_t length = strlen(pool->layer.name);
    each_variant(pool, visit_variant, &check);
    for (int i = 0; combinations[i]; i++)
        if (strncmp(combinations[i], pool->layer.name, length) == 0 && combinations[i][length] == ':')
            check(combinations[i]);
    print_message("%s: %d cases\n", pool->layer.name, test_case_count());
}

/* ------------------------------------------------------------------------------------------ forward and gradients */

/* A straight-through gradient is not the slope of anything: the golden vectors check it. */
static bool has_slope(const char *spec) { return strstr(spec, "select=hard") == NULL; }

/* L_undo's target is a constant by definition, but follows x in a finite difference: x is checked without the loss. */
static void check_gradients(pool_trial *p) {
    const tips_loss_weights weights = p->t.weights;
    expect_gradients(&p->t, (gradient_check){.tolerance = gradient_tolerance, .coordinates = 5, .params = true});
    p->t.weights.undo = 0;
    expect_gradients(&p->t, (gradient_check){.tolerance = gradient_tolerance, .coordinates = 12, .inputs = true});
    p->t.weights = weights;
}

/* Behind steps and a low-pass filter, phases are so much alike that the oracle may choose another. */
static bool is_filtered_twice(const char *spec, const pool_setting *s) { return s->lpf && strstr(spec, "before="); }

/* With a low-pass filter, `spec` without steps before it. */
static const char *with_filter(const char *spec, const pool_setting *s) {
    static char text[VARIANT_SIZE + 16];
    if (!s->lpf) return spec;
    snprintf(text, sizeof text, "%s%cbefore=none", spec, strchr(spec, ':') ? ',' : ':');
    return text;
}

/* Not behind a low-pass filter: it evens out the sums of a map without negative values, so that all phases tie in
 * theory (aps:p=1) and rounding chooses. */
static void check_sparse(const char *spec, const pool_setting *s) {
    if (s->lpf) return;
    test_case("%s, %s, sparse", spec, setting_name(s));
    pool_trial p = pool_alone(spec, s, true, 30);
    expect_forward(&p.t, true, forward_tolerance);
    expect_forward(&p.t, false, forward_tolerance);
    trial_free(&p.t);
}

static void check_numbers(const char *spec) {
    for (int i = 0; i < SETTINGS; i++) {
        check_sparse(spec, &settings[i]);
        if (is_filtered_twice(spec, &settings[i])) continue;
        const char *filtered = with_filter(spec, &settings[i]);
        test_case("%s, %s", filtered, setting_name(&settings[i]));
        pool_trial p = pool_alone(filtered, &settings[i], false, 31 + (uint64_t)i);
        expect_forward(&p.t, true, forward_tolerance);
        expect_forward(&p.t, false, forward_tolerance);
        if (has_slope(spec)) check_gradients(&p);
        trial_free(&p.t);
    }
}

static void test_numbers(void **state) { for_variants(*state, check_numbers); }

static void test_low_pass(void **state) {
    const tips_pool *pool = *state;
    for (int lpf = 2; lpf <= 7; lpf++) {
        pool_setting s = settings[lpf % 2];
        s.lpf = lpf;
        const char *spec = with_filter(pool->layer.name, &s);
        test_case("%s, %s", spec, setting_name(&s));
        pool_trial p = pool_alone(spec, &s, false, 41);
        expect_forward(&p.t, true, forward_tolerance);
        expect_forward(&p.t, false, forward_tolerance);
        check_gradients(&p);
        trial_free(&p.t);
    }
}

/* ---------------------------------------------------------------------------------------- threads, batches, memory */

static void check_conduct(const char *spec) {
    for (int i = 0; i < 4; i += 3) {
        test_case("%s, %s", spec, setting_name(&settings[i]));
        pool_trial p = pool_alone(spec, &settings[i], false, 51);
        expect_same_for_threads(&p.t, true);
        expect_same_for_places(&p.t);
        expect_same_for_plans(&p.t);
        expect_same_for_wishes(&p.t);
        expect_no_allocations(&p.t);
        expect_no_alarm(&p.t);
        trial_free(&p.t);
    }
}

static void test_conduct(void **state) { for_variants(*state, check_conduct); }

static bool changes_with_step(const pool_trial *p) {
    const tips_net_options options = trial_options(&p->t, true);
    const size_t count = trial_count(&p->t, p->t.out[0]);
    float *y[2] = {test_floats(count), test_floats(count)};
    tips_net *net = trial_compile(&p->t, &options);
    for (int step = 0; step < 2; step++) {
        tips__net_set_step(net, (uint64_t)step);
        trial_step(&p->t, net, true);
        expect_ok(tips__net_get_map(net, p->t.out[0], y[step]));
    }
    const bool differ = differing_bits(y[0], y[1], count) > 0;
    tips__net_destroy(net);
    free(y[0]);
    free(y[1]);
    return differ;
}

static void expect_trait(const pool_trial *p, unsigned trait, bool is_so, const char *text) {
    const bool claimed = (p->traits & trait) != 0;
    if (claimed != is_so) fail_case("%s%s, although its traits say otherwise", is_so ? "" : "not ", text);
}

static void check_traits(const char *spec) {
    test_case("%s", spec);
    pool_trial p = pool_alone(spec, &settings[0], false, 61);
    const tips_net_options options = trial_options(&p.t, true);
    tips_net *net = trial_compile(&p.t, &options);
    expect_trait(&p, TIPS_POOL_LEARNED, tips__graph_param_count(p.t.graph) > 0, "has parameters");
    expect_trait(&p, TIPS_POOL_LOSSES, tips__net_has_aux(net), "has losses of its own");
    expect_trait(&p, TIPS_POOL_CHOOSES, p.selection.phase != TIPS_NO_VALUE, "exposes a phase");
    if (strstr(spec, "=inf") == NULL)
        expect_trait(&p, TIPS_POOL_STOCHASTIC, changes_with_step(&p), "draws in training");
    tips__net_destroy(net);
    trial_free(&p.t);
}

static void test_traits(void **state) { for_variants(*state, check_traits); }

/* ------------------------------------------------------------------------------------------------------ exactness */

/* Of a single channel, a choice for each channel is one choice. */
static bool is_control(const char *spec, const pool_setting *s) {
    return s->c > 1 || strstr(spec, "choice=channel") == NULL;
}

static void check_shifts(const char *spec) {
    for (int i = 0; i < DIVISIBLE; i++)
        for (int sparse = 0; sparse < 2; sparse++) {
            const pool_setting *s = &divisible[i];
            test_case("%s, %s%s", spec, setting_name(s), sparse ? ", sparse" : "");
            pool_trial p = pool_alone(spec, s, sparse, 71 + (uint64_t)i);
            if (p.traits & TIPS_POOL_EXACT) expect_exact(&p, s);
            else if (is_control(spec, s) && shift_error(&p, s) < 1e-3)
                fail_case("does not claim to be exact, but every shift can be undone: the control is broken");
            trial_free(&p.t);
        }
}

static void test_shifts(void **state) { for_variants(*state, check_shifts); }

/* -------------------------------------------------------------------------------------------------------- sharing */

static void check_sharing(const char *spec) {
    for (int i = 0; i < DIVISIBLE; i++) {
        test_case("%s with a shortcut, %s", spec, setting_name(&divisible[i]));
        tips_pool_spec parsed;
        expect_ok(tips__pool_parse(spec, 0, &parsed));
        if (!(tips__pool_traits(&parsed) & TIPS_POOL_CHOOSES)) return;
        if (is_filtered_twice(spec, &divisible[i])) continue;
        const char *filtered = with_filter(spec, &divisible[i]);
        pool_trial p = pool_with_shortcut(filtered, &divisible[i], false, 81);
        expect_forward(&p.t, true, forward_tolerance);
        expect_forward(&p.t, false, forward_tolerance);
        if (has_slope(spec) && i < 2) check_gradients(&p);
        if (p.traits & TIPS_POOL_EXACT) expect_exact(&p, &divisible[i]);
        trial_free(&p.t);
    }
}

static void test_sharing(void **state) { for_variants(*state, check_sharing); }

/* ------------------------------------------------------------------------------------------------ not one per row */

/* With a shift as large as the map, L_undo's target is zero whatever x is, and its gradient by x can be checked. */
static void test_undo_by_input(void **state) {
    (void)state;
    static const char *const specs[] = {"tips", "tips-official", "tips-exact", "tips-exact:psi=full",
                                        "tips-official:anchor=norm"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int k = 0; k < SETTINGS; k++) {
            const pool_setting *s = &settings[k];
            const int32_t far_away[6] = {64, 64, 64, 64, 64, 64};
            test_case("%s, %s, far shift", specs[i], setting_name(s));
            pool_trial p = pool_alone(specs[i], s, false, 91);
            for (int n = 0; n < tips__graph_node_count(p.t.graph); n++) {
                const tips_node *node = tips__graph_node(p.t.graph, n);
                if (node->layer->flags & TIPS_LAYER_AUX) ((tips_family_config *)node->config)->fixed_shift = far_away;
            }
            expect_forward(&p.t, true, forward_tolerance);
            expect_gradients(
                &p.t,
                (gradient_check){.tolerance = gradient_tolerance, .coordinates = 12, .inputs = true, .params = true});
            trial_free(&p.t);
        }
}

/* L_undo as a share of the mean square: by parameters its gradient is a slope; by x, whose square counts as a constant,
 * it is that of the plain loss with the same weight. */
static void check_relative_undo(const char *spec, const pool_setting *s) {
    pool_trial p = pool_alone(spec, s, false, 93);
    p.t.relative_undo = true;
    expect_forward(&p.t, true, forward_tolerance);
    expect_gradients(&p.t, (gradient_check){.tolerance = gradient_tolerance, .coordinates = 12, .params = true});
    const tips_net_options options = trial_options(&p.t, true);
    results relative = trial_run(&p.t, &options);
    double square = 0;
    const size_t count = trial_count(&p.t, p.t.in[0]);
    for (size_t i = 0; i < count; i++) square += (double)p.t.x[0][i] * p.t.x[0][i] / (double)count;
    p.t.relative_undo = false;
    p.t.weights.undo /= square;
    results plain = trial_run(&p.t, &options);
    expect_number("L_undo", relative.losses.undo, plain.losses.undo / square, 1e-5);
    double *wide = test_alloc(count * sizeof *wide);
    for (size_t i = 0; i < count; i++) wide[i] = plain.dx[0][i];
    expect_close("gradient by x", relative.dx[0], wide, count, 1e-5);
    free(wide);
    results_free(&p.t, &relative);
    results_free(&p.t, &plain);
    trial_free(&p.t);
}

static void test_relative_undo(void **state) {
    (void)state;
    static const char *const specs[] = {"tips", "tips-official", "tips-exact:before=none",
                                        "tips-exact:psi=full,before=none"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int k = 0; k < DIVISIBLE; k++) {
            if (divisible[k].lpf) continue; /* the loss is about the map behind filter and padding */
            test_case("%s, %s, a share", specs[i], setting_name(&divisible[k]));
            check_relative_undo(specs[i], &divisible[k]);
        }
}

/* However large the map: with maps of a thousand the plain loss is a million times as large, and a share is the same.
 */
static void test_undo_of_a_thousand(void **state) {
    (void)state;
    double undo[2][2];
    for (int relative = 0; relative < 2; relative++)
        for (int large = 0; large < 2; large++) {
            pool_trial p = pool_alone("tips-exact:before=none", &settings[0], true, 94);
            const size_t count = trial_count(&p.t, p.t.in[0]);
            for (size_t i = 0; i < count; i++) p.t.x[0][i] *= large ? 1000 : 1;
            p.t.relative_undo = relative;
            const tips_net_options options = trial_options(&p.t, true);
            results r = trial_run(&p.t, &options);
            undo[relative][large] = r.losses.undo;
            results_free(&p.t, &r);
            trial_free(&p.t);
        }
    expect_number("L_undo of large maps", undo[0][1], 1e6 * undo[0][0], 1e-3);
    expect_number("its share of large maps", undo[1][1], undo[1][0], 1e-3);
}

/* Where nothing bounds the map, L_undo is left out, from the sum and from the gradients; elsewhere it is there. */
static void test_undo_of_any_scale(void **state) {
    (void)state;
    for (int any_scale = 0; any_scale < 2; any_scale++) {
        test_case("tips-exact, %s", any_scale ? "of any scale" : "bounded");
        pool_trial p = pool_alone("tips-exact", &settings[0], false, 92);
        for (int n = 0; n < tips__graph_node_count(p.t.graph); n++) {
            const tips_node *node = tips__graph_node(p.t.graph, n);
            if (node->layer->flags & TIPS_LAYER_AUX) ((tips_pool_common *)node->config)->any_scale = any_scale;
        }
        expect_forward(&p.t, true, forward_tolerance);
        tips_ref_net *oracle = trial_oracle(&p.t, true);
        const double undo = tips__ref_losses(oracle).undo;
        if ((undo == 0) != any_scale) fail_case("L_undo is %g", undo);
        tips__ref_destroy(oracle);
        if (any_scale)
            expect_gradients(&p.t, (gradient_check){.tolerance = gradient_tolerance, .coordinates = 12, .inputs = true,
                                                    .params = true});
        trial_free(&p.t);
    }
}

/* Every combination of a row's choices two by two: either it is placed, or it is refused with a reason. */
static void test_refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        test_case("%s", refused[i].spec);
        assert_int_equal(pool_refusal(refused[i].spec, &settings[0]), TIPS_INVALID);
        if (!strstr(tips_last_error(), refused[i].says))
            fail_case("the refusal says '%s', not '%s'", tips_last_error(), refused[i].says);
    }
}

static void expect_no_parse(const char *spec, int lpf, tips_status status, const char *says) {
    tips_pool_spec parsed;
    test_case("%s with lpf %d", spec, lpf);
    assert_int_equal(tips__pool_parse(spec, lpf, &parsed), status);
    if (!strstr(tips_last_error(), says)) fail_case("'%s' does not say '%s'", tips_last_error(), says);
}

static void test_bad_specs(void **state) {
    (void)state;
    expect_no_parse("tips-exakt", 0, TIPS_UNKNOWN, "did you mean 'tips-exact'");
    expect_no_parse("aps:q=2", 0, TIPS_UNKNOWN, "p");
    expect_no_parse("aps:p=3", 0, TIPS_UNKNOWN, "1");
    expect_no_parse("blur:n=9", 0, TIPS_RANGE, "2..7");
    expect_no_parse("max", 8, TIPS_RANGE, "2..7");
    expect_no_parse("max", 1, TIPS_RANGE, "2..7");
}

static void test_bad_strides(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        pool_setting s = settings[0];
        s.stride[1] = i ? 17 : 0;
        test_case("%s", setting_name(&s));
        assert_int_equal(pool_refusal("max", &s), TIPS_RANGE);
        if (!strstr(tips_last_error(), "1..16")) fail_case("'%s' does not name the range", tips_last_error());
    }
}

/* At stride 1 nothing is left of a choice among phases; a filter remains. */
static void check_stride_one(const char *spec) {
    const pool_setting s = {{1, 1}, 2, 5, 4, 6, TIPS_PAD_CIRCULAR, 0};
    test_case("%s, %s", spec, setting_name(&s));
    pool_trial p = pool_alone(spec, &s, false, 95);
    const unsigned remain = TIPS_POOL_FILTERS | TIPS_POOL_STAYS | TIPS_POOL_IDENTITY;
    const bool is_there = tips__graph_node_count(p.t.graph) > 0, learns = tips__graph_param_count(p.t.graph) > 0;
    if (is_there != ((p.traits & remain) != 0)) fail_case("%s at stride 1", is_there ? "placed" : "not placed");
    if (p.traits & TIPS_POOL_STAYS && p.traits & TIPS_POOL_LEARNED && !learns) fail_case("its parameters are gone");
    if (is_there) {
        expect_forward(&p.t, true, forward_tolerance);
        expect_forward(&p.t, false, forward_tolerance);
        check_gradients(&p);
    }
    trial_free(&p.t);
}

static void test_stride_one(void **state) { for_variants(*state, check_stride_one); }

/* "name:key=value" survives being written and read again. */
static void check_spelling(const char *spec) {
    char text[256], again[256];
    tips_pool_spec first, second;
    test_case("%s", spec);
    expect_ok(tips__pool_parse(spec, 0, &first));
    tips__pool_format(&first, text, sizeof text);
    expect_ok(tips__pool_parse(text, 0, &second));
    tips__pool_format(&second, again, sizeof again);
    assert_string_equal(text, again);
    assert_memory_equal(&first.config, &second.config, sizeof first.config);
}

static void test_spelling(void **state) { for_variants(*state, check_spelling); }

/* ------------------------------------------------------------------------------------------------------------ main */

static const struct {
    const char *name;
    void (*run)(void **state);
} per_row[] = {{"numbers", test_numbers},   {"low-pass", test_low_pass},    {"conduct", test_conduct},
               {"traits", test_traits},     {"shifts", test_shifts},        {"sharing", test_sharing},
               {"spelling", test_spelling}, {"stride one", test_stride_one}};
enum { PER_ROW = sizeof per_row / sizeof *per_row };

static int run_row(const tips_pool *pool) {
    struct CMUnitTest tests[PER_ROW];
    for (int i = 0; i < PER_ROW; i++)
        tests[i] = (struct CMUnitTest){per_row[i].name, per_row[i].run, NULL, NULL, (void *)(uintptr_t)pool};
    return _cmocka_run_group_tests(pool->layer.name, tests, PER_ROW, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_undo_by_input), cmocka_unit_test(test_undo_of_any_scale),
                                        cmocka_unit_test(test_relative_undo), cmocka_unit_test(test_undo_of_a_thousand),
                                        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_bad_specs),
                                        cmocka_unit_test(test_bad_strides)};
    const char *only = getenv("TIPS_ONLY_POOL"); /* one row, for those who work on it */
    int rows = 0, failed = only ? 0 : cmocka_run_group_tests(others, NULL, NULL);
    for (int i = 0; tips__pools[i]; i++) {
        if (only && strcmp(only, tips__pools[i]->layer.name) != 0) continue;
        failed += run_row(tips__pools[i]);
        rows++;
    }
    return failed != 0 || rows == 0;
}
