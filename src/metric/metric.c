/* The table of metrics, the list of a task's and the common ones, and figures by metric. */
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

const char *const tips__better_names[] = {"neither", "higher", "lower"};
const char *const tips__need_names[] = {"nothing",       "MSB",      "heat map", "protocol of frames",
                                        "common shifts", "verifier", "training"};

#define TIPS_METRIC(identifier, its_name, its_kind, its_need, its_unit, is_better, its_heading, its_column, its_title, \
                    its_label, its_help)                                                                               \
    {.name = its_name,                                                                                                 \
     .kind = TIPS_##its_kind,                                                                                          \
     .need = TIPS_NEEDS_##its_need,                                                                                    \
     .unit = its_unit,                                                                                                 \
     .better = TIPS_##is_better,                                                                                       \
     .heading = its_heading,                                                                                           \
     .column = its_column,                                                                                             \
     .title = its_title,                                                                                               \
     .label = its_label,                                                                                               \
     .help = its_help},
const tips_metric tips__common_metrics[TIPS_COMMON_METRICS] = {
#include "metric/metrics.def"
};
#undef TIPS_METRIC

static int own_count(const tips_metric *task) {
    int count = 0;
    while (task[count].name) count++;
    return count;
}

const tips_metric *tips__metric_at(const tips_metric *task, int i) {
    const int own = own_count(task);
    if (i < own) return &task[i];
    return i - own < TIPS_COMMON_METRICS ? &tips__common_metrics[i - own] : NULL;
}

int tips__metric_main(const tips_metric *task) {
    int i = 0;
    while (task[i].name && task[i].need == TIPS_NEEDS_TRAINING) i++;
    return i;
}

bool tips__metrics_need(const tips_metric *task, tips_metric_need need) {
    for (int i = 0; task[i].name; i++)
        if (task[i].need == need) return true;
    return false;
}

int tips__metric_index(const tips_metric *task, tips_common_metric metric) { return own_count(task) + (int)metric; }

const char *tips__metric_base(const tips_metric *m) {
    const char *kind = m->kind < TIPS_SHIFT_KINDS ? tips__kind_names[m->kind] : "";
    const size_t length = strlen(kind);
    return length && strncmp(m->name, kind, length) == 0 && m->name[length] == '_' ? m->name + length + 1 : m->name;
}

/* The same under circular shifts; the one that was given where there is none. */
static int circular_twin(const tips_metric *task, int standard) {
    const tips_metric *metric;
    const char *base = tips__metric_base(tips__metric_at(task, standard));
    for (int i = 0; (metric = tips__metric_at(task, i)); i++)
        if (metric->kind == TIPS_CIRCULAR && strcmp(tips__metric_base(metric), base) == 0) return i;
    return standard;
}

int tips__metric_pairs(const tips_metric *task, int *order) {
    const tips_metric *metric;
    int count = 0;
    for (int i = 0; (metric = tips__metric_at(task, i)); i++) {
        if (metric->kind == TIPS_CIRCULAR) continue;
        order[count++] = i;
        const int twin = metric->kind == TIPS_STANDARD ? circular_twin(task, i) : i;
        if (twin != i) order[count++] = twin;
    }
    return count;
}

void tips__metric_label(const tips_metric *m, int shifts, char *out, size_t size) {
    const char *mark = strchr(m->label, '#');
    if (mark) snprintf(out, size, "%.*s%d%s", (int)(mark - m->label), m->label, shifts, mark + 1);
    else snprintf(out, size, "%s", m->label);
}

tips_figures tips__figures_none(const tips_metric *task) {
    tips_figures f = {.task = task};
    for (int i = 0; i < TIPS_MOST_OWN_METRICS; i++) f.own[i] = tips__figure_none();
    for (int i = 0; i < TIPS_COMMON_METRICS; i++) f.common[i] = tips__figure_none();
    return f;
}

tips_figure tips__figure_at(const tips_figures *f, int i) {
    const int own = own_count(f->task);
    return i < own ? f->own[i] : f->common[i - own];
}

tips_figure *tips__figure_of_kind(tips_figures *f, tips_common_metric standard, int kind) {
    return &f->common[(int)standard + kind * TIPS_METRICS_PER_KIND];
}

void tips__metric_format(const tips_metric *metric, double value, char *out, size_t size) {
    if (strcmp(metric->unit, "%") == 0) snprintf(out, size, "%.2f%%", value);
    else snprintf(out, size, "%.4f%s%s", value, metric->unit[0] ? " " : "", metric->unit);
}
