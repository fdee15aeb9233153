/* Networks for tests. */
#include "support/arch_models.h"

#include "graph/params.h"
#include "support/compare.h"

tips_arch_config arch_config(const char *pool, int height, int width, int classes) {
    tips_arch_config config = {
        .in_channels = 3, .size = {height, width}, .classes = classes, .padding = TIPS_PAD_CIRCULAR};
    expect_ok(tips__pool_parse(pool, 0, &config.pool));
    return config;
}

tips_status try_arch_model(const char *name, const tips_arch_config *config, bool training, tips_model *out) {
    const tips_arch *arch;
    tips_task_spec task;
    expect_ok(tips__arch_find(name, &arch));
    expect_ok(tips__task_parse(arch->task, &task));
    return tips__model_create(arch, config, &task, training, out);
}

tips_model arch_model(const char *name, const tips_arch_config *config, bool training) {
    tips_model model;
    if (try_arch_model(name, config, training, &model) != TIPS_OK) fail_msg("%s: %s", name, tips_last_error());
    return model;
}

size_t trainable_numbers(const tips_graph *graph) {
    size_t sum = 0;
    for (int i = 0; i < tips__graph_param_count(graph); i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        if (spec->trainable) sum += tips__param_elements(spec);
    }
    return sum;
}
