/* Which answer is the most frequent, to the pictures as they are, and how frequent the most frequent right one is. */
#include "evaluate/evaluate_parts.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void count_pixels(const tips_bytes *answer, const tips_bytes *target, eval_counts *counts) {
    for (size_t i = 0; i < answer->count && i < target->count; i++) {
        if (target->data[i] == TIPS_MASK_IGNORE) continue;
        counts->answered[answer->data[i]]++;
        counts->labelled[target->data[i]]++;
    }
}

tips_status tips__eval_note_answer(eval_session *s, int slot, int image) {
    const tips_bytes answer = tips__pile_at(&s->chunk.answers, slot * s->chunk.views);
    const tips_assignment *a = &s->model->model.assignment;
    if (s->task->flags & TIPS_TASK_MASK) count_pixels(&answer, &s->chunk.target[slot], &s->counts);
    if (!s->task->number) return TIPS_OK;
    s->counts.answers[image] = s->task->number(a, &answer);
    s->counts.labels[image] = s->task->number(a, &s->chunk.target[slot]);
    return tips__pile_add(&s->counts.firsts, &answer);
}

static int by_number(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The longest run of equal numbers, in percent of all; sorts them. */
static double most_frequent(int *numbers, int count, int *which) {
    int longest = 0;
    qsort(numbers, (size_t)count, sizeof *numbers, by_number);
    for (int i = 0, length = 0; i < count; i++) {
        length = i > 0 && numbers[i] == numbers[i - 1] ? length + 1 : 1;
        if (length > longest) longest = length, *which = numbers[i];
    }
    return 100.0 * longest / count;
}

/* In the task's words. */
static tips_status name_answer(const eval_session *s, int number, tips_frequent *out) {
    const tips_assignment *a = &s->model->model.assignment;
    tips_text text = {0};
    for (int i = 0; i < s->counts.firsts.count && text.length == 0; i++) {
        const tips_bytes answer = tips__pile_at(&s->counts.firsts, i);
        if (s->task->number(a, &answer) == number) s->task->say(a, &answer, s->names, &text);
    }
    const tips_status status = tips__text_check(&text);
    if (status == TIPS_OK) snprintf(out->name, sizeof out->name, "%.100s", text.data ? text.data : "");
    tips__text_clear(&text);
    return status;
}

static double most_pixels(const int64_t counts[256], int *which) {
    int64_t all = 0;
    int most = 0;
    for (int i = 0; i < 256; i++) {
        all += counts[i];
        if (counts[i] > counts[most]) most = i;
    }
    *which = most;
    return all > 0 ? 100.0 * (double)counts[most] / (double)all : NAN;
}

static tips_status frequent_class(const eval_session *s, tips_frequent *out) {
    int label;
    out->of_pixels = true;
    out->answer = most_pixels(s->counts.answered, &out->number);
    out->label = most_pixels(s->counts.labelled, &label);
    if (out->number < s->model->info.config.classes)
        snprintf(out->name, sizeof out->name, "%.100s", s->names[out->number]);
    return TIPS_OK;
}

tips_status tips__eval_frequent(eval_session *s, tips_frequent *out) {
    int label = 0;
    *out = (tips_frequent){.answer = NAN, .label = NAN};
    if (s->task->flags & TIPS_TASK_MASK) return frequent_class(s, out);
    if (!s->task->number) return TIPS_OK;
    out->answer = most_frequent(s->counts.answers, s->counts.images, &out->number);
    out->label = most_frequent(s->counts.labels, s->counts.images, &label);
    return name_answer(s, out->number, out);
}
