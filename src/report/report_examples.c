/* Pictures whose answer a small shift changes under one model and not under another; of one model, those it changes. */
#include "report/report_examples.h"
#include "task/detect.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 3 }; /* for each example that is wanted */

/* The first view of a kind, from the smallest shift on, that some models flip under and some do not, if there are
 * several; 0: none. */
static int find_view(const example_search *s, int kind, int slot) {
    for (int i = 0; i < EXAMPLE_SHIFTS; i++) {
        const int view = 1 + kind * EXAMPLE_SHIFTS + i;
        int flipped = 0;
        for (int m = 0; m < s->n_models; m++) flipped += !tips__example_keeps(s, m, view, slot);
        if (flipped > 0 && (flipped < s->n_models || s->n_models == 1)) return view;
    }
    return 0;
}

static bool all_right_before(const example_search *s, int slot) {
    for (int m = 0; m < s->n_models; m++)
        if (tips__example_agree(s, m, 0, slot).right < 1) return false;
    return true;
}

static tips_status add_answers(const example_search *s, int slot, int view, tips_report_example *e) {
    TIPS_TRY(tips__new_zero(&e->answers, (size_t)s->n_models * sizeof *e->answers, "answers"));
    for (int m = 0; m < s->n_models; m++) {
        tips_report_answer *a = &e->answers[e->n_answers++];
        a->row = s->models[m].row;
        a->agree = tips__example_agree(s, m, view, slot).agree;
        a->keeps = tips__example_keeps(s, m, view, slot);
        TIPS_TRY(tips__example_said(s, m, 0, slot, &a->before));
        TIPS_TRY(tips__example_said(s, m, view, slot, &a->after));
        TIPS_TRY(tips__example_difference(s, m, slot, view, &a->difference));
    }
    return TIPS_OK;
}

static tips_status fill(const example_search *s, int slot, int view, tips_report_example *e) {
    char name[TIPS_PATH_SIZE];
    tips__example_view(view, &e->kind, e->shift);
    e->size[0] = s->models[0].model->preprocess.height, e->size[1] = s->models[0].model->preprocess.width;
    tips__dataset_item_name(s->set, s->split, s->index[slot], name, sizeof name);
    const char *slash = strrchr(name, '/');
    TIPS_TRY(tips__report_copy(slash ? slash + 1 : name, &e->name));
    if (s->task->needs & TIPS_ANNOTATES_CLASS)
        TIPS_TRY(tips__report_copy(tips__dataset_class_name(s->set, s->label[slot]), &e->label));
    TIPS_TRY(tips__example_picture(s, slot, 0, &e->picture[0]));
    TIPS_TRY(tips__example_picture(s, slot, view, &e->picture[1]));
    TIPS_TRY(tips__example_truth(s, slot, &e->truth));
    return add_answers(s, slot, view, e);
}

static tips_report_example *place_of(const example_search *s, int kind, int rank, int i) {
    return s->found + (kind * 2 + rank) * s->room + i;
}

static tips_status keep_found(example_search *s) {
    for (int slot = 0; slot < s->count; slot++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
            const int view = find_view(s, kind, slot), rank = all_right_before(s, slot) ? 0 : 1;
            if (view == 0 || s->n_found[kind][rank] == s->room) continue;
            TIPS_TRY(fill(s, slot, view, place_of(s, kind, rank, s->n_found[kind][rank]++)));
        }
    return TIPS_OK;
}

static bool is_enough(const example_search *s) { return s->n_found[0][0] == s->room && s->n_found[1][0] == s->room; }

/* Which models flip, as bits. */
static unsigned flips_of(const tips_report_example *e) {
    unsigned bits = 0;
    for (int i = 0; i < e->n_answers; i++) bits |= (unsigned)!e->answers[i].keeps << i;
    return bits;
}

/* How little an example says that those chosen before do not: the same picture, the same models, the same shift. */
static int repeats(const tips_report_data *d, const tips_report_example *e) {
    int most = 0;
    for (int i = 0; i < d->n_examples; i++) {
        const tips_report_example *other = &d->examples[i];
        const int same = 4 * (strcmp(other->name, e->name) == 0) + 2 * (flips_of(other) == flips_of(e)) +
                         (memcmp(other->shift, e->shift, sizeof e->shift) == 0);
        if (same > most) most = same;
    }
    return most;
}

/* Of those that are left: right ones before wrong ones, then the one that repeats least, then the first. */
static tips_report_example *next_of(example_search *s, int kind) {
    tips_report_example *best = NULL;
    int least = 0;
    for (int rank = 0; rank < 2 && !best; rank++)
        for (int i = 0; i < s->n_found[kind][rank]; i++) {
            tips_report_example *e = place_of(s, kind, rank, i);
            if (!e->name) continue;
            const int again = repeats(s->data, e);
            if (!best || again < least) best = e, least = again;
        }
    return best;
}

/* Moves the best ones over, both kinds in turn. */
static tips_status choose(example_search *s) {
    tips_report_data *d = s->data;
    TIPS_TRY(tips__new_zero(&d->examples, (size_t)s->wanted * sizeof *d->examples, "examples"));
    for (int kind = 0, none = 0; d->n_examples < s->wanted && none < TIPS_SHIFT_KINDS;
         kind = (kind + 1) % TIPS_SHIFT_KINDS) {
        tips_report_example *e = next_of(s, kind);
        none = e ? 0 : none + 1;
        if (!e) continue;
        d->examples[d->n_examples++] = *e;
        *e = (tips_report_example){0};
    }
    return TIPS_OK;
}

