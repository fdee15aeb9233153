/* JSON through yajl_gen. yajl does not check its own allocations, so it gets a fixed pool for its handle,
 * and its output goes to a buffer of ours. The first failure is kept and returned by write. */
#include "core/json.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/utf8.h"

#include <math.h>
#include <string.h>
#include <yajl_gen.h>

enum { MAX_DEPTH = YAJL_MAX_DEPTH, POOL_BYTES = 8192 };

struct tips_json {
    yajl_gen generator;
    tips_status status;
    const char *problem;
    char *text;
    size_t length, capacity;
    int depth;
    bool complete;
    bool in_object[MAX_DEPTH + 1]; /* by depth; [0] is the top */
    size_t pool_used;
    _Alignas(max_align_t) unsigned char pool[POOL_BYTES];
};

static void remember(tips_json *json, tips_status status, const char *problem) {
    if (json->status != TIPS_OK) return;
    json->status = status;
    json->problem = problem;
}

static void *pool_alloc(void *context, size_t bytes) {
    tips_json *json = context;
    const size_t rounded = (bytes + 15) / 16 * 16;
    if (rounded > POOL_BYTES - json->pool_used) return NULL;
    void *memory = json->pool + json->pool_used;
    json->pool_used += rounded;
    return memory;
}

static void pool_free(void *context, void *memory) { (void)context, (void)memory; }

static void *pool_realloc(void *context, void *old, size_t bytes) { return old ? NULL : pool_alloc(context, bytes); }

static void append(void *context, const char *bytes, size_t count) {
    tips_json *json = context;
    if (json->status != TIPS_OK) return;
    if (count > json->capacity - json->length) {
        const size_t capacity = 2 * json->capacity + count + 256;
        char *text = tips__grow(json->text, json->length, capacity);
        if (!text) {
            remember(json, TIPS_MEMORY, "out of memory for a JSON text");
            return;
        }
        json->text = text;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, bytes, count);
    json->length += count;
}

tips_status tips__json_create(tips_json **out) {
    tips_json *json;
    TIPS_TRY(tips__new_zero(&json, sizeof *json, "a JSON writer"));
    const yajl_alloc_funcs pool = {pool_alloc, pool_realloc, pool_free, json};
    json->generator = yajl_gen_alloc(&pool);
    if (!json->generator) {
        tips__free(json);
        TIPS_FAIL(TIPS_MEMORY, "out of memory for a JSON generator");
    }
    yajl_gen_config(json->generator, yajl_gen_beautify, 1);
    yajl_gen_config(json->generator, yajl_gen_indent_string, "  ");
    yajl_gen_config(json->generator, yajl_gen_print_callback, append, json);
    *out = json;
    return TIPS_OK;
}

void tips__json_destroy(tips_json *json) {
    if (!json) return;
    yajl_gen_free(json->generator);
    tips__free(json->text);
    tips__free(json);
}

void tips__json_compact(tips_json *json) { yajl_gen_config(json->generator, yajl_gen_beautify, 0); }

static void check(tips_json *json, yajl_gen_status status) {
    if (status != yajl_gen_status_ok) remember(json, TIPS_INVALID, "yajl refused a JSON value");
}

/* Bytes that are not UTF-8 (a file name may hold some) become '?'. */
static void put_string(tips_json *json, const char *text) {
    const size_t length = strlen(text);
    char *copy = tips__strdup(text);
    if (!copy) {
        remember(json, TIPS_MEMORY, "out of memory for a JSON text");
        return;
    }
    for (size_t at = 0, step; at < length; at += step) {
        uint32_t code_point;
        step = tips__utf8_decode(copy + at, &code_point);
        if (step == 0) copy[at] = '?', step = 1;
    }
    check(json, yajl_gen_string(json->generator, (const unsigned char *)copy, length));
    tips__free(copy);
}

