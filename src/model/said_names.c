/* Names of classes as exporters leave them in an ONNX file's metadata under "names": a dictionary of Python, "{0:
 * 'cat', 1: "dog's"}", or of JSON, or a list of either. What is not understood, or not of as many classes as the model
 * has, is left alone: the file is not ours. */
#include "model/model_parts.h"

#include "core/memory.h"
#include "model/said_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *at;
    char **names; /* (count) */
    int count, next;
} reader;

static void skip_space(reader *r) {
    while (isspace((unsigned char)*r->at) || *r->at == ',') r->at++;
}

/* A text in quotes of either kind, with what a backslash protects; NULL if there is none. */
static char *read_quoted(reader *r) {
    const char quote = *r->at;
    char *out = tips__strdup(r->at), *to = out;
    if (!out || (quote != '\'' && quote != '"')) return tips__free(out), NULL;
    const char *at = r->at + 1;
    while (*at && *at != quote) {
        at += at[0] == '\\' && at[1];
        *to++ = *at++;
    }
    *to = '\0';
    if (*at != quote) return tips__free(out), NULL;
    r->at = at + 1;
    return out;
}

/* "0:" or "'0':", where there is one: which name follows. */
static bool read_key(reader *r) {
    const char *at = r->at + (*r->at == '\'' || *r->at == '"');
    char *end;
    if (!isdigit((unsigned char)*at)) return true;
    const long key = strtol(at, &end, 10);
    end += at > r->at && *end == *r->at;
    end += strspn(end, " ");
    if (*end != ':') return true; /* a name that begins with a digit */
    if (key < 0 || key >= r->count) return false;
    r->next = (int)key;
    r->at = end + 1;
    return true;
}

static bool read_name(reader *r) {
    if (!read_key(r)) return false;
    skip_space(r);
    char *name = read_quoted(r);
    const bool fits = name && r->next < r->count && !r->names[r->next];
    if (fits) r->names[r->next++] = name;
    else tips__free(name);
    return fits;
}

static bool read_all(reader *r) {
    skip_space(r);
    const char end = *r->at == '{' ? '}' : *r->at == '[' ? ']' : '\0';
    int read = 0;
    if (!end) return false;
    for (r->at++, skip_space(r); *r->at && *r->at != end; skip_space(r), read++)
        if (!read_name(r)) return false;
    return *r->at == end && read == r->count;
}

tips_status tips__said_names_take(const char *text, tips_model_info *info) {
    reader r = {.at = text, .count = info->config.classes};
    if (!text || info->class_names || r.count < 1) return TIPS_OK;
    const tips_status status = tips__new_zero(&r.names, (size_t)r.count * sizeof *r.names, "the names of classes");
    if (status == TIPS_OK && read_all(&r)) info->class_names = r.names;
    else tips__class_names_free(r.names, r.count);
    return status;
}
