/* Names of classes that exporters of others leave in a file. */
#ifndef TIPS_MODEL_SAID_NAMES_H
#define TIPS_MODEL_SAID_NAMES_H

#include "model/model_file.h"

/* Takes "{0: 'cat', 1: 'dog'}" or "['cat', 'dog']" as the names of the model's classes, if it has none and these are as
 * many. NULL or anything else changes nothing. */
tips_status tips__said_names_take(const char *text, tips_model_info *info) TIPS_MUST_CHECK;

#endif
