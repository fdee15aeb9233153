/* Cross-entropy of the logits of every pixel with its label t, mean over the labelled pixels of a sample:
 *     loss = 1/m sum_p (log sum_j exp x_j - x_t)_p,   dx_j = dloss / m (softmax_j - [j = t])
 * A sample without a labelled pixel has a loss of 0. */
#include "layer/layers.h"
#include "layer/pixel_labels.h"

#include <math.h>
#include <string.h>

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_pixel_labels(graph, node));
    tips__node_out(graph, node, tips__map_info(1, 1, 1, tips__in_info(graph, node, 0).per_sample));
    return TIPS_OK;
}

/* Of one row, or of a sample. */
typedef struct tally {
    double loss, count;
} tally;

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *logits = &op->in[0].map;
    plan->keep_in = 3;
    plan->forward_scratch = (size_t)logits->n * (size_t)logits->h * sizeof(tally);
    plan->workspace = (size_t)logits->n * sizeof(double);
    return TIPS_OK;
}

/* ---- B neighbouring pixels at a time, each in a lane of its own ---- */

typedef struct tile {
    const tips_map *logits;
    int n, y, x, pixels;   /* the last tile of a row may have fewer than B */
    vi labels, counts;     /* counts: a mask of the pixels whose labels are not ignored */
    vf largest, own;       /* own: the logit of the label above the largest */
    vd sum;                /* of exp(x - largest) */
} tile;

/* Channel c of block b in channel[c % B]. */
static void load_channels(const tile *t, int b, vf channel[TIPS_BLOCK]) {
    const float *at = tips__row(t->logits, t->n, b, t->y) + (ptrdiff_t)t->x * TIPS_BLOCK;
    if (t->pixels == TIPS_BLOCK) {
        vf_transpose(at, channel);
        return;
    }
    vf some[TIPS_BLOCK] = {{0}};
    for (int i = 0; i < t->pixels; i++) some[i] = vf_load(at + (ptrdiff_t)i * TIPS_BLOCK);
    vf_transpose((const float *)some, channel);
}

static int channels_of(const tile *t, int b) {
    const int left = t->logits->c - b * TIPS_BLOCK;
    return left < TIPS_BLOCK ? left : TIPS_BLOCK;
}

static void find_largest(tile *t) {
    vf channel[TIPS_BLOCK];
    t->largest = vf_set(-INFINITY);
    for (int b = 0; b < t->logits->blocks; b++) {
        load_channels(t, b, channel);
        for (int i = 0; i < channels_of(t, b); i++) t->largest = vf_max(channel[i], t->largest);
    }
}

static void add_powers(tile *t) {
    vf channel[TIPS_BLOCK];
    for (int b = 0; b < t->logits->blocks; b++) {
        load_channels(t, b, channel);
        for (int i = 0; i < channels_of(t, b); i++) {
            const vf above = channel[i] - t->largest;
            t->sum += vd_from(vf_exp(above));
            t->own = vf_select(t->labels == b * TIPS_BLOCK + i, above, t->own);
        }
    }
}

static tile make_tile(const tips_op *op, int n, int y, int x) {
    const int ignore = ((const tips_pixel_cross_entropy *)op->node->config)->ignore;
    const tips_map *logits = &op->in[0].map;
    const int left = logits->w - x;
    tile t = {.logits = logits, .n = n, .y = y, .x = x, .pixels = left < TIPS_BLOCK ? left : TIPS_BLOCK};
    t.labels = (vi){0} + ignore;
    memcpy(&t.labels, tips__row_labels(op, n, y) + x, (size_t)t.pixels * sizeof(int32_t));
    t.counts = t.labels != ignore;
    find_largest(&t);
    add_powers(&t);
    return t;
}

/* The logarithm of a product of sums, each of which is at least 1 and at most the number of channels. */
static tally tile_tally(const tile *t) {
    tally sum = {0};
    double product = 1;
    for (int i = 0; i < t->pixels; i++) {
        if (!t->counts[i]) continue;
        product *= t->sum[i];
        sum.loss -= t->own[i];
        sum.count++;
    }
    sum.loss += log(product);
    return sum;
}

