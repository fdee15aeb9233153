/* Option values and ranges written as a user would write them. */
#include "core/number.h"
#include "core/option.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { VALUE_SIZE = 256 };

static const void *field(const tips_option *row, const void *config) { return (const char *)config + row->offset; }

static void format_pair(const int *pair, char *out, size_t size) {
    if (pair[0] == pair[1]) snprintf(out, size, "%d", pair[0]);
    else snprintf(out, size, "%dx%d", pair[0], pair[1]);
}

static void join_choices(const tips_option *row, char *out, size_t size) {
    size_t length = 0;
    for (int i = 0; row->choices[i]; i++) {
        if (length >= size) return;
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? "|" : "", row->choices[i]);
    }
}

static void format_chain(const tips_option *row, const int *chain, char *out, size_t size) {
    size_t length = (size_t)snprintf(out, size, "%s", row->choices[chain[0]]);
    for (int i = 1; i < TIPS_CHAIN_MOST && chain[i] != 0 && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "+%s", row->choices[chain[i]]);
}

void tips__option_format(const tips_option *row, const void *config, char *out, size_t size) {
    const void *value = field(row, config);
    const char *text = "";
    switch (row->type) {
    case TIPS_OPT_BOOL: text = *(const bool *)value ? "true" : "false"; break;
    case TIPS_OPT_INT: snprintf(out, size, "%d", *(const int *)value); return;
    case TIPS_OPT_FLOAT: tips__number_format(*(const double *)value, out, size); return;
    case TIPS_OPT_CHOICE: text = row->choices[*(const int *)value]; break;
    case TIPS_OPT_PAIR: format_pair(value, out, size); return;
    case TIPS_OPT_CHAIN: format_chain(row, value, out, size); return;
    case TIPS_OPT_TEXT: text = *(const char *const *)value ? *(const char *const *)value : ""; break;
    case TIPS_OPT_LIST:
    case TIPS_OPT_GROUP:
    case TIPS_OPT_LIKE:
    case TIPS_OPT_GIVEN:
    case TIPS_OPT_END: break;
    }
    snprintf(out, size, "%s", text);
}

bool tips__option_format_fallback(const tips_option *row, char *out, size_t size) {
    union {
        bool flag;
        int pair[2], chain[TIPS_CHAIN_MOST];
        double real;
    } value = {.pair = {0, 0}};
    tips_option alone[2] = {*row, {.type = TIPS_OPT_END}};
    alone[0].offset = 0;
    memset(alone[0].given, 0, sizeof alone[0].given); /* the lists lie in another config */
    if (tips__options_defaults(alone, &value) != TIPS_OK) return false;
    tips__option_format(&alone[0], &value, out, size);
    return true;
}

void tips__options_format(const tips_option *table, const void *config, char *out, size_t size) {
    size_t length = 0;
    if (size > 0) out[0] = '\0';
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        const tips_option *row = &walk.row;
        char value[VALUE_SIZE], fallback[VALUE_SIZE];
        if (row->type == TIPS_OPT_TEXT || row->type == TIPS_OPT_LIST) continue;
        tips__option_format(row, config, value, sizeof value);
        if (tips__option_format_fallback(row, fallback, sizeof fallback) && strcmp(value, fallback) == 0) continue;
        if (length < size) {
            const char *comma = length ? "," : "";
            length += (size_t)snprintf(out + length, size - length, "%s%s=%s", comma, row->name, value);
        }
    }
}

static void range_of_numbers(const tips_option *row, const char *unlimited, char *out, size_t size) {
    char low[TIPS_NUMBER_SIZE], high[TIPS_NUMBER_SIZE];
    const bool is_real = row->type == TIPS_OPT_FLOAT;
    const bool no_low = is_real ? isinf(row->min) : row->min <= INT_MIN;
    const bool no_high = is_real ? isinf(row->max) : row->max >= INT_MAX;
    tips__number_format(row->min, low, sizeof low);
    tips__number_format(row->max, high, sizeof high);
    if ((row->min == 0 && row->max == 0) || (no_low && no_high)) snprintf(out, size, "%s", unlimited);
    else if (no_low) snprintf(out, size, "at most %s", high);
    else if (no_high && !is_real) snprintf(out, size, "at least %s", low);
    else snprintf(out, size, "%s..%s", low, high);
}

void tips__option_range(const tips_option *row, char *out, size_t size) {
    char numbers[3 * TIPS_NUMBER_SIZE], choices[VALUE_SIZE];
    switch (row->type) {
    case TIPS_OPT_BOOL: snprintf(out, size, "true|false"); return;
    case TIPS_OPT_INT: range_of_numbers(row, "any whole number", out, size); return;
    case TIPS_OPT_FLOAT: range_of_numbers(row, "any number", out, size); return;
    case TIPS_OPT_CHOICE: join_choices(row, out, size); return;
    case TIPS_OPT_CHAIN:
        join_choices(row, choices, sizeof choices);
        snprintf(out, size, "%s, or several joined by +", choices);
        return;
    case TIPS_OPT_LIST:
    case TIPS_OPT_TEXT: snprintf(out, size, "any text"); return;
    case TIPS_OPT_PAIR:
        range_of_numbers(row, "any whole numbers", numbers, sizeof numbers);
        snprintf(out, size, "N or NxM, each %s", numbers);
        return;
    case TIPS_OPT_GROUP:
    case TIPS_OPT_LIKE:
    case TIPS_OPT_GIVEN:
    case TIPS_OPT_END: break;
    }
    snprintf(out, size, "nothing");
}
