/* Attacks from C: how they are written, that they stay within their bounds and in 0..1, what restarts are for, patches,
 * the mean corruption error, and curves. */
#include "attack/attack_json.h"
#include "attack/attack_parts.h"

#include "core/memory.h"
#include "core/rng.h"
#include "model/open_model.h"
#include "support/contract.h"

#include <math.h>
#include <string.h>

enum { PICTURES = 6, SIDE = 16, NUMBERS = 3 * SIDE * SIDE };

/* ----------------------------------------------------------------------------------------------------- as written */

static tips_attack_plan plan_of(const char *attacks, const char *corruptions, int side) {
    tips_attack_options options = {.jpeg = -1};
    tips_attack_plan plan;
    if (attacks) options.attacks.text[options.attacks.count++] = attacks;
    if (corruptions) options.corruptions.text[options.corruptions.count++] = corruptions;
    expect_ok(tips__attack_plan(&options, (int[2]){side, side}, &plan));
    return plan;
}

static void expect_names(const char *attacks, const char *corruptions, int side, const char *want) {
    tips_attack_plan plan = plan_of(attacks, corruptions, side);
    char got[2048] = "";
    for (int i = 0; i < plan.count; i++) {
        strcat(got, i ? " " : "");
        strcat(got, plan.cases[i].name);
    }
    if (strcmp(got, want) != 0) fail_case("%s is '%s', not '%s'", attacks ? attacks : corruptions, got, want);
    tips__attack_plan_clear(&plan);
}

static void test_grammar(void **state) {
    (void)state;
    expect_names("fgsm:norm=linf,eps=2/255", NULL, 32, "fgsm_linf_2_255");
    expect_names("fgsm", NULL, 32, "fgsm_linf_0.5_255 fgsm_linf_1_255 fgsm_linf_2_255 fgsm_linf_4_255 fgsm_linf_8_255");
    expect_names("pgd:norm=l2", NULL, 224, "pgd_l2_0.7 pgd_l2_1.75 pgd_l2_3.5 pgd_l2_7 pgd_l2_14");
    expect_names("fgsm:eps=1/255+2/255,norm=l2,pgd:eps=0.5;patch:size=1/4,fill=mean", NULL, 32,
                 "fgsm_l2_1_255 fgsm_l2_2_255 pgd_linf_0.5 patch_mean_1_4");
    expect_names("pgd:eps=.1,pgd:eps=.1,steps=3", NULL, 32, "pgd_linf_.1 pgd_linf_.1_2");
    expect_names(NULL, "fog:3,gaussian_noise:2,fog:1,fog", 32, "gaussian_noise_2 fog_1 fog_2 fog_3 fog_4 fog_5");
    expect_names(NULL, "noise:1,extra:5", 32,
                 "gaussian_noise_1 shot_noise_1 impulse_noise_1 speckle_noise_5 gaussian_blur_5 saturate_5");
    tips_attack_plan plan = plan_of(NULL, "all", 64);
    assert_int_equal(plan.count, 75);
    assert_int_equal(plan.scale, TIPS_CORRUPT_32);
    assert_int_equal(plan.jpeg, 0);
    tips__attack_plan_clear(&plan);
    plan = plan_of(NULL, "all", 65);
    assert_int_equal(plan.scale, TIPS_CORRUPT_224);
    assert_int_equal(plan.jpeg, 85);
    tips__attack_plan_clear(&plan);
}

