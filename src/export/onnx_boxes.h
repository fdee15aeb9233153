/* What follows the heads of a detector in its ONNX file: boxes, classes and scores, as runtimes find them themselves.
 */
#ifndef TIPS_EXPORT_ONNX_BOXES_H
#define TIPS_EXPORT_ONNX_BOXES_H

#include "box/anchors.h"
#include "emit/emit_record.h"
#include "model/model_file.h"

typedef struct tips_onnx_boxes {
    tips_assignment assignment;
    const tips_graph *graph;
    tips_anchors anchors;
    tips_value logits[TIPS_ANCHOR_LEVELS], codes[TIPS_ANCHOR_LEVELS], origins;
    char names[3 * TIPS_ANCHOR_LEVELS][24]; /* of outputs */
} tips_onnx_boxes;

/* An error unless the outputs of the network are those of one head for all anchors. */
tips_status tips__onnx_boxes_read(const tips_model_info *info, const tips_graph *graph,
                                  tips_onnx_boxes *out) TIPS_MUST_CHECK;
/* A tips_emit_end's finish, of a tips_onnx_boxes. */
tips_status tips__onnx_boxes_emit(tips_emitter *to, const void *context) TIPS_MUST_CHECK;

#endif
