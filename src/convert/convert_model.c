/* Loads, converts, moves the weights over, saves. */
#include "convert/convert_model.h"

#include "convert/convert_sharpness.h"
#include "convert/converted.h"
#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "export/save_as.h"
#include "layer/layers.h"
#include "model/graph_count.h"
#include "model/model_file.h"

#include <stdio.h>
#include <string.h>

const char *const tips__convert_paddings[] = {"zero", "circular", "reflect", "replicate", "keep", "advised", NULL};
const char *const tips__convert_heads[] = {"anchor", "gap", NULL};

enum { KEEP_PADDING = 4, ADVISED_PADDING };

static tips_status read_options(const tips_convert_config *config, const tips_model_info *info,
                                tips_convert_options *out) {
    const bool keep = config->padding >= KEEP_PADDING;
    *out = (tips_convert_options){.keep_padding = keep,
                                  .padding = keep ? TIPS_PAD_ZERO : (tips_pad_mode)config->padding,
                                  .gap_head = config->head == 1,
                                  .size = {info->config.size[0], info->config.size[1]}};
    return tips__pool_parse(config->pool, config->lpf, &out->pool);
}

/* What the network is better served with is found before it is converted. */
static tips_status advise(const tips_convert_config *config, const tips_loaded_model *from,
                          tips_convert_options *options, tips_convert_result *r) {
    TIPS_TRY(tips__convert_advise(from, options, &r->advice));
    if (config->padding == ADVISED_PADDING && r->advice.pictures > 0 && !r->advice.keep)
        options->keep_padding = false, options->padding = TIPS_PAD_CIRCULAR;
    r->keeps_padding = options->keep_padding;
    return TIPS_OK;
}

/* The product of the strides on the longest way down. */
static void find_multiple(const tips_blueprint *b, int out[2]) {
    out[0] = out[1] = 1;
    for (int i = 0; i < b->n_steps; i++)
        for (int k = 0; k < 2 && !b->steps[i].layer; k++)
            if (b->steps[i].shares < 0) out[k] *= b->steps[i].stride[k];
}

/* What no shift of the input moves: constants, what an anchor has rolled into place, and all that is made of these
 * alone. */
static bool stands_still(const tips_node *node, const bool *still) {
    bool all = node->n_in > 0;
    for (int k = 0; k < node->n_in; k++) all = all && still[node->in[k]];
    return all || node->layer == &tips__layer_anchor || node->layer == &tips__layer_constant;
}

/* Why a node that does not stand still breaks the symmetry: by itself, or since it meets a map that does. */
static const char *reason_of(const tips_graph *graph, const tips_node *node, const bool *still) {
    const char *reason = node->layer->breaks ? node->layer->breaks(graph, node) : NULL;
    for (int k = 0; k < node->n_in && !reason; k++) {
        const tips_value_info *in = tips__value(graph, node->in[k]);
        if (still[node->in[k]] && in->kind == TIPS_MAP && in->h * in->w > 1) reason = "position embedding";
    }
    return reason;
}

static tips_status find_break(const tips_graph *graph, tips_convert_result *r) {
    bool *still;
    TIPS_TRY(tips__new_zero(&still, (size_t)tips__graph_value_count(graph) * sizeof *still, "marks"));
    for (int i = 0; i < tips__graph_node_count(graph) && !r->still_breaks; i++) {
        const tips_node *node = tips__graph_node(graph, i);
        const bool stands = stands_still(node, still);
        const char *reason = stands ? NULL : reason_of(graph, node, still);
        for (int k = 0; k < node->n_out; k++) still[node->out[k]] = stands;
        if (!reason) continue;
        snprintf(r->breaks_layer, sizeof r->breaks_layer, "%s", node->name);
        snprintf(r->breaks_reason, sizeof r->breaks_reason, "%s", reason);
        r->still_breaks = r->breaks_layer;
    }
    tips__free(still);
    return TIPS_OK;
}

static tips_status save(const tips_convert_config *config, const tips_loaded_model *from, const tips_model_info *info,
                        tips_convert_result *r) {
    tips_converted c;
    TIPS_TRY(tips__converted_create(from, &r->conversion, info, &c));
    tips_status status = tips__convert_sharpen(&c.input, c.params);
    if (status == TIPS_OK) status = tips__model_save_as(config->out, info, c.params);
    if (status == TIPS_OK) {
        const size_t before = tips__graph_parameters(from->model.graph);
        r->parameters = tips__graph_parameters(c.model.graph);
        r->added = r->parameters > before ? r->parameters - before : 0;
        status = find_break(c.model.graph, r);
    }
    if (status == TIPS_OK && config->data)
        status = tips__convert_agree(from, &c, config->data, config->limit, &r->agreement);
    tips__converted_destroy(&c);
    return status;
}

static tips_status convert(const tips_convert_config *config, const tips_loaded_model *from, tips_convert_result *r) {
    tips_convert_options options;
    tips_model_info info = from->info; /* what it points to stays the original's, but for the blueprint */
    if (!info.config.blueprint)
        TIPS_FAIL(TIPS_INVALID,
                  "%s is a %s of tips itself: 'tips train --init %s --pool %s' puts another operator into it",
                  config->model, info.arch->name, config->model, config->pool);
    if (info.config.blueprint->program)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "%s is a detector, and detectors from elsewhere are not converted: what makes boxes of its outputs "
                  "would not follow a shift. 'tips audit %s --boxes STYLE' measures it",
                  config->model, config->model);
    TIPS_TRY(read_options(config, &info, &options));
    TIPS_TRY(advise(config, from, &options, r));
    TIPS_TRY(tips__convert(info.config.blueprint, &options, &r->conversion));
    info.config.blueprint = r->conversion.blueprint;
    info.config.pool = options.pool;
    info.config.padding = options.padding;
    memcpy(r->size, options.size, sizeof r->size);
    r->input = tips__model_input(&info);
    r->stored = info.stored;
    r->teaches = (info.task.task->flags & TIPS_TASK_LOGITS) != 0;
    tips__pool_format(&options.pool, r->pool, sizeof r->pool);
    find_multiple(r->conversion.blueprint, r->multiple);
    return save(config, from, &info, r);
}

tips_status tips__convert_model(const tips_convert_config *config, tips_convert_result *out) {
    tips_convert_result result = {0};
    tips_loaded_model from;
    TIPS_TRY(tips__keep_input(config->model, config->out));
    TIPS_TRY(tips__keep_input(config->input.labels, config->out));
    const tips_read_as as = {.size = config->input.size, .output = config->input.output, .boxes = config->input.boxes};
    TIPS_TRY(tips__model_load_as(config->model, &as, false, &from));
    tips_status status = tips__input_apply(&config->input, &from);
    if (status == TIPS_OK) status = convert(config, &from, &result);
    tips__loaded_model_destroy(&from);
    if (status != TIPS_OK) {
        tips__convert_result_free(&result);
        return status;
    }
    *out = result;
    if (out->still_breaks) out->still_breaks = out->breaks_layer;
    return TIPS_OK;
}

void tips__convert_result_free(tips_convert_result *result) { tips__conversion_free(&result->conversion); }
