/* A model on disk: one .safetensors file with weights, running statistics and, as metadata, everything needed to run.
 * Tensor names follow torchvision's ResNet; files from there load by name. */
#ifndef TIPS_MODEL_MODEL_FILE_H
#define TIPS_MODEL_MODEL_FILE_H

#include "data/dataset.h"
#include "exchange/safetensors.h"
#include "graph/params.h"
#include "image/colours.h"
#include "image/preprocess.h"
#include "model/input_origin.h"
#include "task/model.h"

enum { TIPS_MODEL_TEXT = 160 };

/* What a file says besides its tensors. */
typedef struct tips_model_info {
    const tips_arch *arch;
    tips_task_spec task;
    tips_arch_config config; /* classes, input size and channels, width, down, stem, padding, operator */
    float mean[3], std[3];   /* of inputs in 0..1 */
    tips_input_origin mean_from, std_from;
    int resize;              /* see tips_preprocess */
    bool fit_inside;
    tips_placement placement;
    bool bgr;                      /* channels are blue, green, red; mean and std are in their order */
    char **class_names;            /* (config.classes), or NULL */
    tips_colours class_colours;    /* that masks are shown in: 256, or none */
    char dataset[TIPS_MODEL_TEXT]; /* spec it was trained on, "" if none */
    char training[1024];           /* a JSON object: epochs, seed, accuracy, ..., "" if none */
    char version[32];              /* of the program that wrote it */
    const char
        *stored; /* "float16": what most numbers of the file are, which are computed with in float32; NULL: that */
} tips_model_info;

/* A mean of 0.5 and a deviation of 0.25 by default, nothing else set. */
void tips__model_info_init(tips_model_info *info);
void tips__model_info_clear(tips_model_info *info);
/* A copy of names for class_names; all NULL on failure. */
tips_status tips__model_info_set_classes(tips_model_info *info, const char *const *names, int count) TIPS_MUST_CHECK;

/* `info->arch` and `info->config` must be what made the graph of `params`; its version is not read. */
tips_status tips__model_save(const char *path, const tips_model_info *info, const tips_params *params) TIPS_MUST_CHECK;

/* A way to write a model; that above is one. */
typedef tips_status (*tips_model_writer)(const char *path, const tips_model_info *info, const tips_params *params);

/* What a file says of the training behind it, of any format, without its network being read. */
typedef struct tips_model_origin {
    char dataset[TIPS_MODEL_TEXT]; /* as in its info; "" if it says none */
    int seed;                      /* -1 if it does not say */
    double val_split;              /* 0 if it does not say */
    bool val_is_test;              /* its best epoch was chosen on the test pictures */
} tips_model_origin;
/* false where the file cannot be read or says nothing; whoever reads it in full says why. */
bool tips__model_origin_load(const char *path, tips_model_origin *out);
/* The same of a model that was. */
tips_model_origin tips__model_origin(const tips_model_info *info);

/* How pictures become the model's input, and who says so. */
tips_preprocess tips__model_preprocess(const tips_model_info *info);
tips_input_facts tips__model_input(const tips_model_info *info);
/* The same mean, deviation and order of channels, and who says so; or ImageNet's, as a guess. */
void tips__input_take(const tips_model_info *from, tips_model_info *to);
void tips__input_guess_imagenet(tips_model_info *info);

/* The colours that masks of its classes are shown in: the file's, else VOC's. */
tips_colours tips__model_colours(const tips_model_info *info);
/* The first class that is shown over a picture: 1 where 0 is background, as far as the names say. */
int tips__model_first_shown(const tips_model_info *info);

