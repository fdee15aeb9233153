/* The samples of one picture: it is read once, and each view has its augmentation and its target. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/loader_parts.h"

enum { STREAM_SUBSTITUTE = 0x5355, NAME_SIZE = 512 };

static size_t canvas_size(const tips_preprocess *p) {
    return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

tips_status tips__loader_scratch_create(const tips_preprocess *p, tips_loader_scratch *out) {
    TIPS_TRY(tips__new(&out->canvas, 2 * canvas_size(p), "a canvas"));
    out->moved = out->canvas + canvas_size(p);
    return TIPS_OK;
}

void tips__loader_scratch_destroy(tips_loader_scratch *scratch) { tips__free(scratch->canvas); }

int tips__loader_substitute(const tips_loader_config *config, int epoch, int index, int attempt) {
    const int count = tips__dataset_count(config->set, config->split);
    const tips_rng rng = tips__loader_stream(config, STREAM_SUBSTITUTE, epoch, index);
    return (int)tips__rng_below(rng, (uint64_t)attempt, (uint32_t)count);
}

static tips_status make_target(const tips_loader_config *config, int index, const tips_annotation *annotation,
                               const tips_move *move, tips_bytes *target) {
    const tips_target_maker *maker = &config->maker;
    char name[NAME_SIZE];
    target->count = 0;
    const tips_status status = maker->make(maker->context, annotation, move, target);
    if (status == TIPS_OK) return TIPS_OK;
    tips__dataset_item_name(config->set, config->split, index, name, sizeof name);
    return tips__fail_within(status, name);
}

static tips_status make_views(const tips_loader_config *config, int epoch, int index, const tips_image *picture,
                              const tips_annotation *annotation, const tips_loader_scratch *scratch, float *images,
                              tips_bytes *targets) {
    const tips_preprocess *p = &config->preprocess;
    for (int view = 0; view < config->views; view++) {
        tips_move move = tips__preprocess_move(p, annotation->size);
        tips__loader_draw(config, epoch, index, view, &move);
        if (view == 0 || tips__loader_scales(&config->augment))
            TIPS_TRY(tips__preprocess_canvas_at(p, picture, &move, scratch->canvas));
        tips__loader_apply(p, &move, scratch->canvas, scratch->moved, images + (size_t)view * canvas_size(p));
        if (targets) TIPS_TRY(make_target(config, index, annotation, &move, &targets[view]));
    }
    return TIPS_OK;
}

tips_status tips__loader_item(const tips_loader_config *config, int epoch, int index, tips_loader_scratch *scratch,
                              float *images, tips_bytes *targets, bool *is_bad) {
    tips_annotation annotation;
    tips_image picture;
    tips_status status =
        tips__dataset_read_annotated(config->set, config->split, index, config->maker.needs, &picture, &annotation);
    *is_bad = tips__dataset_may_skip(config->set, status);
    TIPS_TRY(status);
    status = make_views(config, epoch, index, &picture, &annotation, scratch, images, targets);
    tips__annotation_clear(&annotation);
    tips__image_free(&picture);
    return status;
}
