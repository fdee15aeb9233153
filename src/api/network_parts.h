/* What a public network holds. */
#ifndef TIPS_API_NETWORK_PARTS_H
#define TIPS_API_NETWORK_PARTS_H

#include <tips/network.h>

#include "api/need.h"
#include "model/model_file.h"
#include "model/model_options.h"
#include "net/net.h"

/* A net compiled for n samples; NULL until needed. */
typedef struct network_net {
    tips_net *net;
    int n;
} network_net;

struct tips_network {
    tips_loaded_model own; /* for evaluation */
    tips_model training;   /* the same with a loss, so with the same parameters; made by the first training step */
    int seed;
    char pool[256];
    network_net eval, train;
    int ran;       /* samples of the last run, 0 before the first */
    uint64_t step; /* training steps so far */
};

/* Public options as the command's, with defaults filled in and ranges checked. The texts are borrowed. */
tips_status tips__network_options_read(const tips_network_options *options, tips_model_options *out) TIPS_MUST_CHECK;

/* Makes `slot` a net of `model` for n samples, if it is not one already. */
tips_status tips__network_compile(tips_network *network, const tips_model *model, bool training, int n,
                                  network_net *slot) TIPS_MUST_CHECK;

/* Refuses batches of no or of very many images. */
tips_status tips__check_batch(int n) TIPS_MUST_CHECK;
/* Refuses images (n, elements) with values that are not finite: a ReLU would turn them into zeros unseen. */
tips_status tips__check_images(const float *images, int n, size_t elements) TIPS_MUST_CHECK;
tips_status tips__network_check_images(const tips_network *network, const float *images, int n) TIPS_MUST_CHECK;

#endif
