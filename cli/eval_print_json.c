/* The result of `tips eval` as JSON. */
#include "eval_print.h"

#include "core/json.h"

#include <math.h>

static void put_figure(tips_json *json, const char *key, tips_figure figure) {
    if (isnan(figure.value)) {
        tips__json_text(json, key, NULL);
        return;
    }
    tips__json_open_object(json, key);
    tips__json_number(json, "value", figure.value);
    tips__json_number(json, "low", figure.low);
    tips__json_number(json, "high", figure.high);
    tips__json_close_object(json);
}

static void put_pair(tips_json *json, const char *key, const int pair[2]) {
    tips__json_open_array(json, key);
    tips__json_int(json, NULL, pair[0]);
    tips__json_int(json, NULL, pair[1]);
    tips__json_close_array(json);
}

static void put_network(tips_json *json, const tips_model_result *m) {
    tips__json_text(json, "model", m->name);
    tips__json_text(json, "weights", m->is_random ? "random" : "file");
    tips__json_text(json, "arch", m->arch);
    tips__json_text(json, "pool", m->pool);
    tips__json_int(json, "lpf", m->lpf);
    tips__json_text(json, "padding", m->padding);
    tips__json_int(json, "channels", m->channels);
    put_pair(json, "size", m->size);
    tips__json_int(json, "classes", m->classes);
}

static void put_run(tips_json *json, const tips_evaluate_result *r) {
    tips__json_text(json, "format", r->format);
    tips__json_text(json, "data", r->data);
    tips__json_text(json, "split", r->split);
    tips__json_bool(json, "val_is_test", r->val_is_test);
    tips__json_int(json, "skipped", r->skipped);
    tips__json_text(json, "protocol", r->protocol->name);
    tips__json_int(json, "pairs", r->pairs);
    tips__json_int(json, "seed", r->seed);
}

static void put_shift_figures(tips_json *json, int kind, const tips_shift_result *s, bool sequence) {
    char key[64];
    snprintf(key, sizeof key, "%s_consistency", tips__kind_names[kind]);
    put_figure(json, key, s->consistency);
    snprintf(key, sizeof key, "%s_fidelity", tips__kind_names[kind]);
    put_figure(json, key, s->fidelity);
    snprintf(key, sizeof key, "%s_accuracy_x_consistency", tips__kind_names[kind]);
    tips__json_number(json, key, s->product);
    if (!sequence) return;
    snprintf(key, sizeof key, "%s_flip_probability", tips__kind_names[kind]);
    put_figure(json, key,
               (tips_figure){100 - s->consistency.value, 100 - s->consistency.high, 100 - s->consistency.low});
}

static void put_layers(tips_json *json, const tips_model_result *m) {
    tips__json_open_array(json, "layers");
    for (int i = 0; i < m->n_layers; i++) {
        const tips_msb_result *layer = &m->layers[i];
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", layer->name);
        put_figure(json, "msb", layer->msb);
        put_figure(json, "msb_nontrivial", layer->nontrivial);
        tips__json_int(json, "windows", layer->windows);
        tips__json_int(json, "nontrivial_windows", layer->nontrivial_windows);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_levels(tips_json *json, const char *key, const tips_shift_result *s) {
    tips__json_open_array(json, key);
    for (int i = 0; i < s->n_levels; i++) {
        tips__json_open_object(json, NULL);
        tips__json_int(json, "size", s->levels[i].size);
        put_figure(json, "consistency", s->levels[i].consistency);
        put_figure(json, "fidelity", s->levels[i].fidelity);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_cells(tips_json *json, const tips_heatmap *map) {
    tips__json_open_array(json, "consistency");
    for (int dy = map->range.low[0]; dy <= map->range.high[0]; dy++) {
        tips__json_open_array(json, NULL);
        for (int dx = map->range.low[1]; dx <= map->range.high[1]; dx++)
            tips__json_number(json, NULL, tips__heatmap_share(map, tips__range_cell(&map->range, dy, dx)));
        tips__json_close_array(json);
    }
    tips__json_close_array(json);
}

static void put_heatmap(tips_json *json, const char *key, const tips_shift_result *s) {
    const tips_heatmap *map = &s->heatmap;
    tips__json_open_object(json, key);
    tips__json_int(json, "images", map->images);
    put_pair(json, "low", map->range.low);
    put_pair(json, "high", map->range.high);
    put_figure(json, "worst_consistency", s->worst_consistency);
    put_figure(json, "worst_accuracy", s->worst_accuracy);
    put_cells(json, map);
    tips__json_close_object(json);
}

static void put_details(tips_json *json, const tips_model_result *m) {
    if (m->shift[0].n_levels + m->shift[1].n_levels > 0) {
        tips__json_open_object(json, "levels");
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) put_levels(json, tips__kind_names[kind], &m->shift[kind]);
        tips__json_close_object(json);
    }
    if (m->shift[0].heatmap.images == 0) return;
    tips__json_open_object(json, "heatmap");
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) put_heatmap(json, tips__kind_names[kind], &m->shift[kind]);
    tips__json_close_object(json);
}

static void put_model(tips_json *json, const tips_evaluate_result *r, const tips_model_result *m) {
    tips__json_open_object(json, NULL);
    put_network(json, m);
    put_run(json, r);
    tips__json_int(json, "images", m->images);
    put_figure(json, "accuracy", m->accuracy);
    put_figure(json, "top5", m->top5);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++)
        put_shift_figures(json, kind, &m->shift[kind], r->protocol->sequence);
    put_figure(json, "msb", m->msb);
    put_figure(json, "msb_nontrivial", m->msb_nontrivial);
    put_layers(json, m);
    put_details(json, m);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", m->seconds);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

static void put_result(tips_json *json, const tips_evaluate_result *r) {
    if (r->n_models == 1) {
        put_model(json, r, &r->models[0]);
        return;
    }
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "models");
    for (int i = 0; i < r->n_models; i++) put_model(json, r, &r->models[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

tips_status cli_print_eval_json(const tips_evaluate_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    put_result(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}
