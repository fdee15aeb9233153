/* The classes of a set for a task. */
#include "task/data_classes.h"

static bool is_of_masks(const tips_task *task) { return task->needs & TIPS_ANNOTATES_MASK; }

int tips__task_data_classes(const tips_task *task, const tips_dataset *set) {
    return is_of_masks(task) ? tips__dataset_mask_classes(set) : tips__dataset_classes(set);
}

const char *tips__task_data_class_name(const tips_task *task, const tips_dataset *set, int i) {
    return is_of_masks(task) ? tips__dataset_mask_class_name(set, i) : tips__dataset_class_name(set, i);
}
