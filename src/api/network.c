/* The public network: made from options, compiled for a batch size when it is first needed, run. */
#include "api/network_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "model/open_model.h"
#include "model/settle_statistics.h"
#include "pool/pool_custom.h"

#include <math.h>
#include <string.h>

enum { MOST_SAMPLES = 65536, LIST_SIZE = 512 };

static tips_status build(tips_network *network) {
    TIPS_TRY(tips__model_create(network->own.info.arch, &network->own.info.config, &network->own.info.task, false,
                                &network->own.model));
    tips__pool_format(&network->own.info.config.pool, network->pool, sizeof network->pool);
    return tips__params_create(network->own.model.graph, (uint64_t)network->seed, &network->own.params);
}

tips_status tips_network_create(const tips_network_options *options, tips_network **out) {
    tips_model_options model;
    tips_model_info info;
    tips_network *network;
    if (!out) TIPS_FAIL(TIPS_INVALID, "there is no place for the network: out is NULL");
    TIPS_TRY(tips__network_options_read(options, &model));
    TIPS_TRY(tips__random_model_info(&model, &(tips_input_options){0}, &info));
    if (options && options->custom_pool)
        TIPS_TRY(tips__pool_custom_spec(options->custom_pool, model.lpf, &info.config.pool));
    TIPS_TRY(tips__new_zero(&network, sizeof *network, "a network"));
    *network =
        (tips_network){.own = {.info = info, .preprocess = tips__model_preprocess(&info), .model = TIPS_NO_MODEL},
                       .training = TIPS_NO_MODEL,
                       .seed = model.seed};
    const tips_status status = build(network);
    if (status != TIPS_OK) tips_network_destroy(network);
    else *out = network;
    return status;
}

void tips_network_destroy(tips_network *network) {
    if (!network) return;
    tips__net_destroy(network->eval.net);
    tips__net_destroy(network->train.net);
    tips__model_destroy(&network->training);
    tips__loaded_model_destroy(&network->own);
    tips__free(network);
}

const char *tips_network_arch(const tips_network *network) { return network ? network->own.info.arch->name : ""; }
const char *tips_network_pool(const tips_network *network) { return network ? network->pool : ""; }
int tips_network_channels(const tips_network *network) { return network ? network->own.info.config.in_channels : 0; }
int tips_network_height(const tips_network *network) { return network ? network->own.info.config.size[0] : 0; }
int tips_network_width(const tips_network *network) { return network ? network->own.info.config.size[1] : 0; }
int tips_network_classes(const tips_network *network) { return network ? network->own.info.config.classes : 0; }

tips_status tips__check_batch(int n) {
    if (n < 1 || n > MOST_SAMPLES)
        TIPS_FAIL(TIPS_RANGE, "a batch of %d images is out of range; it takes 1..%d", n, MOST_SAMPLES);
    return TIPS_OK;
}

tips_status tips__network_compile(tips_network *network, const tips_model *model, bool training, int n,
                                  network_net *slot) {
    const tips_net_options options = {.n = n,
                                      .pass = training ? tips__pass_training : tips__pass_evaluation,
                                      .algorithm = training ? TIPS_ALGORITHM_AUTO : TIPS_ALGORITHM_EXACT,
                                      .seed = (uint64_t)network->seed};
    if (slot->net && slot->n == n) return TIPS_OK;
    TIPS_TRY(tips__check_batch(n));
    /* First the old one goes: two at once would double the memory. */
    tips__net_destroy(slot->net);
    slot->net = NULL;
    slot->n = n;
    return tips__net_compile(model->graph, network->own.params, &options, &slot->net);
}

tips_status tips__check_images(const float *images, int n, size_t elements) {
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < elements; k++)
            if (!isfinite(images[(size_t)i * elements + k]))
                TIPS_FAIL(TIPS_NUMERIC, "image %d holds a value that is not a finite number", i);
    return TIPS_OK;
}

tips_status tips__network_check_images(const tips_network *network, const float *images, int n) {
    const tips_arch_config *c = &network->own.info.config;
    return tips__check_images(images, n, (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1]);
}

tips_status tips_network_run(tips_network *network, const float *images, int n, float *logits) {
    TIPS_NEED(network, "network");
    if (!images || !logits) TIPS_FAIL(TIPS_INVALID, "%s is NULL", images ? "logits" : "images");
    TIPS_TRY(tips__task_expect_logits(&network->own.info.task, "tips_network_run"));
    network->ran = 0;
    TIPS_TRY(tips__network_compile(network, &network->own.model, false, n, &network->eval));
    TIPS_TRY(tips__network_check_images(network, images, n));
    TIPS_TRY(tips__net_set_map(network->eval.net, network->own.model.ends.input, images));
    TIPS_TRY(tips__net_forward(network->eval.net));
    TIPS_TRY(tips__net_get_map(network->eval.net, network->own.model.ends.outputs[0], logits));
    network->ran = n;
    return TIPS_OK;
}

/* The phase that the node chooses, or TIPS_NO_VALUE. */
static tips_value chosen_phase(const tips_graph *graph, const tips_node *node) {
    for (int i = 0; i < node->n_out; i++)
        if (tips__is_sample_number(tips__value(graph, node->out[i]))) return node->out[i];
    return TIPS_NO_VALUE;
}

static tips_status refuse_layer(const tips_graph *graph, const char *layer) {
    char names[LIST_SIZE] = "";
    size_t length = 0;
    for (int i = 0; i < tips__graph_node_count(graph) && length < sizeof names; i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (chosen_phase(graph, node) == TIPS_NO_VALUE) continue;
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "; these do: ", node->name);
    }
    TIPS_FAIL(TIPS_UNKNOWN, "no layer '%s' chooses a phase%s", layer, length ? names : "; none of this network does");
}

tips_status tips_network_phase(const tips_network *network, const char *layer, int32_t *phases) {
    TIPS_NEED(network, "network");
    const tips_graph *graph = network->own.model.graph;
    if (!layer || !phases) TIPS_FAIL(TIPS_INVALID, "%s is NULL", layer ? "phases" : "layer");
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        const tips_value value = chosen_phase(graph, node);
        if (value == TIPS_NO_VALUE || strcmp(node->name, layer) != 0) continue;
        if (!network->ran) TIPS_FAIL(TIPS_INVALID, "the phases of '%s' are known after a run", layer);
        memcpy(phases, tips__net_index(network->eval.net, value), (size_t)network->ran * sizeof *phases);
        return TIPS_OK;
    }
    return refuse_layer(graph, layer);
}

tips_status tips_network_settle(tips_network *network) {
    TIPS_NEED(network, "network");
    return tips__settle_statistics(network->own.model.graph, network->own.params, network->own.model.ends.input,
                                   (uint64_t)network->seed);
}
