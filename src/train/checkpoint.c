/* The checkpoint file: parameters and what the optimiser keeps, in plain order, state and settings as metadata. */
#include "train/train_state_text.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };
static const char option_prefix[] = "option.", machine_prefix[] = "machine.";

static void state_name(const tips_params *p, int state, const tips_param_spec *spec, char out[NAME_SIZE]) {
    snprintf(out, NAME_SIZE, "%s/%s", p->state_name[state], spec->name);
}

static size_t all_elements(const tips_params *p) {
    size_t sum = 0;
    for (int i = 0; i < p->count; i++) sum += tips__param_elements(tips__graph_param(p->graph, i));
    return sum;
}

static tips_status add_tensor(tips_safetensors_writer *w, const char *name, const tips_param_spec *spec,
                              const float *data) {
    int64_t dims[4];
    for (int i = 0; i < spec->n_dims; i++) dims[i] = spec->dims[i];
    return tips__safetensors_add_f32(w, name, spec->n_dims, dims, data);
}

/* What is kept beside a trainable parameter. */
static tips_status add_states(tips_safetensors_writer *w, const tips_params *p, int id, float *plain) {
    const tips_param_spec *spec = tips__graph_param(p->graph, id);
    for (int k = 0; k < p->n_states; k++, plain += tips__param_elements(spec)) {
        char name[NAME_SIZE];
        state_name(p, k, spec, name);
        tips__param_get_state(p, k, id, plain);
        TIPS_TRY(add_tensor(w, name, spec, plain));
    }
    return TIPS_OK;
}

/* `plain` has room for everything: the writer borrows. */
static tips_status add_tensors(tips_safetensors_writer *w, const tips_params *p, float *plain) {
    for (int i = 0; i < p->count; i++) {
        const tips_param_spec *spec = tips__graph_param(p->graph, i);
        const size_t elements = tips__param_elements(spec);
        tips__param_get(p, i, plain);
        TIPS_TRY(add_tensor(w, spec->name, spec, plain));
        plain += elements;
        if (!p->diff[i]) continue;
        TIPS_TRY(add_states(w, p, i, plain));
        plain += (size_t)p->n_states * elements;
    }
    return TIPS_OK;
}

static tips_status add_settings(tips_safetensors_writer *w, const char *prefix, const tips_settings *settings) {
    for (int i = 0; i < settings->count; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s%s", prefix, settings->items[i].name);
        TIPS_TRY(tips__safetensors_add_metadata(w, name, settings->items[i].value));
    }
    return TIPS_OK;
}

static tips_status add_machine(tips_safetensors_writer *w) {
    tips_settings machine = {0};
    tips_status status = tips__train_machine(&machine);
    if (status == TIPS_OK) status = add_settings(w, machine_prefix, &machine);
    tips__settings_clear(&machine);
    return status;
}

tips_status tips__checkpoint_save(const char *path, const tips_params *params, const tips_train_state *state,
                                  const tips_settings *settings) {
    const size_t copies = 1 + (size_t)params->n_states;
    tips_safetensors_writer *writer = NULL;
    float *plain = NULL;
    tips_status status = tips__new(&plain, copies * all_elements(params) * sizeof *plain + 1, "a checkpoint");
    if (status == TIPS_OK) status = tips__safetensors_create(&writer);
    if (status == TIPS_OK) status = tips__train_state_write(state, writer);
    if (status == TIPS_OK) status = add_settings(writer, option_prefix, settings);
    if (status == TIPS_OK) status = add_machine(writer);
    if (status == TIPS_OK) status = add_tensors(writer, params, plain);
    if (status == TIPS_OK) status = tips__safetensors_write(writer, path);
    tips__safetensors_destroy(writer);
    tips__free(plain);
    return status;
}

static tips_status read_tensor(const tips_safetensors *file, const char *path, const char *name, size_t elements,
                               float *out) {
    const int at = tips__safetensors_find(file, name);
    if (at < 0) TIPS_FAIL(TIPS_FORMAT, "%s: has no tensor '%s'; it is of another network", path, name);
    return tips__safetensors_read(file, at, out, elements);
}

static tips_status read_states(const tips_safetensors *file, const char *path, tips_params *p, int id, float *plain) {
    const tips_param_spec *spec = tips__graph_param(p->graph, id);
    for (int k = 0; k < p->n_states; k++) {
        char name[NAME_SIZE];
        state_name(p, k, spec, name);
        TIPS_TRY(read_tensor(file, path, name, tips__param_elements(spec), plain));
        tips__param_set_state(p, k, id, plain);
    }
    return TIPS_OK;
}

static tips_status read_tensors(const tips_safetensors *file, const char *path, tips_params *p, float *plain) {
    for (int i = 0; i < p->count; i++) {
        const tips_param_spec *spec = tips__graph_param(p->graph, i);
        TIPS_TRY(read_tensor(file, path, spec->name, tips__param_elements(spec), plain));
        const tips_status status = tips__param_take(p, i, plain);
        if (status != TIPS_OK) return tips__fail_within(status, path);
        if (p->diff[i]) TIPS_TRY(read_states(file, path, p, i, plain));
    }
    return TIPS_OK;
}

tips_status tips__checkpoint_load(const char *path, tips_params *params, tips_train_state *state) {
    tips_safetensors *file = NULL;
    float *plain = NULL;
    tips_status status = tips__safetensors_open(path, &file);
    if (status == TIPS_OK) status = tips__train_state_read(state, file, path);
    if (status == TIPS_OK) status = tips__new(&plain, all_elements(params) * sizeof *plain + 1, "a checkpoint");
    if (status == TIPS_OK) status = read_tensors(file, path, params, plain);
    tips__free(plain);
    tips__safetensors_close(file);
    return status;
}

static tips_status take_settings(const tips_safetensors *file, const char *prefix, tips_settings *settings) {
    const size_t length = strlen(prefix);
    for (int i = 0; i < tips__safetensors_metadata_count(file); i++) {
        const char *key, *value;
        tips__safetensors_metadata_at(file, i, &key, &value);
        if (strncmp(key, prefix, length) == 0) TIPS_TRY(tips__settings_add(settings, key + length, value));
    }
    return TIPS_OK;
}

static tips_status read_settings(const char *path, const char *prefix, tips_settings *settings) {
    tips_safetensors *file;
    TIPS_TRY(tips__safetensors_open(path, &file));
    const tips_status status = take_settings(file, prefix, settings);
    tips__safetensors_close(file);
    return status;
}

tips_status tips__checkpoint_settings(const char *path, tips_settings *settings) {
    return read_settings(path, option_prefix, settings);
}

tips_status tips__checkpoint_machine(const char *path, tips_settings *machine) {
    return read_settings(path, machine_prefix, machine);
}
