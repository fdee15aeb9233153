/* Multi-head self-attention: what its files share. */
#ifndef TIPS_LAYER_ATTENTION_H
#define TIPS_LAYER_ATTENTION_H

#include "layer/layers.h"

enum { TIPS_ATTENTION_TABLE }; /* parameter: the relative position bias, stored [heads][offsets padded] */
enum { TIPS_ATTENTION_MASK = 100 }; /* taken from the scores of tokens that do not see each other, as in Swin */

/* How the tokens of a map, its pixels, fall into windows. */
typedef struct tips_windows {
    int h, w;         /* of the map */
    int high, wide;   /* of a window */
    int down, right;  /* how far the windows are shifted, around the torus */
    int tokens;       /* of a window */
    int count;        /* windows */
    bool masked;      /* tokens that only meet by going around the torus do not see each other */
} tips_windows;

tips_windows tips__windows_of(const tips_attention *config, int h, int w);
/* The row and column of token t of window k. */
void tips__window_place(const tips_windows *of, int k, int t, int32_t at[2]);
/* Tokens of a masked window see those of their own region only. */
int tips__window_region(const tips_windows *of, int k, int t);
/* The row of the bias table for a query and a key of a window. */
int tips__window_offset(const tips_windows *of, int query, int key);
int tips__window_offsets(const tips_windows *of);

tips_status tips__attention_plan(tips_op *op, tips_plan *plan);
tips_status tips__attention_forward(tips_op *op);
tips_status tips__attention_backward(tips_op *op);
tips_status tips__attention_emit(tips_emitter *to, const tips_node *node);

#endif
