/* Inverted residual blocks. */
#include "arch/inverted_residual.h"

#include <stdio.h>

typedef struct part_names {
    const char *part;
    int next;
    char name[TIPS_PART_NAME];
} part_names;

static const char *next_part(part_names *names) {
    snprintf(names->name, sizeof names->name, "%s.%d", names->part, names->next++);
    return names->name;
}

static tips_value project(const tips_builder *b, const tips_inverted_residual *block, part_names *names,
                          tips_value x) {
    const tips_part_conv conv = {.out = block->out, .kernel = 1};
    if (!block->flat_projection) return tips__part_conv_norm_act(b, next_part(names), x, conv, TIPS_ACT_NONE);
    x = tips__part_conv(b, next_part(names), x, conv);
    return tips__part_norm(b, next_part(names), x);
}

static tips_value add_shortcut(const tips_builder *b, const tips_inverted_residual *block, tips_value shortcut,
                               tips_value x) {
    char name[TIPS_PART_NAME + 32];
    const tips_dropout dropped = {block->drop_path};
    snprintf(name, sizeof name, "%sstochastic_depth", b->prefix);
    if (dropped.p > 0) x = tips__graph_add(b->graph, &tips__layer_drop_path, name, &dropped, &x, 1);
    snprintf(name, sizeof name, "%sadd", b->prefix);
    return tips__add(b->graph, name, shortcut, x);
}

tips_value tips__inverted_residual(const tips_builder *b, const tips_inverted_residual *block, tips_value x) {
    part_names names = {.part = block->part};
    const tips_value input = x;
    const tips_part_conv expand = {.out = block->expanded, .kernel = 1};
    const tips_part_conv depthwise = {.out = block->expanded, .kernel = block->kernel, .groups = block->expanded};
    if (x == TIPS_NO_VALUE) return x;
    if (block->expands) x = tips__part_conv_norm_act(b, next_part(&names), x, expand, block->activation);
    x = tips__part_conv_norm_act(b, next_part(&names), x, depthwise, block->activation);
    if (block->down) {
        char pool[TIPS_PART_NAME + 8];
        snprintf(pool, sizeof pool, "%s.pool", names.name);
        x = tips__part_pool(b, pool, TIPS_DOWN_STRIDE, x);
    }
    if (block->squeeze.channels) x = tips__part_squeeze(b, next_part(&names), x, block->squeeze);
    x = project(b, block, &names, x);
    const bool same = !block->strided && tips__value(b->graph, input)->c == block->out;
    return x != TIPS_NO_VALUE && same ? add_shortcut(b, block, input, x) : x;
}
