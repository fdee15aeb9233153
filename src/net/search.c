/* Looking for what rang the alarm: each sample again, alone, in a net where nothing is fused and every layer is
 * checked. */
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>

static size_t sample_elements(const tips_value_info *v) {
    return (size_t)v->per_sample * (size_t)v->c * (size_t)v->h * (size_t)v->w;
}

/* One sample of an input; inputs live as long as the net. */
static tips_status copy_input(const tips_net *from, tips_net *to, tips_value value, int sample) {
    const tips_value_info *info = &from->graph->values[value];
    const size_t elements = sample_elements(info);
    float *plain;
    if (info->kind == TIPS_INDEX)
        return tips__net_set_index(to, value, tips__net_index(from, value) + (size_t)sample * elements);
    TIPS_TRY(tips__new(&plain, (size_t)from->options.n * elements * sizeof *plain, "an input"));
    tips_status status = tips__net_get_map(from, value, plain);
    if (status == TIPS_OK) status = tips__net_set_map(to, value, plain + (size_t)sample * elements);
    tips__free(plain);
    return status;
}

static tips_status copy_inputs(const tips_net *from, tips_net *to, int sample) {
    for (int v = 0; v < from->graph->n_values; v++)
        if (from->graph->values[v].producer < 0) TIPS_TRY(copy_input(from, to, v, sample));
    return TIPS_OK;
}

static tips_status search_samples(const tips_net *net, tips_net *probe) {
    tips__net_check(probe, true);
    for (int i = 0; i < net->options.n; i++) {
        char which[48];
        TIPS_TRY(copy_inputs(net, probe, i));
        const tips_status status = tips__net_forward(probe);
        snprintf(which, sizeof which, "input %d of %d", i + 1, net->options.n);
        if (status == TIPS_NUMERIC && net->options.n > 1) return tips__fail_within(status, which);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

tips_status tips__net_search(tips_net *net) {
    tips_net_options options = net->options;
    tips_net *probe = NULL;
    options.n = 1;
    options.keep_all = true;
    tips_status status = tips__net_compile(net->graph, net->params, &options, &probe);
    if (status == TIPS_OK) status = search_samples(net, probe);
    tips__net_destroy(probe);
    TIPS_TRY(status);
    net->false_alarms++;
    return tips__net_check_outputs(net);
}
