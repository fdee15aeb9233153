/* A model in memory: how pictures become its input, and the same network at another size. */
#include "model/model_parts.h"

#include "core/fail.h"

#include <string.h>

tips_preprocess tips__model_preprocess(const tips_model_info *info) {
    tips_preprocess p = {.height = info->config.size[0],
                         .width = info->config.size[1],
                         .channels = info->config.in_channels,
                         .resize = info->resize,
                         .fit_inside = info->fit_inside,
                         .bgr = info->bgr};
    for (int i = 0; i < 3; i++) p.mean[i] = info->mean[i], p.std[i] = info->std[i];
    return p;
}

void tips__note_original(tips_loaded_model *m) {
    memcpy(m->original.size, m->info.config.size, sizeof m->original.size);
    m->original.resize = m->info.resize;
}

static tips_status copy_params(const tips_params *from, tips_params *to, const int size[2]) {
    for (int i = 0; i < to->count; i++) {
        bool fits;
        TIPS_TRY(tips__param_copy(from, to, i, &fits));
        if (!fits)
            TIPS_FAIL(TIPS_SHAPE, "its '%s' does not fit an input of %dx%d", tips__graph_param(to->graph, i)->name,
                      size[0], size[1]);
    }
    return TIPS_OK;
}

tips_status tips__loaded_model_rebuild(tips_loaded_model *m, const int size[2], bool training) {
    tips_arch_config config = m->info.config;
    tips_model model;
    tips_params *params = NULL;
    memcpy(config.size, size, sizeof config.size);
    TIPS_TRY(tips__model_create(m->info.arch, &config, &m->info.task, training, &model));
    tips_status status = tips__params_create(model.graph, 0, &params);
    if (status == TIPS_OK) status = copy_params(m->params, params, size);
    if (status != TIPS_OK) {
        tips__params_destroy(params);
        tips__model_destroy(&model);
        return status;
    }
    tips__params_destroy(m->params);
    tips__model_destroy(&m->model);
    m->info.config = config;
    m->model = model;
    m->params = params;
    m->preprocess = tips__model_preprocess(&m->info);
    return TIPS_OK;
}

void tips__loaded_model_destroy(tips_loaded_model *loaded) {
    if (!loaded) return;
    tips__params_destroy(loaded->params);
    tips__model_destroy(&loaded->model);
    tips__model_info_clear(&loaded->info);
    loaded->params = NULL;
}
