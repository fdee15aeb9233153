/* The rows of detectors' figures. Those of standard shifts have the plain names. */
#include "task/detect_score.h"

#define PRECISION(identifier, its_name, its_heading, its_title, its_label, its_help, its_where) \
    [TIPS_DETECT_##identifier] = {.name = its_name,                                             \
                                  .kind = TIPS_SHIFT_KINDS,                                     \
                                  .unit = "%",                                                  \
                                  .better = TIPS_HIGHER,                                        \
                                  .heading = its_heading,                                       \
                                  .column = its_heading,                                        \
                                  .title = its_title,                                           \
                                  .label = its_label,                                           \
                                  .help = its_help,                                             \
                                  .where = its_where}

#define UNDER_SHIFTS(shifts, identifier, its_name, its_unit, is_better, its_heading, its_title, its_label, its_help) \
    [TIPS_DETECT_##shifts##_##identifier] = {.name = its_name,                                                       \
                                             .kind = TIPS_##shifts,                                                  \
                                             .need = TIPS_NEEDS_SET_SHIFTS,                                          \
                                             .unit = its_unit,                                                       \
                                             .better = is_better,                                                    \
                                             .heading = its_heading,                                                 \
                                             .column = its_heading,                                                  \
                                             .title = its_title,                                                     \
                                             .label = its_label,                                                     \
                                             .help = its_help}

