/* The epochs of a run, from its log.jsonl. */
#include "train/train_log.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "train/trainer.h"

#include <stdio.h>

static void read_metrics(const tips_json_node *line, const tips_task *task, const char *prefix, double *out) {
    for (int i = 0; task->metrics[i].name; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s_%s", prefix, task->metrics[i].name);
        out[i] = tips__json_get_number(line, key);
    }
}

static tips_train_epoch read_epoch(const tips_json_node *line, const tips_task *task) {
    tips_train_epoch e = {.epoch = tips__json_get_number(line, "epoch"),
                          .lr = tips__json_get_number(line, "lr"),
                          .loss = tips__json_get_number(line, "loss"),
                          .task = tips__json_get_number(line, "task"),
                          .undo = tips__json_get_number(line, "undo"),
                          .fm = tips__json_get_number(line, "fm"),
                          .seconds = tips__json_get_number(tips__json_get(line, "time"), "seconds"),
                          .best = tips__json_get_bool(line, "best")};
    read_metrics(line, task, "train", e.train);
    read_metrics(line, task, "val", e.val);
    return e;
}

tips_status tips__train_log_read(const char *folder, tips_train_log *out) {
    char path[TIPS_PATH_SIZE];
    tips_json_node *lines;
    TIPS_TRY(tips__path_join(folder, tips__log_name, path));
    TIPS_TRY(tips__json_tree_load_lines(path, &lines));
    const tips_status status = tips__new_zero(&out->epochs, (size_t)lines->count * sizeof *out->epochs, "a log");
    for (const tips_json_node *line = lines->first; line && status == TIPS_OK; line = line->next)
        out->epochs[out->count++] = read_epoch(line, out->task);
    tips__json_tree_free(lines);
    return status;
}

void tips__train_log_clear(tips_train_log *log) {
    tips__free(log->epochs);
    log->epochs = NULL;
    log->count = 0;
}
