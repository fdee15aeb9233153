/* Operators on boxes: suppression of those that others cover, and maps sampled within them. */
#include "dynamic/dynamic_parts.h"

#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    float score;
    int64_t index;
} candidate;

static int by_score(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->score != q->score) return p->score > q->score ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Corners (y1, x1, y2, x2) in order. */
typedef struct corners {
    float low[2], high[2];
} corners;

static corners corners_of(const float *box, bool is_centre) {
    corners c;
    for (int i = 0; i < 2; i++) {
        const float a = box[i], b = box[i + 2];
        c.low[i] = is_centre ? a - b / 2 : fminf(a, b);
        c.high[i] = is_centre ? a + b / 2 : fmaxf(a, b);
    }
    return c;
}

static bool covers(const corners *a, const corners *b, float most) {
    float shared = 1, area_a = 1, area_b = 1;
    for (int i = 0; i < 2; i++) {
        const float width = fminf(a->high[i], b->high[i]) - fmaxf(a->low[i], b->low[i]);
        if (!(width > 0)) return false;
        shared *= width;
        area_a *= a->high[i] - a->low[i];
        area_b *= b->high[i] - b->low[i];
    }
    if (!(area_a > 0 && area_b > 0)) return false;
    return shared / (area_a + area_b - shared) > most;
}

typedef struct suppression {
    const tips_array *boxes, *scores;
    int64_t most;
    float overlap, least;
    bool has_least, is_centre;
    candidate *room; /* (boxes of a sample) */
    corners *kept;   /* the same */
    int64_t *found;  /* (count, 3): sample, class, box */
    size_t count, capacity;
} suppression;

static tips_status add_found(suppression *s, int64_t batch, int64_t label, int64_t box) {
    if (s->count == s->capacity) {
        const size_t larger = s->capacity ? 2 * s->capacity : 64, row = 3 * sizeof *s->found;
        int64_t *memory = tips__grow(s->found, s->count * row, larger * row);
        if (!memory) TIPS_FAIL(TIPS_MEMORY, "out of memory for boxes");
        s->found = memory;
        s->capacity = larger;
    }
    int64_t *to = s->found + 3 * s->count++;
    to[0] = batch, to[1] = label, to[2] = box;
    return TIPS_OK;
}

static tips_status suppress_class(suppression *s, int64_t batch, int64_t label) {
    const int64_t n = s->boxes->dims[1];
    const float *scores = s->scores->floats + (batch * s->scores->dims[1] + label) * n;
    const float *boxes = s->boxes->floats + batch * n * 4;
    size_t candidates = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(scores[i]) && (!s->has_least || scores[i] > s->least))
            s->room[candidates++] = (candidate){scores[i], i};
    qsort(s->room, candidates, sizeof *s->room, by_score);
    for (size_t i = 0; i < candidates && kept < s->most; i++) {
        const corners box = corners_of(boxes + 4 * s->room[i].index, s->is_centre);
        bool is_free = true;
        for (int64_t k = 0; k < kept && is_free; k++) is_free = !covers(&s->kept[k], &box, s->overlap);
        if (!is_free) continue;
        s->kept[kept++] = box;
        TIPS_TRY(add_found(s, batch, label, s->room[i].index));
    }
    return TIPS_OK;
}

static tips_status suppress_all(suppression *s) {
    const size_t n = (size_t)s->boxes->dims[1] + 1;
    TIPS_TRY(tips__new(&s->room, n * sizeof *s->room, "boxes"));
    TIPS_TRY(tips__new(&s->kept, n * sizeof *s->kept, "boxes"));
    for (int64_t batch = 0; batch < s->boxes->dims[0]; batch++)
        for (int64_t label = 0; label < s->scores->dims[1]; label++) TIPS_TRY(suppress_class(s, batch, label));
    return TIPS_OK;
}

