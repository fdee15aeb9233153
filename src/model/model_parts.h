/* What the files behind model_file.h share. */
#ifndef TIPS_MODEL_MODEL_PARTS_H
#define TIPS_MODEL_MODEL_PARTS_H

#include "model/model_file.h"

/* Where it comes from; NULL under a key that is not there. */
typedef struct tips_metadata_source {
    const char *(*find)(const void *context, const char *key);
    const void *context;
} tips_metadata_source;
tips_status tips__model_info_read_from(const tips_metadata_source *from, tips_model_info *out) TIPS_MUST_CHECK;

/* An ONNX file: somebody's network as a blueprint, or an export of ours as what it was. */
tips_status tips__onnx_model_load(const char *path, const tips_read_as *as, bool training,
                                  tips_loaded_model *out) TIPS_MUST_CHECK;
/* Its metadata alone; nothing where the file cannot be read. */
void tips__onnx_model_origin(const char *path, tips_model_origin *out);
/* The same from metadata, wherever they come from. */
tips_model_origin tips__model_origin_from(const tips_metadata_source *from);
/* Notes what info says as what the file said. */
void tips__note_original(tips_loaded_model *loaded);
/* ["cat","dog"] as text; freed by tips__free. */
tips_status tips__class_names_format(char *const *names, int count, char **out) TIPS_MUST_CHECK;
/* Refuses what is not an array of `count` texts. */
tips_status tips__class_names_parse(const char *text, int count, char ***out) TIPS_MUST_CHECK;
void tips__class_names_free(char **names, int count);
/* "000000800000": the colours of the first `count` classes as text, freed by tips__free; and back, with VOC's behind
 * them. */
tips_status tips__class_colours_format(const tips_colours *colours, int count, char **out) TIPS_MUST_CHECK;
tips_status tips__class_colours_parse(const char *text, int count, tips_colours *out) TIPS_MUST_CHECK;
/* Refuses what is not one JSON object. */
tips_status tips__check_json_object(const char *text) TIPS_MUST_CHECK;

/* Which differences between a file and a graph are allowed. */
typedef struct tips_weights_rules {
    bool operators;  /* parameters of pooling operators may be missing or left over */
    bool classifier; /* the classifier is left alone */
} tips_weights_rules;

/* Whether it is for training alone, so that a network may be without: the second classifier of torchvision's
 * segmentation networks, the projection of contrastive learning. */
bool tips__weight_is_of_training(const char *name);
/* Whether a parameter of this name belongs to the classifier of the graph. */
bool tips__is_classifiers(const tips_graph *graph, const char *name);
/* Whether the graph's classifier has another shape in the file, or is not there at all. */
bool tips__weights_have_other_classifier(const tips_safetensors *file, const tips_graph *graph);
/* Finds a tensor for each parameter: sources (parameters), an index into the file or -1 where it keeps its value. */
tips_status tips__weights_match(const tips_safetensors *file, const tips_graph *graph, tips_weights_rules rules,
                                int *sources, tips_weights_report *report) TIPS_MUST_CHECK;
tips_status tips__weights_read(const tips_safetensors *file, const int *sources, tips_params *params) TIPS_MUST_CHECK;

#endif
