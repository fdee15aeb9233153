/* Building, drawing and running a small graph. */
#include "support/trial.h"

#include "core/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

trial trial_start(int n) {
    trial t = {.n = n, .weights = {1, 0, 0}};
    expect_ok(tips__graph_create(&t.graph));
    return t;
}

tips_value trial_map(trial *t, int c, int h, int w) {
    t->in[t->n_in] = tips__graph_input(t->graph, "x", c, h, w);
    return t->in[t->n_in++];
}

tips_value trial_index_map(trial *t, int limit, int c, int h, int w) {
    t->limit[t->n_in] = limit;
    t->in[t->n_in] = tips__graph_index_input(t->graph, "index", c, h, w);
    return t->in[t->n_in++];
}

tips_value trial_index(trial *t, int limit) { return trial_index_map(t, limit, 1, 1, 1); }

void trial_output(trial *t, tips_value value) {
    expect_ok(tips__graph_status(t->graph));
    if (value == TIPS_NO_VALUE) fail_case("an output is missing");
    t->out[t->n_out++] = value;
    tips__graph_output(t->graph, value);
}

size_t trial_count(const trial *t, tips_value value) {
    const tips_value_info *v = tips__value(t->graph, value);
    return (size_t)t->n * (size_t)v->per_sample * (size_t)v->c * (size_t)v->h * (size_t)v->w;
}

static bool is_map(const trial *t, tips_value value) { return tips__value(t->graph, value)->kind == TIPS_MAP; }

void draw_floats(float *out, size_t count, uint64_t seed, bool sparse) {
    const tips_rng rng = {seed, 17};
    for (size_t i = 0; i < count; i++) {
        const float value = (float)tips__rng_normal(rng, i);
        out[i] = sparse ? fmaxf(0, value - 0.3f) : value;
    }
}

static bool is_variance(const char *name) {
    const size_t length = strlen(name), suffix = strlen("running_var");
    return length >= suffix && strcmp(name + length - suffix, "running_var") == 0;
}

/* Every parameter away from the constants 0 and 1 that could hide a mistake. */
static void draw_params(const trial *t) {
    for (int i = 0; i < tips__graph_param_count(t->graph); i++) {
        const tips_param_spec *spec = tips__graph_param(t->graph, i);
        const size_t count = tips__param_elements(spec);
        float *plain = test_floats(count);
        const tips_rng rng = {t->seed, 1000 + (uint64_t)i};
        const double std = spec->std > 0 ? spec->std : 0.3;
        for (size_t j = 0; j < count; j++)
            plain[j] = (float)(is_variance(spec->name) ? 0.5 + tips__rng_uniform(rng, j)
                                                       : spec->fill + std * tips__rng_normal(rng, j));
        tips__param_set(t->params, i, plain);
        free(plain);
    }
}

static void draw_inputs(trial *t) {
    for (int i = 0; i < t->n_in; i++) {
        const size_t count = trial_count(t, t->in[i]);
        if (is_map(t, t->in[i])) {
            t->x[i] = test_floats(count);
            draw_floats(t->x[i], count, tips__rng_mix(t->seed, 2 + (uint64_t)i), t->sparse);
            continue;
        }
        t->index[i] = test_alloc(count * sizeof(int32_t));
        for (size_t j = 0; j < count; j++)
            t->index[i][j] = (int32_t)tips__rng_below((tips_rng){t->seed, 50 + (uint64_t)i}, j, (uint32_t)t->limit[i]);
    }
}

void trial_ready(trial *t, uint64_t seed) {
    t->seed = seed;
    expect_ok(tips__graph_status(t->graph));
    expect_ok(tips__params_create(t->graph, seed, &t->params));
    expect_ok(tips__params_for_training(t->params));
    draw_params(t);
    draw_inputs(t);
    for (int i = 0; i < t->n_out; i++) {
        if (!is_map(t, t->out[i])) continue;
        t->dy[i] = test_floats(trial_count(t, t->out[i]));
        draw_floats(t->dy[i], trial_count(t, t->out[i]), tips__rng_mix(seed, 100 + (uint64_t)i), false);
    }
}

