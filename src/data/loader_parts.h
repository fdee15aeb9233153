/* The parts of the loader: one picture of a batch, and the batches ahead. */
#ifndef TIPS_DATA_LOADER_PARTS_H
#define TIPS_DATA_LOADER_PARTS_H

#include "data/loader.h"

/* What one decoding thread needs for itself. */
typedef struct tips_loader_scratch {
    uint8_t *canvas, *moved; /* (height, width, channels) */
} tips_loader_scratch;

tips_status tips__loader_scratch_create(const tips_preprocess *p, tips_loader_scratch *out) TIPS_MUST_CHECK;
void tips__loader_scratch_destroy(tips_loader_scratch *scratch);

/* Reads, augments and normalises picture `index` of the split: a function of (seed, epoch, index) only. */
tips_status tips__loader_item(const tips_loader_config *config, int epoch, int index, tips_loader_scratch *scratch,
                              float *image, int32_t *label) TIPS_MUST_CHECK;
/* Another picture in the place of a bad one, the `attempt`-th try from 1 on. */
int tips__loader_substitute(const tips_loader_config *config, int epoch, int index, int attempt);

#endif
