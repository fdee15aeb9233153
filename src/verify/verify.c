/* Runs a network on an input and on its shifts, and sums up what differs. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tolerance = 1e-5;

/* Everything one run holds. */
typedef struct session {
    const tips_verify_config *config;
    verify_subject subject;
    verify_engine engine;
    verify_base base;
    int (*shifts)[2];
    verify_answers answers;
    int n_shifts, n_nodes;
    verify_track *tracks;     /* (n, values) */
    verify_outcome *outcomes; /* (n, nodes) */
    bool *other_phase;        /* (nodes) */
    tips_verify_result result;
} session;

static void describe_layers(session *s) {
    for (int i = 0; i < s->n_nodes; i++) {
        const tips_node *node = tips__graph_node(s->subject.model.graph, i);
        const tips_value_info *out = tips__value(s->subject.model.graph, node->out[0]);
        tips_verify_layer *layer = &s->result.layers[i];
        snprintf(layer->name, sizeof layer->name, "%s", node->name);
        layer->type = node->layer->name;
        layer->channels = out->c;
        layer->height = out->h;
        layer->width = out->w;
        layer->per_sample = out->per_sample;
        layer->margin = tips__verify_margin(&s->engine, i, 0);
    }
}

static tips_status allocate(session *s) {
    const size_t n = (size_t)s->engine.n, nodes = (size_t)s->n_nodes;
    const size_t values = (size_t)tips__graph_value_count(s->subject.model.graph);
    TIPS_TRY(tips__new_zero(&s->tracks, n * values * sizeof *s->tracks, "the shifts of values"));
    TIPS_TRY(tips__new_zero(&s->outcomes, n * nodes * sizeof *s->outcomes, "the outcomes"));
    TIPS_TRY(tips__new_zero(&s->other_phase, nodes * sizeof *s->other_phase, "the phases"));
    return tips__new_zero(&s->result.layers, nodes * sizeof *s->result.layers, "the layers' results");
}

static tips_status draw_shifts(session *s) {
    const int *size = s->subject.info.config.size;
    return tips__verify_shifts(s->config->shifts, size[0], size[1], (uint64_t)s->config->model.seed, &s->shifts,
                               &s->n_shifts);
}

static bool is_output(const session *s, tips_value value) {
    const tips_ends *ends = &s->subject.model.ends;
    for (int i = 0; i < ends->n_outputs; i++)
        if (ends->outputs[i] == value) return true;
    return false;
}

/* Numbers that are none compare as equal, bit by bit, and infinite ones as unmoved: no verdict is about them. Inside of
 * a network infinite ones may be meant, as where attention leaves something out. */
static tips_status check_finite(const session *s) {
    for (int i = 0; i < s->n_nodes; i++) {
        const tips_node *node = tips__graph_node(s->subject.model.graph, i);
        const double strange = tips__verify_strange(&s->base.views[node->out[0]], s->result.layers[i].per_sample);
        if (isnan(strange) || (isinf(strange) && is_output(s, node->out[0])))
            TIPS_FAIL(TIPS_NUMERIC, "layer '%s' (%s) gives %s for the unshifted input: nothing can be verified",
                      node->name, node->layer->name, isnan(strange) ? "what is not a number" : "an infinite number");
    }
    return TIPS_OK;
}

static tips_status prepare(session *s) {
    const int unshifted[1][2] = {{0, 0}};
    TIPS_TRY(tips__verify_engine_create(&s->subject, s->config->engine, s->n_shifts, &s->engine));
    s->n_nodes = tips__graph_node_count(s->subject.model.graph);
    TIPS_TRY(allocate(s));
    TIPS_TRY(tips__verify_engine_run(&s->engine, &s->subject, unshifted, 1));
    TIPS_TRY(tips__verify_base_create(&s->engine, &s->base));
    TIPS_TRY(tips__verify_answers_create(&s->subject, &s->engine, &s->answers));
    describe_layers(s);
    return check_finite(s);
}

