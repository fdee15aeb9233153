/* The parts of a report: texts, JSON trees, charts and the page, with values and names that are hard to show, and
 * without memory. */
#include "chart/pen_cairo.h"
#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/page.h"
#include "support/compare.h"
#include "support/temporary.h"
#include "task/classify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_text(void **state) {
    (void)state;
    tips_text t = {0};
    tips__text_fixed(&t, 12.345, 2);
    tips__text_add(&t, " ");
    tips__text_fixed(&t, -0.001, 2);
    tips__text_add(&t, " ");
    tips__text_short(&t, 12.50, 2);
    tips__text_add(&t, " ");
    tips__text_short(&t, 100, 2);
    tips__text_add(&t, " ");
    tips__text_fixed(&t, NAN, 1);
    assert_string_equal(t.data, "12.35 0.00 12.5 100 -");
    tips__text_clear(&t);
    tips__text_word(&t, "runs/max");
    tips__text_add(&t, " ");
    tips__text_word(&t, "it's <here>");
    tips__text_add(&t, " ");
    tips__text_word(&t, "");
    assert_string_equal(t.data, "runs/max 'it'\\''s <here>' ''");
    tips__text_clear(&t);
    static const char *const encoded[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="};
    for (size_t i = 0; i < 5; i++) {
        tips__text_base64(&t, "foob", i);
        assert_string_equal(t.data ? t.data : "", encoded[i]);
        tips__text_clear(&t);
    }
    tips__xml_escape(&t, "<a href='x'>&\"\x01\xff"
                         "ä");
    assert_string_equal(t.data, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd"
                                "ä");
    tips__text_clear(&t);
}

static void test_json_tree(void **state) {
    (void)state;
    static const char text[] = "{\"a\": [1, 2.5, null], \"b\": {\"c\": \"x\\u00e4\", \"d\": true}, \"e\": -3e2}";
    tips_json_node *tree;
    expect_ok(tips__json_tree_parse(text, strlen(text), &tree));
    assert_int_equal(tips__json_get(tree, "a")->count, 3);
    assert_true(tips__json_get(tree, "a")->first->next->number == 2.5);
    assert_string_equal(tips__json_get_text(tips__json_get(tree, "b"), "c", ""), "xä");
    assert_true(tips__json_get_bool(tips__json_get(tree, "b"), "d"));
    assert_int_equal(tips__json_get_int(tree, "e", 7), -300);
    assert_int_equal(tips__json_get_int(tree, "none", 7), 7);
    assert_true(isnan(tips__json_get_number(tree, "b")));
    assert_null(tips__json_get(NULL, "a"));
    tips__json_tree_free(tree);
    for (size_t length = 0; length < strlen(text); length++)
        assert_int_equal(tips__json_tree_parse(text, length, &tree), TIPS_FORMAT);
    const char *path = path_in_temporary("lines.jsonl");
    write_file(path, "{\"epoch\":1}\n{\"epoch\":2}\n{\"epo", 29);
    expect_ok(tips__json_tree_load_lines(path, &tree));
    assert_int_equal(tree->count, 2);
    tips__json_tree_free(tree);
    write_file(path, "{\"epoch\":1}\n{\"epoch\"}\n", 22);
    assert_int_equal(tips__json_tree_load_lines(path, &tree), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "lines.jsonl:2"));
}

/* Elements that open and close in turn, quotes that end, no bare ampersand: enough to catch what is not XML. */
static void expect_well_formed(const char *text) {
    const char *stack[256];
    size_t lengths[256];
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '&') {
            const size_t length = strcspn(at, "; <");
            if (at[length] != ';' || length > 8) fail_msg("a bare ampersand: %.40s", at);
        }
        if (*at != '<') continue;
        if (at[1] == '!') {
            at = strchr(at, '>');
            continue;
        }
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        const size_t length = strcspn(name, " />\n");
        for (at = name; *at && *at != '>'; at++) {
            if (*at == '<') fail_msg("a tag within a tag: %.40s", name);
            if (*at == '"') at = strchr(at + 1, '"');
            if (!at) fail_msg("a quote that does not end: %.40s", name);
        }
        if (closes) {
            depth--;
            if (depth < 0 || lengths[depth] != length || strncmp(stack[depth], name, length) != 0)
                fail_msg("</%.*s> closes what is not open", (int)length, name);
        } else if (at[-1] != '/') {
            assert_true(depth < 256);
            stack[depth] = name;
            lengths[depth++] = length;
        }
    }
    assert_int_equal(depth, 0);
}

