/* What an attack is: a way to change pictures by a strength. One file and one line in attacks.def each. */
#ifndef TIPS_ATTACK_ATTACK_METHOD_H
#define TIPS_ATTACK_ATTACK_METHOD_H

#include "attack/gradient_net.h"
#include "core/option.h"

enum { TIPS_ATTACK_CONFIG_BYTES = 64, TIPS_MOST_STRENGTHS = 32, TIPS_STRENGTH_TEXT = 32 };

#define TIPS_ATTACK_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_ATTACK_CONFIG_BYTES, "the config of an attack is too large")

/* How much may change, as it was written: "2/255". */
typedef struct tips_strength {
    double value;
    char text[TIPS_STRENGTH_TEXT];
} tips_strength;

/* One strength of an attack, at work on some pictures. */
typedef struct tips_attack_job {
    const void *config;
    double strength;
    const tips_loaded_model *model;
    tips_gradient_net *gradients; /* NULL where the method has no use for them */
    uint64_t seed;
    /* After every `passes` passes of a picture, forward or backward: an error ends the work. */
    tips_status (*tick)(void *context, double passes);
    void *context;
} tips_attack_job;

typedef struct tips_attack_method {
    const char *name, *brief;
    const tips_option *options; /* closed by TIPS_OPT_END */
    size_t config_size;
    const char *strength; /* what the option is called that says how much, a TEXT row: "eps" */
    bool gradients;       /* it follows them */
    /* What tells two of a kind apart in names, "linf"; "" if nothing does. */
    const char *(*variant)(const void *config);
    /* The strengths of a curve for inputs of that height and width, the weakest first. Returns how many. */
    int (*usual)(const void *config, const int size[2], tips_strength *out);
    /* The unit of the usual strengths, where one may be written in another; for inputs of that height and width. NULL:
     * there is no other. */
    double (*in_usual_unit)(const tips_strength *strength, const int size[2]);
    /* What a chart says of the strength, and what it is multiplied with there. */
    const char *(*axis)(const void *config, double *scale);
    /* Whether a strength makes sense; for inputs of that height and width, or NULL before they are known. */
    tips_status (*check)(const void *config, const tips_strength *strength, const int size[2]);
    double (*passes)(const void *config); /* that a picture takes, forward and backward */
    tips_status (*apply)(const tips_attack_job *job, const tips_changed_pictures *pictures);
} tips_attack_method;

/* All of them, NULL-terminated. */
extern const tips_attack_method *const tips__attack_methods[];

/* An attack as it is written: "pgd:norm=l2,eps=0.5+1,steps=20". */
typedef struct tips_attack_spec {
    const tips_attack_method *method;
    union {
        unsigned char bytes[TIPS_ATTACK_CONFIG_BYTES];
        double align;
    } config;
    tips_strength strengths[TIPS_MOST_STRENGTHS];
    int n_strengths; /* 0: the usual ones */
} tips_attack_spec;

tips_status tips__attack_parse(const char *text, tips_attack_spec *out) TIPS_MUST_CHECK;
/* The same attack at one strength, as a user would write it. */
void tips__attack_format(const tips_attack_spec *spec, const tips_strength *strength, char *out, size_t size);
/* "0.5", "2/255": false if it is neither a number nor one over another. */
bool tips__fraction_parse(const char *text, double *out);

#endif
