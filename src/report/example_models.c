/* Opening the models of the rows and the data they were tested on, and their answers to shifted pictures. */
#include "report/report_examples.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "model/open_logits.h"
#include "task/data_classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MODELS = 12 };

void tips__example_view(int view, int *kind, int shift[2]) {
    static const int shifts[EXAMPLE_SHIFTS][2] = {{0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {2, 2}};
    *kind = view == 0 ? TIPS_STANDARD : (view - 1) / EXAMPLE_SHIFTS;
    for (int axis = 0; axis < 2; axis++) shift[axis] = view == 0 ? 0 : shifts[(view - 1) % EXAMPLE_SHIFTS][axis];
}

example_answer tips__example_answer(const example_search *s, int model, int view, int slot) {
    example_answer out = {.bytes = tips__pile_at(&s->models[model].answers, slot * EXAMPLE_VIEWS + view)};
    int kind;
    tips__example_view(view, &kind, out.shift);
    out.circular = kind == TIPS_CIRCULAR;
    return out;
}

static tips_answer_at placed(const example_answer *a, bool circular) {
    return (tips_answer_at){&a->bytes, {a->shift[0], a->shift[1]}, circular};
}

/* One answer against another, at the shifts they were given at. */
static tips_agreement compare(const example_search *s, int model, int view, int to, int slot) {
    const example_answer a = tips__example_answer(s, model, view, slot), b = tips__example_answer(s, model, to, slot);
    return s->task->agree(&s->models[model].assignment, placed(&a, a.circular), placed(&b, a.circular),
                          &s->target[slot]);
}

tips_agreement tips__example_agree(const example_search *s, int model, int view, int slot) {
    return compare(s, model, view, 0, slot);
}

bool tips__example_is_graded(const example_search *s) { return s->task->flags & TIPS_TASK_GRADED; }

/* Answers that agree in part never agree wholly: they flip where one would see it. */
bool tips__example_keeps(const example_search *s, int model, int view, int slot) {
    return tips__example_agree(s, model, view, slot).agree >= (tips__example_is_graded(s) ? 0.9 : 1);
}

tips_status tips__example_said(const example_search *s, int model, int view, int slot, tips_report_said *said) {
    const example_model *m = &s->models[model];
    const example_answer answer = tips__example_answer(s, model, view, slot);
    tips_text text = {0};
    s->task->say(&m->assignment, &answer.bytes, s->names, &text);
    said->text = text.data;
    TIPS_TRY(tips__text_check(&text));
    said->share = m->shares[slot * EXAMPLE_VIEWS + view];
    said->right = compare(s, model, view, view, slot).right >= 1;
    return tips__example_drawing(s, model, slot, view, &said->picture);
}

static tips_status say(char **why, const char *what, const char *more) {
    char text[TIPS_PATH_SIZE + 256];
    snprintf(text, sizeof text, "There are no examples: %s%s.", what, more);
    return tips__report_copy(text, why);
}

/* A model that is open becomes one of the search; the next place is its. */
static tips_status add_model(example_search *s, const tips_loaded_model *model, int row) {
    example_model *m = &s->models[s->n_models++];
    const bool graded = model->info.task.task->flags & TIPS_TASK_GRADED;
    m->model = model;
    m->row = row;
    m->colours = tips__model_colours(&model->info);
    m->assignment = model->model.assignment;
    m->assignment.colours = &m->colours;
    m->assignment.first_drawn = tips__model_first_shown(&model->info);
    TIPS_TRY(tips__new(&m->shares, EXAMPLE_BATCH * EXAMPLE_VIEWS * sizeof *m->shares, "probabilities"));
    return tips__answerer_create(&model->model, model->params, graded ? EXAMPLE_VIEWS_AT_ONCE : EXAMPLE_BATCH,
                                 TIPS_ALGORITHM_EXACT, &m->answerer);
}

static tips_status open_model(example_search *s, const tips_report_run *run) {
    example_model *m = &s->models[s->n_models];
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(run->folder, tips__best_name, path));
    TIPS_TRY(tips__open_logits(path, NULL, &m->own));
    return add_model(s, &m->own, run->row);
}

static bool same_input(const example_model *a, const example_model *b) {
    const tips_preprocess *p = &a->model->preprocess, *q = &b->model->preprocess;
    return p->height == q->height && p->width == q->width && p->channels == q->channels && p->resize == q->resize &&
           p->fit_inside == q->fit_inside && memcmp(&p->placement, &q->placement, sizeof p->placement) == 0 &&
           a->model->info.task.task == b->model->info.task.task &&
           a->model->info.config.classes == b->model->info.config.classes;
}

