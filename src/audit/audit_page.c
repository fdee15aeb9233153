/* The page of an audit: that of tips report for one model, with the requirements and the verifier's table. */
#include "audit/audit_page_parts.h"

#include <tips/version.h>

#include "core/atomic_file.h"
#include "core/build.h"
#include "core/fail.h"
#include "core/memory.h"
#include "evaluate/evaluate_json.h"
#include "report/page.h"
#include "report/report_gather.h"

#include <string.h>

void tips__audit_cell(tips_text *out, const char *text) {
    tips__text_add(out, "<td>");
    tips__page_say(out, text);
    tips__text_add(out, "</td>");
}

void tips__audit_open_table(tips_text *out, const char *label, const char *const *columns) {
    tips__text_print(out, "<div class=\"scroll card\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", label);
    tips__text_add(out, "<table><thead><tr>");
    for (; *columns; columns++) tips__text_print(out, "<th scope=\"col\">%s</th>", *columns);
    tips__text_add(out, "</tr></thead><tbody>\n");
}

void tips__audit_close_table(tips_text *out) { tips__text_add(out, "</tbody></table></div>\n"); }

static void add_requirements(tips_text *out, const tips_audit_result *r) {
    static const char *const columns[] = {"required", "got", "holds", NULL};
    if (r->requirements.count == 0) return;
    tips__text_print(out, "<h2 id=\"requirements\">Requirements</h2>\n<p class=\"lead\">%s</p>\n",
                     r->ok ? "PASSED: all hold." : "FAILED: not all hold.");
    tips__audit_open_table(out, "Requirements", columns);
    for (int i = 0; i < r->requirements.count; i++) {
        const tips_requirement *q = &r->requirements.items[i];
        char got[32];
        tips__requirement_got(q, got, sizeof got);
        tips__text_add(out, "<tr>");
        tips__audit_cell(out, q->text);
        tips__audit_cell(out, got);
        tips__audit_cell(out, q->ok ? "yes" : "no");
        tips__text_add(out, "</tr>\n");
    }
    tips__audit_close_table(out);
}

static void add_layer(tips_text *out, const tips_verify_layer *layer) {
    tips__text_add(out, "<tr>");
    tips__audit_cell(out, layer->name);
    tips__audit_cell(out, layer->type);
    tips__text_print(out, "<td>%dx%dx%d</td><td>%llu</td><td>", layer->channels, layer->height, layer->width,
                     (unsigned long long)layer->differing_bits);
    tips__text_short(out, 100 * layer->max_rel_error, 4);
    tips__text_print(out, "</td><td>%s</td></tr>\n", layer->exact ? "yes" : "no");
}

static void add_verdict(tips_text *out, const tips_audit_result *r) {
    const tips_verify_result *v = &r->verification;
    tips__text_print(out,
                     "<h2 id=\"layers\">Layer by layer</h2>\n<p class=\"lead\">The network on %d circular shifts of ",
                     v->shifts);
    tips__page_say(out, r->picture);
    tips__text_add(out, ", with the shift undone behind each layer. ");
    if (v->exact) tips__text_add(out, "No bit differs: it is exact. ");
    else {
        tips__text_add(out, "The first layer that breaks is ");
        tips__page_say(out, v->layers[v->first_breaking].name);
        tips__text_add(out, ": ");
        tips__page_say(out, v->advice);
        tips__text_add(out, ". ");
    }
    tips__text_print(out, "The answer changes under %d of them.</p>\n", v->answer_changes);
}

static void add_origins(tips_text *out, const tips_verify_result *v) {
    static const char *const columns[] = {"breaks by itself", "type", "output", "largest error, % of the largest value",
                                          "layers behind it", NULL};
    tips__audit_open_table(out, "Layers that break", columns);
    for (int i = 0; i < v->n_layers; i++) {
        const tips_verify_layer *layer = &v->layers[i];
        if (layer->exact || layer->behind >= 0) continue;
        tips__text_add(out, "<tr>");
        tips__audit_cell(out, layer->name);
        tips__audit_cell(out, layer->type);
        tips__text_print(out, "<td>%dx%dx%d</td><td>", layer->channels, layer->height, layer->width);
        tips__text_short(out, 100 * layer->max_rel_error, 4);
        tips__text_print(out, "</td><td>%d of %d</td></tr>\n", tips__verify_behind(v, i), v->n_layers);
    }
    tips__audit_close_table(out);
}

static void add_all_layers(tips_text *out, const tips_verify_result *v) {
    static const char *const columns[] = {
        "layer", "type", "output", "differing bits", "largest error, % of the largest value", "exact", NULL};
    tips__text_print(out, "<details><summary class=\"small\">All %d layers</summary>\n", v->n_layers);
    tips__audit_open_table(out, "Layers", columns);
    for (int i = 0; i < v->n_layers; i++) add_layer(out, &v->layers[i]);
    tips__text_add(out, "</tbody></table></div></details>\n");
}

static void add_next(tips_text *out, const tips_audit_result *r) {
    tips__text_add(out, "<h2 id=\"next\">What helps</h2>\n<p class=\"lead\">");
    tips__page_say(out, r->next);
    tips__text_add(out, "</p>\n");
}

static void add_hidden(tips_text *out, const tips_verify_result *v) {
    const int count = tips__verify_hidden(v);
    const char *join = " ";
    if (count == 0) return;
    tips__text_print(out,
                     "<p class=\"small\">Hidden behind, downsampling too, and breaking by themselves (%d):", count);
    for (int i = 0; i < v->n_layers; i++) {
        if (!v->layers[i].hidden[0]) continue;
        tips__text_add(out, join);
        tips__page_say(out, v->layers[i].name);
        join = ", ";
    }
    tips__text_add(out, ".</p>\n");
}

