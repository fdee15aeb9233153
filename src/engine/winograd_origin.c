/* Every pixel gets a mark, 64 bits that depend on its values alone, and the largest mark is the origin. Where it stands
 * at several pixels, marks are made to depend on all of the picture as seen from there. If the largest is not alone
 * then, the picture looks the same from several pixels, and no rule could choose among them. */
#include "engine/winograd_origin.h"

#include "core/threads.h"

#include <stdint.h>
#include <string.h>

enum { B = TIPS_BLOCK };

typedef uint32_t vu __attribute__((vector_size(4 * TIPS_BLOCK)));
typedef uint64_t vw __attribute__((vector_size(8 * TIPS_BLOCK)));

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* An odd factor for each lane. */
static vw lane_factors(void) {
    vw factors;
    for (int i = 0; i < B; i++) factors[i] = mixed((uint64_t)i + 1) | 1;
    return factors;
}

static uint64_t mark_of(const tips_map *map, const float *pixel, const vw *factors) {
    vu bits = {0};
    for (int b = 0; b < map->blocks; b++, pixel += map->sb) bits = (bits ^ (vu)vf_load(pixel)) * 0x9e3779b1u;
    const vw wide = __builtin_convertvector(bits, vw) * *factors;
    uint64_t sum = 0;
    for (int i = 0; i < B; i++) sum += wide[i];
    return mixed(sum);
}

/* The first pixel with the largest mark; whether no other has it. */
static int largest(const uint64_t *marks, int count, bool *alone) {
    int best = 0;
    *alone = true;
    for (int i = 1; i < count; i++) {
        if (marks[i] < marks[best]) continue;
        *alone = marks[i] > marks[best];
        if (*alone) best = i;
    }
    return best;
}

/* Each mark with that of the pixel so many rows and columns further. */
static void join(uint64_t *marks, uint64_t *before, int h, int w, int dy, int dx) {
    memcpy(before, marks, (size_t)h * (size_t)w * sizeof *marks);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            marks[y * w + x] = mixed(before[y * w + x] + 3 * mixed(before[(y + dy) % h * w + (x + dx) % w]));
}

static tips_place find(uint64_t *marks, uint64_t *spare, int h, int w) {
    bool alone;
    int at = largest(marks, h * w, &alone);
    for (int dx = 1; dx < w && !alone; dx *= 2) join(marks, spare, h, w, 0, dx);
    for (int dy = 1; dy < h && !alone; dy *= 2) join(marks, spare, h, w, dy, 0);
    if (!alone) at = largest(marks, h * w, &alone);
    return alone ? (tips_place){at / w, at % w} : (tips_place){-1, -1};
}

size_t tips__origins_scratch(int n, int h, int w) { return 2 * sizeof(uint64_t) * (size_t)n * (size_t)h * (size_t)w; }

void tips__origins_find(const tips_map *map, tips_place *origins, void *scratch) {
    const int h = map->h, w = map->w;
    const vw factors = lane_factors();
    uint64_t *marks = scratch, *spare = marks + (size_t)map->n * (size_t)h * (size_t)w;
    TIPS_PARALLEL_FOR (i, map->n * h) {
        const float *row = tips__row(map, i / h, 0, i % h);
        for (int x = 0; x < w; x++) marks[(ptrdiff_t)i * w + x] = mark_of(map, row + (ptrdiff_t)x * B, &factors);
    }
    TIPS_PARALLEL_FOR (n, map->n) origins[n] = find(marks + (ptrdiff_t)n * h * w, spare + (ptrdiff_t)n * h * w, h, w);
}
