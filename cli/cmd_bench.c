/* tips bench step | pools: how fast networks and operators are on this machine. */
#include "bench_print.h"
#include "cli.h"
#include "count_malloc.h"
#include "network_flags.h"

#include <string.h>
#include <time.h>

typedef struct bench_config {
    tips_bench_step_config step;
    const char *pools;
    int stride[2];
    int channels; /* 0: 3 for step, 64 for pools */
    bool latency, json;
    tips_given given;
} bench_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(bench_config, given),
    {.type = TIPS_OPT_GROUP,
     .offset = offsetof(bench_config, step.model),
     .group = tips__model_rows,
     .without = "channels size"},
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(bench_config, step.model_file),
     .metavar = "FILE",
     .help = "step: time the model in a .safetensors or .onnx file; network, classes, channels and input size are the "
             "file's"},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(bench_config, step.model.size),
     .group = tips__model_rows,
     .fallback = "0",
     .min = 0,
     .max = 4096,
     .help = "height and width of the input in pixels; 0 means the model's own, or 32 where there is no model"},
    {.name = "channels",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(bench_config, channels),
     .group = tips__model_rows,
     .fallback = "0",
     .min = 0,
     .max = 4096,
     .help = "channels of the input; 0 means 3 for step and 64 for pools"},
    {.name = "batch",
     .type = TIPS_OPT_INT,
     .offset = offsetof(bench_config, step.batch),
     .fallback = "0",
     .min = 0,
     .max = 4096,
     .help = "images in a batch; 0 means 64, or 1 with --latency"},
    {.name = "mode",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(bench_config, step.mode),
     .fallback = "train",
     .choices = tips__bench_mode_names,
     .help = "step: forward, losses, backward and SGD update, or forward alone, as --latency has it unless told"},
    {.name = "latency",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(bench_config, latency),
     .fallback = "false",
     .help = "step: show how long a step takes, the median and the 99th percentile of many"},
    {.name = "steps",
     .type = TIPS_OPT_INT,
     .offset = offsetof(bench_config, step.steps),
     .fallback = "0",
     .min = 0,
     .max = 100000,
     .help = "timed steps; 0 means 10, or with --latency 200, but no more than fit in ten seconds"},
    {.name = "warmup",
     .type = TIPS_OPT_INT,
     .offset = offsetof(bench_config, step.warmup),
     .fallback = "2",
     .min = 1,
     .max = 1000,
     .help = "step: steps before the timed ones"},
    {.name = "layers",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(bench_config, step.layers),
     .fallback = "false",
     .help = "step: show the time of every layer"},
    {.name = "replay",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(bench_config, step.replay),
     .fallback = "true",
     .help = "step: recompute in backward what is cheap to recompute; without it a little faster, with more memory"},
    {.name = "engine",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(bench_config, step.engine),
     .fallback = "dnnl",
     .choices = tips__engine_names,
     .help = "step: ref times the naive loops in double precision, inference only and very slow"},
    {.name = "algorithm",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(bench_config, step.algorithm),
     .fallback = "auto",
     .choices = tips__algorithm_names,
     .help = "step: exact keeps to convolutions whose bits follow every shift; fast allows Winograd's everywhere; auto "
             "is fast in training and with zero padding, exact else"},
    {.name = "pools",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(bench_config, pools),
     .metavar = "LIST",
     .help = "pools: the operators, parted by commas; every operator if not given"},
    {.name = "stride",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(bench_config, stride),
     .fallback = "2",
     .min = 1,
     .max = 16,
     .help = "pools: the operators' stride"},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(bench_config, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

/* Processor time from the start of the process: loading the program and its libraries. */
static double startup_ms(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) return 0;
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* What depends on how the network is used; what was said stays. */
static void fill_in(bench_config *c) {
    enum { BATCH = 64, STEPS = 10, LATENCY_STEPS = 200, LATENCY_SECONDS = 10, SIZE = 32 };
    tips_bench_step_config *s = &c->step;
    if (s->model_file && !*s->model_file) s->model_file = NULL;
    if (c->latency && s->steps == 0) s->most_seconds = LATENCY_SECONDS;
    if (c->latency && !tips__given_has(&c->given, "mode")) s->mode = 1;
    if (s->batch == 0) s->batch = c->latency ? 1 : BATCH;
    if (s->steps == 0) s->steps = c->latency ? LATENCY_STEPS : STEPS;
    if (s->model.size[0] == 0 && !s->model_file) s->model.size[0] = s->model.size[1] = SIZE;
}

static tips_status bench_step(const bench_config *given, double startup) {
    tips_bench_step_config config = given->step;
    tips_bench_step_result result;
    config.model.channels = given->channels ? given->channels : 3;
    if (cli_malloc_is_counted()) config.malloc_count = cli_malloc_count;
    tips_status status = tips__bench_step(&config, &result);
    if (status != TIPS_OK) return status;
    status = given->json ? cli_print_step_json(&config, &result, given->latency, startup)
                         : cli_print_step(&config, &result, given->latency);
    tips__bench_step_clear(&result);
    return status;
}

static tips_status bench_pools(const bench_config *given) {
    const tips_model_options *m = &given->step.model;
    const tips_bench_pools_config config = {
        .pools = given->pools, .lpf = m->lpf, .padding = m->padding, .batch = given->step.batch,
        .channels = given->channels ? given->channels : 64, .size = {m->size[0], m->size[1]},
        .stride = {given->stride[0], given->stride[1]}, .steps = given->step.steps, .threads = m->threads,
        .seed = m->seed};
    tips_bench_pools_result result;
    tips_status status = tips__bench_pools(&config, &result);
    if (status != TIPS_OK) return status;
    status = given->json ? cli_print_pools_json(&config, &result) : cli_print_pools(&config, &result);
    tips__bench_pools_clear(&result);
    return status;
}

static int run_pools(const bench_config *given) {
    if (given->step.model_file || given->latency)
        return cli_usage_error(&cli_bench, "--%s goes with step; pools times operators alone",
                               given->latency ? "latency" : "model");
    return cli_report(bench_pools(given));
}

static int run(void *config, int n_words, char **words) {
    const double startup = startup_ms();
    bench_config *given = config;
    char **rest = words + (n_words > 0);
    int n_rest = n_words - (n_words > 0);
    cli_take_model(&given->step.model_file, &n_rest, &rest);
    int code = cli_expect_words(&cli_bench, 0, n_rest, rest);
    if (code == CLI_OK) code = cli_refuse_network_flags(&cli_bench, &given->given, given->step.model_file);
    if (code != CLI_OK) return code;
    fill_in(given);
    if (n_words == 0) return cli_usage_error(&cli_bench, "say what to measure: step or pools");
    if (strcmp(words[0], "step") == 0) return cli_report(bench_step(given, startup));
    if (strcmp(words[0], "pools") == 0) return run_pools(given);
    return cli_usage_error(&cli_bench, "there is nothing called '%s' to measure; there are step and pools", words[0]);
}

const cli_command cli_bench = {
    .name = "bench",
    .brief = "measure the speed of networks and operators on this machine",
    .synopsis = "step [MODEL] [OPTION...]\npools [OPTION...]",
    .details =
        "'step' times whole steps of a network with random weights, or of the model in a file, on random images: "
        "images a second (median, 10th and 90th percentile over the steps), the share of the measured multiply-add "
        "peak, memory, and allocations in the second step. Training steps include the operator's own losses and the "
        "SGD update (learning rate 0.05, momentum 0.9, weight decay 1e-4).\n"
        "A multiply-add counts as two operations, taps beyond the border included; a training step counts as three "
        "forward passes. Convolutions count as if computed directly, so algorithms that save multiplications "
        "(Winograd) can show more than the peak.\n"
        "'pools' times every operator alone, forward and backward as in training, and compares the least bytes it must "
        "move (x and y forward; dy, x and dx backward) with the measured memory bandwidth. Maps that fit in the "
        "caches can beat it.",
    .options = options,
    .words = "step pools",
    .config_size = sizeof(bench_config),
    .run = run,
    .examples = "tips bench step --arch resnet18 --pool tips-exact --batch 64 --mode train\n"
                "tips bench step --pool max --padding zero --mode infer --layers\n"
                "tips bench step --arch resnet50 --size 224 --batch 8 --steps 3 --json\n"
                "tips bench step model.onnx --latency\n"
                "tips bench step model.safetensors --mode infer --batch 16 --algorithm exact\n"
                "tips bench pools\n"
                "tips bench pools --pools max,aps,tips:psi=depthwise,tips-exact --channels 128 --size 16 --lpf 3\n",
};
