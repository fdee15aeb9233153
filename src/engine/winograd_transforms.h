/* The one-dimensional transforms of F(4x4, 3x3) and their two-dimensional use, on whole vectors of channels. */
#ifndef TIPS_ENGINE_WINOGRAD_TRANSFORMS_H
#define TIPS_ENGINE_WINOGRAD_TRANSFORMS_H

#include "tensor/vec.h"

enum { WINO_OUT = 4, WINO_IN = 6, WINO_POINTS = 36 };

/* Unrolled, so that what a tile is made of stays in registers. */
#define WINO_EACH(i, count) _Pragma("GCC unroll 36") for (int i = 0; i < (count); i++)

/* B^T d: 6 to 6, elements `step` apart. */
static inline void wino_input_1d(const vf *d, int step, vf *t, int t_step) {
    const vf d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
    const vf even = vf_fma(vf_set(-4), d2, d4), odd = vf_fma(vf_set(-4), d1, d3);
    const vf even2 = d4 - d2, odd2 = 2 * (d3 - d1);
    t[0] = vf_fma(vf_set(4), d0, vf_fma(vf_set(-5), d2, d4));
    t[t_step] = even + odd;
    t[2 * t_step] = even - odd;
    t[3 * t_step] = even2 + odd2;
    t[4 * t_step] = even2 - odd2;
    t[5 * t_step] = vf_fma(vf_set(4), d1, vf_fma(vf_set(-5), d3, d5));
}

/* A^T m: 6 to 4. */
static inline void wino_output_1d(const vf *m, int step, vf *y, int y_step) {
    const vf a = m[step] + m[2 * step], b = m[step] - m[2 * step];
    const vf c = m[3 * step] + m[4 * step], d = m[3 * step] - m[4 * step];
    y[0] = m[0] + a + c;
    y[y_step] = vf_fma(vf_set(2), d, b);
    y[2 * y_step] = vf_fma(vf_set(4), c, a);
    y[3 * y_step] = vf_fma(vf_set(8), d, b) + m[5 * step];
}

/* A y: 4 to 6, the adjoint of the output transform. */
static inline void wino_output_adjoint_1d(const vf *y, int step, vf *m, int m_step) {
    const vf y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    const vf even = y0 + y2, odd = y1 + y3;
    const vf even2 = vf_fma(vf_set(4), y2, y0), odd2 = 2 * vf_fma(vf_set(4), y3, y1);
    m[0] = y0;
    m[m_step] = even + odd;
    m[2 * m_step] = even - odd;
    m[3 * m_step] = even2 + odd2;
    m[4 * m_step] = even2 - odd2;
    m[5 * m_step] = y3;
}

/* G g: 3 to 6. */
static inline void wino_weights_1d(const vf *g, int step, vf *u, int u_step) {
    const vf g0 = g[0], g1 = g[step], g2 = g[2 * step];
    const vf sum = (g0 + g2) * (-1.0f / 6), middle = g1 * (1.0f / 6);
    const vf outer = vf_fma(vf_set(1.0f / 24), g0, g2 * (1.0f / 6)), inner = g1 * (1.0f / 12);
    u[0] = g0 * 0.25f;
    u[u_step] = sum - middle;
    u[2 * u_step] = sum + middle;
    u[3 * u_step] = outer + inner;
    u[4 * u_step] = outer - inner;
    u[5 * u_step] = g2;
}

/* G^T u: 6 to 3, the adjoint of the weight transform. */
static inline void wino_weights_adjoint_1d(const vf *u, int step, vf *g, int g_step) {
    const vf near_sum = (u[step] + u[2 * step]) * (1.0f / 6), far_sum = u[3 * step] + u[4 * step];
    const vf near_gap = (u[2 * step] - u[step]) * (1.0f / 6), far_gap = u[3 * step] - u[4 * step];
    g[0] = vf_fma(vf_set(1.0f / 24), far_sum, vf_fma(vf_set(0.25f), u[0], -near_sum));
    g[g_step] = vf_fma(vf_set(1.0f / 12), far_gap, near_gap);
    g[2 * g_step] = vf_fma(vf_set(1.0f / 6), far_sum, u[5 * step] - near_sum);
}

#define WINO_2D(name, one, from, to)                                   \
    static inline void name(const vf *in, vf *out) {                   \
        vf half[(to) * (from)];                                        \
        WINO_EACH(x, from) one(in + x, from, half + x, from);          \
        WINO_EACH(y, to) one(half + y * (from), 1, out + y * (to), 1); \
    }

WINO_2D(wino_weights_2d, wino_weights_1d, 3, 6)
WINO_2D(wino_weights_adjoint_2d, wino_weights_adjoint_1d, 6, 3)

#endif