void trial_free_part(trial *t) {
    for (int i = 0; i < t->n_in; i++) free(t->x[i]), free(t->index[i]);
    for (int i = 0; i < t->n_out; i++) free(t->dy[i]);
}

void trial_free(trial *t) {
    trial_free_part(t);
    tips__params_destroy(t->params);
    tips__graph_destroy(t->graph);
}

static void *pick(const void *all, size_t bytes, const int *samples, int n) {
    if (!all) return NULL;
    char *some = test_alloc(bytes * (size_t)n);
    for (int i = 0; i < n; i++) memcpy(some + (size_t)i * bytes, (const char *)all + (size_t)samples[i] * bytes, bytes);
    return some;
}

trial trial_part(const trial *t, const int *samples, int n) {
    trial part = *t;
    part.n = n;
    for (int i = 0; i < t->n_in; i++) {
        const size_t bytes = trial_count(t, t->in[i]) / (size_t)t->n * sizeof(float);
        part.x[i] = pick(t->x[i], bytes, samples, n);
        part.index[i] = pick(t->index[i], bytes, samples, n);
    }
    for (int i = 0; i < t->n_out; i++)
        part.dy[i] = pick(t->dy[i], trial_count(t, t->out[i]) / (size_t)t->n * sizeof(float), samples, n);
    return part;
}

tips_pass trial_pass(const trial *t, bool training) {
    tips_pass pass = training ? tips__pass_training : tips__pass_evaluation;
    pass.input_gradients = training && !t->params_only;
    if (t->inputs_only) pass.param_gradients = false;
    if (t->lossless) pass.losses = false;
    if (t->standing) pass.batch_statistics = pass.sampling = false;
    return pass;
}

tips_net_options trial_options(const trial *t, bool training) {
    return (tips_net_options){.n = t->n,
                              .pass = trial_pass(t, training),
                              .output_gradients = training,
                              .algorithm = t->algorithm,
                              .seed = t->seed};
}

tips_net *trial_compile(const trial *t, const tips_net_options *options) {
    tips_net *net;
    expect_ok(tips__net_compile(t->graph, t->params, options, &net));
    tips__net_set_weights(net, t->weights);
    tips__net_set_relative_undo(net, t->relative_undo);
    return net;
}

void trial_step(const trial *t, tips_net *net, bool training) {
    for (int i = 0; i < t->n_in; i++)
        expect_ok(t->x[i] ? tips__net_set_map(net, t->in[i], t->x[i])
                          : tips__net_set_index(net, t->in[i], t->index[i]));
    expect_ok(tips__net_forward(net));
    if (!training) return;
    for (int i = 0; i < t->n_out; i++)
        if (t->dy[i]) expect_ok(tips__net_set_output_gradient(net, t->out[i], t->dy[i]));
    expect_ok(tips__net_backward(net));
}

static void read_outputs(const trial *t, const tips_net *net, results *r) {
    for (int i = 0; i < t->n_out; i++) {
        const size_t count = trial_count(t, t->out[i]);
        if (is_map(t, t->out[i])) {
            r->y[i] = test_floats(count);
            expect_ok(tips__net_get_map(net, t->out[i], r->y[i]));
        } else {
            r->index[i] = test_alloc(count * sizeof(int32_t));
            memcpy(r->index[i], tips__net_index(net, t->out[i]), count * sizeof(int32_t));
        }
    }
}

static void read_gradients(const trial *t, const tips_net *net, results *r) {
    for (int i = 0; i < t->n_in; i++) {
        if (!t->x[i] || t->params_only) continue;
        r->dx[i] = test_floats(trial_count(t, t->in[i]));
        expect_ok(tips__net_get_input_gradient(net, t->in[i], r->dx[i]));
    }
    r->dparam = test_alloc((size_t)tips__graph_param_count(t->graph) * sizeof *r->dparam);
    for (int i = 0; i < tips__graph_param_count(t->graph); i++) {
        if (!tips__graph_param(t->graph, i)->trainable || t->inputs_only) continue;
        r->dparam[i] = test_floats(tips__param_elements(tips__graph_param(t->graph, i)));
        tips__param_get_diff(t->params, i, r->dparam[i]);
    }
}

