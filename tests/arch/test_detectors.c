/* Networks for detection: parameter counts and names of torchvision's, what a smaller one is made of, what training
 * leaves out, and what is refused. */
#include "arch/arch.h"
#include "graph/graph.h"
#include "layer/detection_layers.h"
#include "support/arch_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static tips_arch_config config_of(const char *backbone, const char *pool, int size, int classes) {
    tips_arch_config config = arch_config(pool, size, size, classes);
    assert_int_equal(tips__arch_find(backbone, &config.backbone), TIPS_OK);
    return config;
}

static tips_model create(const char *name, const tips_arch_config *config, const char *task) {
    const tips_arch *arch;
    tips_task_spec spec;
    tips_model model;
    assert_int_equal(tips__arch_find(name, &arch), TIPS_OK);
    assert_int_equal(tips__task_parse(task, &spec), TIPS_OK);
    assert_int_equal(tips__model_create(arch, config, &spec, true, &model), TIPS_OK);
    return model;
}

/* torchvision's for COCO: 91 classes, of which Faster R-CNN's first stands for nothing. */
static void test_parameter_counts(void **state) {
    static const struct {
        const char *name;
        int classes;
        size_t count;
    } published[] = {{"retinanet", 91, 34068119}, {"fasterrcnn", 90, 41808406}};
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const tips_arch_config config = config_of("resnet50", "stride", 96, published[i].classes);
        tips_model model = create(published[i].name, &config, "detect");
        if (trainable_numbers(model.graph) != published[i].count)
            fail_msg("%s has %zu parameters, not %zu", published[i].name, trainable_numbers(model.graph),
                     published[i].count);
        tips__model_destroy(&model);
    }
}

static const tips_node *find_node(const tips_graph *graph, const char *name) {
    for (int i = 0; i < tips__graph_node_count(graph); i++)
        if (strcmp(tips__graph_node(graph, i)->name, name) == 0) return tips__graph_node(graph, i);
    fail_msg("there is no layer '%s'", name);
    return NULL;
}

/* Regions as published for large inputs, fewer for small ones, others where asked for. */
static void test_regions(void **state) {
    static const struct {
        const char *task;
        int size, proposals, drawn;
        double anchor, unit;
    } cases[] = {{"detect", 256, 1000, 512, 32, 56},
                 {"detect", 128, 300, 128, 16, 28},
                 {"detect:anchor=8,proposals=50,sample=20", 128, 50, 20, 32, 56}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_arch_config config = config_of("resnet18", "aps", cases[i].size, 3);
        config.width = 4;
        tips_model model = create("fasterrcnn", &config, cases[i].task);
        const tips_node *proposals = find_node(model.graph, "rpn.proposals");
        const tips_node *align = find_node(model.graph, "roi_heads.box_roi_pool");
        const tips_node *drawn = find_node(model.graph, "roi_heads.box_predictor.cls_score@drawn");
        const tips_value_info *out = tips__value(model.graph, drawn->out[0]);
        assert_int_equal(((const tips_proposals *)proposals->config)->most, cases[i].proposals);
        assert_true(((const tips_proposals *)proposals->config)->anchors.levels[0].base == cases[i].anchor);
        assert_true(((const tips_roi_align *)align->config)->unit == cases[i].unit);
        assert_int_equal(out->w, cases[i].drawn);
        assert_int_equal(out->c, 4);
        assert_int_equal(find_node(model.graph, "roi_heads.box_predictor.cls_score")->params[0], drawn->params[0]);
        tips__model_destroy(&model);
    }
}

/* A step of learning looks at the drawn regions alone, evaluation at the others alone. */
static void test_what_runs(void **state) {
    tips_arch_config config = config_of("resnet18", "aps", 128, 3);
    (void)state;
    config.width = 4;
    tips_model model = create("fasterrcnn", &config, "detect");
    bool learns[512], answers[512];
    assert_true(tips__graph_node_count(model.graph) <= 512);
    const tips_pass training = tips__task_training(model.assignment.spec.task);
    tips__graph_runs(model.graph, &training, learns);
    tips__graph_runs(model.graph, &tips__pass_evaluation, answers);
    const int first = find_node(model.graph, "roi_heads.box_head.fc6")->id;
    const int second = find_node(model.graph, "roi_heads.box_head.fc6@drawn")->id;
    assert_true(!learns[first] && learns[second] && answers[first] && !answers[second]);
    assert_true(learns[find_node(model.graph, "backbone.body.conv1")->id]);
    assert_true(learns[find_node(model.graph, "loss.box_reg")->id]);
    tips__model_destroy(&model);
}

static void test_refusals(void **state) {
    const tips_arch *arch;
    tips_arch_config config = config_of("tiny", "aps", 64, 3);
    tips_task_spec spec;
    tips_model model;
    (void)state;
    assert_int_equal(tips__arch_find("fasterrcnn", &arch), TIPS_OK);
    assert_int_equal(tips__task_parse("detect", &spec), TIPS_OK);
    assert_int_equal(tips__model_create(arch, &config, &spec, true, &model), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "has 3 levels, and the pyramid takes 4"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameter_counts), cmocka_unit_test(test_regions),
                                       cmocka_unit_test(test_what_runs), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
