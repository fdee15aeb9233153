/* Overlaps, coding and suppression of boxes. */
#include "box/box.h"

#include <math.h>
#include <stdlib.h>

double tips__corners_area(const tips_corners *b) { return (b->x2 - b->x1) * (b->y2 - b->y1); }

static tips_corners moved(const tips_corners *b, double y, double x) {
    return (tips_corners){b->x1 + x, b->y1 + y, b->x2 + x, b->y2 + y};
}

tips_corners tips__corners_nearest(const tips_corners *b, const tips_corners *to, tips_torus torus) {
    if (!torus) return *b;
    const double y = (to->y1 + to->y2 - b->y1 - b->y2) / 2, x = (to->x1 + to->x2 - b->x1 - b->x2) / 2;
    return moved(b, torus[0] * rint(y / torus[0]), torus[1] * rint(x / torus[1]));
}

tips_corners tips__corners_wrapped(const tips_corners *b, tips_torus torus) {
    if (!torus) return *b;
    return moved(b, -torus[0] * floor((b->y1 + b->y2) / 2 / torus[0]),
                 -torus[1] * floor((b->x1 + b->x2) / 2 / torus[1]));
}

static double limited(double at, int size) { return fmin(fmax(at, 0), size); }

tips_corners tips__corners_clipped(const tips_corners *b, const int size[2]) {
    return (tips_corners){limited(b->x1, size[1]), limited(b->y1, size[0]), limited(b->x2, size[1]),
                          limited(b->y2, size[0])};
}

double tips__corners_iou(const tips_corners *a, const tips_corners *b, tips_torus torus) {
    const tips_corners c = tips__corners_nearest(b, a, torus);
    const double w = fmin(a->x2, c.x2) - fmax(a->x1, c.x1), h = fmin(a->y2, c.y2) - fmax(a->y1, c.y1);
    if (!(w > 0 && h > 0)) return 0;
    return w * h / (tips__corners_area(a) + tips__corners_area(b) - w * h);
}

void tips__box_encode(const tips_corners *from, const tips_corners *to, tips_box_weights weights, double code[4]) {
    const double w = from->x2 - from->x1, h = from->y2 - from->y1;
    code[0] = weights.centre * ((to->x1 + to->x2) - (from->x1 + from->x2)) / 2 / w;
    code[1] = weights.centre * ((to->y1 + to->y2) - (from->y1 + from->y2)) / 2 / h;
    code[2] = weights.size * log((to->x2 - to->x1) / w);
    code[3] = weights.size * log((to->y2 - to->y1) / h);
}

static double scaled(double size, double code, double weight) {
    static const double most = 4.135166556742356; /* ln(1000 / 16) */
    return size * exp(fmin(code / weight, most));
}

tips_corners tips__box_decode(const tips_corners *from, const double code[4], tips_box_weights weights) {
    const double w = from->x2 - from->x1, h = from->y2 - from->y1;
    const double x = from->x1 + w / 2 + code[0] / weights.centre * w;
    const double y = from->y1 + h / 2 + code[1] / weights.centre * h;
    const double new_w = scaled(w, code[2], weights.size), new_h = scaled(h, code[3], weights.size);
    return (tips_corners){x - new_w / 2, y - new_h / 2, x + new_w / 2, y + new_h / 2};
}

static int by_score(const void *a, const void *b) {
    const tips_candidate *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void tips__candidates_sort(tips_candidate *candidates, int count) {
    if (count > 1) qsort(candidates, (size_t)count, sizeof *candidates, by_score);
}

int tips__candidates_suppress(tips_candidate *candidates, int count, double overlap, bool apart, tips_torus torus,
                              int most) {
    int kept = 0;
    for (int i = 0; i < count && kept < most; i++) {
        bool stays = true;
        for (int j = 0; j < kept && stays; j++)
            stays = (apart && candidates[j].label != candidates[i].label) ||
                    tips__corners_iou(&candidates[j].box, &candidates[i].box, torus) <= overlap;
        if (stays) candidates[kept++] = candidates[i];
    }
    return kept;
}
