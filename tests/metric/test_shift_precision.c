/* dAP by hand and by brute force: every choice of a shift for each of a few pictures. */
#include "support/compare.h"

#include "core/memory.h"
#include "metric/shift_precision.h"

#include <math.h>
#include <string.h>

enum { PICTURES = 5, SHIFTS = 3, MOST = 6 };

static uint64_t draw_state = 1;
static int below(int n) {
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((draw_state >> 33) % (uint64_t)n);
}

typedef struct drawn_set {
    tips_bytes scores[PICTURES * SHIFTS];
    tips_picture_finds finds[PICTURES * SHIFTS];
} drawn_set;

/* The objects of a picture are the same under every shift, its detections are not. */
static drawn_set draw_set(int classes) {
    drawn_set s = {{{0}}, {{0}}};
    for (int i = 0; i < PICTURES; i++) {
        tips_object there[MOST];
        const int n = 1 + below(3);
        for (int k = 0; k < n; k++)
            there[k] = (tips_object){below(50), below(50), 20, 20, 400, below(classes), false, false};
        for (int u = 0; u < SHIFTS; u++) {
            tips_detection found[2 * MOST];
            int m = 0;
            for (int k = 0; k < n; k++)
                if (below(4))
                    found[m++] = (tips_detection){there[k].x + below(6),           there[k].y, 20, 20, below(10) / 10.0,
                                                  there[k].label + (below(8) == 0)};
            for (int k = below(3); k > 0; k--)
                found[m++] = (tips_detection){below(50), below(50), 20, 20, below(10) / 10.0, below(classes)};
            expect_ok(tips__match_finds(found, m, there, n, 0, &s.scores[i * SHIFTS + u]));
        }
    }
    for (int i = 0; i < PICTURES * SHIFTS; i++) s.finds[i] = tips__finds_in(&s.scores[i], 0);
    return s;
}

static void free_set(drawn_set *s) {
    for (int i = 0; i < PICTURES * SHIFTS; i++) tips__bytes_clear(&s->scores[i]);
}

static double ap_of(const drawn_set *s, const int *shifts, double *ap50) {
    tips_picture_finds chosen[PICTURES];
    tips_ap_index *index;
    double ap;
    for (int i = 0; i < PICTURES; i++) chosen[i] = s->finds[i * SHIFTS + shifts[i]];
    expect_ok(tips__ap_index_create(chosen, PICTURES, &index));
    tips__ap_pair(index, NULL, 0, &ap, ap50);
    tips__ap_index_destroy(index);
    return ap;
}

static void expect_near(double got, double want) {
    if (!(fabs(got - want) <= 1e-9)) fail_msg("%.12g, not %.12g", got, want);
}

static void common_shifts(void **state) {
    (void)state;
    for (int round = 0; round < 5; round++) {
        drawn_set s = draw_set(2);
        double low = 1, high = 0, low50 = 1, high50 = 0, sum = 0;
        tips_shift_precision p, again;
        for (int u = 0; u < SHIFTS; u++) {
            double ap50;
            const double ap = ap_of(&s, (const int[PICTURES]){u, u, u, u, u}, &ap50);
            low = fmin(low, ap), high = fmax(high, ap), sum += ap;
            low50 = fmin(low50, ap50), high50 = fmax(high50, ap50);
        }
        expect_ok(tips__shift_precision(s.finds, PICTURES, SHIFTS, &p));
        expect_near(p.dap.value, 100 * (high - low));
        expect_near(p.dap50.value, 100 * (high50 - low50));
        expect_near(p.best.value, 100 * high);
        expect_near(p.worst.value, 100 * low);
        expect_near(p.mean.value, 100 * sum / SHIFTS);
        assert_true(p.dap.low <= p.dap.value && p.dap.value <= p.dap.high && p.dap.low < p.dap.high);
        assert_true(p.bound.value >= p.dap.value);
        expect_ok(tips__shift_precision(s.finds, PICTURES, SHIFTS, &again));
        assert_memory_equal(&p, &again, sizeof p);
        free_set(&s);
    }
}

