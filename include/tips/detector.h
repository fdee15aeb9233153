/* Detectors: a model from a file, and boxes around the things on a picture.
 *
 *     tips_detector *detector;
 *     tips_found_box boxes[100];
 *     int count;
 *     const tips_picture picture = {.pixels = rgb, .height = 480, .width = 640, .channels = 3};
 *     tips_status status = tips_detector_load("model.onnx", NULL, &detector);
 *     if (status == TIPS_OK) {
 *         status = tips_detector_answer(detector, &picture, boxes, 100, &count);
 *         if (status == TIPS_OK) printf("%d boxes\n", count);
 *         tips_detector_destroy(detector);
 *     }
 *
 * Several threads may use one detector at once; each gets the same bits as alone. */
#ifndef TIPS_DETECTOR_H
#define TIPS_DETECTOR_H

#include <stdbool.h>
#include <tips/api.h>
#include <tips/consistency.h>
#include <tips/picture.h>
#include <tips/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tips_detector tips_detector;

/* What is 0 or NULL takes the default. */
typedef struct tips_detector_options {
    int height, width; /* of the input; 0: as the file says, and a width like the height that is given */
    int kept;          /* prepared batch sizes that are kept for the next call, 1..1024; 0: 4 */
    const char *boxes; /* of an ONNX file: what its outputs mean, "yolox" or "torchvision:classes=90"; NULL: as names
                          and shapes of the outputs look */
    double shown;      /* least score of the boxes that are given and compared, 0..1; 0: as the file says, or 0.5 */
} tips_detector_options;

/* A model of tips (.safetensors) whose task is detection, or an ONNX file of a detector. `options` may be NULL. The
 * caller destroys it, when no thread uses it any more. */
TIPS_API tips_status tips_detector_load(const char *path, const tips_detector_options *options,
                                        tips_detector **out) TIPS_MUST_CHECK;
TIPS_API void tips_detector_destroy(tips_detector *detector); /* takes NULL */

/* The texts live as long as the detector. Of NULL: "" and 0. */
TIPS_API const char *tips_detector_arch(const tips_detector *detector);
TIPS_API const char *tips_detector_pool(const tips_detector *detector);
TIPS_API int tips_detector_channels(const tips_detector *detector);
TIPS_API int tips_detector_height(const tips_detector *detector);
TIPS_API int tips_detector_width(const tips_detector *detector);
TIPS_API int tips_detector_classes(const tips_detector *detector);
TIPS_API double tips_detector_shown(const tips_detector *detector);
/* The name of class i; NULL if the file gives none, or if there is no such class. */
TIPS_API const char *tips_detector_name(const tips_detector *detector, int i);

/* Pixel (y, x) covers y..y + 1 and x..x + 1. */
typedef struct tips_found_box {
    double left, top, width, height;
    double score; /* 0..1 */
    int class_index;
    const char *name; /* of the class, or NULL; lives as long as the detector */
} tips_found_box;

/* The boxes on a picture, in its pixels and cut off at its border, best first. `count` is how many there are, of which
 * the first `room` go to `boxes`, which may be NULL where room is 0. The picture is resized, placed and normalised as
 * the file says. */
TIPS_API tips_status tips_detector_answer(const tips_detector *detector, const tips_picture *picture,
                                          tips_found_box *boxes, int room, int *count) TIPS_MUST_CHECK;
/* The same preparation alone: one image (channels, height, width) for tips_detector_run. */
TIPS_API tips_status tips_detector_prepare(const tips_detector *detector, const tips_picture *picture,
                                           float *image) TIPS_MUST_CHECK;
/* The boxes on an image (channels, height, width), normalised by the caller, in its pixels. On a ring, which a model
 * with circular borders takes its input for, a box may reach beyond it and go on from the other side. */
TIPS_API tips_status tips_detector_run(const tips_detector *detector, const float *image, tips_found_box *boxes,
                                       int room, int *count) TIPS_MUST_CHECK;

/* Something that is there, in pixels of its picture. */
typedef struct tips_thing {
    double left, top, width, height;
    int class_index;
    bool crowd;  /* around several that were not told apart: boxes within count neither for nor against */
    bool ignore; /* likewise, without being a crowd */
} tips_thing;

typedef struct tips_things {
    const tips_thing *things; /* (count) */
    int count;
} tips_things;

/* How boxes change under shifts, with the shifts undone; not a number where there are none. */
typedef struct tips_flicker {
    double box_jitter;   /* how far the edges of a box move, mean over its four edges, in pixels of the input */
    double score_jitter; /* how much its score changes, in points of a hundred */
    double vanishing;    /* percent of the boxes that are shown before or after the shift, but not both */
} tips_flicker;

/* The share of shown boxes that are the same in a picture and in a shifted view of it (consistency), and of the things
 * that are there those that are found in both (fidelity). */
typedef struct tips_box_consistency {
    int pictures;
    tips_share ap, ap50, ap75;              /* of the unshifted pictures; these and the fidelities only with things */
    tips_share standard, standard_fidelity; /* shifts of up to an eighth of the size; black comes in */
    tips_share circular, circular_fidelity; /* the same, wrapped around */
    tips_flicker standard_flicker, circular_flicker;
} tips_box_consistency;

/* The measurement of tips eval, with its protocol "segment", on `count` pictures. `things` (count) and `options` may be
 * NULL. */
TIPS_API tips_status tips_detector_consistency(const tips_detector *detector, const tips_picture *pictures,
                                               const tips_things *things, int count,
                                               const tips_consistency_options *options,
                                               tips_box_consistency *out) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
