/* Runs the cases one after the other, each as an evaluation of changed pictures. */
#include "attack/attack_parts.h"

#include "core/fail.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "evaluate/evaluate_json.h"
#include "model/open_model.h"

#include <string.h>

typedef struct session {
    const tips_attack_config *config;
    tips_dataset *set;
    const tips_loaded_model *model;
    tips_attack_result *result;
    tips_gradient_net *gradients; /* once a case needs them */
    tips_frost frost;
    tips_attack_sheet sheet;
    float *before; /* (batch, c, h, w): pictures of the sheet, or NULL */
    const tips_attack_case *at;
    double done, passes; /* of all cases */
    double case_start;   /* `done` when the case began */
} session;

static tips_status tick(void *context, double passes) {
    session *s = context;
    const tips_evaluate_config *e = &s->config->evaluate;
    s->done += passes;
    s->case_start += passes;
    if (e->progress) e->progress(e->context, s->at->name, s->done, s->passes);
    if (e->stop && e->stop(e->context)) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted");
    return TIPS_OK;
}

/* What an evaluation tells of itself is part of the whole. */
static void tell(void *context, const char *model, double done, double passes) {
    session *s = context;
    const tips_evaluate_config *e = &s->config->evaluate;
    (void)passes;
    s->done = s->case_start + done;
    e->progress(e->context, s->at ? s->at->name : model, s->done, s->passes);
}

static bool stop(void *context) {
    const tips_evaluate_config *e = &((session *)context)->config->evaluate;
    return e->stop && e->stop(e->context);
}

static size_t numbers_of(const session *s) {
    const tips_preprocess *p = &s->model->preprocess;
    return (size_t)p->channels * (size_t)p->height * (size_t)p->width;
}

static tips_status store_as_jpeg(const session *s, float *planes) {
    const tips_preprocess *p = &s->model->preprocess;
    const size_t count = numbers_of(s);
    double *exact;
    if (s->result->plan.jpeg == 0) return TIPS_OK;
    TIPS_TRY(tips__new(&exact, count * sizeof *exact, "a corrupted picture"));
    for (size_t i = 0; i < count; i++) exact[i] = (double)planes[i];
    const tips_status status = tips__through_jpeg(p->height, p->width, p->channels, s->result->plan.jpeg, exact);
    for (size_t i = 0; i < count && status == TIPS_OK; i++) planes[i] = (float)exact[i];
    tips__free(exact);
    return status;
}

static tips_status corrupt_one(const session *s, int index, float *planes) {
    const tips_preprocess *p = &s->model->preprocess;
    const tips_corrupt_job job = {.h = p->height,
                                  .w = p->width,
                                  .c = p->channels,
                                  .severity = s->at->severity,
                                  .scale = s->result->plan.scale,
                                  .seed = (uint64_t)s->config->evaluate.network.seed,
                                  .picture = index,
                                  .frost = &s->frost};
    TIPS_TRY(tips__corrupt(&tips__corruptions[s->at->corruption], &job, planes));
    return store_as_jpeg(s, planes);
}

static tips_status corrupt_for(const tips_allocator *allocator, const session *s, int index, float *planes) {
    const tips_allocator *before = tips_use_allocator(allocator);
    const tips_status status = corrupt_one(s, index, planes);
    tips_use_allocator(before);
    return status;
}

/* The text of an error stays with the thread that had it: what went wrong elsewhere is said by its name alone. */
static tips_status corrupt(const session *s, const tips_changed_pictures *pictures) {
    const tips_allocator *allocator = tips__allocator();
    const size_t count = numbers_of(s);
    tips_status *status;
    TIPS_TRY(tips__new(&status, (size_t)pictures->count * sizeof *status, "the pictures' states"));
    TIPS_PARALLEL_FOR (i, pictures->count)
        status[i] = corrupt_for(allocator, s, pictures->index[i], pictures->planes + (size_t)i * count);
    tips_status first = TIPS_OK;
    for (int i = 0; i < pictures->count && first == TIPS_OK; i++) first = status[i];
    tips__free(status);
    if (first == TIPS_UNSUPPORTED)
        TIPS_FAIL(first, "%s: this build has no libjpeg, which it needs; --corrupt-jpeg 0 stores pictures without",
                  s->at->name);
    if (first != TIPS_OK) TIPS_FAIL(first, "%s: a picture could not be corrupted", s->at->name);
    return TIPS_OK;
}

