/* Between the files of the parameters. */
#ifndef TIPS_GRAPH_PARAMS_PARTS_H
#define TIPS_GRAPH_PARAMS_PARTS_H

#include "graph/params.h"

/* Floats that a parameter takes in its layout, padding included. */
size_t tips__param_floats(const tips_param_spec *spec);
/* To the layout, padding zero, and back. */
void tips__param_pack(const tips_param_spec *spec, const float *plain, float *stored);
void tips__param_unpack(const tips_param_spec *spec, const float *stored, float *plain);

/* Frees what tips__params_keep has allocated. */
void tips__params_forget(tips_params *params);

#endif
