/* A network as a list of steps, for networks that come from elsewhere: read from ONNX, rewritten by conversion, kept in
 * model files as JSON. A step is a layer with its config, or a pooling operator with its place; steps read earlier
 * ones, so a blueprint has no cycles. Sizes are not part of it: they follow from the input when a graph is built. */
#ifndef TIPS_ARCH_BLUEPRINT_H
#define TIPS_ARCH_BLUEPRINT_H

#include "arch/arch.h"
#include "core/name_map.h"
#include "decode/decode.h"
#include "dynamic/program.h"

enum {
    TIPS_BLUEPRINT_INPUT = -1,
    TIPS_BLUEPRINT_NOTHING = -2,
    TIPS_BLUEPRINT_UNDOES = 8,
    TIPS_BLUEPRINT_OUTPUTS = TIPS_MOST_WHOLES
};
/* The step that brings the logits of pixels to the input's size where the network itself does not. */
#define TIPS_BLUEPRINT_TO_INPUT "to_input"

typedef struct tips_step {
    char *name;                /* unique, not empty; parameters are "<name>.weight" and so on */
    const tips_layer *layer;   /* NULL: a pooling operator */
    void *config;              /* layer->config_size bytes, or NULL where that is 0 */
    tips_pool_spec pool;       /* the operator and the low-pass filter before it */
    int stride[2];             /* of the operator */
    tips_pad_mode padding;     /* of the operator */
    int shares;                /* step whose choice of phase this operator follows, or TIPS_BLUEPRINT_NOTHING */
    int n_in, in[TIPS_MAX_IN]; /* earlier steps, or TIPS_BLUEPRINT_INPUT */
    int n_undone, undone[TIPS_BLUEPRINT_UNDOES]; /* operators whose phases a layer that enlarges follows, the last one
                                                    made first */
    int last_twin; /* of steps that wanted this name too, the number that the last one got */
} tips_step;

typedef struct tips_blueprint {
    tips_step *steps;
    int n_steps, capacity, references;
    tips_name_map by_name; /* of the steps */
    int output;   /* step with the logits (classes, 1, 1), or (classes, h, w) of the input */
    int channels; /* of the input */
    int classes;  /* of the output; 0: not known yet */
    /* Where several steps are put out, and a program makes the answer of them; else none and NULL. */
    int n_outputs, outputs[TIPS_BLUEPRINT_OUTPUTS];
    tips_program *program;
    int program_size[2];    /* the input's height and width that the program is made for */
    tips_decode_spec boxes; /* what the program puts out, once it is known */
} tips_blueprint;

tips_status tips__blueprint_create(int channels, tips_blueprint **out) TIPS_MUST_CHECK;
/* Another owner, and one owner less; the last one frees it. Owners on several threads must take turns. */
tips_blueprint *tips__blueprint_keep(tips_blueprint *blueprint);
void tips__blueprint_release(tips_blueprint *blueprint);
tips_status tips__blueprint_copy(const tips_blueprint *from, tips_blueprint **out) TIPS_MUST_CHECK;

/* Adds a layer; `config` (config_size bytes) is copied. Its number in *step. A name that is taken gets "_2", "_3", ...
 */
tips_status tips__blueprint_add(tips_blueprint *blueprint, const tips_layer *layer, const char *name,
                                const void *config, const int *in, int n_in, int *step) TIPS_MUST_CHECK;
/* Lets a layer follow the phases that operators before it have chosen, the last one made first. */
tips_status tips__blueprint_undo(tips_blueprint *blueprint, int step, const int *operators, int count) TIPS_MUST_CHECK;
/* Adds an operator. `shares`: an earlier operator's step, or TIPS_BLUEPRINT_NOTHING. */
tips_status tips__blueprint_add_pool(tips_blueprint *blueprint, const char *name, const tips_pool_spec *pool,
                                     const int stride[2], tips_pad_mode padding, int shares, int in,
                                     int *step) TIPS_MUST_CHECK;
int tips__blueprint_find(const tips_blueprint *blueprint, const char *name); /* TIPS_BLUEPRINT_NOTHING if none */

/* Training wants logits: a final softmax is left out. */
void tips__blueprint_skip_softmax(tips_blueprint *blueprint);
/* Gives the last linear layer or convolution before the output so many outputs; fails if others read it too. */
tips_status tips__blueprint_set_classes(tips_blueprint *blueprint, int classes) TIPS_MUST_CHECK;

/* As one line of JSON, freed by tips__free, and back; what is read is checked throughout. */
tips_status tips__blueprint_format(const tips_blueprint *blueprint, char **out) TIPS_MUST_CHECK;
tips_status tips__blueprint_parse(const char *text, size_t length, tips_blueprint **out) TIPS_MUST_CHECK;

/* Adds all steps to a graph and returns the output. values[i], if wanted, gets the value of step i. */
tips_value tips__blueprint_build(tips_graph *graph, const tips_blueprint *blueprint, tips_value input,
                                 tips_value *values);

/* The architecture of networks that are blueprints: config.blueprint holds the network. */
extern const tips_arch tips__arch_graph;

#endif
