/* Layers on the way back up. What they make must lie where the picture was, so they undo the choices of phase that were
 * made between, the last one first: an interpolation becomes one that begins at the phase, a transposed convolution
 * moves its output to it. Where the operator chooses nothing they stay as they are. */
#include "convert/convert_parts.h"

#include "core/fail.h"

#include <stdio.h>

enum { NAME_SIZE = 200 };

static const step_facts *facts_before(const conversion_work *w, int i) {
    const int from = w->from->steps[i].in[0];
    return from < 0 ? NULL : &w->facts[from];
}

bool tips__convert_enlarges(const conversion_work *w, int i) {
    const tips_layer *layer = w->from->steps[i].layer;
    const step_facts *before = facts_before(w, i);
    const int h = before ? before->h : w->options->size[0], width = before ? before->w : w->options->size[1];
    if (layer != &tips__layer_resize && layer != &tips__layer_conv_transpose) return false;
    return layer == &tips__layer_conv_transpose || w->facts[i].h > h || w->facts[i].w > width;
}

static tips_status refuse_size(const conversion_work *w, int i, int g) {
    const step_facts *f = &w->facts[i], *before = facts_before(w, i);
    const bool down = g > 0;
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "layer '%s' makes maps of %dx%d from %dx%d, %s, so no choice of phase can be undone; try --size with a "
              "multiple of all strides, or an operator that chooses nothing (--pool max)",
              w->from->steps[i].name, f->h, f->w, before ? before->h : w->options->size[0],
              before ? before->w : w->options->size[1],
              down ? "which is the size of no map above" : "larger than the input");
}

/* The grid above whose maps had the size that it makes. */
tips_status tips__convert_find_undone(const conversion_work *w, int i, int g, int *above) {
    const step_facts *f = &w->facts[i], *before = facts_before(w, i);
    const bool same = before && before->h == f->h && before->w == f->w;
    int count = 0;
    *above = -1;
    if (same) return TIPS_OK;
    for (int at = g; at > 0; at = w->grids[at].parent) {
        const int up = w->grids[at].parent;
        count++;
        if (w->grids[up].h != f->h || w->grids[up].w != f->w) continue;
        if (count > TIPS_BLUEPRINT_UNDOES)
            TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s' goes back up %d levels at once; at most %d are possible",
                      w->from->steps[i].name, count, TIPS_BLUEPRINT_UNDOES);
        *above = up;
        return TIPS_OK;
    }
    return tips__convert_chooses(w) ? refuse_size(w, i, g) : TIPS_OK;
}

/* The operators whose choices are undone, the last one first, and the product of their strides. */
static int list_undone(const conversion_work *w, int i, int *operators, int factor[2]) {
    int count = 0;
    factor[0] = factor[1] = 1;
    for (int at = w->facts[i].undoes; at != w->facts[i].grid; at = w->grids[at].parent) {
        const downsampling *e = &w->events[w->grids[at].event];
        operators[count++] = w->events[e->leader].operator_step;
        for (int k = 0; k < 2; k++) factor[k] *= e->stride[k];
    }
    return count;
}

static tips_status note_undone(conversion_work *w, int i, const int *operators, int count) {
    char names[120] = "";
    for (int k = 0, length = 0; k < count && length < (int)sizeof names; k++)
        length += snprintf(names + length, sizeof names - (size_t)length, "%s%s", k ? ", " : "",
                           w->out->blueprint->steps[operators[k]].name);
    return tips__convert_note(w->out, w->from->steps[i].name, "enlarges by the phase of %s", names);
}

/* Whether the pixels to which a cell is the nearest are its own, from the first on. */
static bool repeats(const tips_resize *c, int factor) {
    const bool rounds = c->round == TIPS_ROUND_PREFER_FLOOR || c->round == TIPS_ROUND_PREFER_CEIL;
    if (c->grid == TIPS_GRID_ASYMMETRIC)
        return factor == 1 || c->round == TIPS_ROUND_FLOOR || (c->round == TIPS_ROUND_PREFER_FLOOR && factor == 2);
    return c->grid != TIPS_GRID_ALIGN_CORNERS && rounds;
}

static tips_status find_mode(const conversion_work *w, int i, const int factor[2], int *mode) {
    const tips_resize *c = w->from->steps[i].config;
    const bool corner = c->grid == TIPS_GRID_ALIGN_CORNERS || c->grid == TIPS_GRID_ASYMMETRIC;
    *mode = c->mode == TIPS_RESIZE_NEAREST ? TIPS_UPSAMPLE_NEAREST
            : corner                       ? TIPS_UPSAMPLE_CORNER
                                           : TIPS_UPSAMPLE_LINEAR;
    if (c->mode == TIPS_RESIZE_NEAREST && (!repeats(c, factor[0]) || !repeats(c, factor[1])))
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "layer '%s' takes nearest pixels that are not those of whole cells; it cannot follow a phase",
                  w->from->steps[i].name);
    return TIPS_OK;
}

