/* An annotation that is drawn, on a picture that is the network's input. */
#include "task/random_target.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

/* One class all over, and a box in the middle. */
static tips_status annotate(const tips_assignment *a, tips_rng rng, int i, tips_annotation *out) {
    const size_t pixels = (size_t)a->size[0] * (size_t)a->size[1];
    const double h = a->size[0], w = a->size[1];
    out->label = (int32_t)tips__rng_below(rng, (uint64_t)i, (uint32_t)a->classes);
    out->size[0] = a->size[0], out->size[1] = a->size[1];
    if (out->has & TIPS_ANNOTATES_MASK) {
        out->mask = (tips_image){a->size[0], a->size[1], 1, NULL};
        TIPS_TRY(tips__new(&out->mask.pixels, pixels, "a mask"));
        memset(out->mask.pixels, out->label, pixels);
    }
    if (out->has & TIPS_ANNOTATES_BOXES) {
        TIPS_TRY(tips__new(&out->boxes, sizeof *out->boxes, "a box"));
        out->boxes[out->n_boxes++] =
            (tips_box){.top = h / 4, .left = w / 4, .bottom = 3 * h / 4, .right = 3 * w / 4, .label = out->label};
    }
    return TIPS_OK;
}

tips_status tips__random_target(const tips_assignment *a, tips_rng rng, int i, tips_bytes *out) {
    tips_annotation annotation = {.has = a->spec.task->needs};
    const tips_move move = tips__move_none(a->size);
    tips_status status = annotate(a, rng, i, &annotation);
    if (status == TIPS_OK) status = a->spec.task->target(a, &annotation, &move, out);
    tips__annotation_clear(&annotation);
    return status;
}