/* Writes the key if there must be one; false if a value has no place here. */
static bool begin_value(tips_json *json, const char *key) {
    if (json->status != TIPS_OK) return false;
    if (json->complete) remember(json, TIPS_INVALID, "a JSON document holds one value at its top");
    const bool needs_key = json->in_object[json->depth];
    if (needs_key && !key) remember(json, TIPS_INVALID, "a value in a JSON object needs a key");
    if (!needs_key && key) remember(json, TIPS_INVALID, "only values in a JSON object have a key");
    if (json->status == TIPS_OK && key) put_string(json, key);
    return json->status == TIPS_OK;
}

static void end_value(tips_json *json) {
    if (json->depth == 0) json->complete = true;
}

static bool begin_nesting(tips_json *json, const char *key, bool is_object) {
    if (!begin_value(json, key)) return false;
    if (json->depth + 1 >= MAX_DEPTH) {
        remember(json, TIPS_INVALID, "JSON nested too deep");
        return false;
    }
    json->in_object[++json->depth] = is_object;
    return true;
}

static bool end_nesting(tips_json *json, bool is_object) {
    if (json->status != TIPS_OK) return false;
    if (json->depth == 0 || json->in_object[json->depth] != is_object) {
        remember(json, TIPS_INVALID, "a JSON object or array is closed that is not open");
        return false;
    }
    json->depth--;
    end_value(json);
    return true;
}

void tips__json_open_object(tips_json *json, const char *key) {
    if (begin_nesting(json, key, true)) check(json, yajl_gen_map_open(json->generator));
}

void tips__json_close_object(tips_json *json) {
    if (end_nesting(json, true)) check(json, yajl_gen_map_close(json->generator));
}

void tips__json_open_array(tips_json *json, const char *key) {
    if (begin_nesting(json, key, false)) check(json, yajl_gen_array_open(json->generator));
}

void tips__json_close_array(tips_json *json) {
    if (end_nesting(json, false)) check(json, yajl_gen_array_close(json->generator));
}

void tips__json_text(tips_json *json, const char *key, const char *value) {
    if (!begin_value(json, key)) return;
    if (value) put_string(json, value);
    else check(json, yajl_gen_null(json->generator));
    end_value(json);
}

void tips__json_int(tips_json *json, const char *key, int64_t value) {
    if (!begin_value(json, key)) return;
    check(json, yajl_gen_integer(json->generator, value));
    end_value(json);
}

void tips__json_number(tips_json *json, const char *key, double value) {
    if (!begin_value(json, key)) return;
    if (isfinite(value)) {
        char digits[TIPS_NUMBER_SIZE];
        tips__number_format(value, digits, sizeof digits);
        check(json, yajl_gen_number(json->generator, digits, strlen(digits)));
    } else {
        check(json, yajl_gen_null(json->generator));
    }
    end_value(json);
}

void tips__json_bool(tips_json *json, const char *key, bool value) {
    if (!begin_value(json, key)) return;
    check(json, yajl_gen_bool(json->generator, value));
    end_value(json);
}

tips_status tips__json_result(tips_json *json, const char **text, size_t *length) {
    if (!json->complete) remember(json, TIPS_INVALID, "a JSON document is written before it is complete");
    append(json, "", 1);
    if (json->status != TIPS_OK) TIPS_FAIL(json->status, "%s", json->problem);
    json->length--;
    while (json->length > 0 && json->text[json->length - 1] == '\n') json->length--;
    json->text[json->length] = '\0';
    *text = json->text;
    *length = json->length;
    return TIPS_OK;
}

tips_status tips__json_write(tips_json *json, FILE *file) {
    const char *text = NULL;
    size_t length = 0;
    TIPS_TRY(tips__json_result(json, &text, &length));
    if (fwrite(text, 1, length, file) != length || fputc('\n', file) == EOF) {
        TIPS_FAIL(TIPS_IO, "a JSON document of %zu bytes could not be written", length);
    }
    return TIPS_OK;
}
