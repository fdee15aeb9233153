/* tips init: options in, a model file out. */
#include "cli.h"

#include "export/save_as.h"
#include "model/model_init.h"
#include "warn.h"

typedef struct init_flags {
    tips_init_config run;
    tips_given given;
} init_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(init_flags, given),
    {.type = TIPS_OPT_GROUP, .offset = offsetof(init_flags, run.model), .group = tips__model_rows},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(init_flags, run.input), .group = tips__normal_rows},
    {.name = "weights",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(init_flags, run.weights),
     .metavar = "FILE",
     .help = "take weights by name from a .safetensors file, torchvision's or ours, instead of drawing them"},
    {.name = "skip-classifier",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(init_flags, run.skip_classifier),
     .fallback = "false",
     .help = "with --weights: leave the file's last layer out and draw a fresh one"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(init_flags, run.out),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "the .safetensors file to write, or .onnx; an old one is replaced once the new one is complete"},
    {.type = TIPS_OPT_END},
};

static int run(void *config, int n_words, char **words) {
    init_flags *flags = config;
    tips_init_result result;
    const int code = cli_expect_words(&cli_init, 0, n_words, words);
    if (code != CLI_OK) return code;
    if (!flags->run.out || !flags->run.out[0]) return cli_usage_error(&cli_init, "--out FILE is missing");
    flags->run.save = tips__model_save_as;
    const tips_status status = tips__model_init(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    cli_warn(tips__input_rules, &result.input, NULL);
    printf("%s: %zu parameters", cli_shown(flags->run.out), result.parameters);
    if (flags->run.weights)
        printf("; %d tensors loaded, %d kept fresh, %d of the file not used", result.loaded, result.missing,
               result.unused);
    putchar('\n');
    return CLI_OK;
}

const cli_command cli_init = {
    .name = "init",
    .brief = "write a model with fresh weights, or with weights from elsewhere",
    .synopsis = "[OPTION...] --out FILE",
    .details = "Makes a network from the options and saves it as one .safetensors file that holds the weights and "
               "everything needed to run it. Inputs have mean 0.5 and deviation 0.25 unless options "
               "or the model that has the weights say otherwise; ImageNet's are guessed, with a warning, where weights "
               "come alone.\n"
               "--weights loads tensors by name. Parameters of pooling operators may be missing in that file, or be "
               "left over; every other difference is an error that names the tensors.",
    .options = options,
    .config_size = sizeof(init_flags),
    .run = run,
    .examples = "tips init --arch resnet18 --width 16 --pool tips-exact --out fresh.safetensors\n"
                "tips init --weights resnet18.safetensors --pool aps --size 224 --classes 1000 --out aps.safetensors\n",
};
