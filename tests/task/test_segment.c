/* Segmentation: masks that follow the picture, agreement with the shifts undone, and figures against a confusion matrix
 * that is counted here. */
#include "support/trial.h"
#include "task/outputs.h"
#include "task/segment.h"
#include "task/tally.h"

#include <math.h>
#include <string.h>

enum { H = 6, W = 8, PIXELS = H * W, CLASSES = 4, PICTURES = 9 };

static tips_assignment segment(void) {
    tips_assignment a = {.classes = CLASSES, .size = {H, W}};
    expect_ok(tips__task_parse("segment", &a.spec));
    return a;
}

static uint64_t draw_state = 1;
static int below(int n) {
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((draw_state >> 33) % (uint64_t)n);
}

static tips_bytes draw_mask(int classes, int ignored) {
    tips_bytes mask = {0};
    expect_ok(tips__bytes_resize(&mask, PIXELS));
    for (int i = 0; i < PIXELS; i++)
        mask.data[i] = (unsigned char)(below(100) < ignored ? TIPS_MASK_IGNORE : below(classes));
    return mask;
}

/* The class of each pixel has the largest logit. */
static void fill_logits(const tips_bytes *answer, float *logits) {
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < CLASSES; c++) logits[c * PIXELS + p] = (float)(below(100) / 100.0 + (answer->data[p] == c));
}

static tips_outputs outputs_of(const float *logits) {
    return (tips_outputs){.n = 1, .count = 1, .values = {logits}, .floats = {CLASSES * PIXELS}};
}

static void answers(void **state) {
    const tips_assignment a = segment();
    static float logits[CLASSES * PIXELS];
    tips_bytes wanted = draw_mask(CLASSES, 0), got = {0};
    (void)state;
    fill_logits(&wanted, logits);
    const tips_outputs outputs = outputs_of(logits);
    expect_ok(a.spec.task->answer(&a, &outputs, 0, &got));
    assert_int_equal(got.count, PIXELS);
    assert_memory_equal(got.data, wanted.data, PIXELS);
    for (int i = 0; i < CLASSES * PIXELS; i++) logits[i] = 1; /* the first of equal ones */
    expect_ok(a.spec.task->answer(&a, &outputs, 0, &got));
    for (int p = 0; p < PIXELS; p++) assert_int_equal(got.data[p], 0);
    tips__bytes_clear(&wanted);
    tips__bytes_clear(&got);
}

/* A mask of the picture's size, moved as the picture is. */
static void targets(void **state) {
    const tips_assignment a = segment();
    uint8_t pixels[PIXELS];
    const tips_annotation annotation = {
        .has = TIPS_ANNOTATES_MASK, .size = {H, W}, .mask = {.h = H, .w = W, .c = 1, .pixels = pixels}};
    tips_bytes target = {0};
    (void)state;
    for (int i = 0; i < PIXELS; i++) pixels[i] = (uint8_t)below(CLASSES);
    tips_move move = tips__move_none(annotation.size);
    move.shift[0] = 2, move.shift[1] = -1;
    expect_ok(a.spec.task->target(&a, &annotation, &move, &target));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const int sy = y - 2, sx = x + 1;
            const bool inside = sy >= 0 && sx < W;
            assert_int_equal(target.data[y * W + x], inside ? pixels[sy * W + sx] : TIPS_MASK_IGNORE);
        }
    pixels[0] = CLASSES;
    move = tips__move_none(annotation.size);
    assert_int_equal(a.spec.task->target(&a, &annotation, &move, &target), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "knows 4 classes"));
    tips__bytes_clear(&target);
}

static tips_bytes rolled(const tips_bytes *mask, int dy, int dx, bool circular) {
    tips_bytes out = draw_mask(CLASSES, 0); /* what comes in from outside is anything */
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const int sy = y - dy, sx = x - dx;
            if (!circular && (sy < 0 || sx < 0 || sy >= H || sx >= W)) continue;
            out.data[y * W + x] = mask->data[(sy + 2 * H) % H * W + (sx + 2 * W) % W];
        }
    return out;
}

/* Answers that move with the picture agree whatever comes in; one that does not, does not. */
static void agreement_undoes_shifts(void **state) {
    static const int shifts[][2] = {{0, 0}, {1, 0}, {0, -3}, {-2, 2}, {3, 5}};
    const tips_assignment a = segment();
    (void)state;
    for (int circular = 0; circular < 2; circular++)
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 5; j++) {
                tips_bytes still = draw_mask(CLASSES, 0), truth = draw_mask(CLASSES, 30);
                tips_bytes x = rolled(&still, shifts[i][0], shifts[i][1], circular);
                tips_bytes y = rolled(&still, shifts[j][0], shifts[j][1], circular);
                const tips_answer_at at[2] = {{&x, {shifts[i][0], shifts[i][1]}, circular},
                                              {&y, {shifts[j][0], shifts[j][1]}, circular}};
                const tips_agreement good = a.spec.task->agree(&a, at[0], at[1], &truth);
                assert_true(good.agree == 1);
                const tips_agreement off = a.spec.task->agree(
                    &a, at[0], (tips_answer_at){&y, {shifts[j][0] + 1, shifts[j][1]}, circular}, &truth);
                assert_true(!circular || off.agree < 0.8); /* else few pixels may be left to tell */
                const tips_agreement blind = a.spec.task->agree(&a, at[0], at[1], NULL);
                assert_true(blind.agree == 1 && blind.right == 0);
                tips__bytes_clear(&still), tips__bytes_clear(&truth);
                tips__bytes_clear(&x), tips__bytes_clear(&y);
            }
}

