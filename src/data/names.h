/* Lists of names: the entries of a folder, the lines of a text file. */
#ifndef TIPS_DATA_NAMES_H
#define TIPS_DATA_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/status.h>

#include "core/path.h"

typedef struct tips_names {
    char **rows;
    int count, room;
} tips_names;

tips_status tips__names_add(tips_names *list, const char *name) TIPS_MUST_CHECK;
void tips__names_sort(tips_names *list);
/* Where `name` is in a sorted list, or -1. */
int tips__names_find(const tips_names *sorted, const char *name);
void tips__names_clear(tips_names *list);

bool tips__is_folder(const char *path);
bool tips__is_file(const char *path);
bool tips__is_file_in(const char *folder, const char *name);
bool tips__is_folder_in(const char *folder, const char *name);
/* The part after the last '/'. */
const char *tips__base_name(const char *path);

/* The entries of a folder in the order of their bytes; hidden ones are left out. */
tips_status tips__list_folder(const char *folder, tips_names *files, tips_names *folders) TIPS_MUST_CHECK;
/* The lines of a text file without blanks around them; empty ones are left out. */
tips_status tips__read_lines(const char *path, tips_names *out) TIPS_MUST_CHECK;

#endif
