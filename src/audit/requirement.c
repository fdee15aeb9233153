/* Requirements on metrics: reading, checking. */
#include "audit/requirement.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/nearest.h"
#include "core/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 192 };

/* The longer of two that begin alike comes first. */
static const struct {
    const char *sign;
    tips_relation relation;
} relations[] = {{">=", TIPS_AT_LEAST}, {">", TIPS_MORE}, {"<=", TIPS_AT_MOST}, {"<", TIPS_LESS}, {"==", TIPS_EQUAL}};
enum { RELATIONS = sizeof relations / sizeof relations[0] };

/* One requirement without its surroundings. */
typedef struct piece {
    const char *at, *end;
} piece;

static void skip_blanks(piece *p) {
    while (p->at < p->end && isspace((unsigned char)*p->at)) p->at++;
    while (p->end > p->at && isspace((unsigned char)p->end[-1])) p->end--;
}

/* What training alone measures cannot be required of a model. */
static bool find_own(const tips_metric *task, const char *name, tips__nearest_search *search, tips_requirement *r) {
    const tips_metric *metric;
    for (int i = 0; (metric = tips__metric_at(task, i)); i++) {
        if (metric->need == TIPS_NEEDS_TRAINING) continue;
        r->metric = i;
        r->need = metric->need;
        if (strcmp(metric->name, name) == 0) return true;
        tips__nearest_offer(search, metric->name);
    }
    return false;
}

/* What attacks measure is called as their cases are. */
static bool find_attacked(const tips_requirements *list, const char *name, tips_requirement *r) {
    tips_attack_figure figure;
    r->metric = -1;
    r->need = TIPS_NEEDS_NOTHING;
    for (int i = 0; list->attack && tips__attack_figure(list->attack, list->task, NULL, i, &figure); i++) {
        r->figure = i;
        if (strcmp(figure.name, name) == 0) return true;
    }
    return false;
}

static tips_status find_metric(const tips_requirements *list, const char *name, tips_requirement *r) {
    const tips_metric *task = list->task;
    tips__nearest_search search = {.word = name};
    if (find_own(task, name, &search, r) || find_attacked(list, name, r)) return TIPS_OK;
    if (list->attack && list->attack->count > 0)
        TIPS_FAIL(TIPS_UNKNOWN, "--require: unknown metric '%s'; of what is attacked %s and %s:%s are some", name,
                  list->attack->cases[0].name, list->attack->cases[0].name,
                  tips__common_metrics[TIPS_METRIC_CIRCULAR_CONSISTENCY].name);
    if (search.best) TIPS_FAIL(TIPS_UNKNOWN, "--require: unknown metric '%s'; did you mean '%s'?", name, search.best);
    TIPS_FAIL(TIPS_UNKNOWN, "--require: unknown metric '%s'; %s, %s and %s are some", name,
              task[tips__metric_main(task)].name, tips__common_metrics[TIPS_METRIC_CIRCULAR_CONSISTENCY].name,
              tips__common_metrics[TIPS_METRIC_EXACT].name);
}

