/* Regions in whole numbers, where they are sampled, and what they answer for. */
#include "box/regions.h"

#include <math.h>

tips_corners tips__region_corners(const tips_region *r) {
    const double part = 1.0 / TIPS_PIXEL_PARTS; /* a power of two: nothing is rounded */
    return (tips_corners){r->x1 * part, r->y1 * part, r->x2 * part, r->y2 * part};
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

static void write_number(int32_t parts, float *whole, float *part) {
    const int64_t pixels = floor_div(parts, TIPS_PIXEL_PARTS);
    *whole = (float)pixels;
    *part = (float)(parts - pixels * TIPS_PIXEL_PARTS) / TIPS_PIXEL_PARTS;
}

void tips__region_write(const tips_region *r, float to[TIPS_REGION_NUMBERS]) {
    for (int i = 0; i < TIPS_REGION_NUMBERS; i++) to[i] = 0;
    if (!r) return;
    write_number(r->x1, &to[TIPS_REGION_X], &to[TIPS_REGION_X_PART]);
    write_number(r->y1, &to[TIPS_REGION_Y], &to[TIPS_REGION_Y_PART]);
    write_number(r->x2 - r->x1, &to[TIPS_REGION_W], &to[TIPS_REGION_W_PART]);
    write_number(r->y2 - r->y1, &to[TIPS_REGION_H], &to[TIPS_REGION_H_PART]);
    to[TIPS_REGION_THERE] = 1;
}

static bool read_number(float whole, float part, int32_t *out) {
    if (!(fabsf(whole) < 16384) || !(part >= 0 && part < 1)) return false;
    *out = (int32_t)lrint(((double)whole + part) * TIPS_PIXEL_PARTS);
    return true;
}

bool tips__region_read(const float from[TIPS_REGION_NUMBERS], tips_region *out) {
    int32_t x, y, w, h;
    if (from[TIPS_REGION_THERE] != 1 || !read_number(from[TIPS_REGION_X], from[TIPS_REGION_X_PART], &x) ||
        !read_number(from[TIPS_REGION_Y], from[TIPS_REGION_Y_PART], &y) ||
        !read_number(from[TIPS_REGION_W], from[TIPS_REGION_W_PART], &w) ||
        !read_number(from[TIPS_REGION_H], from[TIPS_REGION_H_PART], &h))
        return false;
    *out = (tips_region){x, y, x + w, y + h};
    return true;
}

/* One axis on the plane: both ends cut off at the picture, which begins `at` pixels before the cell. */
static bool cut_axis(double low, double high, int at, int size, int32_t ends[2]) {
    const double from = fmin(fmax(low, -at), size - at), to = fmin(fmax(high, -at), size - at);
    if (!(low <= high)) return false;
    ends[0] = (int32_t)(lrint(from * TIPS_PIXEL_PARTS) + (int64_t)at * TIPS_PIXEL_PARTS);
    ends[1] = (int32_t)(lrint(to * TIPS_PIXEL_PARTS) + (int64_t)at * TIPS_PIXEL_PARTS);
    return true;
}

/* One axis of a torus. What is rounded is the place against the cell, near it. */
static bool wrap_axis(double low, double high, int at, int size, int32_t ends[2]) {
    const double centre = remainder((low + high) / 2, size), half = fmin((high - low) / 2, size / 2.0);
    const int64_t around = (int64_t)size * TIPS_PIXEL_PARTS;
    if (!isfinite(centre) || !(half >= 0)) return false;
    const int64_t from = lrint((centre - half) * TIPS_PIXEL_PARTS) + (int64_t)at * TIPS_PIXEL_PARTS;
    const int64_t to = lrint((centre + half) * TIPS_PIXEL_PARTS) + (int64_t)at * TIPS_PIXEL_PARTS;
    const int64_t turns = floor_div(from + to, 2 * around);
    ends[0] = (int32_t)(from - turns * around);
    ends[1] = (int32_t)(to - turns * around);
    return true;
}

bool tips__region_decode(const tips_anchors *a, const int at[2], const tips_corners *shape, const double code[4],
                         double least, tips_region *out) {
    const tips_corners box = tips__box_decode(shape, code, (tips_box_weights){1, 1});
    bool (*const place)(double, double, int, int, int32_t[2]) = a->circular ? wrap_axis : cut_axis;
    int32_t rows[2], columns[2];
    if (!place(box.y1, box.y2, at[0], a->size[0], rows) || !place(box.x1, box.x2, at[1], a->size[1], columns))
        return false;
    *out = (tips_region){columns[0], rows[0], columns[1], rows[1]};
    return rows[1] - rows[0] >= least * TIPS_PIXEL_PARTS && columns[1] - columns[0] >= least * TIPS_PIXEL_PARTS;
}

void tips__region_samples(int32_t from, int32_t to, int stride, int origin, int count, tips_sample_at *out) {
    const int64_t cell = (int64_t)stride * TIPS_PIXEL_PARTS;
    const int64_t start = from - (int64_t)origin * TIPS_PIXEL_PARTS, first = floor_div(start, cell);
    const double rest = (double)(start - first * cell) / (double)cell; /* within the first cell: no shift changes it */
    const double size = fmax((double)(to - from) / (double)cell, 1);
    for (int i = 0; i < count; i++) {
        const double at = rest + (i + 0.5) * size / count, low = floor(at);
        out[i] = (tips_sample_at){(int)(first + (int64_t)low), at - low};
    }
}

int tips__region_level(const tips_region *r, double unit, int levels) {
    const tips_corners box = tips__region_corners(r);
    const double level = floor(log2(sqrt(tips__corners_area(&box)) / unit) + 1e-6);
    return level > 0 ? (int)fmin(level, levels - 1) : 0;
}

void tips__regions_match(const tips_region *regions, int count, const tips_truth *truths, int n, tips_torus torus,
                         const tips_match_rule *rule, tips_rng rng, int32_t *out) {
    for (int i = 0; i < count; i++) {
        const tips_corners box = tips__region_corners(&regions[i]);
        double most = 0;
        int which = TIPS_MATCH_NOTHING;
        for (int t = 0; t < n; t++) {
            const double overlap = tips__corners_iou(&box, &truths[t].box, torus);
            if (overlap > most) most = overlap, which = t;
        }
        out[i] = most >= rule->high ? which : most < rule->low ? TIPS_MATCH_NOTHING : TIPS_MATCH_IGNORED;
    }
    if (rule->sample > 0) tips__match_sample(rule, rng, count, out);
}

static bool is_worse(const tips_ranked *a, const tips_ranked *b) {
    return a->score != b->score ? a->score < b->score : a->order > b->order;
}

static void sink(tips_ranked *items, int count, int i, tips_ranked item) {
    for (int child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_worse(&items[child + 1], &items[child])) child++;
        if (!is_worse(&items[child], &item)) break;
        items[i] = items[child];
    }
    items[i] = item;
}

static void rise(tips_ranked *items, int i, tips_ranked item) {
    for (; i > 0 && is_worse(&item, &items[(i - 1) / 2]); i = (i - 1) / 2) items[i] = items[(i - 1) / 2];
    items[i] = item;
}

void tips__ranking_add(tips_ranking *r, tips_ranked item) {
    if (isnan(item.score)) return;
    if (r->count < r->most) rise(r->items, r->count++, item);
    else if (r->count > 0 && is_worse(&r->items[0], &item)) sink(r->items, r->count, 0, item);
}

void tips__ranking_sort(tips_ranking *r) {
    for (int left = r->count - 1; left > 0; left--) {
        const tips_ranked worst = r->items[0];
        sink(r->items, left, 0, r->items[left]);
        r->items[left] = worst;
    }
}
