/* From text for terminals to HTML. */
#include "study/study_page_text.h"

#include "report/page.h"

#include <string.h>

enum { MOST_COLUMNS = 32, LINE = 4096 };

/* Takes a line without its end; the next begins at what is returned, NULL after the last. */
static const char *take_line(const char *text, char line[LINE]) {
    const char *end = strchr(text, '\n');
    const size_t length = end ? (size_t)(end - text) : strlen(text);
    const size_t kept = length < LINE ? length : LINE - 1;
    memcpy(line, text, kept);
    line[kept] = '\0';
    if (end) return end + 1;
    return *text ? text + length : NULL;
}

static bool is_rule(const char *line) {
    return line[0] == '-' && strspn(line, "- ") == strlen(line) && (strstr(line, "--") || strlen(line) == 1);
}

/* Where the runs of dashes begin, in characters. */
static int columns_of(const char *rule, int starts[MOST_COLUMNS]) {
    int count = 0;
    for (int i = 0; rule[i] && count < MOST_COLUMNS; i++)
        if (rule[i] == '-' && (i == 0 || rule[i - 1] == ' ')) starts[count++] = i;
    return count;
}

static bool begins_character(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

/* The characters from `from` up to `to` (-1: to the end), without blanks around them. */
static void cut(const char *line, int from, int to, char out[LINE]) {
    size_t n = 0;
    int at = -1;
    for (const char *c = line; *c; c++) {
        at += begins_character(*c);
        if (at >= from && (to < 0 || at < to)) out[n++] = *c;
    }
    while (n > 0 && out[n - 1] == ' ') n--;
    out[n] = '\0';
    memmove(out, out + strspn(out, " "), n + 1 - strspn(out, " "));
}

static void add_row(tips_text *out, const char *line, const int *starts, int count, bool is_head) {
    char cell[LINE];
    tips__text_add(out, "<tr>");
    for (int i = 0; i < count; i++) {
        const char *tag = is_head || i == 0 ? "th" : "td";
        cut(line, starts[i], i + 1 < count ? starts[i + 1] : -1, cell);
        tips__text_print(out, "<%s>", tag);
        tips__page_say(out, cell);
        tips__text_print(out, "</%s>", tag);
    }
    tips__text_add(out, "</tr>\n");
}

static const char *add_table(tips_text *out, const char *head, const char *rule, const char *text) {
    int starts[MOST_COLUMNS];
    const int count = columns_of(rule, starts);
    char line[LINE];
    tips__text_add(out, "<div class=\"card scroll\"><table class=\"figures\"><thead>");
    add_row(out, head, starts, count, true);
    tips__text_add(out, "</thead><tbody>\n");
    for (const char *next; (next = take_line(text, line)) && line[0]; text = next)
        add_row(out, line, starts, count, false);
    tips__text_add(out, "</tbody></table></div>\n");
    return text;
}

const char *tips__page_section(tips_text *out, const char *text, const char *title, const char *next) {
    char line[LINE], rule[LINE];
    bool begun = false;
    for (const char *rest; (rest = take_line(text, line)); text = rest) {
        if (!begun) {
            begun = strcmp(line, title) == 0;
            if (begun || !line[0]) continue;
        }
        if (next && strcmp(line, next) == 0) return text;
        if (!line[0]) continue;
        const char *behind = take_line(rest, rule);
        if (behind && is_rule(rule)) {
            rest = add_table(out, line, rule, behind);
            continue;
        }
        tips__text_add(out, "<p>");
        tips__page_say(out, line);
        tips__text_add(out, "</p>\n");
    }
    return text;
}

/* The file's own colours are light; these are light, dark and printed, as the page around it. */
static void add_drawing(tips_text *out, const char *svg) {
    static const char opens[] = "<style>", closes[] = "</style>";
    const char *style = strstr(svg, opens), *behind = style ? strstr(style, closes) : NULL;
    if (!behind) {
        tips__text_add(out, svg);
        return;
    }
    tips__text_add_bytes(out, svg, (size_t)(style - svg));
    tips__page_drawing_style(out);
    tips__text_add(out, behind + sizeof closes - 1);
}

bool tips__page_svg(tips_text *out, const char *svg, const char *title) {
    tips_text drawing = {0};
    if (strncmp(svg, "<svg ", 5) != 0) return false;
    add_drawing(&drawing, svg);
    tips__text_add(out, "<img alt=\"");
    tips__page_say(out, title);
    tips__text_add(out, "\" src=\"data:image/svg+xml;base64,");
    tips__text_base64(out, drawing.data, drawing.length);
    tips__text_add(out, "\"/>");
    out->failed |= drawing.failed;
    tips__text_clear(&drawing);
    return true;
}
