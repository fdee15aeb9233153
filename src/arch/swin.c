/* Swin transformers: attention in windows, which every other block shifts by half, and patches of 2x2 tokens merged
 * between stages. With an exact operator the grids are chosen by content, the tokens are rolled so that the strongest
 * comes first before there are windows, and shifted windows go around the torus without a mask. */
#include "arch/swin.h"

#include "arch/transformer.h"
#include "core/fail.h"

#include <limits.h>
#include <stdio.h>

enum { PATCH, WINDOW, WIDTH, HEAD, DROP_PATH, STAGES, BLOCKS }; /* the layout; DROP_PATH in tenths */

static const double norm_eps = 1e-5;

tips_status tips__swin_resolve(const tips_arch *arch, tips_arch_config *config) {
    const int *layout = arch->layout;
    TIPS_TRY(tips__transformer_resolve(arch, config, layout[PATCH] < 4));
    if (config->width == 0) config->width = layout[WIDTH];
    if (config->width % layout[HEAD])
        TIPS_FAIL(TIPS_RANGE, "%s has heads of %d channels; a width of %d is not a multiple", arch->name, layout[HEAD],
                  config->width);
    if (config->down != 0 && config->down != layout[STAGES])
        TIPS_FAIL(TIPS_RANGE, "%s has %d downsampling layers, not %d", arch->name, layout[STAGES], config->down);
    config->down = layout[STAGES];
    if (config->size[0] % layout[PATCH] || config->size[1] % layout[PATCH])
        TIPS_FAIL(TIPS_RANGE, "%s takes patches of %dx%d, which do not divide %dx%d", arch->name, layout[PATCH],
                  layout[PATCH], config->size[0], config->size[1]);
    return TIPS_OK;
}

static int missing(int size, int window) { return (window - size % window) % window; }

/* Windows that hang over the border see zeros there, which the projection makes its bias of; as in torchvision. */
static tips_value fill_windows(const tips_transformer *t, tips_value x, int window) {
    char name[TIPS_TRANSFORMER_NAME];
    if (x == TIPS_NO_VALUE) return x;
    const tips_value_info *in = tips__value(t->graph, x);
    const tips_pad_config config = {.padding = {.mode = TIPS_PAD_ZERO, .bottom = missing(in->h, window),
                                                .right = missing(in->w, window)}};
    if (!config.padding.bottom && !config.padding.right) return x;
    snprintf(name, sizeof name, "%sattn.pad", t->prefix);
    return tips__graph_add(t->graph, &tips__layer_pad, name, &config, &x, 1);
}

static tips_value cut(const tips_transformer *t, const char *part, tips_value x, tips_axis axis, int size) {
    char name[TIPS_TRANSFORMER_NAME];
    if (x == TIPS_NO_VALUE) return x;
    const tips_value_info *in = tips__value(t->graph, x);
    if ((axis == TIPS_AXIS_H ? in->h : in->w) == size) return x;
    snprintf(name, sizeof name, "%sattn.%s", t->prefix, part);
    return tips__graph_add(t->graph, &tips__layer_slice, name, &(tips_slice){axis, 0, size, 1}, &x, 1);
}

static tips_value attend(const tips_transformer *t, tips_value x, int window, int heads, int shift) {
    char name[TIPS_TRANSFORMER_NAME];
    const tips_value_info in = *tips__value(t->graph, x);
    const tips_attention config = {.heads = heads, .window = window, .shift = shift, .bias = true,
                                   .masked = !tips__transformer_is_anchored(t->config)};
    tips_value y = fill_windows(t, tips__token_norm(t, "norm1", x), window);
    y = tips__token_linear(t, "attn.qkv", y, 3 * in.c, true, TIPS_NAMES_LINEAR);
    snprintf(name, sizeof name, "%sattn", t->prefix);
    y = tips__graph_add(t->graph, &tips__layer_attention, name, &config, &y, 1);
    y = cut(t, "rows", y, TIPS_AXIS_H, in.h);
    y = cut(t, "columns", y, TIPS_AXIS_W, in.w);
    y = tips__token_linear(t, "attn.proj", y, in.c, true, TIPS_NAMES_LINEAR);
    return tips__token_dropout(t, "attn.dropout", y);
}

static tips_value block(const tips_transformer *t, tips_value x, const int *layout, int number) {
    enum { MLP_RATIO = 4 };
    if (x == TIPS_NO_VALUE) return x;
    const int width = tips__value(t->graph, x)->c, shift = number % 2 ? layout[WINDOW] / 2 : 0;
    x = tips__token_add(t, "attn", x, attend(t, x, layout[WINDOW], width / layout[HEAD], shift));
    return tips__token_mlp(t, "norm2", x, MLP_RATIO * width);
}

static int count_blocks(const int *layout) {
    int blocks = 0;
    for (int stage = 0; stage < layout[STAGES]; stage++) blocks += layout[BLOCKS + stage];
    return blocks;
}

void tips__swin_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                         tips_features *out) {
    char prefix[TIPS_TRANSFORMER_NAME];
    const int *layout = arch->layout, blocks = count_blocks(layout);
    const double own_drop_path = layout[DROP_PATH] / 10.0;
    int number = 0;
    tips_transformer t = {.graph = graph, .config = config, .features = out, .prefix = prefix, .eps = norm_eps};
    tips__features_begin(out);
    snprintf(prefix, sizeof prefix, "features.0.");
    x = tips__patch_embedding(&t, "0", x, layout[PATCH], config->width);
    x = tips__token_norm(&t, "2", tips__token_anchor(&t, "anchor", x));
    for (int stage = 0; stage < layout[STAGES]; stage++) {
        snprintf(prefix, sizeof prefix, "features.%d.", 2 * stage);
        if (stage > 0) x = tips__patch_merging(&t, x, config->width << stage);
        for (int i = 0; i < layout[BLOCKS + stage]; i++) {
            snprintf(prefix, sizeof prefix, "features.%d.%d.", 2 * stage + 1, i);
            t.drop_path = tips__block_drop_path(config, own_drop_path, number++, blocks);
            x = block(&t, x, layout, i);
        }
    }
    prefix[0] = '\0';
    tips__features_leave(out, tips__token_norm(&t, "norm", x));
}

tips_value tips__swin_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                               const tips_features *features) {
    (void)arch;
    tips_value x = tips__features_last(features);
    x = tips__graph_add(graph, &tips__layer_global_avg, "avgpool", NULL, &x, 1);
    return tips__graph_add(graph, &tips__layer_linear, "head", &(tips_linear){.out = config->classes}, &x, 1);
}
