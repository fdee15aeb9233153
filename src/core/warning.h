/* What a user must be warned of: tables of rules, each a name, when it applies and a sentence. Whoever has a result to
 * warn of has a table; who shows the result (tables, JSON, pages, standard error) goes through it. */
#ifndef TIPS_CORE_WARNING_H
#define TIPS_CORE_WARNING_H

#include <stdbool.h>

#include "core/json.h"

enum { TIPS_WARNING_SIZE = 512 };

/* Writes a sentence about `subject`, whatever the table is of, and says whether it applies. */
typedef bool (*tips_warning_write)(const void *subject, char text[TIPS_WARNING_SIZE]);

typedef struct tips_warning_rule {
    const char *name; /* in JSON: "constant_answers"; NULL closes a table */
    bool is_remark;   /* to be known, but nothing is wrong: it is said, but not warned of */
    tips_warning_write write;
} tips_warning_rule;

typedef struct tips_warning {
    const char *name;
    char text[TIPS_WARNING_SIZE];
} tips_warning;

/* Number `i` of those that apply, warnings alone or remarks too; false beyond the last. */
bool tips__warning_at(const tips_warning_rule *rules, const void *subject, int i, tips_warning *out);
bool tips__remark_at(const tips_warning_rule *rules, const void *subject, int i, tips_warning *out);
/* "warnings": [{"name": ..., "text": ...}], empty where there are none. */
void tips__warnings_put(tips_json *json, const tips_warning_rule *rules, const void *subject);

#endif
