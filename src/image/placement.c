/* Fitting pictures into an input. */
#include "image/placement.h"

#include "core/fail.h"

#include <math.h>

const char *const tips__filter_names[] = {"smooth", "plain", NULL};
const char *const tips__pad_names[] = {"black", "mean", "grey", NULL};
const char *const tips__stretch_names[] = {"no", "yes", NULL};
const char *const tips__corner_names[] = {"corner", "centre", NULL};

const tips_option tips__placement_rows[] = {
    {.name = "fit",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(tips_placement, fit),
     .fallback = "0",
     .min = 0,
     .max = TIPS_FIT_INPUT,
     .metavar = "SHORTER[xLONGER]",
     .help = "resize pictures until a side is as long as its bound or the input's, and put them at the top left, as "
             "detectors have it; 0 means another way"},
    {.name = "filter",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_placement, filter),
     .fallback = "smooth",
     .choices = tips__filter_names,
     .help = "how pictures are made smaller: antialiased as Pillow does it, or without, as torchvision's detectors do"},
    {.name = "pad",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_placement, pad),
     .fallback = "black",
     .choices = tips__pad_names,
     .help = "what lies around pictures that do not fill the input: black; the mean, which is zero once normalised, "
             "as torchvision's detectors have it; or the grey 114 of YOLO's"},
    {.name = "place",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_placement, place),
     .fallback = "corner",
     .choices = tips__corner_names,
     .help = "where pictures that are fitted lie: at the top left, or in the middle"},
    {.name = "stretch",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_placement, stretch),
     .fallback = "no",
     .choices = tips__stretch_names,
     .help = "whether pictures are resized to the input whatever their aspect"},
    {.type = TIPS_OPT_END},
};

tips_status tips__placement_check(const tips_placement *placement, int resize) {
    const int *fit = placement->fit;
    if (resize > 0 && fit[0] > 0)
        TIPS_FAIL(TIPS_INVALID, "--resize %d and --fit %dx%d: one says how large pictures become; give one", resize,
                  fit[0], fit[1]);
    if (placement->stretch && (resize > 0 || fit[0] > 0))
        TIPS_FAIL(TIPS_INVALID, "--stretch makes pictures as large as the input; leave --resize and --fit out");
    return TIPS_OK;
}

bool tips__placement_is_whole(const tips_placement *placement) { return placement->fit[0] > 0 || placement->stretch; }

/* torchvision computes the factor in single precision, by reciprocals, and rounds sizes down: 427 rows become 799 by a
 * bound of 800. */
void tips__placement_size(const tips_placement *placement, const int picture[2], const int input[2], int out[2]) {
    if (placement->stretch) {
        for (int i = 0; i < 2; i++) out[i] = input[i];
        return;
    }
    const float h = (float)picture[0], w = (float)picture[1];
    const float bound = fminf(1 / fminf(h, w) * (float)placement->fit[0], 1 / fmaxf(h, w) * (float)placement->fit[1]);
    const float factor = fminf(bound, fminf((float)input[0] / h, (float)input[1] / w));
    for (int i = 0; i < 2; i++) {
        const int size = (int)floor(picture[i] * (double)factor);
        out[i] = size < 1 ? 1 : size;
    }
}