/* A map that was extended on the way down is cut back. */
static tips_status cut(conversion_work *w, int i, const int have[2]) {
    int want[2];
    tips__convert_new_size(w, w->facts[i].grid, want);
    for (int axis = 0; axis < 2; axis++) {
        char name[NAME_SIZE];
        const tips_slice slice = {.axis = axis ? TIPS_AXIS_W : TIPS_AXIS_H, .stop = want[axis], .step = 1};
        if (have[axis] == want[axis]) continue;
        snprintf(name, sizeof name, "%.180s.cut_%c", w->from->steps[i].name, axis ? 'w' : 'h');
        TIPS_TRY(
            tips__blueprint_add(w->out->blueprint, &tips__layer_slice, name, &slice, &w->placed[i], 1, &w->placed[i]));
    }
    return TIPS_OK;
}

static bool is_circular(const conversion_work *w) {
    return !w->options->keep_padding && w->options->padding == TIPS_PAD_CIRCULAR;
}

static tips_status add(conversion_work *w, int i, const tips_layer *layer, const void *config) {
    const int in = tips__convert_at(w, w->from->steps[i].in[0]);
    return tips__blueprint_add(w->out->blueprint, layer, w->from->steps[i].name, config, &in, 1, &w->placed[i]);
}

static tips_status follow_resize(conversion_work *w, int i) {
    int operators[TIPS_BLUEPRINT_UNDOES], factor[2], below[2];
    tips_upsample config = {.edge = !is_circular(w)};
    const int count = list_undone(w, i, operators, factor);
    TIPS_TRY(find_mode(w, i, factor, &config.mode));
    config.stride[0] = factor[0], config.stride[1] = factor[1];
    TIPS_TRY(add(w, i, &tips__layer_upsample, &config));
    TIPS_TRY(tips__blueprint_undo(w->out->blueprint, w->placed[i], operators, count));
    TIPS_TRY(note_undone(w, i, operators, count));
    tips__convert_new_size(w, w->facts[i].undoes, below);
    return cut(w, i, (const int[2]){below[0] * factor[0], below[1] * factor[1]});
}

/* By its own size where it was given one: maps may have grown. */
static tips_status keep_resize(conversion_work *w, int i) {
    tips_resize config = *(const tips_resize *)w->from->steps[i].config;
    const step_facts *f = &w->facts[i];
    int g = f->grid;
    for (int k = 0; k < w->n_grids && !f->spatial && g < 0; k++) /* a mean that is spread over the maps of a grid */
        if (w->grids[k].h == f->h && w->grids[k].w == f->w) g = k;
    if (config.size[0] > 0 && g >= 0 && w->grids[g].h == f->h && w->grids[g].w == f->w)
        tips__convert_new_size(w, g, config.size);
    return add(w, i, &tips__layer_resize, &config);
}

static tips_status write_transposed(conversion_work *w, int i) {
    tips_conv_transpose config = *(const tips_conv_transpose *)w->from->steps[i].config;
    const step_facts *f = &w->facts[i], *before = facts_before(w, i);
    int operators[TIPS_BLUEPRINT_UNDOES], factor[2] = {1, 1}, count = 0, below[2];
    const int *stride = config.conv.stride;
    const int h = before ? before->h : w->options->size[0], width = before ? before->w : w->options->size[1];
    const bool whole = f->h == h * stride[0] && f->w == width * stride[1];
    if (f->undoes >= 0 && tips__convert_chooses(w)) {
        count = list_undone(w, i, operators, factor);
        if (!whole || factor[0] != stride[0] || factor[1] != stride[1])
            TIPS_FAIL(
                TIPS_UNSUPPORTED,
                "layer '%s' makes maps of %dx%d from %dx%d by a stride of %dx%d; to follow the phases of a stride "
                "of %dx%d, it must make one cell of each",
                w->from->steps[i].name, f->h, f->w, h, width, stride[0], stride[1], factor[0], factor[1]);
    }
    if (whole && is_circular(w) && config.conv.padding.mode != TIPS_PAD_CIRCULAR) {
        config.conv.padding.mode = TIPS_PAD_CIRCULAR;
        w->out->padded++;
    }
    TIPS_TRY(add(w, i, &tips__layer_conv_transpose, &config));
    if (count == 0) return TIPS_OK;
    TIPS_TRY(tips__blueprint_undo(w->out->blueprint, w->placed[i], operators, count));
    TIPS_TRY(note_undone(w, i, operators, count));
    tips__convert_new_size(w, f->undoes, below);
    return cut(w, i, (const int[2]){below[0] * factor[0], below[1] * factor[1]});
}

tips_status tips__convert_write_enlarger(conversion_work *w, int i) {
    if (w->from->steps[i].layer == &tips__layer_conv_transpose) return write_transposed(w, i);
    const bool follows = w->facts[i].undoes >= 0 && tips__convert_chooses(w);
    return follows ? follow_resize(w, i) : keep_resize(w, i);
}
