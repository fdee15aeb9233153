/* How much of an answer standard shifts keep. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"
#include "shift/shift_protocol.h"

#include <math.h>

enum { STREAM_STABILITY = 61, FEW_SHIFTS = 64 }; /* few where every answer is large */

void tips__predict_shift(const tips_preprocess *p, const float *src, const float *black, int dy, int dx, float *dst) {
    for (int c = 0; c < p->channels; c++)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                const ptrdiff_t at = ((ptrdiff_t)c * p->height + y) * p->width + x;
                const bool inside = y >= dy && x >= dx && y - dy < p->height && x - dx < p->width;
                dst[at] = inside ? src[at - (ptrdiff_t)dy * p->width - dx] : black[at];
            }
}

/* An input, its answer, and how far the answers to its shifts agree with that. */
typedef struct stability {
    predictor *p;
    tips_shift_range range;
    int *cells; /* (count) of the range, (0, 0) not among them */
    int count;
    const float *input;
    const tips_bytes *answer;
    tips_bytes moved; /* the answer at hand */
    double kept;
    tips_prediction *out;
} stability;

static void fill_shifted(void *context, int64_t i, float *input) {
    const stability *s = context;
    int shift[2];
    tips__range_shift(&s->range, s->cells[i], shift);
    tips__predict_shift(&s->p->model.preprocess, s->input, s->p->black, shift[0], shift[1], input);
}

static tips_status add_kept(void *context, int64_t i, const tips_outputs *outputs, int at) {
    stability *s = context;
    const tips_assignment *a = &s->p->model.model.assignment;
    tips_answer_at moved = {.answer = &s->moved}, unmoved = {.answer = s->answer};
    TIPS_TRY(s->p->task->answer(a, outputs, at, &s->moved));
    tips__range_shift(&s->range, s->cells[i], moved.shift);
    s->kept += s->p->task->agree(a, unmoved, moved, NULL).agree;
    if (s->p->kind->compare) s->p->kind->compare(s->p, unmoved, moved, s->out);
    return TIPS_OK;
}

/* All of the range but (0, 0), of which the first `count` are drawn. */
static tips_status choose_cells(stability *s) {
    const int all = tips__range_cells(&s->range) - 1, unmoved = tips__range_cell(&s->range, 0, 0);
    const int asked = s->p->config->stability_shifts;
    const int wanted = asked > 0 ? asked : s->p->kind->pictures ? FEW_SHIFTS : all;
    const tips_rng rng = {(uint64_t)s->p->config->network.seed, STREAM_STABILITY};
    TIPS_TRY(tips__new(&s->cells, (size_t)(all + 1) * sizeof *s->cells, "shifts"));
    for (int i = 0; i < all; i++) s->cells[i] = i + (i >= unmoved);
    s->count = wanted < all ? wanted : all;
    for (int i = 0; i < s->count && s->count < all; i++) {
        const int other = i + (int)tips__rng_below(rng, (uint64_t)i, (uint32_t)(all - i)), cell = s->cells[i];
        s->cells[i] = s->cells[other];
        s->cells[other] = cell;
    }
    return TIPS_OK;
}

tips_status tips__predict_stability(predictor *p, const float *input, const tips_bytes *answer, tips_prediction *out) {
    const tips_shift_protocol *protocol = tips__shift_protocol_usual(p->task->protocol);
    const tips_shift_plan plan = tips__shift_plan(protocol, p->model.info.config.size, 0, 0);
    stability s = {.p = p, .range = plan.range[TIPS_STANDARD], .input = input, .answer = answer, .out = out};
    TIPS_TRY(choose_cells(&s));
    const tips_questions questions = {.count = s.count, .fill = fill_shifted, .take = add_kept, .context = &s};
    const tips_status status = tips__answer_all(p->answerer, &questions);
    p->result.shifts = s.count;
    out->stability = s.count > 0 ? 100 * s.kept / s.count : NAN;
    tips__bytes_clear(&s.moved);
    tips__free(s.cells);
    return status;
}
