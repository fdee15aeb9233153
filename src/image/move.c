/* Following points, masks and boxes. The axes do not mix, so all of it is done along one axis at a time. */
#include "image/move.h"

#include <assert.h>
#include <math.h>

tips_move tips__move_none(const int size[2]) {
    const int h = size[0], w = size[1];
    return (tips_move){.picture = {h, w}, .resized = {h, w}, .input = {h, w}};
}

double tips__move_scale(const tips_move *move, int axis) {
    return move->scale[axis] > 0 ? move->scale[axis] : (double)move->resized[axis] / move->picture[axis];
}

static double origin(const tips_move *move, int axis) {
    return move->scale[axis] > 0 ? move->origin[axis] : move->offset[axis];
}

static bool is_turned(const tips_move *move, int axis) { return move->flip && axis == 1; }

static double wrap(double at, int size) {
    const double wrapped = at - size * floor(at / size);
    return wrapped < size ? wrapped : 0; /* just below 0 it is rounded up to the size */
}

static bool is_within(double at, int size) { return at >= 0 && at <= size; }

static bool follow_point(const tips_move *move, int axis, double at, double *out) {
    const int size = move->input[axis];
    at = at * tips__move_scale(move, axis) + origin(move, axis);
    bool is_there = is_within(at, size);
    if (is_turned(move, axis)) at = size - at;
    at += move->crop[axis];
    is_there = is_there && is_within(at, size);
    at += move->shift[axis];
    *out = is_there && move->circular ? wrap(at, size) : at;
    return is_there && *out >= 0 && *out < size;
}

bool tips__move_point(const tips_move *move, const double picture[2], double input[2]) {
    const bool in_rows = follow_point(move, 0, picture[0], &input[0]);
    const bool in_columns = follow_point(move, 1, picture[1], &input[1]);
    return in_rows && in_columns;
}

static int wrap_index(int i, int n) {
    i %= n;
    return i < 0 ? i + n : i;
}

int tips__move_source(const tips_move *move, int axis, int at) {
    const int size = move->input[axis], resized = move->resized[axis];
    at -= move->shift[axis];
    if (move->circular) at = wrap_index(at, size);
    if (at < 0 || at >= size) return -1;
    at -= move->crop[axis];
    if (at < 0 || at >= size) return -1;
    if (is_turned(move, axis)) at = size - 1 - at;
    at -= move->offset[axis];
    if (at < 0 || at >= resized) return -1;
    return (int)((2 * (int64_t)at + 1) * move->picture[axis] / (2 * (int64_t)resized));
}

void tips__move_mask(const tips_move *move, const tips_image *mask, uint8_t *out) {
    assert(mask->c == 1 && mask->h == move->picture[0] && mask->w == move->picture[1]);
    for (int y = 0; y < move->input[0]; y++) {
        const int row = tips__move_source(move, 0, y);
        for (int x = 0; x < move->input[1]; x++) {
            const int column = row < 0 ? -1 : tips__move_source(move, 1, x);
            *out++ = column < 0 ? TIPS_MASK_IGNORE : mask->pixels[(ptrdiff_t)row * mask->w + column];
        }
    }
}

int tips__move_target(const tips_move *move, int axis, int at) {
    const int size = move->input[axis];
    at = (int)((2 * (int64_t)at + 1) * move->resized[axis] / (2 * (int64_t)move->picture[axis])) + move->offset[axis];
    if (at < 0 || at >= size) return -1;
    if (is_turned(move, axis)) at = size - 1 - at;
    at += move->crop[axis];
    if (at < 0 || at >= size) return -1;
    at += move->shift[axis];
    if (move->circular) return wrap_index(at, size);
    return at >= 0 && at < size ? at : -1;
}

void tips__move_mask_back(const tips_move *move, const uint8_t *mask, tips_image *out) {
    uint8_t *pixel = out->pixels;
    assert(out->c == 1 && out->h == move->picture[0] && out->w == move->picture[1]);
    for (int y = 0; y < out->h; y++) {
        const int row = tips__move_target(move, 0, y);
        for (int x = 0; x < out->w; x++) {
            const int column = row < 0 ? -1 : tips__move_target(move, 1, x);
            *pixel++ = column < 0 ? TIPS_MASK_IGNORE : mask[(ptrdiff_t)row * move->input[1] + column];
        }
    }
}

static double limit(double at, int size) { return fmin(fmax(at, 0), size); }
static tips_span cut(tips_span s, int size) { return (tips_span){limit(s.low, size), limit(s.high, size)}; }
static tips_span push(tips_span s, double by) { return (tips_span){s.low + by, s.high + by}; }
static tips_span turn(tips_span s, int size) { return (tips_span){size - s.high, size - s.low}; }

static tips_span wrap_span(tips_span s, int size) {
    const double low = wrap(s.low, size);
    return (tips_span){low, low + (s.high - s.low)};
}

tips_span tips__move_span(const tips_move *move, int axis, tips_span s, double *share) {
    const int size = move->input[axis];
    const double scale = tips__move_scale(move, axis), length = scale * (s.high - s.low);
    s = cut((tips_span){scale * s.low + origin(move, axis), scale * s.high + origin(move, axis)}, size);
    if (is_turned(move, axis)) s = turn(s, size);
    s = push(cut(push(s, move->crop[axis]), size), move->shift[axis]);
    s = move->circular ? wrap_span(s, size) : cut(s, size);
    *share = length > 0 ? fmin((s.high - s.low) / length, 1) : 0; /* tiny boxes are rounded */
    return s;
}

tips_span tips__move_span_back(const tips_move *move, int axis, tips_span s) {
    const int size = move->input[axis];
    const double scale = tips__move_scale(move, axis);
    s = push(s, -move->shift[axis]);
    if (move->circular) s = push(s, -size * floor((s.low + s.high) / 2 / size));
    s = push(s, -move->crop[axis]);
    if (is_turned(move, axis)) s = turn(s, size);
    s = push(s, -origin(move, axis));
    return (tips_span){s.low / scale, s.high / scale};
}

void tips__move_boxes(const tips_move *move, const tips_box *boxes, int n, tips_box *out, float *share) {
    const double grown = tips__move_scale(move, 0) * tips__move_scale(move, 1);
    for (int i = 0; i < n; i++) {
        tips_box box = boxes[i];
        double shares[2];
        const tips_span rows = tips__move_span(move, 0, (tips_span){box.top, box.bottom}, &shares[0]);
        const tips_span columns = tips__move_span(move, 1, (tips_span){box.left, box.right}, &shares[1]);
        box.top = rows.low, box.bottom = rows.high;
        box.left = columns.low, box.right = columns.high;
        box.area *= grown * shares[0] * shares[1];
        out[i] = box;
        if (share) share[i] = (float)(shares[0] * shares[1]);
    }
}
