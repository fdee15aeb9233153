/* Several runs of a comparison at once, each in a process of its own with its share of the threads. Small networks
 * gain: their steps are too short to be parted among threads well. A run's files are its result, so nothing is passed
 * back but the text of a failure. */
#include "study/compare_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_SIZE = 512 };

typedef struct job {
    pid_t process; /* 0: none */
    int pipe;      /* the text of its failure */
} job;

typedef struct pack {
    job *jobs;
    int count;
    bool is_stopping;   /* all have been asked to save and end */
    tips_status status; /* of the first that failed */
    char text[TEXT_SIZE];
} pack;

static void work(const tips_compare_config *c, tips_compare_run *run, int threads, int out, pid_t parent) {
    setpgid(0, 0); /* Ctrl-C reaches us through the parent, once: a second one would end us before anything is saved */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    tips_compare_config own = *c;
    const int before = tips__train_threads_of(run->folder); /* a run goes on with the number it began with */
    own.train.model.threads = before ? before : threads;
    tips__threads_set(own.train.model.threads);
    const tips_status status = tips__compare_do_run(&own, run);
    if (status != TIPS_OK) {
        const char *text = tips_last_error();
        if (write(out, text, strlen(text)) < 0) _exit(1);
    }
    fflush(NULL);
    _exit((int)status);
}

static tips_status start(const tips_compare_config *c, tips_compare_run *run, int threads, job *out) {
    int ends[2];
    if (pipe(ends) != 0) TIPS_FAIL(TIPS_IO, "no pipe to another process: %s", strerror(errno));
    const pid_t parent = getpid(), process = fork();
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        TIPS_FAIL(TIPS_MEMORY, "no process for another run: %s; use fewer --jobs", strerror(errno));
    }
    if (process == 0) {
        close(ends[0]);
        work(c, run, threads, ends[1], parent);
    }
    setpgid(process, process); /* whoever is first */
    close(ends[1]);
    *out = (job){.process = process, .pipe = ends[0]};
    return TIPS_OK;
}

static void stop_all(pack *p) {
    if (p->is_stopping) return;
    p->is_stopping = true;
    for (int i = 0; i < p->count; i++)
        if (p->jobs[i].process > 0) kill(p->jobs[i].process, SIGINT);
}

static void take_text(int pipe, char *out) {
    size_t length = 0;
    for (ssize_t got; length < TEXT_SIZE - 1; length += (size_t)got) {
        got = read(pipe, out + length, TEXT_SIZE - 1 - length);
        if (got < 0 && errno == EINTR) got = 0;
        else if (got <= 0) break;
    }
    out[length] = '\0';
}

/* The first failure is what is told; the others are asked to save and end. */
static void finish(pack *p, job *done, int code) {
    const bool ended = WIFEXITED(code);
    if ((!ended || WEXITSTATUS(code) != 0) && p->status == TIPS_OK) {
        take_text(done->pipe, p->text);
        p->status = ended ? (tips_status)WEXITSTATUS(code) : TIPS_IO;
        if (!ended) snprintf(p->text, sizeof p->text, "a run was ended by signal %d", WTERMSIG(code));
        stop_all(p);
    }
    close(done->pipe);
    done->process = 0;
}

/* Waits for one run to end. A signal that wakes us is passed on. */
static void wait_for_one(pack *p) {
    int code;
    const pid_t process = waitpid(-1, &code, 0);
    if (process < 0 && errno == EINTR) stop_all(p);
    for (int i = 0; i < p->count; i++)
        if (process > 0 && p->jobs[i].process == process) finish(p, &p->jobs[i], code);
}

static int running(const pack *p) {
    int count = 0;
    for (int i = 0; i < p->count; i++) count += p->jobs[i].process > 0;
    return count;
}

static job *free_job(pack *p) {
    while (running(p) == p->count) wait_for_one(p);
    for (int i = 0; i < p->count; i++)
        if (p->jobs[i].process == 0) return &p->jobs[i];
    return NULL;
}

static tips_status run_pack(const tips_compare_config *c, tips_compare_run *runs, int count, pack *p) {
    const int share = tips__threads() / p->count, threads = share > 0 ? share : 1;
    tips_status status = TIPS_OK;
    for (int i = 0; i < count && status == TIPS_OK; i++) {
        bool found;
        status = tips__compare_read(&runs[i], c->limit, &found);
        if (status != TIPS_OK || found) continue;
        job *place = free_job(p);
        if (p->status != TIPS_OK) break;
        status = start(c, &runs[i], threads, place);
    }
    if (status != TIPS_OK) stop_all(p);
    while (running(p) > 0) wait_for_one(p);
    if (p->status != TIPS_OK) return tips__fail(p->status, "%s", p->text);
    return status;
}

tips_status tips__compare_parallel(const tips_compare_config *c, tips_compare_run *runs, int count) {
    pack p = {.count = c->jobs};
    TIPS_TRY(tips__new_zero(&p.jobs, (size_t)p.count * sizeof *p.jobs, "the runs under way"));
    const tips_status status = run_pack(c, runs, count, &p);
    tips__free(p.jobs);
    return status;
}
