/* The new blueprint, step by step: windows at stride 1 that keep the size, and operators behind them. */
#include "convert/convert_parts.h"

#include "core/fail.h"

#include <stdio.h>

enum { NAME_SIZE = 200 };

int tips__convert_at(const conversion_work *w, int step) { return step < 0 ? TIPS_BLUEPRINT_INPUT : w->placed[step]; }

static tips_status note_operator(conversion_work *w, const downsampling *e, bool follows) {
    char stride[32];
    if (e->stride[0] == e->stride[1]) snprintf(stride, sizeof stride, "%d", e->stride[0]);
    else snprintf(stride, sizeof stride, "%dx%d", e->stride[0], e->stride[1]);
    return tips__convert_note(w->out, w->from->steps[e->step].name, "stride %s -> 1, then %s by %s%s%s", stride,
                              w->options->pool.pool->layer.name, stride, follows ? ", with the phase of " : "",
                              follows ? w->from->steps[w->events[e->leader].step].name : "");
}

static tips_status place_operator(conversion_work *w, int event, int in, int *out) {
    downsampling *e = &w->events[event];
    char name[NAME_SIZE];
    const bool follows = e->leader != event;
    const int shares = follows ? w->events[e->leader].operator_step : TIPS_BLUEPRINT_NOTHING;
    const tips_pad_mode mode = w->options->keep_padding ? TIPS_PAD_ZERO : w->options->padding;
    const bool is_max = w->from->steps[e->step].layer == &tips__layer_max_pool;
    const tips_pool_spec pool = is_max ? tips__pool_behind_max(&w->options->pool) : w->options->pool;
    snprintf(name, sizeof name, "%.180s.pool", w->from->steps[e->step].name);
    TIPS_TRY(tips__blueprint_add_pool(w->out->blueprint, name, &pool, e->stride, mode, shares, in,
                                      &e->operator_step));
    *out = e->operator_step;
    w->out->operators++;
    w->out->sharing += follows;
    return note_operator(w, e, follows);
}

/* The paddings that a layer has, with one before it that it takes over. */
static tips_padding whole_padding(const conversion_work *w, int i, tips_padding own) {
    const int from = w->from->steps[i].in[0];
    if (from < 0 || !w->facts[from].absorbed) return own;
    const tips_pad_config *c = w->from->steps[from].config;
    if (own.mode == TIPS_PAD_ZERO) own.mode = c->padding.mode;
    own.top += c->padding.top;
    own.left += c->padding.left;
    own.bottom += c->padding.bottom;
    own.right += c->padding.right;
    return own;
}

static int within(int value, int most) { return value < 0 ? 0 : value < most ? value : most; }

/* A strided window may leave out rows at the end that it does not reach. */
static bool kept_size(int before, int after, int span, int stride) {
    return before <= span && before + after >= span - (stride - 1) && before + after <= span + stride - 1;
}

/* Padding that keeps the size: as much before as there was, the rest behind, so that the first phase is the old grid.
 */
static void keep_size(conversion_work *w, const int kernel[2], const int dilation[2], const int stride[2],
                      tips_padding *p) {
    const int rows = (kernel[0] - 1) * dilation[0], columns = (kernel[1] - 1) * dilation[1];
    const tips_padding old = *p;
    p->top = within(old.top, rows);
    p->left = within(old.left, columns);
    p->bottom = rows - p->top;
    p->right = columns - p->left;
    w->out->resized +=
        !kept_size(old.top, old.bottom, rows, stride[0]) || !kept_size(old.left, old.right, columns, stride[1]);
    if (w->options->keep_padding || (rows == 0 && columns == 0)) return;
    w->out->padded += p->mode != w->options->padding;
    p->mode = w->options->padding;
}

static tips_status add_like(conversion_work *w, int i, const void *config) {
    const tips_step *s = &w->from->steps[i];
    int in[TIPS_MAX_IN];
    for (int k = 0; k < s->n_in; k++) in[k] = tips__convert_at(w, s->in[k]);
    return tips__blueprint_add(w->out->blueprint, s->layer, s->name, config, in, s->n_in, &w->placed[i]);
}

static tips_status write_conv(conversion_work *w, int i) {
    tips_conv2d c = *(const tips_conv2d *)w->from->steps[i].config;
    c.padding = whole_padding(w, i, c.padding);
    keep_size(w, c.kernel, c.dilation, c.stride, &c.padding);
    c.stride[0] = c.stride[1] = 1;
    return add_like(w, i, &c);
}

