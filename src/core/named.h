/* Things chosen by name that carry options, "name" or "name:key=value,...": operators, norms, optimisers, tasks. */
#ifndef TIPS_CORE_NAMED_H
#define TIPS_CORE_NAMED_H

#include "core/option.h"

typedef struct tips_named {
    const char *name;
    const tips_option *options; /* closed by TIPS_OPT_END, or NULL */
} tips_named;

typedef struct tips_name_table {
    const char *what;         /* "pooling operator", for messages */
    tips_named (*row)(int i); /* from 0 on; the name is NULL behind the last */
    bool first_alone;         /* the first option may be given by its value alone: "group:32" */
} tips_name_table;

/* The row that `text` names before its colon ('-' and '_' are one); an unknown name suggests the nearest. */
tips_status tips__named_find(const tips_name_table *table, const char *text, int *row) TIPS_MUST_CHECK;
/* Writes the defaults of a row into `config`, and over them what follows the colon of `text`. */
tips_status tips__named_read(const tips_name_table *table, int row, const char *text, void *config) TIPS_MUST_CHECK;

/* The same for a text that a file has: options it does not name are as they were before there were such. */
tips_status tips__named_read_stored(const tips_name_table *table, int row, const char *text,
                                    void *config) TIPS_MUST_CHECK;

/* As a user would write it, with the options that are not defaults. */
void tips__named_format(tips_named row, const void *config, char *out, size_t size);
/* With every option, for files: a default that changes one day must not change them. */
void tips__named_format_all(tips_named row, const void *config, char *out, size_t size);

#endif
