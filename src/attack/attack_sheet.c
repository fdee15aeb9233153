/* Pictures of what was done. Changes are shown around grey, and strongly: the largest of a picture is black or white.
 */
#include "attack/attack_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"

#include <math.h>
#include <stdio.h>

enum { WAYS = 3 }; /* before, change, after */

tips_status tips__attack_sheet_create(const tips_attack_config *config, const tips_attack_plan *plan,
                                      const tips_dataset *set, const tips_preprocess *preprocess,
                                      tips_attack_sheet *out) {
    *out = (tips_attack_sheet){.preprocess = preprocess};
    if (!config->examples) return TIPS_OK;
    TIPS_TRY(tips__paper_create(set, plan->count, WAYS * config->example_count, TIPS_PAPER_CELL, &out->paper));
    out->pictures = config->example_count;
    return TIPS_OK;
}

tips_status tips__attack_sheet_case(tips_attack_sheet *sheet, int row, const char *name) {
    char words[TIPS_CASE_NAME]; /* which go into several lines */
    sheet->row = row;
    sheet->filled = 0;
    snprintf(words, sizeof words, "%s", name);
    for (char *at = words; *at; at++)
        if (*at == '_') *at = ' ';
    return sheet->pictures > 0 ? tips__paper_name(&sheet->paper, row, words) : TIPS_OK;
}

bool tips__attack_sheet_wants(const tips_attack_sheet *sheet) { return sheet->filled < sheet->pictures; }

/* scale * (planes - minus) + offset, in bytes; `minus` may be NULL. */
static tips_status put_cell(const tips_attack_sheet *sheet, const float *planes, const float *minus, float scale,
                            float offset, int column) {
    const tips_preprocess *p = sheet->preprocess, cell = tips__paper_preprocess(&sheet->paper);
    const size_t plane = (size_t)p->height * (size_t)p->width, c = (size_t)p->channels;
    tips_image image;
    TIPS_TRY(tips__image_allocate("an example", p->width, p->height, p->channels, &image));
    for (size_t k = 0; k < c; k++)
        for (size_t i = 0; i < plane; i++) {
            const float from = planes[k * plane + i] - (minus ? minus[k * plane + i] : 0);
            image.pixels[i * c + k] = (uint8_t)lrintf(255 * fminf(fmaxf(scale * from + offset, 0), 1));
        }
    const tips_status status = tips__preprocess_canvas(&cell, &image, sheet->paper.canvas);
    if (status == TIPS_OK) tips__paper_put(&sheet->paper, sheet->row, column);
    tips__image_free(&image);
    return status;
}

static float largest_change(const tips_preprocess *p, const float *before, const float *after) {
    const size_t count = (size_t)p->channels * (size_t)p->height * (size_t)p->width;
    float most = 0;
    for (size_t i = 0; i < count; i++) most = fmaxf(most, fabsf(after[i] - before[i]));
    return most;
}

tips_status tips__attack_sheet_put(tips_attack_sheet *sheet, const float *before, const float *after) {
    const float most = largest_change(sheet->preprocess, before, after), scale = most > 0 ? 0.5f / most : 0;
    const int column = WAYS * sheet->filled++;
    TIPS_TRY(put_cell(sheet, before, NULL, 1, 0, column));
    TIPS_TRY(put_cell(sheet, after, before, scale, 0.5f, column + 1));
    return put_cell(sheet, after, NULL, 1, 0, column + 2);
}

void tips__attack_sheet_free(tips_attack_sheet *sheet) {
    if (sheet->pictures > 0) tips__paper_finish(&sheet->paper, NULL);
    sheet->pictures = 0;
}

tips_status tips__attack_sheet_save(tips_attack_sheet *sheet, const char *path) {
    const tips_status status = sheet->pictures > 0 ? tips__image_write_png(path, &sheet->paper.image) : TIPS_OK;
    tips__attack_sheet_free(sheet);
    return status;
}
