/* Names that others give to the parameters of our networks. */
#ifndef TIPS_MODEL_WEIGHTS_ALIAS_H
#define TIPS_MODEL_WEIGHTS_ALIAS_H

#include "exchange/safetensors.h"

enum { TIPS_ALIAS_SIZE = 256 };

/* Our name for what a file calls `name`, in `out`, which is returned; `name` itself if the table does not know it. */
const char *tips__weights_our_name(const char *name, char out[TIPS_ALIAS_SIZE]);
/* The tensor of our parameter `name` in a file, under that name or one of the table's, or -1. */
int tips__weights_find(const tips_safetensors *file, const char *name);

#endif
