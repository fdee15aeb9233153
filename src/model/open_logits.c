/* Opening a model for its logits: the network is built again where the file's is of another size or ends otherwise. */
#include "model/open_logits.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

static tips_status copy_param(const tips_params *from, int source, tips_params *to, int id) {
    const size_t elements = tips__param_elements(tips__graph_param(to->graph, id));
    float *values;
    TIPS_TRY(tips__new(&values, elements * sizeof *values, "a parameter"));
    tips__param_get(from, source, values);
    tips__param_set(to, id, values);
    tips__free(values);
    return TIPS_OK;
}

static tips_status copy_params(const tips_params *from, tips_params *to, const int size[2]) {
    for (int i = 0; i < to->count; i++) {
        const tips_param_spec *spec = tips__graph_param(to->graph, i);
        const int source = tips__param_find(from->graph, spec->name);
        const bool fits =
            source >= 0 && tips__param_elements(tips__graph_param(from->graph, source)) == tips__param_elements(spec);
        if (!fits) TIPS_FAIL(TIPS_SHAPE, "its '%s' does not fit an input of %dx%d", spec->name, size[0], size[1]);
        TIPS_TRY(copy_param(from, source, to, i));
    }
    return TIPS_OK;
}

static tips_status build_again(const int size[2], tips_loaded_model *m) {
    tips_arch_config config = m->info.config;
    tips_model model;
    tips_params *params = NULL;
    memcpy(config.size, size, sizeof config.size);
    TIPS_TRY(tips__model_create(m->info.arch, &config, &m->info.task, false, &model));
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
    return TIPS_OK;
}

static bool drop_softmax(tips_blueprint *blueprint) {
    if (!blueprint) return false;
    const int before = blueprint->output;
    tips__blueprint_skip_softmax(blueprint);
    return blueprint->output != before;
}

static int shorter(const int size[2]) { return size[0] < size[1] ? size[0] : size[1]; }

/* In proportion to what the file says of its own size; left as it is where the file cannot be had without another. */
static tips_status scale_resize(const char *path, const int size[2], int *resize) {
    tips_model_info info;
    const tips_status status = tips__model_info_load(path, &info);
    if (status != TIPS_OK) return status == TIPS_MEMORY ? status : TIPS_OK;
    const int side = shorter(info.config.size);
    *resize = (int)(((int64_t)info.resize * shorter(size) + side / 2) / side);
    tips__model_info_clear(&info);
    return TIPS_OK;
}

static tips_status adapt(const char *path, const int size[2], tips_loaded_model *m) {
    const bool changes = size && memcmp(size, m->info.config.size, sizeof m->info.config.size) != 0;
    if (drop_softmax(m->info.config.blueprint) || changes)
        TIPS_TRY(build_again(size ? size : (const int[2]){m->info.config.size[0], m->info.config.size[1]}, m));
    return size && m->info.resize > 0 ? scale_resize(path, size, &m->info.resize) : TIPS_OK;
}

tips_status tips__open_logits(const char *path, const int size[2], tips_loaded_model *out) {
    tips_loaded_model m;
    if (size && size[0] == 0) size = NULL;
    TIPS_TRY(tips__model_load_at(path, size, false, &m));
    const tips_status status = adapt(path, size, &m);
    if (status == TIPS_OK) *out = m;
    else tips__loaded_model_destroy(&m);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}
