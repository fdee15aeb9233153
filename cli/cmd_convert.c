/* tips convert: a model in, one with shift-stable downsampling out. */
#include "cli.h"
#include "convert/convert_model.h"
#include "core/json.h"
#include "core/text_table.h"
#include "model/model_options.h"
#include "model/shift_advice.h"
#include "warn.h"

typedef struct convert_flags {
    tips_convert_config run;
    bool json;
    tips_given given;
} convert_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(convert_flags, given),
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(convert_flags, run.out),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "the .safetensors file to write, or .onnx (-o FILE does the same)"},
    {.name = "pool",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(convert_flags, run.pool),
     .group = tips__model_rows,
     .fallback = "tips-exact:before=none", /* a maximum that it never had would take it far from what it knows */
     .help = "operator that every downsampling gets; 'tips list pools' names them"},
    {.name = "lpf", .type = TIPS_OPT_LIKE, .offset = offsetof(convert_flags, run.lpf), .group = tips__model_rows},
    {.name = "padding",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(convert_flags, run.padding),
     .fallback = "advised",
     .choices = tips__convert_paddings,
     .help = "how maps continue beyond their border: keep leaves each layer's own, exactness under circular shifts "
             "needs circular, advised takes circular where it costs the network next to nothing and else keeps"},
    {.name = "head",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(convert_flags, run.head),
     .fallback = "anchor",
     .choices = tips__convert_heads,
     .help = "a flattened map begins at its strongest position, or becomes its mean"},
    {.name = "data",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(convert_flags, run.data),
     .metavar = "SPEC",
     .help = "pictures to compare the answers with the original's on: a folder of them, or any data of 'tips data'"},
    {.name = "limit",
     .type = TIPS_OPT_INT,
     .offset = offsetof(convert_flags, run.limit),
     .fallback = "200",
     .min = 0,
     .max = 2147483647,
     .help = "of these pictures, evenly spread; 0 means all"},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(convert_flags, run.input.size),
     .group = tips__input_rows},
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(convert_flags, run.input),
     .group = tips__input_rows,
     .without = "size"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(convert_flags, json),
     .group = cli_rows,
     .help = "print what was changed as JSON"},
    {.type = TIPS_OPT_END},
};

