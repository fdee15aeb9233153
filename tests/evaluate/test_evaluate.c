/* tips eval and predict as library calls: figures against a naive recount picture by picture, one at a time. */
#include "support/compare.h"

#include "core/memory.h"
#include "exchange/npy.h"
#include "metric/accuracy.h"
#include "metric/consistency.h"
#include "net/net.h"
#include "evaluate/evaluate.h"
#include "task/classify.h"
#include "model/open_model.h"
#include "predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES = 24 };

static tips_evaluate_config config_of(const char *pool, int protocol) {
    return (tips_evaluate_config){
        .network =
            {.arch = "tiny", .pool = pool, .padding = TIPS_PAD_CIRCULAR, .size = {16, 16}, .seed = 3, .threads = 1},
        .data = "shapes",
        .split = TIPS_SPLIT_TEST,
        .limit = IMAGES,
        .protocol = protocol,
        .batch = 8};
}

static tips_evaluate_result evaluate(const tips_evaluate_config *config) {
    tips_evaluate_result r;
    expect_ok(tips__evaluate_run(config, &r));
    assert_int_equal(r.models[0].images, config->limit);
    return r;
}

/* The long way: one picture, one shift, a batch of one. */
typedef struct naive {
    tips_dataset *set;
    tips_loaded_model model;
    tips_net *net;
    tips_preprocess preprocess;
    float *input, *scores;
} naive;

static naive naive_create(const tips_evaluate_config *config) {
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT};
    tips_model_options network = config->network;
    naive n;
    expect_ok(tips__dataset_open(config->data, &(tips_dataset_options){.seed = (uint64_t)network.seed}, &n.set));
    network.classes = tips__dataset_classes(n.set);
    network.channels = tips__dataset_channels(n.set);
    expect_ok(tips__open_model(NULL, &network, &config->input, &n.model));
    expect_ok(tips__net_compile(n.model.model.graph, n.model.params, &options, &n.net));
    n.preprocess = tips__model_preprocess(&n.model.info);
    n.input = test_floats((size_t)network.channels * 16 * 16);
    n.scores = test_floats((size_t)network.classes);
    return n;
}

static void naive_destroy(naive *n) {
    tips__net_destroy(n->net);
    tips__loaded_model_destroy(&n->model);
    tips__dataset_close(n->set);
    free(n->input);
    free(n->scores);
}

static int naive_index(const naive *n, int i) {
    return (int)((int64_t)i * tips__dataset_count(n->set, TIPS_SPLIT_TEST) / IMAGES);
}

static int naive_answer(naive *n, int index, const int shift[2], bool circular, int *label) {
    tips_image picture;
    expect_ok(tips__dataset_read(n->set, TIPS_SPLIT_TEST, index, &picture, label));
    expect_ok(tips__preprocess(&n->preprocess, &picture, shift[0], shift[1], circular, n->input));
    tips__image_free(&picture);
    expect_ok(tips__net_set_map(n->net, n->model.model.ends.input, n->input));
    expect_ok(tips__net_forward(n->net));
    expect_ok(tips__net_get_map(n->net, n->model.model.ends.outputs[0], n->scores));
    return tips__answer(n->scores, n->model.info.config.classes);
}

static void recount(naive *n, const tips_shift_plan *plan, int kind, tips_figure *consistency, tips_figure *fidelity) {
    tips_pair_count counts[IMAGES];
    int answers[64], shift[2], label = 0;
    for (int i = 0; i < IMAGES; i++) {
        const int index = naive_index(n, i);
        for (int view = 0; view < plan->views; view++) {
            tips__plan_shift(plan, kind, index, view, shift);
            answers[view] = naive_answer(n, index, shift, kind == TIPS_CIRCULAR, &label);
        }
        const tips_class_answers classes = {answers, label};
        const tips_answers list = {tips__compare_classes, &classes};
        counts[i] = tips__count_pairs(&list, 0, plan->views, plan->protocol->sequence);
    }
    expect_ok(tips__consistency(counts, IMAGES, false, consistency, fidelity));
}

static double recount_accuracy(naive *n) {
    int right = 0, label;
    for (int i = 0; i < IMAGES; i++) {
        const int answer = naive_answer(n, naive_index(n, i), (const int[2]){0, 0}, false, &label);
        right += answer == label;
    }
    return 100.0 * right / IMAGES;
}

static tips_figure of_kind(tips_model_result *m, tips_common_metric standard, int kind) {
    return *tips__figure_of_kind(&m->figures, standard, kind);
}

static bool same(tips_figure a, tips_figure b) { return memcmp(&a, &b, sizeof a) == 0; }

