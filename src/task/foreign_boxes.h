/* Detectors that came from elsewhere: their network puts out maps, the program behind it arrays, and a style says what
 * these mean. */
#ifndef TIPS_TASK_FOREIGN_BOXES_H
#define TIPS_TASK_FOREIGN_BOXES_H

#include "task/model.h"

/* Whether a network is one. */
bool tips__foreign_finds(const tips_assignment *a);
/* Its style with every option: "fastestdet: score 0.001, overlap 0.6, most 300"; "" of our own detectors. */
void tips__foreign_style(const tips_assignment *a, char *out, size_t size);
/* Its maps as outputs of the graph. */
void tips__foreign_head(const tips_features *features, tips_ends *ends);
/* The answer of sample i: an array of tips_detection in pixels of the input, best first. */
tips_status tips__foreign_answer(const tips_assignment *a, const tips_outputs *outputs, int i,
                                 tips_bytes *answer) TIPS_MUST_CHECK;

/* Reads the style (NULL or "auto": from the outputs), which the blueprint keeps, and tells blueprint and model how many
 * classes there are. */
tips_status tips__foreign_settle(struct tips_blueprint *blueprint, tips_model *model,
                                 const char *style) TIPS_MUST_CHECK;

#endif
