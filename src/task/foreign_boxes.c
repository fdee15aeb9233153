/* From the maps of somebody's detector to boxes. */
#include "task/foreign_boxes.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "metric/detection.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)TIPS_MOST_WHOLES <= (int)TIPS_MOST_OUTPUTS, "all maps of a network are outputs");

bool tips__foreign_finds(const tips_assignment *a) { return a->blueprint && a->blueprint->program; }

void tips__foreign_style(const tips_assignment *a, char *out, size_t size) {
    const tips_decode_spec *spec = tips__foreign_finds(a) ? &a->blueprint->boxes : NULL;
    size_t length = (size_t)snprintf(out, size, "%s", spec ? spec->style->name : "");
    const char *before = ":";
    if (!spec) return;
    for (tips_option_walk walk = tips__options_walk(spec->style->options); tips__options_next(&walk); before = ",") {
        char value[64];
        tips__option_format(&walk.row, &spec->config, value, sizeof value);
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%s %s %s", before, walk.row.name, value);
    }
}

void tips__foreign_head(const tips_features *features, tips_ends *ends) {
    for (int i = 0; i < features->n_outputs; i++) ends->outputs[ends->n_outputs++] = features->outputs[i];
}

/* What the program makes of maps, with names; freed by drop_raw. */
typedef struct raw {
    tips_raw_boxes boxes;
    tips_array *arrays;
    const char **names;
} raw;

static void drop_raw(raw *r) {
    for (int i = 0; r->arrays && i < r->boxes.n; i++) tips__array_free(&r->arrays[i]);
    tips__free(r->arrays);
    tips__free(r->names);
}

static tips_status run_program(const tips_blueprint *b, const float *const *maps, raw *out) {
    const int n = tips__program_output_count(b->program);
    TIPS_TRY(tips__new_zero(&out->arrays, (size_t)n * sizeof *out->arrays, "the outputs of a detector"));
    TIPS_TRY(tips__new(&out->names, (size_t)n * sizeof *out->names, "the outputs of a detector"));
    for (int i = 0; i < n; i++) out->names[i] = tips__program_output_name(b->program, i);
    out->boxes = (tips_raw_boxes){
        .arrays = out->arrays, .names = out->names, .n = n, .size = {b->program_size[0], b->program_size[1]}};
    return tips__program_run(b->program, maps, out->arrays);
}

static tips_status put_answer(const tips_found *found, tips_bytes *out) {
    TIPS_TRY(tips__bytes_resize(out, (size_t)found->count * sizeof(tips_detection)));
    tips_detection *to = (tips_detection *)(void *)out->data;
    if (found->count > 0) memset(to, 0, out->count);
    for (int i = 0; i < found->count; i++) {
        const tips_candidate *one = &found->rows[i];
        to[i].x = one->box.x1, to[i].y = one->box.y1;
        to[i].w = one->box.x2 - one->box.x1, to[i].h = one->box.y2 - one->box.y1;
        to[i].score = one->score;
        to[i].label = one->label;
    }
    return TIPS_OK;
}

tips_status tips__foreign_answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *answer) {
    const tips_blueprint *b = a->blueprint;
    const float *maps[TIPS_MOST_OUTPUTS];
    tips_found found = {0};
    raw r = {0};
    for (int k = 0; k < outputs->count; k++) maps[k] = outputs->values[k] + (size_t)i * outputs->floats[k];
    tips_status status = run_program(b, maps, &r);
    if (status == TIPS_OK) status = tips__decode(&b->boxes, &r.boxes, &found);
    if (status == TIPS_OK) status = put_answer(&found, answer);
    tips__found_clear(&found);
    drop_raw(&r);
    return status;
}

/* Outputs of maps that are all zero: their names, types and, where these are fixed, shapes. */
static tips_status run_on_zeros(const tips_blueprint *b, const tips_model *model, raw *out) {
    const float *maps[TIPS_MOST_OUTPUTS];
    size_t largest = 0;
    float *zeros;
    for (int i = 0; i < model->ends.n_outputs; i++) {
        const tips_value_info *info = tips__value(model->graph, model->ends.outputs[i]);
        const size_t count = (size_t)info->c * (size_t)info->h * (size_t)info->w;
        if (count > largest) largest = count;
    }
    TIPS_TRY(tips__new_zero(&zeros, largest * sizeof *zeros, "the outputs of a detector"));
    for (int i = 0; i < model->ends.n_outputs; i++) maps[i] = zeros;
    const tips_status status = run_program(b, maps, out);
    tips__free(zeros);
    return status;
}

static tips_status settle(tips_blueprint *b, tips_model *model, const char *style, const raw *r) {
    const bool is_said = style && strcmp(style, "auto") != 0;
    int classes = 0;
    TIPS_TRY(is_said ? tips__decode_parse(style, &b->boxes) : tips__decode_guess(&r->boxes, &b->boxes));
    TIPS_TRY(b->boxes.style->classes(&b->boxes.config, &r->boxes, &classes));
    b->classes = model->assignment.classes = classes;
    return TIPS_OK;
}

tips_status tips__foreign_settle(tips_blueprint *b, tips_model *model, const char *style) {
    raw r = {0};
    tips_status status = run_on_zeros(b, model, &r);
    if (status == TIPS_OK) status = settle(b, model, style, &r);
    drop_raw(&r);
    return status;
}
