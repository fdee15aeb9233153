/* SSD and its kin with decoded boxes: scores (n, boxes, classes) and boxes (n, boxes, 4), which need suppression. */
#include "decode/decode_parts.h"

#include <string.h>

enum { CORNERS, CENTRE };
static const char *const form_names[] = {"corners", "centre", NULL};
enum { AUTO, PARTS, PIXELS };
static const char *const unit_names[] = {"auto", "parts", "pixels", NULL};

typedef struct ssd_config {
    tips_decode_common common;
    int form, unit;
    bool background;
} ssd_config;
TIPS_DECODE_CHECK_CONFIG(ssd_config);

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_rows},
    {.name = "form",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(ssd_config, form),
     .fallback = "corners",
     .choices = form_names,
     .help = "whether boxes are left, top, right, bottom, or their centre and size"},
    {.name = "unit",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(ssd_config, unit),
     .fallback = "auto",
     .choices = unit_names,
     .help = "parts of the input or pixels; auto takes boxes that all lie within -1..2 as parts"},
    {.name = "background",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(ssd_config, background),
     .fallback = "true",
     .help = "the first class is the background"},
    {.type = TIPS_OPT_END},
};

/* Boxes have four columns; the other table has as many rows, and by its name or place the scores. */
static bool find_parts(const tips_raw_boxes *raw, tips_table *scores, tips_table *boxes) {
    int at = -1;
    for (int i = 0; i < raw->n; i++) {
        tips_table t;
        if (!tips__table_of(&raw->arrays[i], &t) || t.columns != 4) continue;
        if (at < 0 || strstr(raw->names[i], "box")) at = i, *boxes = t;
    }
    for (int i = 0; i < raw->n && at >= 0; i++)
        if (i != at && tips__table_of(&raw->arrays[i], scores) && scores->rows == boxes->rows) return true;
    return false;
}

static tips_status need_parts(const ssd_config *c, const tips_raw_boxes *raw, tips_table *scores, tips_table *boxes) {
    if (!find_parts(raw, scores, boxes) || scores->columns <= c->background)
        TIPS_FAIL(TIPS_SHAPE, "its outputs are not scores (n, boxes, classes) and boxes (n, boxes, 4)");
    return TIPS_OK;
}

static bool fits(const tips_raw_boxes *raw) {
    tips_table scores, boxes;
    return raw->n == 2 && find_parts(raw, &scores, &boxes);
}

static tips_status classes(const void *config, const tips_raw_boxes *raw, int *out) {
    const ssd_config *c = config;
    tips_table scores = {0}, boxes = {0};
    TIPS_TRY(need_parts(c, raw, &scores, &boxes));
    *out = (int)scores.columns - c->background;
    return TIPS_OK;
}

static bool in_parts(const ssd_config *c, const tips_table *boxes) {
    if (c->unit != AUTO) return c->unit == PARTS;
    for (int64_t i = 0; i < boxes->rows; i++)
        for (int k = 0; k < 4; k++) {
            const double v = tips__table_at(boxes, i, k);
            if (v < -1 || v > 2) return false;
        }
    return true;
}

static tips_corners box_of(const ssd_config *c, const tips_table *boxes, int64_t i, double height, double width) {
    const double a = tips__table_at(boxes, i, 0) * width, b = tips__table_at(boxes, i, 1) * height;
    const double d = tips__table_at(boxes, i, 2) * width, e = tips__table_at(boxes, i, 3) * height;
    return c->form == CENTRE ? tips__corners_around(a, b, d, e) : (tips_corners){a, b, d, e};
}

static tips_status decode(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    const ssd_config *c = config;
    tips_table scores = {0}, boxes = {0};
    TIPS_TRY(need_parts(c, raw, &scores, &boxes));
    const bool parts = in_parts(c, &boxes);
    for (int64_t i = 0; i < scores.rows; i++)
        for (int64_t k = c->background; k < scores.columns; k++) {
            const double score = tips__table_at(&scores, i, k);
            if (!(score >= c->common.score)) continue;
            const tips_corners box = box_of(c, &boxes, i, parts ? raw->size[0] : 1, parts ? raw->size[1] : 1);
            TIPS_TRY(tips__found_add(found, &box, score, (int)k - c->background));
        }
    return TIPS_OK;
}

const tips_decode_style tips__decode_ssd = {
    .name = "ssd",
    .brief = "scores (n, boxes, classes) and boxes (n, boxes, 4), not suppressed",
    .options = options,
    .input = {.mean = {127, 127, 127}, .std = {128, 128, 128}, .stretch = true},
    .fits = fits,
    .classes = classes,
    .decode = decode,
};