static void expect_no_references(const char *text) {
    assert_null(strstr(text, "http:"));
    assert_null(strstr(text, "https:"));
    for (const char *at = text; (at = strstr(at, "src=")); at += 4)
        if (strncmp(at + 4, "\"data:image/png;base64,", 23) != 0) fail_msg("a reference: %.60s", at);
    assert_null(strstr(text, "url("));
    assert_null(strstr(text, "@import"));
    for (const char *at = text; (at = strstr(at, "href=\"")); at += 6)
        if (strncmp(at + 6, "data:image/png;base64,", 22) != 0 && at[6] != '#') fail_msg("a reference: %.60s", at);
}

static char *copy(const char *text) {
    char *out = tips__strdup(text);
    assert_non_null(out);
    return out;
}

static void *zeroed(size_t bytes) {
    void *memory = tips__calloc(1, bytes);
    assert_non_null(memory);
    return memory;
}

static tips_figure value(double v) { return (tips_figure){v, v - 1, v + 1}; }

static void fill_shift(tips_report_shift *s, double kept) {
    s->sizes = zeroed(2 * sizeof *s->sizes);
    s->levels = zeroed(2 * sizeof *s->levels);
    s->n_levels = 2;
    for (int i = 0; i < 2; i++) s->sizes[i] = i + 1, s->levels[i] = value(kept - i);
    s->high[0] = s->high[1] = 1;
    s->map_images = 7;
    s->cells = zeroed(4 * sizeof *s->cells);
    for (int i = 0; i < 4; i++) s->cells[i] = i == 2 ? NAN : kept - i;
}

static void fill_figures(tips_figures *f, int kind, double kept) {
    static const tips_common_metric metrics[] = {TIPS_METRIC_STANDARD_CONSISTENCY, TIPS_METRIC_STANDARD_FIDELITY,
                                                 TIPS_METRIC_STANDARD_WORST_CONSISTENCY,
                                                 TIPS_METRIC_STANDARD_WORST_ACCURACY};
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        *tips__figure_of_kind(f, metrics[i], kind) = value(kept);
}

static void fill_run(tips_report_run *run, int row, int seed, const char *pool, double kept) {
    run->folder = copy("runs/<x>&y");
    run->pool = copy(pool);
    run->arch = copy("tiny");
    run->padding = copy("circular");
    run->data = copy("shapes");
    run->seed = seed;
    run->row = row;
    run->log.epochs = zeroed(3 * sizeof *run->log.epochs);
    run->log.count = 3;
    run->log.task = tips__tasks[0];
    for (int i = 0; i < 3; i++)
        run->log.epochs[i] = (tips_train_epoch){.epoch = i + 1, .task = 1.0 / (i + 1), .val = {i == 1 ? NAN : 1, 50}};
    tips_report_evaluation *e = &run->evaluation;
    e->data = copy("shapes");
    e->split = copy("test");
    e->protocol = copy("t<ip>s");
    e->images = 40;
    e->figures = tips__figures_none(tips__tasks[0]->metrics);
    e->figures.own[TIPS_CLASSIFY_ACCURACY] = value(kept);
    e->figures.common[TIPS_METRIC_MSB] = e->figures.common[TIPS_METRIC_MSB_NONTRIVIAL] = value(12);
    for (int k = 0; k < TIPS_SHIFT_KINDS; k++) {
        const double of_kind = k == TIPS_CIRCULAR && row == 1 ? 100 : kept;
        fill_shift(&e->shift[k], of_kind);
        fill_figures(&e->figures, k, of_kind);
    }
    e->layers = zeroed(sizeof *e->layers);
    e->n_layers = 1;
    e->layers[0] = (tips_report_layer){
        .name = copy("a.very.long.name.of.a.layer<&>.pool"), .msb = value(12), .nontrivial = value(3)};
}

static void fill_example(tips_report_example *e) {
    *e = (tips_report_example){
        .name = copy("<img>"), .label = copy("cat & \"dog\""), .kind = TIPS_CIRCULAR, .shift = {1, 0}, .size = {4, 8}};
    e->picture[0] = copy("QUJD");
    e->picture[1] = copy("QUJE");
    e->answers = zeroed(2 * sizeof *e->answers);
    e->n_answers = 2;
    for (int i = 0; i < 2; i++)
        e->answers[i] =
            (tips_report_answer){.row = i,
                                 .before = {.text = copy("cat & \"dog\""), .share = 60, .right = true},
                                 .after = {.text = copy(i ? "cat & \"dog\"" : "</td>"), .share = 55, .right = i},
                                 .agree = i,
                                 .keeps = i};
}

