/* The options that choose a network, shared by the commands that build one. */
#ifndef TIPS_MODEL_MODEL_OPTIONS_H
#define TIPS_MODEL_MODEL_OPTIONS_H

#include <stddef.h>
#include <tips/padding.h>

#include "arch/arch.h"
#include "core/option.h"
#include "task/task.h"

typedef struct tips_model_options {
    const char *task; /* "classify"; NULL: that */
    const char *arch; /* "resnet18" */
    const char *pool; /* "tips:psi=depthwise,fm=band" */
    int lpf;          /* 0 (none) or 2..7 */
    const char *norm; /* "batch:momentum=0.01"; NULL: plain batch norm */
    int padding;      /* tips_pad_mode */
    int size[2];      /* height, width */
    int stem;         /* tips_stem */
    int down;         /* 0: the stem's usual number */
    int width;        /* 0: the architecture's own */
    int classes;
    int channels;     /* of the input */
    int seed;
    int threads;      /* 0: all cores */
    struct tips_blueprint *blueprint; /* of arch "graph", borrowed; no option */
} tips_model_options;

/* The rows of a table for `member`, a tips_model_options in `config_type`, with a comma after each but the last. */
#define TIPS_MODEL_OPTION_ROWS(config_type, member)                                                               \
    TIPS_MODEL_COMMON_ROWS(config_type, member), TIPS_MODEL_CHANNELS_ROW(config_type, member)

/* All of them but the input's channels, for a command that has another use for the word. */
#define TIPS_MODEL_COMMON_ROWS(config_type, member)                                                               \
    TIPS_MODEL_CORE_ROWS(config_type, member),                                                                    \
    {.name = "size", .type = TIPS_OPT_PAIR, .offset = offsetof(config_type, member.size), .fallback = "32",       \
     .min = 1, .max = 4096, .metavar = "H[xW]", .help = "height and width of the input in pixels"},               \
    TIPS_MODEL_CLASSES_ROW(config_type, member)

/* Those of the data but the size, for commands where that may be a model's too. */
#define TIPS_MODEL_SHAPE_ROWS(config_type, member)                                                                \
    TIPS_MODEL_CLASSES_ROW(config_type, member), TIPS_MODEL_CHANNELS_ROW(config_type, member)

#define TIPS_MODEL_CLASSES_ROW(config_type, member)                                                               \
    {.name = "classes", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.classes), .fallback = "10",  \
     .min = 1, .max = 100000, .help = "number of classes"}

#define TIPS_MODEL_CHANNELS_ROW(config_type, member)                                                              \
    {.name = "channels", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.channels), .fallback = "3", \
     .min = 1, .max = 64, .help = "channels of the input"}

/* Those that do not describe the data. */
#define TIPS_MODEL_CORE_ROWS(config_type, member)                                                                 \
    {.name = "task", .type = TIPS_OPT_TEXT, .offset = offsetof(config_type, member.task),                         \
     .fallback = "classify", .metavar = "NAME[:KEY=VALUE,...]",                                                   \
     .help = "what the network answers; 'tips list tasks' names them"},                                           \
    {.name = "arch", .type = TIPS_OPT_TEXT, .offset = offsetof(config_type, member.arch),                         \
     .fallback = "resnet18", .metavar = "NAME", .help = "architecture; 'tips list archs' names them"},            \
    {.name = "pool", .type = TIPS_OPT_TEXT, .offset = offsetof(config_type, member.pool),                         \
     .fallback = "tips-exact", .metavar = "NAME[:KEY=VALUE,...]",                                                 \
     .help = "pooling operator of every downsampling layer; 'tips list pools' names them"},                       \
    {.name = "lpf", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.lpf), .fallback = "0", .min = 0, \
     .max = 7, .help = "size of the binomial low-pass filter before each operator, 2 to 7; 0 means none"},        \
    {.name = "norm", .type = TIPS_OPT_TEXT, .offset = offsetof(config_type, member.norm), .fallback = "batch",    \
     .metavar = "NAME[:KEY=VALUE,...]", .help = "norm behind every convolution; 'tips list norms' names them"},   \
    {.name = "padding", .type = TIPS_OPT_CHOICE, .offset = offsetof(config_type, member.padding),                 \
     .fallback = "circular", .choices = tips_pad_mode_names, .help = "how maps continue beyond their border"},    \
    {.name = "stem", .type = TIPS_OPT_CHOICE, .offset = offsetof(config_type, member.stem), .fallback = "auto",   \
     .choices = tips__stem_names,                                                                                 \
     .help = "first layers: a 3x3 convolution, or 7x7 and max; auto is cifar up to 64 pixels"},                   \
    {.name = "down", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.down), .fallback = "0",         \
     .min = 0, .max = 5, .help = "number of downsampling layers; 0 means the stem's usual number"},               \
    {.name = "width", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.width), .fallback = "0",       \
     .min = 0, .max = 1024, .help = "channels of the first stage; 0 means the architecture's own"},               \
    {.name = "seed", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.seed), .fallback = "1",         \
     .min = 0, .max = 2147483647, .help = "seed of the weights and of everything else that is drawn"},            \
    {.name = "threads", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.threads), .fallback = "0",   \
     .min = 0, .max = 1024, .help = "threads to use; 0 means all cores"}

/* Finds the architecture, reads the operator, fills in what is 0 or auto, and sets the number of threads. */
tips_status tips__model_options_resolve(const tips_model_options *o, const tips_arch **arch,
                                        tips_arch_config *config) TIPS_MUST_CHECK;

#endif
