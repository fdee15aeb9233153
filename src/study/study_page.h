/* A page on studies, from what they left in their folders. */
#ifndef TIPS_STUDY_STUDY_PAGE_H
#define TIPS_STUDY_STUDY_PAGE_H

#include "core/json.h"
#include "core/text.h"

/* Whether a folder is of a study: it holds study.json. */
bool tips__study_is_folder(const char *folder);

/* What the studies in the folders say: the claims of the paper that they bear on, the analyses with tables and
 * figures, and their models. `title` may be NULL: that of the first. */
tips_status tips__study_page(char *const *folders, int count, const char *title, tips_text *out) TIPS_MUST_CHECK;
/* The same in short, as an array of objects. */
tips_status tips__study_page_put(char *const *folders, int count, tips_json *json) TIPS_MUST_CHECK;

#endif