static bool copy(const char *from, size_t length, char *to, size_t size) {
    if (length == 0 || length >= size) return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static tips_status refuse(const piece *whole, const char *why) {
    TIPS_FAIL(TIPS_INVALID, "--require: '%.*s' %s, as in circular_consistency>=95", (int)(whole->end - whole->at),
              whole->at, why);
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':'; }

static tips_status read_name(piece *p, const piece *whole, const tips_requirements *list, tips_requirement *r) {
    char name[NAME_SIZE];
    const char *start = p->at;
    while (p->at < p->end && is_of_name(*p->at)) p->at++;
    if (!copy(start, (size_t)(p->at - start), name, sizeof name)) return refuse(whole, "has no name of a metric");
    TIPS_TRY(find_metric(list, name, r));
    snprintf(r->text, sizeof r->text, "%s", name);
    skip_blanks(p);
    return TIPS_OK;
}

static bool read_relation(piece *p, tips_relation *out, const char **sign) {
    for (int i = 0; i < RELATIONS; i++) {
        const size_t length = strlen(relations[i].sign);
        if ((size_t)(p->end - p->at) < length || memcmp(p->at, relations[i].sign, length) != 0) continue;
        p->at += length;
        *out = relations[i].relation;
        *sign = relations[i].sign;
        return true;
    }
    return false;
}

/* A sign of percent at the end is taken away. */
static bool take_percent(piece *p) {
    skip_blanks(p);
    const bool is_there = p->end > p->at && p->end[-1] == '%';
    if (is_there) p->end--;
    skip_blanks(p);
    return is_there;
}

/* 0.9 for 90 % would pass nearly every network, and nothing is above 100. Of what should be low, half a percent at most
 * can well be meant. */
static tips_status check_percent(const piece *whole, const tips_metric *metric, const tips_requirement *r, bool said) {
    const int length = (int)(whole->end - whole->at);
    if (r->bound < 0 || r->bound > 100)
        TIPS_FAIL(TIPS_INVALID, "--require: '%.*s' cannot be meant: %s is in percent, 0 to 100; write 90 or 90%%",
                  length, whole->at, metric->name);
    const bool is_low = metric->better == TIPS_LOWER && (r->relation == TIPS_AT_MOST || r->relation == TIPS_LESS);
    if (!said && !is_low && r->bound > 0 && r->bound <= 1)
        TIPS_FAIL(TIPS_INVALID,
                  "--require: '%.*s': %s is in percent, so write %.6g or %.6g%%; should it really be %.6g percent, "
                  "write %.6g%%",
                  length, whole->at, metric->name, 100 * r->bound, 100 * r->bound, r->bound, r->bound);
    return TIPS_OK;
}

static tips_status check_unit(const piece *whole, const tips_metric *metric, const tips_requirement *r, bool percent) {
    if (strcmp(metric->unit, "%") == 0) return check_percent(whole, metric, r, percent);
    return percent ? refuse(whole, "is not in percent; others are") : TIPS_OK;
}

static tips_status read_bound(piece *p, const piece *whole, const tips_metric *metric, tips_requirement *r) {
    char number[NAME_SIZE];
    const char *sign;
    const size_t length = strlen(r->text);
    if (!read_relation(p, &r->relation, &sign)) return refuse(whole, "needs >=, >, <=, < or == and a number");
    const bool percent = take_percent(p);
    if (!copy(p->at, (size_t)(p->end - p->at), number, sizeof number) || !tips__number_parse(number, &r->bound) ||
        !isfinite(r->bound))
        return refuse(whole, "needs a number after the sign");
    TIPS_TRY(check_unit(whole, metric, r, percent));
    tips__number_format(r->bound, number, sizeof number);
    snprintf(r->text + length, sizeof r->text - length, " %s %s", sign, number);
    return TIPS_OK;
}

/* The row of what is required; that of an attack is made here, with its name in `figure`. */
static tips_metric metric_of(const tips_requirements *list, const tips_requirement *r, tips_attack_figure *figure) {
    if (r->metric >= 0) return *tips__metric_at(list->task, r->metric);
    tips__attack_figure(list->attack, list->task, NULL, r->figure, figure);
    return (tips_metric){.name = figure->name, .unit = figure->unit, .better = figure->better};
}

static tips_status read_piece(const piece *whole, const tips_requirements *list, tips_requirement *out) {
    piece p = *whole;
    tips_requirement r = {.relation = TIPS_HOLDS, .got = NAN};
    tips_attack_figure figure;
    TIPS_TRY(read_name(&p, whole, list, &r));
    const tips_metric metric = metric_of(list, &r, &figure);
    if (r.need != TIPS_NEEDS_VERIFIER) TIPS_TRY(read_bound(&p, whole, &metric, &r));
    else if (p.at != p.end) return refuse(whole, "is a verdict and takes no number; others do");
    *out = r;
    return TIPS_OK;
}

static tips_status append(tips_requirements *list, const tips_requirement *r) {
    const size_t old = (size_t)list->count;
    tips_requirement *items = tips__grow(list->items, old * sizeof *items, (old + 1) * sizeof *items);
    if (!items) TIPS_FAIL(TIPS_MEMORY, "out of memory for requirements");
    list->items = items;
    list->items[list->count++] = *r;
    return TIPS_OK;
}

/* Takes the next piece off the front of `*at`; `*at` is NULL behind the last. */
static piece next_piece(const char **at) {
    const size_t length = strcspn(*at, ",;");
    piece whole = {*at, *at + length};
    *at += length;
    if (**at == '\0' || (*at)[1 + strspn(*at + 1, " \t\n")] == '\0') *at = NULL;
    else ++*at;
    skip_blanks(&whole);
    return whole;
}

static tips_status check_pieces(const char *text) {
    for (const char *at = text; at;) {
        const piece whole = next_piece(&at);
        if (whole.at == whole.end) TIPS_FAIL(TIPS_INVALID, "--require: a requirement is empty in '%s'", text);
    }
    return TIPS_OK;
}

tips_status tips__requirements_add(tips_requirements *list, const char *text) {
    TIPS_TRY(check_pieces(text));
    for (const char *at = text; at;) {
        const piece whole = next_piece(&at);
        tips_requirement r;
        TIPS_TRY(read_piece(&whole, list, &r));
        TIPS_TRY(append(list, &r));
    }
    return TIPS_OK;
}

static bool verdict(const tips_metric *metric, const tips_verify_result *v) {
    return metric == &tips__common_metrics[TIPS_METRIC_EXACT] ? v->exact : v->answer_changes == 0;
}

static bool compare(const tips_requirement *r) {
    switch (r->relation) {
    case TIPS_AT_LEAST: return r->got >= r->bound;
    case TIPS_MORE: return r->got > r->bound;
    case TIPS_AT_MOST: return r->got <= r->bound;
    case TIPS_LESS: return r->got < r->bound;
    case TIPS_EQUAL: return r->got == r->bound;
    case TIPS_HOLDS: break;
    }
    return r->got == 1;
}

static double measured(const tips_requirements *list, const tips_requirement *r, const tips_model_result *model,
                       const tips_attack_result *attack) {
    tips_attack_figure figure;
    if (r->metric >= 0) return tips__figure_at(&model->figures, r->metric).value;
    if (!attack || !tips__attack_figure(&attack->plan, list->task, attack, r->figure, &figure)) return NAN;
    return figure.figure.value;
}

bool tips__requirements_check(tips_requirements *list, const tips_model_result *model, const tips_verify_result *v,
                              const tips_attack_result *attack) {
    bool all = true;
    for (int i = 0; i < list->count; i++) {
        tips_requirement *r = &list->items[i];
        if (r->need != TIPS_NEEDS_VERIFIER) r->got = measured(list, r, model, attack);
        else if (v) r->got = verdict(tips__metric_at(list->task, r->metric), v);
        r->ok = compare(r);
        all = all && r->ok;
    }
    return all;
}

bool tips__requirements_need(const tips_requirements *list, tips_metric_need need) {
    for (int i = 0; i < list->count; i++)
        if (list->items[i].need == need) return true;
    return false;
}

void tips__requirement_got(const tips_requirement *r, char *out, size_t size) {
    if (isnan(r->got)) snprintf(out, size, "not measured");
    else if (r->relation == TIPS_HOLDS) snprintf(out, size, "%s", r->ok ? "yes" : "no");
    else snprintf(out, size, "%.2f", r->got);
}
