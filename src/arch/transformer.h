/* What the families of transformers share: linear layers of tokens, blocks' halves, and patches on a grid that the
 * configured operator chooses. Tokens are the pixels of a map. */
#ifndef TIPS_ARCH_TRANSFORMER_H
#define TIPS_ARCH_TRANSFORMER_H

#include "arch/parts.h"

enum { TIPS_TRANSFORMER_NAME = 128 };

/* Where nodes go: those of a block are named "<prefix><name>". */
typedef struct tips_transformer {
    tips_graph *graph;
    const tips_arch_config *config;
    tips_features *features;
    const char *prefix;
    double eps;       /* of the norms */
    double drop_path; /* probability that a half of this block is left out for a sample in training */
} tips_transformer;

/* Refuses stems, norms, depths and operators that transformers do not have, and fills in the stem. */
tips_status tips__transformer_resolve(const tips_arch *arch, tips_arch_config *config, bool is_small);

/* Whether the operator's choices follow every circular shift: then tokens are anchored, and the network is exact. */
bool tips__transformer_is_anchored(const tips_arch_config *config);

/* Stochastic depth of block number `block` of `blocks`: from 0 at the first to what the config says, or the family's
 * own, at the last. */
double tips__block_drop_path(const tips_arch_config *config, double own, int block, int blocks);

tips_value tips__token_norm(const tips_transformer *t, const char *name, tips_value x);
/* A linear layer of every token; `names` says what its parameters are called. */
tips_value tips__token_linear(const tips_transformer *t, const char *name, tips_value x, int out, bool bias, int names);
/* Dropout where the config asks for it; published transformers have none of their own. */
tips_value tips__token_dropout(const tips_transformer *t, const char *name, tips_value x);
/* x + f(norm(x)) with f the two linear layers "mlp.0" and "mlp.3" and GELU between. */
tips_value tips__token_mlp(const tips_transformer *t, const char *norm, tips_value x, int hidden);
/* x + y, or x where stochastic depth leaves y out: the end of a block's half. */
tips_value tips__token_add(const tips_transformer *t, const char *half, tips_value x, tips_value y);

/* Patches of stride x stride pixels made into tokens by a convolution. */
tips_value tips__patch_embedding(const tips_transformer *t, const char *name, tips_value x, int stride, int out);
/* Patches of 2 x 2 tokens made into one: "norm" and "reduction". */
tips_value tips__patch_merging(const tips_transformer *t, tips_value x, int out);
/* The same tokens, from the strongest one on. */
tips_value tips__token_anchor(const tips_transformer *t, const char *name, tips_value x);

#endif
