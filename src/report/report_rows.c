/* Which runs are rows of which table, what they are called, and what the reader must know about them. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tips_status tips__report_note(report_job *job, const char *fmt, ...) {
    tips_report_data *d = &job->data;
    char text[2 * TIPS_PATH_SIZE + 512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return tips__report_add_note(d, text);
}

/* What all runs have in common is not said in their names. */
typedef struct differences {
    bool arch, padding;
} differences;

static differences find_differences(const tips_report_data *d) {
    differences found = {0};
    for (int i = 1; i < d->n_runs; i++) {
        found.arch |= strcmp(d->runs[i].arch, d->runs[0].arch) != 0;
        found.padding |= strcmp(d->runs[i].padding, d->runs[0].padding) != 0;
    }
    return found;
}

static void make_label(const tips_report_run *run, differences differ, tips_text *out) {
    tips__text_add(out, run->pool);
    if (run->lpf > 0) tips__text_print(out, " + lpf %d", run->lpf);
    if (differ.arch) tips__text_print(out, ", %s", run->arch);
    if (differ.padding) tips__text_print(out, ", %s padding", run->padding);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool same_set(const report_job *job, int a, int b) {
    const tips_report_run *x = &job->data.runs[a], *y = &job->data.runs[b];
    const tips_report_evaluation *e = &x->evaluation, *f = &y->evaluation;
    if (!e->data || !f->data) return strcmp(x->data, y->data) == 0;
    return strcmp(e->data, f->data) == 0 && strcmp(e->split, f->split) == 0 && strcmp(e->protocol, f->protocol) == 0 &&
           e->pairs == f->pairs;
}

/* The first run of the set that run i is in; evaluated ones decide. */
static int set_leader(const report_job *job, int i) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < job->data.n_runs; k++)
            if ((pass == 1 || job->data.runs[k].evaluation.data) && same_set(job, k, i)) return k;
    return i;
}

static tips_status add_set(report_job *job, int leader, int *out) {
    tips_report_data *d = &job->data;
    const tips_report_run *run = &d->runs[leader];
    const char *format = tips__json_get_text(tips__json_get(job->sources[leader].config, "data"), "format", "");
    const char *base = base_name(run->evaluation.data ? run->evaluation.data : run->data);
    tips_text name = {0};
    tips_report_set *set = &d->sets[d->n_sets];
    tips__text_add(&name, *base ? base : format);
    if (*base && strncmp(base, format, strlen(format)) != 0) tips__text_print(&name, " (%s)", format);
    if (run->evaluation.split) tips__text_print(&name, ", %s", run->evaluation.split);
    *out = d->n_sets++;
    set->name = name.data;
    set->task = run->evaluation.data ? run->evaluation.figures.task : run->task->metrics;
    TIPS_TRY(tips__text_check(&name));
    return tips__report_copy(run->evaluation.protocol ? run->evaluation.protocol : "none", &set->protocol);
}

static void count_images(tips_report_data *d, int set) {
    for (int i = 0; i < d->n_runs; i++) {
        const int images = d->runs[i].evaluation.images;
        if (d->rows[d->runs[i].row].set == set && !d->sets[set].border)
            d->sets[set].border = d->runs[i].evaluation.border;
        if (d->rows[d->runs[i].row].set != set || images == 0) continue;
        if (d->sets[set].images == 0) d->sets[set].images = images;
        d->sets[set].images_differ |= images != d->sets[set].images;
    }
}

enum { NO_ROW = -1, SEED_TAKEN = -2 };

/* Runs of one name and one set are seeds of one row, unless they have the same seed. */
static int find_row(const tips_report_data *d, const char *label, int set, int seed, int run) {
    for (int row = 0; row < d->n_rows; row++) {
        if (d->rows[row].set != set || strcmp(d->rows[row].label, label) != 0) continue;
        for (int i = 0; i < run; i++)
            if (d->runs[i].row == row && d->runs[i].seed == seed) return SEED_TAKEN;
        return row;
    }
    return NO_ROW;
}

/* An operator has one colour in all sets. */
static int look_of(const tips_report_data *d, const char *label) {
    int most = -1;
    for (int row = 0; row < d->n_rows; row++) {
        if (strcmp(d->rows[row].label, label) == 0) return d->rows[row].look;
        most = d->rows[row].look > most ? d->rows[row].look : most;
    }
    return most + 1;
}

