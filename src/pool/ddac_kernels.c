/* ddac over one plane or one row of pixels: the softmax, the filter, and their gradients. */
#include "pool/ddac.h"

enum { B = TIPS_BLOCK };

ddac_shape tips__ddac_shape(const ddac_config *config, int c, int h, int w) {
    ddac_shape s = {.groups = config->groups < c ? config->groups : c, .kernel = config->kernel};
    while (c % s.groups) s.groups--;
    s.taps = s.kernel * s.kernel;
    s.channels = s.groups * s.taps;
    s.padded = tips__padded(s.channels);
    s.segment = config->softmax == DDAC_SOFTMAX_ALL ? s.channels : s.taps;
    s.per_group = c / s.groups;
    s.stride[0] = config->common.stride[0];
    s.stride[1] = config->common.stride[1];
    s.oh = h / s.stride[0];
    s.ow = w / s.stride[1];
    const int half = s.kernel / 2;
    s.padding = (tips_padding){config->common.padding, half, half, half, half};
    s.plane = tips__pad_plane_floats(h, w, &s.padding);
    return s;
}

ddac_lanes tips__ddac_lanes(const ddac_shape *s, int c, int block) {
    ddac_lanes lanes = {.uniform = true};
    for (int l = 0; l < B; l++) {
        const int channel = block * B + l < c ? block * B + l : c - 1;
        lanes.offset[l] = channel / s->per_group * s->taps;
        lanes.uniform = lanes.uniform && lanes.offset[l] == lanes.offset[0];
    }
    return lanes;
}

/* The softmax of one pixel, in place; lanes beyond the channels become 0. */
static void softmax(const ddac_shape *s, float *w) {
    for (int c = s->channels; c < s->padded; c++) w[c] = -INFINITY;
    for (int from = 0; from < s->channels; from += s->segment) {
        float largest = w[from];
        for (int c = from + 1; c < from + s->segment; c++) largest = w[c] > largest ? w[c] : largest;
        for (int c = from; c < from + s->segment; c++) w[c] -= largest;
    }
    for (int c = 0; c < s->padded; c += B) vf_store(w + c, vf_exp(vf_load(w + c)));
    for (int from = 0; from < s->channels; from += s->segment) {
        float sum = 0;
        for (int c = from; c < from + s->segment; c++) sum += w[c];
        for (int c = from; c < from + s->segment; c++) w[c] /= sum;
    }
}

void tips__ddac_softmax_row(const ddac_shape *s, const tips_map *l, int n, int i, float *w) {
    for (int b = 0; b < l->blocks; b++) {
        const float *from = tips__row(l, n, b, s->stride[0] * i);
        for (int j = 0; j < s->ow; j++)
            vf_store(w + (ptrdiff_t)j * s->padded + (ptrdiff_t)b * B, vf_load(from + (ptrdiff_t)j * s->stride[1] * B));
    }
    for (int j = 0; j < s->ow; j++) softmax(s, w + (ptrdiff_t)j * s->padded);
}

void tips__ddac_softmax_diff(const ddac_shape *s, const float *w, float *dw) {
    for (int pixel = 0; pixel < s->oh * s->ow; pixel++, w += s->padded, dw += s->padded)
        for (int from = 0; from < s->channels; from += s->segment) {
            float mean = 0;
            for (int c = from; c < from + s->segment; c++) mean += w[c] * dw[c];
            for (int c = from; c < from + s->segment; c++) dw[c] = w[c] * (dw[c] - mean);
        }
}

static inline vf lane_weights(const float *w, vi offset, bool uniform) {
    if (uniform) return vf_set(w[offset[0]]);
    vf lanes;
    for (int l = 0; l < B; l++) lanes[l] = w[offset[l]];
    return lanes;
}

