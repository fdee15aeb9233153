/* Numbers as text, the same in every locale, and the shortest that reads back to the same value. */
#ifndef TIPS_CORE_NUMBER_H
#define TIPS_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { TIPS_NUMBER_SIZE = 32 };

void tips__number_format(double value, char *out, size_t size);
/* The whole of `text` as a number ("inf" too, "nan" not); false leaves `out` alone. */
bool tips__number_parse(const char *text, double *out);

#endif
