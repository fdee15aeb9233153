/* Builds a network, draws or loads its weights, saves it. */
#include "model/model_init.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/threads.h"
#include "model/model_file.h"
#include "model/graph_count.h"

static tips_status load(const tips_init_config *config, tips_params *params, tips_weights_report *report) {
    return tips__weights_load(config->weights, params,
                              config->skip_classifier ? TIPS_CLASSIFIER_SKIPPED : TIPS_CLASSIFIER_TAKEN, report);
}

static tips_status fill_and_save(const tips_init_config *config, const tips_model_info *info, const tips_graph *graph,
                                 tips_init_result *out) {
    tips_weights_report report = {0};
    tips_params *params;
    TIPS_TRY(tips__params_create(graph, (uint64_t)config->model.seed, &params));
    tips_status status = TIPS_OK;
    if (config->weights) status = load(config, params, &report);
    if (status == TIPS_OK) status = (config->save ? config->save : tips__model_save)(config->out, info, params);
    tips__params_destroy(params);
    *out = (tips_init_result){.parameters = tips__graph_parameters(graph),
                              .loaded = report.loaded,
                              .missing = report.missing,
                              .unused = report.unused,
                              .input = tips__model_input(info)};
    return status;
}

/* Weights were made for a normalisation: that of their model, if the file says it, else most likely torchvision's. */
static tips_status choose_input(const tips_init_config *config, tips_model_info *info) {
    tips_model_info theirs;
    if (config->weights && tips__model_info_load(config->weights, &theirs) == TIPS_OK) {
        tips__input_take(&theirs, info);
        tips__model_info_clear(&theirs);
    } else if (config->weights) {
        tips__input_guess_imagenet(info);
    }
    return tips__input_describe_normal(&config->input, info);
}

tips_status tips__model_init(const tips_init_config *config, tips_init_result *out) {
    tips_model_info info;
    tips_model model;
    tips_init_result result;
    if (!config->out || !config->out[0]) TIPS_FAIL(TIPS_INVALID, "--out FILE says where to write the model");
    TIPS_TRY(tips__keep_input(config->weights, config->out));
    tips__threads_use(config->model.threads);
    tips__model_info_init(&info);
    TIPS_TRY(tips__model_options_resolve(&config->model, &info.arch, &info.config, &info.task));
    TIPS_TRY(choose_input(config, &info));
    TIPS_TRY(tips__model_create(info.arch, &info.config, &info.task, false, &model));
    const tips_status status = fill_and_save(config, &info, model.graph, &result);
    tips__model_destroy(&model);
    if (status == TIPS_OK) *out = result;
    return status;
}
