/* tips report: folders of runs in, one page and its figures out. */
#include "cli.h"
#include "model/model_options.h"
#include "report/report.h"
#include "study/study_page.h"

typedef struct report_flags {
    tips_report_config run;
    bool json, quiet;
    tips_given given;
} report_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(report_flags, given),
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(report_flags, run.out),
     .fallback = "report.html",
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "the page"},
    {.name = "figures",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(report_flags, run.figures),
     .metavar = "DIR",
     .help = "folder for the figures as SVG and, with cairo, PNG; report-figures for a page report.html if not given, "
             "none writes none"},
    {.name = "title",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(report_flags, run.title),
     .help = "title of the page; made from the data if not given"},
    {.name = "examples",
     .type = TIPS_OPT_INT,
     .offset = offsetof(report_flags, run.examples),
     .fallback = "6",
     .min = 0,
     .max = 100,
     .help = "pictures to show whose answer flips under one model and not under another; 0 runs no models"},
    {.name = "search",
     .type = TIPS_OPT_INT,
     .offset = offsetof(report_flags, run.search),
     .fallback = "512",
     .min = 1,
     .max = 2147483647,
     .help = "test pictures, the first ones, that examples are looked for in"},
    {.name = "evaluate",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(report_flags, run.evaluate),
     .fallback = "false",
     .help = "evaluate the models that are not, and keep the result as eval.json in their folders"},
    {.name = "limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(report_flags, run.limit),
     .group = tips__evaluate_rows,
     .help = "with --evaluate: test pictures, evenly spread; 0 means all"},
    {.name = "on-bad-image",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(report_flags, run.on_bad_image),
     .group = tips__evaluate_rows,
     .help = "with --evaluate: stop at an unreadable picture, or leave it out and count it"},
    {.name = "threads",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(report_flags, run.threads),
     .group = tips__model_rows},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(report_flags, json),
     .group = cli_rows,
     .help = "print what was gathered as JSON"},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(report_flags, quiet),
     .fallback = "false",
     .help = "print nothing but errors"},
    {.type = TIPS_OPT_END},
};

static void show_cost(void *context, const tips_evaluate_cost *cost) {
    (void)context;
    fprintf(stderr, "%s: evaluating %d pictures, %.0f forward passes\n", cli_shown(cost->model), cost->images,
            cost->passes);
}

static void print_result(const tips_report_result *r) {
    for (int i = 0; i < r->data.n_notes; i++) printf("%s\n", cli_shown(r->data.notes[i]));
    if (r->data.no_examples) printf("%s\n", cli_shown(r->data.no_examples));
    if (r->figures)
        printf("%s: %d figures as SVG%s\n", cli_shown(r->figures), r->charts,
               r->png ? " and PNG" : "; not as PNG, because this build lacks cairo");
    printf("%s: %d runs, %zu kB\n", cli_shown(r->page), r->data.n_runs, (r->bytes + 999) / 1000);
}

static tips_status print_json(const tips_report_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__report_put(json, r);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

/* Studies have pages of their own: what they ask is in their files. */
static tips_status put_studies(const report_flags *flags, int n_words, char **words, size_t bytes) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "page", flags->run.out);
    tips__json_int(json, "bytes", (int64_t)bytes);
    tips__json_open_array(json, "studies");
    status = tips__study_page_put(words, n_words, json);
    tips__json_close_array(json);
    tips__json_close_object(json);
    if (status == TIPS_OK) status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static tips_status report_studies(const report_flags *flags, int n_words, char **words) {
    size_t bytes;
    const tips_status status = tips__study_save_page(words, n_words, flags->run.title, flags->run.out, &bytes);
    if (status != TIPS_OK) return status;
    if (flags->json) return put_studies(flags, n_words, words, bytes);
    if (!flags->quiet)
        printf("%s: %d %s, %zu kB\n", cli_shown(flags->run.out), n_words, n_words == 1 ? "study" : "studies",
               (bytes + 999) / 1000);
    return TIPS_OK;
}

static int run(void *config, int n_words, char **words) {
    report_flags *flags = config;
    tips_report_result result;
    int studies;
    tips_status status = tips__study_count_folders(words, n_words, &studies);
    if (status != TIPS_OK) return cli_report(status);
    if (studies > 0) return cli_report(report_studies(flags, n_words, words));
    flags->run.folders = words;
    flags->run.n_folders = n_words;
    if (!flags->quiet) flags->run.cost = show_cost;
    status = tips__report_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    if (flags->json) status = print_json(&result);
    else if (!flags->quiet) print_result(&result);
    tips__report_result_free(&result);
    return cli_report(status);
}

const cli_command cli_report_command = {
    .name = "report",
    .brief = "make one page of tables, figures and examples from runs",
    .synopsis = "DIR... [-o FILE] [OPTION...]",
    .details = "Takes folders of 'tips train' and 'tips compare' and writes one page that needs nothing else, neither "
               "files nor "
               "a network: the comparison, consistency by size of the shift and over the grid of shifts, "
               "maximum-sampling bias, "
               "training curves, pictures whose answer flips, and the commands that make all this again.\n"
               "Figures come from eval.json in the folder of a run, which 'tips compare' writes; 'tips eval --out' "
               "writes it for "
               "a run of 'tips train', or --evaluate does. Runs that differ in their seed only share a row. Runs on "
               "other data or "
               "by another protocol get tables of their own.\n"
               "Folders of 'tips study' make a page of what the study asked: the claims of the paper that it bears on, "
               "its analyses with tables and figures, and all models.",
    .options = options,
    .words = "DIR",
    .config_size = sizeof(report_flags),
    .run = run,
    .examples = "tips report runs/fashion -o fashion.html\n"
                "tips report runs/max runs/exact --evaluate --limit 1000 -o two.html\n"
                "tips report runs/fashion --examples 0 --figures none --json\n"
                "tips report runs/correlation runs/losses -o studies.html\n",
};
