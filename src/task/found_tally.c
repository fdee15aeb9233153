/* Counting boxes, and what they say of the style they were read by. */
#include "task/found_tally.h"

#include "arch/blueprint.h"
#include "core/warning.h"
#include "metric/detection.h"
#include "task/foreign_boxes.h"

#include <stdio.h>
#include <string.h>

/* The middle lies beside the input, or a side is several times the input's. */
static bool is_misplaced(const tips_detection *d, const int size[2]) {
    enum { TIMES = 3 };
    const double x = d->x + d->w / 2, y = d->y + d->h / 2;
    return x < 0 || y < 0 || x > size[1] || y > size[0] || d->w > TIMES * size[1] || d->h > TIMES * size[0] ||
           d->w < 0 || d->h < 0;
}

void tips__found_tally_add(tips_found_tally *tally, const tips_assignment *a, const tips_bytes *answer) {
    const tips_detection *found = (const tips_detection *)(const void *)answer->data;
    const int n = (int)(answer->count / sizeof *found);
    if (!tips__foreign_finds(a)) return;
    tally->style = a->blueprint->boxes.style->name;
    tally->style_guessed = a->blueprint->boxes.guessed;
    tally->pictures++;
    tally->boxes += n;
    for (int i = 0; i < n; i++) {
        if (!(found[i].score >= 0 && found[i].score <= 1)) tally->no_scores++;
        if (is_misplaced(&found[i], a->size)) tally->misplaced++;
        if (found[i].score > tally->best) tally->best = found[i].score;
    }
}

/* What is wrong, the worst first; false if nothing is. */
static bool find_fault(const tips_found_tally *t, char *out, size_t size) {
    const double low = 0.1, share = 0.1;
    const long long boxes = t->boxes, pictures = t->pictures;
    if (boxes == 0) snprintf(out, size, "no boxes are found on %lld pictures", pictures);
    else if ((double)boxes < share * (double)pictures)
        snprintf(out, size, "%lld boxes are found on %lld pictures, which is almost none", boxes, pictures);
    else if (t->no_scores > 0)
        snprintf(out, size, "%lld of %lld boxes have scores outside of 0..1", (long long)t->no_scores, boxes);
    else if (2 * t->misplaced > boxes)
        snprintf(out, size, "%lld of %lld boxes lie beside the input or are far larger", (long long)t->misplaced,
                 boxes);
    else if (t->best < low) snprintf(out, size, "no box has a score above %.2g, the best of %lld", t->best, boxes);
    else return false;
    return true;
}

static void list_styles(const char *without, char *out, size_t size) {
    size_t length = 0;
    for (int i = 0; tips__decode_styles[i]; i++) {
        const char *name = tips__decode_styles[i]->name;
        if (strcmp(name, without) != 0 && length < size)
            length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", name);
    }
}

bool tips__found_tally_warn(const tips_found_tally *t, char *out) {
    char fault[112], styles[112];
    if (t->pictures == 0 || !find_fault(t, fault, sizeof fault)) return false;
    list_styles(t->style, styles, sizeof styles);
    snprintf(out, TIPS_WARNING_SIZE,
             "With the style '%.24s', which was %s, %.110s: the outputs may mean something else. %s; others are %.90s. "
             "--range, --mean, --std and --bgr say how pixels go in.",
             t->style, t->style_guessed ? "guessed from the outputs" : "given", fault,
             t->style_guessed ? "--boxes STYLE says what" : "--boxes auto finds the style from the outputs", styles);
    return true;
}
