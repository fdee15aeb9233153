/* A contact sheet of pictures with their boxes, each in the colour of its class and with its name if names can be
 * drawn.
 */
#include "data/contact_sheet.h"

#include "chart/pen_cairo.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/sheet_paper.h"

#include <math.h>
#include <string.h>

enum { CELL = 224, FEW = 4, MOST_READ = 2000, TAG_HEIGHT = 11, TAG_MOST = 96, LETTER = 6 };

typedef struct progress {
    tips_dataset *set;
    tips_paper paper;
    int classes, lines, columns; /* rows of the sheet for a class */
    int *used;                   /* (classes): pictures there are */
} progress;

static int clamp(double x, int most) { return x < 0 ? 0 : x > most ? most : (int)x; }

static void paint(const tips_paper *paper, int y, int x, const uint8_t rgb[3]) {
    memcpy(paper->canvas + ((ptrdiff_t)y * paper->cell + x) * 3, rgb, 3);
}

/* Two pixels wide, one where the cell is small. */
static void draw_frame(const tips_paper *paper, const int edges[4], const uint8_t rgb[3]) {
    const int wide = paper->cell >= CELL ? 2 : 1;
    for (int y = edges[0]; y <= edges[2]; y++)
        for (int x = edges[1]; x <= edges[3]; x++) {
            const int inside_rows = y - edges[0] < edges[2] - y ? y - edges[0] : edges[2] - y;
            const int inside_columns = x - edges[1] < edges[3] - x ? x - edges[1] : edges[3] - x;
            if (inside_rows < wide || inside_columns < wide) paint(paper, y, x, rgb);
        }
}

static tips_status draw_name(const tips_paper *paper, const int edges[4], const char *name) {
    uint8_t grey[TAG_HEIGHT * TAG_MOST];
    const size_t letters = strlen(name);
    int w = letters * LETTER + 4 < TAG_MOST ? (int)letters * LETTER + 4 : TAG_MOST;
    if (!tips__has_cairo() || paper->cell < CELL) return TIPS_OK;
    if (w > paper->cell) w = paper->cell;
    TIPS_TRY(tips__draw_words(name, TAG_HEIGHT, w, grey));
    const int top = edges[0] >= TAG_HEIGHT ? edges[0] - TAG_HEIGHT : edges[0];
    const int left = edges[1] + w <= paper->cell ? edges[1] : paper->cell - w;
    for (int y = 0; y < TAG_HEIGHT && top + y < paper->cell; y++)
        for (int x = 0; x < w; x++) {
            const uint8_t v = grey[y * w + x];
            paint(paper, top + y, left + x, (const uint8_t[]){v, v, v});
        }
    return TIPS_OK;
}

static const uint8_t *colour_of(const tips_dataset *set, int label) {
    return tips__dataset_mask_colour(set, 1 + label % (TIPS_COLOURS - 2));
}

static tips_status draw_boxes(const progress *p, const tips_move *move, const tips_annotation *a) {
    const int most = p->paper.cell - 1;
    for (int i = 0; i < a->n_boxes; i++) {
        tips_box box;
        float share;
        tips__move_boxes(move, &a->boxes[i], 1, &box, &share);
        if (share <= 0) continue;
        const int edges[4] = {clamp(floor(box.top), most), clamp(floor(box.left), most),
                              clamp(ceil(box.bottom) - 1, most), clamp(ceil(box.right) - 1, most)};
        draw_frame(&p->paper, edges, colour_of(p->set, box.label));
        TIPS_TRY(draw_name(&p->paper, edges, tips__dataset_class_name(p->set, box.label)));
    }
    return TIPS_OK;
}

static bool has_room(const progress *p, int k) { return p->used[k] < p->lines * p->columns; }

/* Of the classes with a box on the picture and room on the sheet, the one with the fewest pictures; -1 if none. */
static int choose_class(const progress *p, const tips_annotation *a) {
    int best = -1;
    for (int i = 0; i < a->n_boxes; i++) {
        const int k = a->boxes[i].label;
        if (k < p->classes && has_room(p, k) && (best < 0 || p->used[k] < p->used[best])) best = k;
    }
    return best;
}

static tips_status add_picture(progress *p, tips_split split, int index) {
    tips_preprocess way = tips__paper_preprocess(&p->paper);
    tips_image picture;
    tips_annotation a;
    TIPS_TRY(tips__dataset_annotate(p->set, split, index, TIPS_ANNOTATES_BOXES, &a));
    const int k = choose_class(p, &a);
    tips__annotation_clear(&a);
    if (k < 0) return TIPS_OK;
    TIPS_TRY(tips__dataset_read_annotated(p->set, split, index, TIPS_ANNOTATES_BOXES, &picture, &a));
    way.placement.fit[0] = way.placement.fit[1] = p->paper.cell;
    const tips_move move = tips__preprocess_move(&way, a.size);
    tips_status status = tips__preprocess_canvas(&way, &picture, p->paper.canvas);
    if (status == TIPS_OK) status = draw_boxes(p, &move, &a);
    if (status == TIPS_OK) {
        tips__paper_put(&p->paper, k * p->lines + p->used[k] / p->columns, p->used[k] % p->columns);
        p->used[k]++;
    }
    tips__annotation_clear(&a);
    tips__image_free(&picture);
    return status;
}

static tips_status fill(progress *p, tips_split split) {
    const int count = tips__dataset_count(p->set, split);
    for (int k = 0; k < p->classes; k++) {
        TIPS_TRY(tips__paper_name(&p->paper, k * p->lines, tips__dataset_class_name(p->set, k)));
        tips__paper_bar(&p->paper, k * p->lines, colour_of(p->set, k));
    }
    for (int i = 0; i < count && i < MOST_READ; i++) {
        const tips_status status = add_picture(p, split, i);
        if (!tips__dataset_may_skip(p->set, status)) TIPS_TRY(status);
    }
    return TIPS_OK;
}

tips_status tips__box_sheet(tips_dataset *set, tips_split split, int rows, int columns, tips_image *out) {
    const int classes = tips__dataset_classes(set);
    progress p = {.set = set,
                  .classes = classes < rows ? classes : rows,
                  .lines = classes < FEW ? FEW / classes : 1,
                  .columns = columns};
    TIPS_TRY(tips__paper_create(set, p.classes * p.lines, columns, CELL, &p.paper));
    tips_status status = tips__new_zero(&p.used, (size_t)p.classes * sizeof *p.used, "counts");
    if (status == TIPS_OK) status = fill(&p, split);
    tips__free(p.used);
    tips__paper_finish(&p.paper, status == TIPS_OK ? out : NULL);
    return status;
}
