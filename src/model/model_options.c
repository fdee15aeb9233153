/* The options that choose a network: their rows, and the way to an architecture with its config and back. */
#include "model/model_options.h"

#include "core/fail.h"

#include <string.h>

const tips_option tips__model_rows[] = {
    {.name = "task",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, task),
     .fallback = "auto",
     .metavar = "NAME[:KEY=VALUE,...]",
     .help = "what the network answers; 'tips list tasks' names them; auto is what the architecture was made for"},
    {.name = "arch",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, arch),
     .fallback = "resnet18",
     .metavar = "NAME",
     .help = "architecture; 'tips list archs' names them"},
    {.name = "pool",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, pool),
     .fallback = "tips-exact",
     .metavar = "NAME[:KEY=VALUE,...]",
     .help = "pooling operator of every downsampling layer; 'tips list pools' names them"},
    {.name = "others",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, others),
     .fallback = "0",
     .min = -16,
     .max = 16,
     .help = "number of downsampling layers, from the input on, that have --other-pool instead; -N means the last N"},
    {.name = "other-pool",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, other_pool),
     .fallback = "max",
     .metavar = "NAME[:KEY=VALUE,...]",
     .help = "pooling operator of the layers that --others names"},
    {.name = "lpf",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, lpf),
     .fallback = "0",
     .min = 0,
     .max = 7,
     .help = "size of the binomial low-pass filter before each operator, 2 to 7; 0 means none"},
    {.name = "norm",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, norm),
     .fallback = "batch",
     .metavar = "NAME[:KEY=VALUE,...]",
     .help = "norm behind every convolution; 'tips list norms' names them"},
    {.name = "padding",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_model_options, padding),
     .fallback = "circular",
     .choices = tips_pad_mode_names,
     .help = "how maps continue beyond their border"},
    {.name = "stem",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_model_options, stem),
     .fallback = "auto",
     .choices = tips__stem_names,
     .help = "first layers: a 3x3 convolution, or 7x7 and max; auto is cifar up to 64 pixels"},
    {.name = "stem-kernel",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, stem_kernel),
     .fallback = "0",
     .min = 0,
     .max = 15,
     .help = "size of the first convolution of ResNets and mobilenet_v1, padded to keep the size of the map; 0 means "
             "the architecture's own"},
    {.name = "down",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, down),
     .fallback = "0",
     .min = 0,
     .max = 5,
     .help = "number of downsampling layers; 0 means the stem's usual number"},
    {.name = "width",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, width),
     .fallback = "0",
     .min = 0,
     .max = 1024,
     .help = "channels of the first stage; 0 means the architecture's own"},
    {.name = "depth",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_model_options, depth),
     .fallback = "1",
     .min = 0.01,
     .max = 10,
     .help = "factor of the number of blocks in each stage, of EfficientNets"},
    {.name = "head",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_model_options, head),
     .fallback = "auto",
     .choices = tips__head_names,
     .help = "what follows the last map of a VGG: its own three linear layers, or the map's mean and one; auto is own "
             "with the imagenet stem"},
    {.name = "dropout",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_model_options, dropout),
     .fallback = "-1",
     .min = -1,
     .max = 0.99,
     .help = "probability of dropout in training, before the classifier or in a transformer's blocks; -1 means the "
             "architecture's own"},
    {.name = "drop-path",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_model_options, drop_path),
     .fallback = "-1",
     .min = -1,
     .max = 0.99,
     .help = "probability that the last block's branch is left out in training, less in earlier ones; -1 means the "
             "architecture's own"},
    {.name = "backbone",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_model_options, backbone),
     .fallback = "auto",
     .metavar = "NAME",
     .help = "architecture below the decoder of unet, deeplabv3plus, deeplabv3 and fcn, and the pyramid of "
             "retinanet and fasterrcnn; auto is resnet18"},
    {.name = "output-stride",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, output_stride),
     .fallback = "0",
     .min = 0,
     .max = 64,
     .help = "pixels to a cell of the last map of deeplabv3plus, deeplabv3 and fcn, by atrous stages; 0 means the "
             "network's own"},
    {.name = "up",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_model_options, up),
     .fallback = "auto",
     .choices = tips__up_names,
     .help = "how decoders enlarge maps: insert, follow-* and transpose by the phases chosen on the way down, the "
             "others without; auto is insert, in pyramids follow-nearest, where the operator chooses, else as the "
             "network is published"},
    {.name = "seed",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, seed),
     .fallback = "1",
     .min = 0,
     .max = 2147483647,
     .help = "seed of the weights and of everything else that is drawn"},
    {.name = "threads",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, threads),
     .fallback = "0",
     .min = 0,
     .max = 1024,
     .help = "threads to use; 0 means all cores"},
    {.name = "size",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(tips_model_options, size),
     .fallback = "32",
     .min = 1,
     .max = 4096,
     .metavar = "H[xW]",
     .help = "height and width of the input in pixels"},
    {.name = "classes",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, classes),
     .fallback = "10",
     .min = 1,
     .max = 100000,
     .help = "number of classes"},
    {.name = "channels",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_model_options, channels),
     .fallback = "3",
     .min = 1,
     .max = 64,
     .help = "channels of the input"},
    {.type = TIPS_OPT_END},
};

