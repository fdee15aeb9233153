/* Predictions as tables: of pictures, and of the steps of a sequence. */
#include "predict_print.h"

#include "cli.h"
#include "core/text_table.h"

#include <math.h>
#include <string.h>

static const char *class_name(const tips_predict_result *r, int class, char *buffer, size_t size) {
    if (r->class_names) return r->class_names[class];
    snprintf(buffer, size, "%d", class);
    return buffer;
}

static void add_number(tips_text_table *table, const char *format, double value) {
    if (isnan(value)) tips__table_cell(table, "-");
    else tips__table_cell(table, format, value);
}

static bool is_mask(const tips_predict_result *r) { return r->kind == TIPS_PREDICTS_MASKS; }

static void add_rows(tips_text_table *table, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    for (int i = 0; i < p->n_classes; i++) {
        char number[16];
        tips__table_cell(table, "%s", i == 0 ? p->name : "");
        if (is_mask(r) && i == 0) tips__table_cell(table, "%dx%d", p->size[0], p->size[1]);
        else if (is_mask(r)) tips__table_cell(table, "%s", "");
        tips__table_cell(table, "%s", class_name(r, p->classes[i], number, sizeof number));
        if (is_mask(r)) tips__table_cell(table, "%.2f %%", p->share[i]);
        else tips__table_cell(table, "%.4f", p->probability[i]);
        if (!stability) continue;
        if (i == 0 && !isnan(p->stability)) tips__table_cell(table, is_mask(r) ? "%.2f %%" : "%.1f %%", p->stability);
        else tips__table_cell(table, "%s", i == 0 ? "-" : "");
    }
}

static void add_blanks(tips_text_table *table, int count) {
    for (int i = 0; i < count; i++) tips__table_cell(table, "%s", "");
}

static void add_box(tips_text_table *table, const tips_predict_result *r, const tips_detection *d) {
    const double edges[4] = {d->x, d->y, d->w, d->h};
    char number[16];
    tips__table_cell(table, "%s", class_name(r, d->label, number, sizeof number));
    tips__table_cell(table, "%.3f", d->score);
    for (int k = 0; k < 4; k++) tips__table_cell(table, "%.1f", edges[k]);
}

static void add_boxes(tips_text_table *table, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    for (int i = 0; i < p->n_shown || i == 0; i++) {
        tips__table_cell(table, "%s", i == 0 ? p->name : "");
        if (i == 0) tips__table_cell(table, "%dx%d", p->size[0], p->size[1]);
        else add_blanks(table, 1);
        if (i < p->n_shown) add_box(table, r, &p->boxes[i]);
        else tips__table_cell(table, "nothing"), add_blanks(table, 5);
        if (stability && i > 0) add_blanks(table, 2);
        if (!stability || i > 0) continue;
        add_number(table, "%.2f %%", p->stability);
        add_number(table, "%.3f px", tips__jitter_edges(&p->jitter));
    }
}

