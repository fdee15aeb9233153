/* Reading results as a stream of events. */
#include "metric/coco_results.h"

#include "core/fail.h"
#include "core/json_read.h"

#include <math.h>
#include <string.h>

/* Objects and arrays around: the entries, their fields, the numbers of a bbox. */
enum { DEPTH_ENTRY = 1, DEPTH_FIELD = 2, DEPTH_NUMBER = 3, MOST_DEPTH = 64 };

typedef enum field { NO_FIELD, IMAGE_ID, CATEGORY_ID, BBOX, SCORE, FIELDS } field;
static const char *const keys[FIELDS] = {"", "image_id", "category_id", "bbox", "score"};
static const char *const kinds[FIELDS] = {"", "a whole number", "a whole number",
                                          "four numbers, the last two not below 0", "a number"};

typedef struct reader {
    const char *path;
    tips_take_result *take;
    void *context;
    size_t number; /* of the entry, from 1 on */
    field field;
    unsigned seen, right; /* bits of fields */
    int numbers;          /* of the bbox */
    double value[FIELDS], bbox[4];
} reader;

static field find_field(const tips_json_event *key) {
    for (field f = IMAGE_ID; f < FIELDS; f++)
        if (key->length == strlen(keys[f]) && memcmp(key->text, keys[f], key->length) == 0) return f;
    return NO_FIELD;
}

static bool is_id(double x) { return x == floor(x) && fabs(x) < 9007199254740992.0; }

static void take_value(reader *r, const tips_json_event *e) {
    const unsigned bit = 1u << r->field;
    r->seen |= bit;
    r->right &= ~bit;
    if (r->field == BBOX || !tips__json_double(e, &r->value[r->field]) || !isfinite(r->value[r->field])) return;
    if (r->field == SCORE || is_id(r->value[r->field])) r->right |= bit;
}

static void end_box(reader *r) {
    bool good = r->numbers == 4 && r->bbox[2] >= 0 && r->bbox[3] >= 0;
    for (int i = 0; i < 4 && good; i++) good = isfinite(r->bbox[i]);
    if (good) r->right |= 1u << BBOX;
}

static tips_status end_entry(reader *r) {
    for (field f = IMAGE_ID; f < FIELDS; f++) {
        if (!(r->seen >> f & 1)) TIPS_FAIL(TIPS_FORMAT, "%s: result %zu has no %s", r->path, r->number, keys[f]);
        if (!(r->right >> f & 1))
            TIPS_FAIL(TIPS_FORMAT, "%s: result %zu: its %s is not %s", r->path, r->number, keys[f], kinds[f]);
    }
    tips_coco_result result = {
        .picture = (int64_t)r->value[IMAGE_ID], .category = (int64_t)r->value[CATEGORY_ID], .score = r->value[SCORE]};
    memcpy(result.bbox, r->bbox, sizeof result.bbox);
    return r->take(r->context, &result, r->number);
}

static tips_status visit_entry(reader *r, const tips_json_event *e) {
    if (e->kind == TIPS_JSON_OBJECT_END) return end_entry(r);
    r->number++;
    r->seen = r->right = 0;
    if (e->kind != TIPS_JSON_OBJECT) TIPS_FAIL(TIPS_FORMAT, "%s: result %zu is not an object", r->path, r->number);
    return TIPS_OK;
}

static void visit_field(reader *r, const tips_json_event *e) {
    const bool is_end = e->kind == TIPS_JSON_ARRAY_END || e->kind == TIPS_JSON_OBJECT_END;
    if (e->kind == TIPS_JSON_KEY) r->field = find_field(e);
    else if (r->field == BBOX && e->kind == TIPS_JSON_ARRAY) take_value(r, e), r->numbers = 0;
    else if (r->field == BBOX && e->kind == TIPS_JSON_ARRAY_END) end_box(r);
    else if (r->field != NO_FIELD && !is_end) take_value(r, e);
}

static void visit_number(reader *r, const tips_json_event *e) {
    if (r->field != BBOX) return;
    if (r->numbers < 4 && !tips__json_double(e, &r->bbox[r->numbers])) r->bbox[r->numbers] = NAN;
    if (r->numbers < 5) r->numbers++;
}

static tips_status visit(void *context, const tips_json_event *e) {
    reader *r = context;
    if (e->depth == 0 && e->kind != TIPS_JSON_ARRAY && e->kind != TIPS_JSON_ARRAY_END)
        TIPS_FAIL(TIPS_FORMAT, "%s: is not a list of results, [{\"image_id\", \"category_id\", \"bbox\", \"score\"}]",
                  r->path);
    if (e->depth == DEPTH_ENTRY) return visit_entry(r, e);
    if (e->depth == DEPTH_FIELD) visit_field(r, e);
    if (e->depth == DEPTH_NUMBER) visit_number(r, e);
    return TIPS_OK;
}

tips_status tips__coco_results_read(const char *path, tips_take_result *take, void *context) {
    reader r = {.path = path, .take = take, .context = context};
    return tips__json_read_file(path, MOST_DEPTH, visit, &r);
}
