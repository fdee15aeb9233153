/* The result of an evaluation as JSON: what `tips eval` prints and what eval.json in the folder of a run holds. */
#include "evaluate/evaluate_json.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/keep_input.h"

#include "evaluate/evaluate_remarks.h"

#include <math.h>
#include <string.h>

const char tips__eval_name[] = "eval.json";

void tips__json_figure(tips_json *json, const char *key, tips_figure figure) {
    if (isnan(figure.value) || isnan(figure.low)) { /* nothing, or no interval */
        tips__json_number(json, key, figure.value);
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
    if (strcmp(m->task, tips__tasks[0]->name) != 0) tips__json_text(json, "task", m->task); /* else that of old */
    tips__json_text(json, "arch", m->arch);
    tips__json_text(json, "pool", m->pool);
    tips__json_int(json, "lpf", m->lpf);
    tips__json_text(json, "padding", m->padding);
    tips__json_int(json, "channels", m->channels);
    put_pair(json, "size", m->size);
    tips__input_put(json, "input", &m->input);
    tips__json_int(json, "classes", m->classes);
    if (m->boxes[0]) tips__json_text(json, "boxes", m->boxes);
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
    tips__json_text(json, "command", r->command);
}

/* Those of the heat map are in its object, those of frames only where there are any. */
static void put_figures(tips_json *json, const tips_figures *figures, bool sequence, bool sets) {
    const tips_metric *metric;
    for (int i = 0; (metric = tips__metric_at(figures->task, i)); i++) {
        const tips_metric_need need = metric->need;
        if (need == TIPS_NEEDS_NOTHING || need == TIPS_NEEDS_MSB || (need == TIPS_NEEDS_SEQUENCE && sequence) ||
            (need == TIPS_NEEDS_SET_SHIFTS && sets))
            tips__json_figure(json, metric->name, tips__figure_at(figures, i));
    }
}

static void put_layers(tips_json *json, const tips_model_result *m) {
    tips__json_open_array(json, "layers");
    for (int i = 0; i < m->n_layers; i++) {
        const tips_msb_result *layer = &m->layers[i];
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", layer->name);
        tips__json_figure(json, tips__common_metrics[TIPS_METRIC_MSB].name, layer->msb);
        tips__json_figure(json, tips__common_metrics[TIPS_METRIC_MSB_NONTRIVIAL].name, layer->nontrivial);
        tips__json_int(json, "windows", layer->windows);
        tips__json_int(json, "nontrivial_windows", layer->nontrivial_windows);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_class_map(tips_json *json, const tips_class_map *map) {
    tips__json_open_object(json, "class_outputs");
    tips__json_text(json, "by", tips__class_rule_names[map->by]);
    tips__json_bool(json, "guessed", map->by == TIPS_CLASSES_BY_ORDER);
    tips__json_open_array(json, "classes");
    for (int i = 0; i < map->count; i++) tips__json_text(json, NULL, map->names[i]);
    tips__json_close_array(json);
    tips__json_open_array(json, "outputs");
    for (int i = 0; i < map->count; i++) tips__json_int(json, NULL, map->outputs[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static void put_classes(tips_json *json, const tips_model_result *m) {
    if (!m->classes_own) return;
    tips__json_open_array(json, "per_class");
    for (int i = 0; i < m->classes; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", m->classes_own[i].name);
        tips__json_figure(json, m->class_metric, m->classes_own[i].figure);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_levels(tips_json *json, const char *key, const tips_shift_result *s) {
    tips__json_open_array(json, key);
    for (int i = 0; i < s->n_levels; i++) {
        tips__json_open_object(json, NULL);
        tips__json_int(json, "size", s->levels[i].size);
        tips__json_figure(json, "consistency", s->levels[i].consistency);
        tips__json_figure(json, "fidelity", s->levels[i].fidelity);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_sets(tips_json *json, const tips_model_result *m) {
    if (m->set_shifts == 0) return;
    tips__json_int(json, "set_shifts", (int64_t)m->set_shifts * m->set_shifts);
    tips__json_text(json, "set_frame", tips__frame_names[m->set_frame]);
}

static void put_set_levels(tips_json *json, int kind, const tips_model_result *m) {
    const tips_metric *task = m->figures.task;
    const tips_shift_result *s = &m->shift[kind];
    tips__json_open_array(json, tips__kind_names[kind]);
    for (int i = 0; i < s->n_set_levels; i++) {
        tips__json_open_object(json, NULL);
        tips__json_int(json, "size", s->set_levels[i].size);
        for (int k = 0; task[k].name; k++)
            if (task[k].need == TIPS_NEEDS_SET_SHIFTS && task[k].kind == kind)
                tips__json_figure(json, tips__metric_base(&task[k]), s->set_levels[i].own[k]);
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

static void put_heatmap(tips_json *json, int kind, const tips_model_result *m) {
    const tips_heatmap *map = &m->shift[kind].heatmap;
    const tips_metric *metric;
    tips__json_open_object(json, tips__kind_names[kind]);
    tips__json_int(json, "images", map->images);
    put_pair(json, "low", map->range.low);
    put_pair(json, "high", map->range.high);
    for (int i = 0; (metric = tips__metric_at(m->figures.task, i)); i++)
        if (metric->need == TIPS_NEEDS_HEATMAP && metric->kind == kind)
            tips__json_figure(json, tips__metric_base(metric), tips__figure_at(&m->figures, i));
    put_cells(json, map);
    tips__json_close_object(json);
}

static void put_details(tips_json *json, const tips_model_result *m) {
    if (m->shift[0].n_levels + m->shift[1].n_levels > 0) {
        tips__json_open_object(json, "levels");
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) put_levels(json, tips__kind_names[kind], &m->shift[kind]);
        tips__json_close_object(json);
    }
    if (m->shift[0].n_set_levels > 0) {
        tips__json_open_object(json, "set_levels");
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) put_set_levels(json, kind, m);
        tips__json_close_object(json);
    }
    if (m->shift[0].heatmap.images == 0) return;
    tips__json_open_object(json, "heatmap");
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) put_heatmap(json, kind, m);
    tips__json_close_object(json);
}

static void put_frequent(tips_json *json, const tips_frequent *f) {
    if (isnan(f->answer)) return;
    tips__json_open_object(json, "most_frequent");
    tips__json_int(json, "answer", f->number);
    tips__json_number(json, "answer_share", f->answer);
    tips__json_number(json, "label_share", f->label);
    if (f->of_pixels) tips__json_text(json, "of", "pixels");
    tips__json_close_object(json);
}

static void put_remarks(tips_json *json, const tips_model_result *m) {
    char text[TIPS_REMARK_SIZE];
    if (m->interrupted) {
        tips__json_bool(json, "interrupted", true);
        tips__json_int(json, "images_wanted", m->wanted);
    }
    put_frequent(json, &m->frequent);
    tips__json_bool(json, "own_training_pictures", m->saw_them);
    tips__warnings_put(json, tips__evaluate_rules, m);
    if (!tips__evaluate_remark(m, 0, text)) return;
    tips__json_open_array(json, "remarks");
    for (int i = 0; tips__evaluate_remark(m, i, text); i++) tips__json_text(json, NULL, text);
    tips__json_close_array(json);
}

void tips__evaluate_put_subject(tips_json *json, const tips_evaluate_result *r, const tips_model_result *m) {
    put_network(json, m);
    put_run(json, r);
    tips__json_int(json, "images", m->images);
    tips__pictures_put(json, &m->pictures, tips__evaluate_data(r));
    put_class_map(json, &m->class_map);
    put_remarks(json, m);
}

void tips__evaluate_put_fields(tips_json *json, const tips_evaluate_result *r, const tips_model_result *m) {
    tips__evaluate_put_subject(json, r, m);
    tips__json_text(json, "border", m->border);
    put_sets(json, m);
    put_figures(json, &m->figures, r->protocol->sequence, m->set_shifts > 0);
    put_classes(json, m);
    put_layers(json, m);
    put_details(json, m);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", m->seconds);
    tips__json_close_object(json);
}

/* From the first model, on the pictures that both answered. */
static void put_differences(tips_json *json, const tips_evaluate_result *r, int i) {
    if (i == 0 || r->models[i].each.images != r->models[0].each.images) return;
    tips__json_open_object(json, "differences");
    tips__json_text(json, "from", r->models[0].name);
    tips__picture_values_put_differences(json, &r->models[0].each, &r->models[i].each);
    tips__json_close_object(json);
}

static void put_model(tips_json *json, const tips_evaluate_result *r, int i) {
    tips__json_open_object(json, NULL);
    tips__evaluate_put_fields(json, r, &r->models[i]);
    put_differences(json, r, i);
    if (r->per_picture) tips__picture_values_put(json, &r->models[i].each);
    if (r->put_more) r->put_more(r->more, json, i);
    tips__json_close_object(json);
}

void tips__evaluate_put(tips_json *json, const tips_evaluate_result *r) {
    if (r->n_models == 1 && !r->several) {
        put_model(json, r, 0);
        return;
    }
    tips__json_open_object(json, NULL);
    if (r->interrupted) tips__json_bool(json, "interrupted", true);
    tips__json_open_array(json, "models");
    for (int i = 0; i < r->n_models; i++) put_model(json, r, i);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

tips_status tips__evaluate_save_json(tips_json *json, const char *path, const char *end) {
    const char *text;
    size_t length;
    tips_atomic_file *file;
    TIPS_TRY(tips__json_result(json, &text, &length));
    TIPS_TRY(tips__atomic_open(path, &file));
    tips_status status = tips__atomic_write(file, text, length);
    if (status == TIPS_OK) status = tips__atomic_write(file, end, strlen(end));
    if (status == TIPS_OK) return tips__atomic_commit(file);
    tips__atomic_abandon(file);
    return status;
}

static tips_status save_result(const tips_evaluate_result *r, const char *path, const char *end) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    tips__evaluate_put(json, r);
    const tips_status status = tips__evaluate_save_json(json, path, end);
    tips__json_destroy(json);
    return status;
}

tips_status tips__evaluate_save(const tips_evaluate_result *r, const char *path) {
    tips_evaluate_result whole = *r;
    whole.per_picture = true;
    return save_result(&whole, path, "");
}

tips_status tips__evaluate_save_printed(const tips_evaluate_result *r, const char *path) {
    return save_result(r, path, "\n");
}

tips_status tips__evaluate_keep_inputs(const tips_evaluate_config *c, const char *output) {
    TIPS_TRY(tips__keep_inputs(c->models, output));
    TIPS_TRY(tips__keep_input(c->input.labels, output));
    return tips__keep_input(c->data, output);
}
