/* Names for files, each given once. */
#ifndef TIPS_PREDICT_USED_NAMES_H
#define TIPS_PREDICT_USED_NAMES_H

#include <stddef.h>
#include <tips/status.h>

typedef struct tips_used_names {
    char **slots; /* (capacity), open addressing; NULL where there is none */
    size_t count, capacity;
} tips_used_names;

/* `wanted`, or "wanted-2" and so on if that was given before; lives as long as the names. */
tips_status tips__used_names_new(tips_used_names *names, const char *wanted, const char **out) TIPS_MUST_CHECK;
void tips__used_names_clear(tips_used_names *names);

#endif
