/* The options of a training run: rows for commands and recipes, and where their values come from. */
#ifndef TIPS_TRAIN_TRAIN_OPTIONS_H
#define TIPS_TRAIN_TRAIN_OPTIONS_H

#include "core/yaml.h"
#include "data/loader.h"
#include "model/model_options.h"
#include "train/schedule.h"
#include "train/settings.h"

typedef enum tips_val_set { TIPS_VAL_OWN, TIPS_VAL_TEST } tips_val_set;
typedef enum tips_on_bad_image { TIPS_BAD_STOP, TIPS_BAD_SKIP } tips_on_bad_image;
extern const char *const tips__val_set_names[], *const tips__on_bad_names[];

typedef struct tips_train_config {
    tips_model_options model; /* size 0: from the data; classes and channels are the data's */
    const char *data;         /* NULL: the default data */
    const char *out;          /* folder */
    const char *init, *weights, *teacher;
    double teaching, temperature; /* the teacher's part of the task, and how much answers are softened */
    bool freeze; /* train the operators alone */
    bool resume;
    int epochs, batch;
    tips_schedule schedule; /* its epochs are those above */
    const char *optimizer; /* "adamw:beta2=0.99" */
    double momentum, weight_decay;
    bool exempt_norms;
    double alpha, eps, clip, smoothing;
    int patience;
    tips_augment augment;
    int resize;
    int train_limit, classes_limit;
    double val_split;
    int val_set, on_bad_image;
    double save_every; /* minutes */
    int workers;
} tips_train_config;

/* Rows for `member`, a tips_train_config in `config_type`: where from, where to, what. */
#define TIPS_TRAIN_DATA_ROWS(config_type, member)                                                                     \
    {.name = "data",                                                                                                  \
     .type = TIPS_OPT_TEXT,                                                                                           \
     .offset = offsetof(config_type, member.data),                                                                    \
     .metavar = "SPEC",                                                                                               \
     .help = "pictures to learn from: a path, format:path or shapes; Fashion-MNIST if it is installed, else shapes"}, \
        {.name = "out",                                                                                               \
         .type = TIPS_OPT_TEXT,                                                                                       \
         .offset = offsetof(config_type, member.out),                                                                 \
         .metavar = "DIR",                                                                                            \
         .help = "folder for models, log, resolved options and checkpoint"},                                          \
        {.name = "size",                                                                                              \
         .type = TIPS_OPT_PAIR,                                                                                       \
         .offset = offsetof(config_type, member.model.size),                                                          \
         .fallback = "0",                                                                                             \
         .min = 0,                                                                                                    \
         .max = 4096,                                                                                                 \
         .metavar = "H[xW]",                                                                                          \
         .help = "height and width of the input; 0 means the pictures' size, padded with black to a multiple of the " \
                 "network's stride (28 becomes 32), or 224 where sizes differ"},                                      \
        {.name = "resize",                                                                                            \
         .type = TIPS_OPT_INT,                                                                                        \
         .offset = offsetof(config_type, member.resize),                                                              \
         .fallback = "0",                                                                                             \
         .min = 0,                                                                                                    \
         .max = 4096,                                                                                                 \
         .help = "shorter side that pictures are resized to before the centre is cut out; 0 means the input's size"}, \
        {.name = "train-limit",                                                                                       \
         .type = TIPS_OPT_INT,                                                                                        \
         .offset = offsetof(config_type, member.train_limit),                                                         \
         .fallback = "0",                                                                                             \
         .min = 0,                                                                                                    \
         .max = 2147483647,                                                                                           \
         .help = "training pictures to use; 0 means all"},                                                            \
        {.name = "classes-limit",                                                                                     \
         .type = TIPS_OPT_INT,                                                                                        \
         .offset = offsetof(config_type, member.classes_limit),                                                       \
         .fallback = "0",                                                                                             \
         .min = 0,                                                                                                    \
         .max = 100000,                                                                                               \
         .help = "use the first classes only; 0 means all"},                                                          \
        {.name = "val-split",                                                                                         \
         .type = TIPS_OPT_FLOAT,                                                                                      \
         .offset = offsetof(config_type, member.val_split),                                                           \
         .fallback = "0.1",                                                                                           \
         .min = 0.001,                                                                                                \
         .max = 0.9,                                                                                                  \
         .help = "share of the training pictures held out, by seed, where the data have no validation set"},          \
        {.name = "val-set",                                                                                           \
         .type = TIPS_OPT_CHOICE,                                                                                     \
         .offset = offsetof(config_type, member.val_set),                                                             \
         .fallback = "own",                                                                                           \
         .choices = tips__val_set_names,                                                                              \
         .help = "what the best model is chosen on; test is the paper's practice and is said in every result"},       \
        {.name = "on-bad-image",                                                                                      \
         .type = TIPS_OPT_CHOICE,                                                                                     \
         .offset = offsetof(config_type, member.on_bad_image),                                                        \
         .fallback = "stop",                                                                                          \
         .choices = tips__on_bad_names,                                                                               \
         .help = "what to do with pictures that cannot be read"},                                                     \
    {                                                                                                                 \
        .name = "workers", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.workers), .fallback = "1",    \
        .min = 1, .max = 64, .help = "threads that read pictures ahead"                                               \
    }

