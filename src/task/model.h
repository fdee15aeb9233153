/* A network for a task: the backbone of an architecture, the head of the task and, to learn, its loss. */
#ifndef TIPS_TASK_MODEL_H
#define TIPS_TASK_MODEL_H

#include "task/task.h"

typedef struct tips_model {
    tips_graph *graph;
    tips_ends ends;
    tips_assignment assignment;
    int backbone_params; /* the first so many parameters of the graph; those of the head follow */
} tips_model;

/* A model that is not there. */
#define TIPS_NO_MODEL ((tips_model){.ends = {.input = TIPS_NO_VALUE, .loss = TIPS_NO_VALUE, .teacher = TIPS_NO_VALUE}})

/* Input "input", the outputs of the task's head as outputs of the graph; `training` adds targets and loss. `task` may
 * be NULL: the default. */
tips_status tips__model_create(const tips_arch *arch, const tips_arch_config *config, const tips_task_spec *task,
                               bool training, tips_model *out) TIPS_MUST_CHECK;
/* Splits the loss of a network with one: `weight` of it becomes the divergence from a teacher's logits. */
tips_status tips__model_teach(tips_model *model, double weight, double temperature) TIPS_MUST_CHECK;
void tips__model_destroy(tips_model *model);

#endif
