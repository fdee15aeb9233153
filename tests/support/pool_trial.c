/* Variants of operators from their option tables, and the graphs they are tested in. */
#include "support/pool_trial.h"

#include "core/number.h"
#include "layer/layers.h"

#include <math.h>
#include <stdio.h>

typedef struct visitor {
    const tips_pool *pool;
    const tips_option *row;
    void (*visit)(const char *spec, void *data);
    void *data;
} visitor;

static void visit_value(const visitor *v, const char *value) {
    char spec[VARIANT_SIZE];
    snprintf(spec, sizeof spec, "%s:%s=%s", v->pool->layer.name, v->row->name, value);
    v->visit(spec, v->data);
}

static void visit_number(const visitor *v, double value) {
    char text[TIPS_NUMBER_SIZE];
    if (value < v->row->min || value > v->row->max) return;
    tips__number_format(value, text, sizeof text);
    visit_value(v, text);
}

static void visit_integers(const visitor *v) {
    if (v->row->max - v->row->min <= 8) {
        for (double i = v->row->min; i <= v->row->max; i++) visit_number(v, i);
        return;
    }
    visit_number(v, v->row->min);
    visit_number(v, 3);
    visit_number(v, 5);
}

static void visit_row(const visitor *v) {
    switch (v->row->type) {
    case TIPS_OPT_CHOICE:
        for (int i = 0; v->row->choices[i]; i++) visit_value(v, v->row->choices[i]);
        break;
    case TIPS_OPT_BOOL:
        visit_value(v, "true");
        visit_value(v, "false");
        break;
    case TIPS_OPT_CHAIN: /* of `before`, the only one that operators have */
        visit_value(v, "none");
        visit_value(v, "max");
        visit_value(v, "max3");
        break;
    case TIPS_OPT_INT: visit_integers(v); break;
    case TIPS_OPT_FLOAT:
        visit_number(v, v->row->min);
        visit_number(v, 1);
        visit_number(v, v->row->max);
        break;
    default: fail_msg("%s:%s has a type that no variant is made for", v->pool->layer.name, v->row->name);
    }
}

void each_variant(const tips_pool *pool, void (*visit)(const char *spec, void *data), void *data) {
    visit(pool->layer.name, data);
    for (const tips_option *row = pool->layer.options; row->type != TIPS_OPT_END; row++)
        visit_row(&(visitor){pool, row, visit, data});
}

const char *setting_name(const pool_setting *s) {
    static char text[128];
    snprintf(text, sizeof text, "stride %dx%d, %dx%dx%dx%d, %s, lpf %d", s->stride[0], s->stride[1], s->n, s->c, s->h,
             s->w, tips_pad_mode_names[s->padding], s->lpf);
    return text;
}

static tips_value place(pool_trial *p, const char *name, const pool_setting *s, tips_value x,
                        const tips_selection *shared, tips_selection *selection) {
    if (!(p->traits & TIPS_POOL_IDENTITY))
        return tips__pool_add(p->t.graph, name, &p->spec, s->stride, s->padding, x, shared, selection);
    /* tips__pool_add places no node for it, but the row has one. */
    *selection = (tips_selection){TIPS_NO_VALUE, TIPS_NO_VALUE};
    return tips__graph_add(p->t.graph, &p->spec.pool->layer, name, &p->spec.config, &x, 1);
}

static pool_trial start(const char *spec, const pool_setting *s, bool sparse) {
    pool_trial p = {.t = trial_start(s->n)};
    p.t.sparse = sparse;
    expect_ok(tips__pool_parse(spec, s->lpf, &p.spec));
    p.traits = tips__pool_traits(&p.spec);
    if (p.traits & TIPS_POOL_LOSSES) p.t.weights = (tips_loss_weights){1, 0.3, 0.7};
    return p;
}

pool_trial pool_alone(const char *spec, const pool_setting *s, bool sparse, uint64_t seed) {
    pool_trial p = start(spec, s, sparse);
    const tips_value x = trial_map(&p.t, s->c, s->h, s->w);
    trial_output(&p.t, place(&p, "pool", s, x, NULL, &p.selection));
    if (p.selection.phase != TIPS_NO_VALUE) trial_output(&p.t, p.selection.phase);
    if (p.selection.weights != TIPS_NO_VALUE) trial_output(&p.t, p.selection.weights);
    trial_ready(&p.t, seed);
    return p;
}

pool_trial pool_with_shortcut(const char *spec, const pool_setting *s, bool sparse, uint64_t seed) {
    pool_trial p = start(spec, s, sparse);
    tips_selection follows;
    const tips_value x = trial_map(&p.t, s->c, s->h, s->w), beside = trial_map(&p.t, s->c + 2, s->h, s->w);
    trial_output(&p.t, place(&p, "pool", s, x, NULL, &p.selection));
    const tips_value shortcut = place(&p, "shortcut", s, beside, &p.selection, &follows);
    trial_output(&p.t, shortcut);
    const tips_strided strided = {{s->stride[0], s->stride[1]}};
    const tips_value in[2] = {shortcut, p.selection.phase};
    trial_output(&p.t, tips__graph_add(p.t.graph, &tips__layer_unpool, "unpool", &strided, in, 2));
    trial_output(&p.t, p.selection.phase);
    trial_ready(&p.t, seed);
    return p;
}

tips_status pool_refusal(const char *spec, const pool_setting *s) {
    pool_trial p = start(spec, s, false);
    const tips_value x = trial_map(&p.t, s->c, s->h, s->w);
    place(&p, "pool", s, x, NULL, &p.selection);
    const tips_status status = tips__graph_status(p.t.graph);
    tips__graph_destroy(p.t.graph);
    return status;
}
