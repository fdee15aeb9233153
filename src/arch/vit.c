/* Vision transformers: patches become tokens, a class token comes first, every position has a vector of its own, and
 * every token sees all others. With an exact operator the grid of patches is chosen by content and the tokens are
 * rolled so that the strongest comes first before positions are added. */
#include "arch/vit.h"

#include "arch/transformer.h"
#include "core/fail.h"

#include <stdio.h>

enum { PATCH, LAYERS, WIDTH, HEADS, HIDDEN };

static const double norm_eps = 1e-6;

tips_status tips__vit_resolve(const tips_arch *arch, tips_arch_config *config) {
    const int *layout = arch->layout, head = layout[WIDTH] / layout[HEADS];
    TIPS_TRY(tips__transformer_resolve(arch, config, layout[PATCH] < 16));
    if (config->width == 0) config->width = layout[WIDTH];
    if (config->width % head)
        TIPS_FAIL(TIPS_RANGE, "%s has heads of %d channels; a width of %d is not a multiple", arch->name, head,
                  config->width);
    if (config->down > 1)
        TIPS_FAIL(TIPS_RANGE, "%s downsamples once, not %d times", arch->name, config->down);
    config->down = 1;
    if (config->size[0] % layout[PATCH] || config->size[1] % layout[PATCH])
        TIPS_FAIL(TIPS_RANGE, "%s takes patches of %dx%d, which do not divide %dx%d", arch->name, layout[PATCH],
                  layout[PATCH], config->size[0], config->size[1]);
    return TIPS_OK;
}

static tips_value encoder_layer(const tips_transformer *t, tips_value x, int heads, int hidden) {
    char name[TIPS_TRANSFORMER_NAME];
    if (x == TIPS_NO_VALUE) return x;
    const int width = tips__value(t->graph, x)->c;
    tips_value y = tips__token_norm(t, "ln_1", x);
    y = tips__token_linear(t, "self_attention", y, 3 * width, true, TIPS_NAMES_ATTENTION);
    snprintf(name, sizeof name, "%sself_attention.heads", t->prefix);
    y = tips__graph_add(t->graph, &tips__layer_attention, name, &(tips_attention){.heads = heads}, &y, 1);
    y = tips__token_linear(t, "self_attention.out_proj", y, width, true, TIPS_NAMES_LINEAR);
    y = tips__token_dropout(t, "dropout", y);
    x = tips__token_add(t, "self_attention", x, y);
    return tips__token_mlp(t, "ln_2", x, hidden);
}

/* A row of tokens, the class token first. */
static tips_value embed(const tips_transformer *t, tips_value x, int patch, int width) {
    x = tips__patch_embedding(t, "conv_proj", x, patch, width);
    x = tips__token_anchor(t, "anchor", x);
    x = tips__graph_add(t->graph, &tips__layer_position_embedding, "encoder.pos_embedding",
                        &(tips_position_embedding){.extra = 1}, &x, 1);
    x = tips__graph_add(t->graph, &tips__layer_class_token, "class_token", NULL, &x, 1);
    return tips__token_dropout(t, "encoder.dropout", x);
}

void tips__vit_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                        tips_features *out) {
    const int *layout = arch->layout, width = config->width, head = layout[WIDTH] / layout[HEADS];
    const int hidden = (int)((long)layout[HIDDEN] * width / layout[WIDTH]);
    tips_transformer t = {.graph = graph, .config = config, .features = out, .prefix = "", .eps = norm_eps};
    tips__features_begin(out);
    x = embed(&t, x, layout[PATCH], width);
    for (int i = 0; i < layout[LAYERS]; i++) {
        char prefix[TIPS_TRANSFORMER_NAME];
        snprintf(prefix, sizeof prefix, "encoder.layers.encoder_layer_%d.", i);
        t.prefix = prefix;
        t.drop_path = tips__block_drop_path(config, 0, i, layout[LAYERS]);
        x = encoder_layer(&t, x, width / head, hidden);
    }
    tips__features_leave(out, x);
}

/* The norm is of each token alone, so that of the class token will do. */
tips_value tips__vit_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features) {
    (void)arch;
    const tips_transformer t = {.graph = graph, .config = config, .prefix = "", .eps = norm_eps};
    tips_value x = tips__features_last(features);
    x = tips__graph_add(graph, &tips__layer_slice, "encoder.class_token",
                        &(tips_slice){.axis = TIPS_AXIS_W, .start = 0, .stop = 1, .step = 1}, &x, 1);
    x = tips__token_norm(&t, "encoder.ln", x);
    return tips__graph_add(graph, &tips__layer_linear, "heads.head", &(tips_linear){.out = config->classes}, &x, 1);
}
