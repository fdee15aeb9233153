/* Option rows: parsing with ranges checked, and errors that say what would have been right. */
#include "core/option.h"

#include "core/fail.h"
#include "core/number.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 64, VALUE_SIZE = 256, LIST_SIZE = 512 };

/* A parsed value before it is stored, so that a failure leaves the config as it was. */
typedef union option_value {
    bool flag;
    int whole; /* INT and CHOICE */
    double real;
    const char *text;
    int pair[2];
    int chain[TIPS_CHAIN_MOST];
} option_value;

static bool has_range(const tips_option *row) { return row->min != 0 || row->max != 0; }

static bool in_range(const tips_option *row, double value) {
    return !has_range(row) || (value >= row->min && value <= row->max);
}

static tips_status refuse(tips_status status, const tips_option *row, const char *text, const char *where,
                          const char *why) {
    char range[LIST_SIZE];
    tips__option_range(row, range, sizeof range);
    TIPS_FAIL(status, "%s: '%s' %s; it takes %s", where, text, why, range);
}

static tips_status parse_bool(const tips_option *row, const char *text, const char *where, bool *out) {
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        const bool is_yes = strcmp(text, yes[i]) == 0;
        if (is_yes || strcmp(text, no[i]) == 0) {
            *out = is_yes;
            return TIPS_OK;
        }
    }
    return refuse(TIPS_INVALID, row, text, where, "is not true or false");
}

/* Reads a whole number and leaves `end` behind it; a value beyond int is kept as beyond the range. */
static bool scan_int(const char *text, const char **end, long *out) {
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits < '0' || *digits > '9') return false;
    char *after;
    errno = 0;
    *out = strtol(text, &after, 10);
    *end = after;
    return true;
}

static tips_status keep_int(const tips_option *row, const char *text, const char *where, long value, int *out) {
    if (errno == ERANGE || value < INT_MIN || value > INT_MAX || !in_range(row, (double)value)) {
        return refuse(TIPS_RANGE, row, text, where, "is out of range");
    }
    *out = (int)value;
    return TIPS_OK;
}

static tips_status parse_int(const tips_option *row, const char *text, const char *where, int *out) {
    const char *end;
    long value;
    if (!scan_int(text, &end, &value) || *end != '\0') {
        return refuse(TIPS_INVALID, row, text, where, "is not a whole number");
    }
    return keep_int(row, text, where, value, out);
}

static tips_status parse_pair(const tips_option *row, const char *text, const char *where, int out[2]) {
    const char *end;
    long first, second;
    int pair[2];
    if (!scan_int(text, &end, &first)) return refuse(TIPS_INVALID, row, text, where, "is not a number or a pair");
    TIPS_TRY(keep_int(row, text, where, first, &pair[0]));
    second = first;
    if (*end == 'x' && !scan_int(end + 1, &end, &second)) {
        return refuse(TIPS_INVALID, row, text, where, "is not a number or a pair");
    }
    TIPS_TRY(keep_int(row, text, where, second, &pair[1]));
    if (*end != '\0') return refuse(TIPS_INVALID, row, text, where, "is not a number or a pair");
    memcpy(out, pair, sizeof pair);
    return TIPS_OK;
}

static tips_status parse_float(const tips_option *row, const char *text, const char *where, double *out) {
    double value;
    if (!tips__number_parse(text, &value)) return refuse(TIPS_INVALID, row, text, where, "is not a number");
    const bool is_allowed = in_range(row, value) && (has_range(row) || isfinite(value));
    if (!is_allowed) return refuse(TIPS_RANGE, row, text, where, "is out of range");
    *out = value;
    return TIPS_OK;
}

static tips_status parse_choice(const tips_option *row, const char *text, const char *where, int *out) {
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *out = i;
            return TIPS_OK;
        }
    }
    const char *nearest = tips__nearest(row->choices, text);
    if (!nearest) return refuse(TIPS_UNKNOWN, row, text, where, "is not known");
    char range[LIST_SIZE];
    tips__option_range(row, range, sizeof range);
    TIPS_FAIL(TIPS_UNKNOWN, "%s: '%s' is not known; did you mean '%s'? It takes %s", where, text, nearest, range);
}

