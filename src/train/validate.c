/* A pass over the validation data, and handing batches to a net. */
#include "train/trainer_parts.h"

#include "core/fail.h"
#include "core/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tips_status tips__trainer_put(trainer *t, tips_net *net, int n, const float *images, const int32_t *labels) {
    const tips_model *model = t->config->model;
    const int batch = t->config->plan.batch;
    if (n < batch) {
        const tips_value_info *in = tips__value(model->graph, model->ends.input);
        const size_t pixels = (size_t)in->c * (size_t)in->h * (size_t)in->w;
        for (int i = 0; i < batch; i++) {
            memcpy(t->images + (size_t)i * pixels, images + (size_t)(i % n) * pixels, pixels * sizeof *images);
            t->labels[i] = labels[i % n];
        }
        images = t->images;
        labels = t->labels;
    }
    TIPS_TRY(tips__net_set_map(net, model->ends.input, images));
    return tips__net_set_index(net, model->ends.targets[0], labels);
}

static int largest(const float *logits, int classes) {
    int best = 0;
    for (int c = 1; c < classes; c++)
        if (logits[c] > logits[best]) best = c;
    return best;
}

int tips__trainer_correct(const trainer *t, int n, const int32_t *labels) {
    const int classes = t->config->info->config.classes;
    int correct = 0;
    for (int i = 0; i < n; i++) correct += largest(t->logits + (size_t)i * (size_t)classes, classes) == labels[i];
    return correct;
}

/* Plain cross-entropy, whatever the smoothing of the training loss. */
static double cross_entropy(const float *logits, int classes, int label) {
    const double most = logits[largest(logits, classes)];
    double sum = 0;
    for (int c = 0; c < classes; c++) sum += exp(logits[c] - most);
    return most + log(sum) - logits[label];
}

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

static tips_status validate_batch(trainer *t, int n, const float *images, const int32_t *labels, validation *sum) {
    const int classes = t->config->info->config.classes;
    double loss = 0;
    TIPS_TRY(tips__trainer_put(t, t->val_net, n, images, labels));
    if (t->config->teach) /* its loss is not looked at here: any logits will do */
        TIPS_TRY(tips__net_set_map(t->val_net, t->config->model->ends.teacher, t->logits));
    TIPS_TRY(tips__net_forward(t->val_net));
    TIPS_TRY(tips__net_get_map(t->val_net, t->config->model->ends.outputs[0], t->logits));
    for (int i = 0; i < n; i++) loss += cross_entropy(t->logits + (size_t)i * (size_t)classes, classes, labels[i]);
    if (!isfinite(loss)) return tips__trainer_explain(t, t->val_net, "the validation loss");
    sum->loss += loss;
    sum->accuracy += tips__trainer_correct(t, n, labels);
    return TIPS_OK;
}

tips_status tips__trainer_validate(trainer *t, validation *out) {
    tips_loader *loader = t->config->val;
    const double began = omp_get_wtime();
    validation sum = {0};
    int count = 0;
    TIPS_TRY(tips__loader_start(loader, 0, 0));
    for (int batch = 1;; batch++) {
        const float *images;
        const int32_t *labels;
        int n;
        TIPS_TRY(tips__loader_next(loader, &n, &images, &labels));
        if (n == 0) break;
        TIPS_TRY(validate_batch(t, n, images, labels, &sum));
        count += n;
        tips__trainer_tell(
            t, (tips_train_progress){.validating = true, .batch = batch, .batches = tips__loader_batches(loader)});
        if (tips__trainer_is_stopped(t)) return TIPS_INTERRUPTED;
    }
    if (count == 0) TIPS_FAIL(TIPS_INVALID, "there are no validation pictures to choose the model on");
    *out = (validation){sum.loss / count, sum.accuracy / count};
    t->validation_seconds = omp_get_wtime() - began;
    return TIPS_OK;
}
