/* From a SPEC to a format and a path. */
#ifndef TIPS_DATA_DATASETS_H
#define TIPS_DATA_DATASETS_H

#include "data/dataset_format.h"

/* What is meant where no data are named: Debian's Fashion-MNIST if it is installed, else shapes. */
const char *tips__dataset_default_spec(void);
/* `path` points into `spec`. */
tips_status tips__dataset_parse_spec(const char *spec, const tips_dataset_format **format,
                                     const char **path) TIPS_MUST_CHECK;

#endif
