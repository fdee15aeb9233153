/* Batches through a net. */
#include "view/answerer.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

struct tips_answerer {
    const tips_model *model;
    tips_net *net;
    int batch;
    size_t elements; /* of one input */
    float *inputs;   /* (batch, c, h, w), once somebody needs them here; NULL before */
    tips_output_room room;
};

static tips_status prepare(tips_answerer *a, tips_params *params, tips_algorithm algorithm) {
    const tips_value_info *in = tips__value(a->model->graph, a->model->ends.input);
    const tips_net_options options = {.n = a->batch, .algorithm = algorithm};
    a->elements = (size_t)in->c * (size_t)in->h * (size_t)in->w;
    TIPS_TRY(tips__output_room_create(a->model, a->batch, &a->room));
    return tips__net_compile(a->model->graph, params, &options, &a->net);
}

tips_status tips__answerer_create(const tips_model *model, tips_params *params, int batch, tips_algorithm algorithm,
                                  tips_answerer **out) {
    tips_answerer *a;
    TIPS_TRY(tips__new_zero(&a, sizeof *a, "an answerer"));
    a->model = model;
    a->batch = batch;
    const tips_status status = prepare(a, params, algorithm);
    if (status == TIPS_OK) *out = a;
    else tips__answerer_destroy(a);
    return status;
}

void tips__answerer_destroy(tips_answerer *a) {
    if (!a) return;
    tips__net_destroy(a->net);
    tips__output_room_destroy(&a->room);
    tips__free(a->inputs);
    tips__free(a);
}

int tips__answerer_batch(const tips_answerer *a) { return a->batch; }
tips_net *tips__answerer_net(tips_answerer *a) { return a->net; }

static tips_status run(tips_answerer *a, const float *inputs, int n, tips_outputs *out) {
    TIPS_TRY(tips__net_set_map(a->net, a->model->ends.input, inputs));
    TIPS_TRY(tips__net_forward(a->net));
    return tips__outputs_read(&a->room, a->net, n, out);
}

static tips_status make_inputs(tips_answerer *a) {
    if (a->inputs) return TIPS_OK;
    return tips__new_zero(&a->inputs, (size_t)a->batch * a->elements * sizeof *a->inputs, "the network's input");
}

/* A net reads a whole batch: fewer inputs are put where there is room for one. */
tips_status tips__answer_inputs(tips_answerer *a, const float *inputs, int n, tips_outputs *out) {
    if (n == a->batch) return run(a, inputs, n, out);
    TIPS_TRY(make_inputs(a));
    memcpy(a->inputs, inputs, (size_t)n * a->elements * sizeof *inputs);
    return run(a, a->inputs, n, out);
}

static tips_status answer_batch(tips_answerer *a, const tips_questions *q, int64_t first, int count) {
    tips_outputs outputs;
    TIPS_PARALLEL_FOR (i, count) q->fill(q->context, first + i, a->inputs + (size_t)i * a->elements);
    TIPS_TRY(run(a, a->inputs, count, &outputs));
    for (int i = 0; i < count; i++) TIPS_TRY(q->take(q->context, first + i, &outputs, i));
    if (q->progress) q->progress(q->context, count);
    return TIPS_OK;
}

tips_status tips__answer_all(tips_answerer *a, const tips_questions *q) {
    TIPS_TRY(make_inputs(a));
    for (int64_t first = 0; first < q->count; first += a->batch) {
        const int64_t left = q->count - first;
        TIPS_TRY(answer_batch(a, q, first, left < a->batch ? (int)left : a->batch));
    }
    return TIPS_OK;
}
