/* Progress of a run on standard error, and the signals that end it. */
#include "train_progress.h"

#include "cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE = 256 };
static const double seconds_between_changes = 0.2;
static const double first_seconds_between_lines = 2, most_seconds_between_lines = 30;

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

void cli_train_catch_signals(void) {
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

bool cli_is_asked_to_stop(void *context) {
    (void)context;
    return stop_asked;
}

void cli_duration(double seconds, char *out, size_t size) {
    const long s = (long)(seconds + 0.5);
    if (s < 100) snprintf(out, size, "%ld s", s);
    else if (s < 6000) snprintf(out, size, "%ld min", (s + 30) / 60);
    else snprintf(out, size, "%ld h %02ld min", (s + 30) / 3600, (s + 30) % 3600 / 60);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_train_clear(cli_train_watch *w) {
    if (w->width > 0) fprintf(w->file, "\r%*s\r", w->width, "");
    w->width = 0;
    fflush(w->file);
}

/* The task's loss first: the sum of all jumps when a part of it begins to count, which is no divergence. */
static void put_losses(const tips_train_progress *p, char *out, size_t size) {
    if (p->has_aux)
        snprintf(out, size, "task loss %.4f (besides: undo %.4f, fm %.4f; sum as weighed %.4f)", p->losses.task,
                 p->losses.undo, p->losses.fm, p->losses.total);
    else snprintf(out, size, "loss %.4f", p->losses.total);
}

static void put_line(const cli_train_watch *w, const tips_train_progress *p, char *out, size_t size) {
    char losses[LINE_SIZE / 2], left[32];
    put_losses(p, losses, sizeof losses);
    cli_duration(p->seconds_left, left, sizeof left);
    snprintf(out, size, "%s%sepoch %d/%d %s%d/%d  %s  %.0f img/s  %s left", w->name ? cli_shown(w->name) : "",
             w->name ? ": " : "", p->epoch, p->epochs, p->validating ? "validation " : "", p->batch, p->batches, losses,
             p->images_per_second, left);
}

static void change_line(cli_train_watch *w, const tips_train_progress *p) {
    char line[LINE_SIZE];
    put_line(w, p, line, sizeof line);
    const int width = (int)strlen(line);
    fprintf(w->file, "\r%s%*s", line, w->width > width ? w->width - width : 0, "");
    fflush(w->file);
    w->width = width;
    w->shown = now();
}

/* The first ones soon, later ones seldom: a log that is looked at grows, and a long one stays short. */
static void add_line(cli_train_watch *w, const tips_train_progress *p) {
    char line[LINE_SIZE];
    put_line(w, p, line, sizeof line);
    fprintf(w->file, "%s\n", line);
    fflush(w->file);
    w->pause = fmin(2 * w->pause, most_seconds_between_lines);
    w->shown = now();
}

/* "loss 0.1234, accuracy 98.76%": the task's metrics that are measured there. */
static void put_metrics(cli_train_watch *w, const tips_task *task, unsigned where, bool named, const double *values) {
    const char *comma = "";
    for (int i = 0; task->metrics[i].name; i++) {
        char value[48];
        if (!(task->metrics[i].where & where)) continue;
        tips__metric_format(&task->metrics[i], values[i], value, sizeof value);
        fprintf(w->file, "%s%s%s%s", comma, named ? task->metrics[i].name : "", named ? " " : "", value);
        comma = ", ";
    }
}

static void end_of_epoch(cli_train_watch *w, const tips_train_progress *p) {
    char losses[LINE_SIZE / 2];
    cli_train_clear(w);
    put_losses(p, losses, sizeof losses);
    fprintf(w->file, "%s%sepoch %d/%d  lr %.4g  %s  train ", w->name ? cli_shown(w->name) : "", w->name ? ": " : "",
            p->epoch, p->epochs, p->lr, losses);
    put_metrics(w, p->task, TIPS_IN_TRAINING, false, p->train);
    fprintf(w->file, "  validation ");
    put_metrics(w, p->task, TIPS_IN_VALIDATION, true, p->val);
    fprintf(w->file, "%s\n", p->improved ? " (best)" : "");
}

static void show(void *context, const tips_train_progress *p) {
    cli_train_watch *w = context;
    if (p->epoch_done) {
        if (w->is_terminal || w->verbose) end_of_epoch(w, p);
    } else if (w->is_terminal && now() - w->shown >= seconds_between_changes) {
        change_line(w, p);
    } else if (!w->is_terminal && w->verbose && now() - w->shown >= w->pause) {
        add_line(w, p);
    }
}

static void say(void *context, const char *text) {
    cli_train_watch *w = context;
    fprintf(w->file, "tips: %s%s%s\n", w->name ? w->name : "", w->name ? ": " : "", text);
}

tips_train_watch cli_train_start(cli_train_watch *w, bool verbose, const char *name) {
    *w = (cli_train_watch){.file = stderr,
                           .is_terminal = isatty(STDERR_FILENO),
                           .verbose = verbose,
                           .name = name,
                           .shown = now(),
                           .pause = first_seconds_between_lines};
    return (tips_train_watch){.progress = show, .stop = cli_is_asked_to_stop, .note = say, .context = w};
}
