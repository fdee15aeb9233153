/* A pass over the validation data. */
#include "train/trainer_parts.h"

#include "core/fail.h"
#include "core/threads.h"

#include <math.h>
#include <stdio.h>

tips_status tips__trainer_explain(trainer *t, tips_net *net, const char *what) {
    char reason[512];
    tips__net_check(net, true);
    const tips_status status = tips__net_forward(net);
    tips__net_check(net, false);
    if (status != TIPS_OK && status != TIPS_NUMERIC) return status;
    snprintf(reason, sizeof reason, "%s", status == TIPS_OK ? "no layer alone is to blame" : tips_last_error());
    TIPS_FAIL(TIPS_NUMERIC, "step %lld in epoch %d: %s is not a finite number: %s; a smaller --lr or --clip may help",
              (long long)t->state->step + 1, t->state->epoch + 1, what, reason);
}

tips_status tips__trainer_figures(const tips_tally *tally, double figures[TIPS_MOST_OWN_METRICS]) {
    tips_figure full[TIPS_MOST_OWN_METRICS];
    TIPS_TRY(tips__tally_figures(tally, full));
    for (int i = 0; i < TIPS_MOST_OWN_METRICS; i++) figures[i] = full[i].value;
    return TIPS_OK;
}

static tips_status validate_batch(trainer *t, const tips_batch *batch, tips_tally *tally) {
    tips_outputs outputs;
    const tips_status status = tips__answer_inputs(t->validator, batch->images, batch->n, &outputs);
    if (status == TIPS_NUMERIC)
        return tips__trainer_explain(t, tips__answerer_net(t->validator), "the validation loss");
    TIPS_TRY(status);
    for (int i = 0; i < batch->n; i++) TIPS_TRY(tips__tally_add(tally, &outputs, i, &batch->targets[i]));
    return tips__tally_end_batch(tally);
}

static tips_status validate_all(trainer *t, tips_tally *tally) {
    tips_loader *loader = t->config->val;
    TIPS_TRY(tips__loader_start(loader, 0, 0));
    for (int done = 1;; done++) {
        tips_batch batch;
        TIPS_TRY(tips__loader_next(loader, &batch));
        if (batch.n == 0) return TIPS_OK;
        TIPS_TRY(validate_batch(t, &batch, tally));
        tips__trainer_tell(
            t, (tips_train_progress){.validating = true, .batch = done, .batches = tips__loader_batches(loader)});
        if (tips__trainer_is_stopped(t)) return TIPS_INTERRUPTED;
    }
}

tips_status tips__trainer_validate(trainer *t, validation *out) {
    tips_tally tally = {.assignment = &t->config->model->assignment};
    const double began = omp_get_wtime();
    tips_status status = validate_all(t, &tally);
    if (status == TIPS_OK && tally.count == 0)
        status = tips__fail(TIPS_INVALID, "there are no validation pictures to choose the model on");
    if (status == TIPS_OK) status = tips__trainer_figures(&tally, out->figures);
    tips__tally_clear(&tally);
    t->validation_seconds = omp_get_wtime() - began;
    return status;
}