static void test_refusals(void **state) {
    static const struct {
        const char *attack, *corrupt, *says;
    } cases[] = {{"fgms", NULL, "did you mean 'fgsm'"},
                 {"fgsm:eps=two", NULL, "fgsm:eps=two"},
                 {"fgsm:eps=-1", NULL, "0 or more"},
                 {"fgsm:eps=1/0", NULL, "eps=1/0"},
                 {"fgsm:eps=1+", NULL, "missing"},
                 {"fgsm:steps=3", NULL, "no option 'steps'"},
                 {"pgd:stpes=3", NULL, "did you mean 'steps'"},
                 {"pgd:steps=many", NULL, "steps"},
                 {"pgd:norm=l3", NULL, "linf"},
                 {"fgsm:eps", NULL, "key=value"},
                 {NULL, "gausian_noise", "did you mean 'gaussian_noise'"},
                 {NULL, "fog:6", "1 to 5"},
                 {NULL, "fog:", "1 to 5"},
                 {NULL, "qqqq", "tips list corruptions"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tips_attack_options options = {.jpeg = -1};
        if (cases[i].attack) options.attacks.text[options.attacks.count++] = cases[i].attack;
        else options.corruptions.text[options.corruptions.count++] = cases[i].corrupt;
        if (tips__attack_check(&options) == TIPS_OK) fail_case("'%s' is taken", cases[i].attack);
        if (!strstr(tips_last_error(), cases[i].says))
            fail_case("'%s' does not say '%s'", tips_last_error(), cases[i].says);
    }
}

/* ------------------------------------------------------------------------------------------------- what they do */

typedef struct subject {
    tips_loaded_model model;
    tips_gradient_net *net;
    tips_bytes targets[PICTURES];
    int index[PICTURES];
    float before[PICTURES * NUMBERS], after[PICTURES * NUMBERS];
    tips_hardness clean[PICTURES];
} subject;

static subject *start(const char *pool) {
    const tips_model_options options = {.arch = "tiny", .pool = pool, .classes = 5, .channels = 3, .seed = 1};
    const tips_input_options input = {.size = {SIDE, SIDE}};
    subject *s;
    expect_ok(tips__new_zero(&s, sizeof *s, "a subject"));
    expect_ok(tips__open_model("", &options, &input, &s->model));
    expect_ok(tips__gradient_net_create(&s->model, PICTURES, &s->net));
    for (size_t i = 0; i < PICTURES * NUMBERS; i++)
        s->before[i] = (float)tips__rng_below((tips_rng){3, 1}, i, 256) / 255.0f;
    for (int i = 0; i < PICTURES; i++) {
        expect_ok(tips__bytes_resize(&s->targets[i], sizeof(int32_t)));
        *(int32_t *)(void *)s->targets[i].data = i % 5;
        s->index[i] = 7 * i;
    }
    const tips_changed_pictures pictures = {PICTURES, s->index, s->targets, s->before};
    expect_ok(tips__gradient_net_run(s->net, &pictures, s->clean, NULL));
    return s;
}

static void end(subject *s) {
    tips__gradient_net_destroy(s->net);
    tips__loaded_model_destroy(&s->model);
    for (int i = 0; i < PICTURES; i++) tips__bytes_clear(&s->targets[i]);
    tips__free(s);
}

static tips_status no_tick(void *context, double passes) {
    *(double *)context += passes;
    return TIPS_OK;
}

/* The first strength of a text; the passes that were told. */
static double apply(subject *s, const char *text, uint64_t seed) {
    tips_attack_spec spec;
    double told = 0;
    expect_ok(tips__attack_parse(text, &spec));
    const tips_attack_job job = {.config = &spec.config,
                                 .strength = spec.strengths[0].value,
                                 .model = &s->model,
                                 .gradients = s->net,
                                 .seed = seed,
                                 .tick = no_tick,
                                 .context = &told};
    const tips_changed_pictures pictures = {PICTURES, s->index, s->targets, s->after};
    memcpy(s->after, s->before, sizeof s->after);
    expect_ok(spec.method->apply(&job, &pictures));
    return told;
}

static double distance(const subject *s, int picture, bool linf) {
    double most = 0, sum = 0;
    for (int i = picture * NUMBERS; i < (picture + 1) * NUMBERS; i++) {
        const double by = (double)s->after[i] - (double)s->before[i];
        most = fmax(most, fabs(by));
        sum += by * by;
        if (s->after[i] < 0 || s->after[i] > 1) fail_case("a number is %g", (double)s->after[i]);
    }
    return linf ? most : sqrt(sum);
}

static double total_loss(subject *s) {
    const tips_changed_pictures pictures = {PICTURES, s->index, s->targets, s->after};
    tips_hardness now[PICTURES];
    double sum = 0;
    expect_ok(tips__gradient_net_run(s->net, &pictures, now, NULL));
    for (int i = 0; i < PICTURES; i++) sum += now[i].loss;
    return sum;
}

static void test_bounds(void **state) {
    static const struct {
        const char *text;
        double eps;
        bool linf, reaches;
    } cases[] = {{"fgsm:eps=4/255", 4 / 255.0, true, true},
                 {"fgsm:norm=l2,eps=0.5", 0.5, false, false},
                 {"pgd:eps=4/255,steps=6,rel=0.5,restarts=1", 4 / 255.0, true, true},
                 {"pgd:norm=l2,eps=0.5,steps=6,rel=0.5,restarts=2", 0.5, false, false},
                 {"pgd:norm=l2,eps=0.5,steps=6,step=1/4,start=false", 0.5, false, false}};
    static const char *const pools[] = {"max", "tips-exact", "lps"};
    (void)state;
    for (size_t p = 0; p < sizeof pools / sizeof pools[0]; p++) {
        subject *s = start(pools[p]);
        double clean = 0;
        for (int i = 0; i < PICTURES; i++) clean += s->clean[i].loss;
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            test_case("%s of a network with %s", cases[k].text, pools[p]);
            apply(s, cases[k].text, 1);
            for (int i = 0; i < PICTURES; i++) {
                const double far = distance(s, i, cases[k].linf);
                if (far > cases[k].eps + 1e-6 || (cases[k].reaches && far < 0.99 * cases[k].eps) || far == 0)
                    fail_case("picture %d is %g away", i, far);
            }
            if (total_loss(s) <= clean) fail_case("the loss is %g, and was %g", total_loss(s), clean);
        }
        end(s);
    }
}

