/* What is shown of a run while it goes: a line that changes on a terminal; on request a line per epoch,
 * and now and then one within it, in files too. */
#ifndef TIPS_CLI_TRAIN_PROGRESS_H
#define TIPS_CLI_TRAIN_PROGRESS_H

#include "train/train.h"

#include <stdio.h>

typedef struct cli_train_watch {
    FILE *file; /* standard error */
    bool is_terminal, verbose;
    const char *name; /* shown in front where several runs follow each other; may be NULL */
    double shown;     /* clock of the last change, or of the last line of a file */
    double pause;     /* seconds to the next line of a file */
    int width;        /* columns of the line that is there */
} cli_train_watch;

/* Catches SIGINT and SIGTERM: the first one asks the run to stop, a second one ends the program at once. A full disk or
 * a file limit becomes an error instead of a signal. */
void cli_train_catch_signals(void);
/* Whether the first one came; `context` is not looked at. */
bool cli_is_asked_to_stop(void *context);

/* `watch` for tips__train_run. */
tips_train_watch cli_train_start(cli_train_watch *watch, bool verbose, const char *name);
/* Takes the changing line away. */
void cli_train_clear(cli_train_watch *watch);

/* "3 s", "12 min", "2 h 05 min". */
void cli_duration(double seconds, char *out, size_t size);

#endif
