/* Public functions refuse NULL where they need something, and name the argument as the header does. */
#ifndef TIPS_API_NEED_H
#define TIPS_API_NEED_H

#include "core/fail.h"

#define TIPS_NEED(pointer, name)                                       \
    do {                                                               \
        if (!(pointer)) TIPS_FAIL(TIPS_INVALID, "%s is NULL", (name)); \
    } while (0)

#endif
