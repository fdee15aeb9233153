/* Boxes from lines of numbers. */
#include "data/yolo_labels.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/regular_file.h"
#include "data/box_store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20, MOST_CLASS = 99999, NUMBER_LENGTH = 64, SHOWN = 60 };

/* Text that ends in NUL. */
static tips_status read_all(const char *path, FILE *file, char **out) {
    size_t room = 4096, size = 0;
    char *text;
    TIPS_TRY(tips__new(&text, room, "labels"));
    while ((size += fread(text + size, 1, room - 1 - size, file)) == room - 1) {
        char *more = room < MOST_BYTES ? tips__grow(text, size, 2 * room) : NULL;
        if (!more) {
            tips__free(text);
            TIPS_FAIL(room < MOST_BYTES ? TIPS_MEMORY : TIPS_FORMAT, "%s: more than %zu bytes of labels", path, size);
        }
        text = more;
        room *= 2;
    }
    const bool has_nul = memchr(text, '\0', size) != NULL;
    text[size] = '\0';
    if (!ferror(file) && !has_nul) {
        *out = text;
        return TIPS_OK;
    }
    tips__free(text);
    TIPS_FAIL(has_nul ? TIPS_FORMAT : TIPS_IO, "%s: %s", path, has_nul ? "is not text" : "cannot be read");
}

/* The next number of a line; false at its end. `is_number` is false for another word. */
static bool next_number(const char **at, double *out, bool *is_number) {
    char word[NUMBER_LENGTH];
    *at += strspn(*at, " \t\r\f\v");
    const size_t length = strcspn(*at, " \t\r\f\v");
    if (length == 0) return false;
    *is_number = length < sizeof word;
    if (*is_number) {
        memcpy(word, *at, length);
        word[length] = '\0';
        *is_number = tips__number_parse(word, out);
    }
    *at += length;
    return true;
}

/* What a line holds: the class, the first four numbers behind it, how many there are, and the hull and area of all as
 * an outline. */
typedef struct line_numbers {
    double label, value[4];
    int count;
    double low[2], high[2], twice_area, first[2], last[2];
    bool is_wrong;
} line_numbers;

static void add_point(line_numbers *n, double x, double y) {
    const double at[2] = {x, y};
    if (n->count == 2) memcpy(n->first, at, sizeof at), memcpy(n->low, at, sizeof at), memcpy(n->high, at, sizeof at);
    else n->twice_area += n->last[0] * y - x * n->last[1];
    for (int i = 0; i < 2; i++) n->low[i] = fmin(n->low[i], at[i]), n->high[i] = fmax(n->high[i], at[i]);
    memcpy(n->last, at, sizeof at);
}

static line_numbers take_line(const char *line) {
    line_numbers n = {.count = -1};
    double value = 0, before = 0;
    for (bool is_number; next_number(&line, &value, &is_number); before = value) {
        if (!is_number || !isfinite(value)) n.is_wrong = true;
        n.count++;
        if (n.count == 0) n.label = value;
        else if (n.count <= 4) n.value[n.count - 1] = value;
        if (n.count > 0 && n.count % 2 == 0) add_point(&n, before, value);
    }
    n.twice_area += n.last[0] * n.first[1] - n.first[0] * n.last[1];
    return n;
}

static tips_box box_of(const line_numbers *n) {
    const double *v = n->value;
    if (n->count == 4)
        return (tips_box){.top = v[1] - v[3] / 2,
                          .left = v[0] - v[2] / 2,
                          .bottom = v[1] + v[3] / 2,
                          .right = v[0] + v[2] / 2,
                          .label = (int32_t)n->label};
    return (tips_box){.top = n->low[1],
                      .left = n->low[0],
                      .bottom = n->high[1],
                      .right = n->high[0],
                      .label = (int32_t)n->label,
                      .area = fabs(n->twice_area) / 2};
}

static const char *find_fault(const line_numbers *n, int classes) {
    static const double whole[2] = {1, 1};
    if (n->is_wrong) return "all of it should be numbers";
    if (n->count != 4 && (n->count < 6 || n->count % 2))
        return "it should be a class and four numbers, or the points of an outline";
    if (n->label != floor(n->label) || n->label < 0 || n->label > MOST_CLASS)
        return "a class is a whole number from 0 on";
    if (classes > 0 && n->label >= classes) return "there is no such class";
    const tips_box box = box_of(n);
    if (box.top < -1 || box.left < -1 || box.bottom > 2 || box.right > 2)
        return "numbers are parts of the picture's height and width, from 0 to 1";
    return tips__box_fault(&box, whole);
}

static tips_status add_line(tips_source *source, const char *path, int number, const char *line, int classes,
                            int *most) {
    const line_numbers n = take_line(line);
    if (n.count < 0) return TIPS_OK; /* empty */
    const char *fault = find_fault(&n, classes);
    if (fault)
        return tips__bad_box(source,
                             tips__fail(TIPS_FORMAT, "%s: line %d: '%.*s': %s", path, number, SHOWN, line, fault));
    const tips_box box = box_of(&n);
    if (box.label > *most) *most = box.label;
    return tips__box_store_put(source, &box);
}

tips_status tips__yolo_labels_read(tips_source *source, const char *path, int classes, int *most) {
    char *text = NULL;
    if (!tips__is_file(path)) return tips__check_regular(path);
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    tips_status status = read_all(path, file, &text);
    fclose(file);
    TIPS_TRY(status);
    char *line = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    for (int number = 1; line && status == TIPS_OK; number++) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        status = add_line(source, path, number, line, classes, most);
        line = end;
    }
    tips__free(text);
    return status;
}
