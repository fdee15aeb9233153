/* Levels of a backbone. */
#include "arch/features.h"

#include <assert.h>

static const tips_selection no_selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};

void tips__features_begin(tips_features *f) {
    *f = (tips_features){.count = 1, .whole = TIPS_NO_VALUE};
    f->levels[0] = (tips_feature){.map = TIPS_NO_VALUE, .stride = {1, 1}, .selection = no_selection};
}

void tips__features_leave(tips_features *f, tips_value map) { f->levels[f->count - 1].map = map; }

void tips__features_enter(tips_features *f, const tips_pool_spec *pool, const int stride[2],
                          const tips_selection *selection) {
    const bool stays = tips__pool_traits(pool) & TIPS_POOL_IDENTITY;
    assert(f->count < TIPS_MOST_LEVELS);
    const tips_feature *before = &f->levels[f->count - 1];
    tips_feature *level = &f->levels[f->count++];
    *level = (tips_feature){.map = TIPS_NO_VALUE, .selection = selection ? *selection : no_selection};
    for (int axis = 0; axis < 2; axis++) level->stride[axis] = before->stride[axis] * (stays ? 1 : stride[axis]);
}

tips_value tips__features_last(const tips_features *f) { return f->levels[f->count - 1].map; }

const tips_feature *tips__features_at(const tips_features *f, int stride) {
    for (int i = 0; i < f->count; i++)
        if (f->levels[i].stride[0] == stride) return &f->levels[i];
    return NULL;
}
