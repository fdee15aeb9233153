/* One axis at a time. */
#include "metric/box_shift.h"

#include "metric/moved_objects.h"

#include <math.h>

/* Where the canvas lies on the picture while it is shifted by so much. */
static tips_span canvas_on_picture(const tips_box_view *view, int axis, int shift) {
    return tips__move_span_back(view->move, axis, (tips_span){-shift, view->size[axis] - shift});
}

/* A span of the picture without what the shift pushed over the border: what a crop had left out before stays. */
static tips_span without_lost(const tips_box_view *view, int axis, tips_span s) {
    const int shift = view->shift[axis];
    if (shift == 0 || view->circular) return s;
    const tips_span before = canvas_on_picture(view, axis, 0), after = canvas_on_picture(view, axis, shift);
    if (shift > 0) s.high -= fmax(fmin(s.high, before.high) - fmax(s.low, after.high), 0);
    else s.low += fmax(fmin(s.high, after.low) - fmax(s.low, before.low), 0);
    return s;
}

static void cut(const tips_box_view *view, int axis, double *start, double *length) {
    const tips_span whole = {*start, *start + *length}, left = without_lost(view, axis, whole);
    if (left.low == whole.low && left.high == whole.high) return; /* as it was, to the last bit */
    *start = left.low;
    *length = left.high - left.low;
}

void tips__objects_in_view(const tips_box_view *view, const tips_object *objects, int n, tips_object *out) {
    for (int i = 0; i < n; i++) {
        tips_object o = objects[i];
        const double before = o.w * o.h;
        cut(view, 0, &o.y, &o.h);
        cut(view, 1, &o.x, &o.w);
        if (o.w * o.h < before) o.area *= o.w * o.h / before;
        o.ignore = o.ignore || 2 * o.w * o.h < before;
        out[i] = o;
    }
}

static void limit(tips_span to, double *start, double *length) {
    const double from = fmin(fmax(*start, to.low), to.high), end = fmin(fmax(*start + *length, to.low), to.high);
    if (from == *start && end == *start + *length) return;
    *start = from;
    *length = end - from;
}

int tips__detections_in_view(const tips_box_view *view, const tips_detection *found, int n, tips_detection *out) {
    tips_move move = *view->move;
    int kept = 0;
    move.circular = view->circular && (view->shift[0] != 0 || view->shift[1] != 0);
    for (int i = 0; i < 2; i++) move.shift[i] += view->shift[i];
    n = tips__detections_on_picture(&move, found, n, out);
    const tips_span rows = without_lost(view, 0, (tips_span){0, move.picture[0]});
    const tips_span columns = without_lost(view, 1, (tips_span){0, move.picture[1]});
    for (int i = 0; i < n; i++) {
        tips_detection d = out[i];
        limit(rows, &d.y, &d.h);
        limit(columns, &d.x, &d.w);
        if (d.w > 0 && d.h > 0) out[kept++] = d;
    }
    return kept;
}
