/* The options that choose a network, shared by the commands that build one. */
#ifndef TIPS_MODEL_MODEL_OPTIONS_H
#define TIPS_MODEL_MODEL_OPTIONS_H

#include <stddef.h>
#include <tips/padding.h>

#include "arch/arch.h"
#include "core/option.h"
#include "task/task.h"

typedef struct tips_model_options {
    const char *task;          /* "segment:loss=dice"; NULL or "auto": what the architecture was made for */
    const char *arch;          /* "resnet18" */
    const char *pool;          /* "tips:psi=depthwise,fm=band" */
    const char *other_pool;    /* of the first `others` downsampling layers, or of the last -others */
    int others;                /* 0: all have `pool` */
    int lpf;                   /* 0 (none) or 2..7 */
    const char *norm;          /* "batch:momentum=0.01"; NULL: plain batch norm */
    int padding;               /* tips_pad_mode */
    int size[2];               /* height, width */
    int stem;                  /* tips_stem */
    int stem_kernel;           /* of the first convolution; 0: the architecture's own */
    int down;                  /* 0: the stem's usual number */
    int width;                 /* 0: the architecture's own */
    double depth;              /* 1: the architecture's own */
    int head;                  /* tips_head */
    double dropout, drop_path; /* -1: the architecture's own */
    const char *backbone;      /* of networks for segmentation; NULL or "auto": the usual one */
    int output_stride;         /* of theirs; 0: their own */
    int up;                    /* tips_up */
    int classes;
    int channels; /* of the input */
    int seed;
    int threads;                      /* of the run; 0: all cores */
    struct tips_blueprint *blueprint; /* of arch "graph", borrowed; no option */
} tips_model_options;

extern const tips_option tips__model_rows[];

/* From options to a network: finds the architecture, reads operator, norm and task, and fills in what is 0 or auto.
 * Seed and threads do not count here; a run sets the threads itself. */
tips_status tips__model_options_resolve(const tips_model_options *o, const tips_arch **arch, tips_arch_config *config,
                                        tips_task_spec *task) TIPS_MUST_CHECK;
/* The task alone; without an architecture the usual one. */
tips_status tips__model_options_task(const tips_model_options *o, tips_task_spec *task) TIPS_MUST_CHECK;
/* The same for an operator alone: no architecture, nothing filled in. */
tips_status tips__model_options_read(const tips_model_options *o, tips_arch_config *config) TIPS_MUST_CHECK;

/* And back: the options that make this network, without task, seed and threads. They borrow from `texts`. */
typedef struct tips_network_texts {
    char pool[512], other[512], norm[256];
} tips_network_texts;
tips_model_options tips__model_options_of(const tips_arch *arch, const tips_arch_config *config,
                                          tips_network_texts *texts);

#endif