results trial_results(const trial *t, const tips_net *net, bool training) {
    results r = {.losses = tips__net_losses(net)};
    read_outputs(t, net, &r);
    if (training) read_gradients(t, net, &r);
    return r;
}

results trial_run(const trial *t, const tips_net_options *options) {
    tips_net *net = trial_compile(t, options);
    const bool training = tips__goes_back(&options->pass);
    trial_step(t, net, training);
    const results r = trial_results(t, net, training);
    tips__net_destroy(net);
    return r;
}

void results_free(const trial *t, results *r) {
    for (int i = 0; i < t->n_out; i++) free(r->y[i]), free(r->index[i]);
    for (int i = 0; i < t->n_in; i++) free(r->dx[i]);
    for (int i = 0; r->dparam && i < tips__graph_param_count(t->graph); i++) free(r->dparam[i]);
    free(r->dparam);
}

void expect_same_results(const trial *t, const results *got, const results *want) {
    for (int i = 0; i < t->n_out; i++) {
        if (got->y[i]) expect_same_bits("output", got->y[i], want->y[i], trial_count(t, t->out[i]));
        if (got->index[i]) expect_same_indices("phase", got->index[i], want->index[i], trial_count(t, t->out[i]));
    }
    for (int i = 0; i < t->n_in; i++)
        if (got->dx[i]) expect_same_bits("input gradient", got->dx[i], want->dx[i], trial_count(t, t->in[i]));
    for (int i = 0; got->dparam && i < tips__graph_param_count(t->graph); i++) {
        const tips_param_spec *spec = tips__graph_param(t->graph, i);
        if (got->dparam[i]) expect_same_bits(spec->name, got->dparam[i], want->dparam[i], tips__param_elements(spec));
    }
}

static void set_oracle_input(const trial *t, tips_ref_net *ref, int i) {
    if (t->index[i]) {
        expect_ok(tips__ref_set_index(ref, t->in[i], t->index[i]));
        return;
    }
    const size_t count = trial_count(t, t->in[i]);
    double *wide = test_alloc(count * sizeof *wide);
    for (size_t j = 0; j < count; j++) wide[j] = t->x[i][j];
    expect_ok(tips__ref_set_map(ref, t->in[i], wide));
    free(wide);
}

tips_ref_net *trial_oracle(const trial *t, bool training) {
    tips_ref_net *ref;
    expect_ok(tips__ref_create(t->graph, t->params, t->n, trial_pass(t, training), t->seed, &ref));
    tips__ref_set_weights(ref, t->weights);
    tips__ref_set_relative_undo(ref, t->relative_undo);
    for (int i = 0; i < t->n_in; i++) set_oracle_input(t, ref, i);
    expect_ok(tips__ref_forward(ref));
    return ref;
}

static void expect_losses(const tips_losses *got, const tips_losses *want, const tips_loss_weights *weights,
                          double tolerance) {
    if (weights->fm > 0) expect_number("L_FM", got->fm, want->fm, tolerance);
    if (weights->undo > 0) expect_number("L_undo", got->undo, want->undo, tolerance);
    if (want->task != 0) expect_number("the task's loss", got->task, want->task, tolerance);
}

void expect_forward(const trial *t, bool training, double tolerance) {
    /* The oracle first: a training pass moves the running statistics. */
    tips_ref_net *ref = trial_oracle(t, training);
    const tips_net_options options = trial_options(t, training);
    results r = trial_run(t, &options);
    for (int i = 0; i < t->n_out; i++) {
        const size_t count = trial_count(t, t->out[i]);
        if (r.index[i]) expect_same_indices("phase", r.index[i], tips__ref_index(ref, t->out[i]), count);
        if (r.y[i]) expect_close("output", r.y[i], tips__ref_map(ref, t->out[i]), count, tolerance);
    }
    const tips_losses losses = tips__ref_losses(ref);
    if (training) expect_losses(&r.losses, &losses, &t->weights, tolerance);
    results_free(t, &r);
    tips__ref_destroy(ref);
}
