/* One training step of a public network. */
#include <tips/train.h>

#include "api/network_parts.h"

#include "core/fail.h"
#include "optimizer/optimizer.h"

#include <math.h>

static const tips_optimizer_spec sgd = {.optimizer = &tips__optimizer_sgd};

tips_train_options tips_train_defaults(void) {
    return (tips_train_options){.lr = 0.05, .momentum = 0.9, .weight_decay = 1e-4, .alpha = 0.35, .undo = true};
}

static tips_status check_number(const char *name, double value, double most) {
    if (!(value >= 0 && value <= most && isfinite(value)))
        TIPS_FAIL(TIPS_RANGE, "%s of %g is out of range; it takes numbers from 0 %s", name, value,
                  most <= 1 ? "to 1" : "up");
    return TIPS_OK;
}

static tips_status check_options(const tips_train_options *o) {
    TIPS_TRY(check_number("a learning rate", o->lr, INFINITY));
    TIPS_TRY(check_number("a momentum", o->momentum, 1));
    TIPS_TRY(check_number("a weight decay", o->weight_decay, INFINITY));
    return check_number("an alpha", o->alpha, 1);
}

static tips_status check_labels(const tips_network *network, const int32_t *labels, int n) {
    const int classes = network->own.info.config.classes;
    for (int i = 0; i < n; i++)
        if (labels[i] < 0 || labels[i] >= classes)
            TIPS_FAIL(TIPS_RANGE, "label %d of image %d is not in 0..%d", (int)labels[i], i, classes - 1);
    return TIPS_OK;
}

static tips_status prepare(tips_network *network, int n) {
    if (!network->training.graph)
        TIPS_TRY(tips__model_create(network->own.info.arch, &network->own.info.config, &network->own.info.task, true,
                                    &network->training));
    TIPS_TRY(tips__optimizer_prepare(sgd.optimizer, network->own.params));
    return tips__network_compile(network, &network->training, true, n, &network->train);
}

static tips_status put_batch(tips_network *network, const float *images, const int32_t *labels) {
    TIPS_TRY(tips__net_set_map(network->train.net, network->training.ends.input, images));
    return tips__net_set_index(network->train.net, network->training.ends.targets[0], labels);
}

static tips_status update(tips_network *network, const tips_train_options *o) {
    tips_net *net = network->train.net;
    const tips_learning learning = {
        .lr = o->lr, .momentum = o->momentum, .weight_decay = o->weight_decay, .step = network->step};
    tips__net_set_weights(net, (tips_loss_weights){.task = 1 - o->alpha, .undo = o->undo ? o->alpha : 0, .fm = 1});
    tips__net_set_relative_undo(net, network->own.info.config.blueprint != NULL); /* of any scale */
    tips__net_set_step(net, network->step);
    TIPS_TRY(tips__net_forward(net));
    if (!isfinite(tips__net_losses(net).total))
        TIPS_FAIL(TIPS_NUMERIC, "the loss of step %llu is not a finite number; a smaller learning rate may help",
                  (unsigned long long)network->step);
    TIPS_TRY(tips__net_backward(net));
    tips__optimizer_step(&sgd, network->own.params, &learning);
    network->step++;
    return TIPS_OK;
}

tips_status tips_network_train_step(tips_network *network, const float *images, const int32_t *labels, int n,
                                    const tips_train_options *options, tips_losses *losses) {
    const tips_train_options o = options ? *options : tips_train_defaults();
    TIPS_NEED(network, "network");
    if (!images || !labels) TIPS_FAIL(TIPS_INVALID, "%s is NULL", images ? "labels" : "images");
    TIPS_TRY(tips__task_expect_logits(&network->own.info.task, "tips_network_train_step"));
    TIPS_TRY(check_options(&o));
    TIPS_TRY(prepare(network, n));
    TIPS_TRY(check_labels(network, labels, n));
    TIPS_TRY(tips__network_check_images(network, images, n));
    TIPS_TRY(put_batch(network, images, labels));
    TIPS_TRY(update(network, &o));
    if (losses) *losses = tips__net_losses(network->train.net);
    return TIPS_OK;
}
