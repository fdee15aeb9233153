/* psi and its means: one pass over x, plane by plane, the polyphase components never materialised.
 * Means are order-independent sums, so a shifted map gives the same bits at the permuted phases. */
#include "pool/tips_pool.h"

#include "core/threads.h"
#include "tensor/exact_sum.h"

static tips_padding border_of_one(const tips_job *job) {
    return (tips_padding){job->config->common.padding, 1, 1, 1, 1};
}

static size_t padded_floats(const tips_job *job) {
    const tips_padding pad = border_of_one(job);
    return tips__pad_plane_floats(job->x.h, job->x.w, &pad);
}

size_t tips__psi_scratch_floats(const tips_job *job) {
    return padded_floats(job) + (size_t)job->x.w * TIPS_BLOCK;
}

static const float *taps_of(const tips_job *job, int block) {
    return job->psi_weights + (ptrdiff_t)block * 9 * TIPS_BLOCK;
}

tips_psi_plane tips__psi_open(const tips_job *job, int n, int block, float *scratch) {
    tips_psi_plane plane = {.job = job, .n = n, .block = block, .padded = scratch, .row = scratch + padded_floats(job)};
    if (job->psi.data) {
        plane.bound = tips__plane_largest(&job->psi, n, block);
        return plane;
    }
    const tips_padding pad = border_of_one(job);
    tips__pad_plane(&job->x, n, block, &pad, scratch);
    vf weights = (vf){0};
    for (int t = 0; t < 9; t++) weights += vf_abs(vf_load(taps_of(job, block) + (ptrdiff_t)t * TIPS_BLOCK));
    plane.bound = tips__plane_largest(&job->x, n, block) * weights * 1.01f; /* rounding stays below a hundredth */
    return plane;
}

const float *tips__psi_row(const tips_psi_plane *plane, int y) {
    const tips_job *job = plane->job;
    if (job->psi.data) return tips__row(&job->psi, plane->n, plane->block, y);
    const ptrdiff_t line = (ptrdiff_t)(job->x.w + 2) * TIPS_BLOCK;
    const float *from = plane->padded + y * line;
    vf w[9];
    for (int t = 0; t < 9; t++) w[t] = vf_load(taps_of(job, plane->block) + (ptrdiff_t)t * TIPS_BLOCK);
    for (ptrdiff_t x = 0; x < (ptrdiff_t)job->x.w * TIPS_BLOCK; x += TIPS_BLOCK) {
        vf sum = (vf){0};
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++)
                sum = vf_fma(w[ky * 3 + kx], vf_load(from + ky * line + x + (ptrdiff_t)kx * TIPS_BLOCK), sum);
        vf_store(plane->row + x, vf_relu(sum));
    }
    return plane->row;
}

const float *tips__shifted_row(const tips_job *job, int n, int block, int y) {
    const int from = y - job->shift[2 * n];
    return from < 0 ? NULL : tips__row(&job->x, n, block, from);
}

/* The bins of the adaptive s x s quadrants, seen from the anchor. */
static int quadrant_runs(const tips_job *job, int n, int y, tips_run *runs) {
    const int h = job->x.h, w = job->x.w, sh = job->stride[0], sw = job->stride[1];
    const int ah = job->anchor[n] / sw, aw = job->anchor[n] % sw;
    const int row_bin = (y - ah + h) % h / (h / sh);
    int count = 0;
    for (int b = 0; b < sw; b++) {
        const int start = (b * (w / sw) + aw) % w, over = start + w / sw - w;
        runs[count++] = (tips_run){row_bin * sw + b, start, 1, w / sw - (over > 0 ? over : 0)};
        if (over > 0) runs[count++] = (tips_run){row_bin * sw + b, 0, 1, over};
    }
    return count;
}

int tips__family_runs(const tips_job *job, int n, int y, tips_run *runs) {
    const int sw = job->stride[1], w = job->x.w;
    if (job->config->tau == TAU_GAP) {
        runs[0] = (tips_run){0, 0, 1, w};
        return 1;
    }
    if (job->config->tau == TAU_QUADRANT) return quadrant_runs(job, n, y, runs);
    for (int b = 0; b < sw; b++) runs[b] = (tips_run){y % job->stride[0] * sw + b, b, sw, w / sw};
    return sw;
}

static vd row_undo(const tips_job *job, int n, int block, int y, const float *psi) {
    const float *moved = tips__shifted_row(job, n, block, y);
    const int dx = job->shift[2 * n + 1];
    vf sum = (vf){0};
    for (int x = 0; x < job->x.w; x++) {
        const vf d = tips__shifted_pixel(moved, x, dx) - vf_load(psi + (ptrdiff_t)x * TIPS_BLOCK);
        sum = vf_fma(d, d, sum);
    }
    return vd_from(sum);
}

static vd row_square(const tips_job *job, int n, int block, int y) {
    const float *row = tips__row(&job->x, n, block, y);
    vf sum = (vf){0};
    for (int x = 0; x < job->x.w; x++) {
        const vf v = vf_load(row + (ptrdiff_t)x * TIPS_BLOCK);
        sum = vf_fma(v, v, sum);
    }
    return vd_from(sum);
}

static double plane_square(const tips_job *job, int n, int block) {
    vd square = (vd){0};
    for (int y = 0; y < job->x.h; y++) square += row_square(job, n, block, y);
    return vd_sum(square);
}

static double plane_means(const tips_job *job, int n, int block, float *scratch) {
    const tips_psi_plane plane = tips__psi_open(job, n, block, scratch);
    const double area = (double)job->x.h * job->x.w;
    exact_sum sums[TIPS_MAX_PHASES];
    const exact_sum start = exact_sum_start(vd_from(plane.bound), area);
    for (int i = 0; i < job->bins; i++) sums[i] = start;
    vd undo = (vd){0};
    for (int y = 0; y < job->x.h; y++) {
        const float *row = tips__psi_row(&plane, y);
        tips_run runs[2 * TIPS_MAX_PHASES];
        const int count = tips__family_runs(job, n, y, runs);
        for (int r = 0; r < count; r++)
            exact_sum_add_run(&sums[runs[r].bin], row + (ptrdiff_t)runs[r].start * TIPS_BLOCK,
                              (ptrdiff_t)runs[r].step * TIPS_BLOCK, runs[r].count, EXACT_VALUE);
        if (job->undo) undo += row_undo(job, n, block, y, row);
    }
    float *means = job->means + (ptrdiff_t)n * job->bins * job->padded + (ptrdiff_t)block * TIPS_BLOCK;
    for (int i = 0; i < job->bins; i++)
        vf_store(means + (ptrdiff_t)i * job->padded, vf_from(sums[i].sum / (area / job->bins)));
    return vd_sum(undo);
}

void tips__family_means(const tips_job *job, float *scratch, double *undo) {
    const size_t room = tips__psi_scratch_floats(job);
    TIPS_PARALLEL_PLANES(&job->x, n, b) {
        const double share = plane_means(job, n, b, scratch + (size_t)omp_get_thread_num() * room);
        const ptrdiff_t plane = (ptrdiff_t)n * job->x.blocks + b;
        if (job->undo) undo[plane] = share;
        if (job->relative) undo[(ptrdiff_t)job->x.n * job->x.blocks + plane] = plane_square(job, n, b);
    }
}
