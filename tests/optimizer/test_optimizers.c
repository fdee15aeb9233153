/* What holds for every optimiser of the table, how they are named, and what they keep. */
#include "core/memory.h"
#include "core/number.h"
#include "core/threads.h"
#include "layer/layers.h"
#include "optimizer/average.h"
#include "optimizer/optimizer.h"
#include "support/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN = 3, OUT = 5, WEIGHT = 0, BIAS = 1 };

typedef struct subject {
    tips_graph *graph;
    tips_params *params; /* a matrix and a vector */
    tips_optimizer_spec spec;
} subject;

static subject start(const char *optimizer) {
    subject s;
    test_case("%s", optimizer);
    expect_ok(tips__graph_create(&s.graph));
    const tips_value x = tips__graph_input(s.graph, "x", IN, 1, 1);
    tips__graph_output(s.graph, tips__graph_add(s.graph, &tips__layer_linear, "l", &(tips_linear){.out = OUT}, &x, 1));
    expect_ok(tips__graph_status(s.graph));
    expect_ok(tips__params_create(s.graph, 1, &s.params));
    expect_ok(tips__optimizer_parse(optimizer, &s.spec));
    for (int i = 0; i < OUT; i++) s.params->data[BIAS][i] = (float)(i + 1);
    return s;
}

static subject start_prepared(const char *optimizer) {
    const subject s = start(optimizer);
    expect_ok(tips__optimizer_prepare(s.spec.optimizer, s.params));
    return s;
}

static void finish(subject *s) {
    tips__params_destroy(s->params);
    tips__graph_destroy(s->graph);
}

static void for_each(void (*check)(const char *name)) {
    for (int i = 0; tips__optimizers[i]; i++) check(tips__optimizers[i]->name);
}

/* ------------------------------------------------------------------------------------------------------------ rows */

static double number(const char *text) {
    double value = NAN;
    if (!text || !tips__number_parse(text, &value)) fail_case("'%s' is not a number", text ? text : "NULL");
    return value;
}

static void check_row(const char *name) {
    subject s = start(name);
    const tips_optimizer *o = s.spec.optimizer;
    tips_option row;
    char text[64];
    int states = 0;
    assert_true(o->brief && o->options && o->state && o->update);
    while (o->state[states]) states++;
    assert_true(states <= TIPS_PARAM_STATES);
    assert_true(number(o->lr) > 0 && number(o->careful_lr) > 0 && number(o->careful_lr) < number(o->lr));
    assert_true(number(o->weight_decay) >= 0);
    if (o->momentum && !tips__option_find(o->options, o->momentum, &row)) fail_case("has no option %s", o->momentum);
    tips__optimizer_format(&s.spec, text, sizeof text);
    assert_string_equal(text, name);
    finish(&s);
}

static void test_rows(void **state) { (void)state, for_each(check_row); }

static void refuse(const char *text, const char *why) {
    tips_optimizer_spec spec = {.optimizer = NULL};
    test_case("%s", text);
    if (tips__optimizer_parse(text, &spec) == TIPS_OK) fail_case("was taken");
    if (!strstr(tips_last_error(), why)) fail_case("'%s' is not said: %s", why, tips_last_error());
    assert_null(spec.optimizer);
}

