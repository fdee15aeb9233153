/* The protocols' rows, and how they draw. */
#include "shift/shift_protocol.h"

#include "core/rng.h"

#include <stddef.h>
#include <string.h>

enum { STREAM_SHIFTS = 31, STREAM_LEVELS = 37, SMALL = 64 };

const tips_shift_protocol tips__shift_protocols[] = {
    {"tips", "0 to an eighth of the size, black or wrapped", TIPS_CANVAS_INPUT, TIPS_SHIFT_EIGHTH, TIPS_SHIFT_EIGHTH,
     .pairs = 1},
    {"adobe", "two crops of the picture at 8/7 of the size, five times", TIPS_CANVAS_CROPS, TIPS_SHIFT_SEVENTH,
     TIPS_SHIFT_SEVENTH, .pairs = 5},
    {"aps", "rolls of a seventh of the size both ways; -3 to 2 up to 64 pixels", TIPS_CANVAS_INPUT, TIPS_SHIFT_AROUND,
     TIPS_SHIFT_AROUND, .pairs = 1},
    {"lps", "crops as adobe, rolls of an eighth of the size both ways", TIPS_CANVAS_CROPS, TIPS_SHIFT_SEVENTH,
     TIPS_SHIFT_AROUND_EIGHTH, .pairs = 5},
    {"afc", "every circular shift; counts as right if right under all", TIPS_CANVAS_INPUT, TIPS_SHIFT_EIGHTH,
     TIPS_SHIFT_ALL, .pairs = 1, .full_grid = true},
    {"imagenet-p", "41 frames, one pixel apart (16 up to 64 pixels); neighbours are compared", TIPS_CANVAS_CENTRE,
     TIPS_SHIFT_FRAMES, TIPS_SHIFT_FRAMES, .sequence = true},
    {"segment", "the picture as it is against shifts of up to an eighth of the size both ways", TIPS_CANVAS_INPUT,
     TIPS_SHIFT_WITHIN_EIGHTH, TIPS_SHIFT_WITHIN_EIGHTH, .pairs = 1, .from_unshifted = true},
    {"lps-segment", "the picture as it is against shifts of up to 32 pixels both ways, five times", TIPS_CANVAS_INPUT,
     TIPS_SHIFT_32, TIPS_SHIFT_32, .pairs = 5, .from_unshifted = true},
    {"auto", "tips, or segment for segmentation", TIPS_CANVAS_INPUT, TIPS_SHIFT_EIGHTH, TIPS_SHIFT_EIGHTH, .pairs = 1},
};

const char *const tips__protocol_names[] = {"tips",    "adobe",       "aps",  "lps", "afc", "imagenet-p",
                                            "segment", "lps-segment", "auto", NULL};
const char *const tips__kind_names[] = {"standard", "circular"};

int tips__protocol_auto(void) { return (int)(sizeof tips__shift_protocols / sizeof *tips__shift_protocols) - 1; }

const tips_shift_protocol *tips__shift_protocol_usual(const char *usual) {
    const tips_shift_protocol *row = tips__shift_protocols;
    while (usual && strcmp(row->name, usual) != 0 && tips__protocol_names[row + 1 - tips__shift_protocols]) row++;
    return row;
}

const tips_shift_protocol *tips__shift_protocol_for(int chosen, const char *usual) {
    if (tips__protocol_names[chosen + 1]) return &tips__shift_protocols[chosen];
    return tips__shift_protocol_usual(usual);
}

static int at_least(int value, int least) { return value > least ? value : least; }

static void range_of(tips_shift_rule rule, int size, int axis, int *low, int *high) {
    const bool small = size <= SMALL;
    *low = 0;
    switch (rule) {
    case TIPS_SHIFT_EIGHTH: *high = size / 8; break;
    case TIPS_SHIFT_SEVENTH: *high = at_least(size / 7 - 1, 0); break;
    case TIPS_SHIFT_AROUND: *low = small ? -3 : -(size / 7), *high = small ? 2 : size / 7 - 1; break;
    case TIPS_SHIFT_AROUND_EIGHTH: *low = -(size / 8), *high = at_least(size / 8 - 1, 0); break;
    case TIPS_SHIFT_WITHIN_EIGHTH: *low = -(size / 8), *high = size / 8; break;
    case TIPS_SHIFT_32: *high = size > 32 ? 32 : size - 1, *low = -*high; break;
    case TIPS_SHIFT_ALL: *high = size - 1; break;
    case TIPS_SHIFT_FRAMES: *low = axis ? small ? -7 : -20 : 0, *high = axis ? small ? 8 : 20 : 0; break;
    }
}

static int enlarged(int size) { return (16 * size + 7) / 14; } /* round(8 size / 7) */

