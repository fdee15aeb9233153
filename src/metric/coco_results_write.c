/* Writing results, one a line. */
#include "metric/coco_results.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"

#include <inttypes.h>
#include <math.h>

struct tips_results_writer {
    tips_atomic_file *file;
    size_t count;
};

tips_status tips__coco_results_open(const char *path, tips_results_writer **out) {
    tips_results_writer *w;
    TIPS_TRY(tips__new_zero(&w, sizeof *w, "the writer of results"));
    const tips_status status = tips__atomic_open(path, &w->file);
    if (status == TIPS_OK) *out = w;
    else tips__free(w);
    return status;
}

tips_status tips__coco_results_add(tips_results_writer *w, const tips_coco_result *r) {
    const double numbers[5] = {r->bbox[0], r->bbox[1], r->bbox[2], r->bbox[3], r->score};
    char text[5][TIPS_NUMBER_SIZE];
    for (int i = 0; i < 5; i++) {
        if (!isfinite(numbers[i]))
            TIPS_FAIL(TIPS_NUMERIC, "a detection on picture %" PRId64 " is not of finite numbers", r->picture);
        tips__number_format(numbers[i], text[i], sizeof text[i]);
    }
    fprintf(tips__atomic_stream(w->file),
            "%s{\"image_id\": %" PRId64 ", \"category_id\": %" PRId64 ", \"bbox\": [%s, %s, %s, %s], \"score\": %s}",
            w->count++ ? ",\n" : "[", r->picture, r->category, text[0], text[1], text[2], text[3], text[4]);
    return TIPS_OK;
}

tips_status tips__coco_results_commit(tips_results_writer *w) {
    tips_atomic_file *file = w->file;
    fputs(w->count ? "]\n" : "[]\n", tips__atomic_stream(file));
    tips__free(w);
    return tips__atomic_commit(file);
}

void tips__coco_results_abandon(tips_results_writer *w) {
    if (!w) return;
    tips__atomic_abandon(w->file);
    tips__free(w);
}
