/* tips train: a folder of pictures in, a model out. */
#include "cli.h"
#include "core/json.h"
#include "train_progress.h"

typedef struct train_config {
    tips_train_config train;
    bool verbose, json;
    tips_given given;
} train_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(train_config, given),
    {.type = TIPS_OPT_GROUP, .offset = offsetof(train_config, train), .group = tips__train_rows},
    {.name = "verbose", .type = TIPS_OPT_LIKE, .offset = offsetof(train_config, verbose), .group = cli_rows},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(train_config, json),
     .group = cli_rows,
     .help = "print the result as JSON"},
    {.type = TIPS_OPT_END},
};

static tips_train_sources sources; /* texts of the config point into it */

static tips_status preset(const void *given, int n_words, char **words, void *config) {
    const tips_train_config *said = &((const train_config *)given)->train;
    return tips__train_preset(said, n_words ? words[0] : NULL, options, config, &sources);
}

static void print_metric(const tips_train_result *r, int i) {
    const tips_metric *metric = &r->task->metrics[i];
    char value[48];
    if (!(metric->where & TIPS_IN_VALIDATION)) return;
    tips__metric_format(metric, r->best[i], value, sizeof value);
    printf("%s %s%s", metric->name, value, i > 0 ? ", " : "");
}

static void print_result(const tips_train_result *r) {
    char time[32];
    cli_duration(r->seconds, time, sizeof time);
    printf("%s with %s, %zu parameters, %d training pictures, %d epochs%s, %s\n", r->arch, r->pool, r->parameters,
           r->train_pictures, r->epochs, r->stopped_early ? " (stopped early)" : "", time);
    printf("best epoch %d: ", r->best_epoch);
    for (int i = 1; r->task->metrics[i].name; i++) print_metric(r, i);
    print_metric(r, 0); /* the one that chose it */
    printf(" on %d %s\n", r->val_pictures,
           r->val_set[0] == 't' ? "test pictures, which chose the model: no independent result"
                                : "validation pictures");
    if (r->skipped) printf("%d pictures could not be read and were left out\n", r->skipped);
    if (r->curves_note[0]) printf("%s\n", cli_shown(r->curves_note));
    printf("%s\n", cli_shown(r->best_path));
}

static void put_metrics(tips_json *json, const tips_task *task, const char *prefix, const double *values) {
    for (int i = 0; task->metrics[i].name; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s_%s", prefix, task->metrics[i].name);
        if (task->metrics[i].where & TIPS_IN_VALIDATION) tips__json_number(json, key, values[i]);
    }
}

static void put_result(tips_json *json, const tips_train_result *r) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "model", r->best_path);
    tips__json_text(json, "arch", r->arch);
    tips__json_text(json, "pool", r->pool);
    tips__json_int(json, "parameters", (int64_t)r->parameters);
    tips__json_int(json, "epochs", r->epochs);
    tips__json_bool(json, "stopped_early", r->stopped_early);
    tips__json_bool(json, "resumed", r->resumed);
    tips__json_int(json, "best_epoch", r->best_epoch);
    put_metrics(json, r->task, "best", r->best);
    put_metrics(json, r->task, "last", r->last);
    tips__json_text(json, "val_set", r->val_set);
    tips__json_int(json, "train_pictures", r->train_pictures);
    tips__json_int(json, "val_pictures", r->val_pictures);
    tips__json_int(json, "skipped", r->skipped);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", r->seconds);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

static tips_status print_json(const tips_train_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    put_result(json, r);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static int run(void *given, int n_words, char **words) {
    const train_config *config = given;
    cli_train_watch watch;
    tips_train_result result;
    int code = cli_expect_words(&cli_train, 1, n_words, words);
    if (code == CLI_OK) {
        const tips_train_watch callbacks = cli_train_start(&watch, config->verbose, NULL);
        cli_train_catch_signals();
        tips_status status =
            tips__train_run_from(&config->train, tips__train_sources_start(&sources), &callbacks, &result);
        cli_train_clear(&watch);
        if (status == TIPS_OK && config->json) status = print_json(&result);
        else if (status == TIPS_OK) print_result(&result);
        code = cli_report(status);
    }
    tips__train_sources_clear(&sources);
    return code;
}

const cli_command cli_train = {
    .name = "train",
    .brief = "train a network on pictures and keep the best model",
    .synopsis = "[RECIPE.yaml] --data SPEC --out DIR [OPTION...]\n--resume DIR",
    .details =
        "The folder gets best.safetensors (least task loss on the validation data) and last.safetensors, log.jsonl "
        "with "
        "a line per epoch, curves.svg and curves.png drawn from it, config.json with every option as resolved, and "
        "checkpoint.safetensors, from which --resume goes on with the very bits of a run that never stopped.\n"
        "A recipe is a file of lines 'option: value'; flags on the command line come before it. With --resume, options "
        "that are not given are those the run began with; without a checkpoint in --out, it begins.\n"
        "The loss is (1 - alpha) task + alpha undo + fm, where undo counts after eps of the epochs, and the task alone "
        "for operators without losses of their own. With --teacher, the task is partly to answer as another network "
        "does.\n"
        "Defaults are the paper's. With --optimizer adamw, --lr is 0.001 and --weight-decay 0.01 unless flags or a "
        "recipe say otherwise; its decay is beside the gradient, not part of it.\n"
        "Ctrl-C finishes the step, saves and exits with 130.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(train_config),
    .run = run,
    .preset = preset,
    .examples =
        "tips train --data shapes --arch tiny --pool tips-exact --epochs 5 --out runs/shapes\n"
        "tips train recipes/fashion-small.yaml --pool aps --out runs/aps\n"
        "tips train --resume runs/aps\n"
        "tips train --data shapes --arch tiny --optimizer adamw:beta2=0.99 --schedule cosine --out runs/adamw\n"
        "tips train --data photos --init runs/shapes/best.safetensors --epochs 3 --out runs/photos\n"
        "tips train --data photos --init stable.safetensors --teacher original.onnx --crop 4 --flip --out tuned\n",
};