static tips_status add_row(tips_report_data *d, const char *label, int set, int *out) {
    tips_report_row *row = &d->rows[d->n_rows];
    *row = (tips_report_row){.look = look_of(d, label), .set = set};
    TIPS_TRY(tips__report_copy(label, &row->label));
    *out = d->n_rows++;
    return TIPS_OK;
}

static tips_status place_run(tips_report_data *d, int index, int set, tips_text *label) {
    tips_report_run *run = &d->runs[index];
    int row = find_row(d, label->data, set, run->seed, index);
    if (row == SEED_TAKEN) {
        tips__text_print(label, " (%s)", run->folder);
        TIPS_TRY(tips__text_check(label));
        row = NO_ROW; /* no folder is read twice */
    }
    if (row == NO_ROW) TIPS_TRY(add_row(d, label->data, set, &row));
    run->row = row;
    d->rows[row].runs++;
    d->rows[row].evaluated += run->evaluation.data != NULL;
    d->rows[row].val_is_test |= run->val_is_test;
    return TIPS_OK;
}

static tips_status place_runs(report_job *job) {
    tips_report_data *d = &job->data;
    const differences differ = find_differences(d);
    int *sets; /* (n_runs): of each leader */
    TIPS_TRY(tips__new(&sets, (size_t)d->n_runs * sizeof *sets, "sets"));
    for (int i = 0; i < d->n_runs; i++) sets[i] = -1;
    tips_status status = TIPS_OK;
    for (int i = 0; i < d->n_runs && status == TIPS_OK; i++) {
        const int leader = set_leader(job, i);
        tips_text label = {0};
        make_label(&d->runs[i], differ, &label);
        status = tips__text_check(&label);
        if (status == TIPS_OK && sets[leader] < 0) status = add_set(job, leader, &sets[leader]);
        if (status == TIPS_OK) status = place_run(d, i, sets[leader], &label);
        tips__text_clear(&label);
    }
    tips__free(sets);
    return status;
}

static tips_status note_missing(report_job *job) {
    const tips_report_data *d = &job->data;
    for (int i = 0; i < d->n_runs; i++) {
        const tips_report_run *run = &d->runs[i];
        tips_text command = {0};
        if (run->log.count == 0)
            TIPS_TRY(tips__report_note(job, "%s has no finished epoch: there are no curves of it.", run->folder));
        if (run->evaluation.remarks) TIPS_TRY(tips__report_note(job, "%s: %s", run->folder, run->evaluation.remarks));
        if (run->evaluation.data) continue;
        tips__report_eval_command(&command, job, i);
        tips_status status = tips__text_check(&command);
        if (status == TIPS_OK)
            status = tips__report_note(job, "%s is not evaluated: %s, or tips report --evaluate, does it.", run->folder,
                                       command.data);
        tips__text_clear(&command);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

static tips_status note_facts(report_job *job) {
    const tips_report_data *d = &job->data;
    bool chosen = false, differ = false;
    for (int i = 0; i < d->n_rows; i++) chosen |= d->rows[i].val_is_test;
    for (int i = 0; i < d->n_sets; i++) differ |= d->sets[i].images_differ;
    if (chosen)
        TIPS_TRY(tips__report_note(job,
                                   "Models marked * were chosen on the test pictures (--val-set test): their figures "
                                   "are no independent result."));
    if (d->n_sets > 1)
        TIPS_TRY(tips__report_note(job,
                                   "These runs were measured on different data or by different protocols: figures of "
                                   "different tables cannot be compared."));
    if (differ)
        TIPS_TRY(tips__report_note(job, "Not all runs were evaluated on the same number of pictures (--limit)."));
    return TIPS_OK;
}

tips_status tips__report_group(report_job *job) {
    tips_report_data *d = &job->data;
    const size_t runs = (size_t)d->n_runs;
    TIPS_TRY(tips__new_zero(&d->rows, runs * sizeof *d->rows, "rows"));
    TIPS_TRY(tips__new_zero(&d->sets, runs * sizeof *d->sets, "sets"));
    TIPS_TRY(place_runs(job));
    for (int set = 0; set < d->n_sets; set++) count_images(d, set);
    TIPS_TRY(note_facts(job));
    return note_missing(job);
}