static void set_canvas(tips_shift_plan *plan, int axis) {
    const tips_canvas_rule rule = plan->protocol->canvas;
    const int size = plan->size[axis];
    const bool larger =
        rule == TIPS_CANVAS_CROPS || (rule == TIPS_CANVAS_CENTRE && (plan->size[0] > SMALL || plan->size[1] > SMALL));
    plan->canvas[axis] = larger ? enlarged(size) : size;
    plan->origin[axis] = 0;
    if (larger)
        plan->origin[axis] =
            rule == TIPS_CANVAS_CROPS ? plan->range[TIPS_STANDARD].high[axis] : (plan->canvas[axis] - size) / 2;
}

static void set_ranges(tips_shift_plan *plan) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++)
        for (int axis = 0; axis < 2; axis++) {
            tips_shift_range *range = &plan->range[kind];
            const tips_shift_rule rule = kind == TIPS_STANDARD ? plan->protocol->standard : plan->protocol->circular;
            range_of(rule, plan->size[axis], axis, &range->low[axis], &range->high[axis]);
        }
}

tips_shift_plan tips__shift_plan(const tips_shift_protocol *protocol, const int size[2], int pairs, uint64_t seed) {
    tips_shift_plan plan = {.protocol = protocol, .size = {size[0], size[1]}, .seed = seed};
    set_ranges(&plan);
    for (int axis = 0; axis < 2; axis++) set_canvas(&plan, axis);
    plan.pairs = pairs > 0 ? pairs : protocol->pairs;
    plan.views = 2 * plan.pairs;
    if (protocol->sequence) plan.views = tips__range_cells(&plan.range[TIPS_STANDARD]), plan.pairs = plan.views - 1;
    return plan;
}

bool tips__plan_has_canvas(const tips_shift_plan *plan) {
    return plan->canvas[0] != plan->size[0] || plan->canvas[1] != plan->size[1];
}

/* A stream for each picture: what it draws has nothing to do with any other picture. */
static tips_rng stream_of(const tips_shift_plan *plan, uint64_t purpose, int image) {
    return (tips_rng){.seed = plan->seed, .stream = tips__rng_mix(purpose, (uint64_t)image)};
}

static int draw(tips_rng rng, uint64_t index, int low, int high) {
    return low + (int)tips__rng_below(rng, index, (uint32_t)(high - low + 1));
}

void tips__plan_shift(const tips_shift_plan *plan, int kind, int image, int view, int shift[2]) {
    const tips_shift_range *range = &plan->range[kind];
    const tips_rng rng = stream_of(plan, STREAM_SHIFTS, image);
    if (plan->protocol->sequence) {
        tips__range_shift(range, view, shift);
        return;
    }
    if (plan->protocol->from_unshifted && view % 2 == 0) {
        shift[0] = shift[1] = 0;
        return;
    }
    for (int axis = 0; axis < 2; axis++)
        shift[axis] = draw(rng, 2 * (uint64_t)view + (uint64_t)axis, range->low[axis], range->high[axis]);
}

int tips__plan_levels(const tips_shift_plan *plan, int kind) {
    const int *high = plan->range[kind].high;
    return high[0] > high[1] ? high[0] : high[1];
}

/* Down and right: uniform over the cells with max(dy, dx) = d that the range has. */
void tips__plan_level_shift(const tips_shift_plan *plan, int kind, int image, int d, int shift[2]) {
    const int *high = plan->range[kind].high;
    const tips_rng rng = stream_of(plan, STREAM_LEVELS, image);
    const int below = d <= high[0] ? (d < high[1] ? d : high[1]) + 1 : 0;         /* cells (d, 0..) */
    const int right = d <= high[1] ? (d - 1 < high[0] ? d - 1 : high[0]) + 1 : 0; /* cells (0.., d) above those */
    const int cell = draw(rng, (uint64_t)d, 0, below + right - 1);
    shift[0] = cell < below ? d : cell - below;
    shift[1] = cell < below ? cell : d;
}

void tips__plan_window(const tips_shift_plan *plan, const uint8_t *canvas, int channels, const int shift[2],
                       uint8_t *input) {
    const int h = plan->size[0], w = plan->size[1], ch = plan->canvas[0], cw = plan->canvas[1];
    const int top = plan->origin[0] - shift[0], left = plan->origin[1] - shift[1];
    const int from = left < 0 ? -left : 0, to = left + w > cw ? cw - left : w;
    memset(input, 0, (size_t)h * (size_t)w * (size_t)channels);
    for (int y = 0; y < h; y++) {
        if (top + y < 0 || top + y >= ch || from >= to) continue;
        memcpy(input + ((ptrdiff_t)y * w + from) * channels,
               canvas + ((ptrdiff_t)(top + y) * cw + left + from) * channels, (size_t)(to - from) * (size_t)channels);
    }
}