/* How much there is to see in a view: how little the answers agree with those before, and how far models are apart. */
static double interest(const example_search *s, int view, int slot) {
    double least = 1, most = 0;
    for (int m = 0; m < s->n_models; m++) {
        const double agree = tips__example_agree(s, m, view, slot).agree;
        least = fmin(least, agree), most = fmax(most, agree);
    }
    return 1 - least + most - least;
}

/* Of answers that agree in part. A standard shift is shown also where it changes nothing. */
static tips_status choose_graded(example_search *s) {
    tips_report_data *d = s->data;
    bool used[EXAMPLE_BATCH] = {false};
    TIPS_TRY(tips__new_zero(&d->examples, (size_t)s->wanted * sizeof *d->examples, "examples"));
    for (int turn = 0, none = 0; d->n_examples < s->wanted && none < TIPS_SHIFT_KINDS; turn++) {
        const int kind = turn % TIPS_SHIFT_KINDS;
        int best = -1, best_view = 0;
        double most = kind == TIPS_STANDARD ? -1 : 0;
        for (int slot = 0; slot < s->count; slot++)
            for (int i = 0; i < EXAMPLE_SHIFTS && !used[slot]; i++) {
                const int view = 1 + kind * EXAMPLE_SHIFTS + i;
                const double here = interest(s, view, slot);
                if (here > most) most = here, best = slot, best_view = view;
            }
        none = best < 0 ? none + 1 : 0;
        if (best < 0) continue;
        used[best] = true;
        TIPS_TRY(fill(s, best, best_view, &d->examples[d->n_examples++]));
    }
    return TIPS_OK;
}

/* The colours of drawings. */
static tips_status take_legend(const example_search *s) {
    tips_report_data *d = s->data;
    const int classes = s->models[0].assignment.classes;
    if (!(s->task->flags & (TIPS_TASK_MASK | TIPS_TASK_BOXES))) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&d->classes, (size_t)classes * sizeof *d->classes, "the classes"));
    d->boxes = s->task->flags & TIPS_TASK_BOXES;
    for (int i = d->boxes ? 0 : s->models[0].assignment.first_drawn; i < classes; i++) {
        tips_report_class *c = &d->classes[d->n_classes++];
        memcpy(c->rgb, s->models[0].colours.rgb[i], sizeof c->rgb);
        if (d->boxes) tips__detect_colour(i, c->rgb);
        TIPS_TRY(tips__report_copy(s->names[i], &c->name));
    }
    return TIPS_OK;
}

static int pictures_of(const example_search *s) {
    const int all = tips__dataset_count(s->set, s->split);
    return s->most > 0 && s->most < all ? s->most : all;
}

static tips_status search_graded(example_search *s) {
    const int all = pictures_of(s);
    TIPS_TRY(tips__example_look(s, 0, all < EXAMPLE_FEW ? all : EXAMPLE_FEW));
    s->data->searched = s->count;
    s->data->graded = true;
    TIPS_TRY(take_legend(s));
    return choose_graded(s);
}

static tips_status search(example_search *s) {
    const int end = pictures_of(s);
    int first = 0;
    if (tips__example_is_graded(s)) return search_graded(s);
    for (; first < end && !is_enough(s); first += EXAMPLE_BATCH) {
        const int count = end - first < EXAMPLE_BATCH ? end - first : EXAMPLE_BATCH;
        TIPS_TRY(tips__example_look(s, first, count));
        TIPS_TRY(keep_found(s));
    }
    s->data->searched = first < end ? first : end;
    return choose(s);
}

static tips_status say_none(tips_report_data *d) {
    tips_text text = {0};
    if (d->n_examples > 0 || d->no_examples) return TIPS_OK;
    tips__text_print(&text,
                     "Among the first %d pictures there is none whose answer a shift of one or two pixels changes%s.",
                     d->searched, d->n_rows > 1 ? " under one model and not under another" : "");
    d->no_examples = text.data;
    return tips__text_check(&text);
}

static void free_found(example_search *s) {
    tips_report_data rest = {.examples = s->found, .n_examples = s->found ? TIPS_SHIFT_KINDS * 2 * s->room : 0};
    tips__report_free(&rest);
}

static tips_status say_no_png(tips_report_data *d) {
    tips_report_data begun = {.examples = d->examples, .n_examples = d->n_examples};
    tips__report_free(&begun);
    d->examples = NULL;
    d->n_examples = 0;
    return tips__report_copy("There are no examples: this build makes no PNG pictures (it lacks libpng).",
                             &d->no_examples);
}

/* What is open is closed, whatever came of it. */
static tips_status conclude(example_search *s, tips_status status) {
    tips_report_data *d = s->data;
    if (status == TIPS_OK && !d->no_examples) status = search(s);
    if (status == TIPS_UNSUPPORTED) status = say_no_png(d);
    free_found(s);
    tips__example_close(s);
    return status == TIPS_OK ? say_none(d) : status;
}

tips_status tips__report_examples(report_job *job) {
    example_search s = {.data = &job->data,
                        .most = job->config->search,
                        .wanted = job->config->examples,
                        .room = CANDIDATES * job->config->examples};
    if (s.wanted < 1) return tips__report_copy("No examples were asked for (--examples 0).", &job->data.no_examples);
    return conclude(&s, tips__example_open(&s, job, &job->data.no_examples));
}

tips_status tips__report_examples_of(const tips_report_subject *subject, tips_report_data *data) {
    example_search s = {.data = data,
                        .set = subject->set,
                        .split = subject->split,
                        .most = subject->search,
                        .wanted = subject->wanted,
                        .room = CANDIDATES * subject->wanted};
    return conclude(&s, tips__example_take(&s, subject));
}
