/* Pooling over windows in basic operators. */
#ifndef TIPS_LAYER_WINDOW_EMIT_H
#define TIPS_LAYER_WINDOW_EMIT_H

#include "layer/window.h"
#include "emit/emit.h"

typedef struct tips_window_emit {
    const char *op;      /* MaxPool or AveragePool */
    tips_window axes[2]; /* for the size of the graph */
    tips_padding padding;
    double border;      /* what zero padding stands for: minus infinity, or 0 */
    bool counts_border; /* padded cells take part like any other */
} tips_window_emit;

tips_status tips__emit_windows(tips_emitter *to, const tips_node *node, const tips_window_emit *windows);

#endif
