/* What the network answers, as its task reads it, before and after a shift. */
#include "verify/verify_parts.h"

#include "core/fail.h"

static float *copy_map(const verify_view *view, int map, float *out) {
    for (int c = 0; c < view->c; c++)
        for (int y = 0; y < view->h; y++)
            for (int x = 0; x < view->w; x++) *out++ = (float)tips__verify_number(view, map, c, y, x);
    return out;
}

static tips_status answer(verify_answers *a, const verify_engine *engine, int sample, tips_bytes *out) {
    const tips_model *model = a->room.model;
    tips_outputs outputs = {.n = 1, .count = model->ends.n_outputs};
    for (int k = 0; k < outputs.count; k++) {
        const verify_view view = tips__verify_view(engine, model->ends.outputs[k]);
        const int maps = tips__value(model->graph, model->ends.outputs[k])->per_sample;
        float *at = a->room.at[k];
        for (int m = 0; m < maps; m++) at = copy_map(&view, sample * maps + m, at);
        outputs.values[k] = a->room.at[k];
        outputs.floats[k] = a->room.sizes[k];
    }
    return model->assignment.spec.task->answer(&model->assignment, &outputs, 0, out);
}

tips_status tips__verify_answers_create(const verify_subject *subject, const verify_engine *engine,
                                        verify_answers *out) {
    verify_answers a = {0};
    tips_status status = tips__output_room_create(&subject->model, 1, &a.room);
    if (status == TIPS_OK) status = answer(&a, engine, 0, &a.unshifted);
    if (status == TIPS_OK) *out = a;
    else tips__verify_answers_destroy(&a);
    return status;
}

void tips__verify_answers_destroy(verify_answers *a) {
    tips__output_room_destroy(&a->room);
    tips__bytes_clear(&a->unshifted);
    tips__bytes_clear(&a->shifted);
}

tips_status tips__verify_answers_changed(verify_answers *a, const verify_engine *engine, int sample, const int u[2],
                                         bool *changed) {
    const tips_assignment *assignment = &a->room.model->assignment;
    TIPS_TRY(answer(a, engine, sample, &a->shifted));
    const tips_answer_at before = {&a->unshifted, {0, 0}, true}, after = {&a->shifted, {u[0], u[1]}, true};
    *changed = assignment->spec.task->agree(assignment, before, after, NULL).agree < 1;
    return TIPS_OK;
}
