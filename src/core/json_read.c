/* yajl's parser does not check its own allocations, so it gets all that it can need at once: two buffers that double
 * until they hold the longest token, and a few small things. */
#include "core/json_read.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/regular_file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <yajl_parse.h>

enum { MOST_DEPTH = 64, SMALL_BYTES = 32768, UNIT = 16, PIECE = 1 << 16, MOST_TOKEN = 1000000 };

typedef struct reader {
    tips_json_visit visit;
    void *context;
    tips_status status;
    int depth, most_depth;
    size_t used, size;
    unsigned char *pool;
} reader;

/* Each piece is preceded by its size, for realloc. */
static void *pool_alloc(void *context, size_t bytes) {
    reader *r = context;
    const size_t rounded = (bytes + UNIT - 1) / UNIT * UNIT + UNIT;
    if (rounded > r->size - r->used) return NULL;
    unsigned char *piece = r->pool + r->used;
    memcpy(piece, &bytes, sizeof bytes);
    r->used += rounded;
    return piece + UNIT;
}

static void pool_free(void *context, void *memory) { (void)context, (void)memory; }

static void *pool_realloc(void *context, void *old, size_t bytes) {
    void *memory = pool_alloc(context, bytes);
    if (!old || !memory) return memory;
    size_t old_bytes;
    memcpy(&old_bytes, (unsigned char *)old - UNIT, sizeof old_bytes);
    memcpy(memory, old, old_bytes < bytes ? old_bytes : bytes);
    return memory;
}

/* No token is longer than the longest run between two quotes. */
static size_t longest_token(const char *text, size_t length) {
    size_t longest = 0, begin = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') i++;
        else if (text[i] == '"') {
            if (i - begin > longest) longest = i - begin;
            begin = i;
        }
    }
    return length - begin > longest ? length - begin : longest;
}

static int pass(reader *r, tips_json_event event) {
    event.depth = r->depth;
    r->status = r->visit(r->context, &event);
    return r->status == TIPS_OK;
}

static int pass_text(reader *r, tips_json_kind kind, const unsigned char *text, size_t length) {
    if (length && memchr(text, '\0', length)) {
        r->status = tips__fail(TIPS_FORMAT, "a JSON text holds the character NUL");
        return 0;
    }
    return pass(r, (tips_json_event){.kind = kind, .text = length ? (const char *)text : "", .length = length});
}

static int open_level(reader *r, tips_json_kind kind) {
    if (r->depth >= r->most_depth) {
        r->status = tips__fail(TIPS_FORMAT, "JSON nested deeper than %d", r->most_depth);
        return 0;
    }
    const int goes_on = pass(r, (tips_json_event){.kind = kind});
    r->depth++;
    return goes_on;
}

static int close_level(reader *r, tips_json_kind kind) {
    r->depth--;
    return pass(r, (tips_json_event){.kind = kind});
}

static int on_null(void *r) { return pass(r, (tips_json_event){.kind = TIPS_JSON_NULL}); }
static int on_bool(void *r, int truth) { return pass(r, (tips_json_event){.kind = TIPS_JSON_BOOL, .truth = truth}); }
static int on_number(void *r, const char *text, size_t length) {
    return pass(r, (tips_json_event){.kind = TIPS_JSON_NUMBER, .text = text, .length = length});
}
static int on_text(void *r, const unsigned char *text, size_t length) {
    return pass_text(r, TIPS_JSON_TEXT, text, length);
}
static int on_key(void *r, const unsigned char *text, size_t length) {
    return pass_text(r, TIPS_JSON_KEY, text, length);
}
static int on_object(void *r) { return open_level(r, TIPS_JSON_OBJECT); }
static int on_object_end(void *r) { return close_level(r, TIPS_JSON_OBJECT_END); }
static int on_array(void *r) { return open_level(r, TIPS_JSON_ARRAY); }
static int on_array_end(void *r) { return close_level(r, TIPS_JSON_ARRAY_END); }

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_bool,
                                         .yajl_number = on_number,
                                         .yajl_string = on_text,
                                         .yajl_start_map = on_object,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_object_end,
                                         .yajl_start_array = on_array,
                                         .yajl_end_array = on_array_end};

/* `before`: bytes of earlier pieces. */
static tips_status fail_syntax(yajl_handle handle, size_t before) {
    const size_t at = before + yajl_get_bytes_consumed(handle);
    unsigned char *text = yajl_get_error(handle, 0, NULL, 0);
    const int length = text ? (int)strcspn((const char *)text, "\n") : 0;
    TIPS_FAIL(TIPS_FORMAT, "not valid JSON at byte %zu: %.*s", at, length, text ? (const char *)text : "");
}

