/* Lists of pictures with masks. */
#include "data/mask_lists.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

/* "2007_000032" of "/JPEGImages/2007_000032.jpg /SegmentationClassAug/2007_000032.png" as well. A name that leads out
 * of the folder is no longer one. */
static bool take_name(const char *line, const tips_mask_list *list, char out[NAME_SIZE]) {
    char word[NAME_SIZE];
    if (sscanf(line, "%255s", word) != 1) return false;
    const char *name = tips__base_name(word);
    const size_t length = strlen(name), ending = strlen(list->picture_ending);
    const bool ends = length > ending && strcmp(name + length - ending, list->picture_ending) == 0;
    snprintf(out, NAME_SIZE, "%.*s", (int)(ends ? length - ending : length), name);
    return *out != '\0';
}

static tips_status add_line(tips_source *source, tips_split split, const tips_mask_list *list, const char *line) {
    char name[NAME_SIZE], picture[TIPS_PATH_SIZE], mask[TIPS_PATH_SIZE];
    if (!take_name(line, list, name))
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: '%.80s' is not the name of a picture", source->path, list->file, line);
    snprintf(picture, sizeof picture, "%s/%s%s", list->pictures, name, list->picture_ending);
    snprintf(mask, sizeof mask, "%s/%s%s", list->masks, name, list->mask_ending);
    return tips__source_add_marked(source, split, picture, mask);
}

tips_status tips__mask_list_add(tips_source *source, tips_split split, const tips_mask_list *list) {
    char path[TIPS_PATH_SIZE];
    tips_names lines = {0};
    TIPS_TRY(tips__path_join(source->path, list->file, path));
    tips_status status = tips__read_lines(path, &lines);
    if (status == TIPS_OK && lines.count == 0) status = tips__fail(TIPS_FORMAT, "%s: lists no pictures", path);
    for (int i = 0; i < lines.count && status == TIPS_OK; i++) status = add_line(source, split, list, lines.rows[i]);
    tips__names_clear(&lines);
    return status;
}
