/* The names of the ways a map continues beyond its border. */
#include <tips/padding.h>

#include <stddef.h>

const char *const tips_pad_mode_names[] = {"zero", "circular", "reflect", "replicate", NULL};
