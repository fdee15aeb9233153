/* The parts of tips eval: pictures in chunks, the views of each, answers to them, counts, figures. */
#ifndef TIPS_EVALUATE_EVALUATE_PARTS_H
#define TIPS_EVALUATE_EVALUATE_PARTS_H

#include "core/pile.h"
#include "evaluate/evaluate.h"
#include "metric/msb.h"
#include "model/open_model.h"
#include "task/tally.h"
#include "view/answerer.h"

/* Which answers a picture needs, in order: unshifted; pairs of both kinds; sizes 0.. of both; common shifts of both;
 * grids of both. */
typedef struct eval_layout {
    int pair_views, level_views[TIPS_SHIFT_KINDS], cells[TIPS_SHIFT_KINDS];
    int set_views; /* of a kind */
    int pairs_at[TIPS_SHIFT_KINDS], levels_at[TIPS_SHIFT_KINDS], sets_at[TIPS_SHIFT_KINDS], grid_at[TIPS_SHIFT_KINDS];
    int usual, total; /* views of a picture without and with the grids */
} eval_layout;

typedef struct eval_view {
    int kind; /* TIPS_STANDARD, TIPS_CIRCULAR */
    int shift[2];
    bool plain;  /* no canvas, no shift */
    bool set;    /* one of the common shifts, on the input itself */
    bool framed; /* the same with a smaller picture */
} eval_view;

/* Pictures that are looked at together. */
typedef struct eval_chunk {
    int count;
    int *index;                /* (chunk_size): in the dataset */
    tips_bytes *target;        /* (chunk_size) */
    tips_bytes *framed_target; /* (chunk_size): of the smaller pictures, or NULL */
    tips_status *status;       /* (chunk_size): of decoding */
    uint8_t *canvas;           /* (chunk_size, h, w, c) */
    uint8_t *large;            /* (chunk_size, ch, cw, c): the protocol's larger canvas, or NULL */
    float *planes;             /* (chunk_size, c, h, w): the pictures as a change left them, or NULL */
    uint8_t *framed;           /* (chunk_size, h, w, c): smaller pictures, or NULL */
    uint8_t *window;           /* (batch, h, w, c): of the larger canvas, one for each place in the batch */
    tips_pile answers;         /* (count, views): of the first views of every picture */
    int views;
    tips_bytes answer; /* the one at hand */
} eval_chunk;

/* What is kept of every picture. */
typedef struct eval_counts {
    int images;
    tips_tally tally;                         /* of the unshifted pictures */
    tips_pair_count *pairs[TIPS_SHIFT_KINDS]; /* (images) */
    tips_agreement *levels[TIPS_SHIFT_KINDS]; /* (sizes 1.., images) */
    tips_agreement *worst[TIPS_SHIFT_KINDS];  /* (grid_images): over the heat map */
    tips_heatmap heatmap[TIPS_SHIFT_KINDS];
    tips_pile sets[TIPS_SHIFT_KINDS]; /* (images, set_views): scores under common shifts */
    tips_msb_count *msb;              /* (images, layers) */
    int *answers, *labels; /* (images): numbers of the answers to the unshifted pictures and of the right ones */
    tips_pile firsts;      /* (images): those answers */
    int64_t answered[256], labelled[256]; /* of masks: pixels of each class, where the right one is known */
    tips_found_tally found;
} eval_counts;

typedef struct eval_session {
    const tips_evaluate_config *config;
    const char *name;
    tips_dataset *set;
    tips_split split;
    int images, grid_images;
    int chunk_size; /* most pictures in a chunk, at most a batch */
    const tips_loaded_model *model;
    const tips_task *task; /* the model's */
    int *outputs;          /* (classes of the data): the model's output for each */
    tips_class_rule matched;
    bool names_differ; /* see tips_class_map */
    char **names;      /* (classes of the model): of its outputs */
    tips_shift_plan plan;
    tips_shift_range grid[TIPS_SHIFT_KINDS];
    tips_shift_range set_range; /* common shifts */
    eval_layout layout;
    tips_answerer *answerer;
    tips_net *kept_net; /* for MSB: every value stays */
    int kept_batch;
    float *kept_input; /* (kept_batch, c, h, w) */
    tips_msb_layer *msb_layers;
    int n_msb_layers;
    eval_chunk chunk;
    eval_counts counts;
    double done, passes;
    bool interrupted;
} eval_session;

