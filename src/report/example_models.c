/* Opening the models of the rows and the data they were tested on, and their answers to shifted pictures. */
#include "report/report_examples.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "model/open_logits.h"

#include <stdio.h>
#include <string.h>

enum { MOST_MODELS = 12 };

void tips__example_view(int view, int *kind, int shift[2]) {
    static const int shifts[EXAMPLE_SHIFTS][2] = {{0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {2, 2}};
    *kind = view == 0 ? TIPS_STANDARD : (view - 1) / EXAMPLE_SHIFTS;
    for (int axis = 0; axis < 2; axis++) shift[axis] = view == 0 ? 0 : shifts[(view - 1) % EXAMPLE_SHIFTS][axis];
}

example_answer *tips__example_answer(const example_search *s, int model, int view, int slot) {
    return s->answers + ((size_t)model * EXAMPLE_VIEWS + (size_t)view) * EXAMPLE_BATCH + slot;
}

static tips_status say(char **why, const char *what, const char *more) {
    char text[TIPS_PATH_SIZE + 256];
    snprintf(text, sizeof text, "There are no examples: %s%s.", what, more);
    return tips__report_copy(text, why);
}

static tips_status open_model(example_search *s, const tips_report_run *run) {
    const tips_net_options net = {.n = EXAMPLE_BATCH, .algorithm = TIPS_ALGORITHM_EXACT};
    example_model *m = &s->models[s->n_models];
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(run->folder, tips__best_name, path));
    TIPS_TRY(tips__open_logits(path, NULL, &m->model));
    m->open = true;
    s->n_models++;
    m->row = run->row;
    return tips__net_compile(m->model.model.graph, m->model.params, &net, &m->net);
}

static bool same_input(const example_model *a, const example_model *b) {
    const tips_preprocess *p = &a->model.preprocess, *q = &b->model.preprocess;
    return p->height == q->height && p->width == q->width && p->channels == q->channels && p->resize == q->resize &&
           p->fit_inside == q->fit_inside && a->model.info.config.classes == b->model.info.config.classes;
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
    if (tips__dataset_classes(s->set) != s->models[0].model.info.config.classes)
        return say(why, "the data have another number of classes than the models", "");
    return TIPS_OK;
}

static tips_status allocate(example_search *s) {
    const tips_arch_config *c = &s->models[0].model.info.config;
    const size_t elements = (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1] * EXAMPLE_BATCH;
    TIPS_TRY(tips__new(&s->input, elements * sizeof *s->input, "inputs"));
    TIPS_TRY(tips__new_zero(&s->canvas, elements, "pictures"));
    TIPS_TRY(tips__new(&s->scores, (size_t)c->classes * EXAMPLE_BATCH * sizeof *s->scores, "scores"));
    TIPS_TRY(tips__new(&s->shares, (size_t)c->classes * sizeof *s->shares, "probabilities"));
    TIPS_TRY(tips__new_zero(&s->found, TIPS_SHIFT_KINDS * 2 * (size_t)s->wanted * sizeof *s->found, "examples"));
    return tips__new_zero(&s->answers, (size_t)s->n_models * EXAMPLE_VIEWS * EXAMPLE_BATCH * sizeof *s->answers,
                          "answers");
}

tips_status tips__example_open(example_search *s, char **why) {
    int first = 0;
    TIPS_TRY(open_models(s, &first, why));
    if (*why) return TIPS_OK;
    TIPS_TRY(open_data(s, first, why));
    return *why ? TIPS_OK : allocate(s);
}

void tips__example_close(example_search *s) {
    for (int i = 0; i < s->n_models; i++) {
        tips__net_destroy(s->models[i].net);
        if (s->models[i].open) tips__loaded_model_destroy(&s->models[i].model);
    }
    tips__dataset_close(s->set);
    tips__free(s->models);
    tips__free(s->input);
    tips__free(s->canvas);
    tips__free(s->scores);
    tips__free(s->shares);
    tips__free(s->answers);
}

static size_t pixels_of(const example_search *s) {
    const tips_preprocess *p = &s->models[0].model.preprocess;
    return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

static tips_status load(example_search *s, int first, int count) {
    s->count = 0;
    for (int i = first; i < first + count; i++) {
        tips_image picture;
        tips_status status = tips__dataset_read(s->set, s->split, i, &picture, &s->label[s->count]);
        if (status == TIPS_FORMAT || status == TIPS_IO) continue;
        TIPS_TRY(status);
        status = tips__preprocess_canvas(&s->models[0].model.preprocess, &picture,
                                         s->canvas + (size_t)s->count * pixels_of(s));
        tips__image_free(&picture);
        TIPS_TRY(status);
        s->index[s->count++] = i;
    }
    return TIPS_OK;
}

static tips_status answer(example_search *s, int index, int view) {
    example_model *m = &s->models[index];
    const int classes = m->model.info.config.classes;
    const size_t pixels = pixels_of(s);
    int kind, shift[2];
    tips__example_view(view, &kind, shift);
    memset(s->input, 0, EXAMPLE_BATCH * pixels * sizeof *s->input);
    for (int i = 0; i < s->count; i++)
        tips__canvas_to_input(&m->model.preprocess, s->canvas + (size_t)i * pixels, shift[0], shift[1],
                              kind == TIPS_CIRCULAR, s->input + (size_t)i * pixels);
    TIPS_TRY(tips__net_set_map(m->net, m->model.model.ends.input, s->input));
    TIPS_TRY(tips__net_forward(m->net));
    TIPS_TRY(tips__net_get_map(m->net, m->model.model.ends.outputs[0], s->scores));
    for (int i = 0; i < s->count; i++) {
        const float *scores = s->scores + (size_t)i * (size_t)classes;
        example_answer *a = tips__example_answer(s, index, view, i);
        a->class_index = tips__answer(scores, classes);
        tips__softmax(scores, classes, s->shares);
        a->share = 100 * s->shares[a->class_index];
    }
    return TIPS_OK;
}

tips_status tips__example_look(example_search *s, int first, int count) {
    TIPS_TRY(load(s, first, count));
    for (int m = 0; m < s->n_models; m++)
        for (int view = 0; view < EXAMPLE_VIEWS; view++) TIPS_TRY(answer(s, m, view));
    return TIPS_OK;
}
