/* Folders and names of what is written for each picture. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/path.h"

#include <stdio.h>
#include <string.h>

/* What is written gets the names of what is read. */
static tips_status keep_pictures(const tips_predict_config *c, const char *folder) {
    for (int i = 0; i < c->n_files; i++)
        if (tips__lies_in(folder, c->files[i]))
            TIPS_FAIL(TIPS_INVALID, "%s lies in %s, where files are written; give --out another folder", c->files[i],
                      folder);
    if (c->sequence && (tips__same_file(c->sequence, folder) || tips__same_file(c->sequence, c->out)))
        TIPS_FAIL(TIPS_INVALID, "--sequence %s is where files are written; give --out another folder", c->sequence);
    return TIPS_OK;
}

tips_status tips__predict_make_folders(const predictor *p, const char *const *folders) {
    for (; *folders; folders++) {
        char path[TIPS_PATH_SIZE];
        TIPS_TRY(tips__path_join(p->config->out, *folders, path));
        TIPS_TRY(keep_pictures(p->config, path));
        TIPS_TRY(tips__make_folder(path));
    }
    return TIPS_OK;
}

/* "cat" of "pictures/cat.jpg", "inputs-3" of entry 3 of "inputs.npy". */
static tips_status stem_of(const predict_item *item, char out[TIPS_PATH_SIZE]) {
    const char *slash = strrchr(item->path, '/'), *base = slash ? slash + 1 : item->path, *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (length + 24 >= TIPS_PATH_SIZE) TIPS_FAIL(TIPS_RANGE, "%s: the name is too long", item->path);
    memcpy(out, base, length);
    out[length] = '\0';
    if (item->entry >= 0) snprintf(out + length, TIPS_PATH_SIZE - length, "-%d", item->entry);
    return TIPS_OK;
}

tips_status tips__predict_stem(predictor *p, const predict_item *item, const char **out) {
    char wanted[TIPS_PATH_SIZE];
    TIPS_TRY(stem_of(item, wanted));
    return tips__used_names_new(&p->names, wanted, out);
}

tips_status tips__predict_name_file(const predictor *p, const char *folder, const char *stem, char **out) {
    const size_t size = strlen(p->config->out) + strlen(folder) + strlen(stem) + 8;
    TIPS_TRY(tips__new(out, size, "the name of a file"));
    snprintf(*out, size, "%s/%s/%s.png", p->config->out, folder, stem);
    return TIPS_OK;
}
