/* Appending with room that doubles. */
#include "core/pile.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

/* An item is its size, then its bytes up to a multiple of this. */
enum { STEP = 16 };

static tips_status make_room(tips_pile *p) {
    if (p->count < p->capacity) return TIPS_OK;
    const size_t old = (size_t)p->capacity, more = old ? 2 * old : 64;
    size_t *starts = tips__grow(p->starts, old * sizeof *starts, more * sizeof *starts);
    if (!starts) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu answers", more);
    p->starts = starts;
    p->capacity = (int)more;
    return TIPS_OK;
}

tips_status tips__pile_add(tips_pile *p, const tips_bytes *item) {
    const size_t start = p->bytes.count, length = (item->count + STEP - 1) / STEP * STEP;
    TIPS_TRY(make_room(p));
    TIPS_TRY(tips__bytes_resize(&p->bytes, start + STEP + length));
    memcpy(p->bytes.data + start, &item->count, sizeof item->count);
    if (item->count) memcpy(p->bytes.data + start + STEP, item->data, item->count);
    p->starts[p->count++] = start;
    return TIPS_OK;
}

tips_bytes tips__pile_at(const tips_pile *p, int i) {
    tips_bytes item = {.data = p->bytes.data + p->starts[i] + STEP};
    memcpy(&item.count, p->bytes.data + p->starts[i], sizeof item.count);
    return item;
}

void tips__pile_empty(tips_pile *p) {
    p->count = 0;
    p->bytes.count = 0;
}

void tips__pile_clear(tips_pile *p) {
    tips__bytes_clear(&p->bytes);
    tips__free(p->starts);
    *p = (tips_pile){0};
}