static tips_status attack(session *s, const tips_changed_pictures *pictures) {
    const tips_attack_spec *spec = &s->result->plan.attacks[s->at->attack];
    const tips_attack_job job = {.config = &spec->config,
                                 .strength = s->at->strength.value,
                                 .model = s->model,
                                 .gradients = s->gradients,
                                 .seed = (uint64_t)s->config->evaluate.network.seed,
                                 .tick = tick,
                                 .context = s};
    return spec->method->apply(&job, pictures);
}

static tips_status change(session *s, const tips_changed_pictures *pictures) {
    return s->at->attack >= 0 ? attack(s, pictures) : corrupt(s, pictures);
}

/* Keeps what pictures of the sheet were. */
static tips_status apply(void *context, const tips_changed_pictures *pictures) {
    session *s = context;
    const size_t count = numbers_of(s);
    if (!tips__attack_sheet_wants(&s->sheet)) return change(s, pictures);
    memcpy(s->before, pictures->planes, (size_t)pictures->count * count * sizeof(float));
    TIPS_TRY(change(s, pictures));
    for (int i = 0; i < pictures->count && tips__attack_sheet_wants(&s->sheet); i++)
        TIPS_TRY(
            tips__attack_sheet_put(&s->sheet, s->before + (size_t)i * count, pictures->planes + (size_t)i * count));
    return TIPS_OK;
}

/* Figures that say nothing more of attacked pictures are left out. */
static tips_evaluate_config settings(const session *s) {
    tips_evaluate_config e = s->config->evaluate;
    e.msb = e.levels = e.full_grid = false;
    e.grid_images = 0;
    e.unshifted = !s->config->options->shifts;
    e.cost = NULL;
    e.stop = stop;
    e.progress = s->config->evaluate.progress ? tell : NULL;
    e.context = (void *)s;
    return e;
}

static tips_status evaluate(session *s, const tips_picture_change *changed, tips_evaluate_result *out) {
    tips_evaluate_config e = settings(s);
    e.change = changed;
    s->case_start = s->done;
    TIPS_TRY(tips__evaluate_open(&e, s->set, s->model, out));
    if (!out->interrupted) return TIPS_OK;
    tips__evaluate_free(out);
    TIPS_FAIL(TIPS_INTERRUPTED, "interrupted");
}

static tips_status run_case(session *s, int i) {
    const tips_picture_change changed = {apply, s};
    tips_attack_result *r = s->result;
    tips_evaluate_result one;
    s->at = &r->plan.cases[i];
    TIPS_TRY(tips__attack_sheet_case(&s->sheet, i, s->at->name));
    if (s->at->attack >= 0 && r->plan.attacks[s->at->attack].method->gradients && !s->gradients)
        TIPS_TRY(tips__gradient_net_create(s->model, s->config->evaluate.batch, &s->gradients));
    TIPS_TRY(evaluate(s, &changed, &one));
    r->figures[i] = one.models[0].figures;
    r->images[i] = one.models[0].images;
    tips__evaluate_free(&one);
    return TIPS_OK;
}

static tips_status run_clean(session *s, const tips_figures *known) {
    tips_attack_result *r = s->result;
    if (known) {
        r->clean_figures = *known;
        return TIPS_OK;
    }
    TIPS_TRY(evaluate(s, NULL, &r->clean));
    r->clean_figures = r->clean.models[0].figures;
    return TIPS_OK;
}

static double passes_of(const session *s, const tips_attack_case *one, double views) {
    const tips_attack_plan *plan = &s->result->plan;
    if (one->attack < 0) return views;
    return views + plan->attacks[one->attack].method->passes(&plan->attacks[one->attack].config);
}

