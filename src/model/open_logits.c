/* Opening a model for its logits: the network is built again where the file's is of another size or ends otherwise. */
#include "model/open_logits.h"

#include "arch/blueprint.h"
#include "core/fail.h"

#include <string.h>

static bool drop_softmax(tips_blueprint *blueprint) {
    if (!blueprint) return false;
    const int before = blueprint->output;
    tips__blueprint_skip_softmax(blueprint);
    return blueprint->output != before;
}

static int shorter(const int size[2]) { return size[0] < size[1] ? size[0] : size[1]; }

/* In proportion to what the file says of its own size. */
static int scaled(const int size[2], const tips_loaded_model *m, int length) {
    const int side = shorter(m->original.size);
    return (int)(((int64_t)length * shorter(size) + side / 2) / side);
}

static void scale_resize(const int size[2], tips_loaded_model *m) {
    m->info.resize = scaled(size, m, m->original.resize);
    for (int i = 0; i < 2; i++) m->info.placement.fit[i] = scaled(size, m, m->original.fit[i]);
    m->preprocess = tips__model_preprocess(&m->info);
}

static tips_status adapt(const int size[2], tips_loaded_model *m) {
    const bool changes = size && memcmp(size, m->info.config.size, sizeof m->info.config.size) != 0;
    const int same[2] = {m->info.config.size[0], m->info.config.size[1]};
    if (drop_softmax(m->info.config.blueprint) || changes)
        TIPS_TRY(tips__loaded_model_rebuild(m, size ? size : same, false));
    if (size && (m->info.resize > 0 || m->info.placement.fit[0] > 0)) scale_resize(size, m);
    return TIPS_OK;
}

tips_status tips__open_logits_as(const char *path, const tips_read_as *as, tips_loaded_model *out) {
    tips_loaded_model m;
    tips_read_as given = *as;
    if (given.size && given.size[0] == 0) given.size = NULL;
    TIPS_TRY(tips__model_load_as(path, &given, false, &m));
    const tips_status status = adapt(given.size, &m);
    if (status == TIPS_OK) *out = m;
    else tips__loaded_model_destroy(&m);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

tips_status tips__open_logits(const char *path, const int size[2], tips_loaded_model *out) {
    return tips__open_logits_as(path, &(tips_read_as){.size = size}, out);
}