/* The set with the most rows. */
static int largest_set(const tips_report_data *d) {
    int best = 0, most = 0;
    for (int set = 0; set < d->n_sets; set++) {
        int rows = 0;
        for (int i = 0; i < d->n_rows; i++) rows += d->rows[i].set == set;
        if (rows > most) most = rows, best = set;
    }
    return best;
}

/* The first run of each of its rows. */
static tips_status open_models(example_search *s, int *first, char **why) {
    const tips_report_data *d = s->data;
    const int set = largest_set(d);
    TIPS_TRY(tips__new_zero(&s->models, MOST_MODELS * sizeof *s->models, "models"));
    for (int row = 0; row < d->n_rows; row++) {
        int run = 0;
        while (run < d->n_runs && d->runs[run].row != row) run++;
        if (d->rows[row].set != set || run == d->n_runs || s->n_models == MOST_MODELS) continue;
        const tips_status status = open_model(s, &d->runs[run]);
        if (status == TIPS_MEMORY) return status;
        if (status != TIPS_OK) return say(why, "a model cannot be run: ", tips_last_error());
        if (s->n_models == 1) *first = run;
        if (!same_input(&s->models[0], &s->models[s->n_models - 1]))
            return say(why, "the models do not take the same pictures", "");
    }
    if (s->n_models == 0) return say(why, "there is no model", "");
    s->task = s->models[0].model->info.task.task;
    if (s->n_models < 2 && !tips__example_is_graded(s))
        return say(why, "they compare models, and there is only one", "");
    return TIPS_OK;
}

static tips_status open_data(example_search *s, const report_job *job, int first, char **why) {
    const tips_json_node *options = tips__json_get(job->sources[first].config, "options");
    const double val_split = tips__json_get_number(options, "val-split");
    const tips_dataset_options o = {.classes_limit = tips__json_get_int(options, "classes-limit", 0),
                                    .val_split = val_split > 0 ? val_split : 0,
                                    .skip_bad = true,
                                    .seed = (uint64_t)job->data.runs[first].seed};
    const tips_status status = tips__dataset_open(tips__json_get_text(options, "data", NULL), &o, &s->set);
    if (status == TIPS_MEMORY) return status;
    if (status != TIPS_OK) return say(why, "the data cannot be opened: ", tips_last_error());
    s->own_set = true;
    s->split = tips__dataset_count(s->set, TIPS_SPLIT_TEST) > 0 ? TIPS_SPLIT_TEST : TIPS_SPLIT_VAL;
    return TIPS_OK;
}

static tips_status check_data(const example_search *s, char **why) {
    if (tips__dataset_require(s->set, s->task->needs) != TIPS_OK) return say(why, tips_last_error(), "");
    if (tips__task_data_classes(s->task, s->set) != s->models[0].model->info.config.classes)
        return say(why, "the data have another number of classes than the models", "");
    return TIPS_OK;
}

