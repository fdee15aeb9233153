/* Student's 97.5 % point: from the table, between its rows in 1/freedom, and behind it by Cornish and Fisher. */
#include "metric/interval.h"

#include <math.h>

double tips__student(double freedom) {
    static const double rows[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    const double z = 1.959963984540054, z2 = z * z;
    if (!(freedom > 1)) return rows[0];
    const double f = freedom, second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
    const double third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
    if (f >= ROWS) return z + z * (z2 + 1) / (4 * f) + second / (f * f) + third / (f * f * f);
    const int below = (int)freedom;
    const double share = (1.0 / below - 1 / freedom) / (1.0 / below - 1.0 / (below + 1));
    return rows[below - 1] + share * (rows[below] - rows[below - 1]);
}
