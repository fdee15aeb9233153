/* From a decoded picture to a network's input. The canvas: grey or colour as wanted, resized as Pillow and torchvision
 * do it, cropped at the centre or padded with black to the input's size, or placed otherwise (image/placement.h). Then
 * shifted, and normalised. */
#include "image/preprocess.h"
#include "core/fail.h"
#include "core/memory.h"
#include "image/resize.h"
#include "image/surround.h"

#include <math.h>
#include <string.h>

static tips_status check(const tips_preprocess *p) {
    if (p->channels != 1 && p->channels != 3)
        TIPS_FAIL(TIPS_INVALID,
                  "the network takes %d channels, and pictures have 1 or 3: it cannot be given pictures; "
                  "'tips predict' takes arrays of %dx%dx%d, as .npy files",
                  p->channels, p->channels, p->height, p->width);
    if (p->height < 1 || p->width < 1 || p->resize < 0)
        TIPS_FAIL(TIPS_RANGE, "an input of %dx%d from pictures resized to %d", p->height, p->width, p->resize);
    for (int k = 0; k < p->channels; k++)
        if (!(p->std[k] > 0)) TIPS_FAIL(TIPS_RANGE, "the deviation of channel %d is %g", k, (double)p->std[k]);
    return TIPS_OK;
}

/* The size before cropping. The longer side is rounded down, as torchvision does, but never below the input's. */
static void target_size(const tips_preprocess *p, const int picture[2], int *height, int *width) {
    const int h = picture[0], w = picture[1], shorter = h < w ? h : w;
    const double tall = (double)p->height / h, wide = (double)p->width / w;
    const double scale = p->resize > 0 ? (double)p->resize / shorter : tall > wide ? tall : wide;
    *height = h;
    *width = w;
    if (p->fit_inside && scale >= 1) return;
    if (p->resize > 0) {
        *height = h == shorter ? p->resize : (int)((double)p->resize * h / shorter);
        *width = w == shorter ? p->resize : (int)((double)p->resize * w / shorter);
        return;
    }
    *height = tall >= wide ? p->height : (int)(scale * h);
    *width = wide >= tall ? p->width : (int)(scale * w);
    if (*height < p->height) *height = p->height;
    if (*width < p->width) *width = p->width;
}

/* Where the picture's first row or column lies on a canvas axis: negative where it is cropped. Halves are rounded to
 * even, as torchvision's centre crop does. */
static int offset(int canvas, int picture) {
    return picture > canvas ? -(int)nearbyint((picture - canvas) / 2.0) : (canvas - picture) / 2;
}

static void follow_placement(const tips_placement *placement, tips_move *move) {
    tips_lay lay;
    tips__placement_lay(placement, move->picture, move->input, &lay);
    for (int i = 0; i < 2; i++) {
        move->resized[i] = lay.size[i], move->offset[i] = lay.offset[i];
        move->scale[i] = lay.scale[i], move->origin[i] = lay.origin[i];
    }
}

tips_move tips__preprocess_move(const tips_preprocess *p, const int picture[2]) {
    tips_move move = {.picture = {picture[0], picture[1]}, .input = {p->height, p->width}};
    if (tips__placement_is_whole(&p->placement)) {
        follow_placement(&p->placement, &move);
        return move;
    }
    target_size(p, picture, &move.resized[0], &move.resized[1]);
    for (int i = 0; i < 2; i++) {
        if (move.resized[i] < 1) move.resized[i] = 1;
        move.offset[i] = offset(move.input[i], move.resized[i]);
    }
    return move;
}

