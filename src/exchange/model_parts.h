/* What the files behind model_file.h share. */
#ifndef TIPS_EXCHANGE_MODEL_PARTS_H
#define TIPS_EXCHANGE_MODEL_PARTS_H

#include "exchange/model_file.h"

/* Everything in `info` as metadata. */
tips_status tips__model_info_write(const tips_model_info *info, tips_safetensors_writer *w) TIPS_MUST_CHECK;
/* ["cat","dog"] as text; freed by tips__free. */
tips_status tips__class_names_format(char *const *names, int count, char **out) TIPS_MUST_CHECK;
/* Refuses what is not an array of `count` texts. */
tips_status tips__class_names_parse(const char *text, int count, char ***out) TIPS_MUST_CHECK;
void tips__class_names_free(char **names, int count);
/* Refuses what is not one JSON object. */
tips_status tips__check_json_object(const char *text) TIPS_MUST_CHECK;

/* Which differences between a file and a graph are allowed. */
typedef struct tips_weights_rules {
    bool operators;  /* parameters of pooling operators may be missing or left over */
    bool classifier; /* the classifier is left alone */
} tips_weights_rules;

/* Finds a tensor for each parameter: sources (parameters), an index into the file or -1 where it keeps its value. */
tips_status tips__weights_match(const tips_safetensors *file, const tips_graph *graph, tips_weights_rules rules,
                                int *sources, tips_weights_report *report) TIPS_MUST_CHECK;
tips_status tips__weights_read(const tips_safetensors *file, const int *sources, tips_params *params) TIPS_MUST_CHECK;

#endif
