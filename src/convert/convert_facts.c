/* What a conversion needs to know of the original, step by step. */
#include "convert/convert_parts.h"

#include "core/fail.h"
#include "core/memory.h"

static tips_status take_shapes(conversion_work *w) {
    const tips_blueprint *b = w->from;
    tips_graph *graph;
    tips_value *values = NULL;
    TIPS_TRY(tips__graph_create(&graph));
    tips_status status = tips__new(&values, (size_t)(b->n_steps + 1) * sizeof *values, "a conversion");
    if (status == TIPS_OK) {
        const tips_value input =
            tips__graph_input(graph, "input", b->channels, w->options->size[0], w->options->size[1]);
        tips__blueprint_build(graph, b, input, values);
        status = tips__graph_status(graph);
    }
    for (int i = 0; i < b->n_steps && status == TIPS_OK; i++) {
        const tips_value_info *v = tips__value(graph, values[i]);
        w->facts[i].c = v->c;
        w->facts[i].h = v->h;
        w->facts[i].w = v->w;
    }
    tips__free(values);
    tips__graph_destroy(graph);
    return status;
}

static void count_readers(conversion_work *w) {
    const tips_blueprint *b = w->from;
    for (int i = 0; i < b->n_steps; i++)
        for (int k = 0; k < b->steps[i].n_in; k++) {
            const int from = b->steps[i].in[k];
            if (from < 0) continue;
            w->facts[from].readers++;
            w->facts[from].reader = i;
        }
    w->facts[b->output].readers++;
}

/* Positions end where a map becomes a vector. */
static bool ends_positions(const tips_layer *layer) {
    return layer == &tips__layer_global_avg || layer == &tips__layer_reshape || layer == &tips__layer_linear;
}

static bool reads_positions(const conversion_work *w, int step) {
    const tips_step *s = &w->from->steps[step];
    for (int k = 0; k < s->n_in; k++)
        if (s->in[k] < 0 || w->facts[s->in[k]].spatial) return true;
    return false;
}

static int slice_step(const tips_step *s, int axis) {
    const tips_slice *c = s->config;
    return s->layer == &tips__layer_slice && c->axis == axis && c->step > 1 ? c->step : 1;
}

static void find_stride(const conversion_work *w, int i, int stride[2]) {
    const tips_step *s = &w->from->steps[i];
    const int *own = NULL;
    stride[0] = stride[1] = 1;
    if (s->layer == &tips__layer_conv2d) own = ((const tips_conv2d *)s->config)->stride;
    if (s->layer == &tips__layer_max_pool) own = ((const tips_max_pool *)s->config)->stride;
    if (s->layer == &tips__layer_avg_pool) own = ((const tips_avg_pool *)s->config)->stride;
    if (own) stride[0] = own[0], stride[1] = own[1];
    stride[0] *= slice_step(s, TIPS_AXIS_H);
    stride[1] *= slice_step(s, TIPS_AXIS_W);
}

/* A strided slice of the other axis that alone reads this one: both are one downsampling. */
static int joined_slice(const conversion_work *w, int i) {
    const step_facts *f = &w->facts[i];
    const tips_step *s = &w->from->steps[i];
    if (s->layer != &tips__layer_slice || f->readers != 1 || w->from->output == i) return -1;
    const tips_step *next = &w->from->steps[f->reader];
    const int other = f->stride[0] > 1 ? TIPS_AXIS_W : TIPS_AXIS_H;
    return next->layer == &tips__layer_slice && slice_step(next, other) > 1 ? f->reader : -1;
}

static bool is_pointwise(const tips_layer *layer) {
    const tips_layer *const all[] = {&tips__layer_batch_norm,   &tips__layer_relu,       &tips__layer_clip,
                                     &tips__layer_leaky_relu,   &tips__layer_prelu,      &tips__layer_sigmoid,
                                     &tips__layer_hard_sigmoid, &tips__layer_hard_swish, &tips__layer_tanh,
                                     &tips__layer_gelu,         &tips__layer_silu,       &tips__layer_affine,
                                     &tips__layer_dropout,         &tips__layer_gelu_tanh,  &tips__layer_erf,
                                     &tips__layer_elu,          &tips__layer_softplus};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == layer) return true;
    return false;
}

/* The last of the norm and activations that solely follow. */
static int last_of_chain(const conversion_work *w, int i) {
    while (w->facts[i].readers == 1 && w->from->output != i && is_pointwise(w->from->steps[w->facts[i].reader].layer))
        i = w->facts[i].reader;
    return i;
}

static void add_event(conversion_work *w, int step) {
    step_facts *f = &w->facts[step];
    downsampling *e = &w->events[w->n_events];
    *e = (downsampling){.step = step, .leader = w->n_events, .stride = {f->stride[0], f->stride[1]}};
    int end = step;
    const int other = joined_slice(w, step);
    if (other >= 0) {
        for (int k = 0; k < 2; k++) e->stride[k] *= w->facts[other].stride[k];
        w->facts[other].stride[0] = w->facts[other].stride[1] = 1;
        end = other;
    }
    e->last = last_of_chain(w, end);
    f->event = w->n_events;
    w->facts[e->last].ends_event = w->n_events++;
}

/* A padding that one windowed layer alone reads is that layer's own. */
static void absorb_padding(conversion_work *w, int i) {
    step_facts *f = &w->facts[i];
    if (w->from->steps[i].layer != &tips__layer_pad || f->readers != 1 || w->from->output == i) return;
    const tips_layer *next = w->from->steps[f->reader].layer;
    f->absorbed = next == &tips__layer_conv2d || next == &tips__layer_max_pool || next == &tips__layer_avg_pool;
}

tips_status tips__convert_facts(conversion_work *w) {
    const int n = w->from->n_steps;
    TIPS_TRY(take_shapes(w));
    count_readers(w);
    TIPS_TRY(tips__convert_find_tokens(w));
    for (int i = 0; i < n; i++) {
        step_facts *f = &w->facts[i];
        f->event = f->ends_event = f->grid = f->undoes = -1;
        f->spatial = i <= w->tokens && reads_positions(w, i) && !ends_positions(w->from->steps[i].layer) &&
                     !tips__convert_is_constant(w, i);
        find_stride(w, i, f->stride);
        absorb_padding(w, i);
    }
    for (int i = 0; i < n; i++)
        if (w->facts[i].spatial && tips__is_downsampling(w->facts[i].stride)) add_event(w, i);
    return TIPS_OK;
}