/* How it learns. */
#define TIPS_TRAIN_SGD_ROWS(config_type, member)                                                                       \
    {.name = "epochs",                                                                                                 \
     .type = TIPS_OPT_INT,                                                                                             \
     .offset = offsetof(config_type, member.epochs),                                                                   \
     .fallback = "10",                                                                                                 \
     .min = 1,                                                                                                         \
     .max = 100000,                                                                                                    \
     .help = "passes over the training pictures"},                                                                     \
        {.name = "batch",                                                                                              \
         .type = TIPS_OPT_INT,                                                                                         \
         .offset = offsetof(config_type, member.batch),                                                                \
         .fallback = "64",                                                                                             \
         .min = 1,                                                                                                     \
         .max = 4096,                                                                                                  \
         .help = "pictures in a step"},                                                                                \
        {.name = "optimizer",                                                                                          \
         .type = TIPS_OPT_TEXT,                                                                                        \
         .offset = offsetof(config_type, member.optimizer),                                                            \
         .fallback = "sgd",                                                                                            \
         .metavar = "NAME[:KEY=VALUE,...]",                                                                            \
         .help = "how gradients become steps; 'tips list optimizers' names the optimisers, their options, and the "    \
                 "--lr and --weight-decay that each has if nothing else is said"},                                     \
        {.name = "lr",                                                                                                 \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.schedule.lr),                                                          \
         .fallback = "0.05",                                                                                           \
         .min = 0,                                                                                                     \
         .max = 1e6,                                                                                                   \
         .help = "learning rate at the start"},                                                                        \
        {.name = "momentum",                                                                                           \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.momentum),                                                             \
         .fallback = "0.9",                                                                                            \
         .min = 0,                                                                                                     \
         .max = 1,                                                                                                     \
         .help = "momentum of SGD; AdamW has its option beta1 instead"},                                               \
        {.name = "weight-decay",                                                                                       \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.weight_decay),                                                         \
         .fallback = "1e-4",                                                                                           \
         .min = 0,                                                                                                     \
         .max = 10,                                                                                                    \
         .help = "weight decay"},                                                                                      \
        {.name = "exempt-norms",                                                                                       \
         .type = TIPS_OPT_BOOL,                                                                                        \
         .offset = offsetof(config_type, member.exempt_norms),                                                         \
         .fallback = "false",                                                                                          \
         .help = "norms and biases do not decay"},                                                                     \
        {.name = "schedule",                                                                                           \
         .type = TIPS_OPT_CHOICE,                                                                                      \
         .offset = offsetof(config_type, member.schedule.kind),                                                        \
         .fallback = "step",                                                                                           \
         .choices = tips__schedule_names,                                                                              \
         .help = "how the learning rate falls"},                                                                       \
        {.name = "step-size",                                                                                          \
         .type = TIPS_OPT_INT,                                                                                         \
         .offset = offsetof(config_type, member.schedule.step_size),                                                   \
         .fallback = "0",                                                                                              \
         .min = 0,                                                                                                     \
         .max = 100000,                                                                                                \
         .help = "step schedule: epochs between two drops; 0 means a third of the run"},                               \
        {.name = "gamma",                                                                                              \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.schedule.gamma),                                                       \
         .fallback = "0.1",                                                                                            \
         .min = 0,                                                                                                     \
         .max = 1,                                                                                                     \
         .help = "step schedule: factor of a drop"},                                                                   \
        {.name = "warmup",                                                                                             \
         .type = TIPS_OPT_INT,                                                                                         \
         .offset = offsetof(config_type, member.schedule.warmup),                                                      \
         .fallback = "0",                                                                                              \
         .min = 0,                                                                                                     \
         .max = 100000,                                                                                                \
         .help = "epochs in which the learning rate rises to its start"},                                              \
        {.name = "alpha",                                                                                              \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.alpha),                                                                \
         .fallback = "0.35",                                                                                           \
         .min = 0,                                                                                                     \
         .max = 1,                                                                                                     \
         .help = "weight of L_undo; the task has 1 - alpha. Operators without losses ignore it"},                      \
        {.name = "eps",                                                                                                \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.eps),                                                                  \
         .fallback = "0.4",                                                                                            \
         .min = 0,                                                                                                     \
         .max = 1,                                                                                                     \
         .help = "share of the epochs before L_undo counts"},                                                          \
        {.name = "clip",                                                                                               \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.clip),                                                                 \
         .fallback = "0",                                                                                              \
         .min = 0,                                                                                                     \
         .max = 1e6,                                                                                                   \
         .help = "largest norm of the gradients; 0 means any"},                                                        \
        {.name = "smoothing",                                                                                          \
         .type = TIPS_OPT_FLOAT,                                                                                       \
         .offset = offsetof(config_type, member.smoothing),                                                            \
         .fallback = "0",                                                                                              \
         .min = 0,                                                                                                     \
         .max = 0.999,                                                                                                 \
         .help = "label smoothing"},                                                                                   \
    {                                                                                                                  \
        .name = "patience", .type = TIPS_OPT_INT, .offset = offsetof(config_type, member.patience), .fallback = "0",   \
        .min = 0, .max = 100000,                                                                                       \
        .help = "stop after so many epochs without a better validation loss, counted from eps of the run on; 0 means " \
                "never"                                                                                                \
    }

