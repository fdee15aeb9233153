/* The side of few channels is packed first: rows of pixels of so many channels and no more. What a kernel's row meets
 * then lies side by side.
 *
 * dx is a convolution of the packed dy, with a border of zeros, by the turned kernel.
 * dw are sums of products of a vector, a block of the side of many channels, and single numbers of the packed side:
 * those of all taps of a kernel's row follow one another. Where the vectors are dy, output x meets the packed inputs
 * x stride, ..., x stride + kw - 1; where they are x, input x meets the packed outputs x - kw + 1, ..., x. Rows are
 * dealt out to parts, whose sums are added in order: the bits do not depend on the threads. */
#include "engine/few_conv.h"

#include "core/memory.h"
#include "core/threads.h"
#include "engine/direct_conv.h"
#include "engine/few_sums.h"
#include "tensor/map.h"

#include <string.h>

enum { B = TIPS_BLOCK, MOST_PARTS = 8 };

static bool are_few(int used, int padded) { return used > 0 && 2 * used <= B && padded == B; }
static bool few_inputs(const tips_conv_shape *s) { return are_few(s->used_ic, s->ic); }
/* Every input then meets as many outputs as the kernel has taps, those in the border of zeros among them. */
static bool few_outputs(const tips_conv_shape *s) {
    return are_few(s->used_oc, s->oc) && s->sh == 1 && s->sw == 1 && s->bottom == 0 && s->right == 0;
}
static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

bool tips__few_pays(tips_conv_kind kind, const tips_conv_shape *s) {
    const bool plain = s->groups == 1 && s->dw == 1 && s->top == 0 && s->left == 0 && s->bottom <= 0 && s->right <= 0;
    if (!plain) return false;
    if (kind == TIPS_CONV_BACKWARD_DATA) return few_outputs(s);
    return few_inputs(s) || few_outputs(s);
}

/* ---- packing ---- */

typedef struct packed {
    int n, h, w, channels; /* of the map */
    int rows, columns;     /* of the border, on each side */
} packed;

static ptrdiff_t packed_row(const packed *p) { return (ptrdiff_t)(p->w + 2 * p->columns) * p->channels; }
static ptrdiff_t packed_plane(const packed *p) { return packed_row(p) * (p->h + 2 * p->rows); }
static size_t packed_bytes(const packed *p) { return aligned((size_t)p->n * (size_t)packed_plane(p) * sizeof(float)); }

static void pack_row(const packed *p, const float *from, float *to) {
    const size_t border = (size_t)(p->columns * p->channels) * sizeof(float);
    memset(to, 0, border);
    to += p->columns * p->channels;
    for (int x = 0; x < p->w; x++, from += B)
        for (int c = 0; c < p->channels; c++) *to++ = from[c];
    memset(to, 0, border);
}

static void pack(const packed *p, const float *map, float *out) {
    const int height = p->h + 2 * p->rows;
    TIPS_PARALLEL_FOR (i, p->n * height) {
        const int n = i / height, y = i % height - p->rows;
        float *to = out + i * packed_row(p);
        if (y < 0 || y >= p->h) memset(to, 0, (size_t)packed_row(p) * sizeof(float));
        else pack_row(p, map + ((ptrdiff_t)n * p->h + y) * p->w * B, to);
    }
}

/* ---- dx ---- */

static packed packed_for_data(const tips_conv_shape *s) {
    return (packed){s->n, s->oh, s->ow, s->used_oc, (s->kh - 1) * s->dh, s->kw - 1};
}

static size_t turned_floats(const tips_conv_shape *s) { return (size_t)(s->ic * s->kh * s->kw) * B; }

/* The last tap comes first. */
static void turn(const tips_conv_shape *s, const float *weights, float *out) {
    const int taps = s->kh * s->kw;
    for (int block = 0; block < s->ic / B; block++)
        for (int t = 0; t < taps; t++)
            memcpy(out + (ptrdiff_t)(block * taps + t) * B * B,
                   weights + (ptrdiff_t)(block * taps + taps - 1 - t) * B * B, B * B * sizeof(float));
}

void tips__few_backward_data(const tips_conv_shape *s, const float *diff_dst, const float *weights, float *diff_src,
                             void *scratch) {
    const packed p = packed_for_data(s);
    float *dy = scratch, *turned = (float *)((char *)scratch + packed_bytes(&p));
    const tips_direct conv = {.kh = s->kh, .kw = s->kw, .sh = 1, .sw = 1, .dh = s->dh, .dw = 1, .groups = 1};
    const tips_map dx = tips__map_dense(diff_src, s->n, s->ic, s->ih, s->iw);
    const tips_map from = {.data = dy,
                           .n = p.n,
                           .c = p.channels,
                           .h = p.h + 2 * p.rows,
                           .w = p.w + 2 * p.columns,
                           .blocks = 1,
                           .sn = packed_plane(&p),
                           .sb = packed_plane(&p),
                           .sh = packed_row(&p),
                           .lanes = p.channels};
    pack(&p, diff_dst, dy);
    turn(s, weights, turned);
    tips__direct_forward(&conv, &from, turned, &(tips_finish){0}, &dx);
}

