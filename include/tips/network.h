/* Networks: make one, run it on images, read and write its tensors.
 *
 * A network is used by one thread at a time; different networks may be used by different threads at once, and give the
 * same bits as alone. Images are plain floats in the order (n, channels, height, width), normalised by the caller. */
#ifndef TIPS_NETWORK_H
#define TIPS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tips/api.h>
#include <tips/custom_pool.h>
#include <tips/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tips_network tips_network;

/* Set everything to zero first, `tips_network_options options = {0}`: what is 0 or NULL takes the default. The texts
 * are those of the command's options and are not kept. */
typedef struct tips_network_options {
    const char *arch;    /* NULL: "resnet18"; names by tips_catalog_arch */
    const char *pool;    /* NULL: "tips-exact"; "name" or "name:key=value,...", names by tips_catalog_pool */
    const char *padding; /* NULL: "circular"; or "zero", "reflect", "replicate" */
    const char *stem;    /* NULL: "auto"; or "cifar", "imagenet" */
    int lpf;             /* low-pass filter before each operator, 2..7; 0: none */
    int channels;        /* of the input; 0: 3 */
    int height, width;   /* of the input; 0: a height of 32, a width like the height */
    int classes;         /* 0: 10 */
    int first_width;     /* channels of the first stage; 0: the architecture's own */
    int down;            /* downsampling layers; 0: the stem's usual number */
    int seed;            /* of the weights and of everything else that is drawn; 0: 1 */
    const tips_custom_pool *custom_pool; /* instead of `pool`, if not NULL; it must outlive the network */
} tips_network_options;

/* A network with random weights; `options` may be NULL. The caller destroys it. */
TIPS_API tips_status tips_network_create(const tips_network_options *options, tips_network **out) TIPS_MUST_CHECK;
TIPS_API void tips_network_destroy(tips_network *network); /* takes NULL */

/* A network from a model file, .safetensors of tips or ONNX, and into one: ONNX if its name ends in .onnx,
 * else .safetensors. Without a final softmax, if
 * the file has one. Class names and preprocessing stay with the network. */
TIPS_API tips_status tips_network_load(const char *path, tips_network **out) TIPS_MUST_CHECK;
/* Networks with a custom_pool are not saved: a file cannot hold functions. */
TIPS_API tips_status tips_network_save(const tips_network *network, const char *path) TIPS_MUST_CHECK;

/* As resolved, with every default filled in. The texts live as long as the network. Of NULL: "" and 0. */
TIPS_API const char *tips_network_arch(const tips_network *network);
TIPS_API const char *tips_network_pool(const tips_network *network);
TIPS_API int tips_network_channels(const tips_network *network);
TIPS_API int tips_network_height(const tips_network *network);
TIPS_API int tips_network_width(const tips_network *network);
TIPS_API int tips_network_classes(const tips_network *network);

/* Evaluation of n images (n, channels, height, width) to logits (n, classes), by kernels that keep exactness. The
 * logits of an image depend on neither the other images nor the number of threads. The first run with a batch size
 * prepares for it; the next ones with the same size allocate nothing. Images that are not finite fail with
 * TIPS_NUMERIC; so do logits, and values on the way to them, with the name of the first layer to blame.
 * Networks that answer for every pixel (unet, ...) are made, saved and verified, but neither run nor trained here:
 * TIPS_UNSUPPORTED; a saved one runs as a tips_segmenter. */
TIPS_API tips_status tips_network_run(tips_network *network, const float *images, int n, float *logits) TIPS_MUST_CHECK;

/* The phases that a pooling layer chose for each image of the last run: phases (n), a * 2 + b for row a and column b
 * of the 2x2 cell. Layers that choose have names such as "layer2.0.pool". */
TIPS_API tips_status tips_network_phase(const tips_network *network, const char *layer,
                                        int32_t *phases) TIPS_MUST_CHECK;

/* Sets the batch-norm statistics to their mean over a few batches of natural-like images, as tips verify does: random
 * weights then give activations like those of a trained network. */
TIPS_API tips_status tips_network_settle(tips_network *network) TIPS_MUST_CHECK;

/* Trainable numbers, running statistics not counted; 0 of NULL. */
TIPS_API size_t tips_network_parameters(const tips_network *network);

/* One tensor: a weight, a bias or a running statistic. */
typedef struct tips_tensor_info {
    const char *name;    /* "layer1.0.conv1.weight"; lives as long as the network */
    int dims[4], n_dims; /* (oc, ic, kh, kw) of a convolution, (out, in) of a linear layer */
    size_t elements;
    bool trainable;
} tips_tensor_info;

/* Tensor i, or false beyond the last. */
TIPS_API bool tips_network_tensor(const tips_network *network, int i, tips_tensor_info *out);
/* Copies in PyTorch's order; `elements` must be the tensor's. Numbers that are not finite are not taken
 * (TIPS_NUMERIC), and then the tensor stays as it was. */
TIPS_API tips_status tips_network_get(const tips_network *network, const char *name, float *values,
                                      size_t elements) TIPS_MUST_CHECK;
TIPS_API tips_status tips_network_set(tips_network *network, const char *name, const float *values,
                                      size_t elements) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