static bool is_said(const char *text) { return text && strcmp(text, "auto") != 0; }

tips_status tips__model_options_read(const tips_model_options *o, tips_arch_config *config) {
    tips_arch_config read = {
        .in_channels = o->channels,
        .size = {o->size[0], o->size[1]},
        .classes = o->classes,
        .width = o->width,
        .depth = o->depth,
        .down = o->down,
        .others = o->others,
        .stem_kernel = o->stem_kernel,
        .stem = (tips_stem)o->stem,
        .head = (tips_head)o->head,
        .dropout = o->dropout,
        .drop_path = o->drop_path,
        .padding = (tips_pad_mode)o->padding,
        .output_stride = o->output_stride,
        .up = (tips_up)o->up,
        .blueprint = o->blueprint,
    };
    if (is_said(o->backbone)) TIPS_TRY(tips__arch_find(o->backbone, &read.backbone));
    TIPS_TRY(tips__pool_parse(o->pool, o->lpf, &read.pool));
    if (o->others) TIPS_TRY(tips__pool_parse(o->other_pool, o->lpf, &read.other));
    if (o->norm) TIPS_TRY(tips__norm_parse(o->norm, &read.norm));
    *config = read;
    return TIPS_OK;
}

tips_status tips__model_options_task(const tips_model_options *o, tips_task_spec *task) {
    const tips_arch *arch = NULL;
    if (is_said(o->task)) return tips__task_parse(o->task, task);
    if (o->arch) TIPS_TRY(tips__arch_find(o->arch, &arch));
    return tips__task_parse(arch ? arch->task : NULL, task);
}

tips_status tips__model_options_resolve(const tips_model_options *o, const tips_arch **arch, tips_arch_config *config,
                                        tips_task_spec *task) {
    const tips_arch *found;
    tips_arch_config filled;
    tips_task_spec asked;
    TIPS_TRY(tips__arch_find(o->arch, &found));
    TIPS_TRY(tips__model_options_read(o, &filled));
    TIPS_TRY(tips__arch_resolve(found, &filled));
    TIPS_TRY(tips__model_options_task(o, &asked));
    *arch = found;
    *config = filled;
    *task = asked;
    return TIPS_OK;
}

tips_model_options tips__model_options_of(const tips_arch *arch, const tips_arch_config *c, tips_network_texts *texts) {
    tips__pool_format(&c->pool, texts->pool, sizeof texts->pool);
    if (c->others) tips__pool_format(&c->other, texts->other, sizeof texts->other);
    tips__norm_format(&c->norm, texts->norm, sizeof texts->norm);
    return (tips_model_options){
        .arch = arch->name,
        .pool = texts->pool,
        .other_pool = c->others ? texts->other : "max",
        .others = c->others,
        .stem_kernel = c->stem_kernel,
        .lpf = c->pool.lpf,
        .norm = texts->norm,
        .padding = c->padding,
        .size = {c->size[0], c->size[1]},
        .stem = c->stem,
        .down = c->down,
        .width = c->width,
        .depth = c->depth,
        .head = c->head,
        .dropout = -1, /* no file keeps them: they belong to a training */
        .drop_path = -1,
        .backbone = c->backbone ? c->backbone->name : "auto",
        .output_stride = c->output_stride,
        .up = c->up,
        .classes = c->classes,
        .channels = c->in_channels,
        .blueprint = c->blueprint,
    };
}