static void test_strength_of_nothing(void **state) {
    subject *s = start("max");
    (void)state;
    apply(s, "pgd:eps=0", 1);
    assert_memory_equal(s->after, s->before, sizeof s->after);
    apply(s, "patch:size=0", 1);
    assert_memory_equal(s->after, s->before, sizeof s->after);
    end(s);
}

/* A start is drawn by the seed and the picture, and not by what else is in the batch; the worst of several counts. */
static void test_starts(void **state) {
    subject *s = start("max");
    float *first;
    (void)state;
    expect_ok(tips__new(&first, sizeof s->after, "a copy"));
    assert_true(apply(s, "pgd:eps=8/255,steps=2,restarts=1", 1) == 2.0 * 2 * PICTURES);
    memcpy(first, s->after, sizeof s->after);
    apply(s, "pgd:eps=8/255,steps=2,restarts=1", 1);
    assert_memory_equal(s->after, first, sizeof s->after);
    apply(s, "pgd:eps=8/255,steps=2,restarts=1", 2);
    assert_memory_not_equal(s->after, first, sizeof s->after);
    assert_true(apply(s, "pgd:eps=8/255,steps=2,restarts=4", 1) == 2.0 * 2 * 4 * PICTURES);
    const tips_changed_pictures pictures = {PICTURES, s->index, s->targets, s->after};
    tips_hardness now[PICTURES];
    expect_ok(tips__gradient_net_run(s->net, &pictures, now, NULL));
    tips_hardness single[PICTURES];
    const tips_changed_pictures others = {PICTURES, s->index, s->targets, first};
    expect_ok(tips__gradient_net_run(s->net, &others, single, NULL));
    for (int i = 0; i < PICTURES; i++)
        if (now[i].right > single[i].right || (now[i].right == single[i].right && now[i].loss < single[i].loss))
            fail_case("picture %d: four starts are less hard than the first of them", i);
    tips__free(first);
    end(s);
}