static size_t pixels_of(const example_search *s) {
    const tips_preprocess *p = &s->models[0].model->preprocess;
    return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

static int classes_of(const example_search *s) { return s->models[0].model->info.config.classes; }

/* Those of an evaluation, or else of the data, which are in the order of the outputs. */
static tips_status copy_names(example_search *s, const tips_evaluate_class_match *match) {
    const int classes = classes_of(s);
    TIPS_TRY(tips__new_zero(&s->names, (size_t)classes * sizeof *s->names, "names of classes"));
    for (int i = 0; i < classes; i++)
        TIPS_TRY(
            tips__report_copy(match ? match->names[i] : tips__task_data_class_name(s->task, s->set, i), &s->names[i]));
    for (int i = 0; i < s->n_models; i++) s->models[i].assignment.names = s->names;
    return TIPS_OK;
}

static tips_status allocate(example_search *s, const tips_evaluate_class_match *match) {
    TIPS_TRY(copy_names(s, match));
    TIPS_TRY(tips__new_zero(&s->canvas, EXAMPLE_BATCH * pixels_of(s), "pictures"));
    TIPS_TRY(tips__new(&s->probabilities, (size_t)classes_of(s) * sizeof *s->probabilities, "probabilities"));
    return tips__new_zero(&s->found, TIPS_SHIFT_KINDS * 2 * (size_t)s->room * sizeof *s->found, "examples");
}

tips_status tips__example_open(example_search *s, report_job *job, char **why) {
    int first = 0;
    TIPS_TRY(open_models(s, &first, why));
    if (!*why) TIPS_TRY(open_data(s, job, first, why));
    if (!*why) TIPS_TRY(check_data(s, why));
    return *why ? TIPS_OK : allocate(s, NULL);
}

tips_status tips__example_take(example_search *s, const tips_report_subject *subject) {
    s->task = subject->model->info.task.task;
    s->outputs = subject->classes->outputs;
    TIPS_TRY(tips__new_zero(&s->models, sizeof *s->models, "a model"));
    TIPS_TRY(add_model(s, subject->model, 0));
    return allocate(s, subject->classes);
}

static void close_model(example_model *m) {
    tips__answerer_destroy(m->answerer);
    tips__pile_clear(&m->answers);
    tips__free(m->shares);
    if (m->model == &m->own) tips__loaded_model_destroy(&m->own);
}

void tips__example_close(example_search *s) {
    for (int i = 0; s->names && i < classes_of(s); i++) tips__free(s->names[i]);
    for (int i = 0; i < s->n_models; i++) close_model(&s->models[i]);
    for (int i = 0; i < EXAMPLE_BATCH; i++) tips__bytes_clear(&s->target[i]);
    tips__bytes_clear(&s->answer);
    if (s->own_set) tips__dataset_close(s->set);
    tips__free(s->names);
    tips__free(s->models);
    tips__free(s->canvas);
    tips__free(s->probabilities);
}

static tips_status take_picture(example_search *s, const tips_image *picture, tips_annotation *annotation) {
    const example_model *m = &s->models[0];
    const tips_move move = tips__preprocess_move(&m->model->preprocess, annotation->size);
    s->label[s->count] = annotation->label;
    if (s->outputs && s->task->needs & TIPS_ANNOTATES_MASK) tips__annotation_revalue(annotation, s->outputs);
    else if (s->outputs) tips__annotation_rename(annotation, s->outputs);
    TIPS_TRY(s->task->target(&m->assignment, annotation, &move, &s->target[s->count]));
    return tips__preprocess_canvas(&m->model->preprocess, picture, s->canvas + (size_t)s->count * pixels_of(s));
}

static tips_status load(example_search *s, int first, int count) {
    s->count = 0;
    for (int i = first; i < first + count; i++) {
        tips_annotation annotation;
        tips_image picture;
        tips_status status = tips__dataset_read_annotated(s->set, s->split, i, s->task->needs, &picture, &annotation);
        if (status == TIPS_FORMAT || status == TIPS_IO) continue;
        TIPS_TRY(status);
        status = take_picture(s, &picture, &annotation);
        tips__annotation_clear(&annotation);
        tips__image_free(&picture);
        TIPS_TRY(status);
        s->index[s->count++] = i;
    }
    return TIPS_OK;
}

/* One model's questions: number i is view i % EXAMPLE_VIEWS of picture i / EXAMPLE_VIEWS. */
typedef struct asking {
    example_search *s;
    example_model *m;
} asking;

static void fill(void *context, int64_t i, float *input) {
    const asking *a = context;
    int kind, shift[2];
    tips__example_view((int)(i % EXAMPLE_VIEWS), &kind, shift);
    tips__canvas_to_input(&a->m->model->preprocess, a->s->canvas + (size_t)(i / EXAMPLE_VIEWS) * pixels_of(a->s),
                          shift[0], shift[1], kind == TIPS_CIRCULAR, input);
}

static double share_of(const asking *a, const tips_outputs *outputs, int at) {
    const float *logits = outputs->values[0] + (size_t)at * outputs->floats[0];
    const int classes = a->m->model->info.config.classes;
    if (!(a->s->task->flags & TIPS_TASK_LOGITS)) return NAN;
    tips__softmax(logits, classes, a->s->probabilities);
    return 100 * a->s->probabilities[tips__answer(logits, classes)];
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    const asking *a = context;
    TIPS_TRY(a->s->task->answer(&a->m->assignment, outputs, at, &a->s->answer));
    a->m->shares[i] = share_of(a, outputs, at);
    return tips__pile_add(&a->m->answers, &a->s->answer);
}

static tips_status ask(example_search *s, example_model *m) {
    asking context = {s, m};
    const tips_questions questions = {
        .count = (int64_t)s->count * EXAMPLE_VIEWS, .fill = fill, .take = take, .context = &context};
    tips__pile_empty(&m->answers);
    return tips__answer_all(m->answerer, &questions);
}

tips_status tips__example_look(example_search *s, int first, int count) {
    TIPS_TRY(load(s, first, count));
    for (int i = 0; i < s->n_models; i++) TIPS_TRY(ask(s, &s->models[i]));
    return TIPS_OK;
}