/* A loaded model; `training` adds label and loss to the graph. */
typedef struct tips_loaded_model {
    tips_model_info info;
    tips_preprocess preprocess; /* as info says */
    tips_model model;
    tips_params *params;
    struct {
        int size[2], resize, fit[2];
    } original; /* what the file says of its input, whatever size it was loaded for */
    bool lone_channel; /* one number a pixel was read as the logit of the second of two classes, which is a guess */
} tips_loaded_model;
tips_status tips__model_load(const char *path, bool training, tips_loaded_model *out) TIPS_MUST_CHECK;
/* The same; an ONNX file that leaves the size of its input open, or whose layers do not depend on it, takes `size`
 * (height, width) if that is not NULL or 0. */
tips_status tips__model_load_at(const char *path, const int size[2], bool training,
                                tips_loaded_model *out) TIPS_MUST_CHECK;
/* How a file is to be read; all NULL: as it says itself. */
typedef struct tips_read_as {
    const int *size;    /* as above */
    const char *output; /* of an ONNX file with several: the one with the logits, else the first */
    const char *boxes;  /* of an ONNX detector: what its outputs mean, or "auto" */
    const char *task;   /* that it was made for, in words of --task, else what its output looks like */
} tips_read_as;
tips_status tips__model_load_as(const char *path, const tips_read_as *as, bool training,
                                tips_loaded_model *out) TIPS_MUST_CHECK;
void tips__loaded_model_destroy(tips_loaded_model *loaded);
/* The height and width of the logits of a network that answers at another size than its input's, which they are brought
 * to; untouched else. */
void tips__model_small_logits(const tips_loaded_model *loaded, int size[2]);
/* Builds the network again from its info, with the parameters it has, for inputs of height and width `size`; `training`
 * adds label and loss. */
tips_status tips__loaded_model_rebuild(tips_loaded_model *loaded, const int size[2], bool training) TIPS_MUST_CHECK;

/* Whether a file is to be read as ONNX: by its name, else by its first bytes. */
tips_status tips__model_is_onnx(const char *path, bool *out) TIPS_MUST_CHECK;
/* What any model file says besides its tensors; cleared by tips__model_info_clear. */
tips_status tips__model_info_load(const char *path, tips_model_info *out) TIPS_MUST_CHECK;

/* What becomes of the classifier, the last layer with weights. */
typedef enum tips_classifier_rule {
    TIPS_CLASSIFIER_TAKEN,     /* it is loaded; one of another size is refused */
    TIPS_CLASSIFIER_SKIPPED,   /* it keeps its start */
    TIPS_CLASSIFIER_IF_IT_FITS /* it keeps its start where the file has one of another shape, or none at all */
} tips_classifier_rule;

/* Weights alone, by name, into a network built elsewhere (--weights). Missing and left-over tensors and differing
 * shapes are named; parameters of pooling operators may be missing (they keep their start). */
typedef struct tips_weights_report {
    int loaded, missing, unused;
} tips_weights_report;
tips_status tips__weights_load(const char *path, tips_params *params, tips_classifier_rule classifier,
                               tips_weights_report *report) TIPS_MUST_CHECK;

/* The same from a network in memory. */
tips_status tips__weights_copy(const tips_params *from, tips_params *to, tips_classifier_rule classifier,
                               tips_weights_report *report) TIPS_MUST_CHECK;

/* Whether a parameter of this name belongs to a pooling operator. */
bool tips__param_is_operators(const char *name);

/* Where metadata goes: whatever file takes texts under keys. */
typedef struct tips_metadata_sink {
    tips_status (*add)(void *context, const char *key, const char *value);
    void *context;
} tips_metadata_sink;
/* Everything in `info` as metadata. */
tips_status tips__model_info_write(const tips_model_info *info, const tips_metadata_sink *sink) TIPS_MUST_CHECK;

/* The parts of loading, for those who only look. */
bool tips__model_is_ours(const tips_safetensors *file);
tips_status tips__model_info_read(const tips_safetensors *file, tips_model_info *out) TIPS_MUST_CHECK;
/* Whether the file's tensors are those of the graph, no more and no less, and of the same shapes. */
tips_status tips__model_check(const tips_safetensors *file, const tips_graph *graph) TIPS_MUST_CHECK;

#endif
