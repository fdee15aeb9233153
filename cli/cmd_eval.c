/* tips eval: options in, one run, a table or JSON out. */
#include "cli.h"
#include "eval_print.h"
#include "eval_progress.h"

#include "evaluate/evaluate_json.h"

typedef struct eval_flags {
    tips_evaluate_config run;
    const char *out;
    int on_bad;
    bool json, quiet;
} eval_flags;

static const char *const bad_image_names[] = {"stop", "skip", NULL};
static const char *const split_names[] = {"train", "val", "test", NULL};

static const tips_option options[] = {
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(eval_flags, run.models),
     .metavar = "FILE[,FILE...]",
     .help = "models to evaluate; without one, a network with random weights from --arch, --pool and so on"},
    {.name = "data",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(eval_flags, run.data),
     .metavar = "SPEC",
     .help = "pictures: a path whose format is recognised, format:path, or shapes"},
    {.name = "split",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(eval_flags, run.split),
     .fallback = "test",
     .choices = split_names,
     .help = "which pictures; the validation data where there is no test set"},
    {.name = "whole",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, run.whole),
     .fallback = "false",
     .help = "take all pictures of a set that is not parted into train, val and test, instead of the tenth that 'tips "
             "train' holds out of it"},
    {.name = "limit",
     .type = TIPS_OPT_INT,
     .offset = offsetof(eval_flags, run.limit),
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "pictures to evaluate, evenly spread over the split; 0 means all"},
    {.name = "protocol",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(eval_flags, run.protocol),
     .fallback = "tips",
     .choices = tips__protocol_names,
     .help = "whose way of drawing shifts; docs/eval.md describes each"},
    {.name = "pairs",
     .type = TIPS_OPT_INT,
     .offset = offsetof(eval_flags, run.pairs),
     .fallback = "0",
     .min = 0,
     .max = 10000,
     .help = "pairs of shifts for each picture; 0 means the protocol's own number"},
    {.name = "levels",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, run.levels),
     .fallback = "false",
     .help = "also measure consistency by the size of the shift"},
    {.name = "msb",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, run.msb),
     .fallback = "true",
     .help = "do not measure the maximum-sampling bias"},
    {.name = "grid-images",
     .type = TIPS_OPT_INT,
     .offset = offsetof(eval_flags, run.grid_images),
     .fallback = "200",
     .min = 0,
     .max = 2147483647,
     .help = "pictures of the heat map and the worst case, the first ones; 0 means none"},
    {.name = "full-grid",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, run.full_grid),
     .fallback = "false",
     .help = "heat map over all pictures and every circular shift; the cost is printed first"},
    {.name = "on-bad-image",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(eval_flags, on_bad),
     .fallback = "stop",
     .choices = bad_image_names,
     .help = "stop at an unreadable picture, or leave it out and count it"},
    {.name = "batch",
     .type = TIPS_OPT_INT,
     .offset = offsetof(eval_flags, run.batch),
     .fallback = "32",
     .min = 1,
     .max = 4096,
     .help = "pictures in a batch; results do not depend on it"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(eval_flags, out),
     .metavar = "FILE",
     .help = "also write the result as JSON to a file"},
    {.name = "json",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, json),
     .fallback = "false",
     .help = "print JSON instead of tables"},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, quiet),
     .fallback = "false",
     .help = "say nothing about cost and progress"},
    TIPS_INPUT_OPTION_ROWS(eval_flags, run.input),
    TIPS_INPUT_SIZE_ROW(eval_flags, run.input),
    TIPS_MODEL_CORE_ROWS(eval_flags, run.network),
    {.type = TIPS_OPT_END},
};

static int run(void *config, int n_words, char **words) {
    eval_flags *flags = config;
    eval_progress shown;
    int code = cli_expect_words(&cli_eval, 0, n_words, words);
    if (code != CLI_OK) return code;
    flags->run.skip_bad = flags->on_bad == 1;
    cli_watch_evaluation(&flags->run, &shown, flags->quiet);
    tips_evaluate_result result;
    tips_status status = tips__evaluate_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    status = flags->json ? cli_print_eval_json(&result, stdout) : cli_print_eval(&result, stdout);
    if (status == TIPS_OK && flags->out) status = tips__evaluate_save_printed(&result, flags->out);
    tips__evaluate_free(&result);
    return cli_report(status);
}

const cli_command cli_eval = {
    .name = "eval",
    .brief = "measure accuracy and how much answers depend on shifts",
    .synopsis = "--model FILE[,FILE...] --data SPEC [OPTION...]",
    .details =
        "Prints accuracy, consistency and fidelity under standard shifts (black comes in) and circular ones (the "
        "picture wraps around), each with a 95 % interval, the maximum-sampling bias of every pooling layer, and a "
        "heat map of consistency over shifts with the worst case over all of them.\n"
        "Consistency is how often two shifted views get the same answer, fidelity how often that answer is also the "
        "right one. Accuracy times consistency is shown beside fidelity, because the two are often confused.\n"
        "Several models give one table to compare. Results depend on the seed, not on batch size or threads.",
    .options = options,
    .config_size = sizeof(eval_flags),
    .run = run,
    .examples = "tips eval --model run/best.safetensors --data shapes\n"
                "tips eval --model max.safetensors,exact.safetensors --data shapes --limit 1000\n"
                "tips eval --model run/best.safetensors --data shapes --protocol adobe --json\n"
                "tips eval --arch tiny --pool aps --data shapes --limit 50 --levels\n",
};