const tips_metric tips__detect_metrics[TIPS_DETECT_METRICS + 1] = {
    PRECISION(AP, "ap", "AP", "AP", "AP", "average precision as COCO's, mean over IoU 0.5 to 0.95 and classes",
              TIPS_IN_VALIDATION),
    PRECISION(AP50, "ap50", "AP50", "AP50", "AP at IoU 0.5", "average precision at IoU 0.5", TIPS_IN_VALIDATION),
    PRECISION(AP75, "ap75", NULL, NULL, "AP at IoU 0.75", "average precision at IoU 0.75", TIPS_IN_VALIDATION),
    PRECISION(AP_SMALL, "ap_small", NULL, NULL, "AP, small objects", "AP of objects of up to 32x32 pixels", 0),
    PRECISION(AP_MEDIUM, "ap_medium", NULL, NULL, "AP, medium objects", "AP of objects of 32x32 to 96x96 pixels", 0),
    PRECISION(AP_LARGE, "ap_large", NULL, NULL, "AP, large objects", "AP of objects from 96x96 pixels on", 0),
    PRECISION(AR1, "ar1", NULL, NULL, "AR, 1 a picture",
              "recall by the best detection of each class on a picture, mean over IoU 0.5 to 0.95 and classes", 0),
    PRECISION(AR10, "ar10", NULL, NULL, "AR, 10 a picture", "the same by the best 10", 0),
    PRECISION(AR100, "ar100", NULL, NULL, "AR, 100 a picture", "the same by the best 100", 0),
    PRECISION(AR_SMALL, "ar_small", NULL, NULL, "AR, small objects", "recall of objects of up to 32x32 pixels", 0),
    PRECISION(AR_MEDIUM, "ar_medium", NULL, NULL, "AR, medium objects", "recall of objects of 32x32 to 96x96 pixels",
              0),
    PRECISION(AR_LARGE, "ar_large", NULL, NULL, "AR, large objects", "recall of objects from 96x96 pixels on", 0),
    PRECISION(VOC_AP, "voc_ap", NULL, NULL, "VOC AP", "average precision as PASCAL VOC's from 2010 on, at IoU 0.5", 0),
    PRECISION(VOC07_AP, "voc07_ap", NULL, NULL, "VOC 2007 AP", "average precision as VOC's of 2007, of 11 recalls", 0),

    UNDER_SHIFTS(STANDARD, DAP, "dap", "%", TIPS_LOWER, "dAP", "dAP, standard", "dAP, standard",
                 "the best minus the worst AP under common shifts; what lies around pictures comes in at the "
                 "border"),
    UNDER_SHIFTS(STANDARD, DAP50, "dap50", "%", TIPS_LOWER, "dAP50", "dAP50, standard", "dAP50, standard",
                 "the same at IoU 0.5"),
    UNDER_SHIFTS(STANDARD, DAP_BOUND, "dap_bound", "%", TIPS_LOWER, NULL, NULL, "dAP bound, standard",
                 "the same where every picture has the shift that is best, or worst, for the set"),
    UNDER_SHIFTS(STANDARD, AP_MEAN, "shifted_ap", "%", TIPS_HIGHER, NULL, NULL, "AP, mean over standard shifts",
                 "AP, mean over common shifts"),
    UNDER_SHIFTS(STANDARD, AP_BEST, "best_ap", "%", TIPS_HIGHER, NULL, NULL, "AP, best standard shift",
                 "AP under the best common shift"),
    UNDER_SHIFTS(STANDARD, AP_WORST, "worst_ap", "%", TIPS_HIGHER, NULL, NULL, "AP, worst standard shift",
                 "AP under the worst common shift"),
    UNDER_SHIFTS(STANDARD, BOX_JITTER, "box_jitter", "px", TIPS_LOWER, "box px", "box jitter, px",
                 "box jitter, standard, px", "how far the edges of a box move against the picture under a shift"),
    UNDER_SHIFTS(STANDARD, CENTRE_JITTER, "centre_jitter", "px", TIPS_LOWER, NULL, NULL, "centre jitter, standard, px",
                 "the same of its centre"),
    UNDER_SHIFTS(STANDARD, IOU_JITTER, "iou_jitter", "%", TIPS_LOWER, NULL, NULL, "IoU lost, standard",
                 "one minus the IoU of a box before and after a shift"),
    UNDER_SHIFTS(STANDARD, SCORE_JITTER, "score_jitter", "%", TIPS_LOWER, "score jit", "score jitter",
                 "score jitter, standard", "how much the score of a box changes under a shift"),
    UNDER_SHIFTS(STANDARD, VANISHING, "vanishing", "%", TIPS_LOWER, "vanishing", "vanishing",
                 "vanishing boxes, standard", "boxes that are shown before or after a shift, not both"),

    UNDER_SHIFTS(CIRCULAR, DAP, "circular_dap", "%", TIPS_LOWER, "circ dAP", "dAP, circular", "dAP, circular",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, DAP50, "circular_dap50", "%", TIPS_LOWER, "circ dAP50", "dAP50, circular", "dAP50, circular",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, DAP_BOUND, "circular_dap_bound", "%", TIPS_LOWER, NULL, NULL, "dAP bound, circular",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, AP_MEAN, "circular_shifted_ap", "%", TIPS_HIGHER, NULL, NULL,
                 "AP, mean over circular shifts", "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, AP_BEST, "circular_best_ap", "%", TIPS_HIGHER, NULL, NULL, "AP, best circular shift",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, AP_WORST, "circular_worst_ap", "%", TIPS_HIGHER, NULL, NULL, "AP, worst circular shift",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, BOX_JITTER, "circular_box_jitter", "px", TIPS_LOWER, NULL, "box jitter, circular, px",
                 "box jitter, circular, px", "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, CENTRE_JITTER, "circular_centre_jitter", "px", TIPS_LOWER, NULL, NULL,
                 "centre jitter, circular, px", "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, IOU_JITTER, "circular_iou_jitter", "%", TIPS_LOWER, NULL, NULL, "IoU lost, circular",
                 "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, SCORE_JITTER, "circular_score_jitter", "%", TIPS_LOWER, NULL, "score jitter, circular",
                 "score jitter, circular", "the same with views that wrap around"),
    UNDER_SHIFTS(CIRCULAR, VANISHING, "circular_vanishing", "%", TIPS_LOWER, NULL, "vanishing, circular",
                 "vanishing boxes, circular", "the same with views that wrap around"),
};