static void test_patches(void **state) {
    subject *s = start("max");
    int places[PICTURES];
    bool differ = false;
    (void)state;
    apply(s, "patch:size=1/4", 1);
    for (int i = 0; i < PICTURES; i++) {
        int black = 0, changed = 0;
        places[i] = -1;
        for (int k = 0; k < SIDE * SIDE; k++) {
            const float *at = s->after + i * NUMBERS + k, *was = s->before + i * NUMBERS + k;
            const bool is_black = at[0] == 0 && at[SIDE * SIDE] == 0 && at[2 * SIDE * SIDE] == 0;
            black += is_black;
            if (is_black && places[i] < 0) places[i] = k;
            changed += !is_black && at[0] != was[0];
        }
        if (black != 16 || changed != 0)
            fail_case("picture %d: %d pixels are black, %d others changed", i, black, changed);
        if (places[i] / SIDE > SIDE - 4 || places[i] % SIDE > SIDE - 4) fail_case("it begins at %d", places[i]);
        differ = differ || places[i] != places[0];
    }
    assert_true(differ);
    apply(s, "patch:size=5,fill=mean", 1);
    int mean = 0;
    for (int k = 0; k < SIDE * SIDE; k++) mean += s->after[k] == s->model.preprocess.mean[0];
    assert_int_equal(mean, 25);
    end(s);
}

/* -------------------------------------------------------------------------------------------- mean corruption error */

static tips_attack_result results_of(const char *corruptions, bool frost, double error) {
    tips_attack_options options = {.jpeg = -1, .frost = frost ? "folder" : NULL};
    tips_attack_result r = {0};
    options.corruptions.text[options.corruptions.count++] = corruptions;
    expect_ok(tips__attack_plan(&options, (int[2]){224, 224}, &r.plan));
    expect_ok(tips__new_zero(&r.figures, (size_t)r.plan.count * sizeof *r.figures, "figures"));
    r.done = r.plan.count;
    r.clean_figures = tips__figures_none(tips__tasks[0]->metrics);
    const int main = tips__metric_main(r.clean_figures.task);
    r.clean_figures.own[main] = tips__figure_plain(70);
    for (int i = 0; i < r.done; i++) {
        const double alexnet = 100 * tips__corruptions[r.plan.cases[i].corruption].alexnet;
        r.figures[i] = r.clean_figures;
        /* half of AlexNet's error, spread over the severities; frost is all wrong */
        r.figures[i].own[main].value = 100 - (error * alexnet + 2 * (r.plan.cases[i].severity - 3));
        if (strcmp(tips__corruptions[r.plan.cases[i].corruption].name, "frost") == 0) r.figures[i].own[main].value = 0;
    }
    return r;
}

static void test_mce(void **state) {
    double relative = 0, frost = 0;
    (void)state;
    tips_attack_result r = results_of("all", false, 0.5);
    tips__attack_sum_up(&r, 1000);
    assert_int_equal(r.summary.counted, 14);
    assert_true(fabs(r.summary.mce - 50) < 1e-9);
    for (int g = 0; g < TIPS_CORRUPT_GROUPS; g++) assert_true(fabs(r.summary.group_mce[g] - 50) < 1e-9);
    for (int i = 0; i < TIPS_USUAL_CORRUPTIONS; i++) {
        const double alexnet = 100 * tips__corruptions[i].alexnet;
        if (strcmp(tips__corruptions[i].name, "frost") == 0) frost = alexnet;
        else relative += 100 * (0.5 * alexnet - 30) / (alexnet - 43.5) / 14;
    }
    assert_true(fabs(r.summary.relative - relative) < 1e-9);
    tips__attack_sum_up(&r, 10); /* not ImageNet's classes */
    assert_true(isnan(r.summary.mce) && r.summary.counted == 0 && !isnan(r.summary.error));
    tips__attack_free(&r);
    r = results_of("all", true, 0.5);
    tips__attack_sum_up(&r, 1000);
    assert_int_equal(r.summary.counted, 15);
    assert_true(fabs(r.summary.mce - (14 * 50 + 100 * 100 / frost) / 15) < 1e-9);
    tips__attack_free(&r);
    r = results_of("noise,blur:3", true, 0.5);
    tips__attack_sum_up(&r, 1000);
    assert_true(isnan(r.summary.mce) && r.summary.measured == 3 && isnan(r.summary.groups[TIPS_CORRUPT_BLUR]));
    tips__attack_free(&r);
}

/* ------------------------------------------------------------------------------------------------------- curves */

