/* The parts of the loader: augmentation, the samples of one picture, and a batch in the making. */
#ifndef TIPS_DATA_LOADER_PARTS_H
#define TIPS_DATA_LOADER_PARTS_H

#include "core/rng.h"
#include "data/loader.h"

/* Random numbers for one purpose and one picture. */
tips_rng tips__loader_stream(const tips_loader_config *config, int purpose, int epoch, int index);
/* Whether views differ in scale, so that each has a canvas of its own. */
bool tips__loader_scales(const tips_augment *augment);
/* Draws what becomes of one view of a picture. */
void tips__loader_draw(const tips_loader_config *config, int epoch, int index, int view, tips_move *move);
/* From the canvas to the input as the move says; `moved` is room for another canvas. */
void tips__loader_apply(const tips_preprocess *p, const tips_move *move, const uint8_t *canvas, uint8_t *moved,
                        float *image);

/* What one decoding thread needs for itself. */
typedef struct tips_loader_scratch {
    uint8_t *canvas, *moved; /* (height, width, channels) */
} tips_loader_scratch;

tips_status tips__loader_scratch_create(const tips_preprocess *p, tips_loader_scratch *out) TIPS_MUST_CHECK;
void tips__loader_scratch_destroy(tips_loader_scratch *scratch);

/* Reads picture `index` of the split and makes its views, images (views, c, h, w) and targets (views): a function of
 * (seed, epoch, index) only. `is_bad`: it failed, and may be passed over. */
tips_status tips__loader_item(const tips_loader_config *config, int epoch, int index, tips_loader_scratch *scratch,
                              float *images, tips_bytes *targets, bool *is_bad) TIPS_MUST_CHECK;
/* Another picture in the place of a bad one, the `attempt`-th try from 1 on. */
int tips__loader_substitute(const tips_loader_config *config, int epoch, int index, int attempt);

enum { TIPS_LOADER_TEXT = 1024 };

/* A batch in the making, or made. */
typedef struct tips_loader_slot {
    float *images;       /* (batch * views, c, h, w) */
    tips_bytes *targets; /* (batch * views); NULL without a maker */
    bool *skipped;       /* (batch) */
    int wanted, done;    /* pictures */
    tips_status status;  /* of the earliest picture that failed */
    int failed_at;
    char text[TIPS_LOADER_TEXT];
} tips_loader_slot;

/* Floats of one picture: all its views. */
size_t tips__loader_picture_size(const tips_loader_config *config);
/* A slot that fails halfway is destroyed like a whole one. */
tips_status tips__loader_slot_create(const tips_loader_config *config, tips_loader_slot *slot) TIPS_MUST_CHECK;
void tips__loader_slot_destroy(const tips_loader_config *config, tips_loader_slot *slot);
/* Notes how picture `place` went, with the text of its failure. */
void tips__loader_slot_note(tips_loader_slot *slot, int place, tips_status status);
/* Closes the gaps that skipped pictures left, and says how many samples there are. */
int tips__loader_slot_close_gaps(const tips_loader_config *config, tips_loader_slot *slot);

#endif