/* evaluate.c: which pictures; one model, cleared on failure; what is the same for all models. */
tips_status tips__eval_split(const tips_evaluate_config *config, tips_dataset *set, tips_split *out) TIPS_MUST_CHECK;
tips_status tips__eval_model(const tips_evaluate_config *config, tips_dataset *set, const char *path,
                             const tips_loaded_model *model, tips_model_result *out) TIPS_MUST_CHECK;
tips_status tips__eval_sum_up(const tips_evaluate_config *config, tips_dataset *set,
                              tips_evaluate_result *result) TIPS_MUST_CHECK;

/* evaluate_each.c: what pictures came to one by one; before answers are sorted. */
tips_status tips__eval_each(const eval_session *s, tips_picture_values *out) TIPS_MUST_CHECK;

/* evaluate_session.c */
tips_status tips__eval_session_create(eval_session *s) TIPS_MUST_CHECK; /* set, split and model are given */
void tips__eval_session_destroy(eval_session *s);
/* The pictures from `first` on: decoded into the chunk, unreadable ones left out. */
tips_status tips__eval_load_chunk(eval_session *s, int first, int count) TIPS_MUST_CHECK;

/* evaluate_classes.c: which of the model's outputs is which class of the data. */
tips_status tips__eval_match_classes(eval_session *s) TIPS_MUST_CHECK;

/* evaluate_class_map.c: what came of that, as results keep it. */
tips_status tips__eval_class_map(const eval_session *s, tips_class_map *out) TIPS_MUST_CHECK;
void tips__class_map_clear(tips_class_map *map);
/* evaluate_names.c: behind that, what the outputs are called; and both freed. */
tips_status tips__eval_name_outputs(eval_session *s) TIPS_MUST_CHECK;
void tips__eval_forget_names(eval_session *s);

/* evaluate_views.c */
eval_layout tips__eval_layout(const eval_session *s);
eval_view tips__eval_view(const eval_session *s, int image, int view);
/* Answers to the first `views` views of every picture of the chunk. */
tips_status tips__eval_answer_chunk(eval_session *s, int views) TIPS_MUST_CHECK;
/* View `view` of picture `slot` of the chunk; `place` of a batch has a window of its own. */
void tips__eval_fill(const eval_session *s, int slot, int view, int place, float *out);

/* evaluate_count.c */
tips_status tips__eval_count_chunk(eval_session *s, bool with_grid) TIPS_MUST_CHECK;
tips_status tips__eval_count_msb(eval_session *s) TIPS_MUST_CHECK; /* before the chunk is counted */
/* Hands the heat maps over. */
tips_status tips__eval_figures(eval_session *s, tips_model_result *out) TIPS_MUST_CHECK;

/* evaluate_sets.c: common shifts. How a smaller picture is made, and what of it lies on the input; what a picture of
 * the chunk counts for; figures. */
bool tips__eval_has_frame(const eval_session *s);
tips_preprocess tips__eval_smaller(const eval_session *s);
tips_status tips__eval_check_sets(const eval_session *s) TIPS_MUST_CHECK;
tips_status tips__eval_frame(const eval_session *s, const tips_image *picture, uint8_t *canvas) TIPS_MUST_CHECK;
tips_status tips__eval_count_sets(eval_session *s, int slot) TIPS_MUST_CHECK;
tips_status tips__eval_set_figures(const eval_session *s, int kind, tips_model_result *out) TIPS_MUST_CHECK;

/* evaluate_frequent.c: notes the answer to a picture that is being counted; sums up. */
tips_status tips__eval_note_answer(eval_session *s, int slot, int image) TIPS_MUST_CHECK;
tips_status tips__eval_frequent(eval_session *s, tips_frequent *out) TIPS_MUST_CHECK;
/* evaluate_own.c: whether the model learned from pictures of this evaluation. */
bool tips__eval_saw_them(const eval_session *s);
/* How the set is opened, so that the pictures are those of the rule. `model`: the one of the config, NULL where its
 * models have to be looked at. */
tips_dataset_options tips__eval_data_options(const tips_evaluate_config *config, const tips_loaded_model *model);
tips_pictures tips__eval_pictures(const eval_session *s);

void tips__model_result_clear(tips_model_result *result);

#endif
