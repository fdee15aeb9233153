/* Making a network for a task. */
#include "task/model.h"

#include "core/fail.h"
#include "layer/layers.h"

static void build(tips_model *m, const tips_arch *arch, const tips_arch_config *config, bool training) {
    const tips_task *task = m->assignment.spec.task;
    tips_features features;
    m->ends.input = tips__graph_input(m->graph, "input", config->in_channels, config->size[0], config->size[1]);
    arch->features(m->graph, arch, config, m->ends.input, &features);
    m->backbone_params = tips__graph_param_count(m->graph);
    task->head(&m->assignment, m->graph, arch, config, &features, &m->ends);
    for (int i = 0; i < m->ends.n_outputs; i++) tips__graph_output(m->graph, m->ends.outputs[i]);
    if (training) task->loss(&m->assignment, m->graph, &m->ends);
}

static bool has_layer(const tips_graph *graph, const tips_layer *layer) {
    for (int i = 0; i < tips__graph_node_count(graph); i++)
        if (tips__graph_node(graph, i)->layer == layer) return true;
    return false;
}

/* A probability that nothing in the network has a place for was not meant for it. */
static tips_status check_dropping(const tips_model *model, const tips_arch *arch, const tips_arch_config *config) {
    if (config->dropout > 0 && !has_layer(model->graph, &tips__layer_dropout))
        TIPS_FAIL(TIPS_INVALID, "%s in this form has no dropout: --dropout %g", arch->name, config->dropout);
    if (config->drop_path > 0 && !has_layer(model->graph, &tips__layer_drop_path))
        TIPS_FAIL(TIPS_INVALID, "%s has no stochastic depth: --drop-path %g", arch->name, config->drop_path);
    return TIPS_OK;
}

tips_status tips__model_create(const tips_arch *arch, const tips_arch_config *config, const tips_task_spec *task,
                               bool training, tips_model *out) {
    tips_arch_config filled = *config;
    tips_model model = TIPS_NO_MODEL;
    TIPS_TRY(tips__arch_resolve(arch, &filled));
    if (!training) filled.dropout = filled.drop_path = 0;
    TIPS_TRY(tips__graph_create(&model.graph));
    model.assignment = (tips_assignment){.spec = task ? *task : tips__task_default(),
                                         .classes = filled.classes,
                                         .size = {filled.size[0], filled.size[1]},
                                         .blueprint = filled.blueprint};
    build(&model, arch, &filled, training);
    tips_status status = tips__graph_status(model.graph);
    if (status == TIPS_OK) status = check_dropping(&model, arch, &filled);
    if (status != TIPS_OK) {
        tips__graph_destroy(model.graph);
        return status;
    }
    *out = model;
    return TIPS_OK;
}

tips_status tips__model_teach(tips_model *model, double weight, double temperature) {
    const tips_value student = model->ends.outputs[0];
    const tips_value_info logits = *tips__value(model->graph, student);
    const tips_distill config = {temperature};
    TIPS_TRY(tips__task_expect_logits(&model->assignment.spec, "a teacher"));
    model->ends.teacher = tips__graph_input(model->graph, "teacher", logits.c, logits.h, logits.w);
    const tips_value loss = tips__graph_add(model->graph, &tips__layer_distill, "teaching", &config,
                                            (const tips_value[]){student, model->ends.teacher}, 2);
    tips__graph_weigh_losses(model->graph, 1 - weight);
    tips__graph_loss(model->graph, loss, weight);
    return tips__graph_status(model->graph);
}

void tips__model_destroy(tips_model *model) {
    if (!model) return;
    tips__graph_destroy(model->graph);
    *model = TIPS_NO_MODEL;
}