/* An estimate for the progress: views of the usual protocol. */
static tips_status count_passes(session *s, const tips_figures *known) {
    const tips_evaluate_config e = settings(s);
    const tips_shift_protocol *protocol = tips__shift_protocol_for(e.protocol, s->model->info.task.task->protocol);
    const tips_shift_plan plan = tips__shift_plan(protocol, s->model->info.config.size, e.pairs, 0);
    const double views = e.unshifted ? 1 : 1 + TIPS_SHIFT_KINDS * plan.views;
    tips_split split = (tips_split)e.split;
    if (split == TIPS_SPLIT_TEST && tips__dataset_count(s->set, split) == 0) split = TIPS_SPLIT_VAL;
    const int all = tips__dataset_count(s->set, split), images = e.limit > 0 && e.limit < all ? e.limit : all;
    s->passes = known ? 0 : views;
    for (int i = 0; i < s->result->plan.count; i++) s->passes += passes_of(s, &s->result->plan.cases[i], views);
    s->passes *= images;
    const tips_evaluate_cost cost = {
        .model = s->config->evaluate.models ? s->config->evaluate.models : "", .images = images, .passes = s->passes};
    if (s->config->evaluate.cost) s->config->evaluate.cost(s->config->evaluate.context, &cost);
    return TIPS_OK;
}

static tips_status fits_plan(const tips_attack_plan *plan, const tips_loaded_model *model) {
    for (int i = 0; i < plan->count; i++) {
        const tips_attack_case *one = &plan->cases[i];
        if (one->attack < 0) continue;
        const tips_attack_spec *spec = &plan->attacks[one->attack];
        TIPS_TRY(spec->method->check(&spec->config, &one->strength, model->info.config.size));
        if (spec->method->gradients) TIPS_TRY(tips__gradient_net_check(model));
    }
    return TIPS_OK;
}

tips_status tips__attack_fits(const void *options, const tips_loaded_model *model) {
    const tips_attack_options *o = options;
    tips_attack_plan plan;
    tips_frost frost = {0};
    if (!tips__attack_is_wanted(o)) return TIPS_OK;
    TIPS_TRY(tips__attack_plan(o, model->info.config.size, &plan));
    tips_status status = fits_plan(&plan, model);
    if (status == TIPS_OK && o->frost) status = tips__frost_read(o->frost, &frost);
    tips__frost_clear(&frost);
    tips__attack_plan_clear(&plan);
    return status;
}

static tips_status prepare(session *s, const tips_figures *known) {
    const tips_attack_options *o = s->config->options;
    tips_attack_result *r = s->result;
    TIPS_TRY(tips__attack_plan(o, s->model->info.config.size, &r->plan));
    if (r->plan.count == 0) TIPS_FAIL(TIPS_INVALID, "nothing is to be done: name an --attack or a --corrupt");
    TIPS_TRY(fits_plan(&r->plan, s->model));
    if (o->frost) TIPS_TRY(tips__frost_read(o->frost, &s->frost));
    TIPS_TRY(tips__new_zero(&r->figures, (size_t)r->plan.count * sizeof *r->figures, "the results"));
    TIPS_TRY(tips__new_zero(&r->images, (size_t)r->plan.count * sizeof *r->images, "the results"));
    TIPS_TRY(tips__attack_sheet_create(s->config, &r->plan, s->set, &s->model->preprocess, &s->sheet));
    if (s->sheet.pictures > 0)
        TIPS_TRY(tips__new(&s->before, (size_t)s->config->evaluate.batch * numbers_of(s) * sizeof *s->before,
                           "the pictures of the sheet"));
    return count_passes(s, known);
}

/* What was done before the interruption stays, even if it is no more than the figures of unchanged pictures. */
static tips_status run_cases(session *s, const tips_figures *known) {
    tips_attack_result *r = s->result;
    TIPS_TRY(prepare(s, known));
    TIPS_TRY(run_clean(s, known));
    for (int i = 0; i < r->plan.count; i++) r->figures[i] = tips__figures_none(r->clean_figures.task);
    for (r->done = 0; r->done < r->plan.count; r->done++) {
        const tips_status status = run_case(s, r->done);
        if (status == TIPS_INTERRUPTED) {
            r->interrupted = true;
            break;
        }
        TIPS_TRY(status);
    }
    tips__attack_sum_up(r, s->model->info.config.classes);
    if (s->config->evaluate.progress)
        s->config->evaluate.progress(s->config->evaluate.context, "", s->passes, s->passes);
    return s->config->examples ? tips__attack_sheet_save(&s->sheet, s->config->examples) : TIPS_OK;
}

