/* kernel_conv: the statistics of its windows, and what they leave out where a pass samples. */
#include "layer/kernel_conv_run.h"

bool tips__kernel_drops(const tips_node *node, const tips_pass *pass) {
    return pass->sampling && ((const tips_kernel_conv *)node->config)->dropout > 0;
}

/* Eight channels share a draw, sixteen bits each, so that numbers do not depend on how many make a block. */
enum { DRAWN = 8 };

typedef struct drawn_bits {
    uint32_t words[DRAWN / 2];
} drawn_bits;

static drawn_bits draw_bits(tips_rng rng, int channels, size_t pixel, int channel) {
    drawn_bits bits;
    const size_t per_pixel = (size_t)(channels + DRAWN - 1) / DRAWN;
    tips__rng_words(rng, (uint64_t)(pixel * per_pixel + (size_t)(channel / DRAWN)), bits.words);
    return bits;
}

static bool is_below(const drawn_bits *bits, int channel, uint32_t limit) {
    const int i = channel % DRAWN;
    return (bits->words[i / 2] >> (i % 2 * 16) & 0xffff) < limit;
}

static uint32_t limit_of(const tips_kernel_conv *c) { return (uint32_t)lround(c->dropout * 0x1p16); }

bool tips__kernel_dropped(const tips_kernel_conv *c, tips_rng rng, int channels, size_t pixel, int channel) {
    const drawn_bits bits = draw_bits(rng, channels, pixel, channel);
    return is_below(&bits, channel, limit_of(c));
}

static uint16_t draw_block(const tips_op *op, size_t pixel, int b) {
    const uint32_t limit = limit_of(op->node->config);
    const int channels = op->in[0].map.c, lanes = tips__lanes(channels, b);
    unsigned dropped = 0;
    for (int first = 0; first < lanes; first += DRAWN) {
        const drawn_bits bits = draw_bits(op->rng, channels, pixel, b * TIPS_BLOCK + first);
        for (int l = first; l < first + DRAWN && l < lanes; l++) dropped |= (unsigned)is_below(&bits, l, limit) << l;
    }
    return (uint16_t)dropped;
}

static void draw(const tips_op *op, uint16_t *dropped) {
    const tips_map *x = &op->in[0].map;
    const size_t area = (size_t)x->h * (size_t)x->w;
    TIPS_PARALLEL_PLANES (x, n, b) {
        uint16_t *plane = dropped + ((size_t)n * (size_t)x->blocks + (size_t)b) * area;
        for (size_t i = 0; i < area; i++) plane[i] = draw_block(op, (size_t)n * area + i, b);
    }
}

void tips__kernel_axes(const tips_conv2d *c, int h, int w, tips_window axes[2]) {
    const tips_padding *p = &c->padding;
    axes[0] = (tips_window){h, c->kernel[0], c->stride[0], c->dilation[0], p->top, p->bottom, false, p->mode};
    axes[1] = (tips_window){w, c->kernel[1], c->stride[1], c->dilation[1], p->left, p->right, false, p->mode};
}

double tips__kernel_elements(const tips_conv2d *c, int channels) {
    return (double)c->kernel[0] * c->kernel[1] * channels;
}

/* Sums of each pixel's channels and of their squares, (n, h, w) each. */
static void pixel_sums(const tips_op *op, const uint16_t *dropped, double *values, double *squares) {
    const tips_map *x = &op->in[0].map;
    const float gain = tips__kernel_gain(op);
    TIPS_PARALLEL_FOR (row, x->n * x->h) {
        const int n = row / x->h, y = row % x->h;
        for (int i = 0; i < x->w; i++) {
            vd sum = (vd){0}, square = (vd){0};
            for (int b = 0; b < x->blocks; b++) {
                vf v = vf_load(tips__row(x, n, b, y) + (ptrdiff_t)i * TIPS_BLOCK);
                if (dropped) {
                    const uint16_t *bits = dropped + (((ptrdiff_t)n * x->blocks + b) * x->h + y) * x->w + i;
                    v = tips__masked(v * gain, tips__kernel_kept(bits));
                }
                const vd wide = vd_from(v);
                sum += wide;
                square += wide * wide;
            }
            values[(ptrdiff_t)row * x->w + i] = vd_sum(sum);
            squares[(ptrdiff_t)row * x->w + i] = vd_sum(square);
        }
    }
}

/* One row of windows. */
static void window_statistics(const tips_op *op, const tips_window axes[2], int row, const double *values,
                              const double *squares, const kernel_saved *s) {
    const tips_kernel_conv *c = op->node->config;
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const double elements = tips__kernel_elements(&c->conv, x->c);
    const ptrdiff_t plane = (ptrdiff_t)(row / y->h) * x->h * x->w;
    for (int j = 0; j < y->w; j++) {
        double sum = 0, square = 0;
        for (int tap = 0; tap < axes[0].kernel * axes[1].kernel; tap++) {
            const int from_y = tips__window_cell(&axes[0], row % y->h, tap / axes[1].kernel);
            const int from_x = tips__window_cell(&axes[1], j, tap % axes[1].kernel);
            if (from_y < 0 || from_x < 0) continue;
            sum += values[plane + (ptrdiff_t)from_y * x->w + from_x];
            square += squares[plane + (ptrdiff_t)from_y * x->w + from_x];
        }
        const double mean = sum / elements, variance = square / elements - mean * mean;
        s->mean[(ptrdiff_t)row * y->w + j] = (float)mean;
        s->rstd[(ptrdiff_t)row * y->w + j] = (float)(1 / sqrt((variance < 0 ? 0 : variance) + c->eps));
    }
}

void tips__kernel_statistics(const tips_op *op, const kernel_saved *s) {
    const tips_conv2d *c = op->node->config;
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    double *values = op->scratch, *squares = values + tips__kernel_pixels(op);
    tips_window axes[2];
    tips__kernel_axes(c, x->h, x->w, axes);
    if (s->dropped) draw(op, s->dropped);
    pixel_sums(op, s->dropped, values, squares);
    TIPS_PARALLEL_FOR (row, y->n * y->h) window_statistics(op, axes, row, values, squares, s);
}
