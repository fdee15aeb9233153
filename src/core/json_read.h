/* Reading JSON from elsewhere, value by value, through yajl: nothing is kept, nesting is bounded, memory may run out.
 */
#ifndef TIPS_CORE_JSON_READ_H
#define TIPS_CORE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/status.h>

typedef enum tips_json_kind {
    TIPS_JSON_OBJECT,
    TIPS_JSON_OBJECT_END,
    TIPS_JSON_ARRAY,
    TIPS_JSON_ARRAY_END,
    TIPS_JSON_KEY,
    TIPS_JSON_TEXT,
    TIPS_JSON_NUMBER,
    TIPS_JSON_BOOL,
    TIPS_JSON_NULL
} tips_json_kind;

typedef struct tips_json_event {
    tips_json_kind kind;
    int depth;        /* objects and arrays around it; 0 at the top */
    const char *text; /* KEY and TEXT: decoded, UTF-8 without NUL; NUMBER: as written. Not terminated */
    size_t length;
    bool truth; /* BOOL */
} tips_json_event;

/* A status other than TIPS_OK, with its text, ends the reading. */
typedef tips_status (*tips_json_visit)(void *context, const tips_json_event *event);

/* Visits all of one document; TIPS_FORMAT if it is not JSON or nested deeper than `most_depth` (1..64). */
tips_status tips__json_read(const char *text, size_t length, int most_depth, tips_json_visit visit,
                            void *context) TIPS_MUST_CHECK;

/* The same of a file of any length, read piece by piece: no text in it may be longer than a million bytes. Failures of
 * the file name it; those of `visit` are passed on as they are. */
tips_status tips__json_read_file(const char *path, int most_depth, tips_json_visit visit,
                                 void *context) TIPS_MUST_CHECK;

/* The number of an event as a whole number from 0 on; false if it is another kind of number or too large. */
bool tips__json_whole(const tips_json_event *event, long long *out);
/* The number of an event, in any form; false if it is none, or written at greater length than any that is meant. */
bool tips__json_double(const tips_json_event *event, double *out);

#endif
