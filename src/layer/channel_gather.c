/* Lanes of an output block come from one source block, from two neighbours (which slide), or from anywhere. */
#include "layer/channel_gather.h"

#include "core/threads.h"
#include "layer/layer_common.h"

typedef struct lane_sources {
    int from[TIPS_BLOCK]; /* channels; -1: `constant` */
    vf constant;
    bool is_run; /* neighbours in the source, all of them there */
} lane_sources;

static lane_sources find_sources(const tips_channel_gather *job, int channels, int block) {
    lane_sources s = {.constant = tips__masked(vf_set(job->value), tips__lane_mask(channels, block)), .is_run = true};
    for (int l = 0; l < TIPS_BLOCK; l++) {
        const int c = block * TIPS_BLOCK + l;
        s.from[l] = c < channels ? job->from(job->node, job->channels, c) : -1;
        s.is_run = s.is_run && s.from[l] >= 0 && s.from[l] == s.from[0] + l;
    }
    return s;
}

/* Lanes first..first+B-1 of two blocks that follow each other. */
static void gather_run(const float *low, const float *high, int first, int width, bool accumulate, float *to) {
    for (int x = 0; x < width; x += TIPS_BLOCK) {
        float pair[2 * TIPS_BLOCK] __attribute__((aligned(4 * TIPS_BLOCK)));
        vf lanes;
        vf_store(pair, vf_load(low + x));
        vf_store(pair + TIPS_BLOCK, vf_load(high + x));
        memcpy(&lanes, pair + first, sizeof lanes);
        tips__put(to + x, lanes, accumulate);
    }
}

static void gather_lanes(const float *const from[TIPS_BLOCK], vf constant, int width, bool accumulate, float *to) {
    for (int x = 0; x < width; x += TIPS_BLOCK) {
        vf lanes = constant;
        for (int l = 0; l < TIPS_BLOCK; l++)
            if (from[l]) lanes[l] = from[l][x];
        tips__put(to + x, lanes, accumulate);
    }
}

static void gather_row(const tips_channel_gather *job, const lane_sources *s, const tips_map *src, int n, int y,
                       float *to) {
    const int width = src->w * TIPS_BLOCK, first = s->from[0] % TIPS_BLOCK;
    if (s->is_run) {
        const float *low = tips__row(src, n, s->from[0] / TIPS_BLOCK, y);
        gather_run(low, first ? low + src->sb : low, first, width, job->accumulate, to);
        return;
    }
    const float *from[TIPS_BLOCK];
    for (int l = 0; l < TIPS_BLOCK; l++) {
        const int c = s->from[l];
        from[l] = c < 0 ? NULL : tips__row(src, n, c / TIPS_BLOCK, y) + c % TIPS_BLOCK;
    }
    gather_lanes(from, s->constant, width, job->accumulate, to);
}

void tips__gather_channels(const tips_channel_gather *job, const tips_map *src, const tips_map *dst) {
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const lane_sources sources = find_sources(job, dst->c, b);
        for (int y = 0; y < dst->h; y++) gather_row(job, &sources, src, n, y, tips__row(dst, n, b, y));
    }
}
