/* Labels as targets. */
#include "support/class_maker.h"

#include "support/compare.h"

#include "core/fail.h"

#include <string.h>

static tips_status make(const void *context, const tips_annotation *annotation, const tips_move *move,
                        tips_bytes *target) {
    (void)context, (void)move;
    TIPS_TRY(tips__bytes_resize(target, sizeof annotation->label));
    memcpy(target->data, &annotation->label, sizeof annotation->label);
    return TIPS_OK;
}

const tips_target_maker test_class_target = {.needs = TIPS_ANNOTATES_CLASS, .make = make};

int test_class_of(const tips_bytes *target) {
    int32_t label;
    assert_int_equal(target->count, sizeof label);
    memcpy(&label, target->data, sizeof label);
    return label;
}
