/* Whether writing a file would destroy what a command reads. */
#ifndef TIPS_CORE_KEEP_INPUT_H
#define TIPS_CORE_KEEP_INPUT_H

#include <stdbool.h>
#include <tips/status.h>

/* Whether both names lead to one file that exists, through links of both kinds too. */
bool tips__same_file(const char *a, const char *b);

/* Whether a file that exists lies in a folder, or in one below it. */
bool tips__lies_in(const char *folder, const char *file);

/* Refuses an output that is the input, or a picture, array or model inside it where that is a folder. The input may be
 * a dataset, "format:path"; either may be NULL or "". */
tips_status tips__keep_input(const char *input, const char *output) TIPS_MUST_CHECK;
/* The same for inputs parted by commas. */
tips_status tips__keep_inputs(const char *inputs, const char *output) TIPS_MUST_CHECK;

#endif
