/* Named texts: the options a run was started with, as its checkpoint keeps them. */
#ifndef TIPS_TRAIN_SETTINGS_H
#define TIPS_TRAIN_SETTINGS_H

#include "core/option.h"

typedef struct tips_setting {
    char *name, *value;
} tips_setting;

typedef struct tips_settings {
    tips_setting *items;
    int count;
} tips_settings;

/* Copies both texts. Start from {0}. */
tips_status tips__settings_add(tips_settings *settings, const char *name, const char *value) TIPS_MUST_CHECK;
/* The same for one that may be there already. */
tips_status tips__settings_set(tips_settings *settings, const char *name, const char *value) TIPS_MUST_CHECK;
void tips__settings_clear(tips_settings *settings);
const char *tips__settings_find(const tips_settings *settings, const char *name); /* NULL if absent */

/* Every row of a table as it stands, texts that are NULL left out, as are the names in `without` (NULL-terminated). */
tips_status tips__settings_from_options(tips_settings *settings, const tips_option *table, const void *config,
                                        const char *const *without) TIPS_MUST_CHECK;
/* Sets the rows that have a setting, which nobody gives thereby. Texts borrow from `settings`; `where` names the source
 * in errors. */
tips_status tips__settings_apply(const tips_settings *settings, const tips_option *table, void *config,
                                 const char *where) TIPS_MUST_CHECK;
/* What a setting says, or `usual` if it is absent; NULL if that says nothing either. */
const char *tips__settings_find_or(const tips_settings *settings, const tips_settings *usual, const char *name);
/* The name of the first setting that differs; NULL if none does. What one of them lacks is as `usual` says. */
const char *tips__settings_difference(const tips_settings *a, const tips_settings *b, const tips_settings *usual);

#endif
