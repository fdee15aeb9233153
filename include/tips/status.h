/* Status codes. Every fallible function returns one; the text of the last failure is kept per thread. */
#ifndef TIPS_STATUS_H
#define TIPS_STATUS_H

#include <tips/api.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TIPS_MUST_CHECK __attribute__((warn_unused_result))
#define TIPS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TIPS_MUST_CHECK
#define TIPS_PRINTF(fmt, args)
#endif

/* One list makes the enum, the name and the message. */
#define TIPS_STATUS_LIST(X)                                      \
    X(OK, "ok")                                                  \
    X(INVALID, "an argument is not valid")                       \
    X(RANGE, "a value is out of range")                          \
    X(UNKNOWN, "an unknown name")                                \
    X(SHAPE, "shapes do not fit")                                \
    X(UNSUPPORTED, "not supported by this engine or build")      \
    X(MEMORY, "out of memory")                                   \
    X(IO, "a file could not be read or written")                 \
    X(FORMAT, "a file is not in the expected format")            \
    X(ENGINE, "the compute engine reported an error")            \
    X(NUMERIC, "a value is not a finite number")                 \
    X(INTERRUPTED, "interrupted")

typedef enum tips_status {
#define TIPS_STATUS_ENUM(name, message) TIPS_##name,
    TIPS_STATUS_LIST(TIPS_STATUS_ENUM)
#undef TIPS_STATUS_ENUM
} tips_status;

/* "TIPS_RANGE" and "a value is out of range". */
TIPS_API const char *tips_status_name(tips_status status);
TIPS_API const char *tips_status_message(tips_status status);

/* What the last failing call on this thread said, "" if none failed. */
TIPS_API const char *tips_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
