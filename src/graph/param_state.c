/* Vectors that an optimiser keeps beside the parameters. Each kind lies in an arena of its own, laid out as the values
 * are. */
#include "graph/params_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

void tips__params_forget(tips_params *p) {
    for (int i = 0; i < p->n_states; i++) tips__free(p->state_arena[i]);
    p->n_states = 0;
}

/* Whether what is kept already is how `names` begin. */
static bool begins_as_kept(const tips_params *p, const char *const *names) {
    for (int i = 0; i < p->n_states; i++)
        if (!names[i] || strcmp(names[i], p->state_name[i]) != 0) return false;
    return true;
}

tips_status tips__params_keep(tips_params *p, const char *const *names) {
    if (!begins_as_kept(p, names)) tips__params_forget(p);
    while (names[p->n_states]) {
        const char *name = names[p->n_states];
        if (p->n_states == TIPS_PARAM_STATES)
            TIPS_FAIL(TIPS_INVALID, "no room for the vectors '%s': an optimiser keeps %d kinds at most", name,
                      TIPS_PARAM_STATES);
        TIPS_TRY(tips__new_zero(&p->state_arena[p->n_states], p->total_floats * sizeof(float), name));
        p->state_name[p->n_states++] = name;
    }
    return TIPS_OK;
}

float *tips__param_state(const tips_params *p, int state, int id) {
    return p->diff[id] ? p->state_arena[state] + (p->data[id] - p->data_arena) : NULL;
}

void tips__param_get_state(const tips_params *p, int state, int id, float *plain) {
    tips__param_unpack(tips__graph_param(p->graph, id), tips__param_state(p, state, id), plain);
}

void tips__param_set_state(tips_params *p, int state, int id, const float *plain) {
    tips__param_pack(tips__graph_param(p->graph, id), plain, tips__param_state(p, state, id));
}
