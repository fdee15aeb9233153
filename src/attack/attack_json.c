/* Attacks and corruptions as JSON. */
#include "attack/attack_json.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "evaluate/evaluate_json.h"

#include <math.h>

const char tips__attack_not_comparable[] =
    "Corruptions are made on the fly: errors and mCE are not comparable with those of the published sets, whose "
    "pictures were made once, with other random numbers, and stored as files.";

static void put_figures(tips_json *json, const tips_figures *figures) {
    const tips_metric *metric;
    for (int i = 0; (metric = tips__metric_at(figures->task, i)); i++)
        if (metric->need == TIPS_NEEDS_NOTHING)
            tips__json_figure(json, metric->name, tips__figure_at(figures, i));
}

static void put_attack(tips_json *json, const tips_attack_result *r, int i) {
    const tips_attack_case *one = &r->plan.cases[i];
    const tips_attack_spec *spec = &r->plan.attacks[one->attack];
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", one->name);
    tips__json_text(json, "attack", one->text);
    tips__json_text(json, "method", spec->method->name);
    if (spec->method->variant(&spec->config)[0]) tips__json_text(json, "variant", spec->method->variant(&spec->config));
    tips__json_number(json, spec->method->strength, tips__attack_strength(&r->plan, one));
    tips__json_int(json, "images", r->images[i]);
    put_figures(json, &r->figures[i]);
    tips__json_close_object(json);
}

static void put_corruption(tips_json *json, const tips_attack_result *r, int i) {
    const tips_attack_case *one = &r->plan.cases[i];
    const tips_corruption *c = &tips__corruptions[one->corruption];
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", one->name);
    tips__json_text(json, "corruption", c->name);
    tips__json_text(json, "group", tips__corruption_groups[c->group]);
    tips__json_int(json, "severity", one->severity);
    tips__json_int(json, "images", r->images[i]);
    put_figures(json, &r->figures[i]);
    tips__json_close_object(json);
}

static void put_row(tips_json *json, const tips_corruption *c, const tips_corruption_result *row) {
    tips__json_open_object(json, c->name);
    tips__json_open_array(json, "errors");
    for (int s = 0; s < TIPS_SEVERITIES; s++) tips__json_number(json, NULL, row->error[s]);
    tips__json_close_array(json);
    tips__json_number(json, "error", row->mean);
    if (!isnan(row->ce)) {
        tips__json_number(json, "ce", row->ce);
        tips__json_number(json, "relative_ce", row->relative);
    }
    tips__json_close_object(json);
}

static bool was_measured(const tips_corruption_result *row) {
    for (int s = 0; s < TIPS_SEVERITIES; s++)
        if (!isnan(row->error[s])) return true;
    return false;
}

static void put_groups(tips_json *json, const char *key, const double *groups) {
    tips__json_open_object(json, key);
    for (int g = 0; g < TIPS_CORRUPT_GROUPS; g++) tips__json_number(json, tips__corruption_groups[g], groups[g]);
    tips__json_close_object(json);
}

static void put_summary(tips_json *json, const tips_attack_result *r) {
    const tips_corruption_summary *s = &r->summary;
    tips__json_open_object(json, "corruption_summary");
    tips__json_bool(json, "comparable_with_published", false);
    tips__json_text(json, "remark", tips__attack_not_comparable);
    tips__json_int(json, "constants", r->plan.scale == TIPS_CORRUPT_224 ? 224 : 32);
    tips__json_int(json, "jpeg_quality", r->plan.jpeg);
    tips__json_text(json, "frost", r->plan.with_frost ? "pictures" : "procedural");
    tips__json_number(json, "error", s->error);
    tips__json_int(json, "corruptions", s->measured);
    put_groups(json, "groups", s->groups);
    tips__json_number(json, "mce", s->mce);
    tips__json_number(json, "relative_mce", s->relative);
    tips__json_int(json, "mce_corruptions", s->counted);
    if (s->counted > 0) put_groups(json, "group_mce", s->group_mce);
    tips__json_open_object(json, "by_corruption");
    for (int i = 0; i < TIPS_CORRUPTIONS; i++)
        if (was_measured(&s->rows[i])) put_row(json, &tips__corruptions[i], &s->rows[i]);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

void tips__attack_put_fields(tips_json *json, const tips_attack_result *r) {
    const tips_attack_plan *plan = &r->plan;
    bool corrupts = false;
    tips__json_open_array(json, "attacks");
    for (int i = 0; i < r->done; i++)
        if (plan->cases[i].attack >= 0) put_attack(json, r, i);
    tips__json_close_array(json);
    tips__json_open_array(json, "corruptions");
    for (int i = 0; i < r->done; i++) {
        if (plan->cases[i].corruption < 0) continue;
        corrupts = true;
        put_corruption(json, r, i);
    }
    tips__json_close_array(json);
    if (corrupts) put_summary(json, r);
    if (r->interrupted) tips__json_bool(json, "attack_interrupted", true);
}

void tips__attack_put(tips_json *json, const tips_attack_result *r) {
    const tips_evaluate_result *clean = &r->clean;
    tips__json_open_object(json, NULL);
    tips__evaluate_put_subject(json, clean, &clean->models[0]);
    tips__json_open_object(json, "clean");
    put_figures(json, &r->clean_figures);
    tips__json_close_object(json);
    tips__attack_put_fields(json, r);
    tips__json_bool(json, "interrupted", r->interrupted);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", r->seconds);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

static tips_status save(tips_json *json, const char *path) {
    const char *text;
    size_t length;
    TIPS_TRY(tips__json_result(json, &text, &length));
    return tips__atomic_save(path, text, length);
}

tips_status tips__attack_save(const tips_attack_result *r, const char *path) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    tips__attack_put(json, r);
    const tips_status status = save(json, path);
    tips__json_destroy(json);
    return status;
}
