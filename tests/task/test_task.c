/* Tasks: names and options, what classification makes of outputs, and tallies of scores. */
#include "support/trial.h"
#include "task/outputs.h"
#include "task/tally.h"

#include <math.h>
#include <string.h>

enum { CLASSES = 6 };

static tips_assignment classify(void) {
    return (tips_assignment){.spec = tips__task_default(), .classes = CLASSES, .size = {8, 8}};
}

static tips_bytes number(int32_t value) {
    tips_bytes bytes = {0};
    expect_ok(tips__bytes_resize(&bytes, sizeof value));
    memcpy(bytes.data, &value, sizeof value);
    return bytes;
}

static int32_t value_of(const tips_bytes *bytes) {
    int32_t value;
    assert_int_equal(bytes->count, sizeof value);
    memcpy(&value, bytes->data, sizeof value);
    return value;
}

static void names(void **state) {
    tips_task_spec spec;
    char text[128];
    (void)state;
    expect_ok(tips__task_parse(NULL, &spec));
    assert_string_equal(spec.task->name, "classify");
    assert_true(tips__task_is_default(&spec));
    expect_ok(tips__task_parse("classify:smoothing=0.25", &spec));
    assert_false(tips__task_is_default(&spec));
    tips__task_format(&spec, text, sizeof text);
    assert_string_equal(text, "classify:smoothing=0.25");
    assert_int_equal(tips__task_parse("clasify", &spec), TIPS_UNKNOWN);
    assert_non_null(strstr(tips_last_error(), "did you mean 'classify'?"));
    assert_int_equal(tips__task_parse("classify:smoothing=2", &spec), TIPS_RANGE);
    assert_int_equal(tips__task_parse("classify:colour=2", &spec), TIPS_UNKNOWN);
}

/* Every row has what the others rely on. */
static void rows(void **state) {
    (void)state;
    for (const tips_task *const *task = tips__tasks; *task; task++) {
        const tips_task *t = *task;
        assert_true(t->options && t->config_size <= TIPS_TASK_CONFIG_BYTES && t->needs);
        assert_true(t->target && t->head && t->loss && t->put && t->answer && t->agree && t->say);
        assert_true(t->score && t->figures && t->metrics[0].name);
        assert_true(t->metrics[0].where & TIPS_IN_VALIDATION); /* it chooses the best model */
        for (int i = 0; t->metrics[i].name; i++) {
            assert_true(t->metrics[i].unit && t->metrics[i].help);
            assert_int_equal(t->metrics[i].kind < TIPS_SHIFT_KINDS, t->metrics[i].need == TIPS_NEEDS_SET_SHIFTS);
            assert_true(i < TIPS_MOST_OWN_METRICS);
        }
    }
}

static double missed(const float *scores, int label) {
    double sum = 0;
    for (int c = 0; c < CLASSES; c++) sum += exp((double)scores[c]);
    return log(sum) - scores[label];
}

/* Picture i is made of its own share and of its partner, and so is what it is told to be. */
static void mixed_targets(void **state) {
    static const int32_t labels[3] = {2, 0, 5};
    static const int partners[3] = {1, 2, 0};
    static const float shares[3] = {0.25f, 1, 0.5f};
    static const float scores[3][CLASSES] = {{0, 1, 2, -1, 0.5f, 0}, {1, 0, 0, 0, 0, 3}, {-2, 1, 1, 1, 0, 0.5f}};
    tips_assignment a = classify();
    tips_ends ends = {.n_outputs = 1};
    tips_graph *graph;
    tips_params *params;
    tips_net *net;
    tips_bytes targets[3], room = {0};
    double wanted = 0;
    (void)state;
    expect_ok(tips__task_parse("classify:mixed=true", &a.spec));
    expect_ok(tips__graph_create(&graph));
    ends.outputs[0] = tips__graph_input(graph, "logits", CLASSES, 1, 1);
    a.spec.task->loss(&a, graph, &ends);
    expect_ok(tips__graph_status(graph));
    expect_ok(tips__params_create(graph, 1, &params));
    expect_ok(tips__params_for_training(params));
    const tips_net_options options = {.n = 3, .pass = tips__pass_training};
    expect_ok(tips__net_compile(graph, params, &options, &net));
    for (int i = 0; i < 3; i++) {
        targets[i] = number(labels[i]);
        wanted += shares[i] * missed(scores[i], labels[i]) + (1 - shares[i]) * missed(scores[i], labels[partners[i]]);
    }
    expect_ok(tips__net_set_map(net, ends.outputs[0], scores[0]));
    expect_ok(a.spec.task->put_mixed(&a, net, &ends, targets, partners, shares, 3, &room));
    tips__net_set_weights(net, (tips_loss_weights){1, 0, 0});
    expect_ok(tips__net_forward(net));
    assert_true(fabs(tips__net_losses(net).task - wanted / 3) < 1e-5);
    for (int i = 0; i < 3; i++) tips__bytes_clear(&targets[i]);
    tips__bytes_clear(&room);
    tips__net_destroy(net);
    tips__params_destroy(params);
    tips__graph_destroy(graph);
}

static const float logits[3][CLASSES] = {{0, 1, 5, 2, 3, 4}, {2, 2, 1, 0, -1, -2}, {0, 0, 0, 0, 0, 9}};

