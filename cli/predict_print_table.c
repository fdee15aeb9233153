/* Predictions as tables: of pictures, and of the steps of a sequence of masks. */
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

static void add_rows(tips_text_table *table, const tips_predict_result *r, const tips_prediction *p, bool stability) {
    for (int i = 0; i < p->n_classes; i++) {
        char number[16];
        tips__table_cell(table, "%s", i == 0 ? p->name : "");
        if (r->masks && i == 0) tips__table_cell(table, "%dx%d", p->size[0], p->size[1]);
        else if (r->masks) tips__table_cell(table, "%s", "");
        tips__table_cell(table, "%s", class_name(r, p->classes[i], number, sizeof number));
        if (r->masks) tips__table_cell(table, "%.2f %%", p->share[i]);
        else tips__table_cell(table, "%.4f", p->probability[i]);
        if (!stability) continue;
        if (i == 0 && !isnan(p->stability)) tips__table_cell(table, r->masks ? "%.2f %%" : "%.1f %%", p->stability);
        else tips__table_cell(table, "%s", i == 0 ? "-" : "");
    }
}

static tips_status print_pictures(const tips_predict_result *r, bool stability, FILE *file) {
    const char *const of_classes[] = {"picture", "class", ">probability", stability ? ">stability" : NULL, NULL};
    const char *const of_masks[] = {"picture", ">size", "class", ">share", stability ? ">stability" : NULL, NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(r->masks ? of_masks : of_classes, &table);
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

static tips_status print_steps(const tips_predict_result *r, FILE *file) {
    static const char *const columns[] = {"from", "to", ">motion", ">pixels", ">changed", NULL};
    const tips_prediction *frames = r->predictions + r->count - r->frames;
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_steps; i++) {
        const tips_predict_step *s = &r->steps[i];
        tips__table_cell(table, "%s", file_of(frames[i].name));
        tips__table_cell(table, "%s", file_of(frames[i + 1].name));
        tips__table_cell(table, "%d, %d", s->motion[0], s->motion[1]);
        tips__table_cell(table, "%lld", (long long)s->pixels);
        if (isnan(s->changed)) tips__table_cell(table, "-");
        else tips__table_cell(table, "%.2f %%", s->changed);
    }
    fputc('\n', file);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void print_files(const tips_predict_result *r, FILE *file) {
    const tips_prediction *first = r->predictions;
    if (r->count == 0 || !first->mask) return;
    fprintf(file, "\nMasks and overlays: %s, %s", cli_shown(first->mask), cli_shown(first->overlay));
    if (r->count > 1) fprintf(file, " and %d more of each", r->count - 1);
    fputs(".\n", file);
    if (r->flicker_map) fprintf(file, "How often each pixel changed: %s.\n", cli_shown(r->flicker_map));
}

tips_status predict_print_table(const tips_predict_result *r, bool stability, FILE *file) {
    tips_status status = print_pictures(r, stability, file);
    if (status == TIPS_OK && r->n_steps > 0) status = print_steps(r, file);
    if (stability && r->masks)
        fprintf(file, "\nStability is the share of pixels that keep their class, mean over %d standard shifts.\n",
                r->shifts);
    else if (stability)
        fprintf(file, "\nStability is the share of %d standard shifts that keep the answer.\n", r->shifts);
    if (r->frames > 1 && !r->masks)
        fprintf(file, "\nThe answer flips %d times in %d frames: %.2f %% of the steps.\n", r->flips, r->frames,
                r->flip_rate);
    if (!isnan(r->flicker) && r->n_steps > 0)
        fprintf(file, "\nFlicker: %.3f %% of the pixels change their class from frame to frame, mean over %d steps.\n",
                r->flicker, r->n_steps);
    print_files(r, file);
    return status;
}
