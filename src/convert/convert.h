/* From somebody's network to one that keeps its answer under shifts: every spatial downsampling becomes a computation
 * at stride 1 and a pooling operator behind it. Weights keep their names and values. */
#ifndef TIPS_CONVERT_CONVERT_H
#define TIPS_CONVERT_CONVERT_H

#include "arch/blueprint.h"
#include "graph/params.h"

typedef struct tips_convert_options {
    tips_pool_spec pool;   /* with its low-pass filter */
    bool keep_padding;     /* leave the modes of paddings alone */
    tips_pad_mode padding; /* of every layer else */
    bool gap_head;         /* a flattened map becomes its mean instead of being anchored */
    int size[2];           /* of the input, at which shapes are taken */
} tips_convert_options;

enum { TIPS_CHANGE_TEXT = 200 };

typedef struct tips_change {
    char layer[TIPS_CHANGE_TEXT], what[TIPS_CHANGE_TEXT];
} tips_change;

/* A linear layer whose input was a map of `cells` positions and is now its mean. */
typedef struct tips_merged_head {
    char name[TIPS_CHANGE_TEXT];
    int cells;
} tips_merged_head;

enum { TIPS_MOST_HEADS = 8 };

typedef struct tips_conversion {
    tips_blueprint *blueprint;
    tips_change *changes;
    int n_changes, capacity;
    int operators, sharing; /* operators placed, and how many of them follow another's choice */
    int padded;             /* layers whose padding became another mode */
    int resized;            /* layers that did not keep the size and now do */
    bool anchors_tokens;    /* the positions of a transformer are counted from an anchor now */
    tips_merged_head heads[TIPS_MOST_HEADS];
    int n_heads;
} tips_conversion;

tips_status tips__convert(const tips_blueprint *from, const tips_convert_options *options,
                          tips_conversion *out) TIPS_MUST_CHECK;
void tips__conversion_free(tips_conversion *conversion);

/* Copies every parameter that is still there, merges heads, and starts the operators so that each passes on the phase
 * with the largest mean, nearly alone. `to` is of the converted network. */
tips_status tips__convert_params(const tips_conversion *conversion, const tips_params *from,
                                 tips_params *to) TIPS_MUST_CHECK;
/* Whether a parameter is the matrix that turns means of phases into logits. */
bool tips__convert_is_mixing(const tips_param_spec *spec);
/* Numbers for the 3x3 convolution that an operator looks through: a centre of 1 and these neighbours. */
void tips__convert_psi(const tips_param_spec *spec, float neighbours, float *out);

#endif
