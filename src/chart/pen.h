/* What charts are drawn with: a few primitives, and two pens that draw them, as SVG text and as PNG through cairo. */
#ifndef TIPS_CHART_PEN_H
#define TIPS_CHART_PEN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"

/* Paints have names, so that a page can give them other colours in the dark. */
typedef enum tips_paint {
    TIPS_PAINT_NONE,
    TIPS_PAINT_INK,
    TIPS_PAINT_MUTED,
    TIPS_PAINT_GRID,
    TIPS_PAINT_PAPER,
    TIPS_PAINT_SERIES /* + i, i < TIPS_SERIES_PAINTS */
} tips_paint;
enum { TIPS_SERIES_PAINTS = 8, TIPS_PAINTS = TIPS_PAINT_SERIES + TIPS_SERIES_PAINTS };
/* Any other colour, the same in light and dark: TIPS_PAINT_RGB + 0xrrggbb. */
#define TIPS_PAINT_RGB 0x1000000

/* Short names for style sheets, NULL for NONE, and colours on light and on dark paper. */
extern const char *const tips__paint_names[TIPS_PAINTS];
extern const uint32_t tips__paint_light[TIPS_PAINTS], tips__paint_dark[TIPS_PAINTS];

typedef enum tips_anchor { TIPS_ANCHOR_START, TIPS_ANCHOR_MIDDLE, TIPS_ANCHOR_END } tips_anchor;

typedef struct tips_style {
    int fill, stroke;
    double width;   /* of the stroke */
    double opacity; /* of the fill; 0 means 1 */
    int dash;       /* index into the dash patterns, 0: a full line */
    bool closed;    /* paths */
    double size;    /* texts */
    tips_anchor anchor;
    bool bold, upward; /* upward: read from below to above */
} tips_style;

enum { TIPS_DASHES = 4, TIPS_DASH_PARTS = 4 };
extern const double tips__dashes[TIPS_DASHES][TIPS_DASH_PARTS];

typedef struct tips_point {
    double x, y;
} tips_point;

typedef struct tips_pen tips_pen;
struct tips_pen {
    tips_point origin; /* added to every place */
    bool failed;       /* something could not be drawn for lack of memory */
    void (*path)(tips_pen *pen, const tips_point *points, int count, const tips_style *style);
    void (*rect)(tips_pen *pen, double x, double y, double w, double h, const tips_style *style);
    void (*circle)(tips_pen *pen, double x, double y, double r, const tips_style *style);
    void (*text)(tips_pen *pen, double x, double y, const char *text, const tips_style *style);
};

/* About how wide a text is in a usual sans-serif font. */
double tips__text_width(const char *text, double size, bool bold);

/* XML: what stands for itself stays, what is not UTF-8 or not allowed becomes U+FFFD, and marks that turn the
 * direction of writing are spelt out. */
void tips__xml_escape(tips_text *out, const char *text);

/* A pen that adds SVG elements to a text. */
typedef struct tips_svg_pen {
    tips_pen pen;
    tips_text *out;
} tips_svg_pen;
tips_svg_pen tips__svg_pen(tips_text *out);
/* The rules for the classes that the SVG pen uses, with colours as variables or, for files of their own, as such. */
void tips__svg_style(tips_text *out, bool variables);

#endif
