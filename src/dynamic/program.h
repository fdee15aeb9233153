/* A list of operators on arrays, run one after the other: what follows a network where sizes depend on numbers, such as
 * the suppression of boxes. Operators, their attributes and their meaning are ONNX's; whoever reads a file makes a
 * program of it. A value is a number, set once by a constant, an input or a node; blocks within blocks (the branches of
 * If, the body of Loop) see the values around them. */
#ifndef TIPS_DYNAMIC_PROGRAM_H
#define TIPS_DYNAMIC_PROGRAM_H

#include "dynamic/array.h"

enum { TIPS_PROGRAM_NONE = -1 };

typedef struct tips_program tips_program;

/* `opset`: the version of ONNX's operators. */
tips_status tips__program_create(int opset, tips_program **out) TIPS_MUST_CHECK;
tips_program *tips__program_keep(tips_program *program); /* another owner */
void tips__program_release(tips_program *program);

/* Whether there is an operator of this name. */
bool tips__program_knows(const char *operator_name);

/* Making. Whatever fails leaves the program fit to be released only. */
tips_status tips__program_new_value(tips_program *program, int *out) TIPS_MUST_CHECK;
/* Takes the array over, whatever the status. */
tips_status tips__program_constant(tips_program *program, int value, tips_array *array) TIPS_MUST_CHECK;

/* An input is a map (c, h, w) of the network, seen as an array: element (i, j, ...) lies at i strides[0] + j strides[1]
 * + ... */
typedef struct tips_program_input {
    int value;
    int map; /* which of the network's outputs */
    int n_dims;
    int64_t dims[TIPS_ARRAY_MOST_DIMS], strides[TIPS_ARRAY_MOST_DIMS];
} tips_program_input;
tips_status tips__program_input(tips_program *program, const tips_program_input *input) TIPS_MUST_CHECK;
tips_status tips__program_output(tips_program *program, const char *name, int value) TIPS_MUST_CHECK;

/* Block 0 is the program itself; nodes run in the order they are added. Values may be TIPS_PROGRAM_NONE where ONNX
 * leaves out a name. */
tips_status tips__program_new_block(tips_program *program, int *block) TIPS_MUST_CHECK;
tips_status tips__program_block_ends(tips_program *program, int block, const int *inputs, int n_inputs,
                                     const int *outputs, int n_outputs) TIPS_MUST_CHECK;
tips_status tips__program_node(tips_program *program, int block, const char *operator_name, const char *name,
                               const int *in, int n_in, const int *out, int n_out) TIPS_MUST_CHECK;
/* Attributes of the node that was added last to the block. */
tips_status tips__program_ints(tips_program *program, int block, const char *name, const int64_t *ints,
                               int count) TIPS_MUST_CHECK;
tips_status tips__program_floats(tips_program *program, int block, const char *name, const float *floats,
                                 int count) TIPS_MUST_CHECK;
tips_status tips__program_text(tips_program *program, int block, const char *name, const char *text,
                               size_t length) TIPS_MUST_CHECK;
tips_status tips__program_array(tips_program *program, int block, const char *name,
                                tips_array *array) TIPS_MUST_CHECK; /* taken over, whatever the status */
tips_status tips__program_graph(tips_program *program, int block, const char *name, int inner) TIPS_MUST_CHECK;

int tips__program_node_count(const tips_program *program); /* of block 0 */
size_t tips__program_reads(const tips_program *program);   /* elements of the largest map that it looks at */
int tips__program_output_count(const tips_program *program);
const char *tips__program_output_name(const tips_program *program, int i);

/* Runs it on a sample's maps, (c, h, w) each. outputs (output count) are the caller's then. Several threads may run one
 * program. */
tips_status tips__program_run(const tips_program *program, const float *const *maps,
                              tips_array *outputs) TIPS_MUST_CHECK;
/* One operator on arrays, by the same code: in (n_in) of type TIPS_ARRAY_NONE are left out. For a program of one node
 * whose inputs are values 0..n_in-1 and whose output is value n_in. */
tips_status tips__program_fold(const tips_program *program, const tips_array *in, int n_in,
                               tips_array *out) TIPS_MUST_CHECK;

#endif
