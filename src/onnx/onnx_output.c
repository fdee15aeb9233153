/* The output of a network, and the steps it needs. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

/* Steps that the output reads, in order, under the same names; others were looked at and left. */
static tips_status keep_read_steps(const tips_blueprint *from, int *numbers, tips_blueprint *to) {
    int last = from->output;
    numbers[from->output] = 0;
    for (int i = 0; i < from->n_outputs; i++) {
        numbers[from->outputs[i]] = 0;
        if (from->outputs[i] > last) last = from->outputs[i];
    }
    for (int i = last; i >= 0; i--)
        for (int k = 0; k < from->steps[i].n_in && numbers[i] != TIPS_BLUEPRINT_NOTHING; k++)
            if (from->steps[i].in[k] >= 0) numbers[from->steps[i].in[k]] = 0;
    for (int i = 0; i <= last; i++) {
        const tips_step *step = &from->steps[i];
        int in[TIPS_MAX_IN];
        if (numbers[i] == TIPS_BLUEPRINT_NOTHING) continue;
        for (int k = 0; k < step->n_in; k++) in[k] = step->in[k] < 0 ? step->in[k] : numbers[step->in[k]];
        TIPS_TRY(tips__blueprint_add(to, step->layer, step->name, step->config, in, step->n_in, &numbers[i]));
    }
    to->output = numbers[from->output];
    for (int i = 0; i < from->n_outputs; i++) to->outputs[i] = numbers[from->outputs[i]];
    to->n_outputs = from->n_outputs;
    to->program = tips__program_keep(from->program);
    memcpy(to->program_size, from->program_size, sizeof to->program_size);
    to->classes = from->classes;
    return TIPS_OK;
}

tips_status tips__onnx_drop_unread_steps(onnx_importer *im) {
    tips_blueprint *all = im->blueprint, *kept;
    int *numbers; /* (n_steps): in `kept` */
    TIPS_TRY(tips__new(&numbers, (size_t)all->n_steps * sizeof *numbers, "the steps of a network"));
    for (int i = 0; i < all->n_steps; i++) numbers[i] = TIPS_BLUEPRINT_NOTHING;
    tips_status status = tips__blueprint_create(all->channels, &kept);
    if (status == TIPS_OK) {
        status = keep_read_steps(all, numbers, kept);
        tips__blueprint_release(status == TIPS_OK ? all : kept);
        if (status == TIPS_OK) im->blueprint = im->out->blueprint = kept;
    }
    tips__free(numbers);
    return status;
}

/* A map of one channel, seen without it: (n, h, w). */
static bool is_bare_map(const onnx_importer *im, const onnx_value *v) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    return !v->is_padded && v->n_dims == 3 && v->batch == 0 && map->c == 1 && map->h > 1 && v->dims[1] == map->h &&
           v->dims[2] == map->w && v->strides[1] == map->w && v->strides[2] == 1;
}

tips_status tips__onnx_take_output(onnx_importer *im, int output) {
    onnx_value *v = &im->values[output];
    const bool chosen = v->kind == ONNX_CLASSES;
    if ((v->kind != ONNX_MAP && !chosen) || v->step == TIPS_BLUEPRINT_INPUT)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its output is not computed from its input");
    v->kind = ONNX_MAP;
    if (!chosen) tips__onnx_look_for_boxes(im, output);
    const bool bare = is_bare_map(im, v);
    if (!bare) TIPS_TRY(tips__onnx_arrange(im, v, tips__onnx_layout_of(im, v)));
    const tips_value_info map = *tips__onnx_map_info(im, v);
    im->out->is_map = bare || ((map.h > 1 || map.w > 1) && v->n_dims == 4);
    if (!im->out->is_map && (map.h != 1 || map.w != 1))
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "its output is a tensor of %d dimensions, %dx%dx%d; logits of a classifier (n, classes) or of pixels "
                  "(n, classes, h, w) are needed; a detector is read with --boxes auto or --boxes STYLE",
                  v->n_dims, map.c, map.h, map.w);
    if (im->out->is_map) TIPS_TRY(tips__onnx_fit_pixels(im, v, chosen));
    im->blueprint->output = v->step;
    im->blueprint->classes = tips__onnx_map_info(im, v)->c;
    im->out->output = tips__strdup(im->file->sources[output].name);
    if (!im->out->output) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return tips__onnx_drop_unread_steps(im);
}
