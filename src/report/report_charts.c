/* The list of charts, and the charts of training. */
#include "report/report_charts.h"

#include "core/fail.h"
#include "train/train_charts.h"

static int most_epochs(const tips_report_data *r, int set, int *runs) {
    int most = 0;
    *runs = 0;
    for (int i = 0; i < r->n_runs; i++) {
        if (!tips__report_is_in(r, &r->runs[i], set) || r->runs[i].log.count == 0) continue;
        if (r->runs[i].log.count > most) most = r->runs[i].log.count;
        ++*runs;
    }
    return most;
}

/* Each row is named once; further seeds share its colour. */
static bool is_first_of_row(const tips_report_data *r, int run) {
    for (int i = 0; i < run; i++)
        if (r->runs[i].row == r->runs[run].row && r->runs[i].log.count > 0) return false;
    return true;
}

tips_status tips__charts_of_training(const tips_report_data *r, int set, tips_chart_list *out) {
    static const struct {
        tips_curve which;
        const char *name, *title, *unit;
        bool percent;
    } shown[] = {{TIPS_CURVE_VAL_ACCURACY, "val-accuracy", "Accuracy on the validation data", "accuracy, %", true},
                 {TIPS_CURVE_VAL_LOSS, "val-loss", "Loss on the validation data", "cross-entropy", false},
                 {TIPS_CURVE_TRAIN_ACCURACY, "train-accuracy", "Accuracy on the training data", "accuracy, %", true},
                 {TIPS_CURVE_TASK_LOSS, "train-loss", "Task loss on the training data", "cross-entropy", false}};
    int runs;
    const int most = most_epochs(r, set, &runs);
    for (size_t k = 0; runs > 0 && k < sizeof shown / sizeof shown[0]; k++) {
        tips_made_chart *c;
        int n = 0;
        TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_TRAINING, set, runs, most, &c));
        tips__describe_curves(c, set, shown[k].name, shown[k].title, shown[k].unit, shown[k].percent);
        for (int i = 0; i < r->n_runs; i++) {
            const tips_report_run *run = &r->runs[i];
            if (!tips__report_is_in(r, run, set) || run->log.count == 0) continue;
            tips__put_curve(&c->series[n++], &run->log, shown[k].which, is_first_of_row(r, i) ? r->rows[run->row].label : NULL,
                      r->rows[run->row].look);
        }
    }
    return TIPS_OK;
}

tips_status tips__report_charts(const tips_report_data *r, tips_chart_list *out) {
    tips_chart_list list = {0};
    tips_status status = TIPS_OK;
    for (int set = 0; set < r->n_sets && status == TIPS_OK; set++) {
        status = tips__charts_of_evaluations(r, set, &list);
        if (status == TIPS_OK) status = tips__charts_of_training(r, set, &list);
    }
    if (status != TIPS_OK) tips__chart_list_free(&list);
    else *out = list;
    return status;
}
