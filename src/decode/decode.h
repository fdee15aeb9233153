/* What the outputs of somebody's detector mean: from arrays to boxes with scores and classes. A style is one file and
 * one line in decode_styles.def; `--boxes NAME[:KEY=VALUE,...]` chooses it, and where nobody does, names and shapes of
 * the outputs tell it as far as they can. */
#ifndef TIPS_DECODE_DECODE_H
#define TIPS_DECODE_DECODE_H

#include "box/box.h"
#include "core/option.h"
#include "dynamic/array.h"

/* What a network and the program behind it put out for one picture. */
typedef struct tips_raw_boxes {
    const tips_array *arrays; /* (n) */
    const char *const *names; /* (n) */
    int n;
    int size[2]; /* height and width of the input */
} tips_raw_boxes;

/* Boxes in pixels of the input. */
typedef struct tips_found {
    tips_candidate *rows; /* (count) */
    int count, capacity;
} tips_found;
void tips__found_clear(tips_found *found);
/* Adds a box whose numbers are finite; others say nothing. */
tips_status tips__found_add(tips_found *found, const tips_corners *box, double score, int label) TIPS_MUST_CHECK;

/* What the config of each style begins with. */
typedef struct tips_decode_common {
    double score;   /* boxes below it are left out */
    double overlap; /* boxes of one class that overlap more are one; 1: they were suppressed already */
    int most;       /* boxes of a picture */
} tips_decode_common;
extern const tips_option tips__decode_rows[];
/* The same with nothing suppressed, for what was already. */
extern const tips_option tips__decode_done_rows[];

enum { TIPS_DECODE_CONFIG_BYTES = 64 };
#define TIPS_DECODE_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_DECODE_CONFIG_BYTES, "the config of a style is too large")

/* How pictures usually become the input of such a detector: fitted with their aspect at the top left on black, in 0..1,
 * red first, unless said otherwise. */
typedef struct tips_decode_input {
    float mean[3], std[3]; /* of pixels in 0..255, in the order of the channels; std 0: 255 */
    bool bgr, grey, centre, stretch;
    const char *letterbox; /* whose rule fits pictures, as --letterbox names it; NULL: torchvision's */
} tips_decode_input;

typedef struct tips_decode_style {
    const char *name, *brief;
    const tips_option *options; /* closed by TIPS_OPT_END */
    tips_decode_input input;
    /* Whether outputs of these names and shapes look like it; NULL: it has to be named. */
    bool (*fits)(const tips_raw_boxes *raw);
    /* How many classes there are; an error says what is not as it should be. */
    tips_status (*classes)(const void *config, const tips_raw_boxes *raw, int *classes);
    tips_status (*decode)(const void *config, const tips_raw_boxes *raw, tips_found *found);
} tips_decode_style;

/* All of them, NULL-terminated; the first that fits is taken. */
extern const tips_decode_style *const tips__decode_styles[];

/* A style with its options, as written: "yolo8:score=0.25". */
typedef struct tips_decode_spec {
    const tips_decode_style *style;
    bool guessed; /* from the outputs, given by nobody */
    union {
        unsigned char bytes[TIPS_DECODE_CONFIG_BYTES];
        double align;
    } config;
} tips_decode_spec;

/* An unknown name suggests the nearest. */
tips_status tips__decode_parse(const char *text, tips_decode_spec *out) TIPS_MUST_CHECK;
/* From the outputs: `raw` need not hold numbers that mean anything. */
tips_status tips__decode_guess(const tips_raw_boxes *raw, tips_decode_spec *out) TIPS_MUST_CHECK;
void tips__decode_format(const tips_decode_spec *spec, char *out, size_t size);
/* The boxes, best first, with those left out that others cover. *found is the caller's to clear, whatever the status.
 */
tips_status tips__decode(const tips_decode_spec *spec, const tips_raw_boxes *raw, tips_found *found) TIPS_MUST_CHECK;

#endif
