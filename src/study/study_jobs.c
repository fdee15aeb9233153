/* Processes for pieces of work. Small networks gain: their steps are too short to be parted among threads well. */
#include "study/study_jobs.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_SIZE = 512, WAIT_NANOSECONDS = 20000000 };

typedef struct job {
    pid_t process; /* 0: none */
    int piece;
    int pipe; /* the text of its failure */
} job;

typedef struct pack {
    const tips_jobs *jobs;
    job *places; /* (jobs->at_once) */
    int *again;  /* (jobs->count): pieces that failed once */
    int n_again;
    bool is_repeating;  /* these are under way */
    bool is_stopping;   /* all have been asked to save and end */
    tips_status status; /* of the first that failed for all */
    char text[TEXT_SIZE];
} pack;

static void work(const tips_jobs *jobs, int piece, int threads, int out, pid_t parent) {
    setpgid(0, 0); /* Ctrl-C reaches us through the parent, once: a second one would end us before anything is saved */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    const tips_status status = jobs->work(jobs->context, piece, threads);
    if (status != TIPS_OK) {
        const char *text = tips_last_error();
        if (write(out, text, strlen(text)) < 0) _exit(1);
    }
    fflush(NULL);
    _exit((int)status);
}

static tips_status start(const tips_jobs *jobs, int piece, int threads, job *out) {
    int ends[2];
    if (pipe(ends) != 0) TIPS_FAIL(TIPS_IO, "no pipe to another process: %s", strerror(errno));
    if (jobs->began) jobs->began(jobs->context, piece);
    fflush(NULL); /* or both processes would write what is waiting */
    const pid_t parent = getpid(), process = fork();
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        TIPS_FAIL(TIPS_MEMORY, "no process for another run: %s; use fewer --jobs", strerror(errno));
    }
    if (process == 0) {
        close(ends[0]);
        work(jobs, piece, threads, ends[1], parent);
    }
    setpgid(process, process); /* whoever is first */
    close(ends[1]);
    *out = (job){.process = process, .piece = piece, .pipe = ends[0]};
    return TIPS_OK;
}

static void stop_all(pack *p) {
    if (p->is_stopping) return;
    p->is_stopping = true;
    for (int i = 0; i < p->jobs->at_once; i++)
        if (p->places[i].process > 0) kill(p->places[i].process, SIGINT);
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

static void tell_end(const pack *p, int piece, const char *failure, bool again) {
    if (p->jobs->ended) p->jobs->ended(p->jobs->context, piece, failure, again);
}

static void fail_all(pack *p, tips_status status, const char *text) {
    if (p->status != TIPS_OK) return;
    p->status = status;
    snprintf(p->text, sizeof p->text, "%s", text);
    stop_all(p);
}

static void finish(pack *p, job *done, int code) {
    const bool ended = WIFEXITED(code), is_well = ended && WEXITSTATUS(code) == 0;
    const tips_status status = ended ? (tips_status)WEXITSTATUS(code) : TIPS_IO;
    char text[TEXT_SIZE] = "";
    take_text(done->pipe, text);
    if (!ended) snprintf(text, sizeof text, "a run was ended by signal %d", WTERMSIG(code));
    else if (!is_well && !text[0]) snprintf(text, sizeof text, "a run ended without a word, exit code %d", (int)status);
    close(done->pipe);
    done->process = 0;
    if (is_well) tell_end(p, done->piece, NULL, false);
    else if (status == TIPS_INTERRUPTED || !p->jobs->goes_on) fail_all(p, status, text);
    else if (!p->is_stopping) {
        tell_end(p, done->piece, text, !p->is_repeating);
        if (!p->is_repeating) p->again[p->n_again++] = done->piece;
    }
}

static bool is_asked_to_stop(const tips_jobs *jobs) { return jobs->stop && jobs->stop(jobs->context); }

/* Waits for one run to end. A wish to stop is passed on. */
static void wait_for_one(pack *p) {
    for (;;) {
        int code;
        const pid_t process = waitpid(-1, &code, WNOHANG);
        for (int i = 0; process > 0 && i < p->jobs->at_once; i++) {
            if (p->places[i].process != process) continue;
            finish(p, &p->places[i], code);
            return;
        }
        if (process < 0 && errno != EINTR) return;
        const struct timespec pause = {0, WAIT_NANOSECONDS};
        nanosleep(&pause, NULL);
        if (is_asked_to_stop(p->jobs)) stop_all(p);
    }
}

static int running(const pack *p) {
    int count = 0;
    for (int i = 0; i < p->jobs->at_once; i++) count += p->places[i].process > 0;
    return count;
}

static job *free_place(pack *p) {
    while (running(p) == p->jobs->at_once) wait_for_one(p);
    for (int i = 0; i < p->jobs->at_once; i++)
        if (p->places[i].process == 0) return &p->places[i];
    return NULL;
}

static tips_status begin(pack *p, int piece, int threads) {
    bool is_done;
    TIPS_TRY(p->jobs->is_done(p->jobs->context, piece, &is_done));
    if (is_done) return TIPS_OK;
    job *place = free_place(p);
    if (p->status != TIPS_OK || p->is_stopping) return TIPS_OK;
    return start(p->jobs, piece, threads, place);
}

static tips_status run_pieces(pack *p, const int *pieces, int count, int threads) {
    tips_status status = TIPS_OK;
    for (int i = 0; i < count && status == TIPS_OK && p->status == TIPS_OK && !p->is_stopping; i++) {
        if (is_asked_to_stop(p->jobs)) stop_all(p);
        else status = begin(p, pieces ? pieces[i] : i, threads);
    }
    if (status != TIPS_OK) stop_all(p);
    while (running(p) > 0) wait_for_one(p);
    return status;
}

int tips__jobs_share(int at_once) {
    const int share = tips__threads() / at_once;
    return share > 0 ? share : 1;
}

static tips_status run_pack(pack *p) {
    const int threads = tips__jobs_share(p->jobs->at_once);
    tips_status status = run_pieces(p, NULL, p->jobs->count, threads);
    p->is_repeating = true;
    if (status == TIPS_OK && p->status == TIPS_OK && !p->is_stopping)
        status = run_pieces(p, p->again, p->n_again, threads);
    if (p->status != TIPS_OK) return tips__fail(p->status, "%s", p->text);
    if (status == TIPS_OK && p->is_stopping) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted; the same command goes on");
    return status;
}

tips_status tips__jobs_run(const tips_jobs *jobs) {
    pack p = {.jobs = jobs};
    TIPS_TRY(tips__new_zero(&p.places, (size_t)jobs->at_once * sizeof *p.places, "the runs under way"));
    tips_status status = tips__new(&p.again, (size_t)(jobs->count + 1) * sizeof *p.again, "the runs to repeat");
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    sigaction(SIGCHLD, &usual, &before); /* who started us may ignore it: then there is nobody to wait for */
    if (status == TIPS_OK) status = run_pack(&p);
    sigaction(SIGCHLD, &before, NULL);
    tips__free(p.again);
    tips__free(p.places);
    return status;
}