/* Brightness as Pillow computes it. */
static tips_status to_grey(const tips_image *src, tips_image *out) {
    tips_image grey;
    TIPS_TRY(tips__image_allocate("a grey picture", src->w, src->h, 1, &grey));
    for (ptrdiff_t i = 0; i < (ptrdiff_t)src->h * src->w; i++) {
        const uint8_t *rgb = src->pixels + 3 * i;
        grey.pixels[i] = (uint8_t)((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
    }
    *out = grey;
    return TIPS_OK;
}

static void paste(const tips_preprocess *p, const tips_move *move, const tips_image *src, uint8_t *canvas) {
    const tips_surround around = tips__surround_of(p);
    const int top = move->offset[0], left = move->offset[1], c = p->channels;
    tips__canvas_clear(p, canvas);
    for (int y = 0; y < p->height; y++) {
        if (y < top || y - top >= src->h) continue;
        const uint8_t *from = src->pixels + (ptrdiff_t)(y - top) * src->w * src->c;
        const int first = left > 0 ? left : 0, end = left + src->w < p->width ? left + src->w : p->width;
        uint8_t *to = canvas + ((ptrdiff_t)y * p->width + first) * c;
        if (src->c == c) memcpy(to, from + (ptrdiff_t)(first - left) * c, (size_t)(end - first) * (size_t)c);
        else /* grey to every channel */
            for (int x = first; x < end; x++) memset(to + (ptrdiff_t)(x - first) * c, from[x - left], (size_t)c);
        tips__surround_avoid(p, &around, to, end - first);
    }
}

static tips_status resize_and_paste(const tips_preprocess *p, const tips_image *src, const tips_move *move,
                                    uint8_t *canvas) {
    tips_image resized;
    if (move->resized[0] == src->h && move->resized[1] == src->w) {
        paste(p, move, src, canvas);
        return TIPS_OK;
    }
    TIPS_TRY((p->placement.filter == TIPS_FILTER_PLAIN ? tips__resize_plain : tips__resize)(
        src, move->resized[0], move->resized[1], &resized));
    paste(p, move, &resized, canvas);
    tips__image_free(&resized);
    return TIPS_OK;
}

tips_status tips__preprocess_canvas_at(const tips_preprocess *p, const tips_image *picture, const tips_move *move,
                                       uint8_t *canvas) {
    tips_image grey;
    TIPS_TRY(check(p));
    if (picture->c <= p->channels) return resize_and_paste(p, picture, move, canvas);
    TIPS_TRY(to_grey(picture, &grey));
    const tips_status status = resize_and_paste(p, &grey, move, canvas);
    tips__image_free(&grey);
    return status;
}

tips_status tips__preprocess_canvas(const tips_preprocess *p, const tips_image *picture, uint8_t *canvas) {
    TIPS_TRY(check(p));
    const tips_move move = tips__preprocess_move(p, (int[]){picture->h, picture->w});
    return tips__preprocess_canvas_at(p, picture, &move, canvas);
}

static int wrap(int i, int n) {
    i %= n;
    return i < 0 ? i + n : i;
}

/* One channel of one row: bytes `stride` apart. */
static void convert_row(const float *values, const uint8_t *row, int width, int stride, int dx, bool circular,
                        float around, float *out) {
    const int start = wrap(-dx, width);
    if (circular) {
        for (int x = 0; x < width - start; x++) out[x] = values[row[(ptrdiff_t)(x + start) * stride]];
        for (int x = width - start; x < width; x++) out[x] = values[row[(ptrdiff_t)(x + start - width) * stride]];
        return;
    }
    for (int x = 0; x < width; x++)
        out[x] = x - dx >= 0 && x - dx < width ? values[row[(ptrdiff_t)(x - dx) * stride]] : around;
}

/* Where pixel `at` of an axis came from by a shift; -1 where nothing did. */
static int source_of(int at, int shift, int size, bool circular) {
    at -= shift;
    if (circular) return wrap(at, size);
    return at >= 0 && at < size ? at : -1;
}

/* What lies around the picture becomes zero. */
static void clear_surround(const tips_preprocess *p, const tips_surround *around, const uint8_t *canvas,
                           const int shift[2], bool circular, float *out) {
    const ptrdiff_t plane = (ptrdiff_t)p->height * p->width;
    for (int y = 0; y < p->height; y++) {
        const int row = source_of(y, shift[0], p->height, circular);
        for (int x = 0; x < p->width; x++, out++) {
            const int column = source_of(x, shift[1], p->width, circular);
            const bool is_outside = row < 0 || column < 0;
            if (!is_outside &&
                !tips__surround_is(p, around, canvas + ((ptrdiff_t)row * p->width + column) * p->channels))
                continue;
            for (int k = 0; k < p->channels; k++) out[k * plane] = 0;
        }
    }
}

void tips__canvas_to_input(const tips_preprocess *p, const uint8_t *canvas, int dy, int dx, bool circular, float *out) {
    const tips_surround around = tips__surround_of(p);
    float values[256], *first = out;
    for (int k = 0; k < p->channels; k++) {
        const int byte = p->bgr ? p->channels - 1 - k : k;
        for (int v = 0; v < 256; v++) values[v] = ((float)v / 255.0f - p->mean[k]) / p->std[k];
        for (int y = 0; y < p->height; y++, out += p->width) {
            const int from = circular ? wrap(y - dy, p->height) : y - dy;
            if (from >= 0 && from < p->height)
                convert_row(values, canvas + (ptrdiff_t)from * p->width * p->channels + byte, p->width, p->channels, dx,
                            circular, values[around.colour[byte]], out);
            else
                for (int x = 0; x < p->width; x++) out[x] = values[around.colour[byte]];
        }
    }
    if (around.is_zero) clear_surround(p, &around, canvas, (int[]){dy, dx}, circular, first);
}

tips_status tips__preprocess(const tips_preprocess *p, const tips_image *picture, int dy, int dx, bool circular,
                             float *out) {
    uint8_t *canvas;
    TIPS_TRY(check(p));
    TIPS_TRY(tips__new(&canvas, (size_t)p->height * (size_t)p->width * (size_t)p->channels, "a canvas"));
    const tips_status status = tips__preprocess_canvas(p, picture, canvas);
    if (status == TIPS_OK) tips__canvas_to_input(p, canvas, dy, dx, circular, out);
    tips__free(canvas);
    return status;
}
