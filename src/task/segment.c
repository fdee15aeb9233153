/* Segmentation: a class for every pixel. The target is a mask in the network's input, the answer the class with the
 * largest logit at each pixel; the head is the architecture's decoder. */
#include "task/segment.h"

#include "core/fail.h"
#include "image/colours.h"
#include "image/overlay.h"
#include "layer/layers.h"

#include <math.h>
#include <string.h>

enum { LOSS_CROSS_ENTROPY, LOSS_DICE, LOSS_BOTH };
static const char *const loss_names[] = {"cross-entropy", "dice", "both", NULL};

typedef struct segment_config {
    int loss;
} segment_config;
TIPS_TASK_CHECK_CONFIG(segment_config);

static const tips_option options[] = {
    {.name = "loss",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(segment_config, loss),
     .fallback = "cross-entropy",
     .choices = loss_names,
     .help = "what is learned: the cross-entropy of pixels, the Dice loss of classes, or the sum of both"},
    {.type = TIPS_OPT_END},
};

static size_t pixels_of(const tips_assignment *a) { return (size_t)a->size[0] * (size_t)a->size[1]; }

static tips_status target(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *out) {
    TIPS_TRY(tips__bytes_resize(out, pixels_of(a)));
    tips__move_mask(move, &annotation->mask, out->data);
    for (size_t i = 0; i < out->count; i++)
        if (out->data[i] >= a->classes && out->data[i] != TIPS_MASK_IGNORE)
            TIPS_FAIL(TIPS_RANGE, "a mask has class %d, and the network knows %d classes", out->data[i], a->classes);
    return TIPS_OK;
}

static tips_status check_network(const tips_assignment *a, const tips_arch *arch) {
    if (!arch->segment)
        TIPS_FAIL(TIPS_INVALID, "%s has no decoder; use --arch unet --backbone %s, or deeplabv3plus", arch->name,
                  arch->name);
    if (a->classes > TIPS_SEGMENT_MOST_CLASSES)
        TIPS_FAIL(TIPS_RANGE, "%d classes of pixels; at most %d are possible", a->classes, TIPS_SEGMENT_MOST_CLASSES);
    return TIPS_OK;
}

static void head(const tips_assignment *a, tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                 const tips_features *features, tips_ends *ends) {
    tips__graph_fail(graph, check_network(a, arch));
    if (arch->segment) ends->outputs[ends->n_outputs++] = arch->segment(graph, arch, config, features);
}

static void loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends) {
    const int which = ((const segment_config *)tips__task_config(a))->loss;
    const tips_value in[2] = {ends->outputs[0], ends->targets[ends->n_targets++] =
                                                    tips__graph_index_input(graph, "mask", 1, a->size[0], a->size[1])};
    const tips_pixel_cross_entropy entropy = {TIPS_MASK_IGNORE};
    const tips_dice dice = {.ignore = TIPS_MASK_IGNORE, .smooth = 1};
    if (which != LOSS_DICE) {
        ends->loss = tips__graph_add(graph, &tips__layer_pixel_cross_entropy, "loss", &entropy, in, 2);
        tips__graph_loss(graph, ends->loss, 1);
    }
    if (which == LOSS_CROSS_ENTROPY) return;
    const tips_value overlap = tips__graph_add(graph, &tips__layer_dice, "dice", &dice, in, 2);
    if (which == LOSS_DICE) ends->loss = overlap;
    tips__graph_loss(graph, overlap, 1);
}

static tips_status put(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets, int n,
                       tips_bytes *room) {
    const size_t pixels = pixels_of(a);
    TIPS_TRY(tips__bytes_resize(room, (size_t)n * pixels * sizeof(int32_t)));
    int32_t *labels = (int32_t *)(void *)room->data;
    for (int i = 0; i < n; i++)
        for (size_t p = 0; p < pixels; p++) *labels++ = targets[i].data[p];
    return tips__net_set_index(net, ends->targets[0], (int32_t *)(void *)room->data);
}

static tips_status answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    TIPS_TRY(tips__bytes_resize(out, pixels_of(a)));
    tips__segment_classes(outputs->values[0] + (size_t)i * outputs->floats[0], a->classes, pixels_of(a), out->data);
    return TIPS_OK;
}

/* Where pixel `at` of the unshifted picture lies along an axis, or -1 where it has left. */
static int moved(int at, int shift, int size, bool circular) {
    const int to = at + shift;
    if (to >= 0 && to < size) return to;
    return circular ? ((to % size) + size) % size : -1;
}