/* Copies up to the first letter of `stops`, or says that it does not fit. Returns the rest. */
static const char *cut(const char *text, const char *stops, char *out, size_t size) {
    const size_t length = strcspn(text, stops);
    if (length >= size) return NULL;
    memcpy(out, text, length);
    out[length] = '\0';
    return text + length;
}

/* "max+lpf3": what is behind the last is 0, the choice that stands for none. */
static tips_status parse_chain(const tips_option *row, const char *text, const char *where, int out[TIPS_CHAIN_MOST]) {
    char link[KEY_SIZE];
    memset(out, 0, TIPS_CHAIN_MOST * sizeof *out);
    for (int i = 0;; i++) {
        const char *rest = cut(text, "+", link, sizeof link);
        if (!rest || i == TIPS_CHAIN_MOST) return refuse(TIPS_RANGE, row, text, where, "is too long");
        TIPS_TRY(parse_choice(row, link, where, &out[i]));
        if (out[i] == 0 && (i > 0 || *rest)) return refuse(TIPS_INVALID, row, link, where, "stands alone");
        if (!*rest) return TIPS_OK;
        text = rest + 1;
    }
}

static tips_status parse_value(const tips_option *row, const char *text, const char *where, option_value *out) {
    switch (row->type) {
    case TIPS_OPT_BOOL: return parse_bool(row, text, where, &out->flag);
    case TIPS_OPT_INT: return parse_int(row, text, where, &out->whole);
    case TIPS_OPT_FLOAT: return parse_float(row, text, where, &out->real);
    case TIPS_OPT_CHOICE: return parse_choice(row, text, where, &out->whole);
    case TIPS_OPT_PAIR: return parse_pair(row, text, where, out->pair);
    case TIPS_OPT_CHAIN: return parse_chain(row, text, where, out->chain);
    case TIPS_OPT_LIST:
    case TIPS_OPT_TEXT: out->text = text; return TIPS_OK;
    case TIPS_OPT_GROUP:
    case TIPS_OPT_LIKE:
    case TIPS_OPT_GIVEN:
    case TIPS_OPT_END: break;
    }
    TIPS_FAIL(TIPS_INVALID, "%s: its row in the table is no option", where);
}

static size_t value_size(tips_option_type type) {
    switch (type) {
    case TIPS_OPT_BOOL: return sizeof(bool);
    case TIPS_OPT_INT:
    case TIPS_OPT_CHOICE: return sizeof(int);
    case TIPS_OPT_FLOAT: return sizeof(double);
    case TIPS_OPT_TEXT: return sizeof(const char *);
    case TIPS_OPT_PAIR: return sizeof(int[2]);
    case TIPS_OPT_CHAIN: return sizeof(int[TIPS_CHAIN_MOST]);
    case TIPS_OPT_LIST:
    case TIPS_OPT_GROUP:
    case TIPS_OPT_LIKE:
    case TIPS_OPT_GIVEN:
    case TIPS_OPT_END: break;
    }
    return 0;
}

static void store(const tips_option *row, void *config, const option_value *value) {
    memcpy((char *)config + row->offset, value, value_size(row->type));
}

static tips_status add_to_list(const tips_option *row, void *config, const char *text, const char *where) {
    tips_option_list *list = (void *)((char *)config + row->offset);
    if (list->count == TIPS_LIST_MOST) TIPS_FAIL(TIPS_RANGE, "%s: is given more than %d times", where, TIPS_LIST_MOST);
    list->text[list->count++] = text;
    return TIPS_OK;
}

tips_status tips__option_set_usual(const tips_option *row, void *config, const char *text, const char *where) {
    option_value value;
    if (row->type == TIPS_OPT_LIST) return add_to_list(row, config, text, where);
    TIPS_TRY(parse_value(row, text, where, &value));
    store(row, config, &value);
    return TIPS_OK;
}

tips_status tips__option_set(const tips_option *row, void *config, const char *text, const char *where) {
    TIPS_TRY(tips__option_set_usual(row, config, text, where));
    tips__option_note_given(row, config);
    return TIPS_OK;
}

static void forget_given(const tips_option *row, void *config) {
    for (int i = 0; i < TIPS_GIVEN_SETS && row->given[i] > 0; i++)
        ((tips_given *)(void *)((char *)config + row->given[i] - 1))->count = 0;
}