/* What happens to the pictures, and how the run is kept. */
#define TIPS_TRAIN_RUN_ROWS(config_type, member)                                                                      \
    {.name = "flip",                                                                                                  \
     .type = TIPS_OPT_BOOL,                                                                                           \
     .offset = offsetof(config_type, member.augment.flip),                                                            \
     .fallback = "false",                                                                                             \
     .help = "flip half of the training pictures left to right"},                                                     \
        {.name = "crop",                                                                                              \
         .type = TIPS_OPT_INT,                                                                                        \
         .offset = offsetof(config_type, member.augment.crop),                                                        \
         .fallback = "0",                                                                                             \
         .min = 0,                                                                                                    \
         .max = 512,                                                                                                  \
         .help = "pad training pictures by so many pixels and crop them at random"},                                  \
        {.name = "shift",                                                                                             \
         .type = TIPS_OPT_CHOICE,                                                                                     \
         .offset = offsetof(config_type, member.augment.shift),                                                       \
         .fallback = "none",                                                                                          \
         .choices = tips__shift_kind_names,                                                                           \
         .help = "shift training pictures at random by up to an eighth of their size"},                               \
        {.name = "init",                                                                                              \
         .type = TIPS_OPT_TEXT,                                                                                       \
         .offset = offsetof(config_type, member.init),                                                                \
         .metavar = "MODEL",                                                                                          \
         .help = "start from a model: its network, unless options say otherwise, its weights and normalisation; "     \
                 "networks from elsewhere take small steps (--lr 0.01 --schedule cosine --clip 1 --eps 0) if "        \
                 "nothing else is said"},                                                                             \
        {.name = "weights",                                                                                           \
         .type = TIPS_OPT_TEXT,                                                                                       \
         .offset = offsetof(config_type, member.weights),                                                             \
         .metavar = "FILE",                                                                                           \
         .help = "start from weights by name, torchvision's for instance; a classifier of another size is left out"}, \
        {.name = "teacher",                                                                                           \
         .type = TIPS_OPT_TEXT,                                                                                       \
         .offset = offsetof(config_type, member.teacher),                                                             \
         .metavar = "MODEL",                                                                                          \
         .help = "learn from this network's answers to the same pictures too: the original of a converted network"},  \
        {.name = "teaching",                                                                                          \
         .type = TIPS_OPT_FLOAT,                                                                                      \
         .offset = offsetof(config_type, member.teaching),                                                            \
         .fallback = "0.9",                                                                                           \
         .min = 0,                                                                                                    \
         .max = 1,                                                                                                    \
         .help = "the teacher's part of the task; the labels have the rest"},                                         \
        {.name = "temperature",                                                                                       \
         .type = TIPS_OPT_FLOAT,                                                                                      \
         .offset = offsetof(config_type, member.temperature),                                                         \
         .fallback = "4",                                                                                             \
         .min = 0.01,                                                                                                 \
         .max = 1000,                                                                                                 \
         .help = "how much the answers of both are softened before they are compared"},                               \
        {.name = "freeze",                                                                                            \
         .type = TIPS_OPT_BOOL,                                                                                       \
         .offset = offsetof(config_type, member.freeze),                                                              \
         .fallback = "false",                                                                                         \
         .help = "train the parameters of the pooling operators alone and leave all others as they are"},             \
    {                                                                                                                 \
        .name = "save-every", .type = TIPS_OPT_FLOAT, .offset = offsetof(config_type, member.save_every),             \
        .fallback = "10", .min = 0, .max = 1e6, .metavar = "MINUTES",                                                 \
        .help = "minutes between checkpoints within an epoch; 0 means at its end only"                                \
    }

