/* A graph in evaluation, told as a list of basic operators with the names and meanings they have in ONNX. Layers and
 * pooling operators emit themselves (tips_layer.emit) through the calls below; who writes files reads the record.
 *
 * An operand is a tensor of the record. Maps are (n, c, h, w) floats, indices (n, 1, 1, 1) whole numbers; batch, height
 * and width are not known while emitting. Errors stick: after the first one every call returns TIPS_NO_OPERAND. */
#ifndef TIPS_EMIT_EMIT_H
#define TIPS_EMIT_EMIT_H

#include <limits.h>

#include "graph/builder.h"

typedef int tips_operand;
enum { TIPS_NO_OPERAND = -1 };

/* ONNX' numbers for types. */
typedef enum tips_operand_type {
    TIPS_OPERAND_FLOAT = 1,
    TIPS_OPERAND_INT64 = 7,
    TIPS_OPERAND_BOOL = 9,
    TIPS_OPERAND_DOUBLE = 11
} tips_operand_type;

typedef enum tips_attribute_type {
    TIPS_ATTRIBUTE_INT,
    TIPS_ATTRIBUTE_FLOAT,
    TIPS_ATTRIBUTE_TEXT,
    TIPS_ATTRIBUTE_INTS
} tips_attribute_type;

enum { TIPS_MOST_INTS = 8 };

typedef struct tips_attribute {
    const char *name; /* NULL closes a list */
    tips_attribute_type type;
    int64_t i;
    float f;
    const char *s;
    int64_t ints[TIPS_MOST_INTS];
    int n_ints;
} tips_attribute;

#define TIPS_WITH_INT(label, value) \
    { .name = label, .type = TIPS_ATTRIBUTE_INT, .i = (value) }
#define TIPS_WITH_FLOAT(label, value) \
    { .name = label, .type = TIPS_ATTRIBUTE_FLOAT, .f = (float)(value) }
#define TIPS_WITH_TEXT(label, value) \
    { .name = label, .type = TIPS_ATTRIBUTE_TEXT, .s = (value) }
#define TIPS_WITH_PAIR(label, a, b) \
    { .name = label, .type = TIPS_ATTRIBUTE_INTS, .ints = {a, b}, .n_ints = 2 }
#define TIPS_WITH_FOUR(label, a, b, c, d) \
    { .name = label, .type = TIPS_ATTRIBUTE_INTS, .ints = {a, b, c, d}, .n_ints = 4 }

/* The arguments of tips__emit_op: TIPS_OPERANDS(x, weight), TIPS_WITH(TIPS_WITH_INT("group", 4)) or NULL. */
#define TIPS_OPERANDS(...) \
    (const tips_operand[]){__VA_ARGS__}, (int)(sizeof((tips_operand[]){__VA_ARGS__}) / sizeof(tips_operand))
#define TIPS_WITH(...)         \
    (const tips_attribute[]) { \
        __VA_ARGS__, { 0 }     \
    }

/* An extent of an output: of a name where it is free, else a number. */
typedef struct tips_extent {
    const char *name; /* NULL: */
    int64_t size;
} tips_extent;

/* The map that a value of the graph became; and an output of the file, whose name and text outlive the emitter. */
tips_operand tips__emit_value(tips_emitter *to, tips_value value);
void tips__emit_output(tips_emitter *to, const char *name, tips_operand operand, tips_operand_type type,
                       const tips_extent *dims, int n_dims, const char *text);

/* An operator with one output. Trailing inputs that are TIPS_NO_OPERAND are left out. */
tips_operand tips__emit_op(tips_emitter *to, const char *op, const tips_operand *in, int n_in,
                           const tips_attribute *with);
/* The same with n_out outputs, the first of which is returned; the others have the numbers that follow. */
tips_operand tips__emit_op_many(tips_emitter *to, const char *op, const tips_operand *in, int n_in,
                                const tips_attribute *with, int n_out);

