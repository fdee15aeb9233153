/* Adding scores up, or keeping them. */
#include "task/tally.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

static const tips_task *task_of(const tips_tally *t) { return t->assignment->spec.task; }
static bool sums(const tips_tally *t) { return task_of(t)->merge && !t->keep; }

static tips_status copy(const tips_bytes *from, tips_bytes *to) {
    TIPS_TRY(tips__bytes_resize(to, from->count));
    memcpy(to->data, from->data, from->count);
    return TIPS_OK;
}

/* Room for one more, whose memory may be there from before. */
static tips_status append(tips_tally *t, const tips_bytes *score) {
    if (t->count == t->capacity) {
        const size_t old = (size_t)t->capacity, more = old ? 2 * old : 64;
        tips_bytes *scores = tips__grow(t->scores, old * sizeof *scores, more * sizeof *scores);
        if (!scores) TIPS_FAIL(TIPS_MEMORY, "out of memory for the scores of %zu pictures", more);
        memset(scores + old, 0, (more - old) * sizeof *scores);
        t->scores = scores;
        t->capacity = (int)more;
    }
    TIPS_TRY(copy(score, &t->scores[t->count]));
    t->count++;
    return TIPS_OK;
}

tips_status tips__tally_add(tips_tally *t, const tips_outputs *outputs, int i, const tips_bytes *target) {
    TIPS_TRY(task_of(t)->score(t->assignment, outputs, i, target, &t->one));
    if (!sums(t)) return append(t, &t->one);
    if (t->batch.count == 0) return copy(&t->one, &t->batch);
    task_of(t)->merge(&t->batch, &t->one);
    return TIPS_OK;
}

tips_status tips__tally_end_batch(tips_tally *t) {
    if (!sums(t) || t->batch.count == 0) return TIPS_OK;
    if (t->count == 0) TIPS_TRY(append(t, &t->batch));
    else task_of(t)->merge(&t->scores[0], &t->batch);
    t->batch.count = 0;
    return TIPS_OK;
}

tips_status tips__tally_figures(const tips_tally *t, tips_figure figures[TIPS_MOST_OWN_METRICS]) {
    for (int i = 0; i < TIPS_MOST_OWN_METRICS; i++) figures[i] = tips__figure_none();
    return t->count ? task_of(t)->figures(t->assignment, t->scores, t->count, figures) : TIPS_OK;
}

void tips__tally_reset(tips_tally *t) { t->count = 0, t->batch.count = 0; }

void tips__tally_clear(tips_tally *t) {
    for (int i = 0; i < t->capacity; i++) tips__bytes_clear(&t->scores[i]);
    tips__free(t->scores);
    tips__bytes_clear(&t->one);
    tips__bytes_clear(&t->batch);
    t->scores = NULL;
    t->count = t->capacity = 0;
}

tips_status tips__tally_format(const tips_tally *t, tips_text *out) {
    for (size_t i = 0; t->count && i < t->scores[0].count; i++) tips__text_print(out, "%02x", t->scores[0].data[i]);
    return tips__text_check(out);
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

tips_status tips__tally_parse(tips_tally *t, const char *text) {
    const size_t length = strlen(text);
    tips__tally_reset(t);
    if (length == 0) return TIPS_OK;
    if (length % 2) TIPS_FAIL(TIPS_FORMAT, "a sum of scores of %zu digits", length);
    TIPS_TRY(tips__bytes_resize(&t->one, length / 2));
    for (size_t i = 0; i < length / 2; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) TIPS_FAIL(TIPS_FORMAT, "a sum of scores that is not hexadecimal");
        t->one.data[i] = (unsigned char)(16 * high + low);
    }
    return append(t, &t->one);
}

void tips__tally_cut(tips_tally *t, int count) {
    while (t->keep && t->count > count) t->scores[--t->count].count = 0; /* its memory is used again */
}