static tips_status print_table(const tips_conversion *c) {
    static const char *const columns[] = {"layer", "change", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < c->n_changes; i++) {
        tips__table_cell(table, "%s", c->changes[i].layer);
        tips__table_cell(table, "%s", c->changes[i].what);
    }
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

static bool divides(const tips_convert_result *r) {
    return r->size[0] % r->multiple[0] == 0 && r->size[1] % r->multiple[1] == 0;
}

/* The next size that every stride divides. */
static void print_size(const tips_convert_result *r) {
    int size[2];
    for (int i = 0; i < 2; i++) size[i] = (r->size[i] + r->multiple[i] - 1) / r->multiple[i] * r->multiple[i];
    printf("--size %d", size[0]);
    if (size[1] != size[0]) printf("x%d", size[1]);
}

/* Exact, or with the paddings it had: which, and why. */
static void print_advice(const tips_convert_result *r) {
    const tips_convert_advice *a = &r->advice;
    if (a->pictures == 0) return;
    printf("Circular padding alone moves its scores by %.0f %% of their spread and changes %d of %d answers to "
           "generated pictures.\n",
           100 * a->moved, a->changed, a->pictures);
    if (a->keep)
        printf(
            "Recommended: --padding keep, since this network leans on its paddings. %s. %s, and costs accuracy here.\n",
            tips__advice_moving, tips__advice_exact);
    else printf("Recommended: --padding circular, which costs this network next to nothing and makes it exact.\n");
    if (a->keep != r->keeps_padding) printf("Converted otherwise, as asked.\n");
}

static void print_agreement(const tips_convert_result *r) {
    const tips_convert_agreement *a = &r->agreement;
    if (a->pictures == 0) {
        printf("Agreement with the original: not measured; --data SPEC measures it on pictures of yours.\n");
        return;
    }
    printf("Agreement with the original: %.1f %% (%.1f to %.1f) on %d pictures.\n", a->share.value, a->share.low,
           a->share.high, a->pictures);
    if (a->share.value >= TIPS_AGREES_ENOUGH) return;
    printf("Warning: that is below %d %%: it does not do what the original did. Convert with %sanother --pool or "
           "--lpf, or "
           "tune it%s before it is used, and look at it again by 'tips eval'.\n",
           TIPS_AGREES_ENOUGH, r->keeps_padding ? "" : "--padding keep, ",
           r->teaches ? " with the original as its teacher" : "");
}

static void print_verdict(const convert_flags *flags, const tips_convert_result *r) {
    printf("\n%s: %d operators (%s), %d of them with another's phase; %zu parameters, %zu of them new.\n",
           cli_shown(flags->run.out), r->conversion.operators, r->pool, r->conversion.sharing, r->parameters, r->added);
    if (r->still_breaks)
        printf("Not exact under circular shifts: layer '%s' (%s).\n", cli_shown(r->breaks_layer),
               cli_shown(r->breaks_reason));
    if (!divides(r)) {
        printf("%s where %dx%d divides the input's size; %dx%d it does not: use ",
               r->still_breaks ? "Every stride fits" : "Exact under circular shifts", r->multiple[0], r->multiple[1],
               r->size[0], r->size[1]);
        print_size(r);
        printf(".\n");
    } else if (!r->still_breaks)
        printf("Exact under circular shifts of %dx%d inputs by construction; 'tips verify --model %s' checks it.\n",
               r->size[0], r->size[1], cli_shown(flags->run.out));
    if (r->stored)
        printf("The original is stored in %s, computed in float32; what was written is stored in float32 too.\n",
               r->stored);
    print_advice(r);
    print_agreement(r);
    if (r->conversion.anchors_tokens)
        printf("Its tokens are counted from their strongest one now and not from the top left: until it is fine-tuned, "
               "it answers differently.\n");
    printf("Fine-tune it: tips train --init %s", cli_shown(flags->run.out));
    if (r->teaches) printf(" --teacher %s --teaching 1 --mixup 1", cli_shown(flags->run.model));
    printf(" --data SPEC --out DIR\n");
}

static void put_changes(tips_json *json, const tips_conversion *c) {
    tips__json_open_array(json, "changes");
    for (int i = 0; i < c->n_changes; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "layer", c->changes[i].layer);
        tips__json_text(json, "change", c->changes[i].what);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_advice(tips_json *json, const tips_convert_advice *a) {
    tips__json_open_object(json, "advice");
    tips__json_text(json, "padding", a->pictures == 0 ? NULL : a->keep ? "keep" : "circular");
    tips__json_number(json, "moved", a->moved);
    tips__json_int(json, "changed", a->changed);
    tips__json_int(json, "pictures", a->pictures);
    tips__json_close_object(json);
}

static void put_agreement(tips_json *json, const tips_convert_agreement *a) {
    if (a->pictures == 0) {
        tips__json_text(json, "agreement", NULL);
        return;
    }
    tips__json_open_object(json, "agreement");
    tips__json_number(json, "percent", a->share.value);
    tips__json_number(json, "low", a->share.low);
    tips__json_number(json, "high", a->share.high);
    tips__json_int(json, "pictures", a->pictures);
    tips__json_bool(json, "enough", a->share.value >= TIPS_AGREES_ENOUGH);
    tips__json_close_object(json);
}

static tips_status print_json(const convert_flags *flags, const tips_convert_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "out", flags->run.out);
    tips__json_text(json, "pool", r->pool);
    tips__json_int(json, "operators", r->conversion.operators);
    tips__json_int(json, "sharing", r->conversion.sharing);
    tips__json_int(json, "parameters", (int64_t)r->parameters);
    tips__json_int(json, "added_parameters", (int64_t)r->added);
    tips__json_int(json, "height", r->size[0]);
    tips__json_int(json, "width", r->size[1]);
    tips__json_int(json, "multiple_height", r->multiple[0]);
    tips__json_int(json, "multiple_width", r->multiple[1]);
    tips__json_text(json, "breaks", r->still_breaks);
    tips__json_text(json, "reason", r->still_breaks ? r->breaks_reason : NULL);
    tips__input_put(json, "input", &r->input);
    tips__json_text(json, "stored", r->stored ? r->stored : "float32");
    put_advice(json, &r->advice);
    tips__json_bool(json, "keeps_padding", r->keeps_padding);
    put_agreement(json, &r->agreement);
    put_changes(json, &r->conversion);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static int run(void *config, int n_words, char **words) {
    convert_flags *flags = config;
    tips_convert_result result;
    const int code = cli_expect_words(&cli_convert, 1, n_words, words);
    if (code != CLI_OK) return code;
    if (n_words < 1) return cli_usage_error(&cli_convert, "the MODEL to convert is missing");
    if (!flags->run.out || !flags->run.out[0]) return cli_usage_error(&cli_convert, "--out FILE is missing");
    flags->run.model = words[0];
    tips_status status = tips__convert_model(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    cli_warn(tips__input_rules, &result.input, NULL);
    if (flags->json) status = print_json(flags, &result);
    else status = print_table(&result.conversion);
    if (status == TIPS_OK && !flags->json) print_verdict(flags, &result);
    tips__convert_result_free(&result);
    return cli_report(status);
}

const cli_command cli_convert = {
    .name = "convert",
    .brief = "put a shift-stable pooling operator into every downsampling of somebody's network",
    .synopsis = "MODEL --out FILE [OPTION...]",
    .details =
        "Every strided convolution, pooling layer and slice is computed at stride 1 and followed by the operator, "
        "behind "
        "the norm and activation that solely follow it. Branches that meet again share one choice of phase. Layers "
        "that "
        "shrink a map keep its size, paddings become circular, and a flattened map begins at its strongest position. "
        "All "
        "weights stay; tips-exact starts so that it passes on the phase with the largest mean.\n"
        "MODEL is an ONNX file. The result is trained further by 'tips train --init', checked by 'tips verify --model' "
        "and sent back by 'tips export'.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(convert_flags),
    .run = run,
    .examples = "tips convert resnet18.onnx --pool tips-exact --out stable.safetensors\n"
                "tips convert vgg16.onnx --pool aps --lpf 3 --head gap --out stable.safetensors\n"
                "tips train --init stable.safetensors --data photos --lr 0.01 --epochs 3 --out runs/stable\n",
};
