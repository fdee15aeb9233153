/* ONNX files: what networks they become, and that hostile ones are refused with a reason. */
#include "model/open_logits.h"
#include "onnx/onnx_import.h"
#include "support/onnx_make.h"
#include "support/temporary.h"

#include "core/memory.h"
#include "layer/layers.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef TIPS_HAVE_ONNX
int main(void) {
    printf("skipped: built without ONNX (libonnx-dev protobuf-c-compiler libprotobuf-c-dev)\n");
    return 77;
}
#else

#define DIMS(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }

static const char *file(void) { return path_in_temporary("model.onnx"); }

static tips_imported import(onnx_maker *m) {
    tips_imported imported;
    write_onnx(m, file());
    const tips_status status = tips__onnx_import(file(), NULL, &imported);
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    free_onnx(m);
    return imported;
}

static void refused(onnx_maker *m, const char *reason) {
    tips_imported imported;
    write_onnx(m, file());
    assert_int_not_equal(tips__onnx_import(file(), NULL, &imported), TIPS_OK);
    if (!strstr(tips_last_error(), reason)) fail_msg("'%s' does not say '%s'", tips_last_error(), reason);
    free_onnx(m);
}

static const tips_step *step_at(const tips_imported *imported, int i, const char *layer) {
    assert_true(i < imported->blueprint->n_steps);
    const tips_step *step = &imported->blueprint->steps[i];
    if (strcmp(step->layer->name, layer) != 0) fail_msg("step %d is a %s, not a %s", i, step->layer->name, layer);
    return step;
}

static const tips_imported_tensor *tensor_of(const tips_imported *imported, const char *name) {
    for (int i = 0; i < imported->n_tensors; i++)
        if (strcmp(imported->tensors[i].name, name) == 0) return &imported->tensors[i];
    fail_msg("there is no tensor '%s'", name);
    return NULL;
}

/* "h" (n, 4, 8, 8) from the input. */
static void add_stem(onnx_maker *m) {
    add_floats(m, "features.0.weight", DIMS(4, 3, 3, 3), NULL);
    add_node(m, "Conv", "x,features.0.weight", "h");
    add_ints(m, "pads", DIMS(1, 1, 1, 1));
}

/* The logits "y" from a map of 4 channels. */
static void add_head(onnx_maker *m, const char *from, int channels) {
    add_floats(m, "fc.weight", DIMS(5, channels), NULL);
    add_floats(m, "fc.bias", DIMS(5), NULL);
    add_node(m, "GlobalAveragePool", from, "pooled");
    add_node(m, "Flatten", "pooled", "vector");
    add_node(m, "Gemm", "vector,fc.weight,fc.bias", "y");
    add_int(m, "transB", 1);
}

static onnx_maker *classifier(int opset) {
    onnx_maker *m = make_onnx(opset);
    add_stem(m);
    add_node(m, "Relu", "h", "r")->name = onnx_text(m, "/features/features.1/Relu");
    add_head(m, "r", 4);
    return m;
}

static void test_classifier(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    add_metadata(m, "author", "somebody");
    tips_imported imported = import(m);
    assert_int_equal(imported.blueprint->n_steps, 4);
    const tips_conv2d *conv = step_at(&imported, 0, "conv2d")->config;
    assert_int_equal(conv->padding.top, 1);
    assert_false(conv->bias);
    assert_string_equal(step_at(&imported, 1, "relu")->name, "features.1.relu");
    step_at(&imported, 2, "global_avg");
    assert_string_equal(step_at(&imported, 3, "linear")->name, "fc");
    assert_int_equal(imported.blueprint->output, 3);
    assert_int_equal(imported.blueprint->classes, 5);
    assert_int_equal(imported.channels, 3);
    assert_int_equal(imported.size[1], 8);
    assert_int_equal(tensor_of(&imported, "features.0.weight")->n_dims, 4);
    assert_float_equal(tensor_of(&imported, "fc.bias")->data[1], -0.04f, 1e-7);
    assert_string_equal(tips__onnx_metadata(imported.file, "author"), "somebody");
    assert_null(tips__onnx_metadata(imported.file, "title"));
    tips_onnx_floats floats;
    assert_int_equal(tips__onnx_initialiser(imported.file, "fc.weight", &floats), TIPS_OK);
    assert_int_equal(floats.elements, 20);
    tips__free(floats.data);
    assert_int_equal(tips__onnx_initialiser(imported.file, "h", &floats), TIPS_UNKNOWN);
    tips__imported_free(&imported);
}

