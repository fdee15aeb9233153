/* Batches for training and evaluation, decoded ahead by threads of their own.
 * Order and augmentation depend only on (seed, epoch, index), never on timing or threads. */
#ifndef TIPS_DATA_LOADER_H
#define TIPS_DATA_LOADER_H

#include "data/dataset.h"

typedef enum tips_shift_kind {
    TIPS_SHIFT_NONE,
    TIPS_SHIFT_STANDARD,
    TIPS_SHIFT_CIRCULAR,
    TIPS_SHIFT_BOTH
} tips_shift_kind;
extern const char *const tips__shift_kind_names[]; /* "none", "standard", "circular", "both", NULL */

/* From a decoded picture to the network's input: resize (antialiased, Pillow's bilinear) so that it fits, crop the
 * centre, pad with black to height x width, [augment], normalise. */
typedef struct tips_preprocess {
    int height, width, channels; /* the network's input */
    int resize;            /* shorter side before the crop; 0: straight to the input's size, aspect kept by a crop */
    bool fit_inside;       /* smaller pictures are centred on black instead of enlarged (28 on 32) */
    bool bgr;              /* channels are blue, green, red */
    float mean[3], std[3]; /* of values in 0..1, in the order of the channels */
} tips_preprocess;

typedef struct tips_augment {
    bool flip; /* half of the pictures, left to right */
    int crop;  /* pad by this many pixels and crop at random */
    int shift; /* tips_shift_kind: up to an eighth of the size */
} tips_augment;

/* One picture as floats (channels, height, width), shifted by (dy, dx) on the canvas before normalising. */
tips_status tips__preprocess(const tips_preprocess *p, const tips_image *picture, int dy, int dx, bool circular,
                             float *out) TIPS_MUST_CHECK;
/* The canvas alone: bytes (height, width, channels), for callers that shift many times. */
tips_status tips__preprocess_canvas(const tips_preprocess *p, const tips_image *picture,
                                    uint8_t *canvas) TIPS_MUST_CHECK;
void tips__canvas_to_input(const tips_preprocess *p, const uint8_t *canvas, int dy, int dx, bool circular, float *out);

typedef struct tips_loader_config {
    tips_dataset *set;
    tips_split split;
    tips_preprocess preprocess;
    tips_augment augment;
    int batch;
    bool shuffle;
    bool drop_last;
    uint64_t seed;
    int workers; /* decoding threads, 1 if 0 */
} tips_loader_config;

typedef struct tips_loader tips_loader;
tips_status tips__loader_create(const tips_loader_config *config, tips_loader **out) TIPS_MUST_CHECK;
void tips__loader_destroy(tips_loader *loader);
int tips__loader_batches(const tips_loader *loader); /* per epoch */
/* Starts an epoch at a batch (for resuming). */
tips_status tips__loader_start(tips_loader *loader, int epoch, int first_batch) TIPS_MUST_CHECK;
/* The next batch, valid until the next call: images (n, c, h, w). n = 0 at the end of the epoch. Where the dataset
 * skips bad pictures, a batch has fewer of them, or with drop_last others in their place. */
tips_status tips__loader_next(tips_loader *loader, int *n, const float **images,
                              const int32_t **labels) TIPS_MUST_CHECK;
/* Seconds the caller has waited for batches so far. */
double tips__loader_stall(const tips_loader *loader);

#endif
