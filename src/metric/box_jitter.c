/* Pairs of boxes, without any memory: each looks for its best anew. */
#include "metric/box_jitter.h"

#include "metric/box_iou.h"

#include <math.h>
#include <stddef.h>

enum { NONE = -1 };

/* Where the picture lies unshifted. */
static tips_frame put_back(const tips_boxes_at *view, const tips_detection *box) {
    return (tips_frame){box->x - view->shift[1], box->y - view->shift[0], box->w, box->h};
}

/* Moved by whole turns, so that its centre is nearest to that of the other. */
static tips_frame nearest(tips_frame box, tips_frame to, const int size[2]) {
    box.x += size[1] * rint((to.x + to.w / 2 - box.x - box.w / 2) / size[1]);
    box.y += size[0] * rint((to.y + to.h / 2 - box.y - box.h / 2) / size[0]);
    return box;
}

static tips_frame beside(const tips_jitter_rule *rule, tips_frame box, tips_frame to, bool circular) {
    return circular ? nearest(box, to, rule->size) : box;
}

/* Both views, and what they have in common. */
typedef struct both {
    const tips_jitter_rule *rule;
    const tips_boxes_at *views[2];
    bool circular;
    double low[2], high[2]; /* rows and columns that both show; infinite where nothing is cut off */
} both;

static both look_at(const tips_jitter_rule *rule, const tips_boxes_at *x, const tips_boxes_at *y) {
    both b = {.rule = rule, .views = {x, y}, .circular = x->circular || y->circular};
    for (int axis = 0; axis < 2; axis++) {
        b.low[axis] = -INFINITY, b.high[axis] = INFINITY;
        for (int v = 0; v < 2 && !b.circular; v++) {
            const int shift = b.views[v]->shift[axis];
            if (shift < 0) b.low[axis] = fmax(b.low[axis], -shift);
            if (shift > 0) b.high[axis] = fmin(b.high[axis], rule->size[axis] - shift);
            if (shift > 0 && rule->scene) b.low[axis] = fmax(b.low[axis], 0);
            if (shift < 0 && rule->scene) b.high[axis] = fmin(b.high[axis], rule->size[axis]);
        }
    }
    return b;
}

static bool is_held(const both *b, tips_frame box, double spare) {
    return box.y >= b->low[0] + spare && box.y + box.h <= b->high[0] - spare && box.x >= b->low[1] + spare &&
           box.x + box.w <= b->high[1] - spare;
}

static bool is_shown(const both *b, const tips_detection *box) { return box->score >= b->rule->shown; }

static double iou_of(const both *b, tips_frame box, tips_frame to) {
    return tips__box_iou(beside(b->rule, box, to, b->circular), to, false);
}

/* The best box of a view for a place, of those that are shown or of the others; NONE if there is none. */
static int best_in(const both *b, int view, tips_frame place, int32_t label, bool shown) {
    const tips_boxes_at *v = b->views[view];
    double most = b->rule->same;
    int best = NONE;
    for (int i = 0; i < v->n; i++) {
        if (v->boxes[i].label != label || is_shown(b, &v->boxes[i]) != shown) continue;
        const double iou = iou_of(b, put_back(v, &v->boxes[i]), place);
        if (best == NONE ? iou >= most : iou > most) most = iou, best = i;
    }
    return best;
}

/* The other half of a pair. */
static int partner_of(const both *b, int view, int i) {
    const tips_detection *box = &b->views[view]->boxes[i];
    const int other = best_in(b, 1 - view, put_back(b->views[view], box), box->label, true);
    if (other == NONE) return NONE;
    const tips_detection *found = &b->views[1 - view]->boxes[other];
    return best_in(b, view, put_back(b->views[1 - view], found), found->label, true) == i ? other : NONE;
}

static void add_pair(const both *b, const tips_detection *x, const tips_detection *y, tips_jitter *j) {
    const tips_frame p = put_back(b->views[0], x), q = beside(b->rule, put_back(b->views[1], y), p, b->circular);
    if (!is_held(b, p, 1) || !is_held(b, q, 1)) return;
    const double left = q.x - p.x, top = q.y - p.y, right = left + (q.w - p.w), bottom = top + (q.h - p.h);
    j->pairs++;
    j->edges += (fabs(left) + fabs(top) + fabs(right) + fabs(bottom)) / 4;
    j->centres += hypot((left + right) / 2, (top + bottom) / 2);
    j->apart += 1 - tips__box_iou(p, q, false);
    j->scored++;
    j->scores += fabs(x->score - y->score);
}

static void add_lone(const both *b, int view, const tips_detection *box, tips_jitter *j) {
    const tips_frame place = put_back(b->views[view], box);
    if (!is_held(b, place, 1)) return;
    j->lone++;
    const int faint = best_in(b, 1 - view, place, box->label, false);
    if (faint == NONE) return;
    j->scored++;
    j->scores += fabs(box->score - b->views[1 - view]->boxes[faint].score);
}

tips_jitter tips__box_jitter(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y) {
    const both b = look_at(rule, &x, &y);
    tips_jitter j = {0};
    for (int view = 0; view < 2; view++)
        for (int i = 0; i < b.views[view]->n; i++) {
            const tips_detection *box = &b.views[view]->boxes[i];
            if (!is_shown(&b, box)) continue;
            const int other = partner_of(&b, view, i);
            if (other == NONE) add_lone(&b, view, box, &j);
            else if (view == 0) add_pair(&b, box, &y.boxes[other], &j);
        }
    return j;
}

int tips__box_partner(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y, int i) {
    const both b = look_at(rule, &x, &y);
    return is_shown(&b, &x.boxes[i]) ? partner_of(&b, 0, i) : NONE;
}

void tips__jitter_add(tips_jitter *sum, const tips_jitter *one) {
    sum->pairs += one->pairs;
    sum->edges += one->edges;
    sum->centres += one->centres;
    sum->apart += one->apart;
    sum->lone += one->lone;
    sum->scored += one->scored;
    sum->scores += one->scores;
}

static double share(double part, double of) { return of > 0 ? part / of : NAN; }

double tips__jitter_edges(const tips_jitter *j) { return share(j->edges, j->pairs); }
double tips__jitter_centres(const tips_jitter *j) { return share(j->centres, j->pairs); }
double tips__jitter_apart(const tips_jitter *j) { return share(j->apart, j->pairs); }
double tips__jitter_scores(const tips_jitter *j) { return share(j->scores, j->scored); }
double tips__jitter_vanishing(const tips_jitter *j) { return share(j->lone, j->lone + 2 * j->pairs); }

static bool is_found(const both *b, const tips_object *object) {
    const tips_frame place = TIPS_FRAME(object);
    return best_in(b, 0, place, object->label, true) != NONE && best_in(b, 1, place, object->label, true) != NONE;
}

tips_agreement tips__boxes_agree(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y,
                                 const tips_object *objects, int n) {
    const both b = look_at(rule, &x, &y);
    const tips_jitter j = tips__box_jitter(rule, x, y);
    const double lone = tips__jitter_vanishing(&j), agree = isnan(lone) ? 1 : 1 - lone;
    double found = 0, there = 0;
    if (!objects) return (tips_agreement){agree, 0};
    for (int i = 0; i < n; i++) {
        if (objects[i].crowd || objects[i].ignore || !is_held(&b, TIPS_FRAME(&objects[i]), 0)) continue;
        there++;
        found += is_found(&b, &objects[i]);
    }
    return (tips_agreement){agree, there > 0 ? found / there : agree};
}
