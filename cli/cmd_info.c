/* tips info: a file in, what it holds out. */
#include "cli.h"

#include "info_print.h"
#include "warn.h"

typedef struct info_flags {
    const char *boxes, *task, *output;
    bool json;
    tips_given given;
} info_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(info_flags, given),
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(info_flags, json),
     .group = cli_rows,
     .help = "write the result as JSON"},
    {.name = "boxes", .type = TIPS_OPT_LIKE, .offset = offsetof(info_flags, boxes), .group = tips__input_rows},
    {.name = "task",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(info_flags, task),
     .metavar = "NAME",
     .help = "what an ONNX file answers, where it is not what its output looks like: classify or segment"},
    {.name = "output", .type = TIPS_OPT_LIKE, .offset = offsetof(info_flags, output), .group = tips__input_rows},
    {.type = TIPS_OPT_END},
};

static void warn(const tips_model_report *report) {
    char text[TIPS_WARNING_SIZE];
    const tips_input_facts facts = tips__model_input(&report->info);
    if (report->is_model && tips__input_guess(&facts, "--", text)) cli_warn_text(NULL, text);
}

static int run(void *config, int n_words, char **words) {
    const info_flags *flags = config;
    if (n_words == 0) return cli_usage_error(&cli_info, "name a .safetensors or .onnx file");
    const int code = cli_expect_words(&cli_info, 1, n_words, words);
    if (code != CLI_OK) return code;
    const tips_read_as as = {.output = flags->output, .boxes = flags->boxes, .task = flags->task};
    tips_model_report report;
    tips_status status = tips__model_report(words[0], &as, &report);
    if (status != TIPS_OK) return cli_report(status);
    warn(&report);
    status = flags->json ? cli_print_info_json(words[0], &report) : cli_print_info(words[0], &report);
    tips__model_report_clear(&report);
    return cli_report(status);
}

const cli_command cli_info = {
    .name = "info",
    .brief = "show what a model file holds",
    .synopsis = "MODEL [--json]",
    .details =
        "For a model of ours: architecture and its options, operator, classes, normalisation, input size, what is "
        "known of its training, and its tensors, which are checked against the network. For an ONNX file: the network "
        "that comes of it, and its parameters. For any other .safetensors file: its metadata and tensors.\n"
        "Of a .safetensors file the header is checked in full; the numbers of the tensors are not read.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(info_flags),
    .run = run,
    .examples = "tips info model.safetensors\n"
                "tips info model.safetensors --json\n",
};
