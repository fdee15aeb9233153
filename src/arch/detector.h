/* What networks for detection share: a backbone under a prefix, a pyramid of its deepest levels, anchors on it, and
 * what their heads put out. */
#ifndef TIPS_ARCH_DETECTOR_H
#define TIPS_ARCH_DETECTOR_H

#include "arch/arch.h"
#include "box/anchors.h"
#include "layer/detection_layers.h"

/* How boxes end at the border of a picture. auto: circular where the padding is. */
typedef enum tips_border { TIPS_BORDER_AUTO, TIPS_BORDER_CLIP, TIPS_BORDER_CIRCULAR } tips_border;

typedef struct tips_anchoring {
    double anchor;             /* size of the smallest anchor of a level, in strides; 0: by the size of the input */
    int border;                /* tips_border */
    int candidates, proposals; /* of networks that look at regions: boxes of a level, regions of all of them */
} tips_anchoring;

/* Of each level of the pyramid: logits (shapes * classes) and codes of boxes (shapes * 4). A network that looks at
 * regions has one class there, and then logits and codes of each class and of nothing, the first, for each region. */
typedef struct tips_detector_ends {
    tips_anchors anchors;
    tips_value logits[TIPS_ANCHOR_LEVELS], boxes[TIPS_ANCHOR_LEVELS];
    tips_value origins;   /* of the levels: anchor_origins */
    tips_value proposals; /* the regions; TIPS_NO_VALUE: it does not look at any */
    tips_value region_logits, region_boxes;
} tips_detector_ends;
#define TIPS_NO_DETECTOR_ENDS                             \
    ((tips_detector_ends){.origins = TIPS_NO_VALUE,       \
                          .proposals = TIPS_NO_VALUE,     \
                          .region_logits = TIPS_NO_VALUE, \
                          .region_boxes = TIPS_NO_VALUE})

/* Fills in the backbone and what it fills in. */
tips_status tips__detector_resolve(const tips_arch *arch, tips_arch_config *config) TIPS_MUST_CHECK;
void tips__detector_features(tips_graph *graph, const tips_arch_config *config, tips_value x, tips_features *out);

/* A feature pyramid at work. */
typedef struct tips_pyramid {
    tips_graph *graph;
    const tips_arch_config *config;
    tips_features levels; /* those of the backbone, and what is added below; maps of the pyramid from `first` on */
    int first;
} tips_pyramid;

/* From the deepest level up: a 1x1 convolution of the backbone's map and the enlarged level below it are added, and a
 * 3x3 convolution follows. Of the `count` deepest levels. */
void tips__pyramid_build(tips_graph *graph, const tips_arch_config *config, const tips_features *features, int count,
                         tips_pyramid *out);
/* Another level below the last: `x`, of the last one's size, through the operator. */
void tips__pyramid_append(tips_pyramid *p, const char *name, tips_value x);
/* Channels of the pyramid: 256 where the first stage of a ResNet has 64. */
int tips__pyramid_channels(const tips_arch_config *config);
/* A convolution of a head, with a bias. */
tips_value tips__detector_conv(tips_graph *graph, const tips_arch_config *config, const char *name, tips_conv2d conv,
                               tips_value x);
/* Pictures that published sizes are too large for: those with a side below 256 pixels. */
bool tips__detector_is_small(const int size[2]);
/* Anchors on the levels, in so many sizes, and the layer that tells where they are. `published`: cells of the smallest,
 * of which half are usual for small pictures. */
void tips__pyramid_anchors(const tips_pyramid *p, const tips_anchoring *options, double published, int scales,
                           tips_detector_ends *out);

#endif