/* Shares counted by hand: of the pixels that both show, and of those the labelled. */
static void agreement_counts_common_pixels(void **state) {
    const tips_assignment a = segment();
    tips_bytes x = draw_mask(CLASSES, 0), y = draw_mask(CLASSES, 0), truth = draw_mask(CLASSES, 40);
    double common = 0, same = 0, labelled = 0, right = 0;
    (void)state;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            const int yi = i + 2, yj = j - 3;
            if (yi >= H || yj < 0) continue;
            const int p = x.data[i * W + j], q = y.data[yi * W + yj], t = truth.data[i * W + j];
            common++;
            same += p == q;
            labelled += t != TIPS_MASK_IGNORE;
            right += p == q && p == t;
        }
    const tips_agreement got =
        a.spec.task->agree(&a, (tips_answer_at){&x, {0, 0}, false}, (tips_answer_at){&y, {2, -3}, false}, &truth);
    assert_true(got.agree == same / common && got.right == right / labelled);
    tips__bytes_clear(&x), tips__bytes_clear(&y), tips__bytes_clear(&truth);
}

static double ratio(double a, double b) { return b > 0 ? 100 * a / b : NAN; }

static double mean_over(const double *values, int from) {
    double sum = 0;
    int n = 0;
    for (int c = from; c < CLASSES; c++)
        if (!isnan(values[c])) sum += values[c], n++;
    return n ? sum / n : NAN;
}

static void expect_figure(const char *what, double got, double want) {
    if (!(fabs(got - want) <= 1e-9 * fabs(want)) && !(isnan(got) && isnan(want)))
        fail_msg("%s: %.12g, not %.12g", what, got, want);
}

/* Class 3 never occurs, class 2 in answers alone: the mean leaves out the first, and counts the second as 0. */
static void figures(void **state) {
    const tips_assignment a = segment();
    static float logits[CLASSES * PIXELS];
    double confusion[CLASSES][CLASSES] = {{0}}, iou[CLASSES], dice[CLASSES], right = 0, all = 0, loss = 0;
    tips_tally kept = {.assignment = &a, .keep = true}, summed = {.assignment = &a};
    (void)state;
    for (int i = 0; i < PICTURES; i++) {
        tips_bytes answer = draw_mask(3, 0), truth = draw_mask(2, 20);
        fill_logits(&answer, logits);
        const tips_outputs outputs = outputs_of(logits);
        expect_ok(tips__tally_add(&kept, &outputs, 0, &truth));
        expect_ok(tips__tally_add(&summed, &outputs, 0, &truth));
        for (int p = 0; p < PIXELS; p++) {
            if (truth.data[p] == TIPS_MASK_IGNORE) continue;
            double sum = 0;
            for (int c = 0; c < CLASSES; c++) sum += exp(logits[c * PIXELS + p]);
            loss += log(sum) - logits[truth.data[p] * PIXELS + p];
            confusion[truth.data[p]][answer.data[p]]++;
        }
        tips__bytes_clear(&answer), tips__bytes_clear(&truth);
        if (i % 4 == 3) expect_ok(tips__tally_end_batch(&kept)), expect_ok(tips__tally_end_batch(&summed));
    }
    expect_ok(tips__tally_end_batch(&kept));
    expect_ok(tips__tally_end_batch(&summed));
    for (int c = 0; c < CLASSES; c++) {
        double row = 0, column = 0;
        for (int k = 0; k < CLASSES; k++) row += confusion[c][k], column += confusion[k][c];
        iou[c] = ratio(confusion[c][c], row + column - confusion[c][c]);
        dice[c] = ratio(2 * confusion[c][c], row + column);
        right += confusion[c][c];
        all += row;
    }
    assert_true(isnan(iou[3]) && iou[2] == 0);
    for (int way = 0; way < 2; way++) {
        const tips_tally *tally = way ? &summed : &kept;
        tips_figure got[TIPS_MOST_OWN_METRICS], one;
        expect_ok(tips__tally_figures(tally, got));
        expect_figure("miou", got[TIPS_SEGMENT_MIOU].value, mean_over(iou, 0));
        expect_figure("miou_fg", got[TIPS_SEGMENT_MIOU_FG].value, mean_over(iou, 1));
        expect_figure("dice", got[TIPS_SEGMENT_DICE].value, mean_over(dice, 1));
        expect_figure("pixel_accuracy", got[TIPS_SEGMENT_PIXEL_ACCURACY].value, ratio(right, all));
        expect_figure("loss", got[TIPS_SEGMENT_LOSS].value, loss / all);
        for (int c = 0; c < CLASSES; c++) {
            expect_ok(a.spec.task->class_figure(&a, tally->scores, tally->count, c, &one));
            expect_figure("iou of a class", one.value, iou[c]);
        }
        if (way) continue;
        const tips_figure *miou = &got[TIPS_SEGMENT_MIOU];
        assert_true(miou->low < miou->value && miou->value < miou->high && miou->high - miou->low < 20);
    }
    tips__tally_clear(&kept);
    tips__tally_clear(&summed);
}

static void words(void **state) {
    const tips_assignment a = segment();
    tips_bytes mask = {0};
    tips_text text = {0};
    char *names[] = {"background", "cat", "dog", "cow"};
    (void)state;
    expect_ok(tips__bytes_resize(&mask, PIXELS));
    memset(mask.data, 0, PIXELS);
    memset(mask.data, 2, PIXELS / 4);
    a.spec.task->say(&a, &mask, names, &text);
    assert_string_equal(text.data, "background 75 %, dog 25 %");
    tips__text_clear(&text);
    tips__bytes_clear(&mask);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(targets),
        cmocka_unit_test(agreement_undoes_shifts),
        cmocka_unit_test(agreement_counts_common_pixels),
        cmocka_unit_test(figures),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
