/* The parts of transformers.
 *
 * Patches are a downsampling, and the configured operator decides where their grid begins. An operator that chooses a
 * phase is placed on the map that is cut, and the map is rolled to the phase it chose: every pixel goes into some
 * patch, so nothing of the operator's output but its choice is needed, and the convolution runs on the grid alone. An
 * operator that only keeps a fixed grid is the strided convolution itself. Any other follows a dense one. */
#include "arch/transformer.h"

#include "core/fail.h"

#include <math.h>
#include <stdio.h>

tips_status tips__transformer_resolve(const tips_arch *arch, tips_arch_config *config, bool is_small) {
    const tips_stem stem = is_small ? TIPS_STEM_CIFAR : TIPS_STEM_IMAGENET;
    if (config->stem != TIPS_STEM_AUTO && config->stem != stem)
        TIPS_FAIL(TIPS_INVALID, "%s has the %s stem only", arch->name, tips__stem_names[stem]);
    config->stem = stem;
    TIPS_TRY(tips__no_depth(arch, config));
    if (!tips__norm_is_plain(&config->norm))
        TIPS_FAIL(TIPS_INVALID, "%s has layer norms of its own and takes no other", arch->name);
    if (tips__pool_traits(&config->pool) & TIPS_POOL_IDENTITY)
        TIPS_FAIL(TIPS_INVALID, "%s cuts its input into patches; an operator that does not downsample has none",
                  arch->name);
    return TIPS_OK;
}

bool tips__transformer_is_anchored(const tips_arch_config *config) {
    return tips__pool_traits(&config->pool) & TIPS_POOL_EXACT;
}

double tips__block_drop_path(const tips_arch_config *config, double own, int block, int blocks) {
    const double last = config->drop_path < 0 ? own : config->drop_path;
    return blocks > 1 ? last * block / (blocks - 1) : last;
}

static const char *join(char out[TIPS_TRANSFORMER_NAME], const tips_transformer *t, const char *name) {
    snprintf(out, TIPS_TRANSFORMER_NAME, "%s%s", t->prefix, name);
    return out;
}

static tips_value add_one(const tips_transformer *t, const tips_layer *layer, const char *name, const void *config,
                          tips_value x) {
    char full[TIPS_TRANSFORMER_NAME];
    return tips__graph_add(t->graph, layer, join(full, t, name), config, &x, 1);
}

tips_value tips__token_norm(const tips_transformer *t, const char *name, tips_value x) {
    return add_one(t, &tips__layer_layer_norm, name, &(tips_layer_norm){t->eps}, x);
}

/* Glorot's initialisation, as torchvision has it. */
tips_value tips__token_linear(const tips_transformer *t, const char *name, tips_value x, int out, bool bias,
                              int names) {
    char full[TIPS_TRANSFORMER_NAME];
    if (x == TIPS_NO_VALUE) return x;
    const int in = tips__value(t->graph, x)->c;
    return tips__conv2d(t->graph, join(full, t, name), x,
                        (tips_conv2d){.out = out, .kernel = {1, 1}, .bias = bias, .names = names,
                                      .gain = sqrt(2.0 * in / (in + out))});
}

tips_value tips__token_dropout(const tips_transformer *t, const char *name, tips_value x) {
    char full[TIPS_TRANSFORMER_NAME];
    return tips__part_dropout(t->graph, join(full, t, name), t->config, 0, x);
}

tips_value tips__token_add(const tips_transformer *t, const char *half, tips_value x, tips_value y) {
    char name[TIPS_TRANSFORMER_NAME];
    snprintf(name, sizeof name, "%s%s.stochastic_depth", t->prefix, half);
    if (t->drop_path > 0)
        y = tips__graph_add(t->graph, &tips__layer_drop_path, name, &(tips_dropout){t->drop_path}, &y, 1);
    snprintf(name, sizeof name, "%s%s.add", t->prefix, half);
    return tips__add(t->graph, name, x, y);
}

tips_value tips__token_mlp(const tips_transformer *t, const char *norm, tips_value x, int hidden) {
    if (x == TIPS_NO_VALUE) return x;
    const int width = tips__value(t->graph, x)->c;
    tips_value y = tips__token_norm(t, norm, x);
    y = tips__token_linear(t, "mlp.0", y, hidden, true, TIPS_NAMES_LINEAR);
    y = add_one(t, &tips__layer_gelu, "mlp.1", NULL, y);
    y = tips__token_dropout(t, "mlp.2", y);
    y = tips__token_linear(t, "mlp.3", y, width, true, TIPS_NAMES_LINEAR);
    y = tips__token_dropout(t, "mlp.4", y);
    return tips__token_add(t, "mlp", x, y);
}

