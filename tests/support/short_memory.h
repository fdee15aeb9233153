/* Memory that runs out, sooner or later. */
#ifndef TIPS_TESTS_SUPPORT_SHORT_MEMORY_H
#define TIPS_TESTS_SUPPORT_SHORT_MEMORY_H

#include "support/compare.h"

#include "core/memory.h"

#include <stdint.h>

/* Has `use` fail at one allocation after the other, in steps that grow by a `part`-th, until it ends well: it may fail
 * for nothing else. */
static inline void expect_short_memory_said(tips_status (*use)(const void *), const void *with, uint64_t part) {
    tips_status status = TIPS_MEMORY;
    for (uint64_t n = 1; status != TIPS_OK; n += 1 + n / part) {
        tips__alloc_fail_at(n);
        status = use(with);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK && status != TIPS_MEMORY) fail_msg("%s: %s", tips_status_name(status), tips_last_error());
    }
}

#endif
