/* Bilinear resizing without antialiasing, as PyTorch's interpolate has it: of the four pixels nearest to the middle of
 * each, in single precision, rounded to bytes at the end. */
#include "image/resize.h"

#include "core/fail.h"
#include "core/memory.h"

/* Between which two pixels of an axis a position lies, and how near it is to the second. */
typedef struct between {
    int first, second;
    float share;
} between;

static tips_status find_places(int in, int out, between **places) {
    const float scale = (float)in / (float)out;
    TIPS_TRY(tips__new(places, (size_t)out * sizeof **places, "resizing"));
    for (int i = 0; i < out; i++) {
        float at = scale * ((float)i + 0.5f) - 0.5f;
        if (at < 0) at = 0;
        int first = (int)at;
        if (first > in - 1) first = in - 1;
        (*places)[i] = (between){first, first + (first < in - 1), at - (float)first};
    }
    return TIPS_OK;
}

static float mix(float a, float b, float share) { return (1 - share) * a + share * b; }

static void make_row(const tips_image *src, const between *row, const between *columns, int width, uint8_t *out) {
    const int c = src->c;
    const uint8_t *above = src->pixels + (ptrdiff_t)row->first * src->w * c;
    const uint8_t *below = src->pixels + (ptrdiff_t)row->second * src->w * c;
    for (int x = 0; x < width; x++) {
        const ptrdiff_t left = (ptrdiff_t)columns[x].first * c, right = (ptrdiff_t)columns[x].second * c;
        for (int k = 0; k < c; k++) {
            const float top = mix(above[left + k], above[right + k], columns[x].share);
            const float bottom = mix(below[left + k], below[right + k], columns[x].share);
            *out++ = (uint8_t)(mix(top, bottom, row->share) + 0.5f);
        }
    }
}

tips_status tips__resize_plain(const tips_image *src, int height, int width, tips_image *out) {
    between *rows, *columns = NULL;
    tips_image image = {0};
    TIPS_TRY(find_places(src->h, height, &rows));
    tips_status status = find_places(src->w, width, &columns);
    if (status == TIPS_OK) status = tips__image_allocate("a resized picture", width, height, src->c, &image);
    for (int y = 0; y < height && status == TIPS_OK; y++)
        make_row(src, &rows[y], columns, width, image.pixels + (ptrdiff_t)y * width * src->c);
    tips__free(rows);
    tips__free(columns);
    if (status == TIPS_OK) *out = image;
    return status;
}