static void test_open_sizes_and_order(void **state) {
    (void)state;
    onnx_maker *m = classifier(9);
    set_input(m, (const int64_t[]){0, 3, 0, 0});
    Onnx__GraphProto *graph = onnx_graph(m);
    for (size_t i = 0; i < graph->n_node / 2; i++) {
        Onnx__NodeProto *node = graph->node[i];
        graph->node[i] = graph->node[graph->n_node - 1 - i];
        graph->node[graph->n_node - 1 - i] = node;
    }
    tips_imported imported = import(m);
    assert_int_equal(imported.size[0], 0);
    assert_int_equal(imported.built_size[0], 224);
    step_at(&imported, 3, "linear");
    tips__imported_free(&imported);
}

/* A height that is fixed and a width that is not: the usual width, or the one that is asked for. */
static void test_half_open_size(void **state) {
    (void)state;
    onnx_maker *m = classifier(9);
    set_input(m, (const int64_t[]){0, 3, 40, 0});
    tips_imported imported = import(m);
    tips__imported_free(&imported);
    for (int width = 0; width <= 48; width += 48) {
        const int size[2] = {width ? 40 : 0, width};
        tips_loaded_model model;
        assert_int_equal(tips__open_logits(file(), size, &model), TIPS_OK);
        assert_int_equal(model.info.config.size[0], 40);
        assert_int_equal(model.info.config.size[1], width ? width : 224);
        assert_int_equal(tips__value(model.model.graph, model.model.ends.input)->w, width ? width : 224);
        tips__loaded_model_destroy(&model);
    }
}

static void test_shapes_are_folded(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(13);
    add_stem(m);
    add_numbers(m, "first", 1, (const int64_t[]){0});
    add_numbers(m, "rest", 1, (const int64_t[]){-1});
    add_floats(m, "w", DIMS(256, 7), NULL);
    add_node(m, "Shape", "h", "shape");
    add_node(m, "Gather", "shape,first", "n");
    add_node(m, "Concat", "n,rest", "to");
    add_int(m, "axis", 0);
    add_node(m, "Reshape", "h,to", "flat");
    add_node(m, "MatMul", "flat,w", "y");
    tips_imported imported = import(m);
    step_at(&imported, 1, "reshape");
    assert_int_equal(((const tips_reshape *)imported.blueprint->steps[1].config)->c, 0);
    step_at(&imported, 2, "linear");
    assert_int_equal(imported.blueprint->classes, 7);
    tips__imported_free(&imported);
}

static void test_borders_become_padding(void **state) {
    (void)state;
    static const struct {
        const char *name;
        tips_pad_mode mode;
    } modes[] = {{"constant", TIPS_PAD_ZERO},
                 {"wrap", TIPS_PAD_CIRCULAR},
                 {"reflect", TIPS_PAD_REFLECT},
                 {"edge", TIPS_PAD_REPLICATE}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        onnx_maker *m = make_onnx(19);
        add_numbers(m, "pads", 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 3, 0});
        add_floats(m, "c.weight", DIMS(4, 3, 3, 3), NULL);
        add_node(m, "Pad", "x,pads", "p");
        add_text(m, "mode", modes[i].name);
        add_node(m, "Conv", "p,c.weight", "h");
        add_head(m, "h", 4);
        tips_imported imported = import(m);
        const tips_conv2d *conv = step_at(&imported, 0, "conv2d")->config;
        assert_int_equal(conv->padding.mode, modes[i].mode);
        assert_int_equal(conv->padding.left, 2);
        assert_int_equal(conv->padding.bottom, 3);
        tips__imported_free(&imported);
    }
}

