/* The reader of golden files. */
#include "support/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

golden golden_open(const char *name) {
    char path[1024];
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/golden/%s.golden", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be opened; is SOURCE_DIR set?", path);
    golden g = {0};
    fseek(file, 0, SEEK_END);
    g.size = (size_t)ftell(file);
    rewind(file);
    g.bytes = test_alloc(g.size + 1);
    if (fread(g.bytes, 1, g.size, file) != g.size) fail_msg("%s cannot be read", path);
    fclose(file);
    g.bytes[g.size] = 0;
    return g;
}

static void clear_case(golden *g) {
    for (int i = 0; i < g->n_records; i++) {
        free(g->records[i].f32);
        free(g->records[i].i32);
    }
    free(g->records);
    g->records = NULL;
    g->n_records = 0;
}

void golden_close(golden *g) {
    clear_case(g);
    free(g->bytes);
    g->bytes = NULL;
}

/* Reads a record's line; returns where its data begins and its size in bytes. */
static const char *read_line(const golden *g, golden_record *r, char *dtype, size_t *bytes) {
    int used = 0;
    const char *line = g->bytes + g->at;
    if (sscanf(line, "%95s %7s %d%n", r->name, dtype, &r->n_dims, &used) != 3 || r->n_dims > 8)
        fail_msg("a broken golden file");
    r->count = 1;
    for (int i = 0; i < r->n_dims; i++) {
        int step = 0;
        if (sscanf(line + used, "%d%n", &r->dims[i], &step) != 1) fail_msg("a broken golden record '%s'", r->name);
        used += step;
        r->count *= (size_t)r->dims[i];
    }
    *bytes = r->count * (strcmp(dtype, "txt") == 0 ? 1 : 4);
    const char *data = line + used + 1;
    if (line[used] != '\n' || (size_t)(data - g->bytes) + *bytes > g->size)
        fail_msg("a golden record '%s' is cut off", r->name);
    return data;
}

static void keep_record(golden *g, const golden_record *r, const char *dtype, const char *data, size_t bytes) {
    g->records = realloc(g->records, (size_t)(g->n_records + 1) * sizeof *g->records);
    golden_record *kept = &g->records[g->n_records++];
    *kept = *r;
    void *copy = test_alloc(bytes ? bytes : 1);
    memcpy(copy, data, bytes);
    if (strcmp(dtype, "f32") == 0)
        kept->f32 = copy;
    else
        kept->i32 = copy;
}

bool golden_next(golden *g) {
    clear_case(g);
    if (g->at >= g->size) return false;
    for (bool first = true; g->at < g->size; first = false) {
        golden_record r = {0};
        char dtype[8];
        size_t bytes;
        const char *data = read_line(g, &r, dtype, &bytes);
        const bool opens = strcmp(r.name, "case") == 0;
        if (opens && !first) break;
        if (opens)
            snprintf(g->text, sizeof g->text, "%.*s", (int)bytes, data);
        else
            keep_record(g, &r, dtype, data, bytes);
        g->at = (size_t)(data - g->bytes) + bytes + 1;
    }
    test_case("%s", g->text);
    return true;
}

const golden_record *golden_find(const golden *g, const char *name) {
    for (int i = 0; i < g->n_records; i++)
        if (strcmp(g->records[i].name, name) == 0) return &g->records[i];
    return NULL;
}

const golden_record *golden_need(const golden *g, const char *name) {
    const golden_record *r = golden_find(g, name);
    if (!r) fail_case("the golden case has no record '%s'", name);
    return r;
}

void golden_subject(const golden *g, char *out, size_t size) {
    snprintf(out, size, "%.*s", (int)strcspn(g->text, " "), g->text);
}

void golden_word(const golden *g, const char *key, char *out, size_t size) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, " %s=", key);
    const char *at = strstr(g->text, wanted);
    out[0] = 0;
    if (!at) return;
    at += strlen(wanted);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
}

int golden_number(const golden *g, const char *key, int fallback) {
    char word[64];
    golden_word(g, key, word, sizeof word);
    return *word ? atoi(word) : fallback;
}

void golden_pair(const golden *g, const char *key, int out[2]) {
    char word[64];
    golden_word(g, key, word, sizeof word);
    out[0] = out[1] = 1;
    if (sscanf(word, "%dx%d", &out[0], &out[1]) == 1) out[1] = out[0];
}

tips_pad_mode golden_padding(const golden *g) {
    char word[64];
    golden_word(g, "padding", word, sizeof word);
    for (int i = 0; tips_pad_mode_names[i]; i++)
        if (strcmp(word, tips_pad_mode_names[i]) == 0) return (tips_pad_mode)i;
    return TIPS_PAD_ZERO;
}

bool golden_trains(const golden *g) {
    char word[64];
    golden_word(g, "mode", word, sizeof word);
    return strcmp(word, "train") == 0 || !*word;
}
