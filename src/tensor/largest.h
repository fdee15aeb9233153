/* The largest of some vectors, lane by lane, and where it was. A NaN is larger than everything, so that it is not lost;
 * of equals the first stays. Places below 256 are kept as one byte each. */
#ifndef TIPS_TENSOR_LARGEST_H
#define TIPS_TENSOR_LARGEST_H

#include "tensor/vec.h"

#include <stdbool.h>

typedef struct vf_largest {
    vf value;
    vi at;
} vf_largest;

/* Of none yet; `at` is what stays if nothing is larger than minus infinity. */
static inline __attribute__((always_inline)) vf_largest largest_start(int at) {
    return (vf_largest){vf_set(-INFINITY), (vi){0} + at};
}

/* Without `keep` places are of no interest. */
static inline __attribute__((always_inline)) void largest_offer(vf_largest *l, vf value, vi at, bool keep) {
    const vi larger = (value > l->value) | (value != value);
    l->value = vf_select(larger, value, l->value);
    if (keep) l->at = (larger & at) | (~larger & l->at);
}

typedef uint8_t vi_bytes __attribute__((vector_size(TIPS_BLOCK), aligned(1)));

static inline __attribute__((always_inline)) vi vi_load_bytes(const uint8_t *p) {
    return __builtin_convertvector(*(const vi_bytes *)p, vi);
}
static inline __attribute__((always_inline)) void vi_store_bytes(uint8_t *p, vi v) {
    *(vi_bytes *)p = __builtin_convertvector(v, vi_bytes);
}

#endif