static tips_status print_boxes(const tips_predict_result *r, bool stability, FILE *file) {
    const char *const columns[] = {"picture",     ">size",   "class",
                                   ">score",      ">left",   ">top",
                                   ">width",      ">height", stability ? ">stability" : NULL,
                                   ">box jitter", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->count; i++) add_boxes(table, r, &r->predictions[i], stability);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static tips_status print_pictures(const tips_predict_result *r, bool stability, FILE *file) {
    const char *const of_classes[] = {"picture", "class", ">probability", stability ? ">stability" : NULL, NULL};
    const char *const of_masks[] = {"picture", ">size", "class", ">share", stability ? ">stability" : NULL, NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(is_mask(r) ? of_masks : of_classes, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->count; i++) add_rows(table, r, &r->predictions[i], stability);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static const char *file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_jitter(tips_text_table *table, const tips_jitter *j) {
    tips__table_cell(table, "%.0f", j->pairs);
    add_number(table, "%.3f px", tips__jitter_edges(j));
    add_number(table, "%.2f %%", 100 * tips__jitter_scores(j));
    add_number(table, "%.2f %%", 100 * tips__jitter_vanishing(j));
}

static tips_status print_steps(const tips_predict_result *r, FILE *file) {
    static const char *const of_masks[] = {"from", "to", ">motion", ">pixels", ">changed", NULL};
    static const char *const of_boxes[] = {"from",          "to",         ">motion", ">boxes in both", ">box jitter",
                                           ">score jitter", ">vanishing", NULL};
    const tips_prediction *frames = r->predictions + r->count - r->frames;
    tips_text_table *table;
    tips_status status = tips__table_create(is_mask(r) ? of_masks : of_boxes, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_steps; i++) {
        const tips_predict_step *s = &r->steps[i];
        tips__table_cell(table, "%s", file_of(frames[i].name));
        tips__table_cell(table, "%s", file_of(frames[i + 1].name));
        tips__table_cell(table, "%d, %d", s->motion[0], s->motion[1]);
        if (is_mask(r)) {
            tips__table_cell(table, "%lld", (long long)s->pixels);
            add_number(table, "%.2f %%", s->changed);
        } else add_jitter(table, &s->jitter);
    }
    fputc('\n', file);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void print_files(const tips_predict_result *r, FILE *file) {
    const tips_prediction *first = r->predictions;
    if (r->count == 0 || !(first->mask || first->drawing)) return;
    if (first->mask) fprintf(file, "\nMasks and overlays: %s, %s", cli_shown(first->mask), cli_shown(first->overlay));
    else fprintf(file, "\nDrawings: %s", cli_shown(first->drawing));
    if (r->count > 1) fprintf(file, " and %d more%s", r->count - 1, first->mask ? " of each" : "");
    fputs(".\n", file);
    if (!r->flicker_map) return;
    fprintf(file, is_mask(r) ? "How often each pixel changed: %s.\n" : "Jitter by step: %s.\n",
            cli_shown(r->flicker_map));
}

static void explain_stability(const tips_predict_result *r, FILE *file) {
    switch (r->kind) {
    case TIPS_PREDICTS_CLASSES:
        fprintf(file, "\nStability is the share of %d standard shifts that keep the answer.\n", r->shifts);
        break;
    case TIPS_PREDICTS_MASKS:
        fprintf(file, "\nStability is the share of pixels that keep their class, mean over %d standard shifts.\n",
                r->shifts);
        break;
    case TIPS_PREDICTS_BOXES:
        fprintf(file,
                "\nStability is the share of boxes that are the same with the shift undone, mean over %d standard "
                "shifts; box jitter is how far their edges move, in pixels of the input.\n",
                r->shifts);
        break;
    }
}

static void explain_sequence(const tips_predict_result *r, FILE *file) {
    const tips_jitter *j = &r->jitter;
    if (r->frames > 1 && r->kind == TIPS_PREDICTS_CLASSES)
        fprintf(file, "\nThe answer flips %d times in %d frames: %.2f %% of the steps.\n", r->flips, r->frames,
                r->flip_rate);
    if (!isnan(r->flicker) && r->n_steps > 0)
        fprintf(file, "\nFlicker: %.3f %% of the pixels change their class from frame to frame, mean over %d steps.\n",
                r->flicker, r->n_steps);
    if (r->kind != TIPS_PREDICTS_BOXES || r->n_steps == 0) return;
    if (j->pairs + j->lone == 0) fprintf(file, "\nNo boxes to compare in %d steps.\n", r->n_steps);
    else {
        fprintf(file, "\nFlicker over %d steps: ", r->n_steps);
        if (j->pairs > 0)
            fprintf(file, "edges of boxes move by %.3f px and scores by %.2f points, and ", tips__jitter_edges(j),
                    100 * tips__jitter_scores(j));
        fprintf(file, "%.2f %% of the boxes appear or vanish.\n", 100 * tips__jitter_vanishing(j));
    }
}

tips_status predict_print_table(const tips_predict_result *r, bool stability, FILE *file) {
    tips_status status =
        r->kind == TIPS_PREDICTS_BOXES ? print_boxes(r, stability, file) : print_pictures(r, stability, file);
    if (status == TIPS_OK && r->n_steps > 0) status = print_steps(r, file);
    if (stability) explain_stability(r, file);
    explain_sequence(r, file);
    print_files(r, file);
    return status;
}
