/* The emitter's own structure. */
#ifndef TIPS_EMIT_EMIT_PARTS_H
#define TIPS_EMIT_EMIT_PARTS_H

#include "emit/emit_record.h"

struct tips_emitter {
    tips_record record;
    const tips_graph *graph;
    const tips_params *params;
    const tips_node *node;      /* being emitted, NULL between nodes */
    const tips_node *norm;      /* to be folded into it, or NULL */
    tips_operand *map, *vector; /* (values): the forms a value has so far */
    bool *pixel;                /* (values): has one pixel whatever the size of the input */
    tips_operand *param;        /* (parameters) */
    int names;                  /* given so far */
    tips_status status;
    char error[512];
};

tips_operand tips__emit_tensor(tips_emitter *to, const char *label, tips_recorded_tensor tensor);
/* A tensor with room for its data, filled by the caller; NULL on failure. `name` is copied. */
void *tips__emit_filled(tips_emitter *to, const char *name, tips_recorded_tensor tensor, tips_operand *operand);

#endif
