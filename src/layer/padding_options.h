/* The option rows of a border: four sides of a config's `padding`. */
#ifndef TIPS_LAYER_PADDING_OPTIONS_H
#define TIPS_LAYER_PADDING_OPTIONS_H

#include "core/option.h"

#define TIPS_SIDE_OPTION(type, side, label) \
    { label, TIPS_OPT_INT, offsetof(type, padding.side), "0", 0, 1 << 16, NULL, NULL, "cells of border on this side" }

#define TIPS_SIDE_OPTIONS(type)                                               \
    TIPS_SIDE_OPTION(type, top, "top"), TIPS_SIDE_OPTION(type, left, "left"), \
        TIPS_SIDE_OPTION(type, bottom, "bottom"), TIPS_SIDE_OPTION(type, right, "right")

#endif
