/* Opening a model file, or making a network with random weights. */
#include "model/open_model.h"

#include "core/fail.h"
#include "core/threads.h"
#include "model/open_logits.h"
#include "model/settle_statistics.h"

static tips_status make_random(const tips_model_options *options, tips_loaded_model *m) {
    const uint64_t seed = (uint64_t)options->seed;
    tips__model_info_init(&m->info);
    m->info.fit_inside = true; /* small pictures as they are */
    TIPS_TRY(tips__model_options_resolve(options, &m->info.arch, &m->info.config));
    TIPS_TRY(tips__model_create(m->info.arch, &m->info.config, &m->info.task, false, &m->model));
    TIPS_TRY(tips__params_create(m->model.graph, seed, &m->params));
    return tips__settle_statistics(m->model.graph, m->params, m->model.ends.input, seed);
}

static tips_model_options with_size(const tips_model_options *options, const int size[2]) {
    enum { USUAL = 32 };
    tips_model_options o = *options;
    if (size[0] > 0) o.size[0] = size[0], o.size[1] = size[1];
    if (o.size[0] == 0) o.size[0] = o.size[1] = USUAL;
    return o;
}

static tips_status open_any(const char *path, const tips_model_options *options, const int size[2],
                            tips_loaded_model *m) {
    const tips_model_options o = with_size(options, size);
    return path && path[0] ? tips__open_logits(path, size, m) : make_random(&o, m);
}

tips_status tips__open_model(const char *path, const tips_model_options *options, tips_loaded_model *out) {
    return tips__open_model_with(path, options, &(tips_input_options){0}, out);
}

tips_status tips__open_model_with(const char *path, const tips_model_options *options, const tips_input_options *input,
                                  tips_loaded_model *out) {
    if (options->threads > 0) tips__threads_set(options->threads);
    tips_loaded_model m = {0};
    tips_status status = open_any(path, options, input->size, &m);
    if (status == TIPS_OK) status = tips__input_apply(input, &m);
    if (status != TIPS_OK) tips__loaded_model_destroy(&m);
    else *out = m;
    return status;
}
