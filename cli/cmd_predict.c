/* tips predict: options and files in, one run, a table or JSON out. */
#include "cli.h"
#include "network_flags.h"
#include "predict_print.h"
#include "warn.h"

#include "core/path.h"
#include "data/folders.h"
#include "evaluate/evaluate.h"

typedef struct predict_flags {
    tips_predict_config run;
    const char *logits;
    bool json;
    tips_given given;
} predict_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(predict_flags, given),
    {.name = "model",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.model),
     .metavar = "FILE",
     .help = "the same as MODEL; a network with random weights answers only where --arch, --pool and so on ask for it"},
    {.name = "top",
     .type = TIPS_OPT_INT,
     .offset = offsetof(predict_flags, run.top),
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "classes or boxes to show for each picture, best first; 0 means one class, and all that occur of a mask "
             "or boxes"},
    {.name = "stability",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(predict_flags, run.stability),
     .fallback = "false",
     .help = "also show the share of shifts, up to an eighth of the size, that keep the answer; of a mask the share "
             "of pixels that keep their class, of boxes that which is the same, and how far they move"},
    {.name = "stability-shifts",
     .type = TIPS_OPT_INT,
     .offset = offsetof(predict_flags, run.stability_shifts),
     .fallback = "0",
     .min = 0,
     .max = 1000000,
     .help = "shifts that --stability tries, drawn by seed; 0 means all of them, and 64 for masks and boxes"},
    {.name = "out",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.out),
     .metavar = "DIR",
     .output = TIPS_OUTPUT_FOLDER,
     .help = "folder for masks/, PNG files with a palette whose pixels are numbers of classes, overlays/, and with "
             "--sequence flicker.png; of models that answer with boxes for boxes/, the pictures with frames, and "
             "flicker.svg"},
    {.name = "shown",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(predict_flags, run.shown),
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "least score of a box that is shown, drawn and compared; 0 means as the model's task says"},
    {.name = "detections",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.detections),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "write all boxes, those that are not shown too, as COCO's results; ids of pictures are the numbers they "
             "are called by, else 1, 2 and so on, and category 1 is class 0"},
    {.name = "annotations",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.annotations),
     .metavar = "FILE",
     .help = "COCO's annotations of the pictures: --detections takes the ids of pictures by the names of their files "
             "from there, and of categories by the names of classes"},
    {.name = "sequence",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.sequence),
     .metavar = "DIR",
     .help = "frames in the order of their names: also show how often the answer flips from one to the next, how "
             "many pixels of masks do, or how boxes jump, appear and vanish"},
    {.name = "motion",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, run.motion),
     .metavar = "DY,DX|FILE",
     .help = "how far the scene moves from frame to frame, in pixels down and to the right, which is undone before "
             "masks or boxes are compared; a file has a line DY,DX for each frame but the first"},
    {.name = "logits",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(predict_flags, logits),
     .metavar = "FILE",
     .output = TIPS_OUTPUT_FILE,
     .help = "write the scores of all pictures, before the softmax, to a .npy file, of masks as (n, classes, height, "
             "width)"},
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

/* The first word is the model unless it is called like a picture; where flags make a network, if it is called so. */
static bool is_model(const predict_flags *flags, const char *word) {
    if (!cli_makes_network(&flags->given)) return !tips__is_picture_name(word) && !tips__path_ends(word, ".npy");
    return tips__path_ends(word, ".onnx") || tips__path_ends(word, ".safetensors");
}

static int check_words(predict_flags *flags, int *n_words, char ***words) {
    if (*n_words > 0 && is_model(flags, **words)) cli_take_model(&flags->run.model, n_words, words);
    const char *example = *n_words > 0 ? "MODEL PICTURE..." : "MODEL ...";
    int code = cli_need_model(&cli_predict, &flags->given, flags->run.model, example);
    if (code == CLI_OK && *n_words == 0 && !flags->run.sequence)
        code = cli_usage_error(&cli_predict, "name pictures or .npy files, or a folder with --sequence");
    return code == CLI_OK ? cli_refuse_network_flags(&cli_predict, &flags->given, flags->run.model) : code;
}

static int run(void *config, int n_words, char **words) {
    predict_flags *flags = config;
    tips_predict_result result;
    const int code = check_words(flags, &n_words, &words);
    if (code != CLI_OK) return code;
    flags->run.files = words;
    flags->run.n_files = n_words;
    flags->run.keep_scores = flags->logits != NULL;
    tips_status status = tips__predict_keep_inputs(&flags->run, flags->logits);
    if (status == TIPS_OK) status = tips__predict_keep_inputs(&flags->run, flags->run.detections);
    if (status == TIPS_OK) status = tips__predict_run(&flags->run, &result);
    if (status != TIPS_OK) return cli_report(status);
    cli_warn(tips__predict_rules, &result, NULL);
    if (!flags->run.model && !flags->json) fputs("Random weights: no model was given.\n", stderr);
    status = flags->json ? predict_print_json(&result, flags->run.stability, stdout)
                         : predict_print_table(&result, flags->run.stability, stdout);
    if (status == TIPS_OK && flags->logits) status = tips__predict_save_scores(&result, flags->logits);
    tips__predict_free(&result);
    return cli_report(status);
}

const cli_command cli_predict = {
    .name = "predict",
    .brief = "name the class of pictures, of their pixels or of boxes on them, and how stable the answer is",
    .synopsis = "MODEL PICTURE... [OPTION...]",
    .details =
        "Prints class and probability of each picture (PNG, JPEG, WebP, TIFF, BMP, GIF, PGM or PPM). A file "
        "that ends in "
        ".npy is taken as it is: 32-bit floats of shape (n, channels, height, width), normalised already.\n"
        "A model for segmentation gives a class to every pixel: the shares of classes are shown, and --out writes "
        "masks and overlays of the size of the picture.\n"
        "A detector finds boxes: left, top, width and height in pixels of the picture. --out draws them, --detections "
        "writes them for tips eval and pycocotools. An ONNX file is one with --boxes STYLE.\n"
        "With --sequence the files of a folder are frames of one scene, in the order of their names.",
    .options = options,
    .words = "FILE",
    .config_size = sizeof(predict_flags),
    .run = run,
    .examples = "tips predict run/best.safetensors cat.jpg dog.png --top 3\n"
                "tips predict run/best.safetensors cat.jpg --stability\n"
                "tips predict run/best.safetensors --sequence frames\n"
                "tips predict run/best.safetensors inputs.npy --logits scores.npy\n"
                "tips predict unet/best.safetensors cat.jpg dog.png --out masks --stability\n"
                "tips predict unet/best.safetensors --sequence frames --motion 0,2 --out flicker\n"
                "tips predict boxes/best.safetensors street.jpg --out drawn --stability\n"
                "tips predict yolox.onnx --boxes yolox street.jpg --detections results.json\n",
};
