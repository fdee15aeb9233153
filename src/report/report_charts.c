/* The list of charts, and the charts of training. */
#include "report/report_charts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>

static void free_chart(tips_report_chart *c) {
    if (!c) return;
    tips__free(c->series);
    tips__free(c->numbers);
    tips__free(c->categories);
    tips__free(c->looks);
    tips__free(c);
}

void tips__report_charts_free(tips_report_charts *list) {
    for (int i = 0; i < list->count; i++) free_chart(list->charts[i]);
    tips__free(list->charts);
    *list = (tips_report_charts){0};
}

static tips_status fill(tips_report_chart *c, int series, int points) {
    const size_t each = 4 * (size_t)points;
    TIPS_TRY(tips__new_zero(&c->series, (size_t)series * sizeof *c->series, "a chart"));
    TIPS_TRY(tips__new(&c->numbers, (size_t)series * each * sizeof *c->numbers, "a chart"));
    for (size_t i = 0; i < (size_t)series * each; i++) c->numbers[i] = NAN;
    for (int s = 0; s < series; s++) {
        double *at = c->numbers + (size_t)s * each;
        c->series[s] = (tips_chart_series){.x = at, .y = at + points, .low = at + 2 * points, .high = at + 3 * points};
    }
    return TIPS_OK;
}

static tips_status make_room(tips_report_charts *list) {
    if (list->count < list->capacity) return TIPS_OK;
    const size_t old = (size_t)list->capacity, more = old ? 2 * old : 16;
    tips_report_chart **charts = tips__grow(list->charts, old * sizeof *charts, more * sizeof *charts);
    if (!charts) TIPS_FAIL(TIPS_MEMORY, "out of memory for charts");
    list->charts = charts;
    list->capacity = (int)more;
    return TIPS_OK;
}

tips_status tips__charts_add(tips_report_charts *list, tips_chart_group group, int set, int series, int points,
                             tips_report_chart **out) {
    tips_report_chart *c;
    TIPS_TRY(make_room(list));
    TIPS_TRY(tips__new_zero(&c, sizeof *c, "a chart"));
    const tips_status status = fill(c, series, points);
    if (status != TIPS_OK) {
        free_chart(c);
        return status;
    }
    c->group = group;
    c->set = set;
    c->chart = (tips_chart){
        .name = c->name, .title = c->title, .description = c->description, .series = c->series, .n_series = series};
    list->charts[list->count++] = c;
    *out = c;
    return TIPS_OK;
}

typedef enum curve { TASK_LOSS, VAL_LOSS, TRAIN_ACCURACY, VAL_ACCURACY } curve;

static double value_of(const tips_report_epoch *e, curve which) {
    switch (which) {
    case TASK_LOSS: return e->task;
    case VAL_LOSS: return e->val_loss;
    case TRAIN_ACCURACY: return e->train_accuracy;
    default: return e->val_accuracy;
    }
}

static void put_curve(tips_chart_series *s, const tips_report_run *run, curve which, const char *name, int look) {

    s->name = name;
    s->look = look;
    s->count = run->n_epochs;
    s->low = s->high = NULL;
    for (int i = 0; i < run->n_epochs; i++) s->x[i] = run->epochs[i].epoch, s->y[i] = value_of(&run->epochs[i], which);
}

static void describe_training(tips_report_chart *c, int set, const char *name, const char *title, const char *unit,
                              bool percent) {
    snprintf(c->name, sizeof c->name, set > 0 ? "%s-%d" : "%s", name, set + 1);
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->description, sizeof c->description, "%s after each epoch, one line a run.", title);
    c->chart.kind = TIPS_CHART_LINES;
    c->chart.x_label = "epoch";
    c->chart.y_label = unit;
    c->chart.percent = percent;
}

static int most_epochs(const tips_report_data *r, int set, int *runs) {
    int most = 0;
    *runs = 0;
    for (int i = 0; i < r->n_runs; i++) {
        if (!tips__report_is_in(r, &r->runs[i], set) || r->runs[i].n_epochs == 0) continue;
        if (r->runs[i].n_epochs > most) most = r->runs[i].n_epochs;
        ++*runs;
    }
    return most;
}

/* Each row is named once; further seeds share its colour. */
static bool is_first_of_row(const tips_report_data *r, int run) {
    for (int i = 0; i < run; i++)
        if (r->runs[i].row == r->runs[run].row && r->runs[i].n_epochs > 0) return false;
    return true;
}

tips_status tips__charts_of_training(const tips_report_data *r, int set, tips_report_charts *out) {
    static const struct {
        curve which;
        const char *name, *title, *unit;
        bool percent;
    } shown[] = {{VAL_ACCURACY, "val-accuracy", "Accuracy on the validation data", "accuracy, %", true},
                 {VAL_LOSS, "val-loss", "Loss on the validation data", "cross-entropy", false},
                 {TRAIN_ACCURACY, "train-accuracy", "Accuracy on the training data", "accuracy, %", true},
                 {TASK_LOSS, "train-loss", "Task loss on the training data", "cross-entropy", false}};
    int runs;
    const int most = most_epochs(r, set, &runs);
    for (size_t k = 0; runs > 0 && k < sizeof shown / sizeof shown[0]; k++) {
        tips_report_chart *c;
        int n = 0;
        TIPS_TRY(tips__charts_add(out, TIPS_GROUP_TRAINING, set, runs, most, &c));
        describe_training(c, set, shown[k].name, shown[k].title, shown[k].unit, shown[k].percent);
        for (int i = 0; i < r->n_runs; i++) {
            const tips_report_run *run = &r->runs[i];
            if (!tips__report_is_in(r, run, set) || run->n_epochs == 0) continue;
            put_curve(&c->series[n++], run, shown[k].which, is_first_of_row(r, i) ? r->rows[run->row].label : NULL,
                      r->rows[run->row].look);
        }
    }
    return TIPS_OK;
}

tips_status tips__training_charts(const tips_report_run *run, tips_report_charts *out) {
    tips_report_charts list = {0};
    tips_report_chart *loss, *accuracy;
    tips_status status = tips__charts_add(&list, TIPS_GROUP_TRAINING, 0, 2, run->n_epochs, &loss);
    if (status == TIPS_OK) status = tips__charts_add(&list, TIPS_GROUP_TRAINING, 0, 2, run->n_epochs, &accuracy);
    if (status != TIPS_OK) {
        tips__report_charts_free(&list);
        return status;
    }
    describe_training(loss, 0, "loss", "Loss", "cross-entropy", false);
    put_curve(&loss->series[0], run, TASK_LOSS, "training, task loss", 0);
    put_curve(&loss->series[1], run, VAL_LOSS, "validation", 1);
    describe_training(accuracy, 0, "accuracy", "Accuracy", "accuracy, %", true);
    put_curve(&accuracy->series[0], run, TRAIN_ACCURACY, "training", 0);
    put_curve(&accuracy->series[1], run, VAL_ACCURACY, "validation", 1);
    *out = list;
    return TIPS_OK;
}

tips_status tips__report_charts(const tips_report_data *r, tips_report_charts *out) {
    tips_report_charts list = {0};
    tips_status status = TIPS_OK;
    for (int set = 0; set < r->n_sets && status == TIPS_OK; set++) {
        status = tips__charts_of_evaluations(r, set, &list);
        if (status == TIPS_OK) status = tips__charts_of_training(r, set, &list);
    }
    if (status != TIPS_OK) tips__report_charts_free(&list);
    else *out = list;
    return status;
}
