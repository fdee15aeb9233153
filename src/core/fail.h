/* How the library reports failure: TIPS_FAIL records a sentence and returns, TIPS_TRY forwards. */
#ifndef TIPS_CORE_FAIL_H
#define TIPS_CORE_FAIL_H

#include <tips/status.h>

/* Records the text of a failure on this thread and returns `status`, so it can be the operand of return. */
tips_status tips__fail(tips_status status, const char *fmt, ...) TIPS_PRINTF(2, 3);

/* Puts "where: " before the text of the last failure. */
void tips__put_before_failure(const char *where);

/* A failure is never TIPS_OK, and here compilers can see it: else they warn of results that success alone sets. */
static inline tips_status tips__failed(tips_status status) { return status == TIPS_OK ? TIPS_INVALID : status; }

/* The same text, for a caller that knows the file; returns `status`. */
static inline tips_status tips__fail_within(tips_status status, const char *where) {
    tips__put_before_failure(where);
    return tips__failed(status);
}

#define TIPS_FAIL(status, ...) return tips__failed(tips__fail((status), __VA_ARGS__))

#define TIPS_TRY(expr)                                  \
    do {                                                \
        const tips_status try_status_ = (expr);         \
        if (try_status_ != TIPS_OK) return try_status_; \
    } while (0)

#endif
