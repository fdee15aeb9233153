/* tips convert: somebody's model in, a model that keeps its answer under shifts out. */
#ifndef TIPS_CONVERT_CONVERT_MODEL_H
#define TIPS_CONVERT_CONVERT_MODEL_H

#include "convert/convert_advice.h"
#include "convert/convert_agreement.h"
#include "model/input_options.h"

typedef struct tips_convert_config {
    const char *model, *out;
    const char *pool; /* "tips-exact:psi=full" */
    int lpf;
    int padding; /* tips_pad_mode, or one more: as it was, or two more: what is recommended */
    int head;    /* 0: anchored, 1: gap */
    tips_input_options input; /* what the model does not say of its input; kept in the file */
    const char *data;         /* pictures to compare the answers on, NULL: none */
    int limit;                /* of them; 0: all */
} tips_convert_config;

/* "zero", "circular", ..., "keep", "advised" and "anchor", "gap". */
extern const char *const tips__convert_paddings[], *const tips__convert_heads[];

typedef struct tips_convert_result {
    tips_conversion conversion;
    char pool[256];
    int size[2];
    int multiple[2];          /* exactness asks for sizes that these divide */
    size_t parameters, added; /* trainable: in all, and those of the operators */
    const char *still_breaks; /* layer that breaks equivariance by construction, or NULL; lives in the result */
    bool teaches; /* the original can be a teacher of the converted network */
    char breaks_layer[256], breaks_reason[64];
    tips_convert_advice advice;
    tips_input_facts input; /* of the network that was written */
    bool keeps_padding;
    const char *stored; /* as in tips_model_info, of the original */
    tips_convert_agreement agreement;
} tips_convert_result;

tips_status tips__convert_model(const tips_convert_config *config, tips_convert_result *out) TIPS_MUST_CHECK;
void tips__convert_result_free(tips_convert_result *result);

#endif