tips_value tips__token_anchor(const tips_transformer *t, const char *name, tips_value x) {
    return tips__transformer_is_anchored(t->config) ? add_one(t, &tips__layer_anchor, name, NULL, x) : x;
}

/* How an operator is met by what cuts patches. */
typedef enum grid_kind { GRID_FIXED, GRID_CHOSEN, GRID_DENSE } grid_kind;

static grid_kind grid_of(const tips_pool_spec *pool) {
    bool has_steps = pool->lpf > 0;
    for (int i = 0; i < TIPS_CHAIN_MOST; i++) has_steps |= pool->config.common.before[i] != 0;
    if (tips__pool_traits(pool) & TIPS_POOL_CHOOSES) return GRID_CHOSEN;
    return pool->pool->layer.flags & TIPS_LAYER_GRID && !has_steps ? GRID_FIXED : GRID_DENSE;
}

/* The map from the phase on that the operator chooses. */
static tips_value roll_to_phase(const tips_transformer *t, tips_value x, const int stride[2],
                                tips_selection *selection) {
    char name[TIPS_TRANSFORMER_NAME];
    tips__pool_add(t->graph, join(name, t, "pool"), &t->config->pool, stride, t->config->padding, x, NULL, selection);
    if (selection->phase == TIPS_NO_VALUE) return TIPS_NO_VALUE;
    return tips__graph_add(t->graph, &tips__layer_roll, join(name, t, "roll"), &(tips_strided){{stride[0], stride[1]}},
                           (const tips_value[]){x, selection->phase}, 2);
}

static tips_value pool_dense(const tips_transformer *t, tips_value x, const int stride[2], tips_selection *selection) {
    char name[TIPS_TRANSFORMER_NAME];
    return tips__pool_add(t->graph, join(name, t, "pool"), &t->config->pool, stride, t->config->padding, x, NULL,
                          selection);
}

/* The border that a dense convolution needs for a patch at every pixel; one on the grid needs none. */
static tips_padding patch_border(const tips_arch_config *config, grid_kind grid, int stride) {
    if (grid != GRID_DENSE) return (tips_padding){.mode = TIPS_PAD_CIRCULAR};
    return (tips_padding){.mode = config->padding, .bottom = stride - 1, .right = stride - 1};
}

tips_value tips__patch_embedding(const tips_transformer *t, const char *name, tips_value x, int stride, int out) {
    const int strides[2] = {stride, stride}, step = grid_of(&t->config->pool) == GRID_DENSE ? 1 : stride;
    const grid_kind grid = grid_of(&t->config->pool);
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    char full[TIPS_TRANSFORMER_NAME];
    tips__features_leave(t->features, x);
    if (grid == GRID_CHOSEN) x = roll_to_phase(t, x, strides, &selection);
    x = tips__conv2d(t->graph, join(full, t, name), x,
                     (tips_conv2d){.out = out, .kernel = {stride, stride}, .stride = {step, step}, .bias = true,
                                   .padding = patch_border(t->config, grid, stride), .gain = 1});
    if (grid == GRID_DENSE) x = pool_dense(t, x, strides, &selection);
    tips__features_enter(t->features, &t->config->pool, strides, &selection);
    return x;
}

/* Odd sizes are extended by a row or column of zeros, as torchvision does. */
static tips_value make_even(const tips_transformer *t, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const tips_value_info *in = tips__value(t->graph, x);
    const tips_pad_config config = {.padding = {.mode = TIPS_PAD_ZERO, .bottom = in->h % 2, .right = in->w % 2},
                                    .extends = true};
    return in->h % 2 || in->w % 2 ? add_one(t, &tips__layer_pad, "extend", &config, x) : x;
}

tips_value tips__patch_merging(const tips_transformer *t, tips_value x, int out) {
    static const int stride[2] = {2, 2};
    const grid_kind grid = grid_of(&t->config->pool);
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    tips__features_leave(t->features, x);
    x = make_even(t, x);
    if (grid == GRID_CHOSEN) x = roll_to_phase(t, x, stride, &selection);
    x = add_one(t, &tips__layer_patches, "patches", &(tips_patches){{2, 2}, grid == GRID_DENSE}, x);
    x = tips__token_norm(t, "norm", x);
    x = tips__token_linear(t, "reduction", x, out, false, TIPS_NAMES_LINEAR);
    if (grid == GRID_DENSE) x = pool_dense(t, x, stride, &selection);
    tips__features_enter(t->features, &t->config->pool, stride, &selection);
    return x;
}
