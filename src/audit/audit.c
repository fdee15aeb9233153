/* tips audit: requirements are read before anything is measured, so that a mistyped one costs little time. */
#include "audit/audit.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "evaluate/evaluate_json.h"
#include "model/open_model.h"
#include "model/shift_advice.h"
#include "report/report_gather.h"

#include <string.h>

enum { EXAMPLES = 4, SEARCHED = 512 };
enum { WORST_IMAGES = 10 }; /* of the heat map, where a worst case is required and nobody says how many */

static bool verifies(const tips_audit_config *c) { return strcmp(c->shifts, "none") != 0; }

static tips_status check_needs(const tips_audit_config *c, const tips_requirements *list) {
    const tips_evaluate_config *e = &c->evaluate;
    if (tips__requirements_need(list, TIPS_NEEDS_MSB) && !e->msb)
        TIPS_FAIL(TIPS_INVALID, "--require asks for the MSB, which --no-msb leaves out");
    if (tips__requirements_need(list, TIPS_NEEDS_HEATMAP) && e->grid_images == 0)
        TIPS_FAIL(TIPS_INVALID, "--require asks for a worst case, which --grid-images 0 leaves out");
    if (tips__requirements_need(list, TIPS_NEEDS_SEQUENCE) && !tips__shift_protocols[e->protocol].sequence)
        TIPS_FAIL(TIPS_INVALID, "--require asks for a flip probability, which --protocol imagenet-p measures");
    if (tips__requirements_need(list, TIPS_NEEDS_SET_SHIFTS) && e->set_shifts == 0)
        TIPS_FAIL(TIPS_INVALID, "--require asks for a figure under common shifts, which --set-shifts 0 leaves out");
    if (tips__requirements_need(list, TIPS_NEEDS_VERIFIER) && !verifies(c))
        TIPS_FAIL(TIPS_INVALID, "--require asks for a verdict of the verifier, which --shifts none leaves out");
    return TIPS_OK;
}

static tips_status check_config(const tips_audit_config *c) {
    const char *model = c->evaluate.models;
    if (!model || !*model) TIPS_FAIL(TIPS_INVALID, "name the model to audit");
    if (strchr(model, ',')) TIPS_FAIL(TIPS_INVALID, "one model at a time; the name '%s' has a comma", model);
    if (!c->evaluate.data || !*c->evaluate.data) TIPS_FAIL(TIPS_INVALID, "name the pictures: --data SPEC");
    TIPS_TRY(tips__attack_check(&c->attack));
    TIPS_TRY(tips__evaluate_keep_inputs(&c->evaluate, c->junit));
    TIPS_TRY(tips__evaluate_keep_inputs(&c->evaluate, c->report));
    if (c->junit && c->report && (strcmp(c->junit, c->report) == 0 || tips__same_file(c->junit, c->report)))
        TIPS_FAIL(TIPS_INVALID, "--junit and --report are one file, %s; give each its own", c->junit);
    return TIPS_OK;
}

/* Which metrics there are depends on the task of the model. */
static tips_status read_requirements(const tips_audit_config *c, const tips_task *task, const tips_attack_plan *plan,
                                     tips_requirements *out) {
    out->task = task->metrics;
    out->attack = plan;
    for (int i = 0; i < c->n_require; i++) TIPS_TRY(tips__requirements_add(out, c->require[i]));
    return check_needs(c, out);
}

static tips_status attack(const tips_audit_config *c, tips_dataset *set, const tips_loaded_model *model,
                          tips_audit_result *r) {
    tips_attack_config attack = {.options = &c->attack, .evaluate = c->evaluate};
    attack.evaluate.same_classes = true;
    if (!tips__attack_is_wanted(&c->attack)) return TIPS_OK;
    TIPS_TRY(tips__attack_open(&attack, set, model, &r->evaluation.models[0].figures, &r->attack));
    r->interrupted = r->attack.interrupted;
    return TIPS_OK;
}

/* A plan stands for the attacks until they are done. */
static tips_status plan_requirements(const tips_audit_config *c, const tips_loaded_model *model,
                                     tips_requirements *out) {
    tips_attack_plan plan;
    TIPS_TRY(tips__attack_plan(&c->attack, model->info.config.size, &plan));
    const tips_status status = read_requirements(c, model->info.task.task, &plan, out);
    tips__attack_plan_clear(&plan);
    out->attack = NULL;
    return status;
}

/* Pictures for the page, with the classes of the evaluation. */
static tips_status find_examples(const tips_audit_config *c, tips_dataset *set, const tips_loaded_model *model,
                                 tips_audit_result *r) {
    tips_evaluate_class_match classes;
    if (!c->report || r->interrupted) return TIPS_OK;
    TIPS_TRY(tips__evaluate_classes(&c->evaluate, set, model, &classes));
    const tips_report_subject subject = {.model = model,
                                         .set = set,
                                         .split = r->evaluation.split_used,
                                         .classes = &classes,
                                         .wanted = EXAMPLES,
                                         .search = SEARCHED};
    const tips_status status = tips__report_examples_of(&subject, &r->examples);
    tips__evaluate_classes_clear(&classes);
    return status;
}