static void add_layers(tips_text *out, const tips_audit_result *r) {
    if (!r->picture[0]) return;
    add_verdict(out, r);
    if (!r->verification.exact) {
        add_origins(out, &r->verification);
        add_hidden(out, &r->verification);
    }
    add_all_layers(out, &r->verification);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static tips_status take_run(const tips_evaluate_result *r, tips_report_data *d) {
    const tips_model_result *m = &r->models[0];
    tips_task_spec spec;
    TIPS_TRY(tips__task_parse(m->task, &spec));
    TIPS_TRY(tips__new_zero(&d->runs, sizeof *d->runs, "a run"));
    d->n_runs = 1;
    d->runs->seed = r->seed;
    d->runs->lpf = m->lpf;
    d->runs->task = spec.task;
    TIPS_TRY(tips__report_copy(m->name, &d->runs->folder));
    TIPS_TRY(tips__report_copy(m->pool, &d->runs->pool));
    TIPS_TRY(tips__report_copy(m->arch, &d->runs->arch));
    TIPS_TRY(tips__report_copy(m->padding, &d->runs->padding));
    TIPS_TRY(tips__report_copy(r->data, &d->runs->data));
    TIPS_TRY(tips__report_take_result(r, m, &d->runs->evaluation));
    const char *remarks = d->runs->evaluation.remarks;
    return remarks ? tips__report_add_note(d, remarks) : TIPS_OK;
}

static tips_status take_row(const tips_evaluate_result *r, tips_report_data *d) {
    tips_text name = {0};
    TIPS_TRY(tips__new_zero(&d->rows, sizeof *d->rows, "a row"));
    TIPS_TRY(tips__new_zero(&d->sets, sizeof *d->sets, "a set"));
    d->n_rows = d->n_sets = 1;
    d->rows->runs = d->rows->evaluated = 1;
    d->sets->images = r->models[0].images;
    d->sets->border = r->models[0].border;
    d->sets->task = r->models[0].figures.task;
    tips__text_print(&name, "%s, %s", *r->data ? base_name(r->data) : r->format, r->split);
    d->sets->name = name.data;
    TIPS_TRY(tips__text_check(&name));
    TIPS_TRY(tips__report_copy(r->protocol->name, &d->sets->protocol));
    return tips__report_copy(base_name(r->models[0].name), &d->rows->label);
}

/* The page is an output of its own. */
static tips_status take_command(const tips_audit_config *c, const tips_audit_result *r, tips_report_data *d) {
    tips_text text = {0};
    if (!r->evaluation.command) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&d->commands, sizeof *d->commands, "a command"));
    tips__text_print(&text, "%s --report ", r->evaluation.command);
    tips__text_word(&text, c->report ? c->report : "audit.html");
    d->commands[0] = text.data;
    d->n_commands = 1;
    return tips__text_check(&text);
}

static tips_status gather(const tips_audit_config *c, const tips_audit_result *r, tips_report_data *d) {
    tips_text title = {0};
    tips__text_print(&title, "Shift audit: %s", base_name(r->evaluation.models[0].name));
    d->title = title.data;
    TIPS_TRY(tips__text_check(&title));
    d->version = tips_version();
    d->build = tips__build();
    TIPS_TRY(take_run(&r->evaluation, d));
    TIPS_TRY(take_row(&r->evaluation, d));
    if (r->interrupted && !r->evaluation.interrupted)
        TIPS_TRY(tips__report_add_note(d, "Interrupted: the verifier did not try all shifts."));
    return take_command(c, r, d);
}

static tips_status write_page(const tips_report_data *d, const char *path) {
    tips_chart_list charts;
    tips_text page = {0};
    TIPS_TRY(tips__report_charts(d, &charts));
    tips__page_write(&page, d, &charts);
    tips_status status = tips__text_check(&page);
    if (status == TIPS_OK) status = tips__atomic_save(path, page.data, page.length);
    tips__text_clear(&page);
    tips__chart_list_free(&charts);
    return status;
}

/* Borrowed from the result while the page is written. */
static void lend_examples(const tips_audit_result *r, tips_report_data *d) {
    d->examples = r->examples.examples, d->n_examples = r->examples.n_examples;
    d->classes = r->examples.classes, d->n_classes = r->examples.n_classes;
    d->no_examples = r->examples.no_examples, d->searched = r->examples.searched, d->graded = r->examples.graded,
    d->boxes = r->examples.boxes;
}

static void take_examples_back(tips_report_data *d) {
    d->examples = NULL, d->classes = NULL, d->no_examples = NULL;
    d->n_examples = d->n_classes = 0;
}

tips_status tips__audit_save_page(const tips_audit_config *c, const tips_audit_result *r, const char *path) {
    tips_report_data data = {0};
    tips_text first = {0}, extra = {0};
    add_requirements(&first, r);
    tips_status status = tips__audit_page_input(&extra, &r->evaluation);
    add_layers(&extra, r);
    add_next(&extra, r);
    if (status == TIPS_OK) status = tips__audit_page_attack(&extra, &r->attack);
    if (status == TIPS_OK) status = tips__text_check(&first);
    if (status == TIPS_OK) status = tips__text_check(&extra);
    if (status == TIPS_OK) status = gather(c, r, &data);
    data.what = "network";
    data.first = first.data;
    data.extra = extra.data ? extra.data : "";
    lend_examples(r, &data);
    if (status == TIPS_OK) status = write_page(&data, path);
    take_examples_back(&data);
    tips__report_free(&data);
    tips__text_clear(&first);
    tips__text_clear(&extra);
    return status;
}
