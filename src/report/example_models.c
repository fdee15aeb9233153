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

static tips_bytes answer_at(const example_search *s, int model, int view, int slot) {
    return tips__pile_at(&s->models[model].answers, slot * EXAMPLE_VIEWS + view);
}

/* One answer against another, at the shifts they were given at. */
static tips_agreement compare(const example_search *s, int model, int view, int to, int slot) {
    const tips_bytes a = answer_at(s, model, view, slot), b = answer_at(s, model, to, slot);
    tips_answer_at x = {.answer = &a}, y = {.answer = &b};
    int kind;
    tips__example_view(view, &kind, x.shift);
    tips__example_view(to, &(int){0}, y.shift);
    x.circular = y.circular = kind == TIPS_CIRCULAR;
    return s->task->agree(&s->models[model].model.model.assignment, x, y, &s->target[slot]);
}

tips_agreement tips__example_agree(const example_search *s, int model, int view, int slot) {
    return compare(s, model, view, 0, slot);
}

/* Answers that agree in part never agree wholly: they flip where one would see it. */
bool tips__example_keeps(const example_search *s, int model, int view, int slot) {
    return tips__example_agree(s, model, view, slot).agree >= (s->task->flags & TIPS_TASK_GRADED ? 0.9 : 1);
}

tips_status tips__example_said(const example_search *s, int model, int view, int slot, tips_report_said *said) {
    const example_model *m = &s->models[model];
    const tips_bytes answer = answer_at(s, model, view, slot);
    tips_text text = {0};
    s->task->say(&m->model.model.assignment, &answer, tips__dataset_class_names(s->set), &text);
    said->text = text.data;
    TIPS_TRY(tips__text_check(&text));
    said->share = m->shares[slot * EXAMPLE_VIEWS + view];
    said->right = compare(s, model, view, view, slot).right >= 1;
    return s->task->draw ? tips__example_drawing(s, slot, view, &answer, &said->picture) : TIPS_OK;
}

static tips_status say(char **why, const char *what, const char *more) {
    char text[TIPS_PATH_SIZE + 256];
    snprintf(text, sizeof text, "There are no examples: %s%s.", what, more);
    return tips__report_copy(text, why);
}

static tips_status open_model(example_search *s, const tips_report_run *run) {
    example_model *m = &s->models[s->n_models];
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(run->folder, tips__best_name, path));
    TIPS_TRY(tips__open_logits(path, NULL, &m->model));
    m->open = true;
    s->n_models++;
    m->row = run->row;
    TIPS_TRY(tips__new(&m->shares, EXAMPLE_BATCH * EXAMPLE_VIEWS * sizeof *m->shares, "probabilities"));
    return tips__answerer_create(&m->model.model, m->model.params, EXAMPLE_BATCH, TIPS_ALGORITHM_EXACT, &m->answerer);
}

static bool same_input(const example_model *a, const example_model *b) {
    const tips_preprocess *p = &a->model.preprocess, *q = &b->model.preprocess;
    return p->height == q->height && p->width == q->width && p->channels == q->channels && p->resize == q->resize &&
           p->fit_inside == q->fit_inside && memcmp(&p->placement, &q->placement, sizeof p->placement) == 0 &&
           a->model.info.task.task == b->model.info.task.task &&
           a->model.info.config.classes == b->model.info.config.classes;
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
    const tips_report_data *d = &s->job->data;
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
    return s->n_models < 2 ? say(why, "they compare models, and there is only one", "") : TIPS_OK;
}

static tips_status open_data(example_search *s, int first, char **why) {
    const tips_json_node *options = tips__json_get(s->job->sources[first].config, "options");
    const double val_split = tips__json_get_number(options, "val-split");
    const tips_dataset_options o = {.classes_limit = tips__json_get_int(options, "classes-limit", 0),
                                    .val_split = val_split > 0 ? val_split : 0,
                                    .skip_bad = true,
                                    .seed = (uint64_t)s->job->data.runs[first].seed};
    const tips_status status = tips__dataset_open(tips__json_get_text(options, "data", NULL), &o, &s->set);
    if (status == TIPS_MEMORY) return status;
    if (status != TIPS_OK) return say(why, "the data cannot be opened: ", tips_last_error());
    s->split = tips__dataset_count(s->set, TIPS_SPLIT_TEST) > 0 ? TIPS_SPLIT_TEST : TIPS_SPLIT_VAL;
    s->task = s->models[0].model.info.task.task;
    if (tips__dataset_require(s->set, s->task->needs) != TIPS_OK) return say(why, tips_last_error(), "");
    if (tips__task_data_classes(s->task, s->set) != s->models[0].model.info.config.classes)
        return say(why, "the data have another number of classes than the models", "");
    return TIPS_OK;
}

static size_t pixels_of(const example_search *s) {
    const tips_preprocess *p = &s->models[0].model.preprocess;
    return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

static tips_status allocate(example_search *s) {
    const size_t classes = (size_t)s->models[0].model.info.config.classes;
    TIPS_TRY(tips__new_zero(&s->canvas, EXAMPLE_BATCH * pixels_of(s), "pictures"));
    TIPS_TRY(tips__new(&s->probabilities, classes * sizeof *s->probabilities, "probabilities"));
    return tips__new_zero(&s->found, TIPS_SHIFT_KINDS * 2 * (size_t)s->room * sizeof *s->found, "examples");
}

tips_status tips__example_open(example_search *s, char **why) {
    int first = 0;
    TIPS_TRY(open_models(s, &first, why));
    if (*why) return TIPS_OK;
    TIPS_TRY(open_data(s, first, why));
    return *why ? TIPS_OK : allocate(s);
}

static void close_model(example_model *m) {
    tips__answerer_destroy(m->answerer);
    tips__pile_clear(&m->answers);
    tips__free(m->shares);
    if (m->open) tips__loaded_model_destroy(&m->model);
}

void tips__example_close(example_search *s) {
    for (int i = 0; i < s->n_models; i++) close_model(&s->models[i]);
    for (int i = 0; i < EXAMPLE_BATCH; i++) tips__bytes_clear(&s->target[i]);
    tips__bytes_clear(&s->answer);
    tips__dataset_close(s->set);
    tips__free(s->models);
    tips__free(s->canvas);
    tips__free(s->probabilities);
}

static tips_status take_picture(example_search *s, const tips_image *picture, const tips_annotation *annotation) {
    const example_model *m = &s->models[0];
    const tips_move move = tips__preprocess_move(&m->model.preprocess, annotation->size);
    s->label[s->count] = annotation->label;
    TIPS_TRY(s->task->target(&m->model.model.assignment, annotation, &move, &s->target[s->count]));
    return tips__preprocess_canvas(&m->model.preprocess, picture, s->canvas + (size_t)s->count * pixels_of(s));
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
    tips__canvas_to_input(&a->m->model.preprocess, a->s->canvas + (size_t)(i / EXAMPLE_VIEWS) * pixels_of(a->s),
                          shift[0], shift[1], kind == TIPS_CIRCULAR, input);
}

static double share_of(const asking *a, const tips_outputs *outputs, int at) {
    const float *logits = outputs->values[0] + (size_t)at * outputs->floats[0];
    const int classes = a->m->model.info.config.classes;
    if (!(a->s->task->flags & TIPS_TASK_LOGITS)) return NAN;
    tips__softmax(logits, classes, a->s->probabilities);
    return 100 * a->s->probabilities[tips__answer(logits, classes)];
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    const asking *a = context;
    TIPS_TRY(a->s->task->answer(&a->m->model.model.assignment, outputs, at, &a->s->answer));
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
