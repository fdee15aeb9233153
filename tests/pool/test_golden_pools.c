/* Every pooling operator against PyTorch's numbers: outputs, phases, losses, and the gradients of input and parameters.
 */
#include "pool/lps.h"
#include "pool/tips_pool.h"
#include "support/golden.h"

#include <stdio.h>
#include <string.h>

/* Noise and shifts that PyTorch was given go in through the configs. */
static void fix_draws(const golden *g, tips_pool_spec *spec) {
    const golden_record *noise = golden_find(g, "noise"), *shifts = golden_find(g, "shifts");
    if (noise) ((lps_config *)spec->config.bytes)->fixed_noise = noise->f32;
    if (shifts) ((tips_family_config *)spec->config.bytes)->fixed_shift = shifts->i32;
}

static tips_selection given_selection(const golden *g, golden_run *r, unsigned traits) {
    tips_selection s = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    if (!golden_number(g, "shared", 0)) return s;
    if (golden_find(g, "p")) {
        /* The phase goes with the weights; in training only these matter. */
        s.weights = golden_input(r, g, "p");
        s.phase = tips__graph_index_input(r->graph, "unused phase", 1, 1, 1);
    } else {
        s.phase = golden_input(r, g, "phase");
    }
    assert_true(traits & TIPS_POOL_CHOOSES);
    return s;
}

static void check_case(const golden *g) {
    golden_run r = golden_start();
    char subject[256];
    int stride[2];
    tips_pool_spec spec;
    golden_subject(g, subject, sizeof subject);
    golden_pair(g, "stride", stride);
    expect_ok(tips__pool_parse(subject, golden_number(g, "lpf", 0), &spec));
    /* A logit's gradients sum to zero over the phases, so those of lps's logit net are small differences of larger
     * terms (and of the last bias exactly nothing). */
    r.cancels = strncmp(subject, "lps", 3) == 0;
    if (r.cancels) r.tolerance = 1e-4; /* what single precision leaves of them, in PyTorch too */
    fix_draws(g, &spec);
    const tips_value x = golden_input(&r, g, "x");
    const tips_selection shared = given_selection(g, &r, tips__pool_traits(&spec));
    tips_selection chosen = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    golden_output(&r, "y", tips__pool_add(r.graph, "", &spec, stride, golden_padding(g), x, &shared, &chosen));
    if (shared.phase == TIPS_NO_VALUE && golden_find(g, "phase")) golden_output(&r, "phase", chosen.phase);
    if (shared.phase == TIPS_NO_VALUE && golden_find(g, "p")) golden_output(&r, "p", chosen.weights);
    golden_check(&r, g);
}

static void check_file(const char *name, int cases) {
    golden g = golden_open(name);
    int count = 0;
    for (; golden_next(&g); count++) check_case(&g);
    golden_close(&g);
    assert_true(count >= cases);
}

static void basic(void **state) { (void)state, check_file("pool_basic", 44); }
static void ddac(void **state) { (void)state, check_file("pool_ddac", 9); }
static void aps(void **state) { (void)state, check_file("pool_aps", 22); }
static void lps(void **state) { (void)state, check_file("pool_lps", 15); }
static void tips(void **state) { (void)state, check_file("pool_tips", 85); }
static void shared(void **state) { (void)state, check_file("pool_shared", 14); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basic), cmocka_unit_test(ddac), cmocka_unit_test(aps),
        cmocka_unit_test(lps),   cmocka_unit_test(tips), cmocka_unit_test(shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
