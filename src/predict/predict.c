/* tips predict: all inputs through the network, then what became of them. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/folder_lock.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/threads.h"
#include "exchange/npy.h"

tips_status tips__predict_keep_inputs(const tips_predict_config *c, const char *output) {
    TIPS_TRY(tips__keep_input(c->model, output));
    TIPS_TRY(tips__keep_input(c->input.labels, output));
    TIPS_TRY(tips__keep_input(c->sequence, output));
    TIPS_TRY(tips__keep_input(c->motion, output));
    TIPS_TRY(tips__keep_input(c->annotations, output));
    for (int i = 0; i < c->n_files; i++) TIPS_TRY(tips__keep_input(c->files[i], output));
    return TIPS_OK;
}

static tips_status run(predictor *p) {
    const tips_predict_config *config = p->config;
    TIPS_TRY(tips__predictor_create(p));
    for (int i = 0; i < config->n_files; i++) TIPS_TRY(tips__predict_file(p, config->files[i]));
    TIPS_TRY(tips__predictor_flush(p));
    p->in_sequence = config->sequence != NULL;
    if (p->in_sequence) TIPS_TRY(tips__predict_folder(p, config->sequence, &p->result.frames));
    TIPS_TRY(tips__predictor_flush(p));
    return p->kind->end(p);
}

tips_status tips__predict_run(const tips_predict_config *config, tips_predict_result *out) {
    predictor p = {.config = config};
    tips_folder_lock *lock = NULL;
    if (config->out) TIPS_TRY(tips__folder_lock(config->out, tips__run_lock_name, &lock));
    tips__threads_use(config->network.threads);
    const tips_status status = run(&p);
    tips__folder_unlock(lock);
    tips__predictor_destroy(&p);
    if (status != TIPS_OK) tips__predict_free(&p.result);
    else *out = p.result;
    return status;
}

tips_status tips__predict_save_scores(const tips_predict_result *r, const char *path) {
    const int64_t dims[4] = {r->count, r->score_dims[0], r->score_dims[1], r->score_dims[2]};
    return tips__npy_write(path, r->kind == TIPS_PREDICTS_MASKS ? 4 : 2, dims, r->scores);
}

void tips__predict_free(tips_predict_result *r) {
    if (!r) return;
    for (int i = 0; i < r->count; i++) {
        tips__free(r->predictions[i].name);
        tips__free(r->predictions[i].classes);
        tips__free(r->predictions[i].probability);
        tips__free(r->predictions[i].share);
        tips__free(r->predictions[i].mask);
        tips__free(r->predictions[i].overlay);
        tips__free(r->predictions[i].boxes);
        tips__free(r->predictions[i].drawing);
    }
    tips__free(r->predictions);
    for (int i = 0; r->class_names && i < r->n_classes; i++) tips__free(r->class_names[i]);
    tips__free(r->class_names);
    tips__free(r->steps);
    tips__free(r->flicker_map);
    tips__free(r->scores);
    *r = (tips_predict_result){0};
}
