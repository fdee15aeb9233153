/* The alarm is the sticky flag FE_INVALID. */
#include "net/alarm.h"

#include "core/threads.h"

#include <fenv.h>

static bool take_flag(void) {
    const bool raised = fetestexcept(FE_INVALID) != 0;
    if (raised) feclearexcept(FE_INVALID);
    return raised;
}

bool tips__alarm_set(void) { return take_flag(); }

bool tips__alarm_rang(void) {
    bool rang = false;
#pragma omp parallel reduction(|| : rang) num_threads(tips__threads())
    rang = take_flag() || rang;
    return rang;
}

void tips__alarm_give_back(bool raised) {
    if (raised) feraiseexcept(FE_INVALID);
}
