/* The table of dataset formats: reading a SPEC and recognising what a path holds. */
#include "data/datasets.h"

#include "core/fail.h"
#include "core/nearest.h"
#include "data/unrecognised.h"

#include <stdio.h>
#include <string.h>

#define TIPS_DATASET(name) extern const tips_dataset_format tips__format_##name;
#include "data/datasets.def"
#undef TIPS_DATASET

const tips_dataset_format *const tips__dataset_formats[] = {
#define TIPS_DATASET(name) &tips__format_##name,
#include "data/datasets.def"
#undef TIPS_DATASET
    NULL};

static const char debian_fashion_mnist[] = "/usr/share/datasets/fashion-mnist";

enum { LIST_SIZE = 256, KEY_SIZE = 32 };

static void list_names(char *out, size_t size) {
    size_t length = 0;
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row && length < size; row++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", (*row)->name);
}

/* The format that the first `length` letters of `spec` name. */
static const tips_dataset_format *find(const char *spec, size_t length) {
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row; row++)
        if (strlen((*row)->name) == length && strncmp((*row)->name, spec, length) == 0) return *row;
    return NULL;
}

static tips_status refuse_missing(const char *spec) {
    char names[LIST_SIZE], word[64];
    list_names(names, sizeof names);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    tips__nearest_search search = {.word = word};
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row; row++)
        tips__nearest_offer(&search, (*row)->name);
    if (search.best)
        TIPS_FAIL(TIPS_IO, "%s: there is no such file or folder; did you mean the format '%s'?", spec, search.best);
    TIPS_FAIL(TIPS_IO, "%s: there is no such file or folder; data are given as a path or as format:path, with %s", spec,
              names);
}

static tips_status recognise(const char *path, const tips_dataset_format **out) {
    char names[LIST_SIZE], why[TIPS_REASON_SIZE];
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row; row++) {
        if (!(*row)->recognise || !(*row)->recognise(path)) continue;
        *out = *row;
        return TIPS_OK;
    }
    list_names(names, sizeof names);
    tips__explain_unrecognised(path, why);
    TIPS_FAIL(TIPS_FORMAT, "%s: not recognised as a dataset of any format (%s): %s. format:path says which it is", path,
              names, why);
}

const char *tips__dataset_default_spec(void) {
    return tips__is_folder(debian_fashion_mnist) ? debian_fashion_mnist : "shapes";
}

/* Behind "key=value," for every key that is an option of the format; paths may hold '=' and ',' too. */
static const char *skip_settings(const tips_dataset_format *format, const char *text) {
    for (;;) {
        char key[KEY_SIZE];
        tips_option row;
        const size_t length = strcspn(text, "=,");
        const char *comma = strchr(text, ',');
        if (!format->options || text[length] != '=' || length >= sizeof key || !comma) return text;
        snprintf(key, sizeof key, "%.*s", (int)length, text);
        if (!tips__option_find(format->options, key, &row)) return text;
        text = comma + 1;
    }
}

tips_status tips__dataset_parse_spec(const char *spec, const tips_dataset_format **format, const char **path) {
    if (!spec || !*spec) spec = tips__dataset_default_spec();
    const size_t length = strcspn(spec, ":");
    const tips_dataset_format *named = find(spec, length);
    if (named && (spec[length] == ':' || !named->recognise)) {
        const char *rest = spec[length] == ':' ? skip_settings(named, spec + length + 1) : "";
        if (named->recognise && !tips__is_folder(rest) && !tips__is_file(rest))
            TIPS_FAIL(TIPS_IO, "%s: there is no such file or folder", *rest ? rest : spec);
        *format = named;
        *path = rest;
        return TIPS_OK;
    }
    if (!tips__is_folder(spec) && !tips__is_file(spec)) return refuse_missing(spec);
    *path = spec;
    return recognise(spec, format);
}
