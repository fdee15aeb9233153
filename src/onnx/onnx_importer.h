/* What the files of the ONNX importer share. Nodes are taken in order; each value becomes a constant, computed on the
 * spot, or a map: a step of the blueprint together with the way the graph looks at it. The same steps go into a graph
 * that is never run, so that shapes come from the layers' own rules. */
#ifndef TIPS_ONNX_ONNX_IMPORTER_H
#define TIPS_ONNX_ONNX_IMPORTER_H

#include "layer/layers.h"
#include "onnx/onnx_import.h"
#include "onnx/onnx_parts.h"

typedef enum onnx_value_kind {
    ONNX_UNSET,
    ONNX_CONSTANT,
    ONNX_MAP,
    ONNX_LATER,  /* left to the program behind the network */
    ONNX_CLASSES /* the channel of a map that is the largest at each pixel: `step` and the view are the map's */
} onnx_value_kind;

/* A map (c, h, w) of one sample in its plain order, seen as a tensor: element (i, j, ...) lies at i strides[0] +
 * j strides[1] + ... So Reshape, Transpose and the like cost nothing until a layer needs the result. */
typedef struct onnx_value {
    onnx_value_kind kind;
    onnx_tensor tensor; /* of a constant */
    int step;           /* of a map */
    tips_value value;   /* its value in the graph */
    int n_dims;
    int64_t dims[TIPS_ONNX_MAX_DIMS], strides[TIPS_ONNX_MAX_DIMS];
    int batch;      /* the axis of the samples, of extent 1 here; ONNX_NONE once it is joined with others */
    bool is_padded; /* dims include a border that is not added yet: a convolution may take it over */
    tips_padding border;
} onnx_value;

/* Several nodes that are one layer of a value; the last of them stands for it. */
typedef enum onnx_whole_kind { ONNX_NO_WHOLE, ONNX_GELU, ONNX_LAYER_NORM } onnx_whole_kind;
typedef struct onnx_whole {
    onnx_whole_kind kind;
    int of;           /* value */
    int weight, bias; /* of a layer norm: values, or ONNX_NONE */
    int64_t axis;
    double eps;
} onnx_whole;

typedef struct onnx_importer {
    tips_onnx *file;
    tips_imported *out;
    tips_blueprint *blueprint;
    tips_graph *graph;
    onnx_value *values; /* (file->n_values) */
    int *uses;          /* (file->n_values): inputs of needed nodes, and the output */
    bool *needed;       /* (file->n_nodes): the output depends on it */
    onnx_whole *wholes; /* (file->n_nodes): what the node and those before it are together */
    int opset;
    int64_t batch;              /* samples that the file is made for; 0: any. Here it is 1 everywhere */
    size_t folded, most_folded; /* bytes of computed constants */
    tips_value input;           /* of the graph: the picture */
    const onnx_node *node;      /* being imported */
    bool *later;                /* (file->n_nodes): left to a program; NULL: there is to be none */
} onnx_importer;

/* An operator: for a map among its inputs, and for constants alone. Either may be NULL. */
typedef tips_status (*onnx_map_fn)(onnx_importer *im);
typedef tips_status (*onnx_fold_fn)(onnx_importer *im, onnx_tensor *out);
typedef struct onnx_operator {
    const char *name;
    onnx_map_fn map;
    onnx_fold_fn fold;
} onnx_operator;
const onnx_operator *tips__onnx_operator_find(const char *name); /* NULL if there is none */

/* Inputs and outputs of the node at hand; NULL where absent. */
onnx_value *tips__onnx_in(const onnx_importer *im, int i);
const onnx_tensor *tips__onnx_const(const onnx_importer *im, int i); /* NULL where absent or not constant */
onnx_value *tips__onnx_out(const onnx_importer *im, int i);
bool tips__onnx_out_used(const onnx_importer *im, int i);
/* Input i as a map, or as a constant of floats; refuses others. */
tips_status tips__onnx_need_map(const onnx_importer *im, int i, onnx_value **out) TIPS_MUST_CHECK;
tips_status tips__onnx_need_floats(const onnx_importer *im, int i, const char *what,
                                   const onnx_tensor **out) TIPS_MUST_CHECK;
/* Whole numbers that are an attribute in old opsets and constant input `i` since `since`; *count -1: absent. */
tips_status tips__onnx_numbers(const onnx_importer *im, const char *name, int i, int since, int most, int64_t *out,
                               int *count) TIPS_MUST_CHECK;
tips_status tips__onnx_axis(int64_t axis, int n_dims, int *out) TIPS_MUST_CHECK;
/* A constant as the output of the node. */
tips_status tips__onnx_put_constant(onnx_importer *im, const onnx_tensor *tensor) TIPS_MUST_CHECK;

/* Names for steps: from the weights at input `weights` (ONNX_NONE: none), else from the node's path, else its operator.
 */