/* ---- dw ---- */

typedef struct job {
    const tips_conv_shape *s;
    bool by_input; /* the packed side is the input */
    packed p;
    const float *few; /* packed */
    const float *many;
    int blocks, h, w; /* of the other side */
    int sums;         /* of a kernel's row: columns of the kernel times channels */
    int parts;
    vd *totals; /* [part][block][kernel's row][sum] */
} job;

static job make_job(const tips_conv_shape *s) {
    job j = {.s = s, .by_input = few_inputs(s) && !(few_outputs(s) && s->used_oc < s->used_ic)};
    if (j.by_input) {
        j.p = (packed){s->n, s->ih, s->iw, s->used_ic, 0, 0};
        j.blocks = s->oc / B, j.h = s->oh, j.w = s->ow;
    } else {
        j.p = (packed){s->n, s->oh, s->ow, s->used_oc, 0, s->kw - 1};
        j.blocks = s->ic / B, j.h = s->ih, j.w = s->iw;
    }
    j.sums = s->kw * j.p.channels;
    j.parts = s->n * s->oh < MOST_PARTS ? s->n * s->oh : MOST_PARTS;
    return j;
}

static size_t part_sums(const job *j) { return (size_t)(j->blocks * j->s->kh * j->sums); }

size_t tips__few_scratch(tips_conv_kind kind, const tips_conv_shape *s) {
    if (kind == TIPS_CONV_BACKWARD_DATA) {
        const packed p = packed_for_data(s);
        return packed_bytes(&p) + aligned(turned_floats(s) * sizeof(float));
    }
    const job j = make_job(s);
    return packed_bytes(&j.p) + aligned((size_t)j.parts * part_sums(&j) * sizeof(vd));
}

/* The products of one row of vectors with the packed row that the kernel's row `a` brings to it. */
static void add_row(const job *j, int n, int y, int a, int block, vd *totals) {
    const tips_conv_shape *s = j->s;
    const int input = y * s->sh + a * s->dh, many = j->by_input ? y : input, few = j->by_input ? input : y;
    const float *vectors = j->many + ((((ptrdiff_t)n * j->blocks + block) * j->h) + many) * j->w * B;
    const float *numbers = j->few + n * packed_plane(&j->p) + few * packed_row(&j->p);
    tips__few_sums(vectors, numbers, (ptrdiff_t)s->sw * j->p.channels, j->w, j->sums, totals);
}

static void add_part(const job *j, int part, int block) {
    const int rows = j->s->n * j->s->oh, first = rows * part / j->parts, end = rows * (part + 1) / j->parts;
    const ptrdiff_t sums = (ptrdiff_t)j->s->kh * j->sums;
    vd *totals = j->totals + (size_t)part * part_sums(j) + block * sums;
    memset(totals, 0, (size_t)sums * sizeof *totals);
    for (int row = first; row < end; row++)
        for (int a = 0; a < j->s->kh; a++)
            add_row(j, row / j->s->oh, row % j->s->oh, a, block, totals + (ptrdiff_t)a * j->sums);
}

static vf whole_sum(const job *j, int block, int a, int sum) {
    vd total = {0};
    for (int part = 0; part < j->parts; part++)
        total += j->totals[(size_t)part * part_sums(j) + (size_t)((block * j->s->kh + a) * j->sums + sum)];
    return vf_from(total);
}

/* One tap's B x B weights, [in][out]. */
static void put_tap(const job *j, int block, int a, int b, float *out) {
    memset(out, 0, B * B * sizeof(float));
    for (int c = 0; c < j->p.channels; c++) {
        const int column = j->by_input ? b : j->s->kw - 1 - b;
        const vf total = whole_sum(j, block, a, column * j->p.channels + c);
        if (j->by_input) vf_store(out + (ptrdiff_t)c * B, total);
        else
            for (int i = 0; i < B; i++) out[i * B + c] = total[i];
    }
}

void tips__few_backward_weights(const tips_conv_shape *s, const float *src, const float *diff_dst, float *diff_weights,
                                void *scratch) {
    job j = make_job(s);
    const int taps = s->kh * s->kw;
    j.few = scratch;
    j.many = j.by_input ? diff_dst : src;
    j.totals = (vd *)((char *)scratch + packed_bytes(&j.p));
    pack(&j.p, j.by_input ? src : diff_dst, scratch);
    TIPS_PARALLEL_FOR (i, j.parts * j.blocks) add_part(&j, i / j.blocks, i % j.blocks);
    TIPS_PARALLEL_FOR (i, j.blocks * taps)
        put_tap(&j, i / taps, i % taps / s->kw, i % s->kw, diff_weights + (ptrdiff_t)i * B * B);
}
