/* Running one golden case: inputs and parameters from records, outputs and gradients against records. */
#include "support/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

golden_run golden_start(void) {
    golden_run r = {.weights = {1, 0.3, 0.7}, .tolerance = 2e-5};
    expect_ok(tips__graph_create(&r.graph));
    return r;
}

tips_value golden_input(golden_run *r, const golden *g, const char *name) {
    const golden_record *record = golden_need(g, name);
    const int *d = record->dims;
    tips_value value;
    if (record->i32)
        value = tips__graph_index_input(r->graph, name, 1, record->n_dims > 1 ? d[1] : 1,
                                        record->n_dims > 2 ? d[2] : 1);
    else
        value = tips__graph_input(r->graph, name, record->n_dims > 1 ? d[1] : 1, record->n_dims > 2 ? d[2] : 1,
                                  record->n_dims > 3 ? d[3] : 1);
    r->in[r->n_in++] = (golden_io){name, value};
    return value;
}

void golden_output(golden_run *r, const char *name, tips_value value) {
    tips__graph_output(r->graph, value);
    r->out[r->n_out++] = (golden_io){name, value};
}

/* PyTorch's functional names of a norm's affine parameters. */
static const char *alias(const char *name) {
    if (strcmp(name, "weight") == 0) return "gamma";
    if (strcmp(name, "bias") == 0) return "beta";
    return name;
}

static const golden_record *param_record(const golden *g, const char *prefix, const char *name) {
    char full[192];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const golden_record *record = golden_find(g, full);
    if (record) return record;
    snprintf(full, sizeof full, "%s%s", prefix, alias(name));
    return golden_find(g, full);
}

void golden_set_params(const golden *g, tips_params *params, const char *prefix) {
    for (int i = 0; i < params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(params->graph, i);
        const golden_record *record = param_record(g, prefix, spec->name);
        if (!record) fail_case("no golden record for parameter '%s%s'", prefix, spec->name);
        if (record->count != tips__param_elements(spec)) fail_case("parameter '%s' has another size", spec->name);
        tips__param_set(params, i, record->f32);
    }
}

static int samples_of(const golden_run *r, const golden *g) { return golden_need(g, r->in[0].name)->dims[0]; }

static tips_net *compile(const golden_run *r, const golden *g, tips_params *params) {
    const bool training = golden_trains(g);
    /* Inference cases have gradients too; they are those of a training net only where no statistic is taken. */
    tips_net_options options = {.n = samples_of(r, g), .output_gradients = training, .seed = 1};
    if (training) options.pass = tips__pass_training;
    options.pass.input_gradients = training;
    tips_net *net;
    expect_ok(tips__net_compile(r->graph, params, &options, &net));
    tips__net_set_weights(net, r->weights);
    for (int i = 0; i < r->n_in; i++) {
        const golden_record *record = golden_need(g, r->in[i].name);
        expect_ok(record->i32 ? tips__net_set_index(net, r->in[i].value, record->i32)
                              : tips__net_set_map(net, r->in[i].value, record->f32));
    }
    return net;
}

static const golden_record *gradient_record(const golden *g, const char *name) {
    char full[192];
    snprintf(full, sizeof full, "d%s", name);
    const golden_record *record = golden_find(g, full);
    if (record) return record;
    snprintf(full, sizeof full, "d%s", alias(name));
    return golden_find(g, full);
}

static void check_outputs(const golden_run *r, const golden *g, const tips_net *net) {
    for (int i = 0; i < r->n_out; i++) {
        const golden_record *want = golden_need(g, r->out[i].name);
        if (want->i32) {
            expect_same_indices(r->out[i].name, tips__net_index(net, r->out[i].value), want->i32, want->count);
            continue;
        }
        float *got = test_floats(want->count);
        expect_ok(tips__net_get_map(net, r->out[i].value, got));
        expect_close_to_floats(r->out[i].name, got, want->f32, want->count, r->tolerance);
        free(got);
    }
}

static void check_losses(const golden_run *r, const golden *g, const tips_net *net) {
    const tips_losses losses = tips__net_losses(net);
    if (golden_find(g, "fm")) expect_number("fm", losses.fm, golden_need(g, "fm")->f32[0], r->tolerance);
    if (golden_find(g, "undo")) expect_number("undo", losses.undo, golden_need(g, "undo")->f32[0], r->tolerance);
}

static double largest_of(const golden_record *r) {
    double largest = 0;
    for (size_t i = 0; i < r->count; i++) largest = test_larger(largest, fabs(r->f32[i]));
    return largest;
}

static double largest_param_gradient(const golden *g, const tips_params *params) {
    double largest = 0;
    for (int i = 0; i < params->count; i++) {
        const golden_record *record = gradient_record(g, tips__graph_param(params->graph, i)->name);
        if (record) largest = fmax(largest, largest_of(record));
    }
    return largest;
}

static void check_param_gradient(const golden_run *r, const golden_record *want, const float *got, double scale) {
    if (!r->cancels) {
        expect_close_to_floats(want->name, got, want->f32, want->count, r->tolerance);
        return;
    }
    for (size_t i = 0; i < want->count; i++)
        if (!(fabs(got[i] - want->f32[i]) <= r->tolerance * scale))
            fail_case("%s[%zu] is %g, not %g", want->name, i, got[i], want->f32[i]);
}

static void check_gradients(const golden_run *r, const golden *g, tips_net *net, const tips_params *params) {
    for (int i = 0; i < r->n_out; i++) {
        const golden_record *dy = gradient_record(g, r->out[i].name);
        if (dy && dy->f32) expect_ok(tips__net_set_output_gradient(net, r->out[i].value, dy->f32));
    }
    expect_ok(tips__net_backward(net));
    for (int i = 0; i < r->n_in; i++) {
        const golden_record *want = gradient_record(g, r->in[i].name);
        if (!want) continue;
        float *got = test_floats(want->count);
        expect_ok(tips__net_get_input_gradient(net, r->in[i].value, got));
        expect_close_to_floats(want->name, got, want->f32, want->count, r->tolerance);
        free(got);
    }
    const double scale = largest_param_gradient(g, params);
    for (int i = 0; i < params->count; i++) {
        const golden_record *want = gradient_record(g, tips__graph_param(params->graph, i)->name);
        if (!want || !params->diff[i]) continue;
        float *got = test_floats(want->count);
        tips__param_get_diff(params, i, got);
        check_param_gradient(r, want, got, scale);
        free(got);
    }
}

static void check_statistics(const golden_run *r, const golden *g, const tips_params *params) {
    for (int i = 0; i < params->count; i++) {
        char name[192];
        snprintf(name, sizeof name, "%s_after", tips__graph_param(params->graph, i)->name);
        const golden_record *want = golden_find(g, name);
        if (!want) continue;
        float *got = test_floats(want->count);
        tips__param_get(params, i, got);
        expect_close_to_floats(name, got, want->f32, want->count, r->tolerance);
        free(got);
    }
}

void golden_check(golden_run *r, const golden *g) {
    tips_params *params;
    expect_ok(tips__graph_status(r->graph));
    expect_ok(tips__params_create(r->graph, 1, &params));
    expect_ok(tips__params_for_training(params));
    golden_set_params(g, params, "");
    tips_net *net = compile(r, g, params);
    expect_ok(tips__net_forward(net));
    check_outputs(r, g, net);
    if (golden_trains(g)) {
        check_losses(r, g, net);
        check_statistics(r, g, params);
        check_gradients(r, g, net, params);
    }
    tips__net_destroy(net);
    tips__params_destroy(params);
    tips__graph_destroy(r->graph);
}
