/* Attacks as they are written: a name, options, and a strength or several joined by '+'. */
#include "attack/attack_method.h"

#include "core/fail.h"
#include "core/nearest.h"
#include "core/number.h"

#include <math.h>
#include <string.h>

#define TIPS_ATTACK(name) extern const tips_attack_method tips__attack_##name;
#include "attack/attacks.def"
#undef TIPS_ATTACK

const tips_attack_method *const tips__attack_methods[] = {
#define TIPS_ATTACK(name) &tips__attack_##name,
#include "attack/attacks.def"
#undef TIPS_ATTACK
    NULL};

enum { PIECE = 256 };

bool tips__fraction_parse(const char *text, double *out) {
    char above[PIECE];
    double value, below = 1;
    const size_t length = strcspn(text, "/");
    if (length >= sizeof above) return false;
    memcpy(above, text, length);
    above[length] = '\0';
    if (!tips__number_parse(above, &value)) return false;
    if (text[length] && (!tips__number_parse(text + length + 1, &below) || below == 0)) return false;
    if (!isfinite(value / below)) return false;
    *out = value / below;
    return true;
}

static tips_status find_method(const char *name, size_t length, const tips_attack_method **out) {
    char word[PIECE];
    tips__nearest_search search = {.word = word};
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (int i = 0; tips__attack_methods[i]; i++) {
        *out = tips__attack_methods[i];
        if (tips__same_name((*out)->name, word)) return TIPS_OK;
        tips__nearest_offer(&search, (*out)->name);
    }
    if (search.best) TIPS_FAIL(TIPS_UNKNOWN, "--attack: unknown attack '%s'; did you mean '%s'?", word, search.best);
    TIPS_FAIL(TIPS_UNKNOWN, "--attack: unknown attack '%s'; fgsm, pgd and patch are there", word);
}

/* Takes what lies before `mark` off the front of `*at`, which is NULL behind the last. */
static tips_status cut(const char **at, char mark, char out[PIECE]) {
    const char *end = strchr(*at, mark);
    const size_t length = end ? (size_t)(end - *at) : strlen(*at);
    if (length == 0)
        TIPS_FAIL(TIPS_INVALID, "--attack: something is missing %s '%c', such as fgsm:eps=2/255",
                  **at ? "before" : "behind", **at ? mark : (*at)[-1]);
    if (length >= PIECE) TIPS_FAIL(TIPS_INVALID, "--attack: too long at '%s'", *at);
    memcpy(out, *at, length);
    out[length] = '\0';
    *at = end ? end + 1 : NULL;
    return TIPS_OK;
}

static tips_status add_strength(tips_attack_spec *spec, const char *text) {
    const tips_attack_method *m = spec->method;
    tips_strength *s = &spec->strengths[spec->n_strengths];
    if (spec->n_strengths == TIPS_MOST_STRENGTHS)
        TIPS_FAIL(TIPS_RANGE, "--attack: %s takes at most %d values of %s", m->name, TIPS_MOST_STRENGTHS, m->strength);
    if (strlen(text) >= sizeof s->text || !tips__fraction_parse(text, &s->value) || s->value < 0)
        TIPS_FAIL(TIPS_INVALID,
                  "--attack: %s:%s=%s is not a number of 0 or more, such as 0.5 or 2/255, or several "
                  "joined by +",
                  m->name, m->strength, text);
    memcpy(s->text, text, strlen(text) + 1);
    spec->n_strengths++;
    return TIPS_OK;
}

static tips_status read_strengths(tips_attack_spec *spec, const char *list) {
    char text[PIECE];
    spec->n_strengths = 0;
    for (const char *at = list; at;) {
        TIPS_TRY(cut(&at, '+', text));
        TIPS_TRY(add_strength(spec, text));
    }
    return TIPS_OK;
}

static tips_status refuse_key(const tips_attack_method *m, const char *key) {
    const char *nearest = tips__option_nearest(m->options, key);
    char all[PIECE] = "";
    size_t length = 0;
    for (tips_option_walk walk = tips__options_walk(m->options); tips__options_next(&walk);)
        if (length < sizeof all)
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length ? ", " : "", walk.row.name);
    if (nearest) TIPS_FAIL(TIPS_UNKNOWN, "--attack: %s has no option '%s'; did you mean '%s'?", m->name, key, nearest);
    TIPS_FAIL(TIPS_UNKNOWN, "--attack: %s has no option '%s'; it has %s", m->name, key, all);
}

/* Numbers may be fractions everywhere. */
static tips_status set_option(tips_attack_spec *spec, const char *key, const char *value) {
    char where[2 * PIECE], number[TIPS_NUMBER_SIZE];
    tips_option row;
    double real;
    if (tips__same_name(key, spec->method->strength)) {
        if (spec->n_strengths > 0)
            TIPS_FAIL(TIPS_INVALID, "--attack: %s is there twice; join several values by +", spec->method->strength);
        return read_strengths(spec, value);
    }
    if (!tips__option_find(spec->method->options, key, &row)) return refuse_key(spec->method, key);
    snprintf(where, sizeof where, "--attack %s:%s", spec->method->name, row.name);
    if (row.type == TIPS_OPT_FLOAT && strchr(value, '/') && tips__fraction_parse(value, &real)) {
        tips__number_format(real, number, sizeof number);
        value = number;
    }
    return tips__option_set(&row, &spec->config, value, where);
}

static tips_status read_option(tips_attack_spec *spec, char *piece) {
    char *sign = strchr(piece, '=');
    if (!sign || !sign[1])
        TIPS_FAIL(TIPS_INVALID, "--attack: '%s' of %s is not key=value, such as %s=%s", piece, spec->method->name,
                  spec->method->strength, "1/255");
    *sign = '\0';
    return set_option(spec, piece, sign + 1);
}

tips_status tips__attack_parse(const char *text, tips_attack_spec *out) {
    const size_t length = strcspn(text, ":");
    tips_attack_spec spec;
    char piece[PIECE];
    memset(&spec, 0, sizeof spec);
    TIPS_TRY(find_method(text, length, &spec.method));
    TIPS_TRY(tips__options_defaults(spec.method->options, &spec.config));
    for (const char *at = text[length] ? text + length + 1 : NULL; at;) {
        TIPS_TRY(cut(&at, ',', piece));
        TIPS_TRY(read_option(&spec, piece));
    }
    for (int i = 0; i < spec.n_strengths; i++) TIPS_TRY(spec.method->check(&spec.config, &spec.strengths[i], NULL));
    *out = spec;
    return TIPS_OK;
}

void tips__attack_format(const tips_attack_spec *spec, const tips_strength *strength, char *out, size_t size) {
    char options[PIECE];
    tips__options_format(spec->method->options, &spec->config, options, sizeof options);
    snprintf(out, size, "%s:%s%s%s=%s", spec->method->name, options, options[0] ? "," : "", spec->method->strength,
             strength->text);
}
