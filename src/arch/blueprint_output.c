/* The end of a network: its classes, and what stands between them and the answer. */
#include "arch/blueprint.h"

#include "core/fail.h"
#include "layer/layers.h"

void tips__blueprint_skip_softmax(tips_blueprint *b) {
    if (b->program) return; /* it reads what there is */
    const tips_step *last = &b->steps[b->output];
    const bool is_softmax = last->layer == &tips__layer_softmax || last->layer == &tips__layer_log_softmax;
    if (is_softmax && last->in[0] >= 0) b->output = last->in[0];
}

static int count_readers(const tips_blueprint *b, int step) {
    int count = 0;
    for (int i = 0; i < b->n_steps; i++)
        for (int k = 0; k < b->steps[i].n_in; k++) count += b->steps[i].in[k] == step;
    return count;
}

/* Layers between the classifier and the output that work for any number of channels. */
static bool passes_channels(const tips_layer *layer) {
    return layer == &tips__layer_relu || layer == &tips__layer_global_avg || layer == &tips__layer_reshape ||
           layer == &tips__layer_softmax || layer == &tips__layer_log_softmax || layer == &tips__layer_avg_pool ||
           layer == &tips__layer_resize || layer == &tips__layer_upsample;
}

tips_status tips__blueprint_set_classes(tips_blueprint *b, int classes) {
    int at = b->output;
    if (b->classes == classes) return TIPS_OK;
    while (at >= 0 && passes_channels(b->steps[at].layer)) at = b->steps[at].in[0];
    tips_step *s = at >= 0 ? &b->steps[at] : NULL;
    const bool is_linear = s && s->layer == &tips__layer_linear, is_conv = s && s->layer == &tips__layer_conv2d;
    if ((!is_linear && !is_conv) || count_readers(b, at) > 1)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "the network answers with %d classes and the data have %d; its last layer '%s' cannot be changed",
                  b->classes, classes, s ? s->name : "input");
    if (is_linear) ((tips_linear *)s->config)->out = classes;
    else ((tips_conv2d *)s->config)->out = classes;
    b->classes = classes;
    return TIPS_OK;
}
