/* What a model was trained on, as far as its file says. */
#include "model/model_parts.h"

#include "core/json_tree.h"

#include <stdio.h>
#include <string.h>

static void read_training(const char *training, tips_model_origin *out) {
    tips_json_node *tree;
    if (!training || !*training || tips__json_tree_parse(training, strlen(training), &tree) != TIPS_OK) return;
    const char *val_set = tips__json_get_text(tree, "val_set", "");
    const double share = tips__json_get_number(tree, "val_split");
    out->seed = tips__json_get_int(tree, "seed", -1);
    out->val_split = share > 0 && share < 1 ? share : 0;
    out->val_is_test = strcmp(val_set, tips__val_set_names[TIPS_VAL_TEST]) == 0;
    tips__json_tree_free(tree);
}

static tips_model_origin make(const char *dataset, const char *training) {
    tips_model_origin origin = {.seed = -1};
    snprintf(origin.dataset, sizeof origin.dataset, "%s", dataset ? dataset : "");
    read_training(training, &origin);
    return origin;
}

tips_model_origin tips__model_origin(const tips_model_info *info) { return make(info->dataset, info->training); }

tips_model_origin tips__model_origin_from(const tips_metadata_source *from) {
    return make(from->find(from->context, "tips.dataset"), from->find(from->context, "tips.training"));
}

static const char *find_in_safetensors(const void *file, const char *key) {
    return tips__safetensors_metadata(file, key);
}

bool tips__model_origin_load(const char *path, tips_model_origin *out) {
    tips_model_origin origin = {.seed = -1};
    tips_safetensors *file;
    bool is_onnx;
    if (tips__model_is_onnx(path, &is_onnx) != TIPS_OK) return false;
    if (is_onnx) {
        tips__onnx_model_origin(path, &origin);
    } else {
        if (tips__safetensors_open(path, &file) != TIPS_OK) return false;
        origin = tips__model_origin_from(&(tips_metadata_source){find_in_safetensors, file});
        tips__safetensors_close(file);
    }
    *out = origin;
    return origin.dataset[0] != '\0';
}
