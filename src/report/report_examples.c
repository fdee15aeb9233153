/* Pictures whose answer a small shift changes under one model and not under another. */
#include "report/report_examples.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { CANDIDATES = 3 }; /* for each example that is wanted */

/* The first view of a kind, from the smallest shift on, that some models flip under and some do not; 0: none. */
static int find_view(const example_search *s, int kind, int slot) {
    for (int i = 0; i < EXAMPLE_SHIFTS; i++) {
        const int view = 1 + kind * EXAMPLE_SHIFTS + i;
        int flipped = 0;
        for (int m = 0; m < s->n_models; m++) flipped += !tips__example_keeps(s, m, view, slot);
        if (flipped > 0 && flipped < s->n_models) return view;
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
    }
    return TIPS_OK;
}

static tips_status fill(const example_search *s, int slot, int view, tips_report_example *e) {
    char name[TIPS_PATH_SIZE];
    tips__example_view(view, &e->kind, e->shift);
    e->size[0] = s->models[0].model.preprocess.height, e->size[1] = s->models[0].model.preprocess.width;
    tips__dataset_item_name(s->set, s->split, s->index[slot], name, sizeof name);
    const char *slash = strrchr(name, '/');
    TIPS_TRY(tips__report_copy(slash ? slash + 1 : name, &e->name));
    if (s->task->needs & TIPS_ANNOTATES_CLASS)
        TIPS_TRY(tips__report_copy(tips__dataset_class_name(s->set, s->label[slot]), &e->label));
    TIPS_TRY(tips__example_picture(s, slot, 0, &e->picture[0]));
    TIPS_TRY(tips__example_picture(s, slot, view, &e->picture[1]));
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
            const int again = repeats(&s->job->data, e);
            if (!best || again < least) best = e, least = again;
        }
    return best;
}

/* Moves the best ones over, both kinds in turn. */
static tips_status choose(example_search *s) {
    tips_report_data *d = &s->job->data;
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

static tips_status search(example_search *s) {
    const int all = tips__dataset_count(s->set, s->split), most = s->job->config->search;
    const int end = most > 0 && most < all ? most : all;
    int first = 0;
    for (; first < end && !is_enough(s); first += EXAMPLE_BATCH) {
        const int count = end - first < EXAMPLE_BATCH ? end - first : EXAMPLE_BATCH;
        TIPS_TRY(tips__example_look(s, first, count));
        TIPS_TRY(keep_found(s));
    }
    s->job->data.searched = first < end ? first : end;
    return choose(s);
}

static tips_status say_none(tips_report_data *d) {
    tips_text text = {0};
    if (d->n_examples > 0 || d->no_examples) return TIPS_OK;
    tips__text_print(&text,
                     "Among the first %d test pictures there is none whose answer a shift of one or two pixels changes "
                     "under one model and not under another.",
                     d->searched);
    d->no_examples = text.data;
    return tips__text_check(&text);
}

static void free_found(example_search *s) {
    tips_report_data rest = {.examples = s->found, .n_examples = s->found ? TIPS_SHIFT_KINDS * 2 * s->room : 0};
    tips__report_free(&rest);
}

tips_status tips__report_examples(report_job *job) {
    example_search s = {.job = job, .wanted = job->config->examples, .room = CANDIDATES * job->config->examples};
    if (s.wanted < 1) return tips__report_copy("No examples were asked for (--examples 0).", &job->data.no_examples);
    tips_status status = tips__example_open(&s, &job->data.no_examples);
    if (status == TIPS_OK && !job->data.no_examples) status = search(&s);
    if (status == TIPS_UNSUPPORTED)
        status = tips__report_copy("There are no examples: this build makes no PNG pictures (it lacks libpng).",
                                   &job->data.no_examples);
    free_found(&s);
    tips__example_close(&s);
    return status == TIPS_OK ? say_none(&job->data) : status;
}
