/* tips predict: all inputs through the network, then flips and scores. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/threads.h"
#include "exchange/npy.h"

static void count_flips(tips_predict_result *r) {
    for (int i = r->count - r->frames + 1; i < r->count; i++)
        r->flips += r->predictions[i].classes[0] != r->predictions[i - 1].classes[0];
    if (r->frames > 1) r->flip_rate = 100.0 * r->flips / (r->frames - 1);
}

tips_status tips__predict_keep_inputs(const tips_predict_config *c, const char *output) {
    TIPS_TRY(tips__keep_input(c->model, output));
    TIPS_TRY(tips__keep_input(c->input.labels, output));
    TIPS_TRY(tips__keep_input(c->sequence, output));
    for (int i = 0; i < c->n_files; i++) TIPS_TRY(tips__keep_input(c->files[i], output));
    return TIPS_OK;
}

static tips_status run(predictor *p) {
    const tips_predict_config *config = p->config;
    TIPS_TRY(tips__predictor_create(p));
    for (int i = 0; i < config->n_files; i++) TIPS_TRY(tips__predict_file(p, config->files[i]));
    if (config->sequence) TIPS_TRY(tips__predict_folder(p, config->sequence, &p->result.frames));
    TIPS_TRY(tips__predictor_flush(p));
    count_flips(&p->result);
    return TIPS_OK;
}

tips_status tips__predict_run(const tips_predict_config *config, tips_predict_result *out) {
    predictor p = {.config = config};
    tips__threads_use(config->network.threads);
    const tips_status status = run(&p);
    tips__predictor_destroy(&p);
    if (status != TIPS_OK) tips__predict_free(&p.result);
    else *out = p.result;
    return status;
}

tips_status tips__predict_save_scores(const tips_predict_result *r, const char *path) {
    return tips__npy_write(path, 2, (const int64_t[2]){r->count, r->n_classes}, r->scores);
}

void tips__predict_free(tips_predict_result *r) {
    if (!r) return;
    for (int i = 0; i < r->count; i++) {
        tips__free(r->predictions[i].name);
        tips__free(r->predictions[i].classes);
        tips__free(r->predictions[i].probability);
    }
    tips__free(r->predictions);
    for (int i = 0; r->class_names && i < r->n_classes; i++) tips__free(r->class_names[i]);
    tips__free(r->class_names);
    tips__free(r->scores);
    *r = (tips_predict_result){0};
}
