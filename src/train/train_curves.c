/* Loss and accuracy of a run as curves.svg and curves.png, drawn anew from its log after each epoch. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "chart/pen_cairo.h"
#include "train/train_charts.h"

#include <stdio.h>

static tips_status draw(const char *folder, const tips_train_log *log) {
    tips_chart_list charts;
    TIPS_TRY(tips__training_charts(log, &charts));
    const tips_chart *all[1 + TIPS_MOST_OWN_METRICS];
    for (int i = 0; i < charts.count; i++) all[i] = &charts.charts[i]->chart;
    const tips_status status = tips__charts_save(all, charts.count, folder, "curves");
    tips__chart_list_free(&charts);
    return status;
}

tips_status tips__train_draw_curves(const char *folder, const tips_task *task) {
    tips_train_log log = {.task = task};
    tips_status status = tips__train_log_read(folder, &log);
    if (status == TIPS_OK && log.count > 0) status = draw(folder, &log);
    tips__train_log_clear(&log);
    return status;
}

static void note_missing(const curves_watch *w) {
    if (tips__has_cairo()) w->note[0] = '\0';
    else snprintf(w->note, w->size, "%s/curves.png: this build draws no PNG (it lacks cairo)", w->folder);
}

/* Curves are a convenience: that they cannot be drawn is said at the end and does not end the run. */
static void draw_and_note(curves_watch *w) {
    w->drawn = true;
    if (tips__train_draw_curves(w->folder, w->task) == TIPS_OK) note_missing(w);
    else snprintf(w->note, w->size, "%s", tips_last_error());
}

static void draw_and_pass(void *context, const tips_train_progress *progress) {
    curves_watch *w = context;
    if (progress->epoch_done) draw_and_note(w);
    if (w->inner.progress) w->inner.progress(w->inner.context, progress);
}

static bool pass_stop(void *context) {
    const curves_watch *w = context;
    return w->inner.stop && w->inner.stop(w->inner.context);
}

tips_train_watch tips__train_watch_curves(curves_watch *w) {
    return (tips_train_watch){.progress = draw_and_pass, .stop = pass_stop, .context = w};
}

void tips__train_finish_curves(curves_watch *w) {
    if (!w->drawn) draw_and_note(w);
}
