/* The average of the weights over the steps. */
#include "optimizer/average.h"

#include "core/fail.h"

#include <string.h>

static const char average_name[] = "average";

tips_status tips__average_prepare(const tips_optimizer *optimizer, tips_params *params) {
    const char *names[TIPS_PARAM_STATES + 2];
    int count = 0;
    while (optimizer->state[count] && count < TIPS_PARAM_STATES) names[count] = optimizer->state[count], count++;
    names[count++] = average_name;
    names[count] = NULL;
    return tips__params_keep(params, names);
}

/* NULL where there is none. */
static float *average_of(const tips_params *p, int id) {
    const int last = p->n_states - 1;
    return last >= 0 && strcmp(p->state_name[last], average_name) == 0 ? tips__param_state(p, last, id) : NULL;
}

void tips__average_start(tips_params *p) {
    for (int i = 0; i < p->count; i++) {
        float *average = average_of(p, i);
        if (average) memcpy(average, p->data[i], p->floats[i] * sizeof *average);
    }
}

void tips__average_step(tips_params *p, double decay, uint64_t step) {
    const double early = (1.0 + (double)step) / (10.0 + (double)step);
    const float new_part = (float)(1 - (early < decay ? early : decay));
    for (int i = 0; i < p->count; i++) {
        float *average = average_of(p, i);
        for (size_t k = 0; average && k < p->floats[i]; k++) average[k] += new_part * (p->data[i][k] - average[k]);
    }
}

void tips__average_exchange(tips_params *p) {
    for (int i = 0; i < p->count; i++) {
        float *average = average_of(p, i);
        for (size_t k = 0; average && k < p->floats[i]; k++) {
            const float weight = p->data[i][k];
            p->data[i][k] = average[k];
            average[k] = weight;
        }
    }
    p->version++;
}
