/* tips study: models of every cell of a grid, and what they say together. */
#include "cli.h"
#include "core/json.h"
#include "study/analysis.h"
#include "train_progress.h"
#include "warn.h"

typedef struct study_config {
    const char *out, *shard;
    tips_option_list set, also;
    int limit, seeds, jobs, threads;
    bool merge, dry_run, verbose, json;
    tips_given given;
} study_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(study_config, given),
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(study_config, out),
     .metavar = "DIR",
     .output = TIPS_OUTPUT_FOLDER,
     .help = "folder for the models, tables and figures"},
    {.name = "set",
     .type = TIPS_OPT_LIST,
     .offset = offsetof(study_config, set),
     .metavar = "OPTION=VALUE",
     .help =
         "an option for every cell, over the file; of an option or axis that varies, the one value it takes; may be "
         "given several times"},
    {.name = "limit",
     .type = TIPS_OPT_INT,
     .offset = offsetof(study_config, limit),
     .fallback = "-1",
     .min = -1,
     .max = 2147483647,
     .help = "test pictures to evaluate on; 0 means all, -1 as the file says"},
    {.name = "seeds",
     .type = TIPS_OPT_INT,
     .offset = offsetof(study_config, seeds),
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "models of each cell; 0 means as the file says"},
    {.name = "jobs",
     .type = TIPS_OPT_INT,
     .offset = offsetof(study_config, jobs),
     .fallback = "0",
     .min = 0,
     .max = 256,
     .help = "models at once, each with its share of the threads; 0 means as the file says"},
    {.name = "threads",
     .type = TIPS_OPT_INT,
     .offset = offsetof(study_config, threads),
     .fallback = "0",
     .min = 0,
     .max = 1024,
     .help = "threads to use in all; 0 means all cores"},
    {.name = "shard",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(study_config, shard),
     .metavar = "I/N",
     .help = "train part I of N only; several machines may do so in one folder, and --merge reads all"},
    {.name = "merge",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(study_config, merge),
     .fallback = "false",
     .help = "train nothing: tables and figures of the models that are there"},
    {.name = "also",
     .type = TIPS_OPT_LIST,
     .offset = offsetof(study_config, also),
     .metavar = "DIR",
     .help = "another folder of the same study whose models count too; may be given several times"},
    {.name = "dry-run",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(study_config, dry_run),
     .fallback = "false",
     .help = "say how many models there are and how long they will take, from those that are done or from a few steps"},
    {.name = "verbose", .type = TIPS_OPT_LIKE, .offset = offsetof(study_config, verbose), .group = cli_rows},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(study_config, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

/* What is shown of a model under way, in its own process. */
typedef struct show {
    bool verbose;
    char name[256];
    cli_train_watch watch;
    tips_train_watch callbacks;
} show;

static const tips_train_watch *begin(void *context, const char *name, bool evaluates) {
    show *s = context;
    (void)evaluates;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->callbacks = cli_train_start(&s->watch, s->verbose, s->name);
    s->watch.is_terminal = false; /* the line that changes is the parent's */
    return &s->callbacks;
}

static void describe_time(const tips_study *s, char *out, size_t size) {
    const double seconds = tips__study_seconds_left(s) / s->grid.options.jobs;
    char time[32];
    out[0] = '\0';
    if (!(seconds > 0)) return;
    cli_duration(seconds, time, sizeof time);
    snprintf(out, size, ", about %s left", time);
}

static void tell(void *context, const tips_study *s, const char *cell, const char *failure, bool again) {
    char left[64];
    (void)context;
    if (failure)
        fprintf(stderr, "tips: %s failed%s: %s\n", cli_shown(cell), again ? " and will be tried once more" : " again",
                cli_shown(failure));
    describe_time(s, left, sizeof left);
    fprintf(stderr, "%d of %d models%s: %s\n", s->done, s->mine, left, cli_shown(cell));
}

static tips_status print_dry(tips_study *s, bool json) {
    double seconds;
    int measured;
    char time[32];
    tips_json *out;
    tips_status status = tips__study_measure(s, &seconds, &measured);
    if (status != TIPS_OK && !json) /* data that are not there yet, for instance */
        printf("%d models, %d of them done; how long the rest will take cannot be said\n", s->mine, s->done);
    if (status != TIPS_OK) return status;
    const double left = seconds / s->grid.options.jobs;
    if (!json) {
        cli_duration(left, time, sizeof time);
        printf("%d models, %d of them done; about %s for the rest with %d at a time", s->mine, s->done, time,
               s->grid.options.jobs);
        printf(measured ? ", by a few steps of %d of them\n" : ", by those that are done\n", measured);
        return TIPS_OK;
    }
    status = tips__json_create(&out);
    if (status != TIPS_OK) return status;
    tips__json_open_object(out, NULL);
    tips__json_int(out, "models", s->mine);
    tips__json_int(out, "done", s->done);
    tips__json_int(out, "jobs", s->grid.options.jobs);
    tips__json_number(out, "seconds", left);
    tips__json_int(out, "measured", measured);
    tips__json_close_object(out);
    status = tips__json_write(out, stdout);
    tips__json_destroy(out);
    return status;
}

static tips_status print_json(const tips_study *s) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__study_put(json, s);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static void print_state(const tips_study *s) {
    printf("%d of %d models", s->done, s->mine);
    if (s->config->shards > 1) printf(" of part %d of %d", s->config->shard, s->config->shards);
    printf(" in %s%s\n", cli_shown(s->config->out), s->interrupted ? "; the same command goes on" : "");
    for (int i = 0; i < s->grid.n_cells; i++)
        if (!s->runs[i].done && s->failures[i][0])
            printf("failed: %s: %s\n", cli_shown(s->grid.cells[i].name), cli_shown(s->failures[i]));
}

static tips_status finish(const tips_study *s, bool json) {
    const tips_status status = tips__study_write(s, json ? NULL : stdout);
    if (status != TIPS_OK) return status;
    cli_warn(tips__study_rules, s, NULL);
    if (json) return print_json(s);
    print_state(s);
    return TIPS_OK;
}

static tips_status go(const study_config *c, tips_study *s) {
    tips_status status = tips__analyses_check(&s->grid);
    if (status == TIPS_OK && c->dry_run) return print_dry(s, c->json);
    if (status == TIPS_OK && !c->merge) status = tips__study_train(s);
    return status == TIPS_OK ? finish(s, c->json) : status;
}

static bool read_shard(const char *text, int *shard, int *shards) {
    char end;
    return sscanf(text, "%d/%d%c", shard, shards, &end) == 2 && *shard >= 1 && *shard <= *shards && *shards <= 100000;
}

static int study(const study_config *c, const char *grid) {
    show shown = {.verbose = c->verbose};
    tips_study s;
    tips_study_config config = {.grid = grid,
                                .out = c->out,
                                .over = {c->set.text, c->set.count, c->seeds},
                                .limit = c->limit,
                                .jobs = c->jobs,
                                .merge = c->merge,
                                .also = c->also.text,
                                .n_also = c->also.count,
                                .threads = c->threads,
                                .begin = begin,
                                .stop = cli_is_asked_to_stop,
                                .progress = tell,
                                .context = &shown};
    if (c->shard && !read_shard(c->shard, &config.shard, &config.shards))
        return cli_usage_error(&cli_study, "--shard %s: write I/N, such as 2/4", c->shard);
    cli_train_catch_signals();
    tips_status status = tips__study_open(&config, &s);
    if (status != TIPS_OK) return cli_report(status);
    status = go(c, &s);
    int code = cli_report(status);
    if (code == CLI_OK && s.interrupted) code = CLI_INTERRUPTED;
    else if (code == CLI_OK && s.failed > 0) code = CLI_FAILURE;
    tips__study_close(&s);
    return code;
}

static int run(void *given, int n_words, char **words) {
    const int code = cli_expect_words(&cli_study, 1, n_words, words);
    if (code != CLI_OK) return code;
    if (n_words < 1) return cli_usage_error(&cli_study, "name the file of the study: tips study GRID.yaml --out DIR");
    return study(given, words[0]);
}

const cli_command cli_study = {
    .name = "study",
    .brief = "train every cell of a grid of options and analyse the models together",
    .synopsis = "GRID.yaml --out DIR [OPTION...]",
    .details =
        "The file has 'base:', options of every model; 'vary:', options with lists of values, of which every "
        "combination is a cell; 'cells:', a list of further combinations; and 'analysis:', what is asked of all "
        "models, each with its 'kind:' and keys. docs/studies.md describes it.\n"
        "Each cell is a run in a folder of its own below --out, whose name follows from its options alone: the same "
        "command again, also after kill -9, goes on where it was, and a grid that grew trains what is new. A cell that "
        "fails is tried once more; if it fails again it is named at the end, and all others are done.\n"
        "--out gets study.csv and study.json with a row for each model, study.txt, study.html, and figures as SVG and "
        "PNG.\n"
        "Kinds of analyses:"
#define TIPS_ANALYSIS(name, needs, keys, what) "\n" #name ": " what
#include "study/analyses.def"
#undef TIPS_ANALYSIS
        ,
    .options = options,
    .words = "FILE",
    .config_size = sizeof(study_config),
    .run = run,
    .exit_codes = "0 every model is there, or --merge has written what is there\n1 a cell failed twice, or something "
                  "else\n2 a mistake on the command line or in the file\n130 interrupted; the same command goes on",
    .examples = "tips study recipes/study-losses.yaml --set data=DIR --out runs/losses --dry-run\n"
                "tips study recipes/study-losses.yaml --set data=DIR --out runs/losses\n"
                "tips study recipes/study-correlation.yaml --shard 1/4 --out shared/correlation\n"
                "tips study recipes/study-correlation.yaml --merge --out shared/correlation\n",
};
