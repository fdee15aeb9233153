/* tips audit: options in, one run, tables or JSON out, and an exit code for pipelines. */
#include "attack_print.h"
#include "cli.h"
#include "eval_print.h"
#include "eval_progress.h"
#include "verify_print.h"
#include "warn.h"

#include "audit/audit.h"
#include "core/json.h"
#include "core/option_flags.h"
#include "core/text_table.h"

typedef struct audit_flags {
    tips_audit_config run;
    tips_option_list require;
    bool json, quiet, verbose;
    tips_given given;
} audit_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(audit_flags, given),
    {.name = "data",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.data),
     .group = tips__evaluate_rows,
     .help = "pictures: a path whose format is recognised (a folder of class folders, say), format:path, or shapes"},
    {.name = "require",
     .type = TIPS_OPT_LIST,
     .offset = offsetof(audit_flags, require),
     .metavar = "METRIC>=X",
     .help = "exit with 3 unless this holds; give it several times, or several parted by commas. Metrics are those of "
             "the JSON in percent, with >=, >, <=, < or ==; exact and invariant are the verifier's verdicts; "
             "attacked pictures are named as fgsm_linf_2_255 or gaussian_noise_3"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(audit_flags, run.attack), .group = tips__attack_rows},
    {.name = "limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.limit),
     .group = tips__evaluate_rows,
     .help = "pictures to evaluate, evenly spread; 0 means all"},
    {.name = "protocol",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.protocol),
     .group = tips__evaluate_rows},
    {.name = "pairs",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.pairs),
     .group = tips__evaluate_rows},
    {.name = "junit",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(audit_flags, run.junit),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "write the requirements as JUnit XML, which most pipelines show"},
    {.name = "report",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(audit_flags, run.report),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "write a page with tables and figures, one HTML file that needs nothing else"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, json),
     .group = cli_rows,
     .help = "print JSON instead of tables: what tips eval prints, and verify and requirements"},
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(audit_flags, run.evaluate.input),
     .group = tips__input_rows,
     .without = "size"},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.input.size),
     .group = tips__input_rows,
     .help = "height and width of the input in pixels; 0 means the model's own"},
    {.name = "task",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.network.task),
     .group = tips__model_rows,
     .help = "what the model answers, where it is not to be found from its output: classify or segment"},
    {.name = "shifts",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(audit_flags, run.shifts),
     .fallback = TIPS_AUDIT_SHIFTS,
     .metavar = "N|all|none",
     .help = "circular shifts that the verifier tries on the first picture; none leaves it out"},
    {.name = "grid-images",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.grid_images),
     .group = tips__evaluate_rows,
     .fallback = "-1",
     .min = -1,
     .max = 2147483647,
     .help = "pictures of the heat map and the worst case; 0 means none, -1 as many as take a third of the time of the "
             "rest"},
    {.name = "set-shifts",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.set_shifts),
     .group = tips__evaluate_rows},
    {.name = "set-frame",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.set_frame),
     .group = tips__evaluate_rows},
    {.name = "levels",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.levels),
     .group = tips__evaluate_rows},
    {.name = "msb",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.msb),
     .group = tips__evaluate_rows},
    {.name = "on-bad-image",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.on_bad_image),
     .group = tips__evaluate_rows},
    {.name = "split",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.split),
     .group = tips__evaluate_rows},
    {.name = "whole",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.whole),
     .group = tips__evaluate_rows},
    {.name = "batch",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.batch),
     .group = tips__evaluate_rows},
    {.name = "seed",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.network.seed),
     .group = tips__model_rows,
     .help = "seed of the shifts"},
    {.name = "threads",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(audit_flags, run.evaluate.network.threads),
     .group = tips__model_rows},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(audit_flags, quiet),
     .fallback = "false",
     .help = "say nothing about cost and progress, and show requirements and verdict only"},
    {.name = "verbose",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(audit_flags, verbose),
     .fallback = "false",
     .help = "show every layer, not only those that break by themselves"},
    {.type = TIPS_OPT_END},
};

static tips_status print_requirements(const tips_requirements *list, FILE *file) {
    static const char *const columns[] = {"required", ">got", "ok", NULL};
    tips_text_table *table;
    if (list->count == 0) return TIPS_OK;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < list->count; i++) {
        const tips_requirement *r = &list->items[i];
        char got[32];
        tips__requirement_got(r, got, sizeof got);
        tips__table_cell(table, "%s", r->text);
        tips__table_cell(table, "%s", got);
        tips__table_cell(table, "%s", r->ok ? "yes" : "NO");
    }
    fputc('\n', file);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void print_outcome(const tips_audit_result *r, FILE *file) {
    int failed = 0;
    for (int i = 0; i < r->requirements.count; i++) failed += !r->requirements.items[i].ok;
    const int count = r->requirements.count;
    if (r->interrupted) fputs("Interrupted: not everything was measured.\n", file);
    if (count == 0) return;
    if (failed) fprintf(file, "FAILED: %d of %d requirement%s.\n", failed, count, count == 1 ? "" : "s");
    else fprintf(file, "PASSED: %s%d requirement%s.\n", count == 1 ? "" : "all ", count, count == 1 ? "" : "s");
}

