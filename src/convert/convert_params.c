/* Weights of a converted network. */
#include "convert/convert_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* psi passes its input on, and the logits of a phase are this much times the sum of its channels' means, until
 * run/convert_sharpness.c knows better. */
static const float SHARPNESS = 100;

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static tips_status new_plain(const tips_param_spec *spec, float **out) {
    return tips__new(out, tips__param_elements(spec) * sizeof **out, "a parameter");
}

/* The sum over positions: for maps that are equal everywhere, and on average for others, the answer stays. */
static void merge_cells(const float *whole, size_t outputs, size_t cells, float *merged) {
    for (size_t i = 0; i < outputs; i++) {
        double sum = 0;
        for (size_t p = 0; p < cells; p++) sum += whole[i * cells + p];
        merged[i] = (float)sum;
    }
}

static int cells_of(const tips_conversion *conversion, const char *param) {
    char name[TIPS_CHANGE_TEXT + 16];
    for (int i = 0; i < conversion->n_heads; i++) {
        snprintf(name, sizeof name, "%s.weight", conversion->heads[i].name);
        if (strcmp(name, param) == 0) return conversion->heads[i].cells;
    }
    return 1;
}

static tips_status refuse(const tips_param_spec *spec) {
    TIPS_FAIL(TIPS_SHAPE, "parameter '%s' does not fit into the converted network", spec->name);
}

static tips_status copy(const tips_params *from, tips_params *to, int id) {
    bool fits;
    TIPS_TRY(tips__param_copy(from, to, id, &fits));
    return fits ? TIPS_OK : refuse(tips__graph_param(to->graph, id));
}

static tips_status merge(const tips_params *from, int source, size_t cells, tips_params *to, int id) {
    const tips_param_spec *a = tips__graph_param(from->graph, source), *b = tips__graph_param(to->graph, id);
    const size_t count = tips__param_elements(b);
    float *old, *merged;
    if (tips__param_elements(a) != count * cells) return refuse(b);
    TIPS_TRY(new_plain(a, &old));
    const tips_status status = new_plain(b, &merged);
    if (status == TIPS_OK) {
        tips__param_get(from, source, old);
        merge_cells(old, count, cells, merged);
        tips__param_set(to, id, merged);
        tips__free(merged);
    }
    tips__free(old);
    return status;
}

/* (c, 1, 3, 3) or (c, c, 3, 3), each channel from its own. */
void tips__convert_psi(const tips_param_spec *spec, float neighbours, float *out) {
    const size_t in = (size_t)spec->dims[1], taps = (size_t)(spec->dims[2] * spec->dims[3]);
    memset(out, 0, tips__param_elements(spec) * sizeof *out);
    for (size_t c = 0; c < (size_t)spec->dims[0]; c++) {
        float *own = out + (c * in + (in == 1 ? 0 : c)) * taps;
        for (size_t i = 0; i < taps; i++) own[i] = i == taps / 2 ? 1 : neighbours;
    }
}

static bool is_psi(const tips_param_spec *spec) {
    return ends_with(spec->name, ".pool.psi.weight") && spec->n_dims == 4;
}

bool tips__convert_is_mixing(const tips_param_spec *spec) {
    return ends_with(spec->name, ".pool.mix.weight") && spec->n_dims == 2 && spec->dims[0] == spec->dims[1];
}

/* Operators with other parameters have a start of their own that will do. */
static tips_status start_operator(tips_params *to, int id) {
    const tips_param_spec *spec = tips__graph_param(to->graph, id);
    float *values;
    if (!is_psi(spec) && !tips__convert_is_mixing(spec)) return TIPS_OK;
    TIPS_TRY(new_plain(spec, &values));
    if (is_psi(spec)) tips__convert_psi(spec, 0, values);
    else
        for (size_t i = 0; i < tips__param_elements(spec); i++) values[i] = SHARPNESS;
    tips__param_set(to, id, values);
    tips__free(values);
    return TIPS_OK;
}

tips_status tips__convert_params(const tips_conversion *conversion, const tips_params *from, tips_params *to) {
    for (int i = 0; i < to->count; i++) {
        const char *name = tips__graph_param(to->graph, i)->name;
        const int source = tips__param_find(from->graph, name), cells = cells_of(conversion, name);
        if (source < 0) TIPS_TRY(start_operator(to, i));
        else TIPS_TRY(cells == 1 ? copy(from, to, i) : merge(from, source, (size_t)cells, to, i));
    }
    return TIPS_OK;
}
