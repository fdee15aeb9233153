/* Which pictures figures are of, in words and in JSON. */
#include "evaluate/evaluate.h"

#include <stdio.h>

static const char *split_of(const tips_pictures *p) {
    static const char *const words[TIPS_SPLITS] = {"training", "validation", "test"};
    return words[p->split];
}

static void count_words(const tips_pictures *p, char *out, size_t size) {
    const char *const kind = p->whole ? "" : split_of(p), *const gap = p->whole ? "" : " ";
    const char *const more = p->of == 1 ? "" : "s";
    if (p->n < p->of) snprintf(out, size, "%d of the %d %s%spicture%s", p->n, p->of, kind, gap, more);
    else snprintf(out, size, "%s%d %s%spicture%s", p->whole && p->n > 1 ? "all " : "", p->n, kind, gap, more);
}

void tips__pictures_words(const tips_pictures *p, const char *data, char *out, size_t size) {
    char count[96];
    count_words(p, count, sizeof count);
    snprintf(out, size, "%s of %.200s%s%s%s", count, data, p->whole ? ", which names no split" : "",
             p->held_out ? ", held out of its training pictures" : "",
             p->chosen_on ? ": the same that chose the best epoch" : "");
}

void tips__pictures_put(tips_json *json, const tips_pictures *p, const char *data) {
    char words[512];
    tips__pictures_words(p, data, words, sizeof words);
    tips__json_open_object(json, "pictures");
    tips__json_int(json, "n", p->n);
    tips__json_int(json, "of", p->of);
    tips__json_text(json, "split", p->whole ? "all" : split_of(p));
    tips__json_bool(json, "held_out", p->held_out);
    tips__json_bool(json, "chosen_on", p->chosen_on);
    tips__json_text(json, "text", words);
    tips__json_close_object(json);
}

const char *tips__evaluate_data(const tips_evaluate_result *r) { return r->data && *r->data ? r->data : r->format; }