/* tips, aps and imagenet-p need no canvas of their own at this size. */
static void test_against_recount(void **state) {
    static const int protocols[] = {0, 2, 5}, pairs[] = {1, 3, 0};
    (void)state;
    for (int p = 0; p < 3; p++) {
        tips_evaluate_config config = config_of("max", protocols[p]);
        config.pairs = pairs[p];
        tips_evaluate_result r = evaluate(&config);
        naive n = naive_create(&config);
        const tips_shift_plan plan =
            tips__shift_plan(&tips__shift_protocols[protocols[p]], config.network.size, pairs[p], 3);
        test_case("%s", plan.protocol->name);
        assert_true(fabs(r.models[0].figures.own[TIPS_CLASSIFY_ACCURACY].value - recount_accuracy(&n)) < 1e-9);
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
            tips_figure consistency, fidelity;
            recount(&n, &plan, kind, &consistency, &fidelity);
            if (!same(of_kind(&r.models[0], TIPS_METRIC_STANDARD_CONSISTENCY, kind), consistency))
                fail_case("consistency");
            if (!same(of_kind(&r.models[0], TIPS_METRIC_STANDARD_FIDELITY, kind), fidelity)) fail_case("fidelity");
            const tips_figure flips = of_kind(&r.models[0], TIPS_METRIC_STANDARD_FLIPS, kind);
            if (plan.protocol->sequence ? flips.low != 100 - consistency.high : !isnan(flips.value)) fail_case("flips");
        }
        naive_destroy(&n);
        tips__evaluate_free(&r);
    }
}

static void expect_sane(tips_model_result *m) {
    const double accuracy = m->figures.own[TIPS_CLASSIFY_ACCURACY].value;
    assert_true(accuracy <= m->figures.own[TIPS_CLASSIFY_TOP5].value);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        const tips_shift_result *s = &m->shift[kind];
        const tips_figure kept = of_kind(m, TIPS_METRIC_STANDARD_CONSISTENCY, kind);
        const double worst = of_kind(m, TIPS_METRIC_STANDARD_WORST_CONSISTENCY, kind).value;
        assert_true(of_kind(m, TIPS_METRIC_STANDARD_FIDELITY, kind).value <= kept.value);
        assert_true(kept.low <= kept.value && kept.value <= kept.high);
        assert_true(fabs(of_kind(m, TIPS_METRIC_STANDARD_PRODUCT, kind).value - accuracy * kept.value / 100) < 1e-9);
        if (s->heatmap.images == 0) continue;
        const int cells = tips__range_cells(&s->heatmap.range);
        assert_true(tips__heatmap_share(&s->heatmap, tips__range_cell(&s->heatmap.range, 0, 0)) == 100);
        assert_true(of_kind(m, TIPS_METRIC_STANDARD_WORST_ACCURACY, kind).value <= worst);
        for (int i = 0; i < cells; i++) assert_true(worst <= tips__heatmap_share(&s->heatmap, i));
    }
}

static void test_every_protocol(void **state) {
    (void)state;
    for (int protocol = 0; tips__protocol_names[protocol]; protocol++) {
        tips_evaluate_config config = config_of("stride", protocol);
        config.levels = config.msb = true;
        config.grid_images = 5;
        if (tips__shift_protocols[protocol].full_grid) config.limit = 6;
        tips_evaluate_result r = evaluate(&config);
        test_case("%s", r.protocol->name);
        expect_sane(&r.models[0]);
        const tips_heatmap *map = &r.models[0].shift[TIPS_CIRCULAR].heatmap;
        assert_int_equal(map->images, r.protocol->full_grid ? 6 : 5);
        if (r.protocol->full_grid) assert_int_equal(tips__range_cells(&map->range), 16 * 16);
        assert_int_equal(r.models[0].n_layers, 4);
        tips__evaluate_free(&r);
    }
}

/* Exact operators never change their answer under circular shifts; stride is the control that does. */
static void test_exact_and_control(void **state) {
    static const char *const exact[] = {"tips-exact", "aps", "lps", "none"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        tips_evaluate_config config = config_of(i < 4 ? exact[i] : "stride", 4);
        config.pairs = 4;
        config.grid_images = 1;
        config.limit = 6;
        tips_evaluate_result r = evaluate(&config);
        const tips_figure *figures = r.models[0].figures.common;
        const double worst = figures[TIPS_METRIC_CIRCULAR_WORST_CONSISTENCY].value;
        const double consistency = figures[TIPS_METRIC_CIRCULAR_CONSISTENCY].value;
        test_case("%s", config.network.pool);
        if ((worst == 100) != (i < 4)) fail_case("%g under all shifts", worst);
        if (i < 4 && consistency != 100) fail_case("%g consistent", consistency);
        tips__evaluate_free(&r);
    }
}

