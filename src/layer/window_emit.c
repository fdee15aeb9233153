/* Pooling over windows as MaxPool or AveragePool. Runtimes disagree about windows that hang over the border; the forms
 * here are those they agree on. */
#include "layer/window_emit.h"

/* Whether a last window that hangs over starts on the map at any size, so that no rule has to leave it out. */
static bool last_starts_inside(const tips_window *w) { return w->after + w->stride <= tips__window_reach(w); }

/* Cells after the map that the windows of this size reach. */
static int reached_after(const tips_window *w) {
    const int end = (tips__window_count(w) - 1) * w->stride + tips__window_reach(w) - w->before - w->size;
    return end > 0 ? end : 0;
}

static void settle_ends(tips_emitter *to, const tips_node *node, tips_window axes[2]) {
    tips__emit_fix_size(to, node, "whether its last window counts depends on the size");
    for (int i = 0; i < 2; i++) axes[i].after = reached_after(&axes[i]);
}

/* Runtimes refuse padding as wide as the kernel. */
static bool is_wide(const tips_window *w) { return w->before >= w->kernel || w->after >= w->kernel; }

static int smaller(int a, int b) { return a < b ? a : b; }

/* The map with its border, for windows that then have none but what hangs over it. */
static tips_operand write_border(tips_emitter *to, const tips_node *node, const tips_window_emit *e,
                                 tips_window axes[2], bool all) {
    tips_padding pad = e->padding;
    pad.bottom = all ? axes[0].after : smaller(pad.bottom, axes[0].after);
    pad.right = all ? axes[1].after : smaller(pad.right, axes[1].after);
    axes[0].before = axes[1].before = 0;
    axes[0].after -= pad.bottom;
    axes[1].after -= pad.right;
    return tips__emit_pad(to, node, tips__emit_in(to, node, 0), tips__emit_in_info(to, node, 0), &pad, e->border);
}

tips_status tips__emit_windows(tips_emitter *to, const tips_node *node, const tips_window_emit *e) {
    tips_window rows_columns[2] = {e->axes[0], e->axes[1]}, *rows = &rows_columns[0], *columns = &rows_columns[1];
    const bool takes_part = e->counts_border || e->padding.mode != TIPS_PAD_ZERO;
    const bool ceil = rows->ceil && last_starts_inside(rows) && last_starts_inside(columns);
    const bool wide = is_wide(rows) || is_wide(columns), writable = e->border != 0;
    tips_operand x = tips__emit_in(to, node, 0);
    if ((rows->ceil && !ceil) || (wide && !takes_part && !writable)) settle_ends(to, node, rows_columns);
    if (takes_part || (wide && writable)) x = write_border(to, node, e, rows_columns, !takes_part);
    const tips_attribute none = {0}, dilations = TIPS_WITH_PAIR("dilations", rows->dilation, columns->dilation);
    const bool dilated = rows->dilation > 1 || columns->dilation > 1;
    x = tips__emit_op(to, e->op, &x, 1,
                      TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", rows->kernel, columns->kernel),
                                TIPS_WITH_PAIR("strides", rows->stride, columns->stride),
                                TIPS_WITH_FOUR("pads", rows->before, columns->before, rows->after, columns->after),
                                TIPS_WITH_INT("ceil_mode", ceil), dilated ? dilations : none));
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}
