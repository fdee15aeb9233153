/* Segmenters: a model from a file, and a class for every pixel of a picture.
 *
 *     tips_segmenter *segmenter;
 *     static uint8_t mask[480 * 640];
 *     const tips_picture picture = {.pixels = rgb, .height = 480, .width = 640, .channels = 3};
 *     tips_status status = tips_segmenter_load("model.onnx", NULL, &segmenter);
 *     if (status == TIPS_OK) {
 *         status = tips_segmenter_answer(segmenter, &picture, mask);
 *         if (status == TIPS_OK) printf("the middle is of class %d\n", mask[240 * 640 + 320]);
 *         tips_segmenter_destroy(segmenter);
 *     }
 *
 * Several threads may use one segmenter at once; each gets the same bits as alone. */
#ifndef TIPS_SEGMENTER_H
#define TIPS_SEGMENTER_H

#include <stdint.h>
#include <tips/api.h>
#include <tips/consistency.h>
#include <tips/picture.h>
#include <tips/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tips_segmenter tips_segmenter;

/* What is 0 takes the default. */
typedef struct tips_segmenter_options {
    int height, width; /* of the input; 0: as the file says, and a width like the height that is given */
    int kept;          /* prepared batch sizes that are kept for the next call, 1..1024; 0: 4 */
} tips_segmenter_options;

/* A model of tips (.safetensors) whose task is segmentation, or an ONNX file of such a network. `options` may be NULL.
 * The caller destroys it, when no thread uses it any more. */
TIPS_API tips_status tips_segmenter_load(const char *path, const tips_segmenter_options *options,
                                         tips_segmenter **out) TIPS_MUST_CHECK;
TIPS_API void tips_segmenter_destroy(tips_segmenter *segmenter); /* takes NULL */

/* The texts live as long as the segmenter. Of NULL: "" and 0. */
TIPS_API const char *tips_segmenter_arch(const tips_segmenter *segmenter);
TIPS_API const char *tips_segmenter_pool(const tips_segmenter *segmenter);
TIPS_API int tips_segmenter_channels(const tips_segmenter *segmenter);
TIPS_API int tips_segmenter_height(const tips_segmenter *segmenter);
TIPS_API int tips_segmenter_width(const tips_segmenter *segmenter);
TIPS_API int tips_segmenter_classes(const tips_segmenter *segmenter);
/* The name of class i; NULL if the file gives none, or if there is no such class. */
TIPS_API const char *tips_segmenter_name(const tips_segmenter *segmenter, int i);
/* Red, green and blue of value i of a mask, 0..255: the file's colours, else Pascal VOC's; lives as long as the
 * segmenter. NULL if there is no such value. */
TIPS_API const uint8_t *tips_segmenter_colour(const tips_segmenter *segmenter, int i);

/* n images (n, channels, height, width), normalised by the caller, to logits (n, classes, height, width): before a
 * final softmax if the network has one. */
TIPS_API tips_status tips_segmenter_run(const tips_segmenter *segmenter, const float *images, int n,
                                        float *logits) TIPS_MUST_CHECK;

/* The class of every pixel into `mask` (picture->height, picture->width): the largest logit, the lowest of equals. The
 * picture is resized, cropped and normalised as the file says, and the answer brought back to its size by nearest
 * neighbour; 255 where the picture was cut off. */
TIPS_API tips_status tips_segmenter_answer(const tips_segmenter *segmenter, const tips_picture *picture,
                                           uint8_t *mask) TIPS_MUST_CHECK;
/* The same preparation alone: one image (channels, height, width) for tips_segmenter_run. */
TIPS_API tips_status tips_segmenter_prepare(const tips_segmenter *segmenter, const tips_picture *picture,
                                            float *image) TIPS_MUST_CHECK;

/* The share of pixels, of those that both views show, that have the same class in a picture and in a shifted view of it
 * (consistency), and of the labelled ones among them those that are right in both (fidelity). */
typedef struct tips_mask_consistency {
    int pictures;
    tips_share miou, miou_foreground, pixel_accuracy; /* of the unshifted pictures; these and the fidelities only with
                                                         masks; the second without class 0 */
    tips_share standard, standard_fidelity;           /* shifts of up to an eighth of the size; black comes in */
    tips_share circular, circular_fidelity;           /* the same, wrapped around */
} tips_mask_consistency;

/* The measurement of tips eval, with its protocol "segment", on `count` pictures. `masks` (count), each (height, width)
 * of its picture with classes and 255 for what is ignored, and `options` may be NULL. */
TIPS_API tips_status tips_segmenter_consistency(const tips_segmenter *segmenter, const tips_picture *pictures,
                                                const uint8_t *const *masks, int count,
                                                const tips_consistency_options *options,
                                                tips_mask_consistency *out) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
