/* Shortest round-trip formatting and strict parsing of doubles, in the C locale whatever the program's locale is. */
#include "core/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t enter_c_locale(locale_t *before) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *before = uselocale(c_locale);
    return c_locale;
}

static void leave_c_locale(locale_t c_locale, locale_t before) {
    uselocale(before);
    if (c_locale) freelocale(c_locale);
}

void tips__number_format(double value, char *out, size_t size) {
    locale_t before, c_locale = enter_c_locale(&before);
    for (int digits = 6; digits <= 17; digits++) {
        const int length = snprintf(out, size, "%.*g", digits, value);
        if (length >= (int)size || !isfinite(value) || strtod(out, NULL) == value) break;
    }
    leave_c_locale(c_locale, before);
}

bool tips__number_parse(const char *text, double *out) {
    if (*text == '\0' || isspace((unsigned char)*text)) return false;
    char *end = NULL;
    locale_t before, c_locale = enter_c_locale(&before);
    const double value = strtod(text, &end);
    leave_c_locale(c_locale, before);
    if (*end != '\0' || isnan(value)) return false;
    *out = value;
    return true;
}
