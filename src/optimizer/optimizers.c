/* The table of optimisers, and a step by any of them. */
#include "core/fail.h"
#include "core/named.h"
#include "optimizer/optimizer.h"

#include <string.h>

const tips_optimizer *const TIPS_ROW(tips__optimizers)[] = {
#define TIPS_OPTIMIZER(name) &tips__optimizer_##name,
#include "optimizer/optimizers.def"
#undef TIPS_OPTIMIZER
    NULL};

static tips_named named(const tips_optimizer *optimizer) {
    return optimizer ? (tips_named){optimizer->name, optimizer->options} : (tips_named){0};
}

static tips_named named_row(int i) { return named(tips__optimizers[i]); }

static const tips_name_table table = {.what = "optimiser", .row = named_row};

tips_status tips__optimizer_parse(const char *text, tips_optimizer_spec *out) {
    tips_optimizer_spec spec;
    int row;
    memset(&spec, 0, sizeof spec);
    TIPS_TRY(tips__named_find(&table, text, &row));
    spec.optimizer = tips__optimizers[row];
    TIPS_TRY(tips__named_read(&table, row, text, &spec.config));
    *out = spec;
    return TIPS_OK;
}

void tips__optimizer_format(const tips_optimizer_spec *spec, char *out, size_t size) {
    tips__named_format(named(spec->optimizer), &spec->config, out, size);
}

tips_status tips__optimizer_prepare(const tips_optimizer *optimizer, tips_params *params) {
    TIPS_TRY(tips__params_for_training(params));
    return tips__params_keep(params, optimizer->state);
}

static bool decays(const tips_param_spec *spec, const tips_learning *l) {
    return spec->decay && !(l->spare_vectors && spec->layout == TIPS_VECTOR);
}

void tips__optimizer_step(const tips_optimizer_spec *spec, tips_params *p, const tips_learning *learning) {
    for (int i = 0; i < p->count; i++) {
        if (!tips__param_learns(p, i)) continue;
        tips_param_update u = {.floats = p->floats[i],
                               .values = p->data[i],
                               .gradient = p->diff[i],
                               .learning = learning,
                               .config = &spec->config};
        if (decays(tips__graph_param(p->graph, i), learning)) u.weight_decay = learning->weight_decay;
        for (int k = 0; k < p->n_states; k++) u.state[k] = tips__param_state(p, k, i);
        spec->optimizer->update(&u);
    }
    p->version++;
}
