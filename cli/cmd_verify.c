/* tips verify: options in, one run, a table or JSON out. */
#include "cli.h"
#include "network_flags.h"
#include "train_progress.h"
#include "verify_print.h"
#include "warn.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

typedef struct verify_flags {
    tips_verify_config run;
    bool json, quiet;
} verify_flags;

static const tips_option options[] = {
    {.type = TIPS_OPT_GIVEN, .offset = offsetof(verify_flags, run.given), .extent = sizeof(verify_flags)},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(verify_flags, run.model), .group = tips__model_rows, .without = "size"},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(verify_flags, run.input.size),
     .group = tips__input_rows},
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(verify_flags, run.input),
     .group = tips__input_rows,
     .without = "size labels"},
    /* Not shown: it is there to be refused with a reason. */
    {.name = "labels", .type = TIPS_OPT_TEXT, .offset = offsetof(verify_flags, run.input.labels)},
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.model_file),
     .metavar = "FILE",
     .help = "the same as MODEL, a .safetensors or .onnx file; network, input size and normalisation are the file's"},
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
     .help = "input image, PNG, JPEG, WebP, TIFF, BMP, GIF or binary PPM; without it, a random natural-like one"},
    {.name = "data",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(verify_flags, run.data),
     .metavar = "SPEC",
     .help = "input from a dataset: its first test picture, or validation picture where it has none, unless --picture "
             "says which"},
    {.name = "picture",
     .type = TIPS_OPT_INT,
     .offset = offsetof(verify_flags, run.picture),
     .fallback = "0",
     .min = 0,
     .max = INT_MAX,
     .help = "with --data: the number of the picture, from 0 on"},
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
     .fallback = "0",
     .min = 0,
     .max = 16,
     .metavar = "S[xS]",
     .help = "with --alone: the operator's stride on each axis; 0 means 2"},
    {.name = "quiet",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(verify_flags, quiet),
     .fallback = "false",
     .help = "show the verdict only, without the table and without progress"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(verify_flags, json),
     .group = cli_rows,
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

static int run(void *config, int n_words, char **words) {
    verify_flags *flags = config;
    progress shown = {.start = now()};
    cli_take_model(&flags->run.model_file, &n_words, &words);
    int code = cli_expect_words(&cli_verify, 0, n_words, words);
    if (code == CLI_OK) code = cli_refuse_network_flags(&cli_verify, &flags->run.given, flags->run.model_file);
    if (code != CLI_OK) return code;
    if (!flags->quiet && isatty(STDERR_FILENO)) {
        flags->run.progress = show_progress;
        flags->run.progress_context = &shown;
    }
    flags->run.stop = cli_is_asked_to_stop;
    cli_train_catch_signals();
    tips_verify_result result;
    tips_status status = tips__verify_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    if (flags->run.image || flags->run.data) cli_warn(tips__input_rules, &result.input, NULL);
    const bool is_exact = result.exact, is_interrupted = result.interrupted;
    status = flags->json ? cli_print_verify_json(&result, stdout) : cli_print_verify(&result, flags->quiet, stdout);
    tips__verify_free(&result);
    if (status != TIPS_OK) return cli_report(status);
    if (is_interrupted) return CLI_INTERRUPTED;
    return is_exact ? CLI_OK : CLI_NEGATIVE;
}

const cli_command cli_verify = {
    .name = "verify",
    .brief = "check whether a network's answer changes when its input is shifted",
    .synopsis = "[MODEL] [OPTION...]",
    .details =
        "Runs a network, with random weights or those of a file, on an input and on circular shifts of it, undoes the "
        "shift layer by layer, "
        "and counts the bits that differ. Layers that choose a phase are followed by that phase, others by the "
        "better of floor and ceil.\n"
        "Exact means that no bit differs in any layer under any shift. If some do, the first layer that breaks is "
        "named with the reason: padding, odd size, fixed grid, patch grid, position embedding, windows, "
        "per-channel choice, tie, rounding and others.\n"
        "With --engine ref sums run in plain order and may round differently after a shift, so that even exact "
        "operators differ in their last bits there; errors stay far within the tolerance of 1e-5.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(verify_flags),
    .run = run,
    .examples = "tips verify --arch resnet18 --pool tips-exact --size 32\n"
                "tips verify --pool max --shifts 64\n"
                "tips verify model.safetensors --image photo.jpg\n"
                "tips verify model.safetensors --data photos --picture 3\n"
                "tips verify --pool aps --padding zero --shifts 16 --json\n"
                "tips verify --alone --pool lps --stride 3x2 --channels 16 --size 12x18\n",
    .exit_codes = "0 exact\n1 the run failed\n2 wrong usage\n3 not exact\n130 interrupted\n",
};
