/* Plain texts and drawings of a study as parts of a page. */
#ifndef TIPS_STUDY_STUDY_PAGE_TEXT_H
#define TIPS_STUDY_STUDY_PAGE_TEXT_H

#include "core/text.h"

/* What stands in `text` under the line `title` up to the line `next` (NULL: all): paragraphs, and tables where a line
 * of dashes underlines headings. Returns where it stopped. */
const char *tips__page_section(tips_text *out, const char *text, const char *title, const char *next);

/* A drawing as a picture with `title` as its words: a browser shows it and runs nothing in it. False, and nothing is
 * added, for what is no SVG. */
bool tips__page_svg(tips_text *out, const char *svg, const char *title);

#endif
