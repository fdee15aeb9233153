/* What a report gathered, as JSON. */
#include "report/report_parts.h"

#include <math.h>

static void put_cell(tips_json *json, const char *key, const tips_report_cell *cell) {
    tips__json_open_object(json, key);
    tips__json_number(json, "value", cell->value.value);
    tips__json_number(json, "low", cell->value.low);
    tips__json_number(json, "high", cell->value.high);
    tips__json_number(json, "deviation", cell->deviation);
    tips__json_close_object(json);
}

static void put_cells(tips_json *json, const tips_report_data *d, int row) {
    const tips_metric *task = d->sets[d->rows[row].set].task;
    int columns[TIPS_MOST_METRICS];
    const int count = tips__report_columns(task, columns);
    for (int i = 0; i < count; i++) {
        const tips_report_cell cell = tips__report_cell(d, row, columns[i]);
        put_cell(json, tips__metric_at(task, columns[i])->name, &cell);
    }
}

static void put_row(tips_json *json, const tips_report_data *d, int row) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "label", d->rows[row].label);
    tips__json_text(json, "set", d->sets[d->rows[row].set].name);
    tips__json_int(json, "runs", d->rows[row].runs);
    tips__json_int(json, "evaluated", d->rows[row].evaluated);
    tips__json_bool(json, "val_is_test", d->rows[row].val_is_test);
    put_cells(json, d, row);
    tips__json_close_object(json);
}

static void put_run(tips_json *json, const tips_report_data *d, const tips_report_run *run) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "folder", run->folder);
    tips__json_text(json, "row", d->rows[run->row].label);
    tips__json_text(json, "arch", run->arch);
    tips__json_text(json, "pool", run->pool);
    tips__json_int(json, "seed", run->seed);
    tips__json_int(json, "epochs", run->log.count);
    tips__json_bool(json, "evaluated", run->evaluation.data != NULL);
    tips__json_int(json, "images", run->evaluation.images);
    tips__json_close_object(json);
}

static void put_answer(tips_json *json, const tips_report_data *d, const tips_report_answer *a) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "row", d->rows[a->row].label);
    tips__json_text(json, "before", a->before.text);
    tips__json_text(json, "after", a->after.text);
    if (isnan(a->before.share)) {
        tips__json_number(json, "agreement_percent", 100 * a->agree);
    } else {
        tips__json_number(json, "before_percent", a->before.share);
        tips__json_number(json, "after_percent", a->after.share);
    }
    tips__json_close_object(json);
}

static void put_example(tips_json *json, const tips_report_data *d, const tips_report_example *e) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "picture", e->name);
    if (e->label) tips__json_text(json, "label", e->label);
    tips__json_text(json, "kind", tips__kind_names[e->kind]);
    tips__json_int(json, "dy", e->shift[0]);
    tips__json_int(json, "dx", e->shift[1]);
    tips__json_open_array(json, "answers");
    for (int i = 0; i < e->n_answers; i++) put_answer(json, d, &e->answers[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static void put_texts(tips_json *json, const char *key, char *const *texts, int count) {
    tips__json_open_array(json, key);
    for (int i = 0; i < count; i++) tips__json_text(json, NULL, texts[i]);
    tips__json_close_array(json);
}

void tips__report_put(tips_json *json, const tips_report_result *r) {
    const tips_report_data *d = &r->data;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "page", r->page);
    tips__json_int(json, "bytes", (int64_t)r->bytes);
    tips__json_text(json, "figures", r->figures);
    tips__json_int(json, "charts", r->charts);
    tips__json_bool(json, "png", r->png);
    tips__json_open_array(json, "rows");
    for (int i = 0; i < d->n_rows; i++) put_row(json, d, i);
    tips__json_close_array(json);
    tips__json_open_array(json, "runs");
    for (int i = 0; i < d->n_runs; i++) put_run(json, d, &d->runs[i]);
    tips__json_close_array(json);
    tips__json_open_array(json, "examples");
    for (int i = 0; i < d->n_examples; i++) put_example(json, d, &d->examples[i]);
    tips__json_close_array(json);
    tips__json_text(json, "no_examples", d->no_examples);
    put_texts(json, "notes", d->notes, d->n_notes);
    put_texts(json, "commands", d->commands, d->n_commands);
    tips__json_close_object(json);
}
