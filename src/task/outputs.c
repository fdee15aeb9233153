/* Reading what a net put out. */
#include "task/outputs.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

tips_status tips__output_room_create(const tips_model *model, int n, tips_output_room *out) {
    tips_output_room room = {.model = model, .n = n};
    size_t all = 0;
    for (int k = 0; k < model->ends.n_outputs; k++) {
        const tips_value_info *info = tips__value(model->graph, model->ends.outputs[k]);
        room.sizes[k] = (size_t)info->c * (size_t)info->h * (size_t)info->w * (size_t)info->per_sample;
        all += room.sizes[k];
    }
    TIPS_TRY(tips__new_zero(&room.floats, all * (size_t)n * sizeof *room.floats, "a network's outputs"));
    float *at = room.floats;
    for (int k = 0; k < model->ends.n_outputs; at += room.sizes[k++] * (size_t)n) room.at[k] = at;
    *out = room;
    return TIPS_OK;
}

void tips__output_room_destroy(tips_output_room *room) {
    tips__free(room->floats);
    *room = (tips_output_room){0};
}

tips_status tips__outputs_read(tips_output_room *room, const tips_net *net, int n, tips_outputs *out) {
    tips_outputs outputs = {.n = n, .count = room->model->ends.n_outputs};
    for (int k = 0; k < outputs.count; k++) {
        TIPS_TRY(tips__net_get_map(net, room->model->ends.outputs[k], room->at[k]));
        outputs.values[k] = room->at[k];
        outputs.floats[k] = room->sizes[k];
    }
    *out = outputs;
    return TIPS_OK;
}

bool tips__outputs_finite(const tips_outputs *outputs, int i) {
    for (int k = 0; k < outputs->count; k++) {
        const float *values = outputs->values[k] + (size_t)i * outputs->floats[k];
        for (size_t j = 0; j < outputs->floats[k]; j++)
            if (!isfinite(values[j])) return false;
    }
    return true;
}
