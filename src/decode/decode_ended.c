/* Detectors whose graph ends with the boxes one by one, as YOLO is exported with its suppression: rows of corners,
 * score and class (n, boxes, 6), or of the picture's number, corners, class and score (boxes, 7). */
#include "decode/decode_parts.h"

typedef struct ended_config {
    tips_decode_common common;
    int classes;
} ended_config;
TIPS_DECODE_CHECK_CONFIG(ended_config);

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_done_rows},
    {.name = "classes",
     .type = TIPS_OPT_INT,
     .offset = offsetof(ended_config, classes),
     .fallback = "80",
     .min = 1,
     .max = 100000,
     .help = "classes, which the outputs do not tell"},
    {.type = TIPS_OPT_END},
};

enum { WITH_SCORE = 6, WITH_NUMBER = 7 };

static tips_status need_rows(const tips_raw_boxes *raw, tips_table *out) {
    TIPS_TRY(tips__decode_only(raw, WITH_SCORE, "rows of corners, score and class", out));
    if (out->columns > WITH_NUMBER)
        TIPS_FAIL(TIPS_SHAPE, "its output '%.80s' has rows of %lld numbers, not of 6 or 7", raw->names[0],
                  (long long)out->columns);
    return TIPS_OK;
}

/* With 6 or 7 numbers a row could be a detector of one or two classes; then it is one whose rows are many. */
static bool fits(const tips_raw_boxes *raw) {
    enum { MANY = 1000 };
    tips_table t;
    return raw->n == 1 && tips__table_of(&raw->arrays[0], &t) && t.rows <= MANY &&
           t.columns == (raw->arrays[0].n_dims == 3 ? WITH_SCORE : WITH_NUMBER);
}

static tips_status classes(const void *config, const tips_raw_boxes *raw, int *out) {
    tips_table t;
    TIPS_TRY(need_rows(raw, &t));
    *out = ((const ended_config *)config)->classes;
    return TIPS_OK;
}

static tips_status decode(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    const ended_config *c = config;
    tips_table t = {0};
    TIPS_TRY(need_rows(raw, &t));
    const int first = t.columns == WITH_NUMBER, score = first ? 6 : 4, label = 5;
    for (int64_t i = 0; i < t.rows; i++) {
        const tips_corners box = {tips__table_at(&t, i, first), tips__table_at(&t, i, first + 1),
                                  tips__table_at(&t, i, first + 2), tips__table_at(&t, i, first + 3)};
        const double kind = tips__table_at(&t, i, label), sure = tips__table_at(&t, i, score);
        if (!(sure > 0)) continue; /* rows that fill up */
        if (!(kind >= 0 && kind < c->classes))
            TIPS_FAIL(TIPS_RANGE, "it gives class %g, and %d are known; --boxes ended:classes=N", kind, c->classes);
        TIPS_TRY(tips__found_add(found, &box, sure, (int)kind));
    }
    return TIPS_OK;
}

const tips_decode_style tips__decode_ended = {
    .name = "ended",
    .brief = "corners, score and class (n, boxes, 6), or with the picture first (boxes, 7), suppressed in the graph",
    .options = options,
    .input = {.grey = true, .centre = true, .letterbox = "ultralytics"},
    .fits = fits,
    .classes = classes,
    .decode = decode,
};
