/* Reading COCO's JSON as a stream of events: {"images": [{...}, ...], "annotations": [...], "categories": [...]}, in
 * any order, with anything else between them. */
#include "data/coco_read.h"

#include "core/fail.h"
#include "core/json_read.h"
#include "core/memory.h"
#include "data/box_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 64, FIRST_ROOM = 1024, SHOWN = 80 };
/* Objects and arrays around: the lists, their entries, the fields of an entry, the numbers of a bbox. */
enum { DEPTH_LIST = 1, DEPTH_ENTRY = 2, DEPTH_FIELD = 3, DEPTH_NUMBER = 4 };

enum { IMAGES, ANNOTATIONS, CATEGORIES, LISTS };
static const struct {
    const char *key, *entry;
} lists[LISTS] = {{"images", "picture"}, {"annotations", "annotation"}, {"categories", "category"}};

typedef enum field {
    NO_FIELD,
    ID,
    FILE_NAME,
    HEIGHT,
    WIDTH,
    IMAGE_ID,
    CATEGORY_ID,
    BBOX,
    AREA,
    CROWD,
    NAME,
    FIELDS
} field;

/* Of which list a field is, and whether an entry needs it. */
static const struct {
    const char *key;
    unsigned lists, needed;
} fields[FIELDS] = {
    [ID] = {"id", 1u << IMAGES | 1u << ANNOTATIONS | 1u << CATEGORIES, 1u << IMAGES | 1u << CATEGORIES},
    [FILE_NAME] = {"file_name", 1u << IMAGES, 1u << IMAGES},
    [HEIGHT] = {"height", 1u << IMAGES, 0},
    [WIDTH] = {"width", 1u << IMAGES, 0},
    [IMAGE_ID] = {"image_id", 1u << ANNOTATIONS, 1u << ANNOTATIONS},
    [CATEGORY_ID] = {"category_id", 1u << ANNOTATIONS, 1u << ANNOTATIONS},
    [BBOX] = {"bbox", 1u << ANNOTATIONS, 1u << ANNOTATIONS},
    [AREA] = {"area", 1u << ANNOTATIONS, 0},
    [CROWD] = {"iscrowd", 1u << ANNOTATIONS, 0},
    [NAME] = {"name", 1u << CATEGORIES, 1u << CATEGORIES},
};

typedef struct reader {
    tips_source *source;
    const char *path;
    tips_coco *coco;
    int list; /* that is being read, or LISTS */
    bool seen_list[LISTS];
    field field;         /* that a value is for */
    size_t entry[LISTS]; /* number of the entry that is being read, from 1 on */
    /* Of that entry. */
    unsigned seen, wrong; /* bits of fields */
    double value[FIELDS];
    uint64_t text;
    bool has_text;
    double bbox[4];
    int numbers; /* of the bbox */
} reader;

static bool is_text(const tips_json_event *e, const char *text) {
    return e->length == strlen(text) && memcmp(e->text, text, e->length) == 0;
}

static int find_list(const tips_json_event *key) {
    int list = 0;
    while (list < LISTS && !is_text(key, lists[list].key)) list++;
    return list;
}

static field find_field(int list, const tips_json_event *key) {
    for (field f = ID; f < FIELDS; f++)
        if (fields[f].lists >> list & 1 && is_text(key, fields[f].key)) return f;
    return NO_FIELD;
}

static bool is_whole(double x) { return x == floor(x) && fabs(x) < 9007199254740992.0; }

static bool is_count(field f) { return f == ID || f == IMAGE_ID || f == CATEGORY_ID || f == HEIGHT || f == WIDTH; }

static tips_status take_text(reader *r, const tips_json_event *e) {
    char text[TIPS_PATH_SIZE];
    if (e->kind != TIPS_JSON_TEXT || e->length == 0 || e->length >= sizeof text) {
        r->wrong |= 1u << r->field;
        return TIPS_OK;
    }
    memcpy(text, e->text, e->length);
    text[e->length] = '\0';
    r->has_text = true;
    return tips__source_keep_text(r->source, text, &r->text);
}

