/* Lists of names parted by commas, where a name may carry options that hold commas themselves. */
#ifndef TIPS_CORE_NAME_LIST_H
#define TIPS_CORE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/status.h>

/* Takes the next name off the front of `*list`: of "max,tips:psi=full,fm=band,aps" first "max", then
 * "tips:psi=full,fm=band", then "aps". A part "key=value" without a colon belongs to the name before it.
 * `*more` is false at the end. Empty names, and names that do not fit, are refused. */
tips_status tips__name_list_next(const char **list, char *out, size_t size, bool *more) TIPS_MUST_CHECK;

/* How many names there are; a broken list counts up to where it breaks. */
int tips__name_list_count(const char *list);

#endif
