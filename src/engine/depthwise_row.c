/* A row is cut into pieces of a few neighbouring pixels, all of them sums in registers. Pieces of the common kernels
 * load each source pixel of a kernel row once, for all the taps it meets. */
#include "engine/depthwise_row.h"

enum { B = TIPS_BLOCK, PIECE_PIXELS = 8 };

typedef void (*piece)(const depthwise_row *r, const float *src, const float *residual, float *dst);

/* Unrolled before all else, so that sums are single numbers in registers from the start. */
#define EACH(i, count) _Pragma("GCC unroll 32") for (int i = 0; i < (count); i++)

/* Keeps the compiler from loading a vector again for its next use. */
#if defined(__AVX512F__)
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#elif defined(__AVX2__)
#define IN_REGISTER(v) __asm__("" : "+x"(v))
#else
#define IN_REGISTER(v) ((void)0) /* it takes more than one */
#endif

#define START(P) \
    vf sum[P];   \
    EACH(p, P) sum[p] = residual ? r->bias + vf_load(residual + (ptrdiff_t)p * B) : r->bias;

#define FINISH(P)                          \
    const vf low = r->low, high = r->high; \
    EACH(p, P) vf_store(dst + (ptrdiff_t)p * B, r->clips ? vf_between(sum[p], low, high) : sum[p]);

#define NEXT_ROW (r->next_row - (ky + 1 == r->wrap ? r->ring : 0))

/* Any kernel. */
#define ANY(P)                                                                                         \
    static void any_##P(const depthwise_row *r, const float *src, const float *residual, float *dst) { \
        const ptrdiff_t tap = (ptrdiff_t)r->dw * B, pixel = (ptrdiff_t)r->sw * B;                      \
        const float *weights = r->weights;                                                             \
        START(P)                                                                                       \
        for (int ky = 0; ky < r->kh; src += NEXT_ROW, ky++) {                                          \
            const float *at = src;                                                                     \
            for (int kx = 0; kx < r->kw; kx++, at += tap, weights += B) {                              \
                const vf weight = vf_load(weights);                                                    \
                EACH(p, P) sum[p] = vf_fma(vf_load(at + p * pixel), weight, sum[p]);                   \
            }                                                                                          \
        }                                                                                              \
        FINISH(P)                                                                                      \
    }

/* Kernels KW wide, stride S, not dilated. Pixel p meets tap k at source pixel S p + k: taps come in their order. */
#define WINDOW(KW, S, P)                                                                                               \
    static void window_##KW##_##S##_##P(const depthwise_row *r, const float *src, const float *residual, float *dst) { \
        const float *weights = r->weights;                                                                             \
        START(P)                                                                                                       \
        for (int ky = 0; ky < r->kh; src += NEXT_ROW, ky++, weights += (KW) * B) {                                     \
            vf tap[KW];                                                                                                \
            EACH(k, KW) {                                                                                              \
                tap[k] = vf_load(weights + (ptrdiff_t)k * B);                                                          \
                IN_REGISTER(tap[k]);                                                                                   \
            }                                                                                                          \
            EACH(i, (S) * ((P) - 1) + (KW)) {                                                                          \
                vf at = vf_load(src + (ptrdiff_t)i * B);                                                               \
                IN_REGISTER(at);                                                                                       \
                EACH(k, KW)                                                                                            \
                    if (i >= k && (i - k) % (S) == 0 && (i - k) / (S) < (P))                                           \
                        sum[(i - k) / (S)] = vf_fma(at, tap[k], sum[(i - k) / (S)]);                                   \
            }                                                                                                          \
        }                                                                                                              \
        FINISH(P)                                                                                                      \
    }
#define WINDOW_3_1(P) WINDOW(3, 1, P)
#define WINDOW_3_2(P) WINDOW(3, 2, P)
#define WINDOW_5_1(P) WINDOW(5, 1, P)
#define WINDOW_5_2(P) WINDOW(5, 2, P)

#define PIECES(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8)
PIECES(ANY)
PIECES(WINDOW_3_1)
PIECES(WINDOW_3_2)
PIECES(WINDOW_5_1)
PIECES(WINDOW_5_2)

#define NAMES(n) {n##_1, n##_2, n##_3, n##_4, n##_5, n##_6, n##_7, n##_8}

static const piece *pieces_of(const depthwise_row *r) {
    static const piece any[PIECE_PIXELS] = NAMES(any);
    static const piece windows[2][2][PIECE_PIXELS] = {{NAMES(window_3_1), NAMES(window_3_2)},
                                                      {NAMES(window_5_1), NAMES(window_5_2)}};
    if ((r->kw != 3 && r->kw != 5) || r->sw > 2 || r->dw != 1) return any;
    return windows[r->kw == 5][r->sw - 1];
}

depthwise_row tips__depthwise_row_of(const tips_direct *c, const float *weights, const tips_finish *finish, int b,
                                     int width, ptrdiff_t source_row) {
    return (depthwise_row){.kh = c->kh, .kw = c->kw, .sw = c->sw, .dw = c->dw,
                           .width = width,
                           .next_row = c->dh * source_row,
                           .wrap = c->kh,
                           .weights = weights + (ptrdiff_t)b * c->kh * c->kw * B,
                           .bias = finish->bias ? vf_load(finish->bias + (ptrdiff_t)b * B) : (vf){0},
                           .low = vf_set(finish->low),
                           .high = vf_set(finish->high),
                           .clips = finish->clips};
}

void tips__depthwise_row(const depthwise_row *r, const float *src, const float *residual, float *dst) {
    const piece *run = pieces_of(r);
    const int pieces = (r->width + PIECE_PIXELS - 1) / PIECE_PIXELS;
    const int least = r->width / pieces, more = r->width % pieces;
    for (int i = 0; i < pieces; i++) {
        const int pixels = least + (i < more);
        run[pixels - 1](r, src, residual, dst);
        src += (ptrdiff_t)pixels * r->sw * B;
        dst += (ptrdiff_t)pixels * B;
        if (residual) residual += (ptrdiff_t)pixels * B;
    }
}