enum { ONNX_NAME = 256 };
void tips__onnx_step_name(const onnx_importer *im, int weights, char out[ONNX_NAME]);
bool tips__onnx_name_from(const onnx_importer *im, int value, char out[ONNX_NAME]); /* false: it is no weight's */
void tips__onnx_step_name_of(const onnx_importer *im, const char *suffix, char out[ONNX_NAME]);

/* Adds a step; its output, seen as (1, c, h, w), in *out, which may be one of the inputs. */
tips_status tips__onnx_add_step(onnx_importer *im, const tips_layer *layer, const char *name, const void *config,
                                const onnx_value *const *in, int n_in, onnx_value *out) TIPS_MUST_CHECK;
/* The same for a layer that treats elements or channels alone: *out is seen as *in is. */
tips_status tips__onnx_add_pointwise(onnx_importer *im, const tips_layer *layer, const char *name, const void *config,
                                     onnx_value *in, onnx_value *out) TIPS_MUST_CHECK;
/* A parameter of a step; `data` is copied. */
tips_status tips__onnx_add_tensor(onnx_importer *im, int step, const char *suffix, int n_dims, const int *dims,
                                  const float *data) TIPS_MUST_CHECK;
/* The same, not copied where it lies in the file, which stays open as long as the result is there. */
tips_status tips__onnx_lend_tensor(onnx_importer *im, int step, const char *suffix, int n_dims, const int *dims,
                                   const onnx_tensor *from) TIPS_MUST_CHECK;
const tips_value_info *tips__onnx_map_info(const onnx_importer *im, const onnx_value *v);

/* Views. A layout says which axes of a tensor are c, h and w; ONNX_NONE: none, the extent is 1. */
typedef struct onnx_layout {
    int axis[3];
} onnx_layout;
extern const onnx_layout tips__onnx_nchw;
tips_status tips__onnx_settle(onnx_importer *im, onnx_value *v) TIPS_MUST_CHECK; /* adds a border that is due */
onnx_layout tips__onnx_layout_of(const onnx_importer *im, const onnx_value *v);
/* Brings the map itself to (c, h, w) as the layout has it, by steps if need be. */
tips_status tips__onnx_arrange(onnx_importer *im, onnx_value *v, onnx_layout layout) TIPS_MUST_CHECK;
/* The same without a border being added to what is padded. */
tips_status tips__onnx_arrange_bare(onnx_importer *im, onnx_value *v, onnx_layout layout) TIPS_MUST_CHECK;
/* Looks at a new map (c, h, w) as a tensor of n_dims with that layout. */
void tips__onnx_look(const onnx_importer *im, onnx_value *v, int n_dims, onnx_layout layout);
tips_status tips__onnx_reshape(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) TIPS_MUST_CHECK;
/* The same where elements have to move. */
tips_status tips__onnx_reshape_moved(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) TIPS_MUST_CHECK;
/* Refuses to work along the axis of the samples. */
tips_status tips__onnx_check_batch(const onnx_value *v, int axis) TIPS_MUST_CHECK;
bool tips__onnx_is_laid_out(const onnx_importer *im, const onnx_value *v); /* as its layout has it */
/* A step on the map behind a view, which stays as it is. */
tips_status tips__onnx_rework(onnx_importer *im, onnx_value *v, const tips_layer *layer, const char *suffix,
                              const void *config) TIPS_MUST_CHECK;

/* Tensors of any rank: the axes, outermost first, that make up c, h and w. Axes of extent 1 may be left out. */
typedef struct onnx_groups {
    int n[3];
    int axis[3][TIPS_ONNX_MAX_DIMS];
} onnx_groups;
onnx_groups tips__onnx_groups_of_layout(onnx_layout layout);
/* As the map lies, if its channels are whole axes; else the usual ones. */
onnx_groups tips__onnx_groups_of(const onnx_importer *im, const onnx_value *v);
/* Axes first..first+count-1 as the channels. */
onnx_groups tips__onnx_with_channels(const onnx_importer *im, const onnx_value *v, int first, int count);
/* Brings the map itself to these groups, by steps if need be. */
tips_status tips__onnx_group(onnx_importer *im, onnx_value *v, const onnx_groups *groups) TIPS_MUST_CHECK;
/* Strides of a view whose map lies in these groups; the same for a new map, seen as `like` is. */
void tips__onnx_restride(onnx_value *v, const onnx_groups *groups);
void tips__onnx_look_grouped(onnx_value *v, const onnx_value *like, const onnx_groups *groups);
/* Which group an axis is in, and its place there; the product of the extents behind that place. */
bool tips__onnx_find_axis(const onnx_groups *groups, int axis, int *role, int *place);
int64_t tips__onnx_inner(const onnx_value *v, const onnx_groups *groups, int role, int place);

/* Constants as maps: input i of the node, seen as a tensor of `like`'s dims less those that it is spread over. */
tips_status tips__onnx_add_constant(onnx_importer *im, int i, const onnx_value *like, const onnx_groups *groups,
                                    onnx_value *out) TIPS_MUST_CHECK;
