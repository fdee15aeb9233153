/* Making a folder for results. */
#ifndef TIPS_CORE_MAKE_FOLDER_H
#define TIPS_CORE_MAKE_FOLDER_H

#include <tips/status.h>

/* Makes the folder and those above it; fine if it is there. */
tips_status tips__make_folder(const char *folder) TIPS_MUST_CHECK;
/* Whether it is there and can be written to, or could be made; makes nothing. */
tips_status tips__check_folder(const char *folder) TIPS_MUST_CHECK;

#endif
