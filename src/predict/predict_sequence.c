/* The steps from frame to frame, whatever is compared. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"

tips_status tips__predict_begin_sequence(predictor *p) {
    if (p->config->motion && !p->config->sequence)
        TIPS_FAIL(TIPS_INVALID, "--motion is how far the frames of --sequence move, and there is no sequence");
    return tips__motion_read(p->config->motion, &p->flicker.motion);
}

tips_status tips__predict_next_step(predictor *p, const char *name, const int last[2], const int now[2],
                                    int motion[2]) {
    if (now[0] != last[0] || now[1] != last[1])
        TIPS_FAIL(TIPS_SHAPE, "%s: is %dx%d, and the frame before it %dx%d; frames of a sequence have one size", name,
                  now[0], now[1], last[0], last[1]);
    return tips__motion_at(&p->flicker.motion, p->result.n_steps, motion);
}

tips_status tips__predict_add_step(predictor *p, tips_predict_step step) {
    tips_predict_result *r = &p->result;
    if (r->n_steps == p->flicker.capacity) {
        const size_t old = (size_t)p->flicker.capacity, capacity = old ? 2 * old : 64;
        tips_predict_step *steps = tips__grow(r->steps, old * sizeof *steps, capacity * sizeof *steps);
        if (!steps) TIPS_FAIL(TIPS_MEMORY, "out of memory for the steps of a sequence");
        r->steps = steps;
        p->flicker.capacity = (int)capacity;
    }
    r->steps[r->n_steps++] = step;
    return TIPS_OK;
}
