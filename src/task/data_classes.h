/* What a set of pictures asks a network to tell apart, by task: classes of pictures, or values of masks. */
#ifndef TIPS_TASK_DATA_CLASSES_H
#define TIPS_TASK_DATA_CLASSES_H

#include "data/dataset.h"
#include "task/task.h"

int tips__task_data_classes(const tips_task *task, const tips_dataset *set);
const char *tips__task_data_class_name(const tips_task *task, const tips_dataset *set, int i);

#endif
