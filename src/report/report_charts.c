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

/* One chart: a line for each run of the set. */
static tips_status add_curves(const tips_report_data *r, int set, int runs, int most, tips_curve curve,
                              tips_chart_list *out) {
    tips_made_chart *c;
    int n = 0;
    TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_TRAINING, set, runs, most, &c));
    for (int i = 0; i < r->n_runs; i++) {
        const tips_report_run *run = &r->runs[i];
        if (!tips__report_is_in(r, run, set) || run->log.count == 0) continue;
        if (n == 0) tips__describe_curves(c, set, run->log.task, curve);
        tips__put_curve(&c->series[n++], &run->log, curve, is_first_of_row(r, i) ? r->rows[run->row].label : NULL,
                        r->rows[run->row].look);
    }
    return TIPS_OK;
}

static const tips_task *task_of(const tips_report_data *r, int set) {
    for (int i = 0; i < r->n_runs; i++)
        if (tips__report_is_in(r, &r->runs[i], set) && r->runs[i].log.count > 0) return r->runs[i].log.task;
    return NULL;
}

/* The task's metrics, then its loss: on the validation data, then on the training data. */
tips_status tips__charts_of_training(const tips_report_data *r, int set, tips_chart_list *out) {
    const tips_task *task = task_of(r, set);
    int runs;
    const int most = most_epochs(r, set, &runs);
    for (int val = 1; task && val >= 0; val--) {
        const int loss = tips__loss_metric(task);
        for (int i = 0; task->metrics[i].name; i++)
            if (i != loss && task->metrics[i].where & (val ? TIPS_IN_VALIDATION : TIPS_IN_TRAINING))
                TIPS_TRY(add_curves(r, set, runs, most, (tips_curve){i, val}, out));
        if (!val || loss >= 0)
            TIPS_TRY(add_curves(r, set, runs, most, (tips_curve){val ? loss : TIPS_CURVE_LOSS, val}, out));
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
