/* tips data info | get: what a dataset holds, and how to come by one. */
#include "cli.h"
#include "data_print.h"

#include "data/data_info.h"
#include "download/data_get.h"
#include "train/train_options.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct data_flags {
    tips_data_info_config info;
    tips_data_get_config get;
    const char *sheet;
    bool json;
    tips_given given;
} data_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(data_flags, given),
    {.name = "sheet",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(data_flags, sheet),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "info: write a PNG with some training pictures, a row for each of the first 20 classes"},
    {.name = "masks",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(data_flags, info.masks),
     .fallback = "false",
     .help =
         "info: count the pixels of each class in the masks, and show masks on the sheet, where a set has classes of "
         "whole pictures too"},
    {.name = "boxes",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(data_flags, info.boxes),
     .fallback = "false",
     .help =
         "info: count the boxes of each class, and show them on the sheet, where a set has classes of whole pictures "
         "too"},
    {.name = "limit",
     .type = TIPS_OPT_INT,
     .offset = offsetof(data_flags, info.limit),
     .fallback = "10000",
     .min = 0,
     .max = 2147483647,
     .help = "info: training pictures to read for sizes, mean and deviation; 0 means all"},
    {.name = "train-limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.train_limit),
     .group = tips__train_rows,
     .help = "info: training pictures to use, drawn by seed; 0 means all"},
    {.name = "classes-limit",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.classes_limit),
     .group = tips__train_rows,
     .min = 0,
     .max = 2147483647,
     .help = "info: use the first classes only; 0 means all"},
    {.name = "val-split",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.val_split),
     .group = tips__train_rows,
     .min = 0.0001,
     .max = 0.9999,
     .help = "info: share of the training data held out by seed where there are no validation data"},
    {.name = "val-set",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.val_set),
     .group = tips__train_rows,
     .help = "info: validation data: the set's own or held out, or the test set"},
    {.name = "on-bad-image",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.on_bad_image),
     .group = tips__train_rows,
     .help = "info: stop at a picture that is missing or broken, or skip and count it"},
    {.name = "seed",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.seed),
     .group = tips__model_rows,
     .help = "info: seed of what is drawn"},
    {.name = "threads",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, info.threads),
     .group = tips__model_rows,
     .help = "info: threads to use; 0 means all cores"},
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(data_flags, json),
     .group = cli_rows,
     .help = "info: print JSON"},
    {.name = "from",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(data_flags, get.from),
     .metavar = "URL",
     .help = "get: another address of the folder that holds the files"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(data_flags, get.out),
     .fallback = "data",
     .metavar = "DIR",
     .help = "get: folder to download to; a known dataset gets a folder of its name in it"},
    {.name = "sha256",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(data_flags, get.sha256),
     .metavar = "SUM",
     .help = "get: what the SHA-256 of a file by its address must be"},
    {.type = TIPS_OPT_END},
};

static tips_status show_info(const data_flags *flags, const char *spec) {
    tips_data_info_config config = flags->info;
    tips_data_info info;
    config.data = spec;
    config.sheet = flags->sheet && *flags->sheet;
    config.sheet_file = flags->sheet;
    tips_status status = tips__data_info(&config, &info);
    if (status != TIPS_OK) return status;
    status = flags->json ? cli_print_data_info_json(&info) : cli_print_data_info(&info, config.seed);
    if (status == TIPS_OK && config.sheet) status = tips__data_info_save_sheet(&info, flags->sheet);
    tips__data_info_clear(&info);
    return status;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One line for the file that is coming, changed five times a second. */
static void show_progress(void *context, const char *file, int64_t done, int64_t total) {
    double *shown = context;
    const double time = now();
    if (done == 0 || (time - *shown < 0.2 && done != total)) return;
    *shown = time;
    fprintf(stderr, "\r\033[K%s: %.1f", cli_shown(file), (double)done / 1e6);
    if (total > 0) fprintf(stderr, " of %.1f MB (%.0f%%)", (double)total / 1e6, 100 * (double)done / (double)total);
    else fputs(" MB", stderr);
    fflush(stderr);
}

static tips_status get_data(const data_flags *flags, const char *name) {
    tips_data_get_config config = flags->get;
    tips_data_get_result r;
    double shown = 0;
    config.name = name;
    if (isatty(STDERR_FILENO)) {
        config.progress = show_progress;
        config.progress_context = &shown;
    }
    const tips_status status = tips__data_get(&config, &r);
    if (shown > 0) fputs("\r\033[K", stderr);
    if (status != TIPS_OK) return status;
    printf("downloaded %d, resumed %d, already there %d%s\n%s\n", r.downloaded, r.resumed, r.present,
           r.unpacked ? "; unpacked" : "", cli_shown(r.path));
    return TIPS_OK;
}

static int run_get(const data_flags *flags, int n_words, char **words) {
    char names[256];
    if (n_words == 2) return cli_report(get_data(flags, words[1]));
    tips__data_get_names(names, sizeof names);
    return cli_usage_error(&cli_data, "get what? There are %s, or name a file by its address", names);
}

static int run(void *config, int n_words, char **words) {
    const data_flags *flags = config;
    const int code = cli_expect_words(&cli_data, 2, n_words, words);
    if (code != CLI_OK) return code;
    if (n_words == 0) return cli_usage_error(&cli_data, "say what to do: info or get");
    if (strcmp(words[0], "info") == 0) return cli_report(show_info(flags, n_words == 2 ? words[1] : NULL));
    if (strcmp(words[0], "get") == 0) return run_get(flags, n_words, words);
    return cli_usage_error(&cli_data, "there is no 'data %s'; there are info and get", words[0]);
}

const cli_command cli_data = {
    .name = "data",
    .brief = "show what a dataset holds, or download one",
    .synopsis = "info [SPEC] [OPTION...]\nget NAME|URL [OPTION...]",
    .details =
        "SPEC is a path whose format is recognised, or 'format:path'. Formats: idx (MNIST family, plain or .gz), cifar "
        "(binary, a folder or the .tar.gz), oxford102, food101, tiny-imagenet, folders (class folders, with or without "
        "train, val and test above them), with masks voc, cityscapes, cvc, camvid, pets, kvasir and masks (images/ and "
        "masks/), with boxes coco, voc-boxes and yolo, and shapes, which generates labelled pictures and needs no "
        "path: 'shapes:size=64,classes=4'. Some "
        "take "
        "options before the path: 'voc:train=trainaug,VOC2012'. Without a SPEC: Debian's Fashion-MNIST if it is "
        "installed, else shapes.\n"
        "'get' downloads mnist, fashion-mnist, cifar10, cifar100, imagenette, imagenette-160, tiny-imagenet, oxford102 "
        "or food101, checks the sums and unpacks where that is needed; what was interrupted is resumed. Any other file "
        "is named by its address. The last line printed is the path to use as SPEC.",
    .options = options,
    .words = "info get",
    .config_size = sizeof(data_flags),
    .run = run,
    .examples = "tips data info\n"
                "tips data info shapes:size=48,classes=5 --sheet shapes.png\n"
                "tips data info Kvasir-SEG --sheet polyps.png\n"
                "tips data info coco --sheet boxes.png\n"
                "tips data info photos --on-bad-image skip --limit 0\n"
                "tips data get cifar10\n"
                "tips data get imagenette-160 --out /data --from https://mirror.example.org/imagenette\n",
};
