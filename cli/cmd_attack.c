/* tips attack: options in, one run, tables or JSON out. */
#include "attack_print.h"
#include "cli.h"
#include "eval_progress.h"
#include "warn.h"

#include "attack/attack_json.h"
#include "evaluate/evaluate_json.h"

typedef struct attack_flags {
    tips_attack_options attack;
    tips_evaluate_config evaluate;
    const char *out, *charts, *examples;
    int example_count;
    bool json, quiet;
    tips_given given;
} attack_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(attack_flags, given),
    {.name = "data",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.data),
     .group = tips__evaluate_rows},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(attack_flags, attack), .group = tips__attack_rows},
    {.name = "limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.limit),
     .group = tips__evaluate_rows},
    {.name = "split",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.split),
     .group = tips__evaluate_rows},
    {.name = "whole",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.whole),
     .group = tips__evaluate_rows},
    {.name = "protocol",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.protocol),
     .group = tips__evaluate_rows},
    {.name = "pairs",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.pairs),
     .group = tips__evaluate_rows},
    {.name = "charts",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(attack_flags, charts),
     .metavar = "DIR",
     .output = TIPS_OUTPUT_FOLDER,
     .help = "write curves over strength and severity into a folder, as SVG and, with cairo, PNG"},
    {.name = "examples",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(attack_flags, examples),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help =
         "write a PNG of pictures as they were, what was added, strongly, and what they became; a row for each case"},
    {.name = "example-count",
     .type = TIPS_OPT_INT,
     .offset = offsetof(attack_flags, example_count),
     .fallback = "3",
     .min = 1,
     .max = 32,
     .help = "pictures in a row of --examples"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(attack_flags, out),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "also write the result as JSON to a file"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, json),
     .group = cli_rows,
     .help = "print JSON instead of tables"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(attack_flags, evaluate.input), .group = tips__input_rows},
    {.name = "on-bad-image",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.on_bad_image),
     .group = tips__evaluate_rows},
    {.name = "batch",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.batch),
     .group = tips__evaluate_rows},
    {.name = "seed",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.network.seed),
     .group = tips__model_rows,
     .help = "seed of attacks, corruptions and shifts"},
    {.name = "threads",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(attack_flags, evaluate.network.threads),
     .group = tips__model_rows},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(attack_flags, quiet),
     .fallback = "false",
     .help = "say nothing about cost and progress"},
    {.type = TIPS_OPT_END},
};

static tips_status print_json(const tips_attack_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__attack_put(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

static void print_heading(const tips_evaluate_result *e, FILE *file) {
    const tips_model_result *m = &e->models[0];
    char words[512];
    fprintf(file, "%s: %s, pool %s, %s padding, input %dx%dx%d\n", cli_shown(m->name), m->arch, m->pool, m->padding,
            m->channels, m->size[0], m->size[1]);
    tips__pictures_words(&m->pictures, cli_shown(tips__evaluate_data(e)), words, sizeof words);
    fprintf(file, "%s (%s), %s, %d pictures; shifts by protocol %s, seed %d\n", cli_shown(e->data), e->format, e->split,
            m->images, e->protocol->name, e->seed);
    fprintf(file, "Figures are of %s.\n\n", words);
}

static tips_status print_text(const tips_attack_result *r, FILE *file) {
    print_heading(&r->clean, file);
    return cli_print_attack(r, file);
}

static tips_status save(const attack_flags *flags, const tips_attack_result *r) {
    tips_status status = flags->out ? tips__attack_save(r, flags->out) : TIPS_OK;
    if (status == TIPS_OK && flags->charts) status = tips__attack_save_charts(r, flags->charts);
    return status;
}

static tips_status keep_inputs(const attack_flags *flags) {
    const tips_status status = tips__evaluate_keep_inputs(&flags->evaluate, flags->out);
    return status == TIPS_OK ? tips__evaluate_keep_inputs(&flags->evaluate, flags->examples) : status;
}

static int run(void *config, int n_words, char **words) {
    attack_flags *flags = config;
    tips_attack_result result;
    eval_progress progress;
    if (n_words == 0) return cli_usage_error(&cli_attack, "name the model: an .onnx or .safetensors file");
    const int code = cli_expect_words(&cli_attack, 1, n_words, words);
    if (code != CLI_OK) return code;
    if (!tips__attack_is_wanted(&flags->attack))
        return cli_usage_error(&cli_attack, "say what to do: --attack fgsm, --corrupt all or their like");
    flags->evaluate.models = words[0];
    flags->evaluate.same_classes = true;
    cli_watch_evaluation(&flags->evaluate, &progress, flags->quiet);
    const tips_attack_config run = {.options = &flags->attack,
                                    .evaluate = flags->evaluate,
                                    .charts = flags->charts,
                                    .examples = flags->examples,
                                    .example_count = flags->example_count};
    tips_status status = keep_inputs(flags);
    if (status == TIPS_OK) status = tips__attack_run(&run, &result);
    if (status != TIPS_OK) return cli_report(status);
    cli_warn_evaluation(&result.clean, false);
    status = flags->json ? print_json(&result, stdout) : print_text(&result, stdout);
    const tips_status saved = save(flags, &result);
    if (status == TIPS_OK) status = saved;
    const bool is_interrupted = result.interrupted;
    tips__attack_free(&result);
    return status == TIPS_OK && is_interrupted ? CLI_INTERRUPTED : cli_report(status);
}

const cli_command cli_attack = {
    .name = "attack",
    .brief = "attack and corrupt the pictures of a network, and measure what is left",
    .synopsis = "MODEL --data SPEC [--attack NAME[:KEY=VALUE,...]]... [--corrupt NAME[:SEVERITY]]... [OPTION...]",
    .details =
        "Changes every picture, and measures accuracy, consistency and fidelity of the network on what came of it: by "
        "attacks that follow the gradient to the pixels (fgsm, pgd), by squares that are erased (patch), by noise, "
        "blur, weather and the like at five severities (--corrupt). Works on trained models and on ONNX networks.\n"
        "Attacks are those of Foolbox 3, on pixels in 0..1 before they are normalised. The gradient goes through what "
        "operators select and mix, not through their choices. Accuracy is of pictures that are still right.\n"
        "Shifts of attacked pictures move the picture as it was attacked; in a standard shift black comes in.\n"
        "Corruptions have the constants of ImageNet-C or CIFAR-10-C. They are made on the fly, so the errors are not "
        "comparable with published ones; mCE is shown of networks with 1000 classes.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(attack_flags),
    .run = run,
    .examples = "tips attack run/best.safetensors --data shapes --attack fgsm:eps=2/255 --limit 200\n"
                "tips attack model.onnx --data val --attack pgd:norm=l2,eps=0.5+1+2,steps=20,restarts=1 --json\n"
                "tips attack model.onnx --data val --attack fgsm,pgd,patch --charts curves --examples attacked.png\n"
                "tips attack model.onnx --data val --corrupt all --limit 500\n"
                "tips attack model.onnx --data val --corrupt noise,fog:3 --no-attack-shifts\n",
};
