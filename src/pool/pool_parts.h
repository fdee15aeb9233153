/* What the files of several operators share at build time. */
#ifndef TIPS_POOL_POOL_PARTS_H
#define TIPS_POOL_POOL_PARTS_H

#include "pool/pool.h"
#include "tensor/phase.h"

enum { TIPS_POOL_NAME = 512 };

#define TIPS_POOL_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_POOL_CONFIG_BYTES, "the config does not fit in a tips_pool_spec")

/* "<name>.<part>", or "<part>" where the name is empty: a helper node of an operator. */
void tips__pool_part(char out[TIPS_POOL_NAME], const char *name, const char *part);

static inline const tips_pool_common *tips__pool_common(const tips_node *node) { return node->config; }

static inline int tips__pool_phases(const tips_pool_common *common) { return common->stride[0] * common->stride[1]; }

/* Declares outputs of a node whose input 0 is x: (c, h, w) maps, and one index per map of x. */
void tips__pool_out_map(tips_graph *graph, tips_node *node, int c, int h, int w);
void tips__pool_out_phase(tips_graph *graph, tips_node *node);

#endif