static void test_pads_of_channels_and_crops(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(9);
    add_stem(m);
    add_node(m, "Pad", "h", "p");
    add_ints(m, "pads", DIMS(0, 2, -1, 0, 0, 3, -2, 0));
    add_float(m, "value", 0.5f);
    add_head(m, "p", 9);
    tips_imported imported = import(m);
    const tips_slice *slice = step_at(&imported, 1, "slice")->config;
    assert_int_equal(slice->start, 1);
    assert_int_equal(slice->stop, -2);
    const tips_pad_channels *pad = step_at(&imported, 2, "pad_channels")->config;
    assert_int_equal(pad->before, 2);
    assert_int_equal(pad->after, 3);
    tips__imported_free(&imported);
}

static void test_channels_last_input(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(13);
    set_input(m, (const int64_t[]){0, 8, 10, 3});
    add_node(m, "Transpose", "x", "t");
    add_ints(m, "perm", DIMS(0, 3, 1, 2));
    add_floats(m, "c.weight", DIMS(4, 3, 3, 3), NULL);
    add_node(m, "Conv", "t,c.weight", "h");
    add_head(m, "h", 4);
    tips_imported imported = import(m);
    assert_true(imported.nhwc);
    assert_int_equal(imported.channels, 3);
    assert_int_equal(imported.size[1], 10);
    step_at(&imported, 0, "conv2d");
    tips__imported_free(&imported);
}

static void test_channel_shuffle(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(13);
    add_stem(m);
    add_numbers(m, "five", 5, (const int64_t[]){1, 2, 2, 8, 8});
    add_numbers(m, "four", 4, (const int64_t[]){1, -1, 8, 8});
    add_node(m, "Reshape", "h,five", "a");
    add_node(m, "Transpose", "a", "b");
    add_ints(m, "perm", DIMS(0, 2, 1, 3, 4));
    add_node(m, "Reshape", "b,four", "c");
    add_head(m, "c", 4);
    tips_imported imported = import(m);
    assert_int_equal(((const tips_shuffle *)step_at(&imported, 1, "shuffle")->config)->groups, 2);
    tips__imported_free(&imported);
}

static void test_gelu_is_one_layer(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(13);
    add_stem(m);
    add_floats(m, "root", 0, NULL, (const float[]){1.41421356f});
    add_floats(m, "one", 0, NULL, (const float[]){1});
    add_floats(m, "half", 0, NULL, (const float[]){0.5f});
    add_node(m, "Div", "h,root", "a");
    add_node(m, "Erf", "a", "b");
    add_node(m, "Add", "b,one", "c");
    add_node(m, "Mul", "h,c", "d");
    add_node(m, "Mul", "d,half", "e");
    add_head(m, "e", 4);
    tips_imported imported = import(m);
    step_at(&imported, 1, "gelu");
    step_at(&imported, 2, "global_avg");
    tips__imported_free(&imported);
}

static void expect_groups(const tips_imported *imported, int step, int groups, bool affine) {
    const tips_group_norm *config = step_at(imported, step, "group_norm")->config;
    assert_int_equal(config->groups, groups);
    assert_int_equal(config->affine, affine);
}

