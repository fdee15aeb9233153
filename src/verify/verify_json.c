/* The result of a verification as JSON. */
#include "verify/verify_json.h"

static void put_layer(tips_json *json, const tips_verify_result *r, const tips_verify_layer *layer) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", layer->name);
    tips__json_text(json, "type", layer->type);
    tips__json_int(json, "channels", layer->channels);
    tips__json_int(json, "height", layer->height);
    tips__json_int(json, "width", layer->width);
    tips__json_int(json, "differing_bits", (int64_t)layer->differing_bits);
    tips__json_number(json, "max_abs_error", layer->max_abs_error);
    tips__json_number(json, "max_rel_error", layer->max_rel_error);
    tips__json_number(json, "margin", layer->margin);
    tips__json_bool(json, "exact", layer->exact);
    if (layer->behind >= 0) tips__json_text(json, "behind", r->layers[layer->behind].name);
    if (layer->hidden[0]) {
        tips__json_open_array(json, "hidden_stride");
        for (int i = 0; i < 2; i++) tips__json_int(json, NULL, layer->hidden[i]);
        tips__json_close_array(json);
    }
    tips__json_close_object(json);
}

static void put_config(tips_json *json, const tips_verify_result *r) {
    const tips_arch_config *c = &r->network;
    tips__json_open_object(json, "config");
    tips__json_text(json, "arch", r->arch);
    tips__json_text(json, "pool", r->pool);
    tips__json_int(json, "lpf", c->pool.lpf);
    tips__norm_put(json, &c->norm);
    tips__json_text(json, "padding", tips_pad_mode_names[c->padding]);
    tips__json_int(json, "channels", c->in_channels);
    tips__json_int(json, "height", c->size[0]);
    tips__json_int(json, "width", c->size[1]);
    if (r->arch) {
        tips__json_text(json, "stem", tips__stem_names[c->stem]);
        tips__json_int(json, "down", c->down);
        tips__json_int(json, "first_width", c->width);
        tips__json_int(json, "classes", c->classes);
        tips__input_put(json, "input", &r->input);
    }
    tips__json_int(json, "seed", r->seed);
    tips__json_text(json, "engine", r->engine);
    tips__json_close_object(json);
}

void tips__verify_put(tips_json *json, const char *key, const tips_verify_result *r) {
    tips__json_open_object(json, key);
    tips__json_bool(json, "exact", r->exact);
    tips__json_int(json, "differing_bits", (int64_t)r->differing_bits);
    tips__json_number(json, "max_abs_error", r->max_abs_error);
    tips__json_number(json, "max_rel_error", r->max_rel_error);
    tips__json_bool(json, "invariant", r->answer_changes == 0);
    tips__json_int(json, "answer_changes", r->answer_changes);
    tips__json_bool(json, "within_tolerance", r->within_tolerance);
    tips__json_text(json, "first_breaking_layer", r->first_breaking < 0 ? NULL : r->layers[r->first_breaking].name);
    tips__json_text(json, "reason", r->reason);
    tips__json_text(json, "advice", r->reason ? r->advice : NULL);
    tips__json_int(json, "shifts", r->shifts);
    if (r->interrupted) {
        tips__json_bool(json, "interrupted", true);
        tips__json_int(json, "shifts_wanted", r->wanted);
    }
    tips__json_number(json, "margin", r->margin);
    tips__json_text(json, "margin_layer", r->margin_layer < 0 ? NULL : r->layers[r->margin_layer].name);
    put_config(json, r);
    tips__json_open_array(json, "layers");
    for (int i = 0; i < r->n_layers; i++) put_layer(json, r, &r->layers[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}
