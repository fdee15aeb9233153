/* One picture of a batch, with its augmentation: flip, crop, shift, in this order and on the canvas, in pixels. */
#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"
#include "data/loader_parts.h"

#include <string.h>

enum { STREAM_AUGMENT = 0x4155, STREAM_SUBSTITUTE = 0x5355 };
enum { DRAW_FLIP, DRAW_CROP_Y, DRAW_CROP_X, DRAW_KIND, DRAW_SHIFT_Y, DRAW_SHIFT_X };

const char *const tips__shift_kind_names[] = {"none", "standard", "circular", "both", NULL};

static size_t canvas_size(const tips_preprocess *p) {
    return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

tips_status tips__loader_scratch_create(const tips_preprocess *p, tips_loader_scratch *out) {
    TIPS_TRY(tips__new(&out->canvas, 2 * canvas_size(p), "a canvas"));
    out->moved = out->canvas + canvas_size(p);
    return TIPS_OK;
}

void tips__loader_scratch_destroy(tips_loader_scratch *scratch) { tips__free(scratch->canvas); }

static tips_rng stream_of(const tips_loader_config *config, int purpose, int epoch, int index) {
    const uint64_t place = tips__rng_mix((uint64_t)epoch, (uint64_t)index);
    return (tips_rng){config->seed, tips__rng_mix((uint64_t)purpose, place)};
}

int tips__loader_substitute(const tips_loader_config *config, int epoch, int index, int attempt) {
    const int count = tips__dataset_count(config->set, config->split);
    return (int)tips__rng_below(stream_of(config, STREAM_SUBSTITUTE, epoch, index), (uint64_t)attempt, (uint32_t)count);
}

static void flip(const tips_preprocess *p, uint8_t *canvas) {
    const int c = p->channels;
    for (int y = 0; y < p->height; y++) {
        uint8_t *left = canvas + (ptrdiff_t)y * p->width * c, *right = left + (ptrdiff_t)(p->width - 1) * c;
        for (; left < right; left += c, right -= c)
            for (int k = 0; k < c; k++) {
                const uint8_t kept = left[k];
                left[k] = right[k];
                right[k] = kept;
            }
    }
}

/* A crop of the padded canvas is the canvas moved, with black where nothing was. */
static void move(const tips_preprocess *p, const uint8_t *canvas, int dy, int dx, uint8_t *out) {
    const int c = p->channels, length = p->width - (dx < 0 ? -dx : dx);
    memset(out, 0, canvas_size(p));
    for (int y = 0; y < p->height; y++) {
        if (y - dy < 0 || y - dy >= p->height || length <= 0) continue;
        const int from = dx < 0 ? -dx : 0, to = dx > 0 ? dx : 0;
        memcpy(out + ((ptrdiff_t)y * p->width + to) * c, canvas + ((ptrdiff_t)(y - dy) * p->width + from) * c,
               (size_t)length * (size_t)c);
    }
}

/* Uniform in -most..most. */
static int around_zero(tips_rng rng, int draw, int most) {
    return (int)tips__rng_below(rng, (uint64_t)draw, 2 * (uint32_t)most + 1) - most;
}

static void augment(const tips_loader_config *config, tips_rng rng, tips_loader_scratch *s, float *image) {
    const tips_preprocess *p = &config->preprocess;
    const tips_augment *a = &config->augment;
    const uint8_t *canvas = s->canvas;
    int dy = 0, dx = 0;
    bool circular = a->shift == TIPS_SHIFT_CIRCULAR;
    if (a->flip && tips__rng_below(rng, DRAW_FLIP, 2)) flip(p, s->canvas);
    if (a->crop > 0) {
        move(p, canvas, around_zero(rng, DRAW_CROP_Y, a->crop), around_zero(rng, DRAW_CROP_X, a->crop), s->moved);
        canvas = s->moved;
    }
    if (a->shift == TIPS_SHIFT_BOTH) circular = tips__rng_below(rng, DRAW_KIND, 2);
    if (a->shift != TIPS_SHIFT_NONE) {
        dy = around_zero(rng, DRAW_SHIFT_Y, p->height / 8);
        dx = around_zero(rng, DRAW_SHIFT_X, p->width / 8);
    }
    tips__canvas_to_input(p, canvas, dy, dx, circular, image);
}

tips_status tips__loader_item(const tips_loader_config *config, int epoch, int index, tips_loader_scratch *scratch,
                              float *image, int32_t *label) {
    tips_image picture;
    int class = 0;
    TIPS_TRY(tips__dataset_read(config->set, config->split, index, &picture, &class));
    const tips_status status = tips__preprocess_canvas(&config->preprocess, &picture, scratch->canvas);
    tips__image_free(&picture);
    TIPS_TRY(status);
    augment(config, stream_of(config, STREAM_AUGMENT, epoch, index), scratch, image);
    *label = class;
    return TIPS_OK;
}
