/* Tiny ImageNet's own layout: train/WNID/images, val/images with labels in val/val_annotations.txt, words.txt. Its test
 * pictures have no labels and are left out. */
#include "data/folders.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static bool recognise(const char *path) { return tips__is_file_in(path, "val/val_annotations.txt"); }

/* "val_0.JPEG<TAB>n03444034<TAB>0<TAB>32<TAB>44<TAB>62": file, class, box. */
static tips_status add_annotation(tips_source *source, const char *line) {
    char file[256], wnid[64], name[TIPS_PATH_SIZE];
    if (sscanf(line, "%255s %63s", file, wnid) != 2 || strchr(file, '/'))
        TIPS_FAIL(TIPS_FORMAT, "%s/val/val_annotations.txt: '%.80s' is not a file and a class", source->path, line);
    const int label = tips__names_find(&source->classes, wnid);
    if (label < 0 && !source->skip_bad)
        TIPS_FAIL(TIPS_FORMAT, "%s/val/val_annotations.txt: %s is of class %s, which has no training pictures",
                  source->path, file, wnid);
    snprintf(name, sizeof name, "val/images/%s", file);
    return tips__source_add_file(source, TIPS_SPLIT_VAL, name, label, true);
}

static tips_status add_annotations(tips_source *source) {
    char path[TIPS_PATH_SIZE];
    tips_names lines = {0};
    TIPS_TRY(tips__path_join(source->path, "val/val_annotations.txt", path));
    tips_status status = tips__read_lines(path, &lines);
    for (int i = 0; i < lines.count && status == TIPS_OK; i++) status = add_annotation(source, lines.rows[i]);
    tips__names_clear(&lines);
    return status;
}

/* "n01641577<TAB>bullfrog, Rana catesbeiana": the first of the words takes the place of the number. */
static tips_status rename_class(tips_source *source, const char *line, char **words) {
    char wnid[64], word[128];
    if (sscanf(line, "%63s %127[^,]", wnid, word) != 2) return TIPS_OK;
    const int label = tips__names_find(&source->classes, wnid);
    if (label < 0 || words[label]) return TIPS_OK;
    words[label] = tips__strdup(word);
    if (!words[label]) TIPS_FAIL(TIPS_MEMORY, "out of memory for a class name");
    return TIPS_OK;
}

static tips_status rename_classes(tips_source *source) {
    char path[TIPS_PATH_SIZE], **words;
    tips_names lines = {0};
    TIPS_TRY(tips__path_join(source->path, "words.txt", path));
    if (!tips__is_file(path)) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&words, (size_t)source->classes.count * sizeof *words, "class names"));
    tips_status status = tips__read_lines(path, &lines);
    for (int i = 0; i < lines.count && status == TIPS_OK; i++) status = rename_class(source, lines.rows[i], words);
    for (int k = 0; k < source->classes.count; k++) {
        if (!words[k]) continue;
        tips__free(source->classes.rows[k]);
        source->classes.rows[k] = words[k];
    }
    tips__names_clear(&lines);
    tips__free(words);
    return status;
}

static tips_status open_tiny(const char *path, tips_source *source) {
    int known;
    char unknown[256];
    (void)path;
    TIPS_TRY(tips__folders_classes(source, "train"));
    TIPS_TRY(tips__folders_add(source, "train", TIPS_SPLIT_TRAIN, &known, unknown));
    TIPS_TRY(add_annotations(source));
    TIPS_TRY(tips__source_check_classes(source));
    TIPS_TRY(rename_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_tiny_imagenet = {
    .name = "tiny-imagenet",
    .brief = "Tiny ImageNet with its val_annotations.txt",
    .recognise = recognise,
    .open = open_tiny,
    .read = tips__source_read_file,
    .item_name = tips__source_file_name,
};
