/* Why a path is not recognised as a dataset, and what would be. */
#ifndef TIPS_DATA_UNRECOGNISED_H
#define TIPS_DATA_UNRECOGNISED_H

#include <stddef.h>

enum { TIPS_REASON_SIZE = 768 };

/* Looks at the names in a folder, or at a file; writes a clause. */
void tips__explain_unrecognised(const char *path, char out[TIPS_REASON_SIZE]);

#endif
