/* src/tensor: what both the kernels and the oracle stand on, so that neither can vouch for it. */
#include "support/compare.h"

#include "core/rng.h"
#include "tensor/exact_sum.h"
#include "tensor/matmul.h"
#include "tensor/pad.h"
#include "tensor/vec.h"
#include "tensor/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_indices(tips_pad_mode mode, int n, int from, const int *want, int count) {
    test_case("%s of %d cells", tips_pad_mode_names[mode], n);
    for (int i = 0; i < count; i++)
        if (tips__pad_index(mode, from + i, n) != want[i])
            fail_case("position %d is %d, not %d", from + i, tips__pad_index(mode, from + i, n), want[i]);
}

static void test_pad_index(void **state) {
    (void)state;
    static const int zero[] = {-1, -1, 0, 1, 2, -1, -1}, circular[] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
    static const int reflect[] = {1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}, replicate[] = {0, 0, 0, 1, 2, 2, 2};
    static const int two[] = {1, 0, 1, 0, 1, 0, 1}, one[] = {0, 0, 0, 0, 0};
    expect_indices(TIPS_PAD_ZERO, 3, -2, zero, 7);
    expect_indices(TIPS_PAD_CIRCULAR, 3, -5, circular, 13);
    expect_indices(TIPS_PAD_REFLECT, 3, -5, reflect, 13);
    expect_indices(TIPS_PAD_REPLICATE, 3, -2, replicate, 7);
    expect_indices(TIPS_PAD_REFLECT, 2, -3, two, 7);
    for (int mode = TIPS_PAD_CIRCULAR; mode <= TIPS_PAD_REPLICATE; mode++)
        expect_indices((tips_pad_mode)mode, 1, -2, one, 5);
}

typedef struct sample_map {
    tips_map map;
    float *buffer, *nchw;
    size_t count;
} sample_map;

/* A map in a buffer full of NaN, with room for `halo`, and its plain values. */
static sample_map make_map(int n, int c, int h, int w, const tips_padding *halo) {
    const size_t bytes = tips__map_bytes(n, c, h, w, halo);
    sample_map m = {.count = (size_t)n * (size_t)c * (size_t)h * (size_t)w};
    m.buffer = aligned_alloc(64, (bytes + 63) / 64 * 64);
    m.nchw = test_floats(m.count);
    assert_non_null(m.buffer);
    memset(m.buffer, 0xff, bytes);
    m.map = tips__map_haloed(m.buffer, n, c, h, w, halo);
    for (size_t i = 0; i < m.count; i++) m.nchw[i] = (float)tips__rng_normal((tips_rng){3, 4}, i);
    tips__map_from_nchw(&m.map, m.nchw);
    return m;
}

static void free_map(sample_map *m) {
    free(m->buffer);
    free(m->nchw);
}

static float at(const tips_map *m, int n, int c, int y, int x) {
    return tips__row(m, n, c / TIPS_BLOCK, y)[x * TIPS_BLOCK + c % TIPS_BLOCK];
}

static void check_layout(int c, const tips_padding *halo) {
    sample_map m = make_map(2, c, 3, 5, halo);
    float *back = test_floats(m.count);
    test_case("%d channels in blocks", c);
    tips__map_to_nchw(&m.map, back);
    expect_same_bits("value", back, m.nchw, m.count);
    assert_true(at(&m.map, 1, c - 1, 2, 4) == m.nchw[m.count - 1]);
    for (int lane = c; lane < tips__padded(c); lane++) assert_true(at(&m.map, 1, lane, 2, 4) == 0);
    free(back);
    free_map(&m);
}

static void test_layout(void **state) {
    (void)state;
    static const int channels[] = {1, 3, 7, 8, 9, 16, 17};
    for (int i = 0; i < 7; i++) {
        check_layout(channels[i], &(tips_padding){0});
        check_layout(channels[i], &(tips_padding){TIPS_PAD_CIRCULAR, 1, 2, 3, 1});
    }
}

/* The border of a haloed map, cell by cell, and folding as the transpose of filling: <fill x, y> = <x, fold y>. */
static void check_halo(tips_pad_mode mode, int h, int w) {
    const tips_padding halo = {mode, 3, 2, 1, 4};
    sample_map x = make_map(1, 5, h, w, &halo), y = make_map(1, 5, h, w, &halo);
    double before = 0, after = 0;
    test_case("%s halo of %dx%d", tips_pad_mode_names[mode], h, w);
    tips__halo_fill(&x.map, &halo);
    for (int i = -halo.top; i < h + halo.bottom; i++)
        for (int j = -halo.left; j < w + halo.right; j++) {
            const int from_y = tips__pad_index(mode, i, h), from_x = tips__pad_index(mode, j, w);
            const float want = from_y < 0 || from_x < 0 ? 0 : at(&x.map, 0, 3, from_y, from_x);
            if (at(&x.map, 0, 3, i, j) != want)
                fail_case("cell %d, %d is %g, not %g", i, j, at(&x.map, 0, 3, i, j), want);
            float *cell = tips__row(&y.map, 0, 0, i) + j * TIPS_BLOCK;
            for (int l = 0; l < TIPS_BLOCK; l++) cell[l] = (float)(i * 7 + j * 3 + l);
            before += (double)cell[3] * want;
        }
    tips__halo_fold(&y.map, &halo);
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) after += (double)at(&x.map, 0, 3, i, j) * at(&y.map, 0, 3, i, j);
    expect_number("<x, fold y>", after, before, 1e-5);
    free_map(&x);
    free_map(&y);
}

static void test_halo(void **state) {
    (void)state;
    for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++) {
        check_halo((tips_pad_mode)mode, 5, 6);
        check_halo((tips_pad_mode)mode, 2, 1);
    }
}

