/* Sources that are made of picture files: names kept in one block of memory, each relative to the source's path. */
#include "data/dataset_format.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { PROBES = 16 };

tips_status tips__source_keep_text(tips_source *source, const char *text, uint64_t *where) {
    const size_t size = strlen(text) + 1;
    if (source->texts_size + size > source->texts_room) {
        const size_t room = 2 * source->texts_room + size + 4096;
        char *texts = tips__grow(source->texts, source->texts_size, room);
        if (!texts) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu bytes of file names", room);
        source->texts = texts;
        source->texts_room = room;
    }
    memcpy(source->texts + source->texts_size, text, size);
    *where = source->texts_size;
    source->texts_size += size;
    return TIPS_OK;
}

/* Names come from lists that anybody may have written. */
static tips_status refuse_outside(tips_source *source, const char *name, bool *is_inside) {
    *is_inside = !tips__leads_out(name);
    if (*is_inside) return TIPS_OK;
    if (!source->skip_bad)
        TIPS_FAIL(TIPS_FORMAT, "%s: '%.160s' is listed, which leads out of the folder; names are relative and below it",
                  source->path, name);
    source->skipped++;
    return TIPS_OK;
}

tips_status tips__source_add_file(tips_source *source, tips_split split, const char *name, int label, bool must_exist) {
    uint64_t where = 0;
    bool is_inside;
    TIPS_TRY(refuse_outside(source, name, &is_inside));
    if (!is_inside) return TIPS_OK;
    if (must_exist && !tips__is_file_in(source->path, name)) {
        if (!source->skip_bad) TIPS_FAIL(TIPS_FORMAT, "%s/%s: listed, but not there", source->path, name);
        source->skipped++;
        return TIPS_OK;
    }
    TIPS_TRY(tips__source_keep_text(source, name, &where));
    return tips__source_add(source, split, where, label, name, source->splits[split].count);
}

/* A name that is not there is an error, or counts as a bad picture. */
static tips_status look_for(tips_source *source, const char *name, const char *what, bool *is_there) {
    TIPS_TRY(refuse_outside(source, name, is_there));
    if (!*is_there) return TIPS_OK;
    *is_there = tips__is_file_in(source->path, name);
    if (*is_there) return TIPS_OK;
    if (!source->skip_bad) TIPS_FAIL(TIPS_FORMAT, "%s/%s: %s", source->path, name, what);
    source->skipped++;
    return TIPS_OK;
}

/* The name of the marks stands behind that of the picture. Where there are no classes, all are of the first. */
tips_status tips__source_add_marked(tips_source *source, tips_split split, const char *name, const char *marks) {
    uint64_t where = 0, behind = 0;
    bool is_there;
    TIPS_TRY(look_for(source, name, "the picture is listed, but not there", &is_there));
    if (is_there) TIPS_TRY(look_for(source, marks, "the mask of a picture is not there", &is_there));
    if (!is_there) return TIPS_OK;
    TIPS_TRY(tips__source_keep_text(source, name, &where));
    TIPS_TRY(tips__source_keep_text(source, marks, &behind));
    return tips__source_add(source, split, where, 0, name, source->splits[split].count);
}

const char *tips__source_marks(const tips_source *source, const tips_item *item) {
    const char *name = source->texts + item->where;
    return name + strlen(name) + 1;
}

void tips__source_file_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    snprintf(out, size, "%s/%s", source->path, source->texts + item->where);
}

tips_status tips__source_read_file(const tips_source *source, const tips_item *item, tips_image *out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(source->path, source->texts + item->where, path));
    return tips__image_read(path, out);
}

/* What the pictures seen so far have in common. */
typedef struct findings {
    int seen, height, width, channels;
    bool differ;
} findings;

static void note(findings *f, const tips_image *picture) {
    if (f->seen++ == 0) {
        f->height = picture->h;
        f->width = picture->w;
    }
    if (picture->h != f->height || picture->w != f->width) f->differ = true;
    if (picture->c > f->channels) f->channels = picture->c;
}

/* Some pictures evenly spread over the training data. Ends early once they differ and one is in colour. */
tips_status tips__source_probe(tips_source *source) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    const int probes = train->count < PROBES ? train->count : PROBES;
    findings f = {0};
    tips_status status = TIPS_OK;
    for (int i = 0; i < probes && !(f.differ && f.channels == 3); i++) {
        tips_image picture;
        const tips_item *item = &train->rows[(int64_t)i * train->count / probes];
        const tips_status read = source->format->read(source, item, &picture);
        if (read == TIPS_MEMORY) return read;
        if (read != TIPS_OK) {
            if (status == TIPS_OK) status = read;
            continue;
        }
        note(&f, &picture);
        tips__image_free(&picture);
    }
    /* Single bad pictures are met again when they are read; that none can be read is better said now. */
    if (f.seen == 0 && status != TIPS_OK && !source->skip_bad) return status;
    source->channels = f.channels ? f.channels : 3;
    source->height = f.differ ? 0 : f.height;
    source->width = f.differ ? 0 : f.width;
    return TIPS_OK;
}
