/* torchvision's detectors with all they do: boxes (boxes, 4) as corners in pixels of the picture that the graph was
 * given, labels and scores (boxes), in whatever order. Class 0 is the background. */
#include "decode/decode_parts.h"

typedef struct torchvision_config {
    tips_decode_common common;
    int classes;
    bool background;
} torchvision_config;
TIPS_DECODE_CHECK_CONFIG(torchvision_config);

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_done_rows},
    {.name = "classes",
     .type = TIPS_OPT_INT,
     .offset = offsetof(torchvision_config, classes),
     .fallback = "90",
     .min = 1,
     .max = 100000,
     .help = "classes without the background, which the outputs do not tell; COCO's numbers go to 90"},
    {.name = "background",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(torchvision_config, background),
     .fallback = "true",
     .help = "label 0 stands for the background, and label 1 for the first class"},
    {.type = TIPS_OPT_END},
};

typedef struct parts {
    const tips_array *boxes, *labels, *scores;
} parts;

static bool find_parts(const tips_raw_boxes *raw, parts *out) {
    parts p = {0};
    for (int i = 0; i < raw->n; i++) {
        const tips_array *a = &raw->arrays[i];
        const bool is_float = a->type == TIPS_ARRAY_FLOAT;
        if (is_float && a->n_dims == 2 && a->dims[1] == 4 && !p.boxes) p.boxes = a;
        else if (is_float && a->n_dims == 1 && !p.scores) p.scores = a;
        else if (!is_float && a->n_dims == 1 && !p.labels) p.labels = a;
    }
    *out = p;
    return p.boxes && p.labels && p.scores;
}

static tips_status need_parts(const tips_raw_boxes *raw, parts *out) {
    if (!find_parts(raw, out))
        TIPS_FAIL(TIPS_SHAPE, "its outputs are not boxes (boxes, 4), whole numbers for labels, and scores");
    if (out->labels->count != (size_t)out->boxes->dims[0] || out->scores->count != out->labels->count)
        TIPS_FAIL(TIPS_SHAPE, "it gives %lld boxes, %zu labels and %zu scores", (long long)out->boxes->dims[0],
                  out->labels->count, out->scores->count);
    return TIPS_OK;
}

static bool fits(const tips_raw_boxes *raw) {
    parts p;
    return find_parts(raw, &p);
}

static tips_status classes(const void *config, const tips_raw_boxes *raw, int *out) {
    parts p;
    TIPS_TRY(need_parts(raw, &p));
    *out = ((const torchvision_config *)config)->classes;
    return TIPS_OK;
}

static tips_status decode(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    const torchvision_config *c = config;
    parts p = {0};
    TIPS_TRY(need_parts(raw, &p));
    for (size_t i = 0; i < p.labels->count; i++) {
        const float *b = p.boxes->floats + 4 * i;
        const tips_corners box = {(double)b[0], (double)b[1], (double)b[2], (double)b[3]};
        const int64_t label = p.labels->ints[i] - c->background;
        if (label < 0) continue;
        if (label >= c->classes)
            TIPS_FAIL(TIPS_RANGE, "it gives label %lld, and %d classes are known; --boxes torchvision:classes=N",
                      (long long)p.labels->ints[i], c->classes);
        TIPS_TRY(tips__found_add(found, &box, (double)p.scores->floats[i], (int)label));
    }
    return TIPS_OK;
}

const tips_decode_style tips__decode_torchvision = {
    .name = "torchvision",
    .brief = "torchvision's: boxes, labels and scores, suppressed in the graph",
    .options = options,
    .fits = fits,
    .classes = classes,
    .decode = decode,
};