static tips_status find_next_step(const tips_audit_config *c, const tips_loaded_model *model, tips_audit_result *r) {
    const tips_evaluate_config *e = &c->evaluate;
    tips_text text = {0};
    tips__next_step(&model->info, e->models, &e->input, e->data, &text);
    const tips_status status = tips__text_check(&text);
    if (status == TIPS_OK) r->next = text.data;
    else tips__text_clear(&text);
    return status;
}

static tips_status measure_open(const tips_audit_config *c, tips_dataset *set, const tips_loaded_model *model,
                                tips_audit_result *r) {
    tips_evaluate_config evaluate = c->evaluate;
    TIPS_TRY(tips__attack_fits(&c->attack, model));
    TIPS_TRY(plan_requirements(c, model, &r->requirements));
    if (evaluate.grid_images == TIPS_GRID_FEW && tips__requirements_need(&r->requirements, TIPS_NEEDS_HEATMAP))
        evaluate.grid_images = WORST_IMAGES;
    evaluate.same_classes = evaluate.one_pixel = true;
    TIPS_TRY(find_next_step(c, model, r));
    TIPS_TRY(tips__evaluate_open(&evaluate, set, model, &r->evaluation));
    r->interrupted = r->evaluation.interrupted;
    if (!r->interrupted) TIPS_TRY(attack(c, set, model, r));
    TIPS_TRY(find_examples(c, set, model, r));
    if (!verifies(c) || r->interrupted) return TIPS_OK;
    TIPS_TRY(tips__audit_verify(c, set, model, r));
    r->interrupted = r->verification.interrupted;
    return TIPS_OK;
}

static tips_status measure_model(const tips_audit_config *c, const tips_loaded_model *model, tips_audit_result *r) {
    tips_dataset *set;
    TIPS_TRY(tips__evaluate_open_data_for(&c->evaluate, model, &set));
    const tips_status status = measure_open(c, set, model, r);
    tips__dataset_close(set);
    return status;
}

/* Data and model are opened once for both; which pictures count depends on what the model was trained on. */
static tips_status measure(const tips_audit_config *c, tips_audit_result *r) {
    const tips_evaluate_config *e = &c->evaluate;
    tips_loaded_model model;
    TIPS_TRY(tips__open_model(e->models, &e->network, &e->input, &model));
    const tips_status status = measure_model(c, &model, r);
    tips__loaded_model_destroy(&model);
    return status;
}

/* The evaluation alone would be tips eval. */
static tips_status make_command(const tips_audit_config *c, char **out) {
    tips_text text = {0};
    tips__text_add(&text, "tips audit ");
    tips__text_word(&text, c->evaluate.models);
    tips__evaluate_flags(&text, &c->evaluate, TIPS_GRID_FEW);
    tips__attack_flags(&text, &c->attack);
    if (strcmp(c->shifts, TIPS_AUDIT_SHIFTS) != 0) tips__text_print(&text, " --shifts %s", c->shifts);
    for (int i = 0; i < c->n_require; i++) {
        tips__text_add(&text, " --require ");
        tips__text_word(&text, c->require[i]);
    }
    const tips_status status = tips__text_check(&text);
    if (status != TIPS_OK) tips__text_clear(&text);
    else *out = text.data;
    return status;
}

static tips_status note_command(const tips_audit_config *c, tips_evaluate_result *r) {
    tips__free(r->command);
    r->command = c->command ? tips__strdup(c->command) : NULL;
    if (c->command && !r->command) TIPS_FAIL(TIPS_MEMORY, "out of memory for a command");
    return c->command ? TIPS_OK : make_command(c, &r->command);
}

static tips_status run(const tips_audit_config *c, tips_audit_result *r) {
    const double start = tips__now();
    TIPS_TRY(check_config(c));
    TIPS_TRY(measure(c, r));
    TIPS_TRY(note_command(c, &r->evaluation));
    r->ok = tips__requirements_check(&r->requirements, &r->evaluation.models[0],
                                     r->picture[0] ? &r->verification : NULL, &r->attack);
    r->ok = r->ok && !r->interrupted;
    r->seconds = tips__now() - start;
    return TIPS_OK;
}

tips_status tips__audit_run(const tips_audit_config *config, tips_audit_result *out) {
    tips_audit_result result = {0};
    tips__threads_use(config->evaluate.network.threads);
    const tips_status status = run(config, &result);
    if (status == TIPS_OK) *out = result;
    else tips__audit_free(&result);
    return status;
}

tips_status tips__audit_save(const tips_audit_config *c, const tips_audit_result *r) {
    if (c->junit) TIPS_TRY(tips__audit_save_junit(r, c->junit));
    return c->report ? tips__audit_save_page(c, r, c->report) : TIPS_OK;
}

void tips__audit_free(tips_audit_result *r) {
    if (!r) return;
    tips__evaluate_free(&r->evaluation);
    tips__verify_free(&r->verification);
    tips__attack_free(&r->attack);
    tips__report_free(&r->examples);
    tips__free(r->requirements.items);
    tips__free(r->next);
    *r = (tips_audit_result){0};
}