/* A tensor that was computed, as a map. */
tips_status tips__onnx_add_computed(onnx_importer *im, const onnx_tensor *t, const char *suffix,
                                    onnx_value *out) TIPS_MUST_CHECK;
/* x + input i, where that is learnt and has a number for every element of x; *done: it was, and is added. */
tips_status tips__onnx_add_positions(onnx_importer *im, int i, onnx_value *x, const onnx_groups *groups,
                                     onnx_value *out, bool *done) TIPS_MUST_CHECK;
/* The name that the file has for a constant, or one made for the node with the suffix. */
void tips__onnx_constant_name(const onnx_importer *im, int i, const char *suffix, char out[ONNX_NAME]);
/* Input i, which becomes a map if it is a constant; `own` holds it then. */
tips_status tips__onnx_any_map(onnx_importer *im, int i, onnx_value *own, onnx_value **out) TIPS_MUST_CHECK;
/* Where the elements lie that a constant has for each of `count` channels, rows or columns: the three add up. */
void tips__onnx_places(const onnx_tensor *t, const onnx_value *like, const onnx_groups *groups, int role, size_t *out);

/* More axes of extent 1 in front, so that tensors have as many. */
void tips__onnx_add_axes(onnx_value *v, int n_dims);
/* a (op) b, each spread over the other where it has extent 1; they may be rearranged. */
tips_status tips__onnx_two_maps(onnx_importer *im, tips_combine_op op, onnx_value *a, onnx_value *b,
                                onnx_value *out) TIPS_MUST_CHECK;
/* y = weight[c] x + bias[c], with one value for all channels where `count` is 1. */
tips_status tips__onnx_add_affine(onnx_importer *im, onnx_value *in, const float *weight, const float *bias,
                                  onnx_value *out) TIPS_MUST_CHECK;
/* A product of x, whose last axis is summed over, with constant weights (in, out), or (out, in) where `is_rows`. */
tips_status tips__onnx_add_weights(onnx_importer *im, onnx_value *x, const onnx_tensor *t,
                                   bool is_rows) TIPS_MUST_CHECK;
/* A norm over `count` axes from `axis` on, with a weight and a bias for each of their elements. */
tips_status tips__onnx_add_layer_norm(onnx_importer *im, onnx_value *x, int axis, int count, double eps,
                                      const float *weight, const float *bias, const char *name) TIPS_MUST_CHECK;
/* Concatenation along channels of any number of maps that are arranged alike; *out is seen as (1, c, h, w). */
tips_status tips__onnx_add_concat(onnx_importer *im, const onnx_value *const *in, int n_in,
                                  onnx_value *out) TIPS_MUST_CHECK;
/* Part of a map; none where it is all of it. */
tips_status tips__onnx_add_slice(onnx_importer *im, onnx_value *v, tips_axis axis, tips_slice slice) TIPS_MUST_CHECK;
/* One number for each of c channels of a map in that layout, from a constant that is spread over it. */
tips_status tips__onnx_per_channel(const onnx_tensor *t, const onnx_value *v, onnx_layout layout, int channels,
                                   float *out) TIPS_MUST_CHECK;

/* The first input that the output depends on, and the logits, of a picture or of every pixel; both with what the file
 * says of them. */
tips_status tips__onnx_take_input(onnx_importer *im, const int hint[2]) TIPS_MUST_CHECK;
tips_status tips__onnx_take_output(onnx_importer *im, int output) TIPS_MUST_CHECK;
/* Writes into im->out->detector why the outputs look like those of a detector, if they do: `output` is taken for logits
 * next. */
void tips__onnx_look_for_boxes(const onnx_importer *im, int output);
/* The same with all outputs of the file, made by a program of what was left for later. */
tips_status tips__onnx_take_program(onnx_importer *im) TIPS_MUST_CHECK;
/* Keeps those steps only that the blueprint's output, or its outputs, read. */
tips_status tips__onnx_drop_unread_steps(onnx_importer *im) TIPS_MUST_CHECK;
/* A constant as the arrays of programs are, and a node with constant inputs run as they run it. */
tips_status tips__onnx_array_from(const onnx_tensor *tensor, tips_array *out) TIPS_MUST_CHECK;
tips_status tips__onnx_fold_dynamic(onnx_importer *im, onnx_tensor *out) TIPS_MUST_CHECK;
/* Logits of every pixel: what stands for two classes becomes two, and maps of another size that of the input. `chosen`:
 * the file ends with the classes themselves. */
tips_status tips__onnx_fit_pixels(onnx_importer *im, onnx_value *v, bool chosen) TIPS_MUST_CHECK;
/* What may follow a choice of classes: the node at hand passes its input on. */
tips_status tips__onnx_pass_classes(onnx_importer *im) TIPS_MUST_CHECK;
/* Finds what exporters write as several nodes, and imports what the node at hand stands for. */
tips_status tips__onnx_find_wholes(onnx_importer *im) TIPS_MUST_CHECK;
tips_status tips__onnx_import_whole(onnx_importer *im, const onnx_whole *whole) TIPS_MUST_CHECK;

#endif
