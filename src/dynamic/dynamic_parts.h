/* What the files of the dynamic operators share: the program as it is kept, and a node's view of its run. */
#ifndef TIPS_DYNAMIC_DYNAMIC_PARTS_H
#define TIPS_DYNAMIC_DYNAMIC_PARTS_H

#include "core/fail.h"
#include "core/memory.h"
#include "dynamic/program.h"

typedef enum dynamic_kind { DYNAMIC_INTS, DYNAMIC_FLOATS, DYNAMIC_TEXT, DYNAMIC_ARRAY, DYNAMIC_GRAPH } dynamic_kind;

typedef struct dynamic_attribute {
    char *name;
    dynamic_kind kind;
    int count;
    int64_t *ints;
    float *floats;
    char *text;
    tips_array array;
    int block;
} dynamic_attribute;

typedef struct dynamic_operator dynamic_operator;

typedef struct dynamic_node {
    const dynamic_operator *op;
    char *name;
    int n_in, n_out, *in, *out; /* values */
    dynamic_attribute *attributes;
    int n_attributes;
} dynamic_node;

typedef struct dynamic_block {
    dynamic_node *nodes;
    int n_nodes;
    int *inputs, n_inputs, *outputs, n_outputs;
} dynamic_block;

struct tips_program {
    int references, opset;
    int n_values, values_room;
    tips_array *constants; /* (n_values) */
    dynamic_block *blocks;
    int n_blocks;
    tips_program_input *inputs;
    int n_inputs;
    int *outputs; /* values */
    char **output_names;
    int n_outputs;
};

/* A run, and the node at hand. */
typedef struct dynamic_run {
    const tips_program *program;
    tips_array *made;       /* (n_values): what nodes and inputs set */
    const tips_array *lent; /* (n_lent): values that belong to the caller */
    int n_lent;
    const dynamic_node *node;
    size_t bytes;  /* of `made` */
    int64_t steps; /* nodes that ran */
    int depth;     /* of blocks */
} dynamic_run;

struct dynamic_operator {
    const char *name;
    int least_in, most_in, most_out;
    tips_status (*run)(dynamic_run *r);
};

#define DYNAMIC(op, least, most, outs, function) tips_status tips__dynamic_##function(dynamic_run *r) TIPS_MUST_CHECK;
#include "dynamic_ops.def"
#undef DYNAMIC
const dynamic_operator *tips__dynamic_find(const char *name); /* NULL if there is none */

/* A value; NULL where it is not set. */
const tips_array *tips__dynamic_value(const dynamic_run *r, int value);
/* Input i of the node; NULL where it is left out. */
const tips_array *tips__dynamic_in(const dynamic_run *r, int i);
bool tips__dynamic_wants(const dynamic_run *r, int i); /* output i */
/* Output i of the node, with memory that is not set. */
tips_status tips__dynamic_out(dynamic_run *r, int i, tips_array_type type, int n_dims, const int64_t *dims,
                              tips_array **out) TIPS_MUST_CHECK;
/* A value becomes `array`, which is taken over whatever the status. */
tips_status tips__dynamic_put(dynamic_run *r, int value, tips_array *array) TIPS_MUST_CHECK;
tips_status tips__dynamic_run_block(dynamic_run *r, int block) TIPS_MUST_CHECK;

/* Input i as floats, or as whole numbers; refuses others. */
tips_status tips__dynamic_floats(const dynamic_run *r, int i, const tips_array **out) TIPS_MUST_CHECK;
tips_status tips__dynamic_ints(const dynamic_run *r, int i, const tips_array **out) TIPS_MUST_CHECK;
/* The one number that input i holds, as a double; `fallback` where it is left out. */
tips_status tips__dynamic_scalar(const dynamic_run *r, int i, double fallback, double *out) TIPS_MUST_CHECK;
tips_status tips__dynamic_whole(const dynamic_run *r, int i, int64_t fallback, int64_t *out) TIPS_MUST_CHECK;

/* Attributes. */
const dynamic_attribute *tips__dynamic_attribute(const dynamic_run *r, const char *name);
int64_t tips__dynamic_int(const dynamic_run *r, const char *name, int64_t fallback);
double tips__dynamic_float(const dynamic_run *r, const char *name, double fallback);
const char *tips__dynamic_text(const dynamic_run *r, const char *name, const char *fallback);
/* Whole numbers that are an attribute or, where that is missing, input i; *count -1: neither. */
tips_status tips__dynamic_list(const dynamic_run *r, const char *name, int i, const int64_t **out,
                               int *count) TIPS_MUST_CHECK;
/* An axis of an array of n_dims, counted from the end where it is negative. */
tips_status tips__dynamic_axis(int64_t axis, int n_dims, int *out) TIPS_MUST_CHECK;
/* The attribute `axis` of an array; the product of the extents before and behind it. */
typedef struct dynamic_split {
    int axis;
    size_t outer, extent, inner;
} dynamic_split;
dynamic_split tips__dynamic_split_of(const tips_array *a, int axis);

/* Distances of neighbours along each axis; 0 along axes that a is spread over to reach n_dims dims. */
void tips__dynamic_strides(const tips_array *a, int n_dims, const int64_t *dims, size_t *strides);
/* The common shape of arrays that are spread over each other. */
tips_status tips__dynamic_spread(const tips_array *const *in, int n_in, int *n_dims,
                                 int64_t dims[TIPS_ARRAY_MOST_DIMS]) TIPS_MUST_CHECK;
/* Goes through dims, the last axis fastest: at[k] moves by strides[k]. */
enum { DYNAMIC_MOST_WALKERS = 3 };
typedef struct dynamic_walk {
    int n_dims, n;
    int64_t dims[TIPS_ARRAY_MOST_DIMS], index[TIPS_ARRAY_MOST_DIMS];
    size_t strides[DYNAMIC_MOST_WALKERS][TIPS_ARRAY_MOST_DIMS], at[DYNAMIC_MOST_WALKERS];
} dynamic_walk;
void tips__dynamic_next(dynamic_walk *walk);

#endif
