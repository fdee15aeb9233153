/* Networks of the table of architectures, for tests. */
#ifndef TIPS_TESTS_ARCH_MODELS_H
#define TIPS_TESTS_ARCH_MODELS_H

#include "task/model.h"

/* Of three channels, with circular padding. */
tips_arch_config arch_config(const char *pool, int height, int width, int classes);
/* With the task it was made for; fails the test if it cannot be made. */
tips_model arch_model(const char *arch, const tips_arch_config *config, bool training);
tips_status try_arch_model(const char *arch, const tips_arch_config *config, bool training, tips_model *out);
/* How many numbers are trained. */
size_t trainable_numbers(const tips_graph *graph);

#endif
