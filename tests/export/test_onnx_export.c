/* What an exported network looks like: operators, names, sizes, the same bytes each time, and what is refused. */
#include "export/onnx_write.h"
#include "layer/layers.h"
#include "support/compare.h"
#include "support/index_layers.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include <stdlib.h>
#include <string.h>

static int count_ops(const tips_record *r, const char *op) {
    int count = 0;
    for (int i = 0; i < r->n_ops; i++) count += r->ops[i].used && strcmp(r->ops[i].op, op) == 0;
    return count;
}

static const tips_recorded_tensor *find_tensor(const tips_record *r, const char *name) {
    for (int i = 0; i < r->n_tensors; i++)
        if (r->tensors[i].used && strcmp(r->tensors[i].name, name) == 0) return &r->tensors[i];
    return NULL;
}

static tips_emitter *emit(const char *arch, const char *pool, int size, tips_emit_options options) {
    const tips_model_info info = make_info(arch, pool, 0, size);
    test_network n = make_network(&info, 3);
    tips_emitter *made;
    expect_ok(tips__emit_graph(n.params, &options, &made));
    destroy_network(&n);
    return made;
}

static void test_norms(void **state) {
    (void)state;
    tips_emitter *folded = emit("tiny", "max", 16, (tips_emit_options){0});
    tips_emitter *kept = emit("tiny", "max", 16, (tips_emit_options){.keep_bn = true});
    const tips_record *without = tips__emit_record(folded), *with = tips__emit_record(kept);
    assert_int_equal(count_ops(without, "BatchNormalization"), 0);
    assert_true(count_ops(with, "BatchNormalization") > 0 && with->folded == 0);
    assert_int_equal(without->folded, count_ops(with, "BatchNormalization"));
    assert_int_equal(count_ops(without, "Conv"), count_ops(with, "Conv"));
    assert_non_null(find_tensor(without, "bn1.bias"));
    assert_null(find_tensor(without, "bn1.running_var"));
    assert_non_null(find_tensor(with, "bn1.running_var"));
    tips__emit_destroy(folded);
    tips__emit_destroy(kept);
}

static void test_names(void **state) {
    (void)state;
    tips_emitter *made = emit("tiny", "tips-exact", 16, (tips_emit_options){0});
    const tips_record *r = tips__emit_record(made);
    assert_string_equal(r->tensors[r->input].name, "input");
    assert_int_equal(r->n_outputs, 1);
    assert_string_equal(r->tensors[r->outputs[0].operand].name, "logits");
    assert_int_equal(r->outputs[0].n_dims, 2);
    for (int i = 0; i < r->n_tensors; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(r->tensors[i].name, r->tensors[j].name);
    tips__emit_destroy(made);
}

/* An operator reads only what came before it. */
static void test_order(void **state) {
    (void)state;
    for (int i = 0; tips__pools[i]; i++) {
        if (!tips__pools[i]->layer.emit) continue;
        tips_emitter *made = emit("tiny", tips__pools[i]->layer.name, 16, (tips_emit_options){0});
        const tips_record *r = tips__emit_record(made);
        test_case("tiny with %s", tips__pools[i]->layer.name);
        for (int o = 0; o < r->n_ops; o++)
            for (int j = 0; j < r->ops[o].n_in; j++)
                assert_true(r->ops[o].in[j] == TIPS_NO_OPERAND || r->ops[o].in[j] < r->ops[o].first_out);
        assert_null(r->fixed_by);
        tips__emit_destroy(made);
    }
}

static void test_opsets(void **state) {
    (void)state;
    tips_emitter *oldest = emit("tiny", "stride", 16, (tips_emit_options){0});
    tips_emitter *wraps = emit("tiny", "stride", 16, (tips_emit_options){.opset = 19});
    assert_int_equal(tips__emit_record(oldest)->opset, 11);
    assert_int_equal(count_ops(tips__emit_record(oldest), "Pad"), 0);
    assert_true(count_ops(tips__emit_record(wraps), "Pad") > 0);
    tips__emit_destroy(oldest);
    tips__emit_destroy(wraps);
}

static void test_odd_size(void **state) {
    (void)state;
    tips_emitter *made = emit("tiny", "aps", 17, (tips_emit_options){0});
    assert_non_null(tips__emit_record(made)->fixed_by);
    assert_non_null(strstr(tips__emit_record(made)->fixed_why, "does not divide"));
    tips__emit_destroy(made);
}

static void test_refusals(void **state) {
    const tips_model_info info = make_info("tiny", "max", 0, 16);
    test_network n = make_network(&info, 1);
    tips_emitter *made = NULL;
    (void)state;
    assert_int_equal(tips__emit_graph(n.params, &(tips_emit_options){.opset = 10}, &made), TIPS_RANGE);
    assert_int_equal(tips__emit_graph(n.params, &(tips_emit_options){.opset = 22}, &made), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "11..21"));
    assert_null(made);
    destroy_network(&n);
}

