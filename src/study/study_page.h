/* A page on studies, from what they left in their folders. */
#ifndef TIPS_STUDY_STUDY_PAGE_H
#define TIPS_STUDY_STUDY_PAGE_H

#include "core/json.h"
#include "core/text.h"

/* How many of the folders are of studies: they hold study.json. An error where some are and some are not. */
tips_status tips__study_count_folders(char *const *folders, int count, int *studies) TIPS_MUST_CHECK;

/* What the studies in the folders say: the claims of the paper that they bear on, the analyses with tables and
 * figures, and their models. `title` may be NULL: that of the first. */
tips_status tips__study_page(char *const *folders, int count, const char *title, tips_text *out) TIPS_MUST_CHECK;
/* The same into a file. */
tips_status tips__study_save_page(char *const *folders, int count, const char *title, const char *path,
                                  size_t *bytes) TIPS_MUST_CHECK;
/* The same in short, as objects of an open array. */
tips_status tips__study_page_put(char *const *folders, int count, tips_json *json) TIPS_MUST_CHECK;

#endif