/* As torch writes a group norm: instances of a map that is seen otherwise, then the weights. */
static void test_groups_as_instances(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(13);
    add_stem(m);
    add_numbers(m, "parts", 3, (const int64_t[]){0, 2, -1});
    add_numbers(m, "four", 4, (const int64_t[]){0, 4, 8, 8});
    add_floats(m, "ones", DIMS(2), (const float[]){1, 1});
    add_floats(m, "zeros", DIMS(2), (const float[]){0, 0});
    add_floats(m, "weight", DIMS(4, 1, 1), NULL);
    add_node(m, "Reshape", "h,parts", "a");
    add_node(m, "InstanceNormalization", "a,ones,zeros", "b");
    add_node(m, "Reshape", "b,four", "c");
    add_node(m, "Mul", "c,weight", "d");
    add_head(m, "d", 4);
    tips_imported imported = import(m);
    expect_groups(&imported, 1, 2, false);
    step_at(&imported, 2, "affine");
    step_at(&imported, 3, "global_avg");
    tips__imported_free(&imported);
}

/* One norm behind the stem, with scale "s" and offset "o" of so many numbers. */
static onnx_maker *with_norm(const char *op, int opset, int numbers) {
    onnx_maker *m = make_onnx(opset);
    const float scale[] = {2, 3, 4, 5}, offset[] = {-1, 1, -2, 2};
    add_stem(m);
    add_floats(m, "s", DIMS(numbers), scale);
    add_floats(m, "o", DIMS(numbers), offset);
    add_node(m, op, "h,s,o", "n");
    add_head(m, "n", 4);
    return m;
}

static Onnx__NodeProto *norm_in(onnx_maker *m) { return onnx_graph(m)->node[1]; }

static void test_group_norms(void **state) {
    (void)state;
    for (int per_channel = 0; per_channel < 2; per_channel++) { /* opset 18 has a number for each group */
        onnx_maker *m = make_onnx(per_channel ? 21 : 18);
        add_stem(m);
        add_floats(m, "s", DIMS(per_channel ? 4 : 2), (const float[]){2, 3, 4, 5});
        add_floats(m, "o", DIMS(per_channel ? 4 : 2), (const float[]){-1, 1, -2, 2});
        add_node(m, "GroupNormalization", "h,s,o", "n");
        add_int(m, "num_groups", 2);
        add_float(m, "epsilon", 0.5f);
        add_head(m, "n", 4);
        tips_imported imported = import(m);
        expect_groups(&imported, 1, 2, true);
        assert_float_equal(((const tips_group_norm *)imported.blueprint->steps[1].config)->eps, 0.5, 0);
        char name[64];
        snprintf(name, sizeof name, "%s.weight", imported.blueprint->steps[1].name);
        const float *weight = tensor_of(&imported, name)->data;
        assert_float_equal(weight[1], per_channel ? 3 : 2, 0);
        assert_float_equal(weight[2], per_channel ? 4 : 3, 0);
        tips__imported_free(&imported);
    }
    tips_imported imported = import(with_norm("InstanceNormalization", 13, 4));
    expect_groups(&imported, 1, 4, true);
    tips__imported_free(&imported);
}

static void add_layer_norm(onnx_maker *m, int axis, int n_dims, const int64_t *dims, const float *scale) {
    add_stem(m);
    add_floats(m, "s", n_dims, dims, scale);
    add_node(m, "LayerNormalization", "h,s", "n");
    add_int(m, "axis", axis);
    add_head(m, "n", 4);
}

