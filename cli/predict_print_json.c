/* Predictions as JSON. */
#include "predict_print.h"

#include "core/json.h"

static void put_class(tips_json *json, const tips_predict_result *r, const tips_prediction *p, int i) {
    tips__json_open_object(json, NULL);
    tips__json_int(json, "class", p->classes[i]);
    tips__json_text(json, "name", r->class_names ? r->class_names[p->classes[i]] : NULL);
    if (r->kind == TIPS_PREDICTS_MASKS) tips__json_number(json, "share", p->share[i]);
    else tips__json_number(json, "probability", p->probability[i]);
    tips__json_close_object(json);
}

static void put_box(tips_json *json, const tips_predict_result *r, const tips_detection *d) {
    const double edges[4] = {d->x, d->y, d->w, d->h};
    tips__json_open_object(json, NULL);
    tips__json_int(json, "class", d->label);
    tips__json_text(json, "name", r->class_names ? r->class_names[d->label] : NULL);
    tips__json_number(json, "score", d->score);
    tips__json_open_array(json, "box");
    for (int i = 0; i < 4; i++) tips__json_number(json, NULL, edges[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static void put_jitter(tips_json *json, const tips_jitter *j) {
    tips__json_number(json, "box_jitter", tips__jitter_edges(j));
    tips__json_number(json, "centre_jitter", tips__jitter_centres(j));
    tips__json_number(json, "score_jitter", 100 * tips__jitter_scores(j));
    tips__json_number(json, "vanishing", 100 * tips__jitter_vanishing(j));
    tips__json_int(json, "pairs", (int64_t)j->pairs);
    tips__json_int(json, "lone", (int64_t)j->lone);
}

static void put_size(tips_json *json, const tips_prediction *p) {
    tips__json_int(json, "height", p->size[0]);
    tips__json_int(json, "width", p->size[1]);
}

static void put_answer(tips_json *json, const tips_predict_result *r, const tips_prediction *p) {
    switch (r->kind) {
    case TIPS_PREDICTS_CLASSES: tips__json_open_array(json, "top"); break;
    case TIPS_PREDICTS_MASKS:
        put_size(json, p);
        tips__json_text(json, "mask", p->mask);
        tips__json_text(json, "overlay", p->overlay);
        tips__json_open_array(json, "classes");
        break;
    case TIPS_PREDICTS_BOXES:
        put_size(json, p);
        tips__json_text(json, "drawing", p->drawing);
        if (r->has_ids) tips__json_int(json, "image_id", p->id);
        tips__json_open_array(json, "boxes");
        for (int i = 0; i < p->n_shown; i++) put_box(json, r, &p->boxes[i]);
        break;
    }
    for (int i = 0; i < p->n_classes; i++) put_class(json, r, p, i);
    tips__json_close_array(json);
}

static void put_prediction(tips_json *json, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "picture", p->name);
    put_answer(json, r, p);
    if (stability) tips__json_number(json, "stability", p->stability);
    if (stability && r->kind == TIPS_PREDICTS_BOXES) put_jitter(json, &p->jitter);
    tips__json_close_object(json);
}

static void put_steps(tips_json *json, const tips_predict_result *r) {
    const tips_prediction *frames = r->predictions + r->count - r->frames;
    const bool boxes = r->kind == TIPS_PREDICTS_BOXES;
    if (boxes) put_jitter(json, &r->jitter);
    else tips__json_number(json, "flicker", r->flicker);
    tips__json_text(json, boxes ? "chart" : "map", r->flicker_map);
    tips__json_open_array(json, "steps");
    for (int i = 0; i < r->n_steps; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "from", frames[i].name);
        tips__json_text(json, "to", frames[i + 1].name);
        tips__json_open_array(json, "motion");
        for (int axis = 0; axis < 2; axis++) tips__json_int(json, NULL, r->steps[i].motion[axis]);
        tips__json_close_array(json);
        if (boxes) put_jitter(json, &r->steps[i].jitter);
        else {
            tips__json_int(json, "pixels", r->steps[i].pixels);
            tips__json_number(json, "changed", r->steps[i].changed);
        }
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_result(tips_json *json, const tips_predict_result *r, bool stability) {
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "predictions");
    for (int i = 0; i < r->count; i++) put_prediction(json, r, &r->predictions[i], stability);
    tips__json_close_array(json);
    if (r->input.channels > 0) tips__input_put(json, "input", &r->input);
    tips__warnings_put(json, tips__predict_rules, r);
    if (stability) tips__json_int(json, "shifts", r->shifts);
    if (r->kind == TIPS_PREDICTS_BOXES) tips__json_number(json, "shown", r->shown);
    if (r->frames > 0) {
        tips__json_open_object(json, "sequence");
        tips__json_int(json, "frames", r->frames);
        if (r->kind != TIPS_PREDICTS_CLASSES) put_steps(json, r);
        else {
            tips__json_int(json, "flips", r->flips);
            tips__json_number(json, "flip_rate", r->flip_rate);
        }
        tips__json_close_object(json);
    }
    tips__json_close_object(json);
}

tips_status predict_print_json(const tips_predict_result *r, bool stability, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    put_result(json, r, stability);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}
