/* One axis at a time. */
#include "metric/box_shift.h"

#include <math.h>

/* Cuts off what lies beyond 0..size. */
static void cut(double *start, double *length, int size) {
    const double from = fmin(fmax(*start, 0), size), to = fmin(fmax(*start + *length, 0), size);
    if (from == *start && to == *start + *length) return; /* as it was, to the last bit */
    *start = from;
    *length = to - from;
}

void tips__objects_shift(const tips_object *objects, int n, const int shift[2], const int size[2], tips_object *out) {
    for (int i = 0; i < n; i++) {
        tips_object o = objects[i];
        const double before = o.w * o.h;
        o.x += shift[1], o.y += shift[0];
        cut(&o.x, &o.w, size[1]);
        cut(&o.y, &o.h, size[0]);
        if (o.w * o.h < before) o.area *= o.w * o.h / before;
        o.ignore = o.ignore || 2 * o.w * o.h < before;
        out[i] = o;
    }
}

static double wrapped(double start, double length, int size) {
    return start - size * floor((start + length / 2) / size);
}

void tips__detections_unroll(const tips_detection *boxes, int n, const int shift[2], const int size[2],
                             tips_detection *out) {
    for (int i = 0; i < n; i++) {
        tips_detection d = boxes[i];
        d.x = wrapped(d.x - shift[1], d.w, size[1]);
        d.y = wrapped(d.y - shift[0], d.h, size[0]);
        cut(&d.x, &d.w, size[1]);
        cut(&d.y, &d.h, size[0]);
        out[i] = d;
    }
}