static void test_other_norms_are_refused(void **state) {
    (void)state;
    const float alike[] = {2, 2, 2, 2, 3, 3, 3, 3};
    onnx_maker *m = make_onnx(17);
    add_layer_norm(m, -3, DIMS(4, 1, 1), alike);
    tips_imported imported = import(m);
    expect_groups(&imported, 1, 1, true);
    tips__imported_free(&imported);
    m = make_onnx(17);
    add_layer_norm(m, 2, DIMS(8), alike);
    refused(m, "its scale has 8 elements for 64");
    m = make_onnx(17);
    add_layer_norm(m, 0, DIMS(8), alike);
    refused(m, "axis 0 is that of the samples of a batch");
    refused(with_norm("InstanceNormalization", 13, 3), "its scale has 3 elements for 4 parts of the channels");
    refused(with_norm("GroupNormalization", 21, 4), "0 groups do not divide 4 channels");
    m = with_norm("InstanceNormalization", 13, 4);
    norm_in(m)->input[0] = onnx_text(m, "t");
    add_node(m, "Transpose", "h", "t");
    add_ints(m, "perm", DIMS(0, 2, 1, 3));
    Onnx__NodeProto **nodes = onnx_graph(m)->node, *last = nodes[onnx_graph(m)->n_node - 1];
    for (size_t i = onnx_graph(m)->n_node - 1; i > 1; i--) nodes[i] = nodes[i - 1];
    nodes[1] = last;
    refused(m, "4 elements for 8 parts");
}

static void test_many_inputs_and_constants(void **state) {
    (void)state;
    onnx_maker *m = make_onnx(7);
    add_stem(m);
    add_floats(m, "scale", DIMS(4, 1, 1), NULL);
    add_floats(m, "slope", DIMS(1), NULL);
    add_node(m, "Mul", "scale,h", "a");
    add_node(m, "PRelu", "a,slope", "b");
    add_node(m, "Clip", "b", "c");
    add_float(m, "max", 6);
    add_node(m, "Concat", "h,a,b,c,h,a,b,c,h,a,b,c,h,a", "d");
    add_int(m, "axis", 1);
    add_head(m, "d", 56);
    tips_imported imported = import(m);
    step_at(&imported, 1, "affine");
    assert_true(((const tips_prelu *)step_at(&imported, 2, "prelu")->config)->shared);
    assert_float_equal(((const tips_clip *)step_at(&imported, 3, "clip")->config)->max, 6, 0);
    assert_int_equal(step_at(&imported, 4, "concat")->n_in, TIPS_MAX_IN);
    assert_int_equal(step_at(&imported, 5, "concat")->n_in, 3);
    tips__imported_free(&imported);
}

static void test_external_data(void **state) {
    (void)state;
    float numbers[27 * 4 + 1];
    for (int i = 0; i < 109; i++) numbers[i] = (float)i;
    write_file(path_in_temporary("weights.bin"), numbers, sizeof numbers);
    onnx_maker *m = classifier(13);
    set_external(m, onnx_graph(m)->initializer[0], "./weights.bin", "4", "432");
    tips_imported imported = import(m);
    assert_float_equal(tensor_of(&imported, "features.0.weight")->data[0], 1, 0);
    tips__imported_free(&imported);
}

static void test_external_escapes(void **state) {
    (void)state;
    static const struct {
        const char *location, *offset, *length, *reason;
    } rows[] = {{"/etc/passwd", NULL, NULL, "absolute"},
                {"../weights.bin", NULL, NULL, "outside"},
                {"a/../../weights.bin", NULL, NULL, "cannot be opened"},
                {"link", NULL, NULL, "through a link"},
                {"missing", NULL, NULL, "cannot be opened"},
                {"weights.bin", "100", NULL, "do not lie within"},
                {"weights.bin", "18446744073709551615", NULL, "whole number"},
                {"weights.bin", "0", "12", "its shape takes"},
                {"weights.bin", "-1", NULL, "whole number"},
                {".", NULL, NULL, "outside"}};
    write_file(path_in_temporary("weights.bin"), "short", 5);
    unlink(path_in_temporary("link"));
    assert_int_equal(symlink("/etc/passwd", path_in_temporary("link")), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onnx_maker *m = classifier(13);
        set_external(m, onnx_graph(m)->initializer[0], rows[i].location, rows[i].offset, rows[i].length);
        refused(m, rows[i].reason);
    }
}

