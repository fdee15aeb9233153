/* One row for answers that are classes of pictures, of pixels, and boxes. */
#include "report/answer_words.h"

static const tips_answer_words of_classes = {
    .kept = {"", " of the answers"},
    .stay = "Answers that stay the same",
    .axis = "same answer, %",
    .by_size = "How many pictures keep the answer of the unshifted one when they are moved by so many pixels. Both "
               "charts have the same axis.",
    .over_grid = "How many pictures keep their answer under each shift (dy, dx). One scale for all maps.",
    .share = "share of pictures that keep their answer",
    .units = "Percent",
    .one_pixel = {"", " of the answers flip"},
};

static const tips_answer_words of_pixels = {
    .kept = {"the class of ", " of the pixels"},
    .stay = "Pixels that keep their class",
    .axis = "pixels of the same class, %",
    .by_size = "How many of the pixels that both views show keep their class when a picture is moved by so many "
               "pixels, mean over pictures. Both charts have the same axis.",
    .over_grid = "How many of the pixels that both views show keep their class under each shift (dy, dx), mean over "
                 "pictures. One scale for all maps.",
    .share = "share of pixels that keep their class, mean over pictures",
    .units = "IoU is percent of the pixels that answer or truth give a class, accuracy percent of the labelled pixels; "
             "consistency and fidelity are percent of the pixels that both views show, mean over pictures. All",
    .one_pixel = {"", " of the pixels flicker (change their class)"},
};

static const tips_answer_words of_boxes = {
    .kept = {"", " of the boxes"},
    .stay = "Boxes that stay",
    .axis = "boxes that stay, %",
    .by_size = "How many of the boxes that either view shows stay when a picture is moved by so many pixels, mean over "
               "pictures. Both charts have the same axis.",
    .over_grid = "How many of the boxes that either view shows stay under each shift (dy, dx), mean over pictures. One "
                 "scale for all maps.",
    .share = "share of boxes that stay, mean over pictures",
    .units = "AP is COCO's, in percent; consistency and fidelity are percent of the boxes that either view shows, mean "
             "over pictures; jitter is in pixels of the network's input, that of scores in points of percent. All",
    .one_pixel = {"", " of the boxes vanish or appear"},
};

static const tips_task *task_of(const tips_report_data *r, int set) {
    for (int i = 0; i < r->n_runs; i++)
        if (tips__report_is_in(r, &r->runs[i], set) && r->runs[i].task) return r->runs[i].task;
    return NULL;
}

const tips_answer_words *tips__answer_words(const tips_report_data *r, int set) {
    const tips_task *task = task_of(r, set);
    if (task && task->flags & TIPS_TASK_MASK) return &of_pixels;
    return task && task->flags & TIPS_TASK_BOXES ? &of_boxes : &of_classes;
}