static void test_names(void **state) {
    (void)state;
    tips_optimizer_spec spec;
    char text[64];
    expect_ok(tips__optimizer_parse("adamw:eps=1e-6,beta2=0.999", &spec));
    tips__optimizer_format(&spec, text, sizeof text);
    assert_string_equal(text, "adamw:eps=1e-06");
    refuse("adam", "unknown optimiser 'adam'; did you mean 'adamw'? There are sgd, adamw");
    refuse("elephant", "unknown optimiser 'elephant'; there are sgd, adamw");
    refuse("adamw:beta=0.5", "did you mean 'beta1'? It takes beta1, beta2, eps");
    refuse("adamw:beta2=1", "is out of range");
    refuse("adamw:eps=0", "is out of range");
    refuse("sgd:momentum=0.5", "unknown option 'momentum' of sgd; it takes no options");
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void check_memory(const char *name) {
    int states = 0;
    subject s = start(name);
    while (s.spec.optimizer->state[states]) states++;
    for (int n = 1; n <= states + 1; n++) {
        subject failing = start(name);
        test_case("%s, allocation %d", name, n);
        tips__alloc_fail_at((uint64_t)n);
        assert_int_equal(tips__optimizer_prepare(failing.spec.optimizer, failing.params), TIPS_MEMORY);
        expect_ok(tips__optimizer_prepare(failing.spec.optimizer, failing.params));
        finish(&failing);
    }
    const uint64_t before = tips__alloc_count();
    expect_ok(tips__optimizer_prepare(s.spec.optimizer, s.params));
    assert_int_equal(tips__alloc_count() - before, (uint64_t)states + 1); /* gradients, and what it keeps, no more */
    expect_ok(tips__optimizer_prepare(s.spec.optimizer, s.params));
    assert_int_equal(tips__alloc_count() - before, (uint64_t)states + 1);
    finish(&s);
}

static void test_memory(void **state) { (void)state, for_each(check_memory); }

static void test_what_is_kept(void **state) {
    (void)state;
    subject s = start_prepared("sgd");
    float plain[IN * OUT], back[IN * OUT];
    assert_int_equal(s.params->n_states, 1);
    assert_string_equal(s.params->state_name[0], "momentum");
    for (int i = 0; i < IN * OUT; i++) plain[i] = (float)(i + 1);
    tips__param_set_state(s.params, 0, WEIGHT, plain);
    expect_ok(tips__optimizer_prepare(s.spec.optimizer, s.params)); /* again: nothing is lost */
    tips__param_get_state(s.params, 0, WEIGHT, back);
    expect_same_bits("momentum", back, plain, IN * OUT);
    expect_ok(tips__optimizer_prepare(&tips__optimizer_adamw, s.params)); /* another one begins at zero */
    assert_int_equal(s.params->n_states, 2);
    assert_string_equal(s.params->state_name[0], "exp_avg");
    assert_string_equal(s.params->state_name[1], "exp_avg_sq");
    tips__param_get_state(s.params, 0, WEIGHT, back);
    for (int i = 0; i < IN * OUT; i++) assert_true(back[i] == 0);
    finish(&s);
}

static void test_too_many_kinds(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", NULL};
    subject s = start("sgd");
    assert_int_equal(tips__params_keep(s.params, names), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "'e'"));
    finish(&s);
}

/* ------------------------------------------------------------------------------------------------------------ steps */

static void set_gradients(const subject *s, float factor) {
    for (int i = 0; i < s->params->count; i++)
        for (size_t k = 0; k < s->params->floats[i]; k++) s->params->diff[i][k] = factor * s->params->data[i][k];
}

static void step(const subject *s, uint64_t number_of_step, double lr, double decay, bool spare) {
    const tips_learning learning = {
        .lr = lr, .momentum = 0.9, .weight_decay = decay, .spare_vectors = spare, .step = number_of_step};
    tips__optimizer_step(&s->spec, s->params, &learning);
}

static void check_rest(const char *name) {
    subject s = start_prepared(name);
    const float weight = s.params->data[WEIGHT][0], bias = s.params->data[BIAS][0];
    const uint64_t version = s.params->version;
    step(&s, 0, 0.5, 0, false);
    assert_true(s.params->data[WEIGHT][0] == weight && s.params->data[BIAS][0] == bias);
    assert_true(s.params->version > version);
    step(&s, 1, 0.5, 0.5, true);
    if (s.params->data[WEIGHT][0] != 0.75f * weight) fail_case("the matrix did not decay by lr times decay");
    if (s.params->data[BIAS][0] != bias) fail_case("the vector was not spared");
    step(&s, 2, 0.5, 0.5, false);
    if (s.params->data[BIAS][0] != 0.75f * bias) fail_case("the vector did not decay");
    finish(&s);
}

/* Without gradients nothing moves but what decays. */
static void test_rest(void **state) { (void)state, for_each(check_rest); }

