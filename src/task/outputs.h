/* What a net put out, read into plain floats. */
#ifndef TIPS_TASK_OUTPUTS_H
#define TIPS_TASK_OUTPUTS_H

#include "task/model.h"

/* Room for the outputs of `n` samples of a model. */
typedef struct tips_output_room {
    const tips_model *model;
    int n;
    float *floats;
    float *at[TIPS_MOST_OUTPUTS]; /* (n, c, h, w) of each output */
    size_t sizes[TIPS_MOST_OUTPUTS];
} tips_output_room;

tips_status tips__output_room_create(const tips_model *model, int n, tips_output_room *out) TIPS_MUST_CHECK;
void tips__output_room_destroy(tips_output_room *room);

/* The outputs of the first `n` samples of a net compiled for room->n; they stay until the next call. */
tips_status tips__outputs_read(tips_output_room *room, const tips_net *net, int n, tips_outputs *out) TIPS_MUST_CHECK;

/* Whether all numbers of sample i are finite. */
bool tips__outputs_finite(const tips_outputs *outputs, int i);

#endif
