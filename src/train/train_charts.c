/* Charts of a run over its epochs. */
#include "train/train_charts.h"

#include <stdio.h>

static double value_of(const tips_train_epoch *e, tips_curve which) {
    switch (which) {
    case TIPS_CURVE_TASK_LOSS: return e->task;
    case TIPS_CURVE_VAL_LOSS: return e->val_loss;
    case TIPS_CURVE_TRAIN_ACCURACY: return e->train_accuracy;
    default: return e->val_accuracy;
    }
}

void tips__put_curve(tips_chart_series *s, const tips_train_log *log, tips_curve which, const char *name, int look) {
    s->name = name;
    s->look = look;
    s->count = log->count;
    s->low = s->high = NULL;
    for (int i = 0; i < log->count; i++) s->x[i] = log->epochs[i].epoch, s->y[i] = value_of(&log->epochs[i], which);
}

void tips__describe_curves(tips_made_chart *c, int set, const char *name, const char *title, const char *unit,
                              bool percent) {
    snprintf(c->name, sizeof c->name, set > 0 ? "%s-%d" : "%s", name, set + 1);
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->description, sizeof c->description, "%s after each epoch, one line a run.", title);
    c->chart.kind = TIPS_CHART_LINES;
    c->chart.x_label = "epoch";
    c->chart.y_label = unit;
    c->chart.percent = percent;
}

tips_status tips__training_charts(const tips_train_log *log, tips_chart_list *out) {
    tips_chart_list list = {0};
    tips_made_chart *loss, *accuracy;
    tips_status status = tips__chart_list_add(&list, 0, 0, 2, log->count, &loss);
    if (status == TIPS_OK) status = tips__chart_list_add(&list, 0, 0, 2, log->count, &accuracy);
    if (status != TIPS_OK) {
        tips__chart_list_free(&list);
        return status;
    }
    tips__describe_curves(loss, 0, "loss", "Loss", "cross-entropy", false);
    tips__put_curve(&loss->series[0], log, TIPS_CURVE_TASK_LOSS, "training, task loss", 0);
    tips__put_curve(&loss->series[1], log, TIPS_CURVE_VAL_LOSS, "validation", 1);
    tips__describe_curves(accuracy, 0, "accuracy", "Accuracy", "accuracy, %", true);
    tips__put_curve(&accuracy->series[0], log, TIPS_CURVE_TRAIN_ACCURACY, "training", 0);
    tips__put_curve(&accuracy->series[1], log, TIPS_CURVE_VAL_ACCURACY, "validation", 1);
    *out = list;
    return TIPS_OK;
}
