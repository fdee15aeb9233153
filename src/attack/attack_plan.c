/* From texts to cases. */
#include "attack/attack.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/name_list.h"
#include "core/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 512, SMALL = 64 /* pixels: up to here the constants are those of 32 */ };

bool tips__attack_is_wanted(const tips_attack_options *o) { return o->attacks.count + o->corruptions.count > 0; }

static tips_status add_case(tips_attack_plan *plan, const tips_attack_case *one) {
    const size_t old = (size_t)plan->count;
    tips_attack_case *cases = tips__grow(plan->cases, old * sizeof *cases, (old + 1) * sizeof *cases);
    if (!cases) TIPS_FAIL(TIPS_MEMORY, "out of memory for cases");
    plan->cases = cases;
    cases[plan->count++] = *one;
    return TIPS_OK;
}

static bool is_taken(const tips_attack_plan *plan, const char *name) {
    for (int i = 0; i < plan->count; i++)
        if (strcmp(plan->cases[i].name, name) == 0) return true;
    return false;
}

/* "fgsm_linf_2_255"; a second one of that name is "fgsm_linf_2_255_2". */
static void name_case(const tips_attack_plan *plan, const tips_attack_spec *spec, tips_attack_case *one) {
    const char *variant = spec->method->variant(&spec->config);
    char base[TIPS_CASE_NAME - 16];
    snprintf(base, sizeof base, "%s%s%s_%s", spec->method->name, variant[0] ? "_" : "", variant, one->strength.text);
    for (char *at = base; *at; at++)
        if (*at == '/') *at = '_';
    snprintf(one->name, sizeof one->name, "%s", base);
    for (int i = 2; is_taken(plan, one->name); i++) snprintf(one->name, sizeof one->name, "%s_%d", base, i);
}

static tips_status add_attack(tips_attack_plan *plan, const char *text, const int size[2]) {
    const size_t old = (size_t)plan->n_attacks;
    tips_attack_spec spec;
    TIPS_TRY(tips__attack_parse(text, &spec));
    if (spec.n_strengths == 0) spec.n_strengths = spec.method->usual(&spec.config, size, spec.strengths);
    tips_attack_spec *attacks = tips__grow(plan->attacks, old * sizeof *attacks, (old + 1) * sizeof *attacks);
    if (!attacks) TIPS_FAIL(TIPS_MEMORY, "out of memory for attacks");
    plan->attacks = attacks;
    attacks[plan->n_attacks++] = spec;
    for (int i = 0; i < spec.n_strengths; i++) {
        tips_attack_case one = {
            .attack = plan->n_attacks - 1, .strength = spec.strengths[i], .corruption = -1, .severity = 0};
        tips__attack_format(&spec, &one.strength, one.text, sizeof one.text);
        name_case(plan, &spec, &one);
        TIPS_TRY(add_case(plan, &one));
    }
    return TIPS_OK;
}

static tips_status add_severity(tips_attack_plan *plan, int corruption, int severity) {
    const char *name = tips__corruptions[corruption].name;
    tips_attack_case one = {.attack = -1, .corruption = corruption, .severity = severity};
    snprintf(one.name, sizeof one.name, "%s_%d", name, severity);
    snprintf(one.text, sizeof one.text, "%s:%d", name, severity);
    return is_taken(plan, one.name) ? TIPS_OK : add_case(plan, &one);
}

/* `severity` 0: all of them. */
static tips_status add_corruption(tips_attack_plan *plan, int corruption, int severity) {
    for (int s = 1; s <= TIPS_SEVERITIES; s++)
        if (severity == 0 || s == severity) TIPS_TRY(add_severity(plan, corruption, s));
    return TIPS_OK;
}

/* Whether a word means a corruption: by its name or as one of several. */
static bool means(const char *word, int i) {
    const tips_corruption *c = &tips__corruptions[i];
    if (tips__same_name(word, c->name)) return true;
    if (strcmp(word, "extra") == 0) return c->extra;
    return !c->extra && (strcmp(word, "all") == 0 || strcmp(word, tips__corruption_groups[c->group]) == 0);
}

