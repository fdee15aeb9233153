/* tips eval: how right a model is, and how much its answers depend on where the picture lies. */
#ifndef TIPS_EVALUATE_EVALUATE_H
#define TIPS_EVALUATE_EVALUATE_H

#include <stdbool.h>

#include "core/json.h"
#include "data/dataset.h"
#include "evaluate/picture_change.h"
#include "evaluate/picture_values.h"
#include "metric/heatmap.h"
#include "metric/metric.h"
#include "model/input_options.h"
#include "model/model_options.h"
#include "shift/shift_protocol.h"
#include "task/found_tally.h"

/* As many pictures in the heat map as cost a third of what the rest does. */
enum { TIPS_GRID_FEW = -1 };

/* How a picture lies on the input under common standard shifts: it fills it and leaves it in part, or it is as much
 * smaller as the largest shift and stays whole. */
typedef enum tips_set_frame { TIPS_FRAME_BLACK, TIPS_FRAME_CANVAS } tips_set_frame;
extern const char *const tips__frame_names[]; /* "black", "canvas" */

/* Forward passes that one model will take. */
typedef struct tips_evaluate_cost {
    const char *model;
    int images, grid_images; /* pictures, and those of the heat map */
    double passes;           /* in all */
    double grid_passes;      /* of these for the heat map */
    double set_passes;       /* and for common shifts */
} tips_evaluate_cost;

typedef struct tips_evaluate_config {
    const char *models;         /* files parted by commas; NULL or "": one network of `network` with random weights */
    tips_model_options network; /* also the seed and the threads */
    tips_input_options input;   /* over what the models say */
    bool same_classes;          /* refuse data with another number of classes than the model, unless by name */
    const char *data;           /* see tips__dataset_open */
    int classes_limit;          /* the first classes only; 0: all */
    double val_split;           /* share of train that is validation data where the set has none; 0: the usual */
    bool whole;                 /* all pictures of a set that names no split, though a model learned from some */
    bool own_data;              /* the models were trained on it, whatever their files say */
    int split;                  /* tips_split; the validation data stands in for test data that is absent */
    int limit;                  /* pictures, evenly spread over the split; 0: all */
    int protocol;               /* index into tips__shift_protocols */
    int pairs;                  /* per picture; 0: the protocol's own */
    bool levels;                /* consistency by shift size */
    bool one_pixel;             /* where it is not: of one pixel alone, as far as no answer is needed for it or
                                 * the task's answers are masks */
    bool msb;
    int grid_images;                   /* of the heat map: the first of those evaluated; 0: none; or TIPS_GRID_FEW */
    bool full_grid;                    /* heat map over all pictures and every circular shift */
    const tips_picture_change *change; /* done to every picture first; a larger canvas is then not used. NULL: none */
    bool unshifted;                    /* no pairs of shifted views: their figures are not measured */
    int set_shifts;   /* common shifts, down and right each 0..set_shifts - 1, of tasks with figures of them; 0: none */
    int set_frame;    /* tips_set_frame: of standard ones */
    int on_bad_image; /* tips_on_bad_image */
    int batch;
    void (*cost)(void *context, const tips_evaluate_cost *cost); /* before a model runs; may be NULL */
    void (*progress)(void *context, const char *model, double done, double passes); /* may be NULL */
    /* Asked again and again; true ends the run with what there is. TIPS_INTERRUPTED where that is nothing. May be NULL.
     */
    bool (*stop)(void *context);
    void *context;
    /* Asked with `check_with` of every model once it is open, before its first picture; may be NULL. */
    tips_status (*check)(const void *check_with, const tips_loaded_model *model);
    const void *check_with;
} tips_evaluate_config;

/* The rows of a tips_evaluate_config itself; its input and its network have their own. */
extern const tips_option tips__evaluate_rows[];

/* Agreement of the answers to x and to x shifted by d pixels. */
typedef struct tips_level_result {
    int size;
    tips_figure consistency, fidelity;
} tips_level_result;

