/* The part of detection that looks at regions: what a network with two stages puts out, how it learns, what it finds.
 */
#ifndef TIPS_TASK_DETECT_REGIONS_H
#define TIPS_TASK_DETECT_REGIONS_H

#include "arch/detector.h"
#include "task/detect.h"

/* Outputs: logits and codes of the regions, regions, origins. */
void tips__regions_outputs(const tips_detector_ends *detector, tips_ends *ends);
bool tips__regions_are_outputs(const tips_graph *graph, const tips_ends *ends);
/* The same of what was put out: one head for all levels puts out two maps a level and the origins, an odd number. */
static inline bool tips__outputs_are_regions(const tips_outputs *outputs) { return outputs->count % 2 == 0; }

/* How many regions are looked at, and how many are learned from, for an input of this size. */
int tips__regions_proposals(const tips_detect_config *c, const int size[2]);

/* Losses of the proposals and of a second head, of the same parameters, on regions that are drawn. */
void tips__regions_loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends, tips_value truths);

/* Sample i as boxes: the classes of regions with a score above the least, one of those that overlap. */
tips_status tips__regions_answer(const tips_assignment *a, const tips_outputs *outputs, int i,
                                 tips_bytes *answer) TIPS_MUST_CHECK;

#endif
