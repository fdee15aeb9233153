/* Labels as targets, for tests of the loader. */
#ifndef TIPS_TESTS_CLASS_MAKER_H
#define TIPS_TESTS_CLASS_MAKER_H

#include "data/loader.h"

extern const tips_target_maker test_class_target;
/* The class that a target of it holds. */
int test_class_of(const tips_bytes *target);

#endif
