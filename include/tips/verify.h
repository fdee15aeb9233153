/* Verification: does a network, layer by layer and bit by bit, commute with circular shifts of its input? */
#ifndef TIPS_VERIFY_H
#define TIPS_VERIFY_H

#include <tips/api.h>
#include <tips/network.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TIPS_VERDICT_NAME = 96, TIPS_VERDICT_ADVICE = 512 };

typedef struct tips_verdict {
    bool exact;              /* no bit differs in any layer under any shift that was tried */
    bool within_tolerance;   /* no error above 1e-5 of a layer's largest value */
    bool invariant;          /* the largest logit stays the largest */
    int shifts;              /* tried */
    int answer_changes;      /* shifts under which another logit is the largest */
    int layers;              /* compared */
    uint64_t differing_bits; /* summed over layers and shifts */
    double max_abs_error, max_rel_error;
    double margin; /* least relative distance between best and second phase; INFINITY if no layer chooses */
    char first_breaking_layer[TIPS_VERDICT_NAME]; /* "" if exact */
    const char *reason; /* of that layer: "padding", "odd size", "fixed grid", "per-channel choice", "tie", "rounding";
                           NULL if exact */
    char advice[TIPS_VERDICT_ADVICE]; /* the reason as a sentence, with a remedy; "" if exact */
} tips_verdict;

/* Runs the network on one image (channels, height, width) and on circular shifts of it. `image` NULL: a natural-like
 * one from the network's seed, normalised as its file says. `shifts` 0: all height * width; else so many, drawn without
 * repetition, the one-pixel ones first. Parameters and the last run stay as they are. */
TIPS_API tips_status tips_network_verify(tips_network *network, const float *image, int shifts,
                                         tips_verdict *out) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