static tips_status set_default(const tips_option *row, const char *text, void *config) {
    option_value value;
    memset(&value, 0, sizeof value);
    if (row->type == TIPS_OPT_TEXT) value.text = NULL;
    forget_given(row, config);
    if (row->type == TIPS_OPT_LIST) memset((char *)config + row->offset, 0, sizeof(tips_option_list));
    if (text) TIPS_TRY(parse_value(row, text, row->name, &value));
    store(row, config, &value);
    return TIPS_OK;
}

tips_status tips__options_defaults(const tips_option *table, void *config) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);)
        TIPS_TRY(set_default(&walk.row, walk.row.fallback, config));
    return TIPS_OK;
}

tips_status tips__options_unsaid(const tips_option *table, void *config) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);)
        TIPS_TRY(set_default(&walk.row, walk.row.unsaid ? walk.row.unsaid : walk.row.fallback, config));
    return TIPS_OK;
}

static void list_names(const tips_option *table, char *out, size_t size) {
    size_t length = 0;
    snprintf(out, size, "%s", "no options");
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", walk.row.name);
    }
}

static tips_status refuse_key(const tips_option *table, const char *key, const char *owner) {
    char names[LIST_SIZE];
    list_names(table, names, sizeof names);
    const char *nearest = tips__option_nearest(table, key);
    if (!nearest) TIPS_FAIL(TIPS_UNKNOWN, "unknown option '%s' of %s; it takes %s", key, owner, names);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown option '%s' of %s; did you mean '%s'? It takes %s", key, owner, nearest, names);
}

typedef struct key_value {
    tips_option row;
    char value[VALUE_SIZE];
} key_value;

/* Takes one "key=value" (or "key", true, for a BOOL) off the front of `*text`. */
static tips_status take_pair(const tips_option *table, const char **text, const char *owner, key_value *out) {
    char key[KEY_SIZE];
    const char *rest = cut(*text, "=,", key, sizeof key);
    if (!rest) TIPS_FAIL(TIPS_INVALID, "the option '%.40s...' of %s is too long", *text, owner);
    if (!tips__option_find(table, key, &out->row)) return refuse_key(table, key, owner);
    if (out->row.type == TIPS_OPT_TEXT || out->row.type == TIPS_OPT_LIST)
        TIPS_FAIL(TIPS_INVALID, "%s:%s cannot be set in a list of options", owner, key);
    if (*rest == '=') {
        *text = cut(rest + 1, ",", out->value, sizeof out->value);
        if (!*text) TIPS_FAIL(TIPS_INVALID, "the value of %s:%s is too long", owner, key);
        return TIPS_OK;
    }
    if (out->row.type != TIPS_OPT_BOOL)
        TIPS_FAIL(TIPS_INVALID, "%s:%s needs a value: write %s=VALUE", owner, key, key);
    strcpy(out->value, "true");
    *text = rest;
    return TIPS_OK;
}

/* Where a row stands in its table, counted from 0. */
static int place_of(const tips_option *table, const char *name) {
    int place = 0;
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk); place++)
        if (strcmp(walk.row.name, name) == 0) break;
    return place;
}

/* One pass over the list; without a config it only checks. */
static tips_status read_list(const tips_option *table, void *config, const char *text, const char *owner) {
    uint64_t seen[4] = {0};
    while (*text) {
        key_value item;
        option_value value;
        char where[2 * KEY_SIZE];
        TIPS_TRY(take_pair(table, &text, owner, &item));
        snprintf(where, sizeof where, "%s:%s", owner, item.row.name);
        const int at = place_of(table, item.row.name) % 256;
        if (seen[at / 64] >> at % 64 & 1) TIPS_FAIL(TIPS_INVALID, "%s is given twice", where);
        seen[at / 64] |= (uint64_t)1 << at % 64;
        TIPS_TRY(parse_value(&item.row, item.value, where, &value));
        if (config) store(&item.row, config, &value), tips__option_note_given(&item.row, config);
        if (*text == ',' && *++text == '\0') TIPS_FAIL(TIPS_INVALID, "the options of %s end in a comma", owner);
    }
    return TIPS_OK;
}

tips_status tips__options_parse(const tips_option *table, void *config, const char *text, const char *owner) {
    TIPS_TRY(read_list(table, NULL, text, owner));
    return read_list(table, config, text, owner);
}
