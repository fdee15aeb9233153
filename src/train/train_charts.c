/* Charts of a run over its epochs. */
#include "train/train_charts.h"

#include "core/fail.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int tips__loss_metric(const tips_task *task) {
    for (int i = 0; task->metrics[i].name; i++)
        if (strcmp(task->metrics[i].name, "loss") == 0) return i;
    return -1;
}

static double value_of(const tips_train_epoch *e, tips_curve curve) {
    if (curve.metric == TIPS_CURVE_LOSS) return e->task;
    return curve.val ? e->val[curve.metric] : e->train[curve.metric];
}

void tips__put_curve(tips_chart_series *s, const tips_train_log *log, tips_curve curve, const char *name, int look) {
    s->name = name;
    s->look = look;
    s->count = log->count;
    s->low = s->high = NULL;
    for (int i = 0; i < log->count; i++) s->x[i] = log->epochs[i].epoch, s->y[i] = value_of(&log->epochs[i], curve);
}

/* The row that a curve is measured by; NULL where only the graph knows it. */
static const tips_metric *metric_of(const tips_task *task, tips_curve curve) {
    const int row = curve.metric == TIPS_CURVE_LOSS ? tips__loss_metric(task) : curve.metric;
    return row < 0 ? NULL : &task->metrics[row];
}

/* As people write it: "mIoU". */
static const char *shown_name(const tips_metric *metric) {
    if (!metric) return "loss";
    return metric->title ? metric->title : metric->label ? metric->label : metric->name;
}

/* A capital at the beginning, unless the word has one of its own. */
static void capitalise(char *text) {
    if (!isupper((unsigned char)text[1])) text[0] = (char)toupper((unsigned char)text[0]);
}

static void finish(tips_made_chart *c, int set, const char *name, const char *title, const tips_metric *metric) {
    const char *axis = metric && metric->axis ? metric->axis : shown_name(metric);
    const bool has_unit = metric && metric->unit[0] && !metric->axis;
    snprintf(c->name, sizeof c->name, set > 0 ? "%s-%d" : "%s", name, set + 1);
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->description, sizeof c->description, "%s after each epoch, one line a run.", title);
    snprintf(c->unit, sizeof c->unit, "%s%s%s", axis, has_unit ? ", " : "", has_unit ? metric->unit : "");
    c->chart.kind = TIPS_CHART_LINES;
    c->chart.x_label = "epoch";
    c->chart.y_label = c->unit;
    c->chart.percent = has_unit && strcmp(metric->unit, "%") == 0;
}

void tips__describe_curves(tips_made_chart *c, int set, const tips_task *task, tips_curve curve) {
    const tips_metric *metric = metric_of(task, curve);
    const bool is_task = curve.metric == TIPS_CURVE_LOSS;
    const char *name = metric ? metric->name : "loss";
    char short_name[48], title[128];
    snprintf(short_name, sizeof short_name, "%s-%s", curve.val ? "val" : "train", name);
    snprintf(title, sizeof title, "%s%s on the %s data", is_task ? "Task " : "", shown_name(metric),
             curve.val ? "validation" : "training");
    capitalise(title);
    finish(c, set, short_name, title, metric);
}

static tips_status add_losses(const tips_train_log *log, tips_chart_list *list) {
    const int row = tips__loss_metric(log->task);
    tips_made_chart *c;
    TIPS_TRY(tips__chart_list_add(list, 0, 0, row < 0 ? 1 : 2, log->count, &c));
    finish(c, 0, "loss", "Loss", metric_of(log->task, (tips_curve){TIPS_CURVE_LOSS, false}));
    tips__put_curve(&c->series[0], log, (tips_curve){TIPS_CURVE_LOSS, false}, "training, task loss", 0);
    if (row >= 0) tips__put_curve(&c->series[1], log, (tips_curve){row, true}, "validation", 1);
    return TIPS_OK;
}

static tips_status add_metric(const tips_train_log *log, int row, tips_chart_list *list) {
    const tips_metric *metric = &log->task->metrics[row];
    const bool trained = metric->where & TIPS_IN_TRAINING;
    char title[64];
    tips_made_chart *c;
    TIPS_TRY(tips__chart_list_add(list, 0, 0, trained ? 2 : 1, log->count, &c));
    snprintf(title, sizeof title, "%s", shown_name(metric));
    capitalise(title);
    finish(c, 0, metric->name, title, metric);
    if (trained) tips__put_curve(&c->series[0], log, (tips_curve){row, false}, "training", 0);
    tips__put_curve(&c->series[trained], log, (tips_curve){row, true}, "validation", 1);
    return TIPS_OK;
}

static tips_status add_all(const tips_train_log *log, tips_chart_list *list) {
    TIPS_TRY(add_losses(log, list));
    for (int i = 0; log->task->metrics[i].name; i++)
        if (i != tips__loss_metric(log->task) && log->task->metrics[i].where & TIPS_IN_VALIDATION)
            TIPS_TRY(add_metric(log, i, list));
    return TIPS_OK;
}

tips_status tips__training_charts(const tips_train_log *log, tips_chart_list *out) {
    tips_chart_list list = {0};
    const tips_status status = add_all(log, &list);
    if (status == TIPS_OK) *out = list;
    else tips__chart_list_free(&list);
    return status;
}
