/* tips attack: how right and how stable a network stays when its pictures are attacked or corrupted. Each case - an
 * attack at one strength, a corruption at one severity - is an evaluation of its own with every picture changed first,
 * so it has the figures of tips eval. */
#ifndef TIPS_ATTACK_ATTACK_H
#define TIPS_ATTACK_ATTACK_H

#include "attack/attack_method.h"
#include "corrupt/corrupt.h"
#include "evaluate/evaluate.h"

/* What commands that attack have in common. */
typedef struct tips_attack_options {
    tips_option_list attacks, corruptions; /* texts of --attack and --corrupt */
    const char *frost;                     /* folder, or NULL */
    int constants;                         /* 0: by the size of the input; else 1 + tips_corruption_scale */
    int jpeg;                              /* quality that corrupted pictures are stored with; 0: not; -1: as the
                                              published set of the constants */
    bool shifts;                           /* the shift protocol on changed pictures */
} tips_attack_options;
extern const tips_option tips__attack_rows[];

/* Whether anything is asked for. */
bool tips__attack_is_wanted(const tips_attack_options *options);
/* The flags that say these options. */
void tips__attack_flags(tips_text *out, const tips_attack_options *options);
/* What is wrong with the texts, before anything is opened. */
tips_status tips__attack_check(const tips_attack_options *options) TIPS_MUST_CHECK;

/* Whether these attacks can be made on an open model, and what they need is there: tips_attack_options as the
 * `check` of an evaluation, so that it is told before the first picture. */
tips_status tips__attack_fits(const void *options, const tips_loaded_model *model) TIPS_MUST_CHECK;

enum { TIPS_CASE_NAME = 96, TIPS_CASE_TEXT = 256 };

typedef struct tips_attack_case {
    char name[TIPS_CASE_NAME]; /* "fgsm_linf_2_255", "gaussian_noise_3": unlike all others */
    char text[TIPS_CASE_TEXT]; /* as --attack or --corrupt takes it */
    int attack;                /* in the plan, or -1 */
    tips_strength strength;    /* of an attack */
    int corruption, severity;  /* in tips__corruptions, or -1 */
} tips_attack_case;

/* All cases in order: attacks by strength, then corruptions by severity. */
typedef struct tips_attack_plan {
    tips_attack_spec *attacks; /* (n_attacks) */
    int n_attacks;
    tips_attack_case *cases; /* (count) */
    int count;
    int size[2]; /* height and width of the inputs */
    tips_corruption_scale scale;
    int jpeg;        /* quality; 0: not stored */
    bool with_frost; /* pictures of frost are there */
} tips_attack_plan;

/* For inputs of that height and width. */
tips_status tips__attack_plan(const tips_attack_options *options, const int size[2],
                              tips_attack_plan *out) TIPS_MUST_CHECK;
void tips__attack_plan_clear(tips_attack_plan *plan);
/* The strength of an attack's case in the unit of the usual ones, so that the cases of an attack can be compared. */
double tips__attack_strength(const tips_attack_plan *plan, const tips_attack_case *one);

/* Over all severities of one corruption; percent, not a number where something was not measured. */
typedef struct tips_corruption_result {
    double error[TIPS_SEVERITIES];
    double mean;         /* of these */
    double ce, relative; /* over AlexNet's */
} tips_corruption_result;

/* Errors are 100 minus the main metric of the task. */
typedef struct tips_corruption_summary {
    tips_corruption_result rows[TIPS_CORRUPTIONS];
    double error;                          /* mean over the usual corruptions that were measured whole */
    double groups[TIPS_CORRUPT_GROUPS];    /* the same of each group */
    double mce, relative;                  /* mean CE, and of the errors beyond the clean one */
    double group_mce[TIPS_CORRUPT_GROUPS]; /* of each group */
    int measured;                          /* usual corruptions in `error` */
    int counted;                           /* in `mce`: 15, or 14 without pictures of frost; 0: there is none */
} tips_corruption_summary;

typedef struct tips_attack_result {
    tips_attack_plan plan;
    tips_evaluate_result clean; /* of one model, unchanged; where it was not given */
    tips_figures clean_figures;
    tips_figures *figures; /* (plan.count): of the cases; `done` of them */
    int *images;           /* (plan.count): pictures of each */
    int done;
    tips_corruption_summary summary;
    bool interrupted; /* before all cases were done */
    double seconds;
} tips_attack_result;

typedef struct tips_attack_config {
    const tips_attack_options *options;
    tips_evaluate_config evaluate; /* data, limit, shifts, seed, input, progress; of one model */
    const char *charts;            /* folder for curves, made before the first picture; or NULL */
    const char *examples;          /* file for pictures of what was done, or NULL */
    int example_count;
} tips_attack_config;

/* Opens data and model itself. On success the result is the caller's, to be freed. */
tips_status tips__attack_run(const tips_attack_config *config, tips_attack_result *out) TIPS_MUST_CHECK;
/* The same with what is open; `clean` are the model's figures where they are known, else NULL. */
tips_status tips__attack_open(const tips_attack_config *config, tips_dataset *set, const tips_loaded_model *model,
                              const tips_figures *clean, tips_attack_result *out) TIPS_MUST_CHECK;
void tips__attack_free(tips_attack_result *result);

/* The same of each model of an evaluation that `config` made; nothing if nothing is asked for. The JSON of the
 * evaluation then has it too, so `out` must stay where it is as long as `evaluated` does. */
typedef struct tips_attacked {
    tips_attack_result *models; /* (count); those behind an interruption have no cases */
    int count;
} tips_attacked;
tips_status tips__attack_evaluated(const tips_attack_options *options, const tips_evaluate_config *config,
                                   tips_evaluate_result *evaluated, tips_attacked *out) TIPS_MUST_CHECK;
void tips__attacked_free(tips_attacked *attacked);

/* Figure number i of all that can be required: a case's main metric by the case's name, its others as NAME:METRIC, mean
 * errors of corruptions as gaussian_noise_error, and mce, relative_mce and corruption_error. False behind the last. The
 * value is not a number before it is measured. */
typedef struct tips_attack_figure {
    char name[TIPS_CASE_NAME + 64];
    tips_figure figure;
    const char *unit; /* "%" of what lies in 0..100, else "" */
    tips_better better;
} tips_attack_figure;
bool tips__attack_figure(const tips_attack_plan *plan, const tips_metric *task, const tips_attack_result *result, int i,
                         tips_attack_figure *out);

#endif