typedef tips_value (*indexed)(tips_graph *g, tips_value x);

static tips_value gives_index(tips_graph *g, tips_value x) {
    return tips__graph_add(g, &test_argmax, "argmax", NULL, &x, 1);
}

static tips_value reads_index_map(tips_graph *g, tips_value x) {
    return tips__graph_add(g, &test_scale, "scale", NULL, (tips_value[]){x, gives_index(g, x)}, 2);
}

static tips_value reads_given_index(tips_graph *g, tips_value x) {
    const tips_value phase = tips__graph_index_input(g, "phase", 1, 1, 1);
    return tips__graph_add(g, &tips__layer_unpool, "unpool", &(tips_strided){{2, 2}}, (tips_value[]){x, phase}, 2);
}

/* Phases that a node chooses are the only indices that an exported network has. */
static void test_index_refusals(void **state) {
    static const struct {
        indexed build;
        const char *says;
    } cases[] = {{reads_index_map, "1x4x6 numbers"},
                 {reads_given_index, "'phase' that comes in"},
                 {gives_index, "output is an index"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_graph *g;
        tips_params *params;
        tips_emitter *made = NULL;
        test_case("index %zu", i);
        expect_ok(tips__graph_create(&g));
        tips__graph_output(g, cases[i].build(g, tips__graph_input(g, "x", 3, 4, 6)));
        expect_ok(tips__params_create(g, 1, &params));
        assert_int_equal(tips__emit_graph(params, &(tips_emit_options){0}, &made), TIPS_UNSUPPORTED);
        if (!strstr(tips_last_error(), cases[i].says)) fail_case("'%s'", tips_last_error());
        assert_null(made);
        tips__params_destroy(params);
        tips__graph_destroy(g);
    }
}

/* They find out what is to be learned, or belong to detectors that look at regions, which are not exported. */
static bool is_not_exported(const tips_layer *layer) {
    static const char *const names[] = {"match_anchors", "sample_rois", "proposals", "roi_align"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(layer->name, names[i]) == 0) return true;
    return false;
}

/* Every other layer that can be part of a network in evaluation. */
static void test_every_layer_emits(void **state) {
    (void)state;
    for (int i = 0; tips__layers[i]; i++)
        if (!(tips__layers[i]->flags & TIPS_LAYER_LOSS) && !is_not_exported(tips__layers[i])) {
            test_case("%s", tips__layers[i]->name);
            assert_non_null(tips__layers[i]->emit);
        }
}

static tips_status save(const char *name, tips_onnx_summary *out) {
    const tips_model_info info = make_info("tiny", "tips-exact", 3, 16);
    test_network n = make_network(&info, 2);
    const tips_status status = tips__onnx_save(path_in_temporary(name), &info, n.params, &(tips_emit_options){0}, out);
    destroy_network(&n);
    return status;
}

static void test_same_bytes(void **state) {
    tips_onnx_summary first, second;
    size_t sizes[2];
    (void)state;
    const tips_status status = save("a.onnx", &first);
    if (status == TIPS_UNSUPPORTED) skip();
    expect_ok(status);
    expect_ok(save("b.onnx", &second));
    unsigned char *a = read_file(path_in_temporary("a.onnx"), &sizes[0]);
    unsigned char *b = read_file(path_in_temporary("b.onnx"), &sizes[1]);
    assert_true(sizes[0] == sizes[1] && sizes[0] == first.bytes && first.bytes == second.bytes);
    assert_memory_equal(a, b, sizes[0]);
    assert_true(first.free_size && first.nodes > 0 && first.tensors > 0 && first.opset == 11);
    free(a);
    free(b);
}

static void test_unwritable(void **state) {
    tips_onnx_summary summary;
    (void)state;
    const int before = count_temporary();
    const tips_status status = save("no/such/folder.onnx", &summary);
    if (status == TIPS_UNSUPPORTED) skip();
    assert_int_equal(status, TIPS_IO);
    assert_int_equal(count_temporary(), before);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_opsets),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_index_refusals),
        cmocka_unit_test(test_every_layer_emits),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_odd_size),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