/* The task's own figures under common shifts of one size. */
typedef struct tips_set_level {
    int size;
    tips_figure own[TIPS_MOST_OWN_METRICS];
} tips_set_level;

/* What shifts of one kind did, besides the figures. */
typedef struct tips_shift_result {
    tips_level_result *levels; /* (n_levels), sizes 1.. */
    int n_levels;
    tips_set_level *set_levels; /* (n_set_levels), sizes 1.. */
    int n_set_levels;
    tips_heatmap heatmap; /* images 0 where there is none */
} tips_shift_result;

enum {
    TIPS_EVALUATE_NAME = 160,
    TIPS_EVALUATE_GRID = 200, /* usual number of pictures in a heat map */
    TIPS_EVALUATE_SET = 8     /* usual common shifts on each axis */
};

typedef struct tips_msb_result {
    char name[TIPS_EVALUATE_NAME];
    tips_figure msb, nontrivial;
    int64_t windows, nontrivial_windows;
} tips_msb_result;

/* The most frequent answer to the pictures as they are, and how many of them the most frequent right one is for; of
 * masks, the class of a pixel. Shares
 * in percent; not a number where a task's answers cannot be counted. */
typedef struct tips_frequent {
    double answer, label;
    bool of_pixels;
    int number;                    /* of the answer, as the task counts: of a class, which output it is */
    char name[TIPS_EVALUATE_NAME]; /* in words */
} tips_frequent;

/* Of one class of the model, where its task has figures of classes. */
typedef struct tips_class_result {
    char name[TIPS_EVALUATE_NAME];
    tips_figure figure;
} tips_class_result;

/* Which pictures figures are of, by one rule (docs/eval.md). */
typedef struct tips_pictures {
    int n, of; /* evaluated, and in all of this part of the set */
    tips_split split;
    bool whole;     /* of a set that names no split: all of it */
    bool held_out;  /* the training held them out of such a set, by seed */
    bool chosen_on; /* and chose its best epoch by them */
} tips_pictures;

/* How the classes of the data were matched with the model's outputs. */
typedef enum tips_class_rule {
    TIPS_CLASSES_BY_NAME,    /* the model, or --labels, has all of their names */
    TIPS_CLASSES_BY_WORDNET, /* they are ImageNet's, and the model has as many outputs as that */
    TIPS_CLASSES_BY_ORDER    /* a guess */
} tips_class_rule;
extern const char *const tips__class_rule_names[]; /* "name", "wordnet", "order", NULL */

typedef struct tips_class_map {
    tips_class_rule by;
    bool names_differ; /* the model has names, but not theirs */
    char **names;      /* (count): of the data */
    int *outputs;      /* (count) */
    int count;
} tips_class_map;
/* "Classes by order, which is a guess: cat -> 0, dog -> 1." with the first few of them. */
void tips__class_map_words(const tips_class_map *map, char *out, size_t size);

typedef struct tips_model_result {
    char *name; /* file, or what the random network is */
    bool is_random;
    char task[TIPS_EVALUATE_NAME], arch[TIPS_EVALUATE_NAME], pool[256], padding[16];
    int lpf, size[2], channels, classes;
    tips_input_facts input;
    int images;       /* evaluated */
    int wanted;       /* to be evaluated */
    bool interrupted; /* before all of them were; the figures are of those that were */
    tips_pictures pictures;
    tips_class_map class_map;
    bool lone_channel; /* see tips_loaded_model */
    bool saw_them;    /* pictures that it was trained on are among them */
    const char *stored; /* as in tips_model_info */
    int small[2];     /* height and width of its logits, where they were brought to the input's size; else 0 */
    tips_frequent frequent;
    tips_figures figures;      /* by metric */
    tips_picture_values each;  /* some of them, picture by picture */
    int set_shifts, set_frame; /* as in the config; 0 where there were none */
    tips_shift_result shift[TIPS_SHIFT_KINDS];
    tips_msb_result *layers; /* (n_layers) */
    int n_layers;
    double seconds;
    const tips_shift_protocol *protocol;
    char boxes[TIPS_EVALUATE_NAME]; /* the style of somebody's detector with its options; else "" */
    tips_found_tally found;         /* by that detector, on the pictures as they are */
    const char *border;             /* what standard shifts bring in: "black", "mean" or "grey", or "picture" and
                                     * black behind it where pictures are larger than the input */
    const char *class_metric;       /* what is measured of single classes, or NULL */
    tips_class_result *classes_own; /* (classes) then */
} tips_model_result;

