/* What the families of convolutional networks are made of. Names are given whole or behind a builder's prefix. */
#ifndef TIPS_ARCH_PARTS_H
#define TIPS_ARCH_PARTS_H

#include "arch/arch.h"
#include "layer/layers.h"

typedef enum tips_activation {
    TIPS_ACT_NONE,
    TIPS_ACT_RELU,
    TIPS_ACT_RELU6,
    TIPS_ACT_SILU,
    TIPS_ACT_HARD_SWISH
} tips_activation;

enum { TIPS_PART_NAME = 128 };

typedef struct tips_builder {
    tips_graph *graph;
    const tips_arch_config *config;
    tips_features *features;
    char prefix[TIPS_PART_NAME]; /* "features.3.", or nothing */
} tips_builder;

/* A square convolution that keeps the size. */
typedef struct tips_part_conv {
    int out, kernel;
    int groups; /* 1 if 0 */
    bool bias;  /* whatever the norm, which else decides, and may be a part of the convolution */
} tips_part_conv;

void tips__part_prefix(tips_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
tips_value tips__part_conv(const tips_builder *b, const char *name, tips_value x, tips_part_conv conv);
tips_value tips__part_norm(const tips_builder *b, const char *name, tips_value x);
tips_value tips__part_activate(const tips_builder *b, const char *name, tips_activation kind, tips_value x);
/* NAME.0, NAME.1 and NAME.2: convolution, norm, activation. */
tips_value tips__part_conv_norm_act(const tips_builder *b, const char *name, tips_value x, tips_part_conv conv,
                                    tips_activation kind);
/* Squeeze and excitation: the map times a gate for each channel, made of its mean by two 1x1 convolutions. */
typedef struct tips_part_squeeze {
    int channels; /* in between; 0: none of it */
    tips_activation activation;
    bool hard; /* the gate is a hard sigmoid */
} tips_part_squeeze;
tips_value tips__part_squeeze(const tips_builder *b, const char *name, tips_value x, tips_part_squeeze squeeze);
/* The global mean of the last features, dropout, and a linear layer. */
tips_value tips__part_mean(tips_graph *graph, const tips_features *features);
tips_value tips__part_dropout(tips_graph *graph, const char *name, const tips_arch_config *config, double own,
                              tips_value x);
tips_value tips__part_linear(tips_graph *graph, const char *name, int out, tips_value x);

/* A downsampling by 2 that nothing else follows: the operator, in the place of a strided convolution, of a max pooling
 * whose window is the stride's, or of a mean. The level of `features` ends with `last`, and another begins. */
typedef enum tips_downsampling { TIPS_DOWN_STRIDE, TIPS_DOWN_MAX, TIPS_DOWN_MEAN } tips_downsampling;
tips_value tips__part_pool(const tips_builder *b, const char *name, tips_downsampling kind, tips_value x);

/* Families with five places for downsampling, the first of them the stem: which of them are used for --down of 2 to 5.
 * From the deep end: 2 = places 3 and 4, 3 = 3 to 5, 4 = 2 to 5, 5 = all. */
enum { TIPS_FIVE_PLACES = 5 };
void tips__five_places(int down, bool places[TIPS_FIVE_PLACES]);
/* Fills in stem, width and down of such a family: all five places from 65 pixels on, three below. */
tips_status tips__five_places_resolve(const tips_arch *arch, tips_arch_config *config, int width);
void tips__choose_stem(tips_arch_config *config);
/* Refuses --depth where the family has no such multiplier. */
tips_status tips__no_depth(const tips_arch *arch, const tips_arch_config *config);

/* Channels times a factor, as a multiple of 8, at most a tenth below. */
int tips__scaled_channels(double channels);

#endif