static inline float lane_sum(vf value) {
    float sums[B];
    for (int l = 0; l < B; l++) sums[l] = value[l];
    for (int half = B / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sums[l] += sums[l + half];
    return sums[0];
}

static inline void add_lanes(float *dw, vi offset, bool uniform, vf value) {
    if (uniform)
        dw[offset[0]] += lane_sum(value);
    else
        for (int l = 0; l < B; l++) dw[offset[l]] += value[l];
}

/* A row of pixels of P_0: plane points at the first one's window in a padded plane. */
typedef struct pixels {
    int ow, padded;
    ptrdiff_t right, row; /* floats to the next pixel and to the next row of the plane */
    vi offset;
} pixels;

static pixels pixels_of(const ddac_shape *s, ddac_lanes lanes) {
    const ptrdiff_t row = ((ptrdiff_t)s->ow * s->stride[1] + s->padding.left + s->padding.right) * B;
    return (pixels){s->ow, s->padded, (ptrdiff_t)s->stride[1] * B, row, lanes.offset};
}

static inline void filter_row(const pixels *p, const float *x, const float *w, float *y, int kernel, bool uniform) {
    for (int j = 0; j < p->ow; j++, x += p->right, w += p->padded) {
        vf sum = {0};
        for (int r = 0; r < kernel; r++)
            for (int t = 0; t < kernel; t++) {
                const vf weights = lane_weights(w + r * kernel + t, p->offset, uniform);
                sum = vf_fma(weights, vf_load(x + r * p->row + (ptrdiff_t)t * B), sum);
            }
        vf_store(y + (ptrdiff_t)j * B, sum);
    }
}

static inline void diff_row(const pixels *p, float *dx, const float *w, const float *dy, int kernel, bool uniform) {
    for (int j = 0; j < p->ow; j++, dx += p->right, w += p->padded) {
        const vf value = vf_load(dy + (ptrdiff_t)j * B);
        for (int r = 0; r < kernel; r++)
            for (int t = 0; t < kernel; t++) {
                float *to = dx + r * p->row + (ptrdiff_t)t * B;
                vf_store(to, vf_fma(lane_weights(w + r * kernel + t, p->offset, uniform), value, vf_load(to)));
            }
    }
}

static inline void dweights_row(const pixels *p, const float *x, float *dw, const float *dy, int kernel, bool uniform) {
    for (int j = 0; j < p->ow; j++, x += p->right, dw += p->padded) {
        const vf value = vf_load(dy + (ptrdiff_t)j * B);
        for (int r = 0; r < kernel; r++)
            for (int t = 0; t < kernel; t++)
                add_lanes(dw + r * kernel + t, p->offset, uniform, value * vf_load(x + r * p->row + (ptrdiff_t)t * B));
    }
}

/* The usual cases with the loops unrolled. */
#define DISPATCH(row, ...)                             \
    do {                                               \
        if (s->kernel == 3 && lanes.uniform)           \
            row(__VA_ARGS__, 3, true);                 \
        else if (s->kernel == 3)                       \
            row(__VA_ARGS__, 3, false);                \
        else                                           \
            row(__VA_ARGS__, s->kernel, lanes.uniform); \
    } while (0)

void tips__ddac_plane(const ddac_shape *s, ddac_lanes lanes, const float *x, const float *w, const tips_map *y, int n,
                      int block) {
    const pixels p = pixels_of(s, lanes);
    for (int i = 0; i < s->oh; i++, x += s->stride[0] * p.row, w += (ptrdiff_t)s->ow * s->padded)
        DISPATCH(filter_row, &p, x, w, tips__row(y, n, block, i));
}

void tips__ddac_diff_plane(const ddac_shape *s, ddac_lanes lanes, const float *w, const tips_map *dy, int n, int block,
                           float *dx) {
    const pixels p = pixels_of(s, lanes);
    for (int i = 0; i < s->oh; i++, dx += s->stride[0] * p.row, w += (ptrdiff_t)s->ow * s->padded)
        DISPATCH(diff_row, &p, dx, w, tips__row(dy, n, block, i));
}

void tips__ddac_dweights_plane(const ddac_shape *s, ddac_lanes lanes, const float *x, const tips_map *dy, int n,
                               int block, float *dw) {
    const pixels p = pixels_of(s, lanes);
    for (int i = 0; i < s->oh; i++, x += s->stride[0] * p.row, dw += (ptrdiff_t)s->ow * s->padded)
        DISPATCH(dweights_row, &p, x, dw, tips__row(dy, n, block, i));
}
