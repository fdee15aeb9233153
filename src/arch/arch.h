/* Architectures: one model family a file, one variant a line in archs.def. An architecture never names an operator or a
 * norm: every downsampling goes through the tips_pool_spec it is given, every norm through the tips_norm_spec. */
#ifndef TIPS_ARCH_ARCH_H
#define TIPS_ARCH_ARCH_H

#include "arch/features.h"
#include "norm/norm.h"

typedef enum tips_stem { TIPS_STEM_AUTO, TIPS_STEM_CIFAR, TIPS_STEM_IMAGENET } tips_stem;
/* "auto", "cifar", "imagenet", NULL: in the order of tips_stem. */
extern const char *const tips__stem_names[];

/* own: the family's, which may flatten its last map; gap: the mean of the map and one linear layer; auto: own with the
 * imagenet stem, gap else. */
typedef enum tips_head { TIPS_HEAD_AUTO, TIPS_HEAD_OWN, TIPS_HEAD_GAP } tips_head;
extern const char *const tips__head_names[];

/* How a decoder enlarges maps. insert, follow-* and transpose: by the phases that were chosen on the way down; the
 * others not. auto: insert where the operator chooses, else as the network is published. */
typedef enum tips_up {
    TIPS_UP_AUTO,
    TIPS_UP_INSERT,
    TIPS_UP_FOLLOW_NEAREST,
    TIPS_UP_FOLLOW_BILINEAR,
    TIPS_UP_NEAREST,
    TIPS_UP_BILINEAR,
    TIPS_UP_TRANSPOSE,      /* a transposed convolution that halves the channels, moved to the phase */
    TIPS_UP_PLAIN_TRANSPOSE /* one that knows no phases */
} tips_up;
extern const char *const tips__up_names[];

struct tips_detector_ends;
struct tips_anchoring;

typedef struct tips_arch_config {
    int in_channels;           /* 3 */
    int size[2];               /* height, width */
    int classes;               /* 10 */
    int width;                 /* channels of the first stage; 0: the architecture's own (64 for ResNets, 8 for tiny) */
    double depth;              /* blocks are multiplied by it, where the family has that; 0: 1 */
    int down;                  /* downsampling layers 2..5; 0: 3 with the cifar stem, 5 with the imagenet stem */
    tips_stem stem;            /* auto: cifar up to 64 pixels, imagenet above */
    tips_head head;            /* of families with a head that depends on positions */
    double dropout, drop_path; /* in training; 0: none, negative: the family's own */
    tips_pad_mode padding;
    tips_pool_spec pool;
    tips_pool_spec other;             /* of the first `others` downsampling layers, or of the last -others */
    int others;                       /* 0: all have `pool` */
    int stem_kernel;                  /* of the first convolution; 0: the architecture's own */
    tips_norm_spec norm;              /* zeros: plain batch norm */
    const struct tips_arch *backbone; /* of segmenters and detectors; NULL: their usual one, and of all others */
    int output_stride;                /* pixels to a cell of the backbone's last map; 0: the network's own */
    int atrous; /* last stages that keep the size, their windows spread instead; follows from output_stride */
    tips_up up;
    struct tips_blueprint *blueprint; /* of tips__arch_graph, borrowed; NULL else */
} tips_arch_config;

typedef struct tips_arch {
    const char *name, *brief;
    const int *layout; /* the family's own: blocks per stage and so on */
    const char *task;  /* that it was made for; NULL: classification */
    /* Fills in width, stem and down where they are 0 or auto, and refuses what the family does not have. */
    tips_status (*resolve)(const struct tips_arch *arch, tips_arch_config *config);
    /* Adds the backbone behind `x`. */
    void (*features)(tips_graph *graph, const struct tips_arch *arch, const tips_arch_config *config, tips_value x,
                     tips_features *out);
    /* Adds the family's own classifier to its features: logits (classes, 1, 1). */
    tips_value (*classify)(tips_graph *graph, const struct tips_arch *arch, const tips_arch_config *config,
                           const tips_features *features);
    /* Adds the network's decoder: logits of every pixel, (classes, h, w) of the input. NULL: it has none. */
    tips_value (*segment)(tips_graph *graph, const struct tips_arch *arch, const tips_arch_config *config,
                          const tips_features *features);
    /* Adds the network's heads for boxes (arch/detector.h). NULL: it has none. */
    void (*detect)(tips_graph *graph, const struct tips_arch *arch, const tips_arch_config *config,
                   const tips_features *features, const struct tips_anchoring *options, struct tips_detector_ends *out);
} tips_arch;

/* The operator of the next downsampling layer of a backbone that has these levels so far. */
const tips_pool_spec *tips__pool_of_level(const tips_arch_config *config, const tips_features *features);

extern const tips_arch *const tips__archs[];                                          /* NULL-terminated */
tips_status tips__arch_find(const char *name, const tips_arch **out) TIPS_MUST_CHECK; /* suggests the nearest */

/* Fills in what is 0 or auto, and refuses sizes the network cannot take, before anything is allocated. */
tips_status tips__arch_resolve(const tips_arch *arch, tips_arch_config *config) TIPS_MUST_CHECK;

#endif