static tips_attack_result curve_of(const char *attacks, int side) {
    tips_attack_result r = {.plan = plan_of(attacks, NULL, side)};
    expect_ok(tips__new_zero(&r.figures, (size_t)r.plan.count * sizeof *r.figures, "figures"));
    r.done = r.plan.count;
    r.clean_figures = tips__figures_none(tips__tasks[0]->metrics);
    r.clean_figures.own[tips__metric_main(r.clean_figures.task)] = tips__figure_plain(90);
    tips__attack_sum_up(&r, 10);
    for (int i = 0; i < r.done; i++) {
        r.figures[i] = r.clean_figures;
        r.figures[i].own[tips__metric_main(r.clean_figures.task)] = tips__figure_plain(i);
    }
    return r;
}

/* The points of the only curve, and its values: numbers of the cases, 90 of unchanged pictures. */
static void expect_curve(const char *attacks, int side, const double *x, const double *y, int count) {
    tips_attack_result r = curve_of(attacks, side);
    tips_chart_list list = {0};
    test_case("the curve of %s", attacks);
    expect_ok(tips__attack_charts(&r, &list));
    assert_int_equal(list.count, 1);
    const tips_chart_series *s = list.charts[0]->chart.series;
    assert_true(list.charts[0]->chart.x_parts);
    assert_int_equal(s->count, count);
    for (int i = 0; i < count; i++)
        if (fabs(s->x[i] - x[i]) > 1e-9 || s->y[i] != y[i] || s->low[i] != y[i] || s->high[i] != y[i])
            fail_case("point %d is %g at %g, not %g at %g", i, s->y[i], s->x[i], y[i], x[i]);
    tips__chart_list_free(&list);
    tips__attack_free(&r);
}

/* Strengths may be written in any order, and sizes of patches as pixels. */
static void test_curves(void **state) {
    (void)state;
    expect_curve("fgsm:norm=l2,eps=.5+.1+0+.25", 32, (double[]){0, 0, .1, .25, .5}, (double[]){90, 2, 1, 3, 0}, 5);
    expect_curve("patch:size=1/2+4+1/16+1", 32, (double[]){0, 6.25, 12.5, 50, 100}, (double[]){90, 2, 1, 0, 3}, 5);
}

/* A line for each corruption that was measured whole. */
static void test_severities(void **state) {
    tips_attack_result r = results_of("fog,snow:2,contrast", false, 0.5);
    tips_chart_list list = {0};
    (void)state;
    tips__attack_sum_up(&r, 10);
    expect_ok(tips__attack_charts(&r, &list));
    assert_int_equal(list.count, 1);
    const tips_chart *chart = &list.charts[0]->chart;
    assert_int_equal(chart->n_series, 2);
    for (int i = 0; i < chart->n_series; i++) {
        const int row = tips__corruption_find(i == 0 ? "fog" : "contrast");
        assert_string_equal(chart->series[i].name, tips__corruptions[row].name);
        assert_int_equal(chart->series[i].count, TIPS_SEVERITIES);
        for (int k = 0; k < TIPS_SEVERITIES; k++) {
            assert_true(chart->series[i].x[k] == k + 1);
            assert_true(fabs(chart->series[i].y[k] - (50 * tips__corruptions[row].alexnet + 2 * (k - 2))) < 1e-9);
        }
    }
    tips__chart_list_free(&list);
    tips__attack_free(&r);
}

static void test_names_of_figures(void **state) {
    const tips_metric *task = tips__tasks[0]->metrics;
    tips_attack_plan plan = plan_of("fgsm:eps=2/255", "fog:3", 32);
    tips_attack_figure figure;
    char names[4096] = " ";
    (void)state;
    for (int i = 0; tips__attack_figure(&plan, task, NULL, i, &figure); i++) {
        strcat(strcat(names, figure.name), " ");
        assert_true(isnan(figure.figure.value));
    }
    for (const char *const *want = (const char *const[]){" fgsm_linf_2_255 ", " fgsm_linf_2_255:circular_consistency ",
                                                         " fog_3 ", " fog_3:top5 ", " fog_error ", " corruption_error ",
                                                         " mce ", " relative_mce ", NULL};
         *want; want++)
        if (!strstr(names, *want)) fail_case("there is no%sin %s", *want, names);
    tips__attack_plan_clear(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_strength_of_nothing),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_mce),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_severities),
        cmocka_unit_test(test_names_of_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
