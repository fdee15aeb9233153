/* Realistic batch-norm statistics for random weights: the mean over a few batches of natural-like images, which pass
 * forward as in training. */
#include "model/settle_statistics.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/natural_image.h"
#include "net/net.h"

enum { BATCH = 8, PASSES = 3 };
enum { STREAM_CALIBRATION = 11 };

static bool has_statistics(const tips_graph *graph) {
    for (int i = 0; i < tips__graph_param_count(graph); i++)
        if (!tips__graph_param(graph, i)->trainable) return true;
    return false;
}

/* With momentum 1/k in pass k the running statistics are the mean over the passes. */
static tips_status run_passes(tips_net *net, const tips_graph *graph, tips_value input, uint64_t seed, float *batch) {
    const tips_value_info *info = tips__value(graph, input);
    const size_t elements = (size_t)info->c * (size_t)info->h * (size_t)info->w;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < BATCH; i++) {
            const uint64_t image = tips__rng_mix(seed, tips__rng_mix(STREAM_CALIBRATION, (uint64_t)(pass * BATCH + i)));
            tips__natural_image(image, info->c, info->h, info->w, batch + (size_t)i * elements);
        }
        for (size_t i = 0; i < BATCH * elements; i++) batch[i] = (batch[i] - 0.5f) * 4;
        tips__net_set_momentum(net, 1.0 / (pass + 1));
        tips__net_set_step(net, (uint64_t)pass);
        TIPS_TRY(tips__net_set_map(net, input, batch));
        TIPS_TRY(tips__net_forward(net));
    }
    return TIPS_OK;
}

tips_status tips__settle_statistics(const tips_graph *graph, tips_params *params, tips_value input, uint64_t seed) {
    if (!has_statistics(graph)) return TIPS_OK;
    const tips_value_info *info = tips__value(graph, input);
    const tips_net_options options = {.n = BATCH,
                                      .pass = {.batch_statistics = true, .sampling = true},
                                      .algorithm = TIPS_ALGORITHM_EXACT,
                                      .seed = seed};
    tips_net *net = NULL;
    float *batch = NULL;
    tips_status status = tips__net_compile(graph, params, &options, &net);
    if (status == TIPS_OK)
        status =
            tips__new(&batch, BATCH * sizeof *batch * (size_t)info->c * (size_t)info->h * (size_t)info->w, "images");
    if (status == TIPS_OK) status = run_passes(net, graph, input, seed, batch);
    tips__free(batch);
    tips__net_destroy(net);
    return status;
}
