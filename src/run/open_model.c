/* Opening a model file, or making a network with random weights. */
#include "run/open_model.h"

#include "core/fail.h"
#include "core/threads.h"
#include "run/verify_parts.h"

static tips_status make_random(const tips_model_options *options, tips_loaded_model *m) {
    const uint64_t seed = (uint64_t)options->seed;
    tips__model_info_init(&m->info);
    m->info.fit_inside = true; /* small pictures as they are */
    TIPS_TRY(tips__model_options_resolve(options, &m->info.arch, &m->info.config));
    TIPS_TRY(tips__model_create(m->info.arch, &m->info.config, false, &m->model));
    TIPS_TRY(tips__params_create(m->model.graph, seed, &m->params));
    return tips__settle_statistics(m->model.graph, m->params, m->model.input, seed);
}

tips_status tips__open_model(const char *path, const tips_model_options *options, tips_loaded_model *out) {
    if (options->threads > 0) tips__threads_set(options->threads);
    if (path && path[0]) return tips__model_load(path, false, out);
    tips_loaded_model m = {0};
    const tips_status status = make_random(options, &m);
    if (status != TIPS_OK) tips__loaded_model_destroy(&m);
    else *out = m;
    return status;
}

tips_preprocess tips__model_preprocess(const tips_model_info *info) {
    tips_preprocess p = {.height = info->config.size[0],
                         .width = info->config.size[1],
                         .channels = info->config.in_channels,
                         .resize = info->resize,
                         .fit_inside = info->fit_inside};
    for (int i = 0; i < 3; i++) p.mean[i] = info->mean[i], p.std[i] = info->std[i];
    return p;
}
