/* Threads, batches, allocations and memory plans must not show in the results. */
#include "support/contract.h"

#include "net/alarm.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

static results run_with_threads(const trial *t, bool training, int threads) {
    const tips_net_options options = trial_options(t, training);
    tips__threads_set(threads);
    const results r = trial_run(t, &options);
    return r;
}

/* Moves the gradients of convolution weights out of a result that is compared bit by bit. */
static void compare_loosely(const trial *t, results *got, results *want) {
    for (int i = 0; i < tips__graph_param_count(t->graph); i++) {
        const tips_param_spec *spec = tips__graph_param(t->graph, i);
        if (spec->layout != TIPS_CONV || !got->dparam[i]) continue;
        expect_close_to_floats(spec->name, got->dparam[i], want->dparam[i], tips__param_elements(spec), 1e-5);
        memcpy(got->dparam[i], want->dparam[i], tips__param_elements(spec) * sizeof(float));
    }
}

void expect_same_for_threads(const trial *t, bool loose) {
    const int before = tips__threads();
    for (int training = 0; training < 2; training++) {
        results one = run_with_threads(t, training, 1), two = run_with_threads(t, training, 2);
        if (training && loose) compare_loosely(t, &two, &one);
        expect_same_results(t, &two, &one);
        results_free(t, &one);
        results_free(t, &two);
    }
    tips__threads_set(before);
}

static void expect_same_sample(const trial *t, const results *all, int sample, const results *part, int place) {
    for (int i = 0; i < t->n_out; i++) {
        const size_t count = trial_count(t, t->out[i]) / (size_t)t->n;
        const size_t from = (size_t)sample * count, at = (size_t)place * count;
        if (all->y[i]) expect_same_bits("output in another batch", part->y[i] + at, all->y[i] + from, count);
        if (all->index[i])
            expect_same_indices("phase in another batch", part->index[i] + at, all->index[i] + from, count);
    }
}

static void expect_same_in_batch(const trial *t, const results *all, const int *samples, int n) {
    trial part = trial_part(t, samples, n);
    const tips_net_options options = trial_options(&part, false);
    results r = trial_run(&part, &options);
    for (int i = 0; i < n; i++) expect_same_sample(t, all, samples[i], &r, i);
    results_free(&part, &r);
    trial_free_part(&part);
}

void expect_same_for_places(const trial *t) {
    const tips_net_options options = trial_options(t, false);
    results all = trial_run(t, &options);
    const int last = t->n - 1, batch[5] = {last, 0, last, 0, last};
    expect_same_in_batch(t, &all, &last, 1);
    expect_same_in_batch(t, &all, batch, 5);
    results_free(t, &all);
}

static void expect_quiet_step(const trial *t, bool training) {
    const tips_net_options options = trial_options(t, training);
    tips_net *net = trial_compile(t, &options);
    trial_step(t, net, training);
    const uint64_t before = tips__alloc_count();
    trial_step(t, net, training);
    const uint64_t count = tips__alloc_count() - before;
    if (count) fail_case("the second step allocates %d times", (int)count);
    tips__net_destroy(net);
}

void expect_no_allocations(const trial *t) {
    expect_quiet_step(t, false);
    expect_quiet_step(t, true);
}

void expect_no_alarm(const trial *t) {
    const tips_net_options options = trial_options(t, false);
    tips_net *net = trial_compile(t, &options);
    tips__net_check(net, true); /* then nobody else asks */
    tips__alarm_rang();
    trial_step(t, net, false);
    if (tips__alarm_rang()) fail_case("a NaN came up, although nothing is wrong");
    tips__net_destroy(net);
}

void expect_same_for_plans(const trial *t) {
    tips_net_options options = trial_options(t, true);
    results planned = trial_run(t, &options);
    options.no_replay = true;
    results kept = trial_run(t, &options);
    expect_same_results(t, &kept, &planned);
    results_free(t, &kept);
    results_free(t, &planned);
}

static void expect_same_alone(trial t, const results *all) {
    const tips_net_options options = trial_options(&t, true);
    results r = trial_run(&t, &options);
    expect_same_results(&t, &r, all);
    results_free(&t, &r);
}

void expect_same_for_wishes(const trial *t) {
    const tips_net_options options = trial_options(t, true);
    trial inputs = *t, params = *t;
    inputs.inputs_only = true;
    params.params_only = true;
    results all = trial_run(t, &options);
    expect_same_alone(inputs, &all);
    expect_same_alone(params, &all);
    results_free(t, &all);
}

void roll_planes(const float *x, size_t planes, int h, int w, int uy, int ux, float *out) {
    for (size_t p = 0; p < planes; p++)
        for (int y = 0; y < h; y++)
            for (int i = 0; i < w; i++) {
                const int to_y = ((y + uy) % h + h) % h, to_x = ((i + ux) % w + w) % w;
                out[(p * (size_t)h + (size_t)to_y) * (size_t)w + (size_t)to_x] =
                    x[(p * (size_t)h + (size_t)y) * (size_t)w + (size_t)i];
            }
}
