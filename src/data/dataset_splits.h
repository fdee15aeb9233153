/* From what is on disk to what is used: limits, held-out data, the test set as validation data. */
#ifndef TIPS_DATA_DATASET_SPLITS_H
#define TIPS_DATA_DATASET_SPLITS_H

#include "data/dataset_format.h"

/* Checks the options that concern splits. */
tips_status tips__splits_check(const tips_dataset_options *options) TIPS_MUST_CHECK;
/* Changes the items and classes of the source. */
tips_status tips__splits_arrange(const tips_dataset_options *options, tips_source *source) TIPS_MUST_CHECK;

#endif
