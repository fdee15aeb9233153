/* Checkpoints of every optimiser: what is saved is loaded bit by bit, under names that PyTorch's users know, and
 * failing allocations leave the file as it was. */
#include "arch/arch.h"
#include "core/memory.h"
#include "exchange/safetensors.h"
#include "optimizer/optimizer.h"
#include "support/compare.h"
#include "support/temporary.h"
#include "task/model.h"
#include "train/train_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    tips_model model;
    tips_params *params;
} subject;

static subject make(const tips_optimizer *optimizer, uint64_t seed) {
    subject s;
    const tips_arch *arch;
    tips_arch_config config = {.in_channels = 3, .size = {16, 16}, .classes = 4, .padding = TIPS_PAD_CIRCULAR};
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__pool_parse("tips-exact", 0, &config.pool));
    expect_ok(tips__model_create(arch, &config, NULL, true, &s.model));
    expect_ok(tips__params_create(s.model.graph, seed, &s.params));
    expect_ok(tips__optimizer_prepare(optimizer, s.params));
    return s;
}

static void finish(subject *s) {
    tips__params_destroy(s->params);
    tips__model_destroy(&s->model);
}

/* Something that no other vector holds. */
static void fill_states(tips_params *p) {
    for (int i = 0; i < p->count; i++) {
        if (!p->diff[i]) continue;
        const size_t count = tips__param_elements(tips__graph_param(p->graph, i));
        float *plain = test_floats(count);
        for (int k = 0; k < p->n_states; k++) {
            for (size_t e = 0; e < count; e++) plain[e] = (float)(1000 * i + 100 * (k + 1)) + (float)e / 1024;
            tips__param_set_state(p, k, i, plain);
        }
        free(plain);
    }
}

static void expect_same(const subject *got, const subject *want) {
    const size_t floats = want->params->total_floats;
    expect_same_bits("parameters", got->params->data_arena, want->params->data_arena, floats);
    assert_int_equal(got->params->n_states, want->params->n_states);
    for (int k = 0; k < want->params->n_states; k++)
        expect_same_bits(want->params->state_name[k], got->params->state_arena[k], want->params->state_arena[k],
                         floats);
}

static void expect_names(const char *path, const tips_params *p, const tips_optimizer *optimizer) {
    tips_safetensors *file;
    int expected = 0;
    expect_ok(tips__safetensors_open(path, &file));
    for (int i = 0; i < p->count; i++) expected += p->diff[i] ? 1 + p->n_states : 1;
    assert_int_equal(tips__safetensors_count(file), expected);
    for (const char *const *state = optimizer->state; *state; state++) {
        char name[64];
        snprintf(name, sizeof name, "%s/layer1.0.bn1.weight", *state);
        if (tips__safetensors_find(file, name) < 0) fail_case("has no tensor %s", name);
        snprintf(name, sizeof name, "%s/layer1.0.bn1.running_mean", *state);
        if (tips__safetensors_find(file, name) >= 0) fail_case("has a tensor %s", name);
    }
    tips__safetensors_close(file);
}

static tips_status save(const subject *s, const char *path, int64_t step) {
    tips_train_state state = tips__train_state_new(&s->model.assignment);
    state.step = step;
    const tips_status status = tips__checkpoint_save(path, s->params, &state, &(tips_settings){0});
    tips__train_state_clear(&state);
    return status;
}

static tips_status load(const subject *s, const char *path, int64_t *step) {
    tips_train_state state = tips__train_state_new(&s->model.assignment);
    const tips_status status = tips__checkpoint_load(path, s->params, &state);
    *step = state.step;
    tips__train_state_clear(&state);
    return status;
}

static void round_trip(const tips_optimizer *optimizer) {
    test_case("%s", optimizer->name);
    subject saved = make(optimizer, 1), loaded = make(optimizer, 2);
    const char *path = path_in_temporary(optimizer->name);
    int64_t step;
    fill_states(saved.params);
    expect_ok(save(&saved, path, 17));
    expect_names(path, saved.params, optimizer);
    expect_ok(load(&loaded, path, &step));
    expect_same(&loaded, &saved);
    assert_int_equal(step, 17);
    finish(&saved);
    finish(&loaded);
}

static void test_round_trip(void **state) {
    (void)state;
    for (int i = 0; tips__optimizers[i]; i++) round_trip(tips__optimizers[i]);
}

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"momentum", NULL}, *const adamw_names[] = {"exp_avg", "exp_avg_sq", NULL};
    for (int i = 0; names[i]; i++) assert_string_equal(tips__optimizer_sgd.state[i], names[i]);
    for (int i = 0; adamw_names[i]; i++) assert_string_equal(tips__optimizer_adamw.state[i], adamw_names[i]);
}

static void test_another_optimizers_checkpoint(void **state) {
    (void)state;
    int64_t step;
    subject s = make(&tips__optimizer_adamw, 1);
    assert_int_equal(load(&s, path_in_temporary("sgd"), &step), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "has no tensor 'exp_avg/"));
    finish(&s);
}

static void test_out_of_memory(void **state) {
    (void)state;
    subject s = make(&tips__optimizer_adamw, 1);
    const char *path = path_in_temporary("memory");
    tips_status saving = TIPS_MEMORY, loading = TIPS_MEMORY;
    int64_t step;
    int failures = 0;
    expect_ok(save(&s, path, 1));
    for (; saving != TIPS_OK; failures++) {
        tips__alloc_fail_at((uint64_t)failures + 1);
        saving = save(&s, path, 2);
        tips__alloc_fail_at(0);
        if (saving != TIPS_OK) assert_int_equal(saving, TIPS_MEMORY);
        expect_ok(load(&s, path, &step));
        assert_int_equal(step, saving == TIPS_OK ? 2 : 1);
    }
    assert_true(failures > 10);
    for (failures = 0; loading != TIPS_OK; failures++) {
        tips__alloc_fail_at((uint64_t)failures + 1);
        loading = load(&s, path, &step);
        tips__alloc_fail_at(0);
        if (loading != TIPS_OK) assert_int_equal(loading, TIPS_MEMORY);
    }
    assert_true(failures > 2);
    finish(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_another_optimizers_checkpoint),
        cmocka_unit_test(test_out_of_memory),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_temporary();
    return failed;
}