/* The same bits in any order, and close to the true sum, for terms of very different size. */
static void test_exact_sum(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    double terms[COUNT], bound = 0, plain = 0;
    for (int i = 0; i < COUNT; i++) {
        terms[i] = (float)(tips__rng_normal((tips_rng){5, 6}, (uint64_t)i) * pow(10, i % 7 - 3));
        bound = fmax(bound, fabs(terms[i]));
        plain += terms[i];
    }
    test_case("a thousand terms");
    double first = 0;
    for (int step = 1; step < COUNT; step += 6) { /* odd steps that share no factor with 1000 visit every term */
        if (step % 5 == 0) continue;
        exact_sum sum = exact_sum_start(vd_set(bound), COUNT);
        for (int i = 0; i < COUNT; i++) exact_sum_add(&sum, vd_set(terms[i * step % COUNT]));
        if (step == 1) first = sum.sum[0];
        for (int l = 0; l < TIPS_BLOCK; l++) assert_true(sum.sum[l] == first);
    }
    expect_number("the sum", first, plain, 1e-9);
}

static void test_exp(void **state) {
    (void)state;
    test_case("exp");
    for (float x = -86; x < 87; x += 0.37f) {
        const vf y = vf_exp(vf_set(x));
        expect_number("exp", y[0], exp((double)x), 3e-7);
        for (int l = 1; l < TIPS_BLOCK; l++) assert_true(y[l] == y[0]);
    }
    assert_true(vf_exp(vf_set(-200))[0] == 0);
    assert_true(vf_exp(vf_set(0))[0] == 1);
    assert_true(isnan(vf_relu(vf_set(NAN))[0]));
}

/* phases: four numbers for the four phases of a 2x2 map of one channel. */
static int choose(const float *phases, const double *score, float *margin) {
    const int stride[2] = {2, 2};
    sample_map m = make_map(1, 1, 2, 2, &(tips_padding){0});
    tips__map_from_nchw(&m.map, phases);
    const int best = tips__phase_choose(score, &m.map, 0, stride, margin);
    free_map(&m);
    return best;
}

/* Ties: the larger norm, then the lowest index; only a tie between phases that differ leaves no margin. */
static void test_choice(void **state) {
    (void)state;
    float margin;
    test_case("choices");
    assert_int_equal(choose((const float[]){1, 2, 3, 4}, (const double[]){5, 8, 7, 6}, &margin), 1);
    expect_number("margin", margin, 0.125, 1e-6);
    assert_int_equal(choose((const float[]){1, 2, 3, 2}, (const double[]){7, 7, 7, 0}, &margin), 2);
    expect_number("margin", margin, 5.0 / 9, 1e-6);
    assert_int_equal(choose((const float[]){1, -2, 2, 2}, (const double[]){5, 7, 7, 5}, &margin), 1);
    assert_true(margin == 0);
    assert_int_equal(choose((const float[]){1, 2, 2, 1}, (const double[]){5, 7, 7, 5}, &margin), 1);
    expect_number("margin", margin, 2.0 / 7, 1e-6);
}

static void test_norms(void **state) {
    (void)state;
    const int stride[2] = {2, 3};
    sample_map m = make_map(2, 11, 4, 6, &(tips_padding){TIPS_PAD_CIRCULAR, 1, 1, 1, 1});
    for (int p = 0; p <= 2; p++) {
        double score[6], want[6] = {0};
        test_case("norm %d", p);
        tips__phase_norms(&m.map, 1, stride, p, score);
        for (int c = 0; c < 11; c++)
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 6; x++) {
                    const double v = fabs(m.nchw[((11 + c) * 4 + y) * 6 + x]);
                    double *k = &want[y % 2 * 3 + x % 3];
                    *k = p == 0 ? fmax(*k, v) : *k + (p == 1 ? v : v * v);
                }
        for (int k = 0; k < 6; k++) expect_number("score", score[k], want[k], 1e-12);
    }
    free_map(&m);
}

static void test_matmul(void **state) {
    (void)state;
    enum { M = 7, N = 2 * TIPS_BLOCK, K = 5 };
    _Alignas(64) float a[M * K], b[K * N], c[M * N], transposed[N * TIPS_BLOCK];
    for (int i = 0; i < M * K; i++) a[i] = (float)tips__rng_normal((tips_rng){1, 1}, (uint64_t)i);
    for (int i = 0; i < K * N; i++) b[i] = (float)tips__rng_normal((tips_rng){1, 2}, (uint64_t)i);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        double want[M * N];
        for (int i = 0; i < M * N; i++) c[i] = 3;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                want[i * N + j] = accumulate ? 3 : 0;
                for (int l = 0; l < K; l++) want[i * N + j] += (double)a[l * M + i] * b[l * N + j];
            }
        test_case("matmul%s", accumulate ? ", accumulating" : "");
        /* a is given transposed, by its strides. */
        tips__matmul(&(tips_matmul){.m = M,
                                    .n = N,
                                    .k = K,
                                    .a = a,
                                    .a_row = 1,
                                    .a_col = M,
                                    .b = b,
                                    .b_row = N,
                                    .c = c,
                                    .c_row = N,
                                    .accumulate = accumulate});
        expect_close("product", c, want, M * N, 1e-6);
    }
    test_case("transpose");
    tips__transpose(b, K, N, N, transposed, TIPS_BLOCK);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < TIPS_BLOCK; i++) assert_true(transposed[j * TIPS_BLOCK + i] == (i < K ? b[i * N + j] : 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pad_index), cmocka_unit_test(test_layout), cmocka_unit_test(test_halo),
        cmocka_unit_test(test_exact_sum), cmocka_unit_test(test_exp),    cmocka_unit_test(test_choice),
        cmocka_unit_test(test_norms),     cmocka_unit_test(test_matmul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