static tips_status refuse_word(const char *word) {
    tips__nearest_search search = {.word = word};
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) tips__nearest_offer(&search, tips__corruptions[i].name);
    for (int i = 0; tips__corruption_groups[i]; i++) tips__nearest_offer(&search, tips__corruption_groups[i]);
    if (search.best)
        TIPS_FAIL(TIPS_UNKNOWN, "--corrupt: unknown corruption '%s'; did you mean '%s'?", word, search.best);
    TIPS_FAIL(TIPS_UNKNOWN,
              "--corrupt: unknown corruption '%s'; 'tips list corruptions' has them, and all, extra, noise, "
              "blur, weather and digital mean several",
              word);
}

static tips_status add_corruptions(tips_attack_plan *plan, char *word) {
    char *colon = strchr(word, ':');
    const int severity =
        colon && colon[1] >= '1' && colon[1] <= '0' + TIPS_SEVERITIES && !colon[2] ? colon[1] - '0' : 0;
    bool found = false;
    if (colon && severity == 0)
        TIPS_FAIL(TIPS_RANGE, "--corrupt: '%s' has a severity that is not 1 to %d", word, TIPS_SEVERITIES);
    if (colon) *colon = '\0';
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) {
        if (!means(word, i)) continue;
        found = true;
        TIPS_TRY(add_corruption(plan, i, severity));
    }
    return found ? TIPS_OK : refuse_word(word);
}

/* Names parted by commas, with options that hold commas, or by semicolons. */
static tips_status read_list(tips_attack_plan *plan, const char *text, const int size[2], bool attacks) {
    char list[WORD], word[WORD];
    bool more = true;
    if (strlen(text) >= sizeof list)
        TIPS_FAIL(TIPS_INVALID,
                  "a list of attacks or corruptions is longer than %d letters; give the flag several times", WORD - 1);
    snprintf(list, sizeof list, "%s", text);
    for (char *at = list; *at; at++)
        if (*at == ';') *at = ',';
    const char *rest = list;
    while (true) {
        TIPS_TRY(tips__name_list_next(&rest, word, sizeof word, &more));
        if (!more) return TIPS_OK;
        TIPS_TRY(attacks ? add_attack(plan, word, size) : add_corruptions(plan, word));
    }
}

static int by_row(const void *a, const void *b) {
    const tips_attack_case *x = a, *y = b;
    if (x->corruption != y->corruption) return x->corruption < y->corruption ? -1 : 1;
    return x->severity - y->severity;
}

static tips_status fill(const tips_attack_options *o, const int size[2], tips_attack_plan *plan) {
    for (int i = 0; i < o->attacks.count; i++) TIPS_TRY(read_list(plan, o->attacks.text[i], size, true));
    const int attacks = plan->count;
    for (int i = 0; i < o->corruptions.count; i++) TIPS_TRY(read_list(plan, o->corruptions.text[i], size, false));
    if (plan->count > attacks)
        qsort(plan->cases + attacks, (size_t)(plan->count - attacks), sizeof *plan->cases, by_row);
    return TIPS_OK;
}

tips_status tips__attack_plan(const tips_attack_options *o, const int size[2], tips_attack_plan *out) {
    const bool is_small = size[0] <= SMALL && size[1] <= SMALL;
    tips_attack_plan plan = {.with_frost = o->frost != NULL, .size = {size[0], size[1]}};
    plan.scale = o->constants > 0 ? (tips_corruption_scale)(o->constants - 1)
                 : is_small       ? TIPS_CORRUPT_32
                                  : TIPS_CORRUPT_224;
    plan.jpeg = o->jpeg >= 0 ? o->jpeg : plan.scale == TIPS_CORRUPT_224 ? 85 : 0;
    const tips_status status = fill(o, size, &plan);
    if (status == TIPS_OK) *out = plan;
    else tips__attack_plan_clear(&plan);
    return status;
}

void tips__attack_plan_clear(tips_attack_plan *plan) {
    tips__free(plan->attacks);
    tips__free(plan->cases);
    *plan = (tips_attack_plan){0};
}

double tips__attack_strength(const tips_attack_plan *plan, const tips_attack_case *one) {
    const tips_attack_method *method = plan->attacks[one->attack].method;
    return method->in_usual_unit ? method->in_usual_unit(&one->strength, plan->size) : one->strength.value;
}

tips_status tips__attack_check(const tips_attack_options *o) {
    const int any[2] = {32, 32};
    tips_attack_plan plan;
    TIPS_TRY(tips__attack_plan(o, any, &plan));
    tips__attack_plan_clear(&plan);
    return TIPS_OK;
}