/* One whose answers are drawings. */
static void draw_example(tips_report_data *d, tips_report_example *e) {
    fill_example(e);
    e->truth = copy("VFJV");
    for (int i = 0; i < e->n_answers; i++) {
        e->answers[i].before.picture = copy("QkVG");
        e->answers[i].after.picture = copy("QUZU");
        e->answers[i].difference = copy("RElG");
        e->answers[i].agree = i ? 0.99999 : 0.5;
    }
    d->classes = zeroed(2 * sizeof *d->classes);
    d->n_classes = 2;
    d->classes[0] = (tips_report_class){.name = copy("<disc>"), .rgb = {128, 0, 1}};
    d->classes[1] = (tips_report_class){.name = NULL, .rgb = {0, 255, 0}};
}

/* Two rows, the first with two seeds, and names that are markup. */
static tips_report_data make_report(void) {
    tips_report_data d = {.n_runs = 3,
                          .n_rows = 2,
                          .n_sets = 1,
                          .n_examples = 1,
                          .searched = 9,
                          .n_notes = 1,
                          .n_commands = 1,
                          .version = "0",
                          .build = "b"};
    d.title = copy("<b>title</b> & more");
    d.runs = zeroed(3 * sizeof *d.runs);
    fill_run(&d.runs[0], 0, 1, "max", 90.123);
    fill_run(&d.runs[1], 0, 2, "max", 92.321);
    fill_run(&d.runs[2], 1, 1, "<script>alert(1)</script>", 97.77);
    d.rows = zeroed(2 * sizeof *d.rows);
    d.rows[0] = (tips_report_row){.label = copy("max"), .runs = 2, .evaluated = 2};
    d.rows[1] = (tips_report_row){
        .label = copy("<script>alert(1)</script>"), .look = 1, .runs = 1, .evaluated = 1, .val_is_test = true};
    d.sets = zeroed(sizeof *d.sets);
    d.sets[0] = (tips_report_set){
        .name = copy("shapes & <co>"), .protocol = copy("t<ip>s"), .task = tips__tasks[0]->metrics, .images = 40};
    d.examples = zeroed(sizeof *d.examples);
    fill_example(&d.examples[0]);
    d.notes = zeroed(sizeof *d.notes);
    d.notes[0] = copy("a <note>");
    d.commands = zeroed(sizeof *d.commands);
    d.commands[0] = copy("tips compare --pool 'a&b' <x>");
    return d;
}

static void test_drawn_examples(void **state) {
    (void)state;
    tips_report_data d = make_report();
    tips_text page = {0};
    tips_report_data old = {.examples = d.examples, .n_examples = d.n_examples};
    tips__report_free(&old);
    d.examples = zeroed(sizeof *d.examples);
    draw_example(&d, &d.examples[0]);
    d.graded = true;
    tips__page_write(&page, &d, &(tips_chart_list){0});
    expect_ok(tips__text_check(&page));
    expect_well_formed(page.data);
    expect_no_references(page.data);
    static const char *const parts[] = {"Pictures whose answers change",
                                        "base64,VFJV\"/>",
                                        "base64,QkVG\"/>",
                                        "base64,QUZU\"/>",
                                        "base64,RElG\"/>",
                                        "50.00&#160;% same",
                                        "99.99&#160;% same", /* never 100 for less than all */
                                        "background:#800001\"></i>&lt;disc&gt;"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page.data, parts[i])) fail_msg("the page lacks '%s'", parts[i]);
    tips__text_clear(&page);
    tips__report_free(&d);
}

