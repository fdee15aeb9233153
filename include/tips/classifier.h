/* Classifiers: a model from a file, and its answers to pictures.
 *
 *     tips_classifier *classifier;
 *     tips_answer answer;
 *     const tips_picture picture = {.pixels = rgb, .height = 480, .width = 640, .channels = 3};
 *     tips_status status = tips_classifier_load("model.onnx", NULL, &classifier);
 *     if (status == TIPS_OK) {
 *         status = tips_classifier_answer(classifier, &picture, &answer);
 *         if (status == TIPS_OK) printf("%s, %.1f %%\n", answer.name ? answer.name : "?", 100 * answer.probability);
 *         tips_classifier_destroy(classifier);
 *     }
 *
 * Several threads may use one classifier at once; each gets the same bits as alone. */
#ifndef TIPS_CLASSIFIER_H
#define TIPS_CLASSIFIER_H

#include <stdint.h>
#include <tips/api.h>
#include <tips/consistency.h>
#include <tips/picture.h>
#include <tips/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tips_classifier tips_classifier;

/* What is 0 takes the default. */
typedef struct tips_classifier_options {
    int height, width; /* of the input; 0: as the file says, and a width like the height that is given */
    int kept;          /* prepared batch sizes that are kept for the next call, 1..1024; 0: 4 */
} tips_classifier_options;

/* A model of tips (.safetensors), or an ONNX file. `options` may be NULL. The caller destroys it, when no thread uses
 * it any more. */
TIPS_API tips_status tips_classifier_load(const char *path, const tips_classifier_options *options,
                                          tips_classifier **out) TIPS_MUST_CHECK;
TIPS_API void tips_classifier_destroy(tips_classifier *classifier); /* takes NULL */

/* The texts live as long as the classifier. Of NULL: "" and 0. */
TIPS_API const char *tips_classifier_arch(const tips_classifier *classifier);
TIPS_API const char *tips_classifier_pool(const tips_classifier *classifier);
TIPS_API int tips_classifier_channels(const tips_classifier *classifier);
TIPS_API int tips_classifier_height(const tips_classifier *classifier);
TIPS_API int tips_classifier_width(const tips_classifier *classifier);
TIPS_API int tips_classifier_classes(const tips_classifier *classifier);
/* The name of class i; NULL if the file gives none, or if there is no such class. */
TIPS_API const char *tips_classifier_name(const tips_classifier *classifier, int i);

/* n images (n, channels, height, width), normalised by the caller, to logits (n, classes): as tips_network_run, and
 * before a final softmax if the network has one. */
TIPS_API tips_status tips_classifier_run(const tips_classifier *classifier, const float *images, int n,
                                         float *logits) TIPS_MUST_CHECK;

typedef struct tips_answer {
    int index;          /* of the class with the largest logit, the lowest of equals */
    double probability; /* 0..1 */
    const char *name;   /* NULL if unknown; lives as long as the classifier */
} tips_answer;

/* The picture is resized, cropped and normalised as the file says. `probabilities` (classes) may be NULL. */
TIPS_API tips_status tips_classifier_answer(const tips_classifier *classifier, const tips_picture *picture,
                                            tips_answer *out) TIPS_MUST_CHECK;
TIPS_API tips_status tips_classifier_probabilities(const tips_classifier *classifier, const tips_picture *picture,
                                                   tips_answer *out, double *probabilities) TIPS_MUST_CHECK;
/* The same preparation alone: one image (channels, height, width) for tips_classifier_run. */
TIPS_API tips_status tips_classifier_prepare(const tips_classifier *classifier, const tips_picture *picture,
                                             float *image) TIPS_MUST_CHECK;

/* How often the answers to two shifted views of a picture agree (consistency), and agree and are right (fidelity). */
typedef struct tips_consistency {
    int pictures;
    tips_share accuracy;                    /* of the unshifted pictures; this and the fidelities only with labels */
    tips_share standard, standard_fidelity; /* shifts of up to an eighth of the size; black comes in */
    tips_share circular, circular_fidelity; /* the same, wrapped around */
} tips_consistency;

/* The measurement of tips eval, with its protocol "tips", on `count` pictures. `labels` (count) and `options` may be
 * NULL. */
TIPS_API tips_status tips_classifier_consistency(const tips_classifier *classifier, const tips_picture *pictures,
                                                 const int32_t *labels, int count,
                                                 const tips_consistency_options *options,
                                                 tips_consistency *out) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