static void test_broken_graphs(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    onnx_graph(m)->node[0]->input[0] = onnx_text(m, "pooled");
    refused(m, "cycle");
    m = classifier(13);
    onnx_graph(m)->node[1]->input[0] = onnx_text(m, "nothing");
    refused(m, "which nothing defines");
    m = classifier(13);
    onnx_graph(m)->node[1]->output[0] = onnx_text(m, "h");
    refused(m, "defined twice");
    m = classifier(13);
    onnx_graph(m)->output[0]->name = onnx_text(m, "nothing");
    refused(m, "nothing computes");
    m = classifier(13);
    onnx_graph(m)->node[1]->name = onnx_text(m, "a\nb");
    refused(m, "control character");
    m = classifier(13);
    onnx_model(m)->graph = NULL;
    refused(m, "no graph");
    m = classifier(25);
    refused(m, "opset 25");
    m = classifier(13);
    onnx_model(m)->ir_version = 99;
    refused(m, "IR version 99");
}

static void test_broken_tensors(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    onnx_graph(m)->initializer[0]->dims[0] = 5;
    refused(m, "bytes");
    m = classifier(13);
    for (int i = 0; i < 4; i++) onnx_graph(m)->initializer[0]->dims[i] = INT64_MAX / 2;
    refused(m, "more than 2^31 elements");
    m = classifier(13);
    onnx_graph(m)->initializer[0]->dims[1] = -3;
    refused(m, "negative");
    m = classifier(13);
    onnx_graph(m)->initializer[0]->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
    refused(m, "element type");
    m = classifier(13);
    onnx_graph(m)->initializer[0]->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    refused(m, "floating-point numbers are needed");
    m = classifier(13);
    onnx_graph(m)->initializer[1]->dims[0] = 4;
    onnx_graph(m)->initializer[1]->raw_data.len = 4 * 4 * 4;
    refused(m, "bias");
}

static void test_unsupported_nodes(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    onnx_graph(m)->node[1]->op_type = onnx_text(m, "Loop");
    refused(m, "Loop node '/features/features.1/Relu': the operator is not supported");
    m = classifier(13);
    onnx_graph(m)->node[1]->domain = onnx_text(m, "com.microsoft");
    refused(m, "com.microsoft");
    m = classifier(13);
    add_node(m, "Relu", "x", "unused");
    Onnx__AttributeProto *a = add_attribute(m, "body", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);
    onnx_graph(m)->node[1]->attribute[onnx_graph(m)->node[1]->n_attribute++] = a;
    a->g = onnx_keep(m, sizeof *a->g);
    tips__onnx__graph_proto__init(a->g);
    refused(m, "graphs inside");
    m = classifier(13);
    onnx_graph(m)->node[0]->attribute[0]->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
    refused(m, "'pads' is not a list of whole numbers");
    m = classifier(13);
    onnx_graph(m)->node[0]->attribute[0]->ints[0] = INT64_MAX;
    refused(m, "padding");
    m = classifier(13);
    onnx_graph(m)->node[0]->attribute[0]->n_ints = 2;
    refused(m, "not 4");
}

static void test_large_constants(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    char in[32], out[16];
    add_numbers(m, "v0", 8, (const int64_t[]){1, 2, 3, 4, 5, 6, 7, 8});
    for (int i = 0; i < 40; i++) {
        snprintf(in, sizeof in, "v%d,v%d", i, i);
        snprintf(out, sizeof out, "v%d", i + 1);
        add_node(m, "Concat", in, out);
        add_int(m, "axis", 0);
    }
    onnx_graph(m)->node[0]->input[1] = onnx_text(m, "v40");
    refused(m, "too large");
    m = classifier(13);
    add_numbers(m, "s", 3, (const int64_t[]){1 << 20, 1 << 20, 1 << 20});
    add_node(m, "ConstantOfShape", "s", "w");
    onnx_graph(m)->node[0]->input[1] = onnx_text(m, "w");
    refused(m, "more than 2^31 elements");
}