static void test_page(void **state) {
    (void)state;
    tips_report_data d = make_report();
    tips_chart_list charts;
    tips_text page = {0};
    expect_ok(tips__report_charts(&d, &charts));
    assert_int_equal(charts.count, 1 + 2 + 4 + 2 + 4);
    tips__page_write(&page, &d, &charts);
    expect_ok(tips__text_check(&page));
    expect_well_formed(page.data);
    expect_no_references(page.data);
    assert_null(strstr(page.data, "<script>alert"));
    assert_non_null(strstr(page.data, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(page.data, "Circular exactness is not standard-shift exactness"));
    assert_non_null(strstr(page.data, "under every circular shift that was tried"));
    assert_non_null(strstr(page.data, "91.22<small>&#177; 1.55</small>"));
    assert_non_null(strstr(page.data, "97.77</b><small>96.8&#8211;98.8</small>"));
    assert_non_null(strstr(page.data, "&#10007; flips"));
    assert_non_null(strstr(page.data, "chosen on the test pictures"));
    assert_non_null(strstr(page.data, "@media print"));
    assert_non_null(strstr(page.data, "prefers-color-scheme:dark"));
    tips__text_clear(&page);
    tips__chart_list_free(&charts);
    tips__report_free(&d);
}

/* A task of which less is better: the least of the column is bold. */
static void test_lower(void **state) {
    static const tips_metric task[] = {
        {.name = "error", .kind = TIPS_SHIFT_KINDS, .unit = "m", .better = TIPS_LOWER, .title = "error", .help = "h"},
        {.name = NULL}};
    tips_report_data d = make_report();
    tips_text table = {0};
    (void)state;
    d.sets[0].task = task;
    for (int i = 0; i < d.n_runs; i++) {
        tips_figures *f = &d.runs[i].evaluation.figures;
        f->task = task;
        f->own[0] = f->own[TIPS_CLASSIFY_ACCURACY];
    }
    tips__page_table(&table, &d, 0);
    expect_ok(tips__text_check(&table));
    assert_non_null(strstr(table.data, "<th scope=\"col\">error<small>of 40</small></th>"
                                       "<th scope=\"col\">consistency, standard<small>of 40</small></th>"));
    assert_non_null(strstr(table.data, "worst case, standard<small>of 7</small></th>"));
    assert_non_null(strstr(table.data, "<b>91.22</b>"));
    assert_non_null(strstr(table.data, "<dt>error</dt><dd>h</dd>"));
    tips__text_clear(&table);
    tips__report_free(&d);
}

/* Bold is a claim: none where the best interval meets another, or seeds overlap; ties share it. */
static void test_bold(void **state) {
    static const struct {
        double second[3]; /* accuracy of row 1; row 0 has seeds of 90.123 and 92.321, or the interval 89.123..91.123 */
        bool seeds, bold;
    } cases[] = {{{97, 96, 98}, false, true}, {{92, 90.9, 93}, false, false},  {{92, 91.5, 93}, true, false},
                 {{97, 96, 98}, true, true},  {{90.12, 89, 92}, false, false}, {{97, NAN, NAN}, false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tips_report_data d = make_report();
        tips_text table = {0};
        const double *v = cases[i].second;
        test_case("case %zu", i);
        d.runs[2].evaluation.figures.own[TIPS_CLASSIFY_ACCURACY] = (tips_figure){v[0], v[1], v[2]};
        if (!cases[i].seeds) d.runs[1].evaluation.figures.own[TIPS_CLASSIFY_ACCURACY] = tips__figure_none();
        tips__page_table(&table, &d, 0);
        expect_ok(tips__text_check(&table));
        char bold[32];
        snprintf(bold, sizeof bold, "<b>%.2f</b>", v[0]);
        assert_true((strstr(table.data, bold) != NULL) == cases[i].bold);
        tips__text_clear(&table);
        tips__report_free(&d);
    }
}

static void test_mean(void **state) {
    (void)state;
    const tips_figure values[] = {{1, 0, 2}, {NAN, NAN, NAN}, {4, 3, 5}};
    const tips_report_cell none = tips__report_mean(values + 1, 1), one = tips__report_mean(values, 2),
                           two = tips__report_mean(values, 3);
    assert_int_equal(none.count, 0);
    assert_true(isnan(none.value.value));
    assert_true(one.count == 1 && one.value.low == 0 && isnan(one.deviation));
    assert_true(two.count == 2 && two.value.value == 2.5 && two.value.low == 1 && two.value.high == 4);
    assert_true(fabs(two.deviation - sqrt(4.5)) < 1e-12);
}

static void expect_drawing(const tips_chart *chart) {
    tips_text svg = {0};
    tips__chart_inline(&svg, chart);
    expect_ok(tips__text_check(&svg));
    expect_well_formed(svg.data);
    assert_null(strstr(svg.data, "nan"));
    assert_null(strstr(svg.data, "\"-\""));
    tips__text_clear(&svg);
}

/* One point, no point, equal values, values that are not numbers, more series than colours. */
static void test_charts(void **state) {
    (void)state;
    double x[] = {1, 2, 3}, flat[] = {5, 5, 5}, holes[] = {NAN, 2, NAN}, none[] = {NAN, NAN, NAN};
    tips_chart_series series[12];
    const char *names[] = {"a", "b", "c"};
    const int looks[] = {0, 1, 11};
    for (int kind = TIPS_CHART_LINES; kind <= TIPS_CHART_DOTS; kind++)
        for (int count = 0; count <= 3; count++)
            for (int n = 0; n <= 12; n += 6) {
                for (int i = 0; i < 12; i++) {
                    double *y = i % 3 == 0 ? flat : i % 3 == 1 ? holes : none;
                    series[i] =
                        (tips_chart_series){i % 2 ? "s<" : NULL, i, count, x, y, i % 4 ? NULL : y, y, i % 5 ? NULL : y};
                }
                const tips_chart chart = {.kind = (tips_chart_kind)kind,
                                          .name = "n",
                                          .title = "<t>",
                                          .description = "d&",
                                          .x_label = "x",
                                          .y_label = "y",
                                          .percent = n == 6,
                                          .series = series,
                                          .n_series = n,
                                          .categories = names,
                                          .looks = looks,
                                          .n_categories = count};
                expect_drawing(&chart);
            }
    const tips_chart map = {.kind = TIPS_CHART_HEAT,
                            .name = "m",
                            .title = "t",
                            .description = "d",
                            .x_label = "x",
                            .y_label = "y",
                            .low = 90,
                            .high = 100,
                            .rows = 1,
                            .columns = 3,
                            .first = {-1, 0},
                            .cells = holes};
    expect_drawing(&map);
    assert_int_equal(tips__heat_paint(0) - TIPS_PAINT_RGB, 0x440154);
    assert_int_equal(tips__heat_paint(1) - TIPS_PAINT_RGB, 0xfde725);
    assert_int_equal(tips__heat_paint(NAN), tips__heat_paint(-3));
}

static void test_files(void **state) {
    (void)state;
    double x[] = {1, 2}, y[] = {50, 60};
    const tips_chart_series series = {.name = "b\xff", .count = 2, .x = x, .y = y};
    const tips_chart chart = {.kind = TIPS_CHART_LINES,
                              .name = "c",
                              .title = "t\xff",
                              .description = "d",
                              .x_label = "x",
                              .y_label = "y",
                              .series = &series,
                              .n_series = 1};
    const tips_chart *both[] = {&chart, &chart};
    char folder[TEMPORARY_PATH];
    snprintf(folder, sizeof folder, "%s", path_in_temporary("x"));
    *strrchr(folder, '/') = '\0';
    expect_ok(tips__charts_save(both, 2, folder, "two"));
    size_t bytes;
    char *svg = (char *)read_file(path_in_temporary("two.svg"), &bytes);
    expect_well_formed(svg);
    assert_non_null(strstr(svg, "xmlns=\"http://www.w3.org/2000/svg\""));
    free(svg);
    if (tips__has_cairo()) {
        char *png = (char *)read_file(path_in_temporary("two.png"), &bytes);
        assert_true(bytes > 1000 && memcmp(png, "\x89PNG", 4) == 0);
        free(png);
    } else {
        assert_int_equal(tips__draw_png("x.png", 1, 1, 1, NULL, NULL), TIPS_UNSUPPORTED);
        assert_non_null(strstr(tips_last_error(), "cairo"));
    }
    assert_int_not_equal(tips__charts_save(both, 1, "no/such/folder", "two"), TIPS_OK);
}

/* Each allocation fails in turn: an error or the whole page, never a part of it, and nothing is lost. */
static void test_out_of_memory(void **state) {
    (void)state;
    tips_report_data d = make_report();
    size_t whole = 0;
    for (uint64_t n = 0; n < 100000; n++) {
        tips_chart_list charts;
        tips_text page = {0};
        tips__alloc_fail_at(n);
        const uint64_t before = tips__alloc_count();
        tips_status status = tips__report_charts(&d, &charts);
        if (status == TIPS_OK) {
            tips__page_write(&page, &d, &charts);
            status = tips__text_check(&page);
            tips__chart_list_free(&charts);
        }
        const uint64_t taken = tips__alloc_count() - before;
        tips__alloc_fail_at(0);
        if (n == 0) whole = page.length;
        if (status == TIPS_OK && page.length != whole) fail_msg("allocation %d: a part of a page", (int)n);
        if (status != TIPS_OK) assert_int_equal(status, TIPS_MEMORY);
        tips__text_clear(&page);
        if (n > taken) break;
    }
    tips__report_free(&d);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_json_tree), cmocka_unit_test(test_drawn_examples),
        cmocka_unit_test(test_page),          cmocka_unit_test(test_lower),     cmocka_unit_test(test_bold),
        cmocka_unit_test(test_mean),          cmocka_unit_test(test_charts),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
