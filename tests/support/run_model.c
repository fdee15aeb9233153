/* Making models, and running them once for evaluation. */
#include "support/run_model.h"

#include "core/fail.h"
#include "net/net.h"
#include "support/compare.h"

tips_model_info make_info(const char *arch, const char *pool, int lpf, int size) {
    tips_model_info info;
    tips__model_info_init(&info);
    expect_ok(tips__arch_find(arch, &info.arch));
    info.config = (tips_arch_config){
        .in_channels = 3, .size = {size, size + 4}, .classes = 5, .width = 8, .padding = TIPS_PAD_CIRCULAR};
    expect_ok(tips__pool_parse(pool, lpf, &info.config.pool));
    expect_ok(tips__arch_resolve(info.arch, &info.config));
    return info;
}

test_network make_network(const tips_model_info *info, uint64_t seed) {
    test_network network;
    expect_ok(tips__model_create(info->arch, &info->config, &info->task, false, &network.model));
    expect_ok(tips__params_create(network.model.graph, seed, &network.params));
    return network;
}

void destroy_network(test_network *network) {
    tips__params_destroy(network->params);
    tips__model_destroy(&network->model);
}

static tips_status run_net(tips_net *net, const tips_model *model, const float *images, float *logits) {
    TIPS_TRY(tips__net_set_map(net, model->ends.input, images));
    TIPS_TRY(tips__net_forward(net));
    return tips__net_get_map(net, model->ends.outputs[0], logits);
}

tips_status run_model(const tips_model *model, tips_params *params, const float *images, int n, float *logits) {
    const tips_net_options options = {.n = n, .algorithm = TIPS_ALGORITHM_EXACT};
    tips_net *net;
    TIPS_TRY(tips__net_compile(model->graph, params, &options, &net));
    const tips_status status = run_net(net, model, images, logits);
    tips__net_destroy(net);
    return status;
}

void make_picture(float *out, size_t count) {
    for (uint64_t i = 0; i < count; i++) out[i] = (float)(i * 2654435761u >> 8 & 0xffff) / 32768 - 1;
}
