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
    {.name = "letterbox",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_placement, letterbox),
     .fallback = "torchvision",
     .choices = tips__letterbox_names,
     .help = "whose rule rounds the size and the margins of pictures that are fitted, and takes boxes back"},
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