static tips_status take_value(reader *r, const tips_json_event *e) {
    double *out = &r->value[r->field];
    r->seen |= 1u << r->field;
    if (r->field == FILE_NAME || r->field == NAME) return take_text(r, e);
    if (r->field == BBOX) r->wrong |= 1u << BBOX; /* an array is expected */
    else if (r->field == CROWD && e->kind == TIPS_JSON_BOOL) *out = e->truth;
    else if (!tips__json_double(e, out) || (is_count(r->field) && !is_whole(*out))) r->wrong |= 1u << r->field;
    return TIPS_OK;
}

static void start_entry(reader *r) {
    r->entry[r->list]++;
    r->seen = r->wrong = 0;
    r->has_text = false;
    r->numbers = 0;
    memset(r->value, 0, sizeof r->value);
}

/* "FILE: annotation 5, with the id 918" */
static void name_entry(const reader *r, char *out, size_t size) {
    const int length = snprintf(out, size, "%s %zu", lists[r->list].entry, r->entry[r->list]);
    if (r->seen & ~r->wrong & 1u << ID)
        snprintf(out + length, size - (size_t)length, ", with the id %lld", (long long)r->value[ID]);
}

static tips_status check_fields(const reader *r) {
    char entry[SHOWN];
    name_entry(r, entry, sizeof entry);
    for (field f = ID; f < FIELDS; f++) {
        const unsigned bit = 1u << f;
        if (r->wrong & bit)
            TIPS_FAIL(TIPS_FORMAT, "%s: %s: its %s is not %s", r->path, entry, fields[f].key,
                      f == BBOX                     ? "four numbers"
                      : f == FILE_NAME || f == NAME ? "a text"
                      : is_count(f)                 ? "a whole number"
                                                    : "a number");
        if (fields[f].needed >> r->list & 1 && !(r->seen & bit))
            TIPS_FAIL(TIPS_FORMAT, "%s: %s: it has no %s", r->path, entry, fields[f].key);
    }
    return TIPS_OK;
}

static tips_status make_room(tips_coco *c, int list, void **rows, size_t count, size_t bytes) {
    if (count < c->room[list]) return TIPS_OK;
    const size_t room = c->room[list] ? 2 * c->room[list] : FIRST_ROOM;
    void *more = tips__grow(*rows, count * bytes, room * bytes);
    if (!more) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu of the %s", room, lists[list].key);
    *rows = more;
    c->room[list] = room;
    return TIPS_OK;
}

static tips_status keep_picture(const reader *r) {
    tips_coco *c = r->coco;
    void *rows = c->pictures;
    const double h = r->value[HEIGHT], w = r->value[WIDTH];
    const bool has_size = r->seen & 1u << HEIGHT && r->seen & 1u << WIDTH;
    if (has_size && !(h >= 1 && w >= 1 && h <= TIPS_IMAGE_MAX_SIDE && w <= TIPS_IMAGE_MAX_SIDE))
        TIPS_FAIL(TIPS_FORMAT, "%s: picture %zu, with the id %lld: a picture of %gx%g pixels", r->path,
                  r->entry[IMAGES], (long long)r->value[ID], h, w);
    TIPS_TRY(make_room(c, IMAGES, &rows, c->n_pictures, sizeof *c->pictures));
    c->pictures = rows;
    c->pictures[c->n_pictures++] = (tips_coco_picture){
        .id = (int64_t)r->value[ID], .name = r->text, .size = {has_size ? (int)h : 0, has_size ? (int)w : 0}};
    return TIPS_OK;
}

static tips_status keep_box(const reader *r) {
    tips_coco *c = r->coco;
    void *rows = c->boxes;
    TIPS_TRY(make_room(c, ANNOTATIONS, &rows, c->n_boxes, sizeof *c->boxes));
    c->boxes = rows;
    tips_coco_box *box = &c->boxes[c->n_boxes++];
    *box = (tips_coco_box){.id = r->seen & 1u << ID ? (int64_t)r->value[ID] : -1,
                           .picture = (int64_t)r->value[IMAGE_ID],
                           .category = (int64_t)r->value[CATEGORY_ID],
                           .area = r->value[AREA],
                           .crowd = r->value[CROWD] != 0};
    memcpy(box->bbox, r->bbox, sizeof box->bbox);
    return TIPS_OK;
}