static void check_frozen(const char *name) {
    subject s = start_prepared(name);
    const float weight = s.params->data[WEIGHT][0], bias = s.params->data[BIAS][0];
    expect_ok(tips__params_freeze(s.params, WEIGHT));
    set_gradients(&s, 1);
    step(&s, 0, 0.1, 0.1, false);
    assert_true(s.params->data[WEIGHT][0] == weight);
    assert_true(s.params->data[BIAS][0] != bias);
    finish(&s);
}

static void test_frozen(void **state) { (void)state, for_each(check_frozen); }

static double length(const subject *s) {
    double sum = 0;
    for (int i = 0; i < s->params->count; i++)
        for (size_t k = 0; k < s->params->floats[i]; k++) sum += (double)s->params->data[i][k] * s->params->data[i][k];
    return sqrt(sum);
}

/* Down into the bowl |w|^2 / 2. */
static void check_descent(const char *name) {
    subject s = start_prepared(name);
    const double before = length(&s);
    for (uint64_t i = 0; i < 300; i++) {
        set_gradients(&s, 1);
        step(&s, i, 0.05, 0, false);
    }
    if (!(length(&s) < before / 10)) fail_case("|w| went from %g to %g", before, length(&s));
    finish(&s);
}

static void test_descent(void **state) { (void)state, for_each(check_descent); }

static void check_threads(const char *name) {
    const int before = tips__threads();
    subject one = start_prepared(name), two = start_prepared(name);
    for (uint64_t i = 0; i < 3; i++) {
        tips__threads_set(1);
        set_gradients(&one, 0.3f);
        step(&one, i, 0.05, 0.1, false);
        tips__threads_set(2);
        set_gradients(&two, 0.3f);
        step(&two, i, 0.05, 0.1, false);
    }
    tips__threads_set(before);
    expect_same_bits("parameters", two.params->data_arena, one.params->data_arena, one.params->total_floats);
    finish(&one);
    finish(&two);
}

static void test_threads(void **state) { (void)state, for_each(check_threads); }

/* ------------------------------------------------------------------------------------------------------ average */

/* Against its formula, step by step; exchanged, the weights are the average's, and back again bit by bit. */
static void check_average(const char *name) {
    subject s = start_prepared(name);
    float plain[OUT], before[OUT];
    double wanted[OUT];
    expect_ok(tips__average_prepare(s.spec.optimizer, s.params));
    tips__average_start(s.params);
    tips__param_get(s.params, BIAS, before);
    for (int i = 0; i < OUT; i++) wanted[i] = before[i];
    for (int step = 0; step < 40; step++) {
        const tips_learning learning = {.lr = 0.1, .momentum = 0.5, .step = (uint64_t)step};
        const double decay = fmin(0.7, (1.0 + step) / (10.0 + step));
        for (int i = 0; i < OUT; i++) s.params->diff[BIAS][i] = (float)sin(step + i);
        tips__optimizer_step(&s.spec, s.params, &learning);
        tips__average_step(s.params, 0.7, (uint64_t)step);
        tips__param_get(s.params, BIAS, before);
        for (int i = 0; i < OUT; i++) wanted[i] = decay * wanted[i] + (1 - decay) * before[i];
    }
    const uint64_t version = s.params->version;
    tips__average_exchange(s.params);
    if (s.params->version == version) fail_case("nobody is told that the weights are others");
    tips__param_get(s.params, BIAS, plain);
    for (int i = 0; i < OUT; i++)
        if (!(fabs(plain[i] - wanted[i]) < 1e-5)) fail_case("average %d is %g, not %g", i, (double)plain[i], wanted[i]);
    tips__average_exchange(s.params);
    tips__param_get(s.params, BIAS, plain);
    expect_same_bits("weights", plain, before, OUT);
    finish(&s);
}

static void averages(void **state) { (void)state, for_each(check_average); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages),
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_names),          cmocka_unit_test(test_memory),
        cmocka_unit_test(test_what_is_kept), cmocka_unit_test(test_too_many_kinds), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_frozen),       cmocka_unit_test(test_descent),        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
