/* How families of detectors fit pictures: the rules of those who trained them, a row each. They differ in the precision
 * of the factor, in how sizes and margins are rounded, and in what takes boxes back, by up to a pixel of the input. */
#include "image/placement.h"

#include <math.h>

const char *const tips__letterbox_names[] = {"torchvision", "yolox", "yolov5", "ultralytics", "nanodet", NULL};

/* What an axis of a picture of `from` pixels has to do with `to` pixels of the input. */
typedef struct axis {
    int from, to, size; /* size: of the picture once it is resized */
    double factor;
} axis;

typedef struct rule {
    double (*factor)(const tips_placement *placement, const int picture[2], const int input[2]);
    double (*size)(double length);
    int (*margin)(int room);         /* before a picture in the middle, of all that is left */
    double (*scale)(const axis *a);  /* of boxes */
    double (*origin)(const axis *a); /* of boxes of a picture in the middle; NULL: that of the pixels */
} rule;

/* In single precision and by reciprocals: 427 rows become 799 by a bound of 800. */
static double single_factor(const tips_placement *placement, const int picture[2], const int input[2]) {
    const float h = (float)picture[0], w = (float)picture[1];
    const float bound = fminf(1 / fminf(h, w) * (float)placement->fit[0], 1 / fmaxf(h, w) * (float)placement->fit[1]);
    return (double)fminf(bound, fminf((float)input[0] / h, (float)input[1] / w));
}

static double double_factor(const tips_placement *placement, const int picture[2], const int input[2]) {
    const double h = picture[0], w = picture[1];
    const double bound = fmin(placement->fit[0] / fmin(h, w), placement->fit[1] / fmax(h, w));
    return fmin(bound, fmin(input[0] / h, input[1] / w));
}

/* Halves to even, as Python's round has it. */
static int half_down(int room) { return (int)nearbyint(room / 2.0 - 0.1); }
static int half(int room) { return room / 2; }

static double of_pixels(const axis *a) { return (double)a->size / a->from; }
static double of_factor(const axis *a) { return a->factor; }
static double left_over(const axis *a) { return (a->to - a->from * a->factor) / 2; }
static double left_over_rounded(const axis *a) { return nearbyint(left_over(a) - 0.1); }

static const rule rules[] = {
    [TIPS_LETTERBOX_TORCHVISION] = {single_factor, floor, half, of_pixels, NULL},
    [TIPS_LETTERBOX_YOLOX] = {double_factor, floor, half, of_factor, NULL},
    [TIPS_LETTERBOX_YOLOV5] = {double_factor, nearbyint, half_down, of_factor, left_over},
    [TIPS_LETTERBOX_ULTRALYTICS] = {double_factor, nearbyint, half_down, of_factor, left_over_rounded},
    [TIPS_LETTERBOX_NANODET] = {double_factor, nearbyint, half_down, of_factor, left_over},
};

static void lay_axis(const rule *r, bool in_the_middle, axis *a, int at, tips_lay *out) {
    const int size = (int)r->size(a->from * a->factor);
    a->size = size < 1 ? 1 : size;
    out->size[at] = a->size;
    out->offset[at] = in_the_middle ? r->margin(a->to - a->size) : 0;
    out->scale[at] = r->scale(a);
    out->origin[at] = in_the_middle && r->origin ? r->origin(a) : out->offset[at];
}

static void stretch(const int picture[2], const int input[2], tips_lay *out) {
    *out = (tips_lay){.size = {input[0], input[1]}};
    for (int i = 0; i < 2; i++) out->scale[i] = (double)input[i] / picture[i];
}

void tips__placement_lay(const tips_placement *placement, const int picture[2], const int input[2], tips_lay *out) {
    const rule *r = &rules[placement->letterbox];
    if (placement->stretch) {
        stretch(picture, input, out);
        return;
    }
    const double factor = r->factor(placement, picture, input);
    for (int i = 0; i < 2; i++) {
        axis a = {.from = picture[i], .to = input[i], .factor = factor};
        lay_axis(r, placement->place == TIPS_AT_CENTRE, &a, i, out);
    }
}