typedef struct tips_evaluate_result {
    char *data;
    char *command;              /* that does the same again, or NULL */
    const char *format, *split; /* the split that was used; "all" of a set that is not divided */
    tips_split split_used;      /* its number in the dataset */
    bool interrupted;           /* a model, or before all models */
    const tips_shift_protocol *protocol;
    int pairs, seed, batch;
    bool val_is_test;
    int skipped;               /* unreadable pictures, over all models */
    tips_model_result *models; /* (n_models) */
    int n_models;
    bool several; /* models were asked for, even if fewer were evaluated */
    bool per_picture; /* what pictures came to one by one is written too */
    /* More fields of the object of model i in JSON, from whoever measured more; may be NULL. */
    void (*put_more)(const void *more, tips_json *json, int i);
    const void *more;
} tips_evaluate_result;

/* Which output of a model stands for each class of the data, as an evaluation has it, and what its outputs are called.
 */
typedef struct tips_evaluate_class_match {
    int *outputs; /* (classes of the data) */
    char **names; /* (count) */
    int count;    /* outputs of the model */
} tips_evaluate_class_match;
/* On success the match is the caller's, to be cleared. */
tips_status tips__evaluate_classes(const tips_evaluate_config *config, tips_dataset *set,
                                   const tips_loaded_model *model, tips_evaluate_class_match *out) TIPS_MUST_CHECK;
void tips__evaluate_classes_clear(tips_evaluate_class_match *match);

/* "all 80 pictures of photos, which names no split"; "5 validation pictures of photos, held out of its training
 * pictures: the same that chose the best epoch". `data` is what the set is called. */
void tips__pictures_words(const tips_pictures *pictures, const char *data, char *out, size_t size);
/* {"n": ..., "of": ..., "split": "test", "held_out": ..., "chosen_on": ..., "text": ...}. */
void tips__pictures_put(tips_json *json, const tips_pictures *pictures, const char *data);
/* What the set of a result is called: its path, else its format. */
const char *tips__evaluate_data(const tips_evaluate_result *result);

/* On success the result is the caller's, to be freed. Bits depend on neither batch nor threads. */
tips_status tips__evaluate_run(const tips_evaluate_config *config, tips_evaluate_result *out) TIPS_MUST_CHECK;
/* Whether the heat map is of every circular shift and so of all pictures, by option or protocol. */
bool tips__evaluate_has_full_grid(const tips_evaluate_config *config);
/* Refuses a number of pictures, other than the usual one, where it would do nothing. */
tips_status tips__evaluate_check_grid(const tips_evaluate_config *config) TIPS_MUST_CHECK;
/* The same in two steps, for those who need data and model for more than this. config->models is then the name of the
 * one model, which was opened with config->network and config->input. */
tips_status tips__evaluate_open_data(const tips_evaluate_config *config, tips_dataset **out) TIPS_MUST_CHECK;
/* The same for the one model of the config, which is open already. */
tips_status tips__evaluate_open_data_for(const tips_evaluate_config *config, const tips_loaded_model *model,
                                         tips_dataset **out) TIPS_MUST_CHECK;
tips_status tips__evaluate_open_model(const tips_evaluate_config *config, const tips_dataset *set, const char *path,
                                      tips_loaded_model *out) TIPS_MUST_CHECK;
tips_status tips__evaluate_open(const tips_evaluate_config *config, tips_dataset *set, const tips_loaded_model *model,
                                tips_evaluate_result *out) TIPS_MUST_CHECK;
void tips__evaluate_free(tips_evaluate_result *result);

#endif
