/* Naive loops shared by the reference runs of operators that choose a phase. */
#include "pool/pool_ref.h"

void tips__ref_gather(const tips_ref_slot *y, const tips_ref_slot *x, const int stride[2], const int32_t *phase) {
    REF_CELLS(y, n, c, i, j) *ref_at(y, n, c, i, j) = ref_phase(x, stride, phase ? phase[n] : 0, n, c, i, j);
}

double tips__ref_norm(const tips_ref_slot *x, const int stride[2], int n, int k, int p) {
    double norm = 0;
    for (int c = 0; c < x->c; c++)
        for (int i = 0; i < x->h / stride[0]; i++)
            for (int j = 0; j < x->w / stride[1]; j++) {
                const double value = fabs(ref_phase(x, stride, k, n, c, i, j));
                if (p == 0)
                    norm = fmax(norm, value);
                else
                    norm += p == 1 ? value : value * value;
            }
    return norm;
}

int tips__ref_choose(const double *score, const tips_ref_slot *x, const int stride[2], int n) {
    int best = 0;
    for (int k = 1; k < stride[0] * stride[1]; k++) {
        const bool tied = score[k] == score[best];
        const bool longer = tied && tips__ref_norm(x, stride, n, k, 2) > tips__ref_norm(x, stride, n, best, 2);
        if (score[k] > score[best] || longer) best = k;
    }
    return best;
}
