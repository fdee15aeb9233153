/* The answerer: outputs do not depend on the batch, partial batches are answered, and the order is kept. */
#include "support/trial.h"
#include "view/answerer.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 16, CLASSES = 5, ASKED = 11, ELEMENTS = 3 * SIZE * SIZE };

typedef struct network {
    tips_model model;
    tips_params *params;
} network;

static network make(void) {
    tips_arch_config config = {
        .in_channels = 3, .size = {SIZE, SIZE}, .classes = CLASSES, .padding = TIPS_PAD_CIRCULAR};
    const tips_arch *arch;
    network n;
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__pool_parse("aps", 0, &config.pool));
    expect_ok(tips__model_create(arch, &config, NULL, false, &n.model));
    expect_ok(tips__params_create(n.model.graph, 4, &n.params));
    return n;
}

static void destroy(network *n) {
    tips__params_destroy(n->params);
    tips__model_destroy(&n->model);
}

typedef struct asked {
    const float *inputs;
    float answers[ASKED][CLASSES];
    int64_t next;
    int told;
} asked;

static void fill(void *context, int64_t i, float *input) {
    memcpy(input, ((const asked *)context)->inputs + i * ELEMENTS, ELEMENTS * sizeof *input);
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    asked *a = context;
    assert_int_equal(i, a->next++);
    assert_int_equal(outputs->count, 1);
    assert_int_equal(outputs->floats[0], CLASSES);
    assert_true(tips__outputs_finite(outputs, at));
    memcpy(a->answers[i], outputs->values[0] + (ptrdiff_t)at * CLASSES, sizeof a->answers[i]);
    return TIPS_OK;
}

static void tell(void *context, int answered) { ((asked *)context)->told += answered; }

static void batches_do_not_matter(void **state) {
    static const int batches[] = {1, 4, ASKED, 16};
    network n = make();
    float *inputs = test_floats(ASKED * ELEMENTS), first[ASKED][CLASSES];
    (void)state;
    draw_floats(inputs, ASKED * ELEMENTS, 5, false);
    for (int b = 0; b < 4; b++) {
        asked a = {.inputs = inputs};
        tips_answerer *answerer;
        tips_outputs outputs;
        expect_ok(tips__answerer_create(&n.model, n.params, batches[b], TIPS_ALGORITHM_EXACT, &answerer));
        assert_int_equal(tips__answerer_batch(answerer), batches[b]);
        expect_ok(tips__answer_all(answerer, &(tips_questions){ASKED, fill, take, tell, &a}));
        assert_int_equal(a.told, ASKED);
        if (b == 0) memcpy(first, a.answers, sizeof first);
        assert_memory_equal(first, a.answers, sizeof first);
        const int some = batches[b] < 3 ? batches[b] : 3;
        expect_ok(tips__answer_inputs(answerer, inputs + 2 * ELEMENTS, some, &outputs));
        assert_int_equal(outputs.n, some);
        assert_memory_equal(outputs.values[0], first[2], (size_t)some * sizeof first[0]);
        tips__answerer_destroy(answerer);
    }
    free(inputs);
    destroy(&n);
}

static tips_status refuse(void *context, int64_t i, const tips_outputs *outputs, int at) {
    (void)context, (void)outputs, (void)at;
    return i == 3 ? TIPS_NUMERIC : TIPS_OK;
}

static void the_first_failure_ends_it(void **state) {
    network n = make();
    float *inputs = test_floats(ASKED * ELEMENTS);
    asked a = {.inputs = inputs};
    tips_answerer *answerer;
    (void)state;
    expect_ok(tips__answerer_create(&n.model, n.params, 2, TIPS_ALGORITHM_EXACT, &answerer));
    assert_int_equal(tips__answer_all(answerer, &(tips_questions){ASKED, fill, refuse, tell, &a}), TIPS_NUMERIC);
    assert_int_equal(a.told, 2);
    tips__answerer_destroy(answerer);
    free(inputs);
    destroy(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(batches_do_not_matter),
                                       cmocka_unit_test(the_first_failure_ends_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