static tips_status keep_category(const reader *r) {
    tips_coco *c = r->coco;
    void *rows = c->categories;
    TIPS_TRY(make_room(c, CATEGORIES, &rows, c->n_categories, sizeof *c->categories));
    c->categories = rows;
    c->categories[c->n_categories++] = (tips_coco_category){(int64_t)r->value[ID], r->text};
    return TIPS_OK;
}

static tips_status end_entry(reader *r) {
    tips_status (*const keep[LISTS])(const reader *) = {keep_picture, keep_box, keep_category};
    tips_status status = check_fields(r);
    if (status == TIPS_OK) status = keep[r->list](r);
    if (status == TIPS_OK || r->list == CATEGORIES) return status;
    return r->list == ANNOTATIONS ? tips__bad_box(r->source, status) : tips__bad_picture(r->source, status);
}

static tips_status visit_field(reader *r, const tips_json_event *e) {
    if (e->kind == TIPS_JSON_KEY) r->field = find_field(r->list, e);
    else if (r->field == BBOX && e->kind == TIPS_JSON_ARRAY) r->seen |= 1u << BBOX, r->numbers = 0;
    else if (r->field == BBOX && e->kind == TIPS_JSON_ARRAY_END) r->wrong |= (unsigned)(r->numbers != 4) << BBOX;
    else if (r->field != NO_FIELD && e->kind != TIPS_JSON_OBJECT_END && e->kind != TIPS_JSON_ARRAY_END)
        return take_value(r, e);
    return TIPS_OK;
}

static void visit_number(reader *r, const tips_json_event *e) {
    double ignored;
    if (r->field != BBOX || !(r->seen & 1u << BBOX)) return;
    if (!tips__json_double(e, r->numbers < 4 ? &r->bbox[r->numbers] : &ignored)) r->wrong |= 1u << BBOX;
    if (r->numbers < 5) r->numbers++;
}

static tips_status visit_list(reader *r, const tips_json_event *e) {
    if (e->kind == TIPS_JSON_KEY) r->list = find_list(e);
    else if (r->list < LISTS && e->kind == TIPS_JSON_ARRAY) r->seen_list[r->list] = true;
    else if (r->list < LISTS && e->kind != TIPS_JSON_ARRAY_END && e->kind != TIPS_JSON_OBJECT_END)
        TIPS_FAIL(TIPS_FORMAT, "%s: its %s are not a list", r->path, lists[r->list].key);
    return TIPS_OK;
}

static tips_status visit_entry(reader *r, const tips_json_event *e) {
    if (e->kind == TIPS_JSON_OBJECT_END) return end_entry(r);
    if (e->kind != TIPS_JSON_OBJECT)
        TIPS_FAIL(TIPS_FORMAT, "%s: %s %zu is not an object", r->path, lists[r->list].entry, r->entry[r->list] + 1);
    start_entry(r);
    return TIPS_OK;
}

static tips_status visit(void *context, const tips_json_event *e) {
    reader *r = context;
    if (e->depth == 0 && e->kind != TIPS_JSON_OBJECT && e->kind != TIPS_JSON_OBJECT_END)
        TIPS_FAIL(TIPS_FORMAT, "%s: is not an object with images, annotations and categories", r->path);
    if (e->depth == DEPTH_LIST) return visit_list(r, e);
    if (e->depth == 0 || r->list == LISTS) return TIPS_OK;
    if (e->depth == DEPTH_ENTRY) return visit_entry(r, e);
    if (e->depth == DEPTH_FIELD) return visit_field(r, e);
    if (e->depth == DEPTH_NUMBER) visit_number(r, e);
    return TIPS_OK;
}

tips_status tips__coco_read(tips_source *source, const char *path, tips_coco *out) {
    reader r = {.source = source, .path = path, .coco = out, .list = LISTS};
    *out = (tips_coco){0};
    TIPS_TRY(tips__json_read_file(path, MOST_DEPTH, visit, &r));
    for (int list = 0; list < LISTS; list++)
        if (!r.seen_list[list])
            TIPS_FAIL(TIPS_FORMAT, "%s: has no list of %s%s", path, lists[list].key,
                      list == ANNOTATIONS ? "; test pictures come without" : "");
    return TIPS_OK;
}

void tips__coco_clear(tips_coco *coco) {
    tips__free(coco->pictures);
    tips__free(coco->boxes);
    tips__free(coco->categories);
    *coco = (tips_coco){0};
}
