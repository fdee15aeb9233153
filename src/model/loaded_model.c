/* A model in memory: how pictures become its input, and the same network at another size. */
#include "model/model_parts.h"

#include "arch/blueprint.h"
#include "core/fail.h"

#include <string.h>

tips_preprocess tips__model_preprocess(const tips_model_info *info) {
    tips_preprocess p = {.height = info->config.size[0],
                         .width = info->config.size[1],
                         .channels = info->config.in_channels,
                         .resize = info->resize,
                         .fit_inside = info->fit_inside,
                         .placement = info->placement,
                         .bgr = info->bgr};
    for (int i = 0; i < 3; i++) p.mean[i] = info->mean[i], p.std[i] = info->std[i];
    return p;
}

tips_input_facts tips__model_input(const tips_model_info *info) {
    tips_input_facts facts = {.channels = info->config.in_channels,
                              .bgr = info->bgr,
                              .resize = info->resize,
                              .fit_inside = info->fit_inside,
                              .placement = info->placement,
                              .mean_from = info->mean_from,
                              .std_from = info->std_from};
    memcpy(facts.mean, info->mean, sizeof facts.mean);
    memcpy(facts.std, info->std, sizeof facts.std);
    return facts;
}

void tips__input_take(const tips_model_info *from, tips_model_info *to) {
    memcpy(to->mean, from->mean, sizeof to->mean);
    memcpy(to->std, from->std, sizeof to->std);
    to->mean_from = from->mean_from;
    to->std_from = from->std_from;
    to->bgr = from->bgr && to->config.in_channels == 3;
}

void tips__input_guess_imagenet(tips_model_info *info) {
    memcpy(info->mean, tips__imagenet_mean, sizeof info->mean);
    memcpy(info->std, tips__imagenet_std, sizeof info->std);
    info->mean_from = info->std_from = TIPS_INPUT_GUESSED;
}

void tips__note_original(tips_loaded_model *m) {
    memcpy(m->original.size, m->info.config.size, sizeof m->original.size);
    m->original.resize = m->info.resize;
    memcpy(m->original.fit, m->info.placement.fit, sizeof m->original.fit);
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

/* Sizes of maps rarely show in parameters: then they stay where they are. */
static tips_status move_params(tips_loaded_model *m, const tips_graph *graph, const int size[2]) {
    tips_params *params;
    if (tips__params_move(m->params, graph)) return TIPS_OK;
    TIPS_TRY(tips__params_create_unset(graph, &params));
    const tips_status status = copy_params(m->params, params, size);
    tips__params_destroy(status == TIPS_OK ? m->params : params);
    if (status == TIPS_OK) m->params = params;
    return status;
}

tips_status tips__loaded_model_rebuild(tips_loaded_model *m, const int size[2], bool training) {
    tips_arch_config config = m->info.config;
    tips_model model;
    memcpy(config.size, size, sizeof config.size);
    TIPS_TRY(tips__model_create(m->info.arch, &config, &m->info.task, training, &model));
    const tips_status status = move_params(m, model.graph, size);
    if (status != TIPS_OK) {
        tips__model_destroy(&model);
        return status;
    }
    tips__model_destroy(&m->model);
    m->info.config = config;
    m->model = model;
    m->preprocess = tips__model_preprocess(&m->info);
    return TIPS_OK;
}

void tips__model_small_logits(const tips_loaded_model *m, int size[2]) {
    const tips_graph *graph = m->model.graph;
    for (int i = 0; i < tips__graph_node_count(graph) && m->info.config.blueprint; i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (strcmp(node->name, TIPS_BLUEPRINT_TO_INPUT) != 0) continue;
        size[0] = tips__value(graph, node->in[0])->h;
        size[1] = tips__value(graph, node->in[0])->w;
    }
}

void tips__loaded_model_destroy(tips_loaded_model *loaded) {
    if (!loaded) return;
    tips__params_destroy(loaded->params);
    tips__model_destroy(&loaded->model);
    tips__model_info_clear(&loaded->info);
    loaded->params = NULL;
}
