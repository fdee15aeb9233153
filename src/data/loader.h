/* Batches for training and evaluation, decoded ahead by threads of their own.
 * Order and augmentation depend only on (seed, epoch, index), never on timing or threads. */
#ifndef TIPS_DATA_LOADER_H
#define TIPS_DATA_LOADER_H

#include "core/bytes.h"
#include "data/dataset.h"
#include "image/preprocess.h"

typedef enum tips_shift_kind {
    TIPS_SHIFT_NONE,
    TIPS_SHIFT_STANDARD,
    TIPS_SHIFT_CIRCULAR,
    TIPS_SHIFT_BOTH
} tips_shift_kind;
extern const char *const tips__shift_kind_names[]; /* "none", "standard", "circular", "both", NULL */

/* How several views of a picture differ. apart: each has an augmentation of its own. shifted: they are flipped, cropped
 * and scaled alike; the first is not shifted, the others down and to the right by up to an eighth of the size. */
typedef enum tips_view_kind { TIPS_VIEWS_APART, TIPS_VIEWS_SHIFTED } tips_view_kind;
extern const char *const tips__view_kind_names[]; /* "apart", "shifted", NULL */

typedef struct tips_augment {
    bool flip;    /* half of the pictures, left to right */
    int crop;     /* pad by this many pixels and crop at random */
    int shift;    /* tips_shift_kind: up to an eighth of the size */
    double scale; /* resize by 1/scale..scale more, and put it anywhere; 0 or 1: not at all */
    int views;    /* tips_view_kind */
} tips_augment;
/* Whether two views of a picture can differ. */
bool tips__augment_tells_views_apart(const tips_augment *augment);

/* What makes the target of a sample, that is what the network is to learn from it, of any shape. */
typedef struct tips_target_maker {
    unsigned needs; /* TIPS_ANNOTATES_* */
    /* From what is needed of the annotation, with the size of the picture, and where its pixels went. `target` comes
     * empty, with the memory of an earlier one. Several threads call it at once. */
    tips_status (*make)(const void *context, const tips_annotation *annotation, const tips_move *move,
                        tips_bytes *target);
    const void *context;
} tips_target_maker;

typedef struct tips_loader_config {
    tips_dataset *set;
    tips_split split;
    tips_preprocess preprocess;
    tips_augment augment;
    tips_target_maker maker; /* `make` NULL: no targets */
    int batch;               /* pictures */
    int views;               /* samples that a picture gives; 1 if 0 */
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
/* The views of a picture are samples in a row. */
typedef struct tips_batch {
    int n;                     /* samples */
    const float *images;       /* (n, c, h, w) */
    const tips_bytes *targets; /* (n), each of a size of its own; NULL without a maker */
} tips_batch;

/* The next batch, valid until the next call. n = 0 at the end of the epoch. Where the dataset skips bad pictures, a
 * batch has fewer of them, or with drop_last others in their place. A target that cannot be made is an error. */
tips_status tips__loader_next(tips_loader *loader, tips_batch *out) TIPS_MUST_CHECK;
/* Seconds the caller has waited for batches so far. */
double tips__loader_stall(const tips_loader *loader);

#endif
