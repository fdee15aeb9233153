/* tips compare: the same network and data with several operators and seeds. */
#include "cli.h"
#include "columns.h"
#include "core/json.h"
#include "core/text_table.h"
#include "evaluate/evaluate.h"
#include "figure_cells.h"
#include "study/compare.h"
#include "train_progress.h"
#include "warn.h"

#include <math.h>
#include <unistd.h>

typedef struct compare_config {
    tips_compare_config compare;
    bool verbose, json;
    tips_given given;
} compare_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(compare_config, given),
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(compare_config, compare.train),
     .group = tips__train_rows,
     .without = "resume pool"},
    {.name = "pool",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(compare_config, compare.train.model.pool),
     .metavar = "LIST",
     .help = "pooling operators to compare, parted by commas; 'tips list pools' names them"},
    {.name = "seeds",
     .type = TIPS_OPT_INT,
     .offset = offsetof(compare_config, compare.seeds),
     .fallback = "1",
     .min = 1,
     .max = 100,
     .help = "runs of each operator, with seeds from --seed on"},
    {.name = "limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(compare_config, compare.runs.limit),
     .group = tips__evaluate_rows,
     .help = "test pictures to evaluate on; 0 means all"},
    {.name = "grid-images",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(compare_config, compare.runs.grid_images),
     .group = tips__evaluate_rows,
     .help = "test pictures that make the heat map of consistency over shifts; 0 means no heat map"},
    {.name = "jobs",
     .type = TIPS_OPT_INT,
     .offset = offsetof(compare_config, compare.jobs),
     .fallback = "1",
     .min = 1,
     .max = 256,
     .help = "runs at once, each with its share of the threads; small networks train faster so"},
    {.name = "verbose", .type = TIPS_OPT_LIKE, .offset = offsetof(compare_config, verbose), .group = cli_rows},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(compare_config, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

static tips_train_sources sources; /* texts of the config point into it */

static tips_status preset(const void *given, int n_words, char **words, void *config) {
    const tips_train_config *said = &((const compare_config *)given)->compare.train;
    const tips_status status = tips__train_preset(said, n_words ? words[0] : NULL, options, config, &sources);
    ((compare_config *)config)->compare.runs.start = tips__train_sources_start(&sources);
    return status;
}

/* What is shown of the run that is under way. */
typedef struct show {
    bool verbose, alone; /* alone: the line that changes is ours */
    char name[256];
    cli_train_watch watch;
    tips_train_watch callbacks;
} show;

static const tips_train_watch *begin(void *context, const char *name, bool evaluates) {
    show *s = context;
    if (s->watch.file) cli_train_clear(&s->watch);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->callbacks = cli_train_start(&s->watch, s->verbose, s->name);
    if (!s->alone) s->watch.is_terminal = false;
    if (evaluates && (s->verbose || s->watch.is_terminal)) fprintf(stderr, "%s: evaluating\n", cli_shown(name));
    return &s->callbacks;
}

static void add_cell(tips_text_table *table, const tips_compare_row *row, int metric) {
    const double mean = row->mean[metric], deviation = row->deviation[metric];
    const double spread = isnan(deviation) ? row->margin[metric] : deviation;
    if (isnan(mean)) tips__table_cell(table, "-");
    else if (isnan(spread)) tips__table_cell(table, "%.2f", mean);
    else tips__table_cell(table, "%.2f ± %.2f", mean, spread);
}

static void add_row(tips_text_table *table, const tips_metric *task, const tips_compare_row *row) {
    const tips_metric *metric;
    tips__table_cell(table, "%s", row->pool);
    for (int m = 0; (metric = tips__metric_at(task, m)); m++)
        if (metric->column) add_cell(table, row, m);
}

static tips_status print_rows(const tips_compare_result *r) {
    cli_columns columns = {.count = 0};
    const tips_metric *metric;
    tips_text_table *table;
    cli_add_column(&columns, "operator");
    for (int m = 0; (metric = tips__metric_at(r->task, m)); m++)
        if (metric->column) cli_add_number_column(&columns, metric->column);
    tips_status status = tips__table_create(columns.names, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_rows; i++)
        if (r->rows[i].done) add_row(table, r->task, &r->rows[i]);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

static const tips_run *first_done(const tips_compare_result *r) {
    int i = 0;
    while (i + 1 < r->n_rows * r->seeds && !r->runs[i].done) i++;
    return &r->runs[i];
}

static bool has_difference(const tips_compare_result *r, int metric) {
    bool any = false;
    for (int i = 1; i < r->n_rows; i++) any = any || !isnan(r->rows[i].difference[metric].value);
    return any && tips__metric_at(r->task, metric)->column;
}

static void add_differences(tips_text_table *table, const tips_compare_result *r, const tips_compare_row *row) {
    tips__table_cell(table, "%s - %s", row->pool, r->rows[0].pool);
    tips__table_cell(table, "%d", row->pairs);
    for (int m = 0; tips__metric_at(r->task, m); m++)
        if (has_difference(r, m)) cli_difference_cell(table, row->difference[m]);
}

/* From the first operator. */
static tips_status print_differences(const tips_compare_result *r) {
    cli_columns columns = {.count = 0};
    const tips_metric *metric;
    tips_text_table *table;
    int pairs = 0;
    for (int i = 1; i < r->n_rows; i++) pairs += r->rows[i].pairs;
    if (pairs == 0) return TIPS_OK;
    cli_add_column(&columns, "difference");
    cli_add_number_column(&columns, r->seeds > 1 ? "seeds" : "pictures");
    for (int m = 0; (metric = tips__metric_at(r->task, m)); m++)
        if (has_difference(r, m)) cli_add_number_column(&columns, metric->column);
    tips_status status = tips__table_create(columns.names, &table);
    if (status != TIPS_OK) return status;
    for (int i = 1; i < r->n_rows; i++)
        if (r->rows[i].pairs) add_differences(table, r, &r->rows[i]);
    printf("\n");
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    printf("\nIn points, on the same pictures, with Student's 95 %% interval over %s.\n",
           r->seeds > 1 ? "seeds" : "the pictures; seeds differ too");
    return status;
}

static void print_interruption(const tips_compare_result *r) {
    int done = 0;
    for (int i = 0; i < r->n_rows; i++) done += r->rows[i].done;
    if (r->interrupted)
        printf("Interrupted: %d of %d runs are done, and these are theirs; the same command goes on.\n", done,
               r->n_rows * r->seeds);
}

/* Figures of masks and boxes are not percent of pictures. */
static const char *percent_of(const tips_metric *metrics) {
    for (const tips_task *const *task = tips__tasks; *task; task++)
        if ((*task)->metrics == metrics && (*task)->flags & TIPS_TASK_BOXES)
            return "In percent, or px of the input, over";
        else if ((*task)->metrics == metrics && (*task)->flags & TIPS_TASK_MASK) return "Percent of pixels, over";
    return "Percent of";
}

static void print_pictures(const tips_compare_result *r) {
    const tips_run *run = first_done(r);
    if (run->pictures[0]) printf("\n%s %s", percent_of(r->task), cli_shown(run->pictures));
    else printf("\n%s %d pictures", percent_of(r->task), run->images);
}

static tips_status print_table(const tips_compare_result *r) {
    const tips_status status = print_rows(r);
    if (status != TIPS_OK) return status;
    print_pictures(r);
    if (r->seeds > 1) printf(", mean ± deviation over %d seeds", r->seeds);
    else printf(" ± half of the 95 %% interval over them, one seed");
    printf(".\n%s", r->val_is_test ? "The models were chosen on these pictures: no independent result.\n" : "");
    print_interruption(r);
    return print_differences(r);
}

static tips_status print_json(const tips_compare_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__compare_put(json, r);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static tips_status compare(compare_config *config, bool *is_interrupted) {
    show s = {.verbose = config->verbose || (config->compare.jobs > 1 && isatty(STDERR_FILENO)),
              .alone = config->compare.jobs < 2};
    tips_compare_result result;
    config->compare.runs.begin = begin;
    config->compare.runs.stop = cli_is_asked_to_stop;
    config->compare.runs.context = &s;
    cli_train_catch_signals();
    tips_status status = tips__compare(&config->compare, &result);
    if (s.watch.file) cli_train_clear(&s.watch);
    if (status != TIPS_OK) return status;
    *is_interrupted = result.interrupted;
    cli_warn(tips__compare_rules, &result, NULL);
    status = config->json ? print_json(&result) : print_table(&result);
    if (status == TIPS_OK) status = tips__compare_write_all(config->compare.train.out, &result);
    tips__compare_clear(&result);
    return status;
}

static int run(void *given, int n_words, char **words) {
    int code = cli_expect_words(&cli_compare, 1, n_words, words);
    if (code == CLI_OK && !tips__given_has(&((const compare_config *)given)->given, "pool"))
        code = cli_usage_error(&cli_compare, "say which operators to compare: --pool max,aps,tips-exact");
    bool is_interrupted = false;
    if (code == CLI_OK) code = cli_report(compare(given, &is_interrupted));
    if (code == CLI_OK && is_interrupted) code = CLI_INTERRUPTED;
    tips__train_sources_clear(&sources);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .brief = "train and evaluate the same network with several pooling operators",
    .synopsis = "[RECIPE.yaml] --pool LIST --data SPEC --out DIR [OPTION...]",
    .details =
        "--pool takes a list parted by commas; a part 'key=value' belongs to the operator before it. Every operator is "
        "trained with every seed in a folder of its own below --out, as 'tips train' does, and its best model is "
        "evaluated as 'tips eval' does: on the test pictures, or, where there are none, on those that chose the best "
        "epoch, with a warning.\n"
        "The same command again goes on where it was interrupted: runs with a result.json are not repeated. "
        "compare.json holds all results.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(compare_config),
    .run = run,
    .preset = preset,
    .examples = "tips compare recipes/shapes-tiny.yaml --pool max,aps,tips-exact --out runs/shapes\n"
                "tips compare recipes/fashion-small.yaml --pool max,aps,tips,tips-exact --seeds 3 --out runs/fashion\n",
};
