/* Status names and messages, and the per-thread text of the last failure. */
#include "core/fail.h"

#include "core/visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[1024];

const char *tips_status_name(tips_status status) {
    switch (status) {
#define TIPS_STATUS_NAME(name, message) \
    case TIPS_##name: return "TIPS_" #name;
        TIPS_STATUS_LIST(TIPS_STATUS_NAME)
#undef TIPS_STATUS_NAME
    }
    return "TIPS_?";
}

const char *tips_status_message(tips_status status) {
    switch (status) {
#define TIPS_STATUS_MESSAGE(name, message) \
    case TIPS_##name: return message;
        TIPS_STATUS_LIST(TIPS_STATUS_MESSAGE)
#undef TIPS_STATUS_MESSAGE
    }
    return "an unknown status";
}

const char *tips_last_error(void) { return last_error; }

tips_status tips__fail(tips_status status, const char *fmt, ...) {
    char text[sizeof last_error];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tips__visible(text, last_error, sizeof last_error); /* it names files and what is in them */
    return status;
}

void tips__put_before_failure(const char *where) {
    char text[sizeof last_error];
    memcpy(text, last_error, sizeof text);
    (void)tips__fail(TIPS_INVALID, "%s: %s", where, text);
}
