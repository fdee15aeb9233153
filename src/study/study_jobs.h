/* Several pieces of work at once, each in a process of its own with its share of the threads. What a piece leaves is in
 * files, so nothing is passed back but the text of a failure. */
#ifndef TIPS_STUDY_STUDY_JOBS_H
#define TIPS_STUDY_STUDY_JOBS_H

#include <stdbool.h>
#include <tips/status.h>

typedef struct tips_jobs {
    int count;   /* of pieces */
    int at_once; /* 1 or more */
    /* A piece that fails, or dies, is tried once more behind the others, and then left. Without it the first failure is
     * that of the whole, and the others are asked to save and end. */
    bool goes_on;
    tips_status (*is_done)(void *context, int piece, bool *done);
    tips_status (*work)(void *context, int piece, int threads); /* in the other process */
    void (*began)(void *context, int piece);                    /* may be NULL */
    /* `failure` is NULL if it went well; `again`: it will be tried once more. May be NULL. */
    void (*ended)(void *context, int piece, const char *failure, bool again);
    bool (*stop)(void *context); /* asked while waiting: true ends all, which save. May be NULL */
    void *context;
} tips_jobs;

/* The threads that each of so many pieces at once has. */
int tips__jobs_share(int at_once);

/* TIPS_INTERRUPTED: one of the pieces was, or all were asked to stop. */
tips_status tips__jobs_run(const tips_jobs *jobs) TIPS_MUST_CHECK;

#endif
