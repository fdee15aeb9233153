/* tips verify: options in, one run, a table or JSON out. */
#include "cli.h"

#include "core/json.h"
#include "core/text_table.h"
#include "run/verify.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

typedef struct verify_flags {
    tips_verify_config run;
    bool json, quiet;
} verify_flags;

static const tips_option options[] = {
    TIPS_MODEL_OPTION_ROWS(verify_flags, run.model),
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.model_file),
     .metavar = "FILE",
     .help = "verify the model in a .safetensors file; network, input size and normalisation are the file's"},
    {.name = "weights",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.weights),
     .metavar = "FILE",
     .help = "weights by name from a .safetensors file, torchvision's or ours, for the network of the options"},
    {.name = "shifts",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.shifts),
     .fallback = "all",
     .metavar = "all|N",
     .help = "every circular shift of the input, or N of them, drawn without repetition"},
    {.name = "image",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.image),
     .metavar = "FILE",
     .help = "input image, PNG, JPEG or binary PPM; without it, a random natural-like one"},
    {.name = "engine",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(verify_flags, run.engine),
     .fallback = "dnnl",
     .choices = tips__verify_engine_names,
     .help = "dnnl is what networks run on; ref is naive, in double precision, and slow"},
    {.name = "alone",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(verify_flags, run.alone),
     .fallback = "false",
     .help = "verify the pooling operator by itself instead of an architecture"},
    {.name = "stride",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(verify_flags, run.stride),
     .fallback = "2",
     .min = 1,
     .max = 8,
     .metavar = "S[xS]",
     .help = "with --alone: the operator's stride on each axis"},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(verify_flags, quiet),
     .fallback = "false",
     .help = "show the verdict only, without the table and without progress"},
    {.name = "json",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(verify_flags, json),
     .fallback = "false",
     .help = "write the result as JSON"},
    {.type = TIPS_OPT_END},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct progress {
    double start, shown;
} progress;