static tips_status print_verification(const tips_audit_result *r, const audit_flags *flags, FILE *file) {
    if (!r->picture[0]) return TIPS_OK;
    fprintf(file, "\nCircular shifts of %s:\n", cli_shown(r->picture));
    if (flags->verbose || flags->quiet) return cli_print_verify(&r->verification, !flags->verbose, file);
    return cli_print_breaks(&r->verification, file);
}

static tips_status print_attacks(const tips_audit_result *r, FILE *file) {
    if (r->attack.plan.count == 0) return TIPS_OK;
    fputs("\nPictures attacked or corrupted:\n", file);
    return cli_print_attack(&r->attack, file);
}

/* What was asked first, then what was measured, then why. */
static tips_status print_text(const tips_audit_result *r, const audit_flags *flags, FILE *file) {
    print_outcome(r, file);
    tips_status status = print_requirements(&r->requirements, file);
    if (status == TIPS_OK && !flags->quiet) {
        if (r->requirements.count > 0) fputc('\n', file);
        status = cli_print_eval(&r->evaluation, file);
    }
    if (status == TIPS_OK && !flags->quiet) status = print_attacks(r, file);
    if (status == TIPS_OK) status = print_verification(r, flags, file);
    if (status == TIPS_OK && !flags->quiet) fprintf(file, "\nWhat helps: %s\n", cli_shown(r->next));
    return status;
}

static tips_status print_json(const tips_audit_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__audit_put(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

/* What changes figures: batch and threads do not. */
static tips_status note_command(audit_flags *flags, tips_text *text) {
    tips__text_add(text, "tips audit ");
    tips__text_word(text, flags->run.evaluate.models);
    tips__options_flags(text, options, flags, "json quiet verbose batch threads junit report");
    flags->run.command = text->data;
    return tips__text_check(text);
}

static int run_audit(audit_flags *flags) {
    tips_audit_result result;
    eval_progress progress;
    cli_watch_evaluation(&flags->run.evaluate, &progress, flags->quiet);
    tips_status status = tips__evaluate_check_grid(&flags->run.evaluate);
    if (status == TIPS_OK) status = tips__audit_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    const bool ok = result.ok, is_interrupted = result.interrupted;
    cli_warn_evaluation(&result.evaluation, !flags->json && !flags->quiet);
    status = flags->json ? print_json(&result, stdout) : print_text(&result, flags, stdout);
    const tips_status saved = tips__audit_save(&flags->run, &result);
    if (status == TIPS_OK) status = saved;
    tips__audit_free(&result);
    if (status != TIPS_OK) return cli_report(status);
    if (is_interrupted) return CLI_INTERRUPTED;
    return ok ? CLI_OK : CLI_NEGATIVE;
}

static int run(void *config, int n_words, char **words) {
    audit_flags *flags = config;
    tips_text command = {0};
    if (n_words == 0) return cli_usage_error(&cli_audit, "name the model: an .onnx or .safetensors file");
    int code = cli_expect_words(&cli_audit, 1, n_words, words);
    if (code != CLI_OK) return code;
    flags->run.evaluate.models = words[0];
    flags->run.require = flags->require.text;
    flags->run.n_require = flags->require.count;
    const tips_status status = note_command(flags, &command);
    code = status == TIPS_OK ? run_audit(flags) : cli_report(status);
    tips__text_clear(&command);
    return code;
}

const cli_command cli_audit = {
    .name = "audit",
    .brief = "test somebody's network for shifts, with requirements for a pipeline",
    .synopsis = "MODEL --data SPEC [--require METRIC>=X]... [OPTION...]",
    .details =
        "Takes a classifier as ONNX or .safetensors and measures what 'tips eval' does: accuracy, consistency and "
        "fidelity under standard and circular shifts, maximum-sampling bias, a heat map of few pictures. Then it runs "
        "the verifier on the first picture and shows which layer is the first that does not move with its input.\n"
        "An ONNX file says nothing about its input: without flags pictures are scaled to 0..1 and normalised with "
        "ImageNet's mean and deviation, which is a guess and warned of; --mean, --std, --range, --bgr, --size and "
        "--resize say otherwise. Class folders are the outputs by name with --labels, by their WordNet numbers where "
        "they are ImageNet's, or in the order of their names.\n"
        "Each --require is a line of the result and a test case of --junit. The command succeeds if all hold, so that "
        "it can stand in a pipeline:\n"
        "tips audit model.onnx --data val --require 'accuracy>=75' --require 'standard_consistency>=90' --junit "
        "shifts.xml || exit 1",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(audit_flags),
    .run = run,
    .examples = "tips audit model.onnx --data val --limit 200 --pairs 4\n"
                "tips audit model.onnx --data val --labels imagenet.txt --report audit.html\n"
                "tips audit caffe.onnx --data val --range 0..255 --bgr --mean 104,117,123\n"
                "tips audit run/best.safetensors --data shapes --require 'circular_consistency==100,exact' --quiet\n"
                "tips audit model.onnx --data val --require 'accuracy>=75;standard_consistency>=90' --junit "
                "shifts.xml\n"
                "tips audit model.onnx --data val --attack fgsm:eps=2/255 --require 'fgsm_linf_2_255>=40'\n",
    .exit_codes = "0 all requirements hold\n1 the run failed\n2 wrong usage\n3 a requirement does not hold\n130 "
                  "interrupted\n",
};
