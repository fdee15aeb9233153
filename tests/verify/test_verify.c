/* The verifier: exact operators pass, the others break at the right layer for the right reason, and memory may run out.
 */
#include "core/memory.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static tips_verify_config config_of(const char *pool, const char *shifts, int h, int w) {
    return (tips_verify_config){
        .model = {.arch = "tiny",
                  .pool = pool,
                  .padding = TIPS_PAD_CIRCULAR,
                  .size = {h, w},
                  .classes = 10,
                  .channels = 3,
                  .seed = 1},
        .shifts = shifts,
    };
}

static tips_verify_result run(const tips_verify_config *config) {
    tips_verify_result result;
    if (tips__verify_run(config, &result) != TIPS_OK) fail_msg("%s: %s", config->model.pool, tips_last_error());
    return result;
}

static void expect_exact(const tips_verify_config *config) {
    tips_verify_result r = run(config);
    if (!r.exact) fail_msg("%s: %s breaks (%s)", config->model.pool, r.layers[r.first_breaking].name, r.reason);
    assert_int_equal(r.differing_bits, 0);
    assert_int_equal(r.answer_changes, 0);
    assert_int_equal(r.first_breaking, -1);
    assert_null(r.reason);
    assert_true(r.within_tolerance);
    tips__verify_free(&r);
}

static void expect_broken(const tips_verify_config *config, const char *layer, const char *reason) {
    tips_verify_result r = run(config);
    assert_false(r.exact);
    assert_string_equal(r.layers[r.first_breaking].name, layer);
    assert_string_equal(r.reason, reason);
    assert_true(r.differing_bits > 0 && r.max_abs_error > 0);
    for (int i = 0; i < r.first_breaking; i++) assert_true(r.layers[i].exact);
    tips__verify_free(&r);
}

static void test_exact_networks(void **state) {
    static const char *const pools[] = {
        "aps", "aps:p=1", "aps:p=inf", "lps", "tips-exact", "tips-exact:anchor=norm", "tips:anchor=norm", "none"};
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        tips_verify_config config = config_of(pools[i], "all", 8, 12);
        config.model.down = 1 + (int)i % 2;
        expect_exact(&config);
        config.model.lpf = 5;
        expect_exact(&config);
    }
}

static void test_exact_alone(void **state) {
    static const char *const pools[] = {"aps", "lps", "tips-exact", "none"};
    static const int strides[][2] = {{3, 3}, {3, 2}, {1, 2}, {4, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        for (size_t j = 0; j < sizeof strides / sizeof strides[0]; j++) {
            tips_verify_config config = config_of(pools[i], "all", 12, 18);
            config.alone = true;
            config.model.channels = 11;
            memcpy(config.stride, strides[j], sizeof config.stride);
            expect_exact(&config);
        }
}

static void test_broken_networks(void **state) {
    static const char *const pools[] = {"max",  "avg",  "stride",        "blur",
                                        "ddac", "tips", "tips-official", "tips-exact:anchor=none"};
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        const tips_verify_config config = config_of(pools[i], "8", 16, 16);
        expect_broken(&config, "layer2.0.pool", "fixed grid");
    }
    tips_verify_config config = config_of("aps:choice=channel", "all", 8, 8);
    expect_broken(&config, "layer2.0.pool", "per-channel choice");
}

static void test_padding_and_size(void **state) {
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        tips_verify_config config = config_of("tips-exact", "8", 8, 8);
        config.model.padding = mode;
        if (mode != TIPS_PAD_CIRCULAR) expect_broken(&config, "conv1", "padding");
        config.alone = true;
        if (mode != TIPS_PAD_CIRCULAR) expect_broken(&config, "pool.max", "padding");
        config.model.pool = "tips-exact:before=none";
        if (mode != TIPS_PAD_CIRCULAR) expect_broken(&config, "pool", "padding");
    }
    tips_verify_config config = config_of("aps", "all", 10, 12);
    expect_broken(&config, "layer3.0.pool.extend", "odd size");
    tips_verify_result r = run(&config);
    assert_non_null(strstr(r.advice, "height of its map, 5,"));
    assert_non_null(strstr(r.advice, "divisible by 4"));
    tips__verify_free(&r);
}

/* Two phases of the same norm that are no shifts of each other: 1 2 4 8 and 8 1 4 2. */
static void test_tie(void **state) {
    static const unsigned char rows[] = {1, 8, 2, 1, 4, 4, 8, 2, 1, 8, 2, 1, 4, 4, 8, 2};
    char path[] = "/tmp/tips-test-XXXXXX";
    (void)state;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "wb");
    fprintf(file, "P5 8 2 255\n");
    fwrite(rows, 1, sizeof rows, file);
    fclose(file);
    tips_verify_config config = config_of("aps", "all", 2, 8);
    config.image = path;
    config.alone = true;
    config.model.channels = config.stride[0] = 1;
    expect_broken(&config, "pool", "tie");
    tips_verify_result r = run(&config);
    assert_true(r.margin == 0 && r.margin_layer == 0);
    tips__verify_free(&r);
    remove(path);
}

static void test_reference(void **state) {
    (void)state;
    tips_verify_config config = config_of("tips-exact", "4", 8, 8);
    config.engine = TIPS_VERIFY_REF;
    tips_verify_result r = run(&config);
    assert_true(r.within_tolerance && r.max_rel_error < 1e-12);
    tips__verify_free(&r);
    config.model.pool = "max";
    r = run(&config);
    assert_false(r.within_tolerance);
    assert_string_equal(r.reason, "fixed grid");
    tips__verify_free(&r);
}

static void test_shifts(void **state) {
    tips_verify_result r;
    (void)state;
    tips_verify_config config = config_of("none", "7", 8, 8);
    r = run(&config);
    assert_int_equal(r.shifts, 7);
    tips__verify_free(&r);
    static const char *const wrong[] = {"0", "-1", "65", "many", "", "3x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        config.shifts = wrong[i];
        const tips_status status = tips__verify_run(&config, &r);
        assert_true(status == TIPS_RANGE || status == TIPS_INVALID);
        assert_non_null(strstr(tips_last_error(), "1..64"));
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    const tips_verify_config config = config_of("tips-exact", "2", 4, 4);
    tips_status status = TIPS_MEMORY;
    int failures = 0;
    for (int n = 1; status != TIPS_OK; n++) {
        tips_verify_result r;
        tips__alloc_fail_at((uint64_t)n);
        status = tips__verify_run(&config, &r);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) {
            tips__verify_free(&r);
        } else {
            assert_int_equal(status, TIPS_MEMORY);
            failures++;
        }
    }
    assert_true(failures > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_networks),
        cmocka_unit_test(test_exact_alone),
        cmocka_unit_test(test_broken_networks),
        cmocka_unit_test(test_padding_and_size),
        cmocka_unit_test(test_tie),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
