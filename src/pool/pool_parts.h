/* What the files of several operators share at build time. */
#ifndef TIPS_POOL_POOL_PARTS_H
#define TIPS_POOL_POOL_PARTS_H

#include "pool/pool.h"
#include "tensor/phase.h"

enum { TIPS_POOL_NAME = 512 };

#define TIPS_POOL_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_POOL_CONFIG_BYTES, "the config does not fit in a tips_pool_spec")

/* The option `before`, a row of every operator's table. */
#define TIPS_POOL_BEFORE_NAMES \
    {"none", "max", "max3", "max5", "avg", "avg3", "lpf2", "lpf3", "lpf4", "lpf5", "lpf6", "lpf7", NULL}
static const char *const tips__pool_before_names[] = TIPS_POOL_BEFORE_NAMES;
#define TIPS_POOL_BEFORE(usual)                                                                                       \
    {                                                                                                                 \
        .name = "before", .type = TIPS_OPT_CHAIN, .offset = offsetof(tips_pool_common, before), .fallback = usual,    \
        .unsaid = "none", .choices = tips__pool_before_names,                                                         \
        .help = "what comes first, at full size: maxima or means of the stride's window or of 3x3, or a filter"       \
    }

/* Places what `common` has before the operator `name`. */
tips_value tips__pool_before(tips_graph *graph, const char *name, const tips_pool_common *common, tips_value x);
tips_value tips__pool_filter(tips_graph *graph, const char *name, int size, tips_pad_mode mode, tips_value x);

/* "<name>.<part>", or "<part>" where the name is empty: a helper node of an operator. */
void tips__pool_part(char out[TIPS_POOL_NAME], const char *name, const char *part);

static inline const tips_pool_common *tips__pool_common(const tips_node *node) { return node->config; }

static inline int tips__pool_phases(const tips_pool_common *common) { return common->stride[0] * common->stride[1]; }

/* Declares outputs of a node whose input 0 is x: (c, h, w) maps, and one index per map of x. */
void tips__pool_out_map(tips_graph *graph, tips_node *node, int c, int h, int w);
void tips__pool_out_phase(tips_graph *graph, tips_node *node);

#endif