#define TIPS_TRAIN_RESUME_ROW(config_type, member)                                                                    \
    {                                                                                                                 \
        .name = "resume", .type = TIPS_OPT_BOOL, .offset = offsetof(config_type, member.resume), .fallback = "false", \
        .help = "go on with the run in --out, with the options it began with"                                         \
    }

#define TIPS_TRAIN_ROWS(config_type, member)                                                    \
    TIPS_TRAIN_DATA_ROWS(config_type, member), TIPS_MODEL_CORE_ROWS(config_type, member.model), \
        TIPS_TRAIN_SGD_ROWS(config_type, member), TIPS_TRAIN_RUN_ROWS(config_type, member)

/* The rows of a tips_train_config itself. */
extern const tips_option tips__train_options[];

/* Values from elsewhere than the command line, in rising order: the checkpoint of a run that goes on, the model to
 * start from, a recipe. Texts in a config borrow from here. */
typedef struct tips_train_sources {
    tips_settings checkpoint, model;
    tips_yaml *recipe;
} tips_train_sources;

/* `given` is the command line alone; `recipe` may be NULL. Fills `sources` and sets the rows of `table` in `config`. */
tips_status tips__train_preset(const tips_train_config *given, const char *recipe, const tips_option *table,
                               void *config, tips_train_sources *sources) TIPS_MUST_CHECK;
void tips__train_sources_clear(tips_train_sources *sources);

/* The options that make a run what it is: all but where it is kept and how it is watched. */
tips_status tips__train_settings(const tips_train_config *config, tips_settings *settings) TIPS_MUST_CHECK;

#endif