/* The node's own: inputs and outputs as maps, or as vectors (n, c) where the map has one pixel. */
tips_operand tips__emit_in(tips_emitter *to, const tips_node *node, int i);
tips_operand tips__emit_in_vector(tips_emitter *to, const tips_node *node, int i);
void tips__emit_out(tips_emitter *to, const tips_node *node, int i, tips_operand operand);
void tips__emit_out_vector(tips_emitter *to, const tips_node *node, int i, tips_operand operand);
/* For layers that work on either: all inputs in one form into `in`; true: vectors. */
bool tips__emit_ins(tips_emitter *to, const tips_node *node, tips_operand *in);
void tips__emit_out_like(tips_emitter *to, const tips_node *node, int i, tips_operand operand, bool is_vector);
/* The whole emission of a layer that is one operator without attributes. */
tips_status tips__emit_same(tips_emitter *to, const tips_node *node, const char *op);
tips_value_info tips__emit_in_info(const tips_emitter *to, const tips_node *node, int i);
tips_value_info tips__emit_out_info(const tips_emitter *to, const tips_node *node, int i);
/* Parameter i of the node under its own name, in plain order. TIPS_NO_OPERAND if the node has no such parameter. A norm
 * that is folded into the node scales parameter 0 and gives a bias to one that has none: see tips__emit_bias. */
tips_operand tips__emit_param(tips_emitter *to, const tips_node *node, int i);
tips_operand tips__emit_bias(tips_emitter *to, const tips_node *node, int i);
/* A parameter of one number for each channel, so that it spreads over a map: (c, 1, 1), or (c) for a vector. */
tips_operand tips__emit_spread_param(tips_emitter *to, const tips_node *node, int i, bool is_vector);
/* Whether input i has one pixel whatever the size of the graph's input. */
bool tips__emit_in_is_pixel(const tips_emitter *to, const tips_node *node, int i);

int tips__emit_opset(const tips_emitter *to);
/* Says that what is emitted holds for the height and width of the graph only. */
void tips__emit_fix_size(tips_emitter *to, const tips_node *node, const char *why);
void tips__emit_fail(tips_emitter *to, tips_status status);

/* Constants; equal ones are kept once. */
tips_operand tips__emit_floats(tips_emitter *to, const float *data, const int64_t *dims, int n_dims);
tips_operand tips__emit_float(tips_emitter *to, double value);  /* a scalar */
tips_operand tips__emit_double(tips_emitter *to, double value); /* a scalar */
tips_operand tips__emit_ints(tips_emitter *to, const int64_t *data, int count);
tips_operand tips__emit_int(tips_emitter *to, int64_t value); /* a scalar */

/* Operators whose form depends on the opset, or that take constants. */
tips_operand tips__emit_unary(tips_emitter *to, const char *op, tips_operand x);
tips_operand tips__emit_binary(tips_emitter *to, const char *op, tips_operand a, tips_operand b);
tips_operand tips__emit_cast(tips_emitter *to, tips_operand x, tips_operand_type type);
tips_operand tips__emit_reshape(tips_emitter *to, tips_operand x, const int64_t *dims, int n_dims);
tips_operand tips__emit_concat(tips_emitter *to, const tips_operand *in, int n_in, int axis);
/* Over one axis; `stop` INT_MAX: to the end; negative start and stop count from it. */
tips_operand tips__emit_slice(tips_emitter *to, tips_operand x, int axis, int start, int stop, int step);
/* Over height and width at once. */
tips_operand tips__emit_window(tips_emitter *to, tips_operand x, const int start[2], const int stop[2],
                               const int step[2]);
/* `op` is ReduceSum, ReduceMean or ReduceMax; the axes keep an extent of 1. */
tips_operand tips__emit_reduce(tips_emitter *to, const char *op, tips_operand x, const int *axes, int n_axes);
/* Over the last axis, which is `axis`. */
tips_operand tips__emit_softmax(tips_emitter *to, const char *op, tips_operand x, int axis);
/* The map of height h and width w with its border written out; `value` is what lies beyond a zero border. */
tips_operand tips__emit_pad(tips_emitter *to, const tips_node *node, tips_operand x, tips_value_info size,
                            const tips_padding *padding, double value);

#endif
