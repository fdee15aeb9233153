/* The table of architectures: finding one, checking its config, making a whole network from it. */
#include "arch/blueprint.h"
#include "arch/resnet.h"
#include "core/fail.h"
#include "layer/layers.h"

#include <string.h>

const char *const tips__stem_names[] = {"auto", "cifar", "imagenet", NULL};

#define TIPS_ARCH(id, family, text, ...)                                     \
    static const int layout_##id[] = {__VA_ARGS__};                          \
    static const tips_arch arch_##id = {.name = #id,                         \
                                        .brief = text,                       \
                                        .layout = layout_##id,               \
                                        .resolve = tips__##family##_resolve, \
                                        .build = tips__##family##_build};
#include "arch/archs.def"
#undef TIPS_ARCH

#define TIPS_ARCH(id, ...) &arch_##id,
const tips_arch *const tips__archs[] = {
#include "arch/archs.def"
    NULL};
#undef TIPS_ARCH

#define TIPS_ARCH(id, ...) #id,
static const char *const names[] = {
#include "arch/archs.def"
    NULL};
#undef TIPS_ARCH

enum { LIST_SIZE = 512 };

static void list_names(char *out, size_t size) {
    size_t length = 0;
    for (int i = 0; names[i] && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? ", " : "", names[i]);
}

tips_status tips__arch_find(const char *name, const tips_arch **out) {
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *out = tips__archs[i];
        return TIPS_OK;
    }
    if (strcmp(name, tips__arch_graph.name) == 0) { /* not in the table: it cannot be chosen without a file */
        *out = &tips__arch_graph;
        return TIPS_OK;
    }
    char all[LIST_SIZE];
    list_names(all, sizeof all);
    const char *nearest = tips__nearest(names, name);
    if (!nearest) TIPS_FAIL(TIPS_UNKNOWN, "unknown architecture '%s'; there are %s", name, all);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown architecture '%s'; did you mean '%s'? There are %s", name, nearest, all);
}

static tips_status check_range(const char *what, int value, int least, int most) {
    if (value < least || value > most)
        TIPS_FAIL(TIPS_RANGE, "%s %d is out of range; it takes %d..%d", what, value, least, most);
    return TIPS_OK;
}

/* Every downsampling layer needs two cells to choose from on each axis. */
static tips_status check_size(const tips_arch *arch, const tips_arch_config *config) {
    if (tips__pool_traits(&config->pool) & TIPS_POOL_IDENTITY || config->down == 0) return TIPS_OK;
    const int least = (1 << (config->down - 1)) + 1;
    if (config->size[0] >= least && config->size[1] >= least) return TIPS_OK;
    TIPS_FAIL(TIPS_RANGE, "an input of %dx%d is too small for %s with %d downsampling layers; it takes at least %dx%d",
              config->size[0], config->size[1], arch->name, config->down, least, least);
}

tips_status tips__arch_resolve(const tips_arch *arch, tips_arch_config *config) {
    tips_arch_config filled = *config;
    TIPS_TRY(check_range("a height of", config->size[0], 1, 4096));
    TIPS_TRY(check_range("a width of", config->size[1], 1, 4096));
    TIPS_TRY(check_range("a number of classes of", config->classes, 1, 100000));
    TIPS_TRY(check_range("a number of input channels of", config->in_channels, 1, 64));
    TIPS_TRY(arch->resolve(arch, &filled));
    TIPS_TRY(check_range("a first stage of width", filled.width, 1, 1024));
    TIPS_TRY(check_size(arch, &filled));
    *config = filled;
    return TIPS_OK;
}

static void add_loss(tips_model *model) {
    const tips_cross_entropy config = {0};
    model->label = tips__graph_index_input(model->graph, "label");
    model->loss = tips__graph_add(model->graph, &tips__layer_cross_entropy, "loss", &config,
                                  (const tips_value[]){model->logits, model->label}, 2);
    tips__graph_loss(model->graph, model->loss, 1);
}

tips_status tips__model_create(const tips_arch *arch, const tips_arch_config *config, bool training, tips_model *out) {
    tips_arch_config filled = *config;
    tips_model model = TIPS_NO_MODEL;
    TIPS_TRY(tips__arch_resolve(arch, &filled));
    TIPS_TRY(tips__graph_create(&model.graph));
    model.input = tips__graph_input(model.graph, "input", filled.in_channels, filled.size[0], filled.size[1]);
    model.logits = arch->build(model.graph, arch, &filled, model.input);
    tips__graph_output(model.graph, model.logits);
    if (training) add_loss(&model);
    const tips_status status = tips__graph_status(model.graph);
    if (status != TIPS_OK) {
        tips__graph_destroy(model.graph);
        return status;
    }
    *out = model;
    return TIPS_OK;
}

tips_status tips__model_teach(tips_model *model, double weight, double temperature) {
    const tips_value_info logits = *tips__value(model->graph, model->logits);
    const tips_distill config = {temperature};
    model->teacher = tips__graph_input(model->graph, "teacher", logits.c, logits.h, logits.w);
    const tips_value loss = tips__graph_add(model->graph, &tips__layer_distill, "teaching", &config,
                                            (const tips_value[]){model->logits, model->teacher}, 2);
    tips__graph_weigh_losses(model->graph, 1 - weight);
    tips__graph_loss(model->graph, loss, weight);
    return tips__graph_status(model->graph);
}

void tips__model_destroy(tips_model *model) {
    if (!model) return;
    tips__graph_destroy(model->graph);
    *model = TIPS_NO_MODEL;
}