/* Over the pixels that both answers have. */
static tips_agreement agree(const tips_assignment *a, tips_answer_at x, tips_answer_at y, const tips_bytes *truth) {
    const int height = a->size[0], width = a->size[1];
    double common = 0, same = 0, labelled = 0, right = 0;
    for (int i = 0; i < height; i++) {
        const int xi = moved(i, x.shift[0], height, x.circular), yi = moved(i, y.shift[0], height, y.circular);
        if (xi < 0 || yi < 0) continue;
        for (int j = 0; j < width; j++) {
            const int xj = moved(j, x.shift[1], width, x.circular), yj = moved(j, y.shift[1], width, y.circular);
            if (xj < 0 || yj < 0) continue;
            const int p = x.answer->data[(size_t)xi * (size_t)width + (size_t)xj];
            const int q = y.answer->data[(size_t)yi * (size_t)width + (size_t)yj];
            const int label = truth ? truth->data[(size_t)i * (size_t)width + (size_t)j] : TIPS_MASK_IGNORE;
            common++;
            same += p == q;
            if (label == TIPS_MASK_IGNORE) continue;
            labelled++;
            right += p == q && p == label;
        }
    }
    return (tips_agreement){common > 0 ? same / common : 1, labelled > 0 ? right / labelled : 0};
}

enum { MOST_SAID = 3 };

/* The largest classes and their shares, without those that would be said to have none. */
static void say(const tips_assignment *a, const tips_bytes *given, char *const *classes, tips_text *out) {
    size_t counts[TIPS_SEGMENT_MOST_CLASSES + 1] = {0};
    for (size_t i = 0; i < given->count; i++) counts[given->data[i]]++;
    for (int said = 0; said < MOST_SAID; said++) {
        int largest = 0;
        for (int c = 1; c < a->classes; c++)
            if (counts[c] > counts[largest]) largest = c;
        if (counts[largest] == 0 || (said > 0 && 200 * counts[largest] < given->count)) return;
        tips__text_add(out, said ? ", " : "");
        if (classes) tips__text_add(out, classes[largest]);
        else tips__text_print(out, "class %d", largest);
        tips__text_print(out, " %.0f %%", 100 * (double)counts[largest] / (double)given->count);
        counts[largest] = 0;
    }
}

/* Half and half with the colours of classes, the background left as it is. */
static void draw(const tips_assignment *a, const tips_bytes *given, tips_image *picture) {
    tips_colours voc;
    if (picture->h != a->size[0] || picture->w != a->size[1]) return;
    if (!a->colours) tips__colours_voc(&voc);
    tips__overlay(a->colours ? a->colours : &voc, given->data, a->colours ? a->first_drawn : 1, picture);
}

/* Red where the class is another, on a pale grey picture; darker where one of the views shows nothing. */
static void draw_difference(const tips_assignment *a, tips_answer_at x, tips_answer_at y, tips_image *picture) {
    const int height = a->size[0], width = a->size[1];
    uint8_t *pixel = picture->pixels;
    if (picture->h != height || picture->w != width) return;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++, pixel += 3) {
            const int xi = moved(i, x.shift[0], height, x.circular), xj = moved(j, x.shift[1], width, x.circular);
            const int yi = moved(i, y.shift[0], height, y.circular), yj = moved(j, y.shift[1], width, y.circular);
            const bool seen = xi >= 0 && xj >= 0 && yi >= 0 && yj >= 0;
            const int grey = (pixel[0] + 2 * pixel[1] + pixel[2]) / 4, pale = seen ? 128 + grey / 2 : 64 + grey / 4;
            const bool other = seen && x.answer->data[(size_t)xi * (size_t)width + (size_t)xj] !=
                                           y.answer->data[(size_t)yi * (size_t)width + (size_t)yj];
            pixel[0] = (uint8_t)(other ? 214 : pale);
            pixel[1] = (uint8_t)(other ? 28 : pale);
            pixel[2] = (uint8_t)(other ? 36 : pale);
        }
}

const tips_task tips__task_segment = {
    .name = "segment",
    .brief = "a class for each pixel",
    .flags = TIPS_TASK_GRADED | TIPS_TASK_MASK,
    .options = options,
    .config_size = sizeof(segment_config),
    .needs = TIPS_ANNOTATES_MASK,
    .protocol = "segment",
    .target = target,
    .head = head,
    .loss = loss,
    .put = put,
    .answer = answer,
    .agree = agree,
    .say = say,
    .draw = draw,
    .draw_target = draw,
    .draw_difference = draw_difference,
    .metrics = tips__segment_metrics,
    .score = tips__segment_score,
    .merge = tips__segment_merge,
    .figures = tips__segment_figures,
    .slope = tips__segment_slope,
    .class_metric = "iou",
    .class_figure = tips__segment_class_figure,
};
