/* Every gradient is one sum in a fixed order: blocks of channels, rows and columns of the kernel, channels. */
#include "engine/spare_conv.h"

#include "core/threads.h"
#include "tensor/map.h"

enum { B = TIPS_BLOCK };

/* Groups as the layouts have them: single blocks of a depthwise kernel, or groups of ocb x icb pairs of blocks. */
typedef struct layout {
    bool depthwise;
    int groups, icb, ocb; /* blocks of a group */
} layout;

static layout layout_of(const tips_conv_shape *s) {
    const tips_group_plan plan = tips__group_plan(s->ic, s->oc, s->groups);
    if (plan == TIPS_GROUPS_DEPTHWISE) return (layout){true, tips__blocks(s->ic), 1, 1};
    const int groups = plan == TIPS_GROUPS_DENSE ? 1 : s->groups;
    return (layout){false, groups, tips__blocks(s->ic / groups), tips__blocks(s->oc / groups)};
}

static const float *row_of(const float *map, int blocks, int h, int w, int n, int block, int y) {
    return map + (((ptrdiff_t)n * blocks + block) * h + y) * (ptrdiff_t)w * B;
}

/* The weights of a pair of blocks at a tap: B x B numbers, or B of a depthwise kernel. */
static ptrdiff_t tap_at(const tips_conv_shape *s, const layout *l, int group, int ob, int ib, int a, int b) {
    const ptrdiff_t pair = ((ptrdiff_t)group * l->ocb + ob) * l->icb + ib;
    return ((pair * s->kh + a) * s->kw + b) * (l->depthwise ? B : B * B);
}

static vf multiply(bool depthwise, const float *from, const float *weights, vf sum) {
    if (depthwise) return vf_fma(vf_load(from), vf_load(weights), sum);
    for (int i = 0; i < B; i++) sum = vf_fma(vf_set(from[i]), vf_load(weights + (ptrdiff_t)i * B), sum);
    return sum;
}

/* The rows of x (or dy) under one row of outputs, tap by tap. */
typedef struct tile_job {
    const tips_conv_shape *s;
    const layout *l;
    int n, group, block; /* the output block within its group */
    int y, x;
} tile_job;

/* Which output met input `at` through tap `tap`: -1 where none did. */
static int met(int at, int before, int tap, int dilation, int stride, int outputs) {
    const int place = at + before - tap * dilation;
    return place >= 0 && place % stride == 0 && place / stride < outputs ? place / stride : -1;
}

static vf diff_at(const tile_job *j, const float *diff_dst, const float *weights) {
    const tips_conv_shape *s = j->s;
    const layout *l = j->l;
    vf sum = {0};
    for (int ob = 0; ob < l->ocb; ob++)
        for (int a = 0; a < s->kh; a++) {
            const int y = met(j->y, s->top, a, s->dh, s->sh, s->oh);
            if (y < 0) continue;
            const float *row = row_of(diff_dst, tips__blocks(s->oc), s->oh, s->ow, j->n, j->group * l->ocb + ob, y);
            for (int b = 0; b < s->kw; b++) {
                const int x = met(j->x, s->left, b, s->dw, s->sw, s->ow);
                const ptrdiff_t w = tap_at(s, l, j->group, ob, j->block, a, b);
                if (x >= 0) sum = multiply(l->depthwise, row + (ptrdiff_t)x * B, weights + w, sum);
            }
        }
    return sum;
}

void tips__spare_backward_data(const tips_conv_shape *s, const float *diff_dst, const float *weights, float *diff_src) {
    const layout l = layout_of(s);
    const int blocks = l.groups * l.icb;
    TIPS_PARALLEL_FOR (i, s->n * blocks * s->ih) {
        const int block = i / s->ih % blocks;
        tile_job j = {.s = s, .l = &l, .n = i / s->ih / blocks, .group = block / l.icb,
                      .block = block % l.icb, .y = i % s->ih};
        float *out = (float *)row_of(diff_src, tips__blocks(s->ic), s->ih, s->iw, j.n, block, j.y);
        for (j.x = 0; j.x < s->iw; j.x++) vf_store(out + (ptrdiff_t)j.x * B, diff_at(&j, diff_dst, weights));
    }
}

/* The outputs of a row whose tap lies on the map. */
static void columns_of(const tips_conv_shape *s, int b, int *first, int *end) {
    const int from = s->left - b * s->dw, to = s->iw - 1 + s->left - b * s->dw;
    *first = from > 0 ? (from + s->sw - 1) / s->sw : 0;
    *end = to < 0 ? 0 : to / s->sw + 1;
    if (*end > s->ow) *end = s->ow;
}

/* One row's share of a tap: B sums over channels of the output for each channel of the input, or one of a depthwise
 * tap. */
static void add_row(const tips_conv_shape *s, bool depthwise, const float *x, const float *dy, int b, vd *total) {
    vf sum[B] = {{0}};
    int first, end;
    columns_of(s, b, &first, &end);
    for (int j = first; j < end; j++) {
        const float *from = x + (ptrdiff_t)(j * s->sw - s->left + b * s->dw) * B;
        const vf arrived = vf_load(dy + (ptrdiff_t)j * B);
        if (depthwise) sum[0] = vf_fma(vf_load(from), arrived, sum[0]);
        else
            for (int i = 0; i < B; i++) sum[i] = vf_fma(vf_set(from[i]), arrived, sum[i]);
    }
    for (int i = 0; i < (depthwise ? 1 : B); i++) total[i] += vd_from(sum[i]);
}

void tips__spare_backward_weights(const tips_conv_shape *s, const float *src, const float *diff_dst,
                                  float *diff_weights) {
    const layout l = layout_of(s);
    const int pairs = l.groups * l.ocb * l.icb, taps = s->kh * s->kw;
    TIPS_PARALLEL_FOR (i, pairs * taps) {
        const int pair = i / taps, a = i % taps / s->kw, b = i % s->kw;
        const int group = pair / (l.ocb * l.icb), ob = pair / l.icb % l.ocb, ib = pair % l.icb;
        vd total[B] = {{0}};
        for (int n = 0; n < s->n; n++)
            for (int y = 0; y < s->oh; y++) {
                const int row = y * s->sh - s->top + a * s->dh;
                if (row < 0 || row >= s->ih) continue;
                add_row(s, l.depthwise, row_of(src, tips__blocks(s->ic), s->ih, s->iw, n, group * l.icb + ib, row),
                        row_of(diff_dst, tips__blocks(s->oc), s->oh, s->ow, n, group * l.ocb + ob, y), b, total);
            }
        float *out = diff_weights + tap_at(s, &l, group, ob, ib, a, b);
        for (int k = 0; k < (l.depthwise ? 1 : B); k++) vf_store(out + (ptrdiff_t)k * B, vf_from(total[k]));
    }
}
