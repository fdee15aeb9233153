/* From the result of an evaluation to the values of a report. */
#include "report/report_gather.h"
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "evaluate/evaluate_remarks.h"
#include "task/detect_score.h"

#include <string.h>

static tips_status take_map(const tips_heatmap *map, tips_report_shift *s) {
    const int cells = tips__range_cells(&map->range);
    TIPS_TRY(tips__new(&s->cells, (size_t)cells * sizeof *s->cells, "a heat map"));
    for (int i = 0; i < cells; i++) s->cells[i] = tips__heatmap_share(map, i);
    memcpy(s->low, map->range.low, sizeof s->low);
    memcpy(s->high, map->range.high, sizeof s->high);
    s->map_images = map->images;
    return TIPS_OK;
}

/* Of detectors the boxes that vanish; else what does not stay, as far as it was measured. */
static tips_figure one_pixel_of(const tips_shift_result *from, int kind) {
    const int vanishing = kind == TIPS_STANDARD ? TIPS_DETECT_STANDARD_VANISHING : TIPS_DETECT_CIRCULAR_VANISHING;
    if (from->n_set_levels > 0) return from->set_levels[0].own[vanishing];
    return from->n_levels > 0 ? tips__report_rest(from->levels[0].consistency) : tips__figure_none();
}

static tips_status take_shift(const tips_shift_result *from, int kind, tips_report_shift *s) {
    s->one_pixel = one_pixel_of(from, kind);
    if (from->heatmap.images > 0) TIPS_TRY(take_map(&from->heatmap, s));
    if (from->n_levels < 2) return s->cells ? tips__report_levels_from_map(s) : TIPS_OK;
    TIPS_TRY(tips__report_new_levels(s, from->n_levels));
    for (int i = 0; i < from->n_levels; i++) {
        s->sizes[i] = from->levels[i].size;
        s->levels[i] = from->levels[i].consistency;
    }
    s->n_levels = from->n_levels;
    return TIPS_OK;
}

static tips_status take_layers(const tips_model_result *m, tips_report_evaluation *e) {
    if (m->n_layers == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&e->layers, (size_t)m->n_layers * sizeof *e->layers, "layers"));
    for (int i = 0; i < m->n_layers; i++) {
        tips_report_layer *layer = &e->layers[e->n_layers++];
        layer->msb = m->layers[i].msb;
        layer->nontrivial = m->layers[i].nontrivial;
        TIPS_TRY(tips__report_copy(m->layers[i].name, &layer->name));
    }
    return TIPS_OK;
}

static tips_status take_remarks(const tips_model_result *m, tips_report_evaluation *e) {
    char text[TIPS_REMARK_SIZE];
    tips_text all = {0};
    for (int i = 0; tips__evaluate_remark(m, i, text); i++) tips__text_print(&all, "%s%s", i ? " " : "", text);
    e->remarks = all.data;
    return tips__text_check(&all);
}

tips_status tips__report_take_result(const tips_evaluate_result *r, const tips_model_result *m,
                                     tips_report_evaluation *e) {
    e->figures = m->figures;
    e->images = m->images;
    e->pairs = r->pairs;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) TIPS_TRY(take_shift(&m->shift[kind], kind, &e->shift[kind]));
    TIPS_TRY(take_layers(m, e));
    TIPS_TRY(take_remarks(m, e));
    TIPS_TRY(tips__report_copy(m->border, &e->border));
    TIPS_TRY(tips__report_copy(r->command, &e->command));
    TIPS_TRY(tips__report_copy(r->split, &e->split));
    TIPS_TRY(tips__report_copy(r->protocol->name, &e->protocol));
    return tips__report_copy(r->data, &e->data);
}