static Onnx__TensorProto *add_bytes(onnx_maker *m, const char *name, int count) {
    Onnx__TensorProto *t = add_floats(m, name, DIMS((count + 3) / 4), NULL);
    t->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    t->dims[0] = count;
    t->raw_data.len = (size_t)count;
    for (int i = 0; i < count; i++) t->raw_data.data[i] = (uint8_t)(i * 7 + 1);
    return t;
}

static void expect_initialiser(const tips_onnx *opened, const Onnx__TensorProto *t) {
    tips_onnx_floats got;
    assert_int_equal(tips__onnx_initialiser(opened, t->name, &got), TIPS_OK);
    const bool is_float = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    assert_int_equal(got.elements, is_float ? t->raw_data.len / sizeof(float) : t->raw_data.len);
    for (size_t i = 0; i < got.elements; i++) {
        float want = t->raw_data.data[i];
        if (is_float) memcpy(&want, t->raw_data.data + i * sizeof want, sizeof want);
        if (memcmp(&got.data[i], &want, sizeof want) != 0) fail_msg("%s: number %zu differs", t->name, i);
    }
    tips__free(got.data);
}

/* Bytes of large tensors stay in the file's own, wherever they lie there, each time they are read; those of one length
 * might be taken for a note of where. */
static void test_large_tensors(void **state) {
    (void)state;
    for (int shift = 0; shift < 4; shift++) {
        static const int bytes[] = {16, 17, 18, 4095, 4096, 4097, 5002, 5003};
        enum { SIZES = sizeof bytes / sizeof *bytes };
        onnx_maker *m = classifier(13);
        const Onnx__TensorProto *added[3 * SIZES];
        int count = 0;
        add_metadata(m, "author", &"abc"[shift]);
        for (int i = 0; i < SIZES; i++) {
            char name[32];
            for (int k = 0; k < 2; k++) {
                snprintf(name, sizeof name, "%s.%d", &"floats"[k + shift], i);
                added[count++] = add_floats(m, name, DIMS(bytes[i] / 4 + k), NULL);
            }
            snprintf(name, sizeof name, "bytes.%d", i);
            added[count++] = add_bytes(m, name, bytes[i]);
        }
        tips_onnx *opened;
        write_onnx(m, file());
        assert_int_equal(tips__onnx_open(file(), &opened), TIPS_OK);
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < count; i++) expect_initialiser(opened, added[i]);
        tips__onnx_close(opened);
        free_onnx(m);
    }
}

/* As weights of a network, and cut off anywhere. */
static void test_large_weights(void **state) {
    (void)state;
    for (int shift = 0; shift < 4; shift++) {
        onnx_maker *m = make_onnx(13);
        add_metadata(m, "author", &"abc"[shift]);
        const Onnx__TensorProto *w = add_floats(m, "a.weight", DIMS(40, 3, 3, 3), NULL);
        const Onnx__TensorProto *v = add_floats(m, "b.weight", DIMS(30, 40, 1, 1), NULL);
        add_node(m, "Conv", "x,a.weight", "h");
        add_node(m, "Conv", "h,b.weight", "i");
        add_head(m, "i", 30);
        write_onnx(m, file());
        tips_imported imported;
        assert_int_equal(tips__onnx_import(file(), NULL, &imported), TIPS_OK);
        assert_int_equal(tensor_of(&imported, "a.weight")->elements * sizeof(float), w->raw_data.len);
        assert_memory_equal(tensor_of(&imported, "a.weight")->data, w->raw_data.data, w->raw_data.len);
        assert_memory_equal(tensor_of(&imported, "b.weight")->data, v->raw_data.data, v->raw_data.len);
        tips__imported_free(&imported);
        free_onnx(m);
        size_t bytes;
        unsigned char *data = read_file(file(), &bytes);
        for (size_t n = 0; n < bytes; n += n < 100 || n + 300 > bytes ? 1 : 499) {
            write_file(file(), data, n);
            if (tips__onnx_import(file(), NULL, &imported) == TIPS_OK) tips__imported_free(&imported);
        }
        free(data);
    }
}

