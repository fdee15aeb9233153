/* Freeing, and means over the runs of a row. */
#include "report/report_data.h"

#include "core/fail.h"
#include "core/memory.h"
#include "report/report_gather.h"

#include <math.h>

static void free_evaluation(tips_report_evaluation *e) {
    tips__picture_values_clear(&e->each);
    for (int k = 0; k < TIPS_SHIFT_KINDS; k++) {
        tips__free(e->shift[k].sizes);
        tips__free(e->shift[k].levels);
        tips__free(e->shift[k].cells);
    }
    for (int i = 0; i < e->n_layers; i++) tips__free(e->layers[i].name);
    tips__free(e->layers);
    tips__free(e->data);
    tips__free(e->remarks);
    tips__free(e->border);
    tips__free(e->split);
    tips__free(e->protocol);
    tips__free(e->command);
}

static void free_runs(tips_report_data *r) {
    for (int i = 0; i < r->n_runs; i++) {
        tips_report_run *run = &r->runs[i];
        free_evaluation(&run->evaluation);
        tips__free(run->folder);
        tips__free(run->pool);
        tips__free(run->arch);
        tips__free(run->padding);
        tips__free(run->data);
        tips__train_log_clear(&run->log);
    }
    tips__free(r->runs);
}

static void free_said(tips_report_said *said) {
    tips__free(said->text);
    tips__free(said->picture);
}

static void free_examples(tips_report_data *r) {
    for (int i = 0; i < r->n_examples; i++) {
        tips_report_example *e = &r->examples[i];
        for (int k = 0; k < e->n_answers; k++) {
            free_said(&e->answers[k].before);
            free_said(&e->answers[k].after);
            tips__free(e->answers[k].difference);
        }
        tips__free(e->answers);
        tips__free(e->picture[0]);
        tips__free(e->picture[1]);
        tips__free(e->truth);
        tips__free(e->name);
        tips__free(e->label);
    }
    for (int i = 0; i < r->n_classes; i++) tips__free(r->classes[i].name);
    tips__free(r->classes);
    tips__free(r->examples);
    tips__free(r->no_examples);
}

void tips__report_free(tips_report_data *r) {
    free_runs(r);
    free_examples(r);
    for (int i = 0; i < r->n_rows; i++) tips__free(r->rows[i].label);
    for (int i = 0; i < r->n_sets; i++) {
        tips__free(r->sets[i].name);
        tips__free(r->sets[i].protocol);
    }
    for (int i = 0; i < r->n_notes; i++) tips__free(r->notes[i]);
    for (int i = 0; i < r->n_commands; i++) tips__free(r->commands[i]);
    tips__free(r->rows);
    tips__free(r->sets);
    tips__free(r->notes);
    tips__free(r->commands);
    tips__free(r->title);
    *r = (tips_report_data){0};
}

int tips__report_columns(const tips_metric *task, int *columns) {
    int order[TIPS_MOST_METRICS], count = 0;
    const int all = tips__metric_pairs(task, order);
    for (int i = 0; i < all; i++)
        if (tips__metric_at(task, order[i])->title) columns[count++] = order[i];
    return count;
}

tips_report_cell tips__report_mean(const tips_figure *values, int count) {
    tips_report_cell cell = {.value = tips__figure_none(), .deviation = NAN};
    double sum = 0, square = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (isnan(values[i].value)) continue;
        if (cell.count++ == 0) cell.value = values[i];
        sum += values[i].value;
        low = fmin(low, values[i].value), high = fmax(high, values[i].value);
    }
    if (cell.count < 2) return cell;
    const double mean = sum / cell.count;
    for (int i = 0; i < count; i++)
        if (!isnan(values[i].value)) square += (values[i].value - mean) * (values[i].value - mean);
    cell.value = (tips_figure){mean, low, high};
    cell.deviation = sqrt(square / (cell.count - 1));
    return cell;
}

enum { MOST_SEEDS = 1000 };

tips_report_cell tips__report_cell(const tips_report_data *r, int row, int metric) {
    tips_figure values[MOST_SEEDS];
    int count = 0;
    for (int i = 0; i < r->n_runs && count < MOST_SEEDS; i++)
        if (r->runs[i].row == row && r->runs[i].evaluation.data)
            values[count++] = tips__figure_at(&r->runs[i].evaluation.figures, metric);
    return tips__report_mean(values, count);
}

tips_report_cell tips__report_common_cell(const tips_report_data *r, int row, tips_common_metric metric) {
    return tips__report_cell(r, row, tips__metric_index(r->sets[r->rows[row].set].task, metric));
}

tips_report_cell tips__report_one_pixel(const tips_report_data *r, int row, int kind) {
    tips_figure values[MOST_SEEDS];
    int count = 0;
    for (int i = 0; i < r->n_runs && count < MOST_SEEDS; i++)
        if (r->runs[i].row == row && r->runs[i].evaluation.data)
            values[count++] = r->runs[i].evaluation.shift[kind].one_pixel;
    return tips__report_mean(values, count);
}

bool tips__report_is_in(const tips_report_data *r, const tips_report_run *run, int set) {
    return r->rows[run->row].set == set;
}

tips_status tips__report_add_note(tips_report_data *d, const char *text) {
    char **notes = tips__grow(d->notes, (size_t)d->n_notes * sizeof *notes, ((size_t)d->n_notes + 1) * sizeof *notes);
    if (!notes) TIPS_FAIL(TIPS_MEMORY, "out of memory for a note");
    d->notes = notes;
    TIPS_TRY(tips__report_copy(text, &d->notes[d->n_notes]));
    d->n_notes++;
    return TIPS_OK;
}
