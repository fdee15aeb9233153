/* What the paper claims, the rule that judges it, and the table of both. */
#include "study/paper.h"

#include "metric/correlation.h"

#include <math.h>
#include <string.h>

const char *const tips__verdict_names[] = {"holds", "does not hold", "not told", "cannot be tested here", NULL};

const tips_paper_item tips__paper[] = {
#define TIPS_PAPER(label, what, theirs, ours, operator, command, study, verdict, ...) \
    {label, what, theirs, ours, operator, command, study, TIPS_VERDICT_##verdict, {__VA_ARGS__}},
#define MORE(axis, better, worse, figure, within) \
    { TIPS_CLAIM_MORE, axis, better, worse, figure, within }
#define STRONG(x, y) \
    { TIPS_CLAIM_STRONG, NULL, x, NULL, y, NULL }
#define EXACT(axis, one, figure, within) \
    { TIPS_CLAIM_EXACT, axis, one, NULL, figure, within }
#define NO_CLAIM \
    { TIPS_CLAIM_NONE, NULL, NULL, NULL, NULL, NULL }
#include "study/paper.def"
#undef TIPS_PAPER
    {0}};

static const struct recorded {
    const char *label;
    int claim;
    tips_claim_state state;
} recorded[] = {
#define TIPS_PAPER_RESULT(label, claim, better, worse, paired, value, low, high) \
    {label, claim, {better, worse, paired, {value, low, high}}},
#include "study/paper_results.def"
#undef TIPS_PAPER_RESULT
    {0}};

tips_paper_state tips__paper_recorded(const tips_paper_item *item) {
    tips_paper_state s = {0};
    for (int i = 0; i < TIPS_PAPER_CLAIMS; i++) s.claims[i].figure = tips__figure_none();
    for (const struct recorded *r = recorded; r->label; r++)
        if (strcmp(r->label, item->label) == 0) s.claims[r->claim] = r->state;
    return s;
}

tips_verdict tips__claim_judge(const tips_claim *claim, const tips_claim_state *state) {
    const tips_figure f = state->figure;
    if (isnan(f.low)) return TIPS_VERDICT_UNTOLD;
    switch (claim->kind) {
    case TIPS_CLAIM_EXACT: return f.value >= 100 ? TIPS_VERDICT_HOLDS : TIPS_VERDICT_FAILS;
    case TIPS_CLAIM_STRONG:
        if (f.high < -TIPS_STRONG) return TIPS_VERDICT_HOLDS;
        return f.low > -TIPS_STRONG ? TIPS_VERDICT_FAILS : TIPS_VERDICT_UNTOLD;
    default:
        if (f.low > 0) return TIPS_VERDICT_HOLDS;
        return f.high < 0 ? TIPS_VERDICT_FAILS : TIPS_VERDICT_UNTOLD;
    }
}

tips_verdict tips__paper_judge(const tips_paper_item *item, const tips_paper_state *state) {
    tips_verdict all = item->claims[0].kind == TIPS_CLAIM_NONE ? TIPS_VERDICT_UNTOLD : TIPS_VERDICT_HOLDS;
    for (int i = 0; i < TIPS_PAPER_CLAIMS && item->claims[i].kind != TIPS_CLAIM_NONE; i++) {
        const tips_verdict one = tips__claim_judge(&item->claims[i], &state->claims[i]);
        if (one == TIPS_VERDICT_FAILS) return one;
        if (one == TIPS_VERDICT_UNTOLD) all = one;
    }
    return all;
}

tips_verdict tips__paper_verdict(const tips_paper_item *item) {
    const tips_paper_state state = tips__paper_recorded(item);
    return item->verdict == TIPS_VERDICT_JUDGED ? tips__paper_judge(item, &state) : item->verdict;
}

/* Why a claim has no verdict; "" where the verdict says it all. */
static const char *doubt_of(const tips_claim *claim, const tips_claim_state *s) {
    if (tips__claim_judge(claim, s) != TIPS_VERDICT_UNTOLD) return "";
    if (isnan(s->figure.value)) return ", models are missing";
    if (!isnan(s->figure.low))
        return claim->kind == TIPS_CLAIM_STRONG ? ", the interval holds -0.5" : ", the interval holds 0";
    if (claim->kind == TIPS_CLAIM_STRONG) return ", fewer than five clusters have no interval";
    return s->paired ? ", pairs without a spread" : ", one model is no sample";
}

static void describe_what(const tips_claim *c, char *out, size_t size) {
    if (c->kind == TIPS_CLAIM_MORE) snprintf(out, size, "%s - %s, %s", c->better, c->worse, c->figure);
    else if (c->kind == TIPS_CLAIM_STRONG) snprintf(out, size, "r of %s and %s", c->better, c->figure);
    else snprintf(out, size, "least %s with %s", c->figure, c->better);
}

static void describe_sample(const tips_claim *c, const tips_claim_state *s, char *out, size_t size) {
    if (c->kind == TIPS_CLAIM_STRONG) snprintf(out, size, "%d models in %d clusters", s->better, s->worse);
    else if (c->kind == TIPS_CLAIM_EXACT) snprintf(out, size, "%d model%s", s->better, s->better == 1 ? "" : "s");
    else if (s->paired) snprintf(out, size, "%d pairs", s->better);
    else snprintf(out, size, "%d and %d models", s->better, s->worse);
}

void tips__claim_describe(const tips_claim *claim, const tips_claim_state *state, char *out, size_t size) {
    char what[160], sample[64], interval[64] = "";
    const tips_figure f = state->figure;
    const char *verdict = tips__verdict_names[tips__claim_judge(claim, state)];
    describe_what(claim, what, sizeof what);
    describe_sample(claim, state, sample, sizeof sample);
    if (!isnan(f.low)) snprintf(interval, sizeof interval, " (%.2f to %.2f)", f.low, f.high);
    if (isnan(f.value)) snprintf(out, size, "%s: %s%s", what, verdict, doubt_of(claim, state));
    else
        snprintf(out, size, claim->kind == TIPS_CLAIM_MORE ? "%s: %+.2f%s, %s: %s%s" : "%s: %.2f%s, %s: %s%s", what,
                 f.value, interval, sample, verdict, doubt_of(claim, state));
}

static void put_claim(tips_json *json, const tips_claim *claim, const tips_claim_state *state) {
    char text[512];
    tips__claim_describe(claim, state, text, sizeof text);
    tips__json_open_object(json, NULL);
    tips__json_text(json, "claim", text);
    tips__json_text(json, "judgement", tips__verdict_names[tips__claim_judge(claim, state)]);
    tips__json_int(json, "better", state->better);
    tips__json_int(json, "worse", state->worse);
    tips__json_bool(json, "paired", state->paired);
    tips__json_number(json, "value", state->figure.value);
    tips__json_number(json, "low", state->figure.low);
    tips__json_number(json, "high", state->figure.high);
    tips__json_close_object(json);
}

void tips__paper_put_claims(tips_json *json, const tips_paper_item *item, const tips_paper_state *state) {
    tips__json_text(json, "operator", item->operator);
    tips__json_open_array(json, "claims");
    for (int i = 0; i < TIPS_PAPER_CLAIMS && item->claims[i].kind != TIPS_CLAIM_NONE; i++)
        put_claim(json, &item->claims[i], &state->claims[i]);
    tips__json_close_array(json);
    tips__json_text(json, "judgement", tips__verdict_names[tips__paper_judge(item, state)]);
}

static void put_claims(FILE *file, const tips_paper_item *item) {
    const tips_paper_state state = tips__paper_recorded(item);
    char text[512];
    for (int i = 0; i < TIPS_PAPER_CLAIMS && item->claims[i].kind != TIPS_CLAIM_NONE; i++) {
        if (isnan(state.claims[i].figure.value)) continue;
        tips__claim_describe(&item->claims[i], &state.claims[i], text, sizeof text);
        fprintf(file, "%s%s", i ? "; " : "", text);
    }
}

void tips__paper_markdown(FILE *file) {
    fprintf(file, "| paper | what | theirs | ours | TIPS here is | models say | verdict | command |\n"
                  "|---|---|---|---|---|---|---|---|\n");
    for (const tips_paper_item *i = tips__paper; i->label; i++) {
        const char *tick = i->operator? "`" : "", *quote = i->command ? "`" : "";
        fprintf(file, "| %s | %s | %s | %s | %s%s%s | ", i->label, i->what, i->theirs, i->ours, tick,
                i->operator ? i->operator : "", tick);
        put_claims(file, i);
        fprintf(file, " | *%s* | %s%s%s |\n", tips__verdict_names[tips__paper_verdict(i)], quote,
                i->command ? i->command : "", quote);
    }
}
