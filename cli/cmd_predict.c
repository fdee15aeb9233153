/* tips predict: options and files in, one run, a table or JSON out. */
#include "cli.h"
#include "network_flags.h"

#include "core/json.h"
#include "core/text_table.h"
#include "evaluate/evaluate.h"
#include "predict/predict.h"

#include <math.h>

typedef struct predict_flags {
    tips_predict_config run;
    const char *logits;
    bool json;
} predict_flags;

static const tips_option options[] = {
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.model),
     .metavar = "FILE",
     .help = "the model; without one, a network with random weights from --arch, --pool and so on"},
    {.name = "top",
     .type = TIPS_OPT_INT,
     .offset = offsetof(predict_flags, run.top),
     .fallback = "1",
     .min = 1,
     .max = 1000,
     .help = "classes to show for each picture, best first"},
    {.name = "stability",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(predict_flags, run.stability),
     .fallback = "false",
     .help = "also show the share of shifts, up to an eighth of the size, that keep the answer"},
    {.name = "sequence",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.sequence),
     .metavar = "DIR",
     .help = "frames in the order of their names: also show how often the answer flips from one to the next"},
    {.name = "logits",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, logits),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "write the scores of all pictures, before the softmax, to a .npy file"},
    {.name = "batch",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(predict_flags, run.batch),
     .group = tips__evaluate_rows,
     .fallback = "16"},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(predict_flags, json), .group = cli_rows},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(predict_flags, run.input), .group = tips__input_rows},
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(predict_flags, run.network),
     .group = tips__model_rows,
     .without = "size"},
    {.type = TIPS_OPT_END},
};

static const char *class_name(const tips_predict_result *r, int class, char *buffer, size_t size) {
    if (r->class_names) return r->class_names[class];
    snprintf(buffer, size, "%d", class);
    return buffer;
}

static void add_rows(tips_text_table *table, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    for (int i = 0; i < r->top; i++) {
        char number[16];
        tips__table_cell(table, "%s", i == 0 ? p->name : "");
        tips__table_cell(table, "%s", class_name(r, p->classes[i], number, sizeof number));
        tips__table_cell(table, "%.4f", p->probability[i]);
        if (!stability) continue;
        if (i == 0 && !isnan(p->stability)) tips__table_cell(table, "%.1f %%", p->stability);
        else tips__table_cell(table, "%s", i == 0 ? "-" : "");
    }
}

static tips_status print_table(const tips_predict_result *r, bool stability, FILE *file) {
    const char *const columns[] = {"picture", "class", ">probability", stability ? ">stability" : NULL, NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->count; i++) add_rows(table, r, &r->predictions[i], stability);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    if (stability) fprintf(file, "\nStability is the share of %d standard shifts that keep the answer.\n", r->shifts);
    if (r->frames > 1)
        fprintf(file, "\nThe answer flips %d times in %d frames: %.2f %% of the steps.\n", r->flips, r->frames,
                r->flip_rate);
    return status;
}

static void put_prediction(tips_json *json, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "picture", p->name);
    tips__json_open_array(json, "top");
    for (int i = 0; i < r->top; i++) {
        tips__json_open_object(json, NULL);
        tips__json_int(json, "class", p->classes[i]);
        tips__json_text(json, "name", r->class_names ? r->class_names[p->classes[i]] : NULL);
        tips__json_number(json, "probability", p->probability[i]);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    if (stability) tips__json_number(json, "stability", p->stability);
    tips__json_close_object(json);
}

static void put_result(tips_json *json, const tips_predict_result *r, bool stability) {
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "predictions");
    for (int i = 0; i < r->count; i++) put_prediction(json, r, &r->predictions[i], stability);
    tips__json_close_array(json);
    if (stability) tips__json_int(json, "shifts", r->shifts);
    if (r->frames > 0) {
        tips__json_open_object(json, "sequence");
        tips__json_int(json, "frames", r->frames);
        tips__json_int(json, "flips", r->flips);
        tips__json_number(json, "flip_rate", r->flip_rate);
        tips__json_close_object(json);
    }
    tips__json_close_object(json);
}

static tips_status print_json(const tips_predict_result *r, bool stability, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    put_result(json, r, stability);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

static int run(void *config, int n_words, char **words) {
    predict_flags *flags = config;
    tips_predict_result result;
    if (n_words == 0 && !flags->run.sequence)
        return cli_usage_error(&cli_predict, "name pictures or .npy files, or a folder with --sequence");
    const int code = cli_refuse_network_flags(&cli_predict, flags->run.model);
    if (code != CLI_OK) return code;
    flags->run.files = words;
    flags->run.n_files = n_words;
    tips_status status = tips__predict_keep_inputs(&flags->run, flags->logits);
    if (status == TIPS_OK) status = tips__predict_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    if (!flags->run.model && !flags->json) fputs("Random weights: no --model was given.\n", stderr);
    status = flags->json ? print_json(&result, flags->run.stability, stdout)
                         : print_table(&result, flags->run.stability, stdout);
    if (status == TIPS_OK && flags->logits) status = tips__predict_save_scores(&result, flags->logits);
    tips__predict_free(&result);
    return cli_report(status);
}

const cli_command cli_predict = {
    .name = "predict",
    .brief = "name the class of pictures, and how stable the answer is",
    .synopsis = "--model FILE PICTURE... [OPTION...]",
    .details = "Prints class and probability of each picture (PNG, JPEG, WebP, TIFF, BMP, GIF, PGM or PPM). A file "
               "that ends in "
               ".npy is taken as it is: 32-bit floats of shape (n, channels, height, width), normalised already.\n"
               "With --sequence the files of a folder are frames of one scene, in the order of their names.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(predict_flags),
    .run = run,
    .examples = "tips predict --model run/best.safetensors cat.jpg dog.png --top 3\n"
                "tips predict --model run/best.safetensors cat.jpg --stability\n"
                "tips predict --model run/best.safetensors --sequence frames\n"
                "tips predict --model run/best.safetensors inputs.npy --logits scores.npy\n",
};
