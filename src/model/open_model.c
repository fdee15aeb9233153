/* Opening a model file, or making a network with random weights. */
#include "model/open_model.h"

#include "core/fail.h"
#include "model/open_logits.h"
#include "model/settle_statistics.h"

#include <string.h>

tips_status tips__random_model_info(const tips_model_options *options, const tips_input_options *input,
                                    tips_model_info *out) {
    const tips_model_options o = tips__input_sized(input, options);
    tips_model_info info;
    tips__model_info_init(&info);
    info.fit_inside = true; /* small pictures as they are */
    TIPS_TRY(tips__model_options_resolve(&o, &info.arch, &info.config, &info.task));
    TIPS_TRY(tips__input_describe(input, &info));
    *out = info;
    return TIPS_OK;
}

static tips_status make_random(const tips_model_options *options, const tips_input_options *input,
                               tips_loaded_model *m) {
    const uint64_t seed = (uint64_t)options->seed;
    TIPS_TRY(tips__random_model_info(options, input, &m->info));
    m->preprocess = tips__model_preprocess(&m->info);
    TIPS_TRY(tips__model_create(m->info.arch, &m->info.config, &m->info.task, false, &m->model));
    TIPS_TRY(tips__params_create(m->model.graph, seed, &m->params));
    return tips__settle_statistics(m->model.graph, m->params, m->model.ends.input, seed);
}

static tips_status open_file(const char *path, const tips_model_options *options, const tips_input_options *input,
                             tips_loaded_model *m) {
    const bool is_said = options && options->task && strcmp(options->task, "auto") != 0;
    const tips_read_as as = {
        .size = input->size, .output = input->output, .boxes = input->boxes, .task = is_said ? options->task : NULL};
    TIPS_TRY(tips__open_logits_as(path, &as, m));
    return tips__input_apply(input, m);
}

tips_status tips__open_model(const char *path, const tips_model_options *options, const tips_input_options *input,
                             tips_loaded_model *out) {
    tips_loaded_model m = {0};
    const tips_status status = path && path[0] ? open_file(path, options, input, &m) : make_random(options, input, &m);
    if (status != TIPS_OK) tips__loaded_model_destroy(&m);
    else *out = m;
    return status;
}
