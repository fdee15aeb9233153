/* The option rows of a tips_padding: its mode and its four sides. */
#ifndef TIPS_LAYER_PADDING_OPTIONS_H
#define TIPS_LAYER_PADDING_OPTIONS_H

#include "core/option.h"

extern const tips_option tips__padding_rows[];

#endif