/* A graph in an attribute of a node of a graph, and so on: protobuf-c would recurse as deep as the file says. */
static void test_deep_nesting(void **state) {
    (void)state;
    enum { LEVELS = 20000, LARGEST = 20 * LEVELS };
    uint8_t *data = malloc(LARGEST);
    size_t start = LARGEST, length = 0;
    const uint8_t tags[] = {0x0a, 0x2a, 0x32}; /* node of a graph, attribute of a node, graph of an attribute */
    assert_non_null(data);
    for (int i = 0; i < 3 * LEVELS; i++) {
        uint8_t varint[10];
        size_t n = 0, rest = length;
        for (; rest >= 0x80; rest >>= 7) varint[n++] = (uint8_t)(rest | 0x80);
        varint[n++] = (uint8_t)rest;
        memcpy(data + (start -= n), varint, n);
        data[--start] = i == 3 * LEVELS - 1 ? 0x3a : tags[(3 * LEVELS - 2 - i) % 3];
        length = LARGEST - start;
    }
    write_file(file(), data + start, length);
    free(data);
    tips_onnx *opened;
    assert_int_equal(tips__onnx_open(file(), &opened), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "levels deep"));
}

static void test_truncated_files(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    size_t bytes;
    write_onnx(m, file());
    free_onnx(m);
    unsigned char *data = read_file(file(), &bytes);
    for (size_t n = 0; n < bytes; n++) {
        tips_imported imported;
        write_file(file(), data, n);
        if (tips__onnx_import(file(), NULL, &imported) == TIPS_OK) tips__imported_free(&imported);
    }
    for (size_t n = 0; n < bytes; n++) {
        tips_imported imported;
        data[n] ^= 0x55;
        write_file(file(), data, bytes);
        if (tips__onnx_import(file(), NULL, &imported) == TIPS_OK) tips__imported_free(&imported);
        data[n] ^= 0x55;
    }
    free(data);
}

static void test_out_of_memory(void **state) {
    (void)state;
    onnx_maker *m = classifier(13);
    add_metadata(m, "a", "b");
    write_onnx(m, file());
    free_onnx(m);
    for (uint64_t n = 1;; n++) {
        tips_imported imported;
        tips__alloc_fail_at(n);
        const tips_status status = tips__onnx_import(file(), NULL, &imported);
        tips__alloc_fail_at(0);
        if (status == TIPS_MEMORY) continue;
        if (status != TIPS_OK) fail_msg("allocation %d fails: %s", (int)n, tips_last_error());
        tips__imported_free(&imported);
        assert_true(n > 40);
        return;
    }
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classifier),
        cmocka_unit_test(test_open_sizes_and_order),
        cmocka_unit_test(test_half_open_size),
        cmocka_unit_test(test_shapes_are_folded),
        cmocka_unit_test(test_borders_become_padding),
        cmocka_unit_test(test_pads_of_channels_and_crops),
        cmocka_unit_test(test_channels_last_input),
        cmocka_unit_test(test_channel_shuffle),
        cmocka_unit_test(test_gelu_is_one_layer),
        cmocka_unit_test(test_groups_as_instances),
        cmocka_unit_test(test_group_norms),
        cmocka_unit_test(test_other_norms_are_refused),
        cmocka_unit_test(test_many_inputs_and_constants),
        cmocka_unit_test(test_external_data),
        cmocka_unit_test(test_external_escapes),
        cmocka_unit_test(test_broken_graphs),
        cmocka_unit_test(test_broken_tensors),
        cmocka_unit_test(test_unsupported_nodes),
        cmocka_unit_test(test_large_constants),
        cmocka_unit_test(test_large_tensors),
        cmocka_unit_test(test_large_weights),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_truncated_files),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}

#endif
