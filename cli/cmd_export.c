/* tips export: a model in, an ONNX file out. */
#include "cli.h"
#include "network_flags.h"

#include "core/json.h"
#include "export/export.h"
#include "model/input_options.h"
#include "warn.h"

typedef struct export_flags {
    tips_export_config run;
    bool json;
    tips_given given;
} export_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(export_flags, given),
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(export_flags, run.model),
     .metavar = "FILE",
     .help = "the same as MODEL: what to export"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(export_flags, run.out),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "the .onnx file to write; an old one is replaced once the new one is complete; -o for short"},
    {.name = "opset",
     .type = TIPS_OPT_INT,
     .offset = offsetof(export_flags, run.opset),
     .fallback = "11",
     .min = TIPS_LOWEST_OPSET,
     .max = TIPS_HIGHEST_OPSET,
     .help = "version of ONNX's operators; from 19 on, circular padding is the operator Pad in mode wrap"},
    {.name = "keep-bn",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(export_flags, run.keep_bn),
     .fallback = "false",
     .help = "leave batch norms as they are instead of folding them into the convolutions before them"},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(export_flags, run.size),
     .group = tips__input_rows,
     .help = "height and width the file is made for; 0 means the model's own"},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(export_flags, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

/* "logits (N, 10)", or "logits (N, 2, H, W)" where H and W are free. */
static void print_logits(const tips_export_result *r) {
    printf("logits (N, %d", r->classes);
    const bool follows = r->map_size[0] == r->size[0] && r->map_size[1] == r->size[1];
    if (r->map && r->file.free_size && follows) printf(", H, W");
    else if (r->map) printf(", %d, %d", r->map_size[0], r->map_size[1]);
    printf(")");
}

static void print_shapes(const tips_export_result *r) {
    const tips_onnx_summary *f = &r->file;
    if (f->free_size) printf("input (N, %d, H, W), ", r->channels);
    else printf("input (N, %d, %d, %d), ", r->channels, r->size[0], r->size[1]);
    print_logits(r);
    if (f->free_size)
        printf(": the batch is free, height a multiple of %d, width of %d\n", r->divisor[0], r->divisor[1]);
    else
        printf(": the batch is free; height and width are not, because of '%s': %s\n", cli_shown(f->fixed_by),
               cli_shown(f->fixed_why));
}

static void print_text(const export_flags *flags, const tips_export_result *r) {
    const tips_onnx_summary *f = &r->file;
    printf("%s: %d nodes, %zu parameters in %d tensors, %d norms folded, opset %d, %zu bytes\n",
           cli_shown(flags->run.out), f->nodes, f->parameters, f->tensors, f->folded, f->opset, f->bytes);
    if (r->boxes)
        printf("input (N, %d, %d, %d), boxes (M, 4), labels (M), scores (M) and pictures (M), and the heads of %d "
               "classes: the batch is free\n",
               r->channels, r->size[0], r->size[1], r->classes);
    else print_shapes(r);
}

static void put_output(tips_json *json, const tips_export_result *r) {
    if (r->boxes) return;
    tips__json_open_array(json, "output");
    tips__json_text(json, NULL, "N");
    tips__json_int(json, NULL, r->classes);
    for (int i = 0; r->map && i < 2; i++) tips__json_int(json, NULL, r->map_size[i]);
    tips__json_close_array(json);
}

static void put_result(tips_json *json, const export_flags *flags, const tips_export_result *r) {
    const tips_onnx_summary *f = &r->file;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "file", flags->run.out);
    tips__json_int(json, "bytes", (long long)f->bytes);
    tips__json_int(json, "opset", f->opset);
    tips__json_int(json, "nodes", f->nodes);
    tips__json_int(json, "tensors", f->tensors);
    tips__json_int(json, "parameters", (long long)f->parameters);
    tips__json_int(json, "folded", f->folded);
    tips__json_int(json, "channels", r->channels);
    tips__json_int(json, "height", r->size[0]);
    tips__json_int(json, "width", r->size[1]);
    tips__json_int(json, "classes", r->classes);
    tips__input_put(json, "input", &r->input);
    put_output(json, r);
    tips__json_bool(json, "boxes", r->boxes);
    tips__json_bool(json, "free_size", f->free_size);
    tips__json_int(json, "height_multiple", r->divisor[0]);
    tips__json_int(json, "width_multiple", r->divisor[1]);
    tips__json_text(json, "fixed_by", f->free_size ? NULL : f->fixed_by);
    tips__json_text(json, "fixed_why", f->free_size ? NULL : f->fixed_why);
    tips__json_close_object(json);
}

static tips_status print_json(const export_flags *flags, const tips_export_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    put_result(json, flags, r);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static int run(void *config, int n_words, char **words) {
    export_flags *flags = config;
    tips_export_result result;
    cli_take_model(&flags->run.model, &n_words, &words);
    const int code = cli_expect_words(&cli_export, 0, n_words, words);
    if (code != CLI_OK) return code;
    if (!flags->run.model || !flags->run.model[0])
        return cli_usage_error(&cli_export, "the MODEL to export is missing");
    if (!flags->run.out || !flags->run.out[0]) return cli_usage_error(&cli_export, "-o FILE is missing");
    const tips_status status = tips__export_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    cli_warn(tips__input_rules, &result.input, NULL);
    if (flags->json) return cli_report(print_json(flags, &result));
    print_text(flags, &result);
    return CLI_OK;
}

const cli_command cli_export = {
    .name = "export",
    .brief = "write a model as an ONNX file",
    .synopsis = "MODEL -o FILE [OPTION...]",
    .details =
        "Writes the network as it is in evaluation, in basic operators that every runtime has. Input \"input\", output "
        "\"logits\"; the batch is free, and so are height and width where the network allows it. Operators that choose "
        "a "
        "phase sum in double, so that they commute with circular shifts in the runtime too. A detector puts out boxes, "
        "labels and scores, and its heads.\n"
        "The metadata of the model goes along, and parameters keep their names.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(export_flags),
    .run = run,
    .examples = "tips export run/best.safetensors -o best.onnx\n"
                "tips export run/best.safetensors -o best.onnx --opset 17 --keep-bn\n",
};
