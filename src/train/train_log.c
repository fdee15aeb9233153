/* The epochs of a run, from its log.jsonl. */
#include "train/train_log.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "train/trainer.h"

tips_status tips__train_log_read(const char *folder, tips_train_log *out) {
    char path[TIPS_PATH_SIZE];
    tips_json_node *lines;
    TIPS_TRY(tips__path_join(folder, tips__log_name, path));
    TIPS_TRY(tips__json_tree_load_lines(path, &lines));
    const tips_status status = tips__new_zero(&out->epochs, (size_t)lines->count * sizeof *out->epochs, "a log");
    for (const tips_json_node *line = lines->first; line && status == TIPS_OK; line = line->next)
        out->epochs[out->count++] =
            (tips_train_epoch){.epoch = tips__json_get_number(line, "epoch"),
                                .lr = tips__json_get_number(line, "lr"),
                                .loss = tips__json_get_number(line, "loss"),
                                .task = tips__json_get_number(line, "task"),
                                .undo = tips__json_get_number(line, "undo"),
                                .fm = tips__json_get_number(line, "fm"),
                                .train_accuracy = tips__json_get_number(line, "train_accuracy"),
                                .val_loss = tips__json_get_number(line, "val_loss"),
                                .val_accuracy = tips__json_get_number(line, "val_accuracy"),
                                .seconds = tips__json_get_number(tips__json_get(line, "time"), "seconds"),
                                .best = tips__json_get_bool(line, "best")};
    tips__json_tree_free(lines);
    return status;
}

void tips__train_log_clear(tips_train_log *log) {
    tips__free(log->epochs);
    *log = (tips_train_log){0};
}