static tips_status read_suppression(dynamic_run *r, suppression *s) {
    double overlap, least;
    TIPS_TRY(tips__dynamic_floats(r, 0, &s->boxes));
    TIPS_TRY(tips__dynamic_floats(r, 1, &s->scores));
    TIPS_TRY(tips__dynamic_whole(r, 2, 0, &s->most));
    TIPS_TRY(tips__dynamic_scalar(r, 3, 0, &overlap));
    TIPS_TRY(tips__dynamic_scalar(r, 4, 0, &least));
    if (s->boxes->n_dims != 3 || s->scores->n_dims != 3 || s->boxes->dims[2] != 4 ||
        s->boxes->dims[0] != s->scores->dims[0] || s->boxes->dims[1] != s->scores->dims[2])
        TIPS_FAIL(TIPS_SHAPE, "its boxes and scores are not (n, boxes, 4) and (n, classes, boxes)");
    s->overlap = (float)overlap;
    s->least = (float)least;
    s->has_least = tips__dynamic_in(r, 4) != NULL;
    s->is_centre = tips__dynamic_int(r, "center_point_box", 0) != 0;
    return TIPS_OK;
}

tips_status tips__dynamic_non_max_suppression(dynamic_run *r) {
    suppression s = {0};
    tips_array *y;
    TIPS_TRY(read_suppression(r, &s));
    tips_status status = suppress_all(&s);
    if (status == TIPS_OK)
        status = tips__dynamic_out(r, 0, TIPS_ARRAY_INT64, 2, (const int64_t[]){(int64_t)s.count, 3}, &y);
    if (status == TIPS_OK && s.count) memcpy(y->ints, s.found, s.count * 3 * sizeof *s.found);
    tips__free(s.room);
    tips__free(s.kept);
    tips__free(s.found);
    return status;
}

typedef struct alignment {
    const tips_array *maps, *boxes, *samples;
    int64_t out[2], sampling;
    float scale, offset;
    bool has_least_size; /* boxes count as one pixel at least */
} alignment;

/* Bilinear, with pixels' values at whole places; zero beyond a pixel outside. */
static float interpolate(const float *map, int64_t height, int64_t width, float y, float x) {
    if (y < -1 || y > (float)height || x < -1 || x > (float)width) return 0;
    y = y > 0 ? y : 0;
    x = x > 0 ? x : 0;
    int64_t top = (int64_t)y, left = (int64_t)x, bottom = top + 1, right = left + 1;
    if (top >= height - 1) top = bottom = height - 1, y = (float)top;
    if (left >= width - 1) left = right = width - 1, x = (float)left;
    const float down = y - (float)top, across = x - (float)left;
    return (1 - down) * (1 - across) * map[top * width + left] + (1 - down) * across * map[top * width + right] +
           down * (1 - across) * map[bottom * width + left] + down * across * map[bottom * width + right];
}

enum { MOST_GRID = 1 << 10 };

typedef struct grid {
    float start[2], bin[2];
    int64_t samples[2]; /* of a bin */
} grid;

static tips_status grid_of(const alignment *a, const float *box, grid *out) {
    for (int i = 0; i < 2; i++) { /* rows, then columns; boxes have x first */
        const float low = box[1 - i] * a->scale - a->offset, high = box[3 - i] * a->scale - a->offset;
        const float size = a->has_least_size && !(high - low > 1) ? 1 : high - low;
        out->start[i] = low;
        out->bin[i] = size / (float)a->out[i];
        const float wanted = a->sampling > 0 ? (float)a->sampling : ceilf(out->bin[i]);
        if (!isfinite(low) || !(wanted <= MOST_GRID))
            TIPS_FAIL(TIPS_RANGE, "a box from %g to %g cannot be sampled", (double)low, (double)high);
        out->samples[i] = wanted > 0 ? (int64_t)wanted : 0;
    }
    return TIPS_OK;
}

static float pool_bin(const alignment *a, const grid *g, const float *map, int64_t i, int64_t j) {
    const int64_t count = g->samples[0] * g->samples[1];
    float sum = 0;
    for (int64_t k = 0; k < count; k++) {
        const float down = ((float)(k / g->samples[1]) + 0.5f) / (float)g->samples[0];
        const float across = ((float)(k % g->samples[1]) + 0.5f) / (float)g->samples[1];
        sum += interpolate(map, a->maps->dims[2], a->maps->dims[3], g->start[0] + ((float)i + down) * g->bin[0],
                           g->start[1] + ((float)j + across) * g->bin[1]);
    }
    return sum / (float)(count > 1 ? count : 1);
}

