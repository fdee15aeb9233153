/* A net with gradients of its input. The loss is not part of its graph: the task says how it changes with the outputs,
 * and backward starts from there. */
#include "attack/gradient_net.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "image/planes.h"
#include "task/outputs.h"

#include <string.h>

struct tips_gradient_net {
    const tips_loaded_model *model;
    const tips_task *task;
    int batch;
    size_t elements; /* of one picture */
    tips_net *net;
    tips_output_room room;
    float *inputs;                    /* (batch, c, h, w) */
    float *slopes[TIPS_MOST_OUTPUTS]; /* (batch, floats of the output) */
    tips_bytes answer;
};

static tips_status prepare(tips_gradient_net *g) {
    const tips_net_options options = {.n = g->batch, .pass = {.input_gradients = true}, .output_gradients = true};
    const tips_model *model = &g->model->model;
    const size_t n = (size_t)g->batch;
    TIPS_TRY(tips__output_room_create(model, g->batch, &g->room));
    TIPS_TRY(tips__new_zero(&g->inputs, n * g->elements * sizeof *g->inputs, "the network's input"));
    for (int i = 0; i < model->ends.n_outputs; i++)
        TIPS_TRY(tips__new_zero(&g->slopes[i], n * g->room.sizes[i] * sizeof *g->slopes[i], "gradients of outputs"));
    return tips__net_compile(model->graph, g->model->params, &options, &g->net);
}

tips_status tips__gradient_net_check(const tips_loaded_model *model) {
    const tips_task *task = model->info.task.task;
    if (!task->slope)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "the loss of task %s cannot be followed to the pixels: attacks by gradients are for "
                  "others; patches and corruptions need none",
                  task->name);
    return TIPS_OK;
}

tips_status tips__gradient_net_create(const tips_loaded_model *model, int batch, tips_gradient_net **out) {
    const tips_preprocess *p = &model->preprocess;
    const tips_task *task = model->info.task.task;
    tips_gradient_net *g;
    TIPS_TRY(tips__gradient_net_check(model));
    TIPS_TRY(tips__new_zero(&g, sizeof *g, "a net with gradients"));
    g->model = model;
    g->task = task;
    g->batch = batch;
    g->elements = (size_t)p->channels * (size_t)p->height * (size_t)p->width;
    const tips_status status = prepare(g);
    if (status == TIPS_OK) *out = g;
    else tips__gradient_net_destroy(g);
    return status;
}

void tips__gradient_net_destroy(tips_gradient_net *g) {
    if (!g) return;
    tips__net_destroy(g->net);
    tips__output_room_destroy(&g->room);
    for (int i = 0; i < TIPS_MOST_OUTPUTS; i++) tips__free(g->slopes[i]);
    tips__free(g->inputs);
    tips__bytes_clear(&g->answer);
    tips__free(g);
}

static tips_status forward(tips_gradient_net *g, const tips_changed_pictures *pictures, tips_outputs *outputs) {
    const tips_preprocess *p = &g->model->preprocess;
    TIPS_PARALLEL_FOR (i, pictures->count) {
        const size_t at = (size_t)i * g->elements;
        tips__planes_to_input(p, pictures->planes + at, 0, 0, false, g->inputs + at);
    }
    TIPS_TRY(tips__net_set_map(g->net, g->model->model.ends.input, g->inputs));
    TIPS_TRY(tips__net_forward(g->net));
    return tips__outputs_read(&g->room, g->net, pictures->count, outputs);
}

static double right_share(tips_gradient_net *g, const tips_bytes *target) {
    const tips_answer_at at = {.answer = &g->answer};
    return g->task->agree(&g->model->model.assignment, at, at, target).right;
}

static tips_status judge(tips_gradient_net *g, const tips_outputs *outputs, const tips_bytes *target, int i,
                         tips_hardness *out) {
    const tips_assignment *a = &g->model->model.assignment;
    float *slopes[TIPS_MOST_OUTPUTS] = {0};
    if (!tips__outputs_finite(outputs, i)) TIPS_FAIL(TIPS_NUMERIC, "the scores for an attacked picture are not finite");
    for (int k = 0; k < outputs->count; k++) slopes[k] = g->slopes[k] + (size_t)i * outputs->floats[k];
    out->loss = g->task->slope(a, outputs, i, target, slopes);
    TIPS_TRY(g->task->answer(a, outputs, i, &g->answer));
    out->right = right_share(g, target);
    return TIPS_OK;
}

/* What the net makes of its padding samples is nobody's: their slopes are 0. */
static void clear_rest(tips_gradient_net *g, const tips_outputs *outputs, int count) {
    for (int k = 0; k < outputs->count; k++)
        memset(g->slopes[k] + (size_t)count * outputs->floats[k], 0,
               (size_t)(g->batch - count) * outputs->floats[k] * sizeof *g->slopes[k]);
}

/* By the values of the pixels, where the net had normalised ones; g->inputs is free by then. */
static void to_planes(tips_gradient_net *g, int count, float *gradients) {
    const tips_preprocess *p = &g->model->preprocess;
    const size_t plane = (size_t)p->height * (size_t)p->width, c = (size_t)p->channels;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < c; k++) {
            const float *from = g->inputs + (size_t)i * g->elements + k * plane;
            float *to = gradients + (size_t)i * g->elements + (size_t)tips__plane_of(p, (int)k) * plane;
            for (size_t x = 0; x < plane; x++) to[x] = from[x] / p->std[k];
        }
}

tips_status tips__gradient_net_run(tips_gradient_net *g, const tips_changed_pictures *pictures, tips_hardness *hardness,
                                   float *gradients) {
    const tips_ends *ends = &g->model->model.ends;
    tips_outputs outputs;
    TIPS_TRY(forward(g, pictures, &outputs));
    for (int i = 0; i < pictures->count; i++) TIPS_TRY(judge(g, &outputs, &pictures->targets[i], i, &hardness[i]));
    if (!gradients) return TIPS_OK;
    clear_rest(g, &outputs, pictures->count);
    for (int k = 0; k < ends->n_outputs; k++)
        TIPS_TRY(tips__net_set_output_gradient(g->net, ends->outputs[k], g->slopes[k]));
    TIPS_TRY(tips__net_backward(g->net));
    TIPS_TRY(tips__net_get_input_gradient(g->net, ends->input, g->inputs));
    to_planes(g, pictures->count, gradients);
    return TIPS_OK;
}
