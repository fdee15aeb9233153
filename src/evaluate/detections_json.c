/* The figures of detections as JSON. */
#include "evaluate/detections.h"

#include "core/fail.h"
#include "evaluate/evaluate_json.h"

enum { REMARK = 256 };

static void put_remarks(tips_json *json, const tips_detections_result *r) {
    char text[REMARK];
    tips__json_open_array(json, "remarks");
    for (int i = 0; tips__detections_remark(r, i, text, sizeof text); i++) tips__json_text(json, NULL, text);
    tips__json_close_array(json);
}

void tips__detections_put(tips_json *json, const tips_detections_result *r) {
    const tips_metric *task = r->figures.task;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "detections", r->file);
    tips__json_text(json, "data", r->data);
    tips__json_text(json, "format", r->format);
    tips__json_text(json, "split", r->split);
    tips__json_int(json, "images", r->images);
    tips__json_int(json, "objects", r->objects);
    tips__json_int(json, "boxes", r->detections);
    tips__json_int(json, "other_categories", r->other_categories);
    put_remarks(json, r);
    for (int i = 0; task[i].name; i++)
        if (task[i].need == TIPS_NEEDS_NOTHING) tips__json_figure(json, task[i].name, r->figures.own[i]);
    tips__json_open_array(json, "per_class");
    for (int i = 0; i < r->n_classes; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", r->classes[i].name);
        tips__json_figure(json, "ap", r->classes[i].figure);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", r->seconds);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

tips_status tips__detections_save(const tips_detections_result *r, const char *path) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    tips__detections_put(json, r);
    const tips_status status = tips__evaluate_save_json(json, path, "\n");
    tips__json_destroy(json);
    return status;
}
