/* From the options that choose a network to an architecture and its config. */
#include "model/model_options.h"

#include "core/fail.h"
#include "core/threads.h"

tips_status tips__model_options_resolve(const tips_model_options *o, const tips_arch **arch,
                                        tips_arch_config *config) {
    const tips_arch *found;
    tips_arch_config filled = {
        .in_channels = o->channels,
        .size = {o->size[0], o->size[1]},
        .classes = o->classes,
        .width = o->width,
        .down = o->down,
        .stem = (tips_stem)o->stem,
        .padding = (tips_pad_mode)o->padding,
        .blueprint = o->blueprint,
    };
    TIPS_TRY(tips__arch_find(o->arch, &found));
    TIPS_TRY(tips__pool_parse(o->pool, o->lpf, &filled.pool));
    if (o->norm) TIPS_TRY(tips__norm_parse(o->norm, &filled.norm));
    TIPS_TRY(tips__arch_resolve(found, &filled));
    if (o->threads > 0) tips__threads_set(o->threads);
    *arch = found;
    *config = filled;
    return TIPS_OK;
}