/* One line, rewritten at most five times a second, and only for what takes longer than a second. */
static void show_progress(void *context, int done, int total) {
    progress *p = context;
    const double time = now();
    if (done == total) {
        if (p->shown > 0) fputs("\r\033[K", stderr);
        return;
    }
    if (time - p->start < 1 || time - p->shown < 0.2) return;
    p->shown = time;
    fprintf(stderr, "\rshift %d of %d, %.0f s left ", done, total, (time - p->start) * (total - done) / done);
    fflush(stderr);
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void describe(const tips_verify_result *r, FILE *file) {
    const tips_arch_config *c = &r->network;
    fprintf(file, "%s, pool %s", r->arch ? r->arch : "operator alone", r->pool);
    if (c->pool.lpf) fprintf(file, " after LPF-%d", c->pool.lpf);
    fprintf(file, ", %s padding, input %dx%dx%d", tips_pad_mode_names[c->padding], c->in_channels, c->size[0],
            c->size[1]);
    if (r->arch) fprintf(file, ", %s stem, down %d, width %d", tips__stem_names[c->stem], c->down, c->width);
    fprintf(file, ", seed %d, %s engine, %d shift%s\n\n", r->seed, r->engine, r->shifts, plural(r->shifts));
}

static void error_cell(tips_text_table *table, double error) {
    if (error == 0) tips__table_cell(table, "0");
    else tips__table_cell(table, "%.2g", error);
}

static void add_row(tips_text_table *table, const tips_verify_layer *layer) {
    tips__table_cell(table, "%s", layer->name);
    tips__table_cell(table, "%s", layer->type);
    if (layer->per_sample > 1)
        tips__table_cell(table, "%d*%dx%dx%d", layer->per_sample, layer->channels, layer->height, layer->width);
    else tips__table_cell(table, "%dx%dx%d", layer->channels, layer->height, layer->width);
    tips__table_cell(table, "%llu", (unsigned long long)layer->differing_bits);
    error_cell(table, layer->max_abs_error);
    error_cell(table, layer->max_rel_error);
    tips__table_cell(table, "%s", layer->exact ? "yes" : "no");
}

static tips_status print_table(const tips_verify_result *r, FILE *file) {
    static const char *const columns[] = {"layer",          "type",           ">output", ">differing bits",
                                          ">max abs error", ">max rel error", "exact",   NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_layers; i++) add_row(table, &r->layers[i]);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void print_verdict(const tips_verify_result *r, FILE *file) {
    if (r->exact) {
        fprintf(file, "Exact: 0 differing bits in %d layers under %d shift%s.\n", r->n_layers, r->shifts,
                plural(r->shifts));
    } else {
        fprintf(file, "Not exact: the first layer that breaks is %s.\n", r->layers[r->first_breaking].name);
        fprintf(file, "Reason (%s): %s.\n", r->reason, r->advice);
        fprintf(file, "Within 1e-5 of each layer's largest value: %s (worst %.2g).\n",
                r->within_tolerance ? "yes" : "no", r->max_rel_error);
    }
    if (r->margin < INFINITY)
        fprintf(file, "Smallest margin between best and second phase: %.2g (%s).\n", r->margin,
                r->layers[r->margin_layer].name);
    if (r->answer_changes == 0) fputs("The answer is the same for every shift.\n", file);
    else fprintf(file, "The answer changes under %d of %d shifts.\n", r->answer_changes, r->shifts);
}

static tips_status print_text(const tips_verify_result *r, bool quiet, FILE *file) {
    if (!quiet) {
        describe(r, file);
        const tips_status status = print_table(r, file);
        if (status != TIPS_OK) return status;
        fputc('\n', file);
    }
    print_verdict(r, file);
    return TIPS_OK;
}

static void write_layer(tips_json *json, const tips_verify_layer *layer) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", layer->name);
    tips__json_text(json, "type", layer->type);
    tips__json_int(json, "channels", layer->channels);
    tips__json_int(json, "height", layer->height);
    tips__json_int(json, "width", layer->width);
    tips__json_int(json, "differing_bits", (int64_t)layer->differing_bits);
    tips__json_number(json, "max_abs_error", layer->max_abs_error);
    tips__json_number(json, "max_rel_error", layer->max_rel_error);
    tips__json_number(json, "margin", layer->margin);
    tips__json_bool(json, "exact", layer->exact);
    tips__json_close_object(json);
}

static void write_config(tips_json *json, const tips_verify_result *r) {
    const tips_arch_config *c = &r->network;
    tips__json_open_object(json, "config");
    tips__json_text(json, "arch", r->arch);
    tips__json_text(json, "pool", r->pool);
    tips__json_int(json, "lpf", c->pool.lpf);
    tips__json_text(json, "padding", tips_pad_mode_names[c->padding]);
    tips__json_int(json, "channels", c->in_channels);
    tips__json_int(json, "height", c->size[0]);
    tips__json_int(json, "width", c->size[1]);
    if (r->arch) {
        tips__json_text(json, "stem", tips__stem_names[c->stem]);
        tips__json_int(json, "down", c->down);
        tips__json_int(json, "first_width", c->width);
        tips__json_int(json, "classes", c->classes);
    }
    tips__json_int(json, "seed", r->seed);
    tips__json_text(json, "engine", r->engine);
    tips__json_close_object(json);
}

static void write_result(tips_json *json, const tips_verify_result *r) {
    tips__json_open_object(json, NULL);
    tips__json_bool(json, "exact", r->exact);
    tips__json_int(json, "differing_bits", (int64_t)r->differing_bits);
    tips__json_number(json, "max_abs_error", r->max_abs_error);
    tips__json_number(json, "max_rel_error", r->max_rel_error);
    tips__json_bool(json, "invariant", r->answer_changes == 0);
    tips__json_int(json, "answer_changes", r->answer_changes);
    tips__json_bool(json, "within_tolerance", r->within_tolerance);
    tips__json_text(json, "first_breaking_layer", r->first_breaking < 0 ? NULL : r->layers[r->first_breaking].name);
    tips__json_text(json, "reason", r->reason);
    tips__json_text(json, "advice", r->reason ? r->advice : NULL);
    tips__json_int(json, "shifts", r->shifts);
    tips__json_number(json, "margin", r->margin);
    tips__json_text(json, "margin_layer", r->margin_layer < 0 ? NULL : r->layers[r->margin_layer].name);
    write_config(json, r);
    tips__json_open_array(json, "layers");
    for (int i = 0; i < r->n_layers; i++) write_layer(json, &r->layers[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static tips_status print_json(const tips_verify_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    write_result(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

static int run(void *config, int n_words, char **words) {
    verify_flags *flags = config;
    progress shown = {.start = now()};
    const int code = cli_expect_words(&cli_verify, 0, n_words, words);
    if (code != CLI_OK) return code;
    if (!flags->quiet && isatty(STDERR_FILENO)) {
        flags->run.progress = show_progress;
        flags->run.progress_context = &shown;
    }
    tips_verify_result result;
    tips_status status = tips__verify_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    const bool is_exact = result.exact;
    status = flags->json ? print_json(&result, stdout) : print_text(&result, flags->quiet, stdout);
    tips__verify_free(&result);
    if (status != TIPS_OK) return cli_report(status);
    return is_exact ? CLI_OK : CLI_NEGATIVE;
}

const cli_command cli_verify = {
    .name = "verify",
    .brief = "check whether a network's answer changes when its input is shifted",
    .synopsis = "[OPTION...]",
    .details =
        "Runs a network, with random weights or those of a file, on an input and on circular shifts of it, undoes the shift layer by layer, "
        "and counts the bits that differ. Layers that choose a phase are followed by that phase, others by the "
        "better of floor and ceil.\n"
        "Exact means that no bit differs in any layer under any shift. If some do, the first layer that breaks is "
        "named with the reason: padding, odd size, fixed grid, per-channel choice, tie or rounding.\n"
        "With --engine ref sums run in plain order and may round differently after a shift, so that even exact "
        "operators differ in their last bits there; errors stay far within the tolerance of 1e-5.",
    .options = options,
    .config_size = sizeof(verify_flags),
    .run = run,
    .examples = "tips verify --arch resnet18 --pool tips-exact --size 32\n"
                "tips verify --pool max --shifts 64\n"
                "tips verify --model model.safetensors --image photo.jpg\n"
                "tips verify --pool aps --padding zero --shifts 16 --json\n"
                "tips verify --alone --pool lps --stride 3x2 --channels 16 --size 12x18\n",
    .exit_codes = "0 exact\n1 the run failed\n2 wrong usage\n3 not exact\n130 interrupted\n",
};
