/* tips eval: options in, one run, a table or JSON out. */
#include "attack_print.h"
#include "cli.h"
#include "detections_print.h"
#include "eval_print.h"
#include "eval_progress.h"

#include "attack/attack.h"
#include "evaluate/evaluate_json.h"
#include "network_flags.h"
#include "warn.h"

#include <stdlib.h>
#include <string.h>

typedef struct eval_flags {
    tips_evaluate_config run;
    tips_attack_options attack;
    const char *out, *detections;
    bool json, quiet;
    tips_given given;
} eval_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(eval_flags, given),
    {.type = TIPS_OPT_GROUP, .offset = offsetof(eval_flags, run), .group = tips__evaluate_rows},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(eval_flags, attack), .group = tips__attack_rows},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(eval_flags, out),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "also write the result as JSON to a file"},
    {.name = "detections",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(eval_flags, detections),
     .metavar = "FILE",
     .help = "measure the detections in a file of COCO's results instead of a model's; --data may be a file of COCO's "
             "annotations without its pictures"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(eval_flags, json),
     .group = cli_rows,
     .help = "print JSON instead of tables"},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(eval_flags, quiet),
     .fallback = "false",
     .help = "say nothing about cost and progress"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(eval_flags, run.input), .group = tips__input_rows},
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(eval_flags, run.network),
     .group = tips__model_rows,
     .without = "size classes channels"},
    {.type = TIPS_OPT_END},
};

static tips_status print_attacked(const tips_evaluate_result *result, const tips_attacked *a, FILE *file) {
    tips_status status = TIPS_OK;
    for (int i = 0; i < a->count && status == TIPS_OK; i++) {
        if (a->models[i].plan.count == 0) continue; /* interrupted before it */
        fprintf(file, "\n%s, pictures attacked or corrupted:\n", cli_shown(result->models[i].name));
        status = cli_print_attack(&a->models[i], file);
    }
    return status;
}

static tips_status show(const eval_flags *flags, const tips_evaluate_result *result, const tips_attacked *a) {
    cli_warn_evaluation(result, !flags->json);
    if (flags->json) return cli_print_eval_json(result, stdout);
    const tips_status status = cli_print_eval(result, stdout);
    return status == TIPS_OK ? print_attacked(result, a, stdout) : status;
}

/* The first flag that says something about a network or its shifts, of which there are none; NULL if there is none. */
static const char *idle_flag(const tips_given *given) {
    static const char *const of_use[] = {"detections", "data",  "split", "on-bad-image", "out",
                                         "json",       "quiet", "seed",  "threads",      NULL};
    for (int i = 0; i < given->count; i++) {
        const char *const *name = of_use;
        while (*name && strcmp(*name, given->names[i]) != 0) name++;
        if (!*name) return given->names[i];
    }
    return NULL;
}

static int run_detections(const eval_flags *flags) {
    tips_detections_result result;
    const char *idle = idle_flag(&flags->given);
    if (idle) return cli_usage_error(&cli_eval, "--%s says nothing about --detections; leave one of them out", idle);
    tips_status status = tips__detections_keep_inputs(&flags->run, flags->detections, flags->out);
    if (status == TIPS_OK) status = tips__evaluate_detections(&flags->run, flags->detections, &result);
    if (status != TIPS_OK) return cli_report(status);
    status = flags->json ? cli_print_detections_json(&result, stdout) : cli_print_detections(&result, stdout);
    if (status == TIPS_OK && flags->out) status = tips__detections_save(&result, flags->out);
    tips__detections_free(&result);
    return cli_report(status);
}

static int run_models(eval_flags *flags) {
    tips_attacked more;
    eval_progress shown;
    int code = cli_need_model(&cli_eval, &flags->given, flags->run.models, "MODEL... --data SPEC");
    if (code == CLI_OK) code = cli_refuse_network_flags(&cli_eval, &flags->given, flags->run.models);
    if (code != CLI_OK) return code;
    cli_watch_evaluation(&flags->run, &shown, flags->quiet);
    tips_evaluate_result result;
    tips_status status = tips__evaluate_check_grid(&flags->run);
    if (status == TIPS_OK) status = tips__evaluate_keep_inputs(&flags->run, flags->out);
    if (status == TIPS_OK) status = tips__attack_check(&flags->attack);
    flags->run.check = tips__attack_fits, flags->run.check_with = &flags->attack;
    if (status == TIPS_OK) status = tips__evaluate_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    status = tips__attack_evaluated(&flags->attack, &flags->run, &result, &more);
    if (status == TIPS_OK) status = show(flags, &result, &more);
    if (status == TIPS_OK && flags->out) status = tips__evaluate_save_printed(&result, flags->out);
    const bool is_interrupted = result.interrupted;
    tips__evaluate_free(&result);
    tips__attacked_free(&more);
    return status == TIPS_OK && is_interrupted ? CLI_INTERRUPTED : cli_report(status);
}

static int run(void *config, int n_words, char **words) {
    eval_flags *flags = config;
    char *models = NULL;
    int code = flags->detections ? CLI_OK : cli_take_models(&flags->run.models, &n_words, words, &models);
    if (code == CLI_OK) code = cli_expect_words(&cli_eval, 0, n_words, words);
    if (code == CLI_OK) code = flags->detections ? run_detections(flags) : run_models(flags);
    free(models);
    return code;
}

const cli_command cli_eval = {
    .name = "eval",
    .brief = "measure accuracy and how much answers depend on shifts",
    .synopsis = "MODEL... --data SPEC [OPTION...]",
    .details =
        "Prints accuracy, consistency and fidelity under standard shifts (what lies around pictures comes in, black "
        "unless --pad or the protocol says otherwise) and circular ones (the "
        "picture wraps around), each with a 95 % interval, the maximum-sampling bias of every pooling layer, and a "
        "heat map of consistency over shifts with the worst case over all of them.\n"
        "Consistency is how often two shifted views get the same answer, fidelity how often that answer is also the "
        "right one. Accuracy times consistency is shown beside fidelity, because the two are often confused.\n"
        "Of detectors it also prints dAP, the best minus the worst average precision under common shifts, and how "
        "boxes "
        "jitter and vanish; with --detections, the average precision of somebody's results.\n"
        "Several models give one table to compare. Results depend on the seed, not on batch size or threads.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(eval_flags),
    .run = run,
    .examples = "tips eval run/best.safetensors --data shapes\n"
                "tips eval max.safetensors exact.safetensors --data shapes --limit 1000\n"
                "tips eval run/best.safetensors --data shapes --protocol adobe --json\n"
                "tips eval --detections results.json --data annotations/instances_val2017.json\n"
                "tips eval --arch tiny --pool aps --data shapes --limit 50 --levels\n",
};
