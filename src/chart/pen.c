/* Colours (after Okabe and Ito, told apart by those who see few), dashes, the width of text. */
#include "chart/pen.h"

#include "core/utf8.h"
#include "core/visible.h"

#include <string.h>

const char *const tips__paint_names[TIPS_PAINTS] = {NULL, "ink", "mut", "grd", "pap", "s0", "s1",
                                                    "s2", "s3",  "s4",  "s5",  "s6",  "s7"};
const uint32_t tips__paint_light[TIPS_PAINTS] = {0,        0x1c2024, 0x5d6670, 0xdfe3e8, 0xffffff, 0x0067a5, 0xcf5300,
                                                 0x008a63, 0xb8548b, 0xb57b00, 0x2e9bd6, 0x6b6f76, 0x7a4fc0};
const uint32_t tips__paint_dark[TIPS_PAINTS] = {0,        0xe8ebee, 0x9da7b1, 0x323a43, 0x171b20, 0x4da6e8, 0xff8b4d,
                                                0x2fc598, 0xea9ac6, 0xf0b93a, 0x93d3f7, 0xb9bec5, 0xb598f0};

const double tips__dashes[TIPS_DASHES][TIPS_DASH_PARTS] = {{0}, {7, 5, 7, 5}, {2.5, 4, 2.5, 4}, {9, 4, 2.5, 4}};

/* In thousandths of the size, by kinds of letters. */
static double width_of(uint32_t c) {
    if (c > 0x2e80) return 1.0;
    if (c > 127) return 0.6;
    if (strchr("iljI.,:;'|!", (int)c)) return 0.27;
    if (strchr("ftr()[]{}-/ \"", (int)c)) return 0.36;
    if (strchr("mwMW%@", (int)c)) return 0.87;
    if (c >= 'A' && c <= 'Z') return 0.68;
    return 0.57;
}

double tips__text_width(const char *text, double size, bool bold) {
    double width = 0;
    for (size_t step; *text; text += step) {
        uint32_t c;
        step = tips__utf8_decode(text, &c);
        if (step == 0) step = 1, c = 0xfffd;
        width += width_of(c);
    }
    return width * size * (bold ? 1.07 : 1);
}

static bool is_allowed(uint32_t c) {
    return c == '\t' || c == '\n' || (c >= 0x20 && c != 0x7f && c != 0xfffe && c != 0xffff && (c < 0x80 || c > 0x9f));
}

void tips__xml_escape(tips_text *out, const char *text) {
    for (size_t step; *text; text += step) {
        uint32_t c;
        step = tips__utf8_decode(text, &c);
        if (step == 0 || !is_allowed(c)) {
            tips__text_add(out, "\xef\xbf\xbd");
            step = step ? step : 1;
        } else if (tips__turns_direction(c)) tips__text_print(out, "\\u%04x", (unsigned)c);
        else if (c == '<') tips__text_add(out, "&lt;");
        else if (c == '>') tips__text_add(out, "&gt;");
        else if (c == '&') tips__text_add(out, "&amp;");
        else if (c == '"') tips__text_add(out, "&quot;");
        else if (c == '\'') tips__text_add(out, "&#39;");
        else tips__text_add_bytes(out, text, step);
    }
}
