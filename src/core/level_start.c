/* Fills what cmake/levels.sh made room for: the slots that functions jump through, and the data of TIPS_ROW. Only
 * compiled where there are several levels. */
#include "core/level_start.h"

#include <stdint.h>
#include <string.h>

/* Places, each as 2 + count words: where to, how many bytes, and from where at each level; closed by a 0. */
extern const uintptr_t tips__level_parts[] __attribute__((visibility("hidden")));

void tips__level_put(int index, int count) {
    for (const uintptr_t *part = tips__level_parts; part[0]; part += 2 + count)
        memcpy((void *)part[0], (const void *)part[2 + index], part[1]);
}
