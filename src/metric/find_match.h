/* Detections of one picture held against what is there, as COCO and PASCAL VOC do it. What comes out is small, and
 * figures of any set of pictures follow from it.
 *
 * COCO, for each class, threshold t of IoU and range of areas: detections in the order of their scores, equal ones as
 * given, at most 100. Each takes, of the objects that are not taken yet and of crowds, the one of the largest IoU from
 * t on, the later of equal ones; one that counts goes before those that do not. Crowds, objects to be ignored and
 * objects beyond the range do not count, nor does what takes them, nor what takes nothing and is itself beyond the
 * range. IoU with a crowd is the share of the detection in it. Areas of objects are those of their masks.
 *
 * VOC: IoU 0.5. A detection goes to the object of the largest IoU, the first of equal ones: a miss if that is taken,
 * nothing if it does not count. */
#ifndef TIPS_METRIC_FIND_MATCH_H
#define TIPS_METRIC_FIND_MATCH_H

#include "core/bytes.h"
#include "metric/detection.h"

enum { TIPS_AREA_ALL, TIPS_AREA_SMALL, TIPS_AREA_MEDIUM, TIPS_AREA_LARGE, TIPS_AREAS };

enum {
    TIPS_COCO_THRESHOLDS = 10, /* 0.5, 0.55, ..., 0.95 */
    TIPS_COCO_MOST = 100,      /* detections of a class on a picture */
    TIPS_RULE_VOC = TIPS_COCO_THRESHOLDS,
    TIPS_RULES
};

/* A detection and what it came to: bit r of `hit` or of `miss` by rule r, or of neither where it does not count. */
typedef struct tips_find {
    double score;
    int32_t label;
    int32_t rank; /* among those of its class on the picture */
    uint16_t hit[TIPS_AREAS], miss[TIPS_AREAS];
} tips_find;

/* Of a class on a picture: objects that count. */
typedef struct tips_class_objects {
    int32_t label;
    int32_t count[TIPS_AREAS];
} tips_class_objects;

/* What a picture counts for, within bytes. */
typedef struct tips_picture_finds {
    const tips_find *finds; /* (n_finds), by class, then by score */
    int n_finds;
    const tips_class_objects *classes; /* (n_classes), by class */
    int n_classes;
} tips_picture_finds;

/* Written behind the first `at` bytes of `out`, which stay; `at` is a multiple of 8. */
tips_status tips__match_finds(const tips_detection *detections, int n, const tips_object *objects, int n_objects,
                              size_t at, tips_bytes *out) TIPS_MUST_CHECK;
tips_picture_finds tips__finds_in(const tips_bytes *bytes, size_t at);

/* The threshold of a rule of COCO's, to the last bit as NumPy's linspace makes it. */
double tips__coco_threshold(int rule);

#endif