static tips_status write_max(conversion_work *w, int i) {
    tips_max_pool c = *(const tips_max_pool *)w->from->steps[i].config;
    c.padding = whole_padding(w, i, c.padding);
    keep_size(w, c.kernel, c.dilation, c.stride, &c.padding);
    c.stride[0] = c.stride[1] = 1;
    c.ceil = false;
    return add_like(w, i, &c);
}

static tips_status write_avg(conversion_work *w, int i) {
    tips_avg_pool c = *(const tips_avg_pool *)w->from->steps[i].config;
    c.padding = whole_padding(w, i, c.padding);
    keep_size(w, c.kernel, (const int[2]){1, 1}, c.stride, &c.padding);
    c.stride[0] = c.stride[1] = 1;
    c.ceil = false;
    return add_like(w, i, &c);
}

static tips_status write_pad(conversion_work *w, int i) {
    tips_pad_config c = *(const tips_pad_config *)w->from->steps[i].config;
    if (w->facts[i].absorbed) {
        w->placed[i] = tips__convert_at(w, w->from->steps[i].in[0]);
        return TIPS_OK;
    }
    if (!w->options->keep_padding) c.padding.mode = w->options->padding;
    return add_like(w, i, &c);
}

/* The steps of a strided slice are the operator's work. */
static tips_status write_slice(conversion_work *w, int i) {
    const tips_slice *c = w->from->steps[i].config;
    if (c->axis == TIPS_AXIS_C || c->step == 1) return add_like(w, i, c);
    w->placed[i] = tips__convert_at(w, w->from->steps[i].in[0]);
    return TIPS_OK;
}

static tips_status write_step(conversion_work *w, int i) {
    const tips_step *s = &w->from->steps[i];
    if (tips__convert_is_head(w, i)) return tips__convert_head(w, i);
    if (tips__convert_enlarges(w, i)) return tips__convert_write_enlarger(w, i);
    if (!w->facts[i].spatial) return add_like(w, i, s->config);
    if (s->layer == &tips__layer_conv2d) return write_conv(w, i);
    if (s->layer == &tips__layer_max_pool) return write_max(w, i);
    if (s->layer == &tips__layer_avg_pool) return write_avg(w, i);
    if (s->layer == &tips__layer_pad) return write_pad(w, i);
    if (s->layer == &tips__layer_slice) return write_slice(w, i);
    return add_like(w, i, s->config);
}

/* A 1x1 convolution that follows another's choice is made behind the operator: the same numbers for a fraction of the
 * work. */
static tips_status write_behind_operator(conversion_work *w, int i, int event) {
    const tips_step *s = &w->from->steps[i];
    tips_conv2d c = *(const tips_conv2d *)s->config;
    int pooled;
    c.padding = (tips_padding){.mode = w->options->keep_padding ? TIPS_PAD_ZERO : w->options->padding};
    c.stride[0] = c.stride[1] = 1;
    TIPS_TRY(place_operator(w, event, tips__convert_at(w, s->in[0]), &pooled));
    return tips__blueprint_add(w->out->blueprint, s->layer, s->name, &c, &pooled, 1, &w->placed[i]);
}

tips_status tips__convert_write(conversion_work *w) {
    for (int i = 0; i < w->from->n_steps; i++) {
        const int begins = w->facts[i].event, ends = w->facts[i].ends_event;
        if (begins >= 0 && w->events[begins].before) TIPS_TRY(write_behind_operator(w, i, begins));
        else TIPS_TRY(write_step(w, i));
        if (ends >= 0 && !w->events[ends].before) TIPS_TRY(place_operator(w, ends, w->placed[i], &w->placed[i]));
        TIPS_TRY(tips__convert_anchor_tokens(w, i));
    }
    w->out->blueprint->output = w->placed[w->from->output];
    if (w->out->padded)
        TIPS_TRY(tips__convert_note(w->out, "", "%d layers: padding -> %s", w->out->padded,
                                    tips_pad_mode_names[w->options->padding]));
    if (w->out->resized)
        TIPS_TRY(tips__convert_note(w->out, "", "%d layers that changed the size of maps keep it", w->out->resized));
    return TIPS_OK;
}
