/* How the library reports failure: TIPS_FAIL records a sentence and returns, TIPS_TRY forwards. */
#ifndef TIPS_CORE_FAIL_H
#define TIPS_CORE_FAIL_H

#include <tips/status.h>

/* Records the text of a failure on this thread and returns `status`, so it can be the operand of return. */
tips_status tips__fail(tips_status status, const char *fmt, ...) TIPS_PRINTF(2, 3);

/* Puts "where: " before the text of the last failure, for a caller that knows the file; returns `status`. */
tips_status tips__fail_within(tips_status status, const char *where);

#define TIPS_FAIL(status, ...) return tips__fail((status), __VA_ARGS__)

#define TIPS_TRY(expr)                                  \
    do {                                                \
        const tips_status try_status_ = (expr);         \
        if (try_status_ != TIPS_OK) return try_status_; \
    } while (0)

#endif
