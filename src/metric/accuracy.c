/* The largest score, ranks and probabilities. Equal scores are ordered by class, so that answers are unique. */
#include "metric/accuracy.h"

#include <math.h>

int tips__answer(const float *scores, int classes) {
    int best = 0;
    for (int i = 1; i < classes; i++)
        if (scores[i] > scores[best]) best = i;
    return best;
}

int tips__rank(const float *scores, int classes, int label) {
    int before = 0;
    for (int i = 0; i < classes; i++) before += scores[i] > scores[label] || (scores[i] == scores[label] && i < label);
    return before;
}

void tips__best(const float *scores, int classes, int k, int *out) {
    for (int i = 0; i < classes; i++) {
        const int rank = tips__rank(scores, classes, i);
        if (rank < k) out[rank] = i;
    }
}

void tips__softmax(const float *scores, int classes, double *out) {
    const double largest = scores[tips__answer(scores, classes)];
    double sum = 0;
    for (int i = 0; i < classes; i++) sum += out[i] = exp(scores[i] - largest);
    for (int i = 0; i < classes; i++) out[i] /= sum;
}

bool tips__scores_finite(const float *scores, int classes) {
    for (int i = 0; i < classes; i++)
        if (!isfinite(scores[i])) return false;
    return true;
}