static void add_outcomes(session *s, const verify_outcome *outcomes) {
    for (int i = 0; i < s->n_nodes; i++) {
        tips_verify_layer *layer = &s->result.layers[i];
        layer->differing_bits += outcomes[i].difference.bits;
        layer->max_abs_error = fmax(layer->max_abs_error, outcomes[i].difference.error);
        layer->margin = fmin(layer->margin, outcomes[i].margin);
        s->other_phase[i] = s->other_phase[i] || outcomes[i].other_phase;
    }
}

static tips_status run_batch(session *s, int first, int count) {
    const ptrdiff_t values = tips__graph_value_count(s->subject.model.graph);
    const int(*shifts)[2] = (const int(*)[2])(s->shifts + first);
    TIPS_TRY(tips__verify_engine_run(&s->engine, &s->subject, shifts, count));
    TIPS_PARALLEL_FOR (i, count)
        tips__verify_follow(&s->engine, &s->base, &s->subject.model.ends, i, shifts[i], s->tracks + i * values,
                            s->outcomes + (ptrdiff_t)i * s->n_nodes);
    for (int i = 0; i < count; i++) {
        bool changed;
        add_outcomes(s, s->outcomes + (ptrdiff_t)i * s->n_nodes);
        TIPS_TRY(tips__verify_answers_changed(&s->answers, &s->engine, i, shifts[i], &changed));
        s->result.answer_changes += changed;
    }
    return TIPS_OK;
}

static tips_status run_shifts(session *s) {
    for (int first = 0; first < s->n_shifts; first += s->engine.n) {
        const int left = s->n_shifts - first, count = left < s->engine.n ? left : s->engine.n;
        TIPS_TRY(run_batch(s, first, count));
        if (s->config->progress) s->config->progress(s->config->progress_context, first + count, s->n_shifts);
        if (first + count < s->n_shifts && s->config->stop && s->config->stop(s->config->progress_context)) {
            s->result.interrupted = true;
            s->n_shifts = first + count; /* the verdict is about these */
        }
    }
    return TIPS_OK;
}

static double relative(double error, double largest) {
    if (error == 0) return 0;
    return largest > 0 ? error / largest : INFINITY;
}

/* The first of the layers that break by themselves and lead to a layer that differs; -1: its inputs do not differ. */
static int find_origin(const session *s, int layer) {
    const tips_graph *graph = s->subject.model.graph;
    const tips_node *node = tips__graph_node(graph, layer);
    int origin = -1;
    for (int i = 0; i < node->n_in; i++) {
        const int producer = tips__value(graph, node->in[i])->producer;
        if (producer < 0 || s->result.layers[producer].exact) continue;
        const int behind = s->result.layers[producer].behind, one = behind >= 0 ? behind : producer;
        if (origin < 0 || one < origin) origin = one;
    }
    return origin;
}

/* A layer that downsamples behind one that breaks cannot be told by what differs, but by what it is: it would break
 * where its input moved along, too. */
static void find_hidden(const session *s, int i, int stride[2]) {
    const tips_node *node = tips__graph_node(s->subject.model.graph, i);
    stride[0] = stride[1] = 0;
    if (s->result.layers[i].behind < 0 || !node->layer->pools || !node->layer->breaks) return;
    if (node->layer->pools(node, stride) && stride[0] * stride[1] > 1 &&
        node->layer->breaks(s->subject.model.graph, node))
        return;
    stride[0] = stride[1] = 0;
}

static void sum_up(session *s) {
    tips_verify_result *r = &s->result;
    r->first_breaking = r->margin_layer = -1;
    r->margin = INFINITY;
    for (int i = 0; i < s->n_nodes; i++) {
        tips_verify_layer *layer = &r->layers[i];
        const verify_view *base = &s->base.views[tips__graph_node(s->subject.model.graph, i)->out[0]];
        layer->max_rel_error = relative(layer->max_abs_error, tips__verify_largest(base, layer->per_sample));
        layer->exact = layer->differing_bits == 0;
        r->differing_bits += layer->differing_bits;
        r->max_abs_error = fmax(r->max_abs_error, layer->max_abs_error);
        r->max_rel_error = fmax(r->max_rel_error, layer->max_rel_error);
        if (!layer->exact && r->first_breaking < 0) r->first_breaking = i;
        if (layer->margin < r->margin) r->margin = layer->margin, r->margin_layer = i;
    }
    for (int i = 0; i < s->n_nodes; i++) r->layers[i].behind = r->layers[i].exact ? -1 : find_origin(s, i);
    for (int i = 0; i < s->n_nodes; i++) find_hidden(s, i, r->layers[i].hidden);
    r->exact = r->differing_bits == 0;
    r->within_tolerance = r->max_rel_error <= tolerance;
}