/* The greedy choice is one of all choices, and no change of one picture betters it. */
static void bounds(void **state) {
    int tight = 0;
    (void)state;
    for (int round = 0; round < 20; round++) {
        drawn_set s = draw_set(round % 3 + 1);
        double most = -1, least = 2, ap50, got[2];
        int choice[PICTURES];
        for (int code = 0; code < 243; code++) { /* 3^5 */
            for (int i = 0, rest = code; i < PICTURES; i++, rest /= SHIFTS) choice[i] = rest % SHIFTS;
            const double ap = ap_of(&s, choice, &ap50);
            most = fmax(most, ap), least = fmin(least, ap);
        }
        for (int largest = 0; largest < 2; largest++) {
            expect_ok(tips__ap_bound(s.finds, PICTURES, SHIFTS, 0, largest, &got[largest]));
            bool among = false, beaten = false;
            for (int code = 0; code < 243; code++) {
                for (int i = 0, rest = code; i < PICTURES; i++, rest /= SHIFTS) choice[i] = rest % SHIFTS;
                if (fabs(ap_of(&s, choice, &ap50) - got[largest]) > 1e-12) continue;
                bool better = false;
                for (int i = 0; i < PICTURES; i++) {
                    const int kept = choice[i];
                    for (choice[i] = 0; choice[i] < SHIFTS; choice[i]++) {
                        const double gain = ap_of(&s, choice, &ap50) - got[largest];
                        better = better || (largest ? gain : -gain) > 1e-9;
                    }
                    choice[i] = kept;
                }
                among = true;
                beaten = beaten || better;
                if (!better) {
                    beaten = false;
                    break;
                }
            }
            assert_true(among && !beaten);
        }
        assert_true(got[1] <= most + 1e-12 && got[0] >= least - 1e-12);
        tight += got[1] > most - 1e-12 && got[0] < least + 1e-12;
        free_set(&s);
    }
    assert_true(tight >= 10); /* mostly it is the best there is */
}

/* Answers that no shift changes: nothing differs, and nothing says how differences would spread. */
static void nothing_changes(void **state) {
    drawn_set s = draw_set(2);
    tips_shift_precision p;
    (void)state;
    for (int i = 0; i < PICTURES; i++)
        for (int u = 1; u < SHIFTS; u++) s.finds[i * SHIFTS + u] = s.finds[i * SHIFTS];
    expect_ok(tips__shift_precision(s.finds, PICTURES, SHIFTS, &p));
    assert_true(p.dap.value == 0 && isnan(p.dap.low) && isnan(p.dap.high) && p.dap50.value == 0 && p.bound.value == 0);
    assert_true(p.best.value == p.worst.value && p.best.low < p.best.high);
    free_set(&s);
}

static void no_objects(void **state) {
    const tips_detection found = {0, 0, 10, 10, 0.5, 0};
    tips_bytes score = {0};
    tips_picture_finds finds[4];
    tips_shift_precision p;
    (void)state;
    expect_ok(tips__match_finds(&found, 1, NULL, 0, 0, &score));
    for (int i = 0; i < 4; i++) finds[i] = tips__finds_in(&score, 0);
    expect_ok(tips__shift_precision(finds, 2, 2, &p));
    assert_true(isnan(p.dap.value) && isnan(p.bound.value) && isnan(p.mean.value));
    tips__bytes_clear(&score);
}

/* Intervals take their time: of those only the first allocations. */
static void memory_runs_out(void **state) {
    drawn_set s = draw_set(2);
    tips_shift_precision p;
    double bound;
    (void)state;
    for (uint64_t n = 1;; n++) {
        tips__alloc_fail_at(n);
        const tips_status status = tips__ap_bound(s.finds, PICTURES, SHIFTS, 0, true, &bound);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) break;
        assert_int_equal(status, TIPS_MEMORY);
    }
    for (uint64_t n = 1; n <= 25; n++) {
        tips__alloc_fail_at(n);
        const tips_status status = tips__shift_precision(s.finds, PICTURES, SHIFTS, &p);
        tips__alloc_fail_at(0);
        assert_int_equal(status, TIPS_MEMORY);
    }
    free_set(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_shifts), cmocka_unit_test(bounds),          cmocka_unit_test(nothing_changes),
        cmocka_unit_test(no_objects),    cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