static tally row_tally(const tips_op *op, int n, int y) {
    tally sum = {0};
    for (int x = 0; x < op->in[0].map.w; x += TIPS_BLOCK) {
        const tile t = make_tile(op, n, y, x);
        const tally more = tile_tally(&t);
        sum.loss += more.loss;
        sum.count += more.count;
    }
    return sum;
}

static tips_status forward(tips_op *op) {
    const tips_map *logits = &op->in[0].map;
    const int height = logits->h;
    tally *rows = op->scratch;
    double *counts = op->workspace;
    TIPS_TRY(tips__check_pixel_labels(op, ((const tips_pixel_cross_entropy *)op->node->config)->ignore));
    TIPS_PARALLEL_FOR (i, logits->n * height) rows[i] = row_tally(op, i / height, i % height);
    for (int n = 0; n < logits->n; n++) {
        tally sum = {0};
        vf loss = {0};
        for (int y = 0; y < height; y++) {
            sum.loss += rows[n * height + y].loss;
            sum.count += rows[n * height + y].count;
        }
        counts[n] = sum.count;
        loss[0] = (float)(sum.count > 0 ? sum.loss / sum.count : 0);
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

static void tile_gradient(const tile *t, const tips_slot *in, float scale) {
    const vf share = vf_from(scale / t->sum), nothing = {0};
    vf channel[TIPS_BLOCK], pixel[TIPS_BLOCK];
    for (int b = 0; b < t->logits->blocks; b++) {
        load_channels(t, b, channel);
        for (int i = 0; i < channels_of(t, b); i++) { /* the others are zero, and stay it */
            const vf own = vf_select(t->labels == b * TIPS_BLOCK + i, vf_set(scale), nothing);
            channel[i] = vf_select(t->counts, vf_exp(channel[i] - t->largest) * share - own, nothing);
        }
        vf_transpose((const float *)channel, pixel);
        float *to = tips__row(&in->diff, t->n, b, t->y) + (ptrdiff_t)t->x * TIPS_BLOCK;
        for (int i = 0; i < t->pixels; i++) tips__put(to + (ptrdiff_t)i * TIPS_BLOCK, pixel[i], in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const int height = in->map.h;
    const double *counts = op->workspace;
    if (!in->want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR (i, in->map.n * height) {
        const int n = i / height, y = i % height;
        const float scale = (float)(tips__plane(&op->out[0].diff, n, 0)[0] / (counts[n] > 0 ? counts[n] : 1));
        for (int x = 0; x < in->map.w; x += TIPS_BLOCK) {
            const tile t = make_tile(op, n, y, x);
            tile_gradient(&t, in, scale);
        }
    }
    return TIPS_OK;
}

static double ref_pixel(const double *x, int channels, size_t plane, int label) {
    double largest = x[0], total = 0;
    for (int c = 1; c < channels; c++) largest = fmax(largest, x[(size_t)c * plane]);
    for (int c = 0; c < channels; c++) total += exp(x[(size_t)c * plane] - largest);
    return largest + log(total) - x[(size_t)label * plane];
}

static tips_status ref(tips_ref_op *op) {
    const int ignore = ((const tips_pixel_cross_entropy *)op->node->config)->ignore;
    const tips_ref_slot *in = &op->in[0];
    const size_t plane = (size_t)in->h * (size_t)in->w;
    for (int n = 0; n < in->n; n++) {
        double sum = 0;
        int count = 0;
        for (size_t p = 0; p < plane; p++) {
            const int label = op->in[1].index[(size_t)n * plane + p];
            if (label == ignore) continue;
            sum += ref_pixel(in->data + (size_t)n * (size_t)in->c * plane + p, in->c, plane, label);
            count++;
        }
        op->out[0].data[n] = count ? sum / count : 0;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "ignore", .type = TIPS_OPT_INT, .offset = offsetof(tips_pixel_cross_entropy, ignore), .fallback = "255",
     .min = -1, .max = 65535, .help = "label of pixels that do not count"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_pixel_cross_entropy) = {
    .name = "pixel_cross_entropy",
    .brief = "softmax cross-entropy with a label for each pixel, mean over those of a sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_pixel_cross_entropy),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