static tips_outputs outputs_of(void) {
    return (tips_outputs){.n = 3, .count = 1, .values = {logits[0]}, .floats = {CLASSES}};
}

static void answers(void **state) {
    const tips_assignment a = classify();
    const tips_task *task = a.spec.task;
    const tips_outputs outputs = outputs_of();
    static const int expected[3] = {2, 0, 5};
    tips_bytes answer[3] = {{0}}, truth = number(2), wrong = number(1);
    tips_text text = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        expect_ok(task->answer(&a, &outputs, i, &answer[i]));
        assert_int_equal(value_of(&answer[i]), expected[i]);
    }
    const tips_answer_at two = {&answer[0], {0, 0}, false}, other = {&answer[1], {1, 2}, true};
    tips_agreement g = task->agree(&a, two, two, &truth);
    assert_true(g.agree == 1 && g.right == 1);
    g = task->agree(&a, two, two, &wrong);
    assert_true(g.agree == 1 && g.right == 0);
    g = task->agree(&a, two, two, NULL);
    assert_true(g.agree == 1 && g.right == 0);
    g = task->agree(&a, two, other, &truth);
    assert_true(g.agree == 0 && g.right == 0);
    char *const classes[] = {"a", "b", "cat", "d", "e", "f"};
    task->say(&a, &answer[0], classes, &text);
    tips__text_add(&text, ", ");
    task->say(&a, &answer[0], NULL, &text);
    assert_string_equal(text.data, "cat, class 2");
    tips__text_clear(&text);
    for (int i = 0; i < 3; i++) tips__bytes_clear(&answer[i]);
    tips__bytes_clear(&truth);
    tips__bytes_clear(&wrong);
}

static double entropy(const float *x, int label) {
    double sum = 0;
    for (int i = 0; i < CLASSES; i++) sum += exp(x[i]);
    return log(sum) - x[label];
}

/* Label 2 is the first of its logits, 5 the last, 3 the fifth: four come before it. */
static void figures(void **state) {
    const tips_assignment a = classify();
    const tips_outputs outputs = outputs_of();
    static const int labels[3] = {2, 5, 3};
    tips_figure summed[TIPS_MOST_OWN_METRICS], kept[TIPS_MOST_OWN_METRICS];
    tips_tally sum = {.assignment = &a}, keep = {.assignment = &a, .keep = true};
    double loss = 0;
    (void)state;
    expect_ok(tips__tally_figures(&sum, summed));
    assert_true(isnan(summed[0].value) && isnan(summed[1].value));
    for (int i = 0; i < 3; i++) {
        tips_bytes truth = number(labels[i]);
        loss += entropy(logits[i], labels[i]) / 3;
        expect_ok(tips__tally_add(&sum, &outputs, i, &truth));
        expect_ok(tips__tally_add(&keep, &outputs, i, &truth));
        if (i == 1) expect_ok(tips__tally_end_batch(&sum));
        tips__bytes_clear(&truth);
    }
    expect_ok(tips__tally_end_batch(&sum));
    expect_ok(tips__tally_end_batch(&keep));
    assert_int_equal(sum.count, 1);
    assert_int_equal(keep.count, 3);
    expect_ok(tips__tally_figures(&sum, summed));
    expect_ok(tips__tally_figures(&keep, kept));
    assert_true(fabs(summed[0].value - loss) < 1e-12 && fabs(kept[0].value - loss) < 1e-12);
    assert_true(summed[1].value == 100 * (1.0 / 3) && kept[1].value == summed[1].value && kept[1].low == summed[1].low);
    assert_true(summed[2].value == 100 * (2.0 / 3)); /* label 5 of the second is the sixth */
    assert_true(isnan(summed[3].value));
    tips__tally_clear(&sum);
    tips__tally_clear(&keep);
}

static void tallies_are_kept_as_text(void **state) {
    const tips_assignment a = classify();
    const tips_outputs outputs = outputs_of();
    tips_tally before = {.assignment = &a}, after = {.assignment = &a};
    tips_figure x[TIPS_MOST_OWN_METRICS], y[TIPS_MOST_OWN_METRICS];
    tips_bytes truth = number(2);
    tips_text text = {0};
    (void)state;
    expect_ok(tips__tally_parse(&after, ""));
    assert_int_equal(after.count, 0);
    for (int i = 0; i < 3; i++) expect_ok(tips__tally_add(&before, &outputs, i, &truth));
    expect_ok(tips__tally_end_batch(&before));
    expect_ok(tips__tally_format(&before, &text));
    expect_ok(tips__tally_parse(&after, text.data));
    expect_ok(tips__tally_figures(&before, x));
    expect_ok(tips__tally_figures(&after, y));
    assert_memory_equal(x, y, 3 * sizeof *x);
    assert_int_equal(tips__tally_parse(&after, "abc"), TIPS_FORMAT);
    assert_int_equal(tips__tally_parse(&after, "zz"), TIPS_FORMAT);
    tips__tally_reset(&before);
    expect_ok(tips__tally_figures(&before, x));
    assert_true(isnan(x[1].value));
    tips__tally_clear(&before);
    tips__tally_clear(&after);
    tips__bytes_clear(&truth);
    tips__text_clear(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(rows), cmocka_unit_test(mixed_targets),
        cmocka_unit_test(answers), cmocka_unit_test(figures),
        cmocka_unit_test(tallies_are_kept_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
