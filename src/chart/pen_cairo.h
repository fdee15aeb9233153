/* Drawing to a PNG file, if this build has cairo. */
#ifndef TIPS_CHART_PEN_CAIRO_H
#define TIPS_CHART_PEN_CAIRO_H

#include "chart/pen.h"

bool tips__has_cairo(void);

/* What draws, on paper of w x h. */
typedef void (*tips_draw)(tips_pen *pen, const void *context);

/* On light paper, `scale` pixels a unit; the file is replaced as a whole. TIPS_UNSUPPORTED without cairo. */
tips_status tips__draw_png(const char *path, double w, double h, double scale, tips_draw draw,
                           const void *context) TIPS_MUST_CHECK;

/* Words on one line, dark on white: bytes (h, w) of grey; what is too long is cut. TIPS_UNSUPPORTED without cairo. */
tips_status tips__draw_words(const char *words, int h, int w, uint8_t *grey) TIPS_MUST_CHECK;

#endif