static void describe(session *s) {
    tips_verify_result *r = &s->result;
    r->arch = s->subject.info.arch ? s->subject.info.arch->name : NULL;
    r->network = s->subject.info.config;
    r->from_elsewhere = r->network.blueprint != NULL;
    r->network.blueprint = NULL; /* the model's */
    r->input = tips__model_input(&s->subject.info);
    tips__pool_format(&r->network.pool, r->pool, sizeof r->pool);
    r->engine = tips__verify_engine_names[s->config->engine];
    r->seed = s->config->model.seed;
    r->n_layers = s->n_nodes;
    r->shifts = s->n_shifts;
}

static tips_status run(session *s) {
    TIPS_TRY(prepare(s));
    s->result.wanted = s->n_shifts;
    TIPS_TRY(run_shifts(s));
    describe(s);
    sum_up(s);
    if (s->result.first_breaking >= 0)
        tips__verify_explain(&s->subject, s->other_phase[s->result.first_breaking], &s->result);
    return TIPS_OK;
}

/* Frees all but the subject, and hands out the result. */
static tips_status finish(session *s, tips_status status, tips_verify_result *out) {
    if (s->subject.model.graph) tips__verify_base_destroy(s->subject.model.graph, &s->base);
    tips__verify_engine_destroy(&s->engine);
    tips__verify_answers_destroy(&s->answers);
    tips__free(s->shifts);
    tips__free(s->tracks);
    tips__free(s->outcomes);
    tips__free(s->other_phase);
    if (status != TIPS_OK) tips__verify_free(&s->result);
    else *out = s->result;
    return status;
}

static tips_status copy_input(verify_subject *subject, const float *input) {
    const tips_arch_config *c = &subject->info.config;
    const size_t bytes = (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1] * sizeof *input;
    TIPS_TRY(tips__new(&subject->image, bytes, "the input"));
    memcpy(subject->image, input, bytes);
    return TIPS_OK;
}

tips_status tips__verify_model(const tips_verify_config *config, const tips_loaded_model *model, const float *input,
                               tips_verify_result *out) {
    session s = {.config = config, .subject = {.info = model->info, .model = model->model, .params = model->params}};
    tips_status status = draw_shifts(&s);
    if (status == TIPS_OK)
        status = input ? copy_input(&s.subject, input) : tips__verify_subject_image(config, &s.subject);
    if (status == TIPS_OK) status = run(&s);
    status = finish(&s, status, out);
    tips__free(s.subject.image);
    return status;
}

tips_status tips__verify_run(const tips_verify_config *config, tips_verify_result *out) {
    session s = {.config = config};
    tips__threads_use(config->model.threads);
    tips_status status = tips__verify_subject_build(config, &s.subject);
    if (status == TIPS_OK) status = draw_shifts(&s);
    if (status == TIPS_OK) status = tips__verify_subject_fill(config, &s.subject);
    if (status == TIPS_OK) status = run(&s);
    status = finish(&s, status, out);
    tips__verify_subject_destroy(&s.subject);
    return status;
}

int tips__verify_behind(const tips_verify_result *r, int layer) {
    int count = 0;
    for (int i = 0; i < r->n_layers; i++) count += r->layers[i].behind == layer;
    return count;
}

int tips__verify_hidden(const tips_verify_result *r) {
    int count = 0;
    for (int i = 0; i < r->n_layers; i++) count += r->layers[i].hidden[0] > 0;
    return count;
}

void tips__verify_free(tips_verify_result *result) {
    if (!result) return;
    tips__free(result->layers);
    result->layers = NULL;
}