static tips_status parse(reader *r, const char *text, size_t length) {
    yajl_alloc_funcs pool = {pool_alloc, pool_realloc, pool_free, r};
    yajl_handle handle = yajl_alloc(&callbacks, &pool, r);
    if (!handle) TIPS_FAIL(TIPS_MEMORY, "out of memory for a JSON parser");
    yajl_status status = yajl_parse(handle, (const unsigned char *)text, length);
    if (status == yajl_status_ok) status = yajl_complete_parse(handle);
    if (status == yajl_status_ok) return TIPS_OK;
    return r->status != TIPS_OK ? r->status : fail_syntax(handle, 0);
}

tips_status tips__json_read(const char *text, size_t length, int most_depth, tips_json_visit visit, void *context) {
    reader r = {.visit = visit, .context = context};
    r.most_depth = most_depth < MOST_DEPTH ? most_depth : MOST_DEPTH;
    if (length > SIZE_MAX / 16) TIPS_FAIL(TIPS_FORMAT, "a JSON text of %zu bytes is too long", length);
    r.size = SMALL_BYTES + 8 * longest_token(text, length);
    TIPS_TRY(tips__new(&r.pool, r.size, "reading JSON"));
    const tips_status status = parse(&r, text, length);
    tips__free(r.pool);
    return status;
}

/* How long the token is that a piece ends in, and whether one was too long. */
typedef struct token_watch {
    bool in_text, escaped, is_long;
    size_t length;
} token_watch;

static void watch(token_watch *w, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool ends = w->in_text ? c == '"' && !w->escaped : strchr(",:[]{} \t\r\n", c) != NULL;
        if (w->in_text) w->in_text = !ends;
        else w->in_text = c == '"';
        w->escaped = w->in_text && !w->escaped && c == '\\';
        w->length = ends ? 0 : w->length + 1;
        if (w->length > MOST_TOKEN) w->is_long = true;
    }
}

static tips_status parse_pieces(reader *r, yajl_handle handle, FILE *file, char *piece) {
    token_watch w = {0};
    size_t before = 0, length;
    while ((length = fread(piece, 1, PIECE, file)) > 0) {
        const size_t mark = before == 0 && length >= 3 && memcmp(piece, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        watch(&w, piece + mark, length - mark);
        if (w.is_long) TIPS_FAIL(TIPS_FORMAT, "a text or number of more than %d bytes", MOST_TOKEN);
        const yajl_status status = yajl_parse(handle, (const unsigned char *)piece + mark, length - mark);
        if (status != yajl_status_ok) return r->status != TIPS_OK ? r->status : fail_syntax(handle, before + mark);
        before += length;
    }
    if (ferror(file)) TIPS_FAIL(TIPS_IO, "cannot be read");
    if (yajl_complete_parse(handle) == yajl_status_ok) return TIPS_OK;
    return r->status != TIPS_OK ? r->status : tips__fail(TIPS_FORMAT, "ends too early, after %zu bytes", before);
}

static tips_status parse_file(reader *r, const char *path, char *piece) {
    yajl_alloc_funcs pool = {pool_alloc, pool_realloc, pool_free, r};
    TIPS_TRY(tips__check_regular(path));
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    yajl_handle handle = yajl_alloc(&callbacks, &pool, r);
    const tips_status status =
        handle ? parse_pieces(r, handle, file, piece) : tips__fail(TIPS_MEMORY, "out of memory for a JSON parser");
    fclose(file);
    return status == TIPS_OK || r->status != TIPS_OK ? status : tips__fail_within(status, path);
}

tips_status tips__json_read_file(const char *path, int most_depth, tips_json_visit visit, void *context) {
    reader r = {.visit = visit, .context = context, .size = SMALL_BYTES + 8 * (size_t)(MOST_TOKEN + PIECE)};
    r.most_depth = most_depth < MOST_DEPTH ? most_depth : MOST_DEPTH;
    TIPS_TRY(tips__new(&r.pool, r.size + PIECE, "reading JSON"));
    const tips_status status = parse_file(&r, path, (char *)r.pool + r.size);
    tips__free(r.pool);
    return status;
}

bool tips__json_whole(const tips_json_event *event, long long *out) {
    long long value = 0;
    if (event->kind != TIPS_JSON_NUMBER || event->length == 0) return false;
    for (size_t i = 0; i < event->length; i++) {
        const int digit = event->text[i] - '0';
        if (digit < 0 || digit > 9 || value > (LLONG_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = value;
    return true;
}

bool tips__json_double(const tips_json_event *event, double *out) {
    char text[2 * TIPS_NUMBER_SIZE];
    if (event->kind != TIPS_JSON_NUMBER || event->length >= sizeof text) return false;
    memcpy(text, event->text, event->length);
    text[event->length] = '\0';
    return tips__number_parse(text, out);
}
