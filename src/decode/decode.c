/* Styles by name or by what outputs look like, and what is done to the boxes of all of them. */
#include "decode/decode_parts.h"

#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIPS_DECODE_STYLE(name) extern const tips_decode_style tips__decode_##name;
#include "decode_styles.def"
#undef TIPS_DECODE_STYLE

const tips_decode_style *const tips__decode_styles[] = {
#define TIPS_DECODE_STYLE(name) &tips__decode_##name,
#include "decode_styles.def"
#undef TIPS_DECODE_STYLE
    NULL};

const tips_option tips__decode_rows[] = {
    {.name = "score",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_decode_common, score),
     .fallback = "0.01",
     .min = 0,
     .max = 0.999,
     .help = "boxes with a lower score are left out"},
    {.name = "overlap",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_decode_common, overlap),
     .fallback = "0.65",
     .min = 0,
     .max = 1,
     .help = "boxes of one class with a larger IoU are one thing: the best of them stays; 1 leaves all"},
    {.name = "most",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_decode_common, most),
     .fallback = "300",
     .min = 1,
     .max = 100000,
     .help = "boxes in an answer, the best ones"},
    {.type = TIPS_OPT_END},
};

const tips_option tips__decode_done_rows[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_rows, .without = "overlap"},
    {.name = "overlap",
     .type = TIPS_OPT_LIKE,
     .group = tips__decode_rows,
     .offset = offsetof(tips_decode_common, overlap),
     .fallback = "1"},
    {.type = TIPS_OPT_END},
};

void tips__found_clear(tips_found *found) {
    tips__free(found->rows);
    *found = (tips_found){0};
}

tips_status tips__found_add(tips_found *f, const tips_corners *box, double score, int label) {
    if (!isfinite(box->x1) || !isfinite(box->y1) || !isfinite(box->x2) || !isfinite(box->y2) || !isfinite(score))
        return TIPS_OK;
    if (f->count == f->capacity) {
        const int larger = f->capacity ? 2 * f->capacity : 64;
        tips_candidate *rows = tips__grow(f->rows, (size_t)f->count * sizeof *rows, (size_t)larger * sizeof *rows);
        if (!rows) TIPS_FAIL(TIPS_MEMORY, "out of memory for %d boxes", larger);
        f->rows = rows;
        f->capacity = larger;
    }
    f->rows[f->count] = (tips_candidate){*box, score, label, f->count};
    f->count++;
    return TIPS_OK;
}

enum { NAME_SIZE = 32, LIST_SIZE = 256 };

static tips_status unknown(const char *name) {
    const char *names[sizeof tips__decode_styles / sizeof *tips__decode_styles];
    char list[LIST_SIZE] = "";
    int n = 0;
    for (; tips__decode_styles[n]; n++) {
        const size_t length = strlen(list);
        names[n] = tips__decode_styles[n]->name;
        snprintf(list + length, sizeof list - length, "%s%s", n ? ", " : "", names[n]);
    }
    names[n] = NULL;
    const char *near = tips__nearest(names, name);
    TIPS_FAIL(TIPS_INVALID, "--boxes: there is no style '%s'%s%s%s; known are %s", name, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "", list);
}

tips_status tips__decode_parse(const char *text, tips_decode_spec *out) {
    const size_t length = strcspn(text, ":");
    char name[NAME_SIZE];
    tips_decode_spec spec = {0};
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME_SIZE ? length : NAME_SIZE - 1), text);
    for (int i = 0; tips__decode_styles[i] && !spec.style; i++)
        if (strcmp(tips__decode_styles[i]->name, name) == 0) spec.style = tips__decode_styles[i];
    if (!spec.style) return unknown(name);
    TIPS_TRY(tips__options_defaults(spec.style->options, &spec.config));
    if (text[length]) TIPS_TRY(tips__options_parse(spec.style->options, &spec.config, text + length + 1, name));
    *out = spec;
    return TIPS_OK;
}

tips_status tips__decode_guess(const tips_raw_boxes *raw, tips_decode_spec *out) {
    tips_text list = {0};
    for (int i = 0; tips__decode_styles[i]; i++)
        if (tips__decode_styles[i]->fits && tips__decode_styles[i]->fits(raw)) {
            TIPS_TRY(tips__decode_parse(tips__decode_styles[i]->name, out));
            out->guessed = true;
            return TIPS_OK;
        }
    for (int i = 0; i < raw->n; i++) {
        char shape[LIST_SIZE];
        tips__array_describe(&raw->arrays[i], shape, sizeof shape);
        tips__text_print(&list, "%s'%.40s' %s", i ? ", " : "", raw->names[i], shape);
    }
    const tips_status status =
        tips__fail(TIPS_UNSUPPORTED,
                   "its outputs look like no detector's that is known: %.400s; --boxes STYLE says what "
                   "they are",
                   list.data ? list.data : "none");
    tips__text_clear(&list);
    return status;
}

void tips__decode_format(const tips_decode_spec *spec, char *out, size_t size) {
    char options[LIST_SIZE];
    tips__options_format(spec->style->options, &spec->config, options, sizeof options);
    snprintf(out, size, "%s%s%s", spec->style->name, options[0] ? ":" : "", options);
}

tips_status tips__decode(const tips_decode_spec *spec, const tips_raw_boxes *raw, tips_found *found) {
    const tips_decode_common *common = (const tips_decode_common *)(const void *)&spec->config;
    int kept = 0;
    TIPS_TRY(spec->style->decode(&spec->config, raw, found));
    for (int i = 0; i < found->count; i++)
        if (found->rows[i].score >= common->score) found->rows[kept++] = found->rows[i];
    tips__candidates_sort(found->rows, kept);
    found->count = kept < common->most ? kept : common->most;
    if (common->overlap < 1)
        found->count = tips__candidates_suppress(found->rows, kept, common->overlap, true, NULL, common->most);
    return TIPS_OK;
}