static void test_msb(void **state) {
    static const char *const pools[] = {"max", "stride", "none"};
    static const int layers[] = {4, 4, 1};
    (void)state;
    for (int i = 0; i < 3; i++) {
        tips_evaluate_config config = config_of(pools[i], 0);
        config.msb = true;
        tips_evaluate_result r = evaluate(&config);
        const tips_figure msb = r.models[0].figures.common[TIPS_METRIC_MSB];
        const double nontrivial = r.models[0].figures.common[TIPS_METRIC_MSB_NONTRIVIAL].value;
        assert_int_equal(r.models[0].n_layers, layers[i]);
        if (i == 0) assert_true(msb.value == 100 && msb.low == 100 && nontrivial == 100);
        else assert_true(msb.value < 90 && nontrivial < 60);
        tips__evaluate_free(&r);
    }
}

static void test_refusals(void **state) {
    tips_evaluate_config config = config_of("max", 0);
    tips_evaluate_result r;
    (void)state;
    config.models = "/nonexistent/model.safetensors";
    assert_int_equal(tips__evaluate_run(&config, &r), TIPS_IO);
    config.models = "a,,b";
    assert_int_not_equal(tips__evaluate_run(&config, &r), TIPS_OK);
    config = config_of("max", 0);
    config.batch = 0;
    assert_int_equal(tips__evaluate_run(&config, &r), TIPS_RANGE);
    config = config_of("max", 0);
    config.data = "/nonexistent/data";
    assert_int_not_equal(tips__evaluate_run(&config, &r), TIPS_OK);
}

/* A model that was saved and loaded gives what it gave before. */
static void test_saved_model(void **state) {
    tips_evaluate_config config = config_of("tips-exact", 0);
    char path[] = "/tmp/tips-eval-XXXXXX";
    (void)state;
    tips_evaluate_result before = evaluate(&config);
    naive n = naive_create(&config);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0 && close(descriptor) == 0);
    expect_ok(tips__model_save(path, &n.model.info, n.model.params));
    naive_destroy(&n);
    config.models = path;
    tips_evaluate_result after = evaluate(&config);
    assert_false(after.models[0].is_random);
    assert_memory_equal(&before.models[0].figures, &after.models[0].figures, sizeof(tips_figures));
    tips__evaluate_free(&before);
    tips__evaluate_free(&after);
    unlink(path);
}

/* Whichever allocation fails, the run ends with an error and leaves nothing behind (a sanitizer sees what it leaves).
 */
static void test_out_of_memory(void **state) {
    tips_evaluate_config config = config_of("tips-exact", 1);
    tips_evaluate_result r;
    tips_status status = TIPS_MEMORY;
    (void)state;
    config.network.size[0] = config.network.size[1] = 8;
    config.limit = config.batch = 2;
    config.grid_images = 1;
    config.levels = config.msb = true;
    for (uint64_t n = 1; status != TIPS_OK; n += 1 + n / 16) {
        tips__alloc_fail_at(n);
        status = tips__evaluate_run(&config, &r);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK) assert_int_equal(status, TIPS_MEMORY);
    }
    tips__evaluate_free(&r);
}

static void test_predict_out_of_memory(void **state) {
    char scores[] = "/tmp/tips-scores-XXXXXX", input[] = "/tmp/tips-input-XXXXXX.npy", *files[] = {input};
    float zeros[2 * 3 * 8 * 8] = {0};
    tips_predict_config config = {.network = config_of("aps", 0).network,
                                  .files = files,
                                  .n_files = 1,
                                  .top = 2,
                                  .stability = true,
                                  .batch = 2};
    tips_predict_result r;
    tips_status status = TIPS_MEMORY;
    (void)state;
    config.network.size[0] = config.network.size[1] = 8;
    config.network.channels = 3, config.network.classes = 4;
    assert_true(close(mkstemp(scores)) == 0 && close(mkstemps(input, 4)) == 0);
    expect_ok(tips__npy_write(input, 4, (const int64_t[4]){2, 3, 8, 8}, zeros));
    for (uint64_t n = 1; status != TIPS_OK; n += 1 + n / 16) {
        tips__alloc_fail_at(n);
        status = tips__predict_run(&config, &r);
        if (status == TIPS_OK && (status = tips__predict_save_scores(&r, scores)) != TIPS_OK) tips__predict_free(&r);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK) assert_int_equal(status, TIPS_MEMORY);
    }
    assert_true(r.count == 2 && r.predictions[0].n_classes == 2 && r.shifts == 3);
    assert_true(r.predictions[0].classes[0] == r.predictions[1].classes[0]);
    tips__predict_free(&r);
    unlink(scores);
    unlink(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_recount),   cmocka_unit_test(test_every_protocol),
        cmocka_unit_test(test_exact_and_control), cmocka_unit_test(test_msb),
        cmocka_unit_test(test_out_of_memory),     cmocka_unit_test(test_predict_out_of_memory),
        cmocka_unit_test(test_refusals),          cmocka_unit_test(test_saved_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