static void align_box(const alignment *a, const grid *g, int64_t sample, float *out) {
    const int64_t area = a->maps->dims[2] * a->maps->dims[3];
    for (int64_t c = 0; c < a->maps->dims[1]; c++)
        for (int64_t i = 0; i < a->out[0]; i++)
            for (int64_t j = 0; j < a->out[1]; j++)
                *out++ = pool_bin(a, g, a->maps->floats + (sample * a->maps->dims[1] + c) * area, i, j);
}

static tips_status read_alignment(dynamic_run *r, alignment *a) {
    /* Before opset 16 there is no such attribute, and boxes are not moved by half a pixel. */
    const bool is_old = r->program->opset < 16;
    const char *places = tips__dynamic_text(r, "coordinate_transformation_mode", "half_pixel");
    TIPS_TRY(tips__dynamic_floats(r, 0, &a->maps));
    TIPS_TRY(tips__dynamic_floats(r, 1, &a->boxes));
    TIPS_TRY(tips__dynamic_ints(r, 2, &a->samples));
    if (strcmp(tips__dynamic_text(r, "mode", "avg"), "avg") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its mode is '%.40s'; avg is supported", tips__dynamic_text(r, "mode", "avg"));
    const bool is_half = !is_old && strcmp(places, "half_pixel") == 0;
    a->offset = is_half ? 0.5f : 0;
    a->has_least_size = !is_half;
    a->out[0] = tips__dynamic_int(r, "output_height", 1);
    a->out[1] = tips__dynamic_int(r, "output_width", 1);
    a->sampling = tips__dynamic_int(r, "sampling_ratio", 0);
    a->scale = (float)tips__dynamic_float(r, "spatial_scale", 1);
    if (a->maps->n_dims != 4 || a->boxes->n_dims != 2 || a->boxes->dims[1] != 4 ||
        a->samples->count != (size_t)a->boxes->dims[0])
        TIPS_FAIL(TIPS_SHAPE, "its inputs are not maps (n, c, h, w), boxes (m, 4) and samples (m)");
    if (a->out[0] < 1 || a->out[1] < 1 || a->out[0] > MOST_GRID || a->out[1] > MOST_GRID || a->maps->dims[2] < 1 ||
        a->maps->dims[3] < 1)
        TIPS_FAIL(TIPS_RANGE, "it makes %lldx%lld of a map", (long long)a->out[0], (long long)a->out[1]);
    return TIPS_OK;
}

tips_status tips__dynamic_roi_align(dynamic_run *r) {
    alignment a;
    grid *grids;
    tips_array *y;
    TIPS_TRY(read_alignment(r, &a));
    const int64_t n = a.boxes->dims[0], channels = a.maps->dims[1];
    for (int64_t i = 0; i < n; i++)
        if (a.samples->ints[i] < 0 || a.samples->ints[i] >= a.maps->dims[0])
            TIPS_FAIL(TIPS_RANGE, "a box lies in sample %lld of %lld", (long long)a.samples->ints[i],
                      (long long)a.maps->dims[0]);
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, 4, (const int64_t[]){n, channels, a.out[0], a.out[1]}, &y));
    TIPS_TRY(tips__new(&grids, ((size_t)n + 1) * sizeof *grids, "boxes"));
    tips_status status = TIPS_OK;
    for (int64_t i = 0; i < n && status == TIPS_OK; i++) status = grid_of(&a, a.boxes->floats + 4 * i, &grids[i]);
    if (status == TIPS_OK) {
        const size_t each = (size_t)(channels * a.out[0] * a.out[1]);
        TIPS_PARALLEL_FOR (i, (int)n) align_box(&a, &grids[i], a.samples->ints[i], y->floats + (size_t)i * each);
    }
    tips__free(grids);
    return status;
}