tips_status tips__attack_open(const tips_attack_config *config, tips_dataset *set, const tips_loaded_model *model,
                              const tips_figures *clean, tips_attack_result *out) {
    tips_attack_result result = {0};
    const double start = tips__now();
    session s = {.config = config, .set = set, .model = model, .result = &result};
    const tips_status status = run_cases(&s, clean);
    tips__gradient_net_destroy(s.gradients);
    tips__frost_clear(&s.frost);
    tips__attack_sheet_free(&s.sheet);
    tips__free(s.before);
    result.seconds = tips__now() - start;
    if (status == TIPS_OK) *out = result;
    else tips__attack_free(&result);
    return status;
}

void tips__attack_flags(tips_text *out, const tips_attack_options *o) {
    for (int i = 0; i < o->attacks.count + o->corruptions.count; i++) {
        const bool attacks = i < o->attacks.count;
        tips__text_add(out, attacks ? " --attack " : " --corrupt ");
        tips__text_word(out, attacks ? o->attacks.text[i] : o->corruptions.text[i - o->attacks.count]);
    }
    if (o->frost) tips__text_add(out, " --frost ");
    if (o->frost) tips__text_word(out, o->frost);
    if (o->constants > 0) tips__text_add(out, o->constants == 1 ? " --constants 224" : " --constants 32");
    if (o->jpeg >= 0) tips__text_print(out, " --corrupt-jpeg %d", o->jpeg);
    if (!o->shifts) tips__text_add(out, " --no-attack-shifts");
}

/* Flags of the evaluation that are not attack's have their usual values here. */
static tips_status note_command(const tips_attack_config *config, tips_attack_result *r) {
    tips_evaluate_config e = config->evaluate;
    tips_text text = {0};
    e.msb = true, e.levels = e.full_grid = false, e.grid_images = 0, e.set_shifts = TIPS_EVALUATE_SET;
    tips__text_add(&text, "tips attack ");
    tips__text_word(&text, e.models);
    tips__evaluate_flags(&text, &e, 0);
    if (e.whole) tips__text_add(&text, " --whole");
    tips__attack_flags(&text, config->options);
    const tips_status status = tips__text_check(&text);
    tips__free(r->clean.command);
    r->clean.command = status == TIPS_OK ? text.data : NULL;
    if (status != TIPS_OK) tips__text_clear(&text);
    return status;
}

static tips_status run_model(const tips_attack_config *config, tips_dataset *set, tips_attack_result *out) {
    const tips_evaluate_config *e = &config->evaluate;
    tips_loaded_model model;
    TIPS_TRY(tips__evaluate_open_model(e, set, e->models, &model));
    tips_attack_result result = {0};
    tips_status status = tips__attack_open(config, set, &model, NULL, &result);
    if (status == TIPS_OK) status = note_command(config, &result);
    tips__loaded_model_destroy(&model);
    if (status == TIPS_OK) *out = result;
    else tips__attack_free(&result);
    return status;
}

tips_status tips__attack_run(const tips_attack_config *config, tips_attack_result *out) {
    tips_dataset *set;
    tips__threads_use(config->evaluate.network.threads);
    TIPS_TRY(tips__attack_check(config->options));
    if (config->charts) TIPS_TRY(tips__make_folder(config->charts));
    TIPS_TRY(tips__evaluate_open_data(&config->evaluate, &set));
    const tips_status status = run_model(config, set, out);
    tips__dataset_close(set);
    return status;
}

void tips__attack_free(tips_attack_result *r) {
    if (!r) return;
    tips__attack_plan_clear(&r->plan);
    tips__evaluate_free(&r->clean);
    tips__free(r->figures);
    tips__free(r->images);
    *r = (tips_attack_result){0};
}
