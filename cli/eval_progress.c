/* Cost and progress of an evaluation, on standard error. */
#include "eval_progress.h"
#include "train_progress.h"

#include "cli.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_cost(void *context, const tips_evaluate_cost *cost) {
    eval_progress *p = context;
    *p = (eval_progress){.start = now()};
    fprintf(stderr, "%s: %d pictures, %.0f forward passes", cli_shown(cost->model), cost->images, cost->passes);
    if (cost->grid_passes > 0)
        fprintf(stderr, ", %.0f of them for the heat map of %d picture%s", cost->grid_passes, cost->grid_images,
                cost->grid_images == 1 ? "" : "s");
    if (cost->set_passes > 0) fprintf(stderr, ", %.0f for common shifts", cost->set_passes);
    fputc('\n', stderr);
}

/* One line, rewritten at most five times a second, and only for what takes longer than a second. */
static void show_progress(void *context, const char *model, double done, double passes) {
    eval_progress *p = context;
    const double time = now();
    if (done >= passes) {
        if (p->shown > 0) fputs("\r\033[K", stderr);
        return;
    }
    if (time - p->start < 1 || time - p->shown < 0.2) return;
    p->shown = time;
    fprintf(stderr, "\r%s: %.1f %%, %.0f s left ", cli_shown(model), 100 * done / passes,
            (time - p->start) * (passes - done) / done);
    fflush(stderr);
}

void cli_watch_evaluation(tips_evaluate_config *config, eval_progress *progress, bool quiet) {
    *progress = (eval_progress){.start = now()};
    config->context = progress;
    config->stop = cli_is_asked_to_stop;
    cli_train_catch_signals();
    if (!quiet) config->cost = show_cost;
    if (!quiet && isatty(STDERR_FILENO)) config->progress = show_progress;
}
