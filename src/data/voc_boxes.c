/* Boxes in PASCAL VOC's form: JPEGImages, Annotations/NAME.xml, and lists of names in ImageSets/Main; or pictures and
 * XML in folders of other names, or in one, without lists, all of it or below train/, val/ and test/. Classes are a
 * set's own: those of classes.txt, else all that occur, sorted. */
#include "data/box_store.h"
#include "data/voc_xml.h"

#include "core/fail.h"
#include "data/folder_content.h"
#include "data/folders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TRAIN_BASE "train/"
enum { TRAIN, TRAINVAL };
static const char *const lists[] = {"train", "trainval", NULL};

typedef struct voc_options {
    int train;
} voc_options;

static const tips_option options[] = {
    {.name = "train",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(voc_options, train),
     .fallback = "train",
     .choices = lists,
     .help = "list of training pictures; of trainval, validation data are held out"},
    {.type = TIPS_OPT_END},
};

/* Where things are, relative to the path. */
typedef struct layout {
    const char *base, *pictures, *marks; /* "VOC2012/", "JPEGImages", "Annotations" */
    bool has_lists;
    bool lacks_memory; /* to look for them */
} layout;

static bool has_folder(const char *path, const char *base, const char *name) {
    char folder[64];
    snprintf(folder, sizeof folder, "%s%s", base, name);
    return tips__is_folder_in(path, folder);
}

static bool has_xml(const char *path, layout *l) {
    char name[64], folder[TIPS_PATH_SIZE];
    tips_names files = {0};
    bool found = false;
    snprintf(name, sizeof name, "%s%s", l->base, l->marks);
    const tips_status status = tips__path_join(path, name, folder);
    const tips_status listed = status == TIPS_OK ? tips__list_folder(folder, &files, NULL) : status;
    if (listed == TIPS_MEMORY) l->lacks_memory = true;
    if (listed == TIPS_OK)
        for (int i = 0; i < files.count && !found; i++) found = tips__path_ends(files.rows[i], ".xml");
    tips__names_clear(&files);
    return found;
}

/* What people call the folders; "." of both is one folder, in which a picture has an XML of its name. */
static const char *const picture_folders[] = {"JPEGImages", "images", "Images", "imgs", "img", "image", NULL};
static const char *const mark_folders[] = {"Annotations", "annotations", "annots", "annotation", "Annotation",
                                           "labels",      "xmls",        "xml",    NULL};

static bool is_layout(const char *path, layout *l) {
    return has_folder(path, l->base, l->pictures) && has_folder(path, l->base, l->marks) &&
           (has_xml(path, l) || l->lacks_memory);
}

static bool find_folders(const char *path, const char *base, layout *out) {
    for (const char *const *pictures = picture_folders; *pictures; pictures++)
        for (const char *const *marks = mark_folders; *marks; marks++) {
            *out = (layout){.base = base, .pictures = *pictures, .marks = *marks};
            if (is_layout(path, out)) return true;
        }
    return false;
}

/* Both kinds of files in one folder. */
static bool find_mixed(const char *path, const char *base, layout *out) {
    char folder[TIPS_PATH_SIZE];
    tips_folder_content content;
    *out = (layout){.base = base, .pictures = ".", .marks = "."};
    if (snprintf(folder, sizeof folder, "%s/%s", path, base) >= TIPS_PATH_SIZE || !tips__is_folder(folder))
        return false;
    return tips__folder_content(folder, &content) && content.pictures > 0 && (has_xml(path, out) || out->lacks_memory);
}

/* The folder itself, or those above it as the archives unpack; or its training part. */
static bool find_layout(const char *path, layout *out) {
    static const char *const bases[] = {"",         "VOC2012/", "VOCdevkit/VOC2012/", "VOC2007/", "VOCdevkit/VOC2007/",
                                        TRAIN_BASE, NULL};
    bool found = false;
    for (const char *const *base = bases; *base && !found; base++) found = find_folders(path, *base, out);
    if (!found) found = find_mixed(path, "", out) || find_mixed(path, TRAIN_BASE, out);
    out->has_lists = found && has_folder(path, out->base, "ImageSets/Main");
    return found && !out->lacks_memory;
}

static bool recognise(const char *path) {
    layout l;
    return find_layout(path, &l);
}

/* What is kept of one set while it is opened. */
typedef struct opening {
    tips_source *source;
    const layout *layout;
    tips_voc_file file;
    bool knows_classes; /* from a list; else a label is the number of a name as it was met */
} opening;

static const char *const endings[] = {".jpg", ".jpeg", ".png",  ".JPG", ".JPEG",
                                      ".PNG", ".bmp",  ".webp", ".tif", ".tiff"};

/* The picture of a name: the first ending that is there, and .jpg if none is. */
static void name_picture(const opening *o, const char *name, char out[TIPS_PATH_SIZE]) {
    const size_t count = sizeof endings / sizeof endings[0];
    for (size_t i = 0; i <= count; i++) {
        snprintf(out, TIPS_PATH_SIZE, "%s%s/%s%s", o->layout->base, o->layout->pictures, name,
                 endings[i < count ? i : 0]);
        if (tips__is_file_in(o->source->path, out)) return;
    }
}

static int find_name(const tips_names *names, const char *name) {
    int at = names->count;
    while (--at >= 0 && strcmp(names->rows[at], name) != 0) continue;
    return at;
}

/* VOC counts from 1, and the last column is within the box; a 0 where a 1 should be is a common slip. */
static tips_box box_of(const tips_voc_object *object, int label) {
    const double *b = object->bndbox;
    return (tips_box){.top = fmax(b[1] - 1, fmin(b[1], 0)),
                      .left = fmax(b[0] - 1, fmin(b[0], 0)),
                      .bottom = b[3],
                      .right = b[2],
                      .label = label,
                      .ignore = object->difficult};
}

static tips_status check_object(const opening *o, const char *marks, const tips_voc_object *object, int label) {
    const int *size = o->file.size;
    const double *b = object->bndbox;
    if (!object->is_whole)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: line %d: an object without a name, or without four numbers in its bndbox",
                  o->source->path, marks, object->line);
    if (label < 0)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: line %d: an object of the class '%s', which classes.txt does not name",
                  o->source->path, marks, object->line, object->name);
    const tips_box box = box_of(object, label);
    const char *fault = tips__box_fault(&box, (double[]){size[0], size[1]});
    if (fault)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s/%s: line %d: the object '%s', xmin %g, ymin %g, xmax %g, ymax %g on a picture of %dx%d: %s",
                  o->source->path, marks, object->line, object->name, b[0], b[1], b[2], b[3], size[0], size[1], fault);
    return TIPS_OK;
}

static tips_status add_object(opening *o, const char *marks, const tips_voc_object *object) {
    tips_names *classes = &o->source->classes;
    int label = find_name(classes, object->name);
    const bool is_new = label < 0 && !o->knows_classes;
    const tips_status status = check_object(o, marks, object, is_new ? classes->count : label);
    if (status != TIPS_OK) return tips__bad_box(o->source, status);
    if (is_new) {
        label = classes->count;
        TIPS_TRY(tips__names_add(classes, object->name));
    }
    const tips_box box = box_of(object, label);
    return tips__box_store_put(o->source, &box);
}

static tips_status add_picture(opening *o, tips_split split, const char *name) {
    char picture[TIPS_PATH_SIZE], marks[TIPS_PATH_SIZE], path[TIPS_PATH_SIZE];
    const tips_source *source = o->source;
    bool added;
    name_picture(o, name, picture);
    snprintf(marks, sizeof marks, "%s%s/%s.xml", o->layout->base, o->layout->marks, name);
    TIPS_TRY(tips__path_join(source->path, marks, path));
    const tips_status status = tips__voc_xml_read(path, &o->file);
    if (status != TIPS_OK) return tips__bad_picture(o->source, status);
    if (o->file.size[0] == 0 || o->file.size[1] == 0) o->file.size[0] = o->file.size[1] = 0;
    TIPS_TRY(tips__box_store_add(o->source, split, picture, marks, -1, o->file.size, &added));
    for (int i = 0; i < o->file.count && added; i++) TIPS_TRY(add_object(o, marks, &o->file.objects[i]));
    return TIPS_OK;
}

/* Of a line the first word counts, without folders and ending. */
static bool take_name(const char *line, char out[TIPS_PATH_SIZE]) {
    const size_t length = strcspn(line, " \t");
    snprintf(out, TIPS_PATH_SIZE, "%.*s", (int)length, line);
    const char *name = tips__base_name(out);
    if (name != out) memmove(out, name, strlen(name) + 1);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (tips__path_ends(out, endings[i])) out[strlen(out) - strlen(endings[i])] = '\0';
    return *out != '\0' && strcmp(out, "..") != 0;
}

static tips_status add_names(opening *o, tips_split split, const char *list, const tips_names *names) {
    char name[TIPS_PATH_SIZE];
    for (int i = 0; i < names->count; i++) {
        if (!take_name(names->rows[i], name))
            TIPS_FAIL(TIPS_FORMAT, "%s: '%.80s' is not the name of a picture", list, names->rows[i]);
        TIPS_TRY(add_picture(o, split, name));
    }
    return tips__box_store_refuse_twins(o->source, split, list);
}

static tips_status name_list(const opening *o, const char *name, char out[TIPS_PATH_SIZE]) {
    char file[64];
    snprintf(file, sizeof file, "%sImageSets/Main/%s.txt", o->layout->base, name);
    return tips__path_join(o->source->path, file, out);
}

static tips_status add_list(opening *o, tips_split split, const char *name, bool *found) {
    char path[TIPS_PATH_SIZE];
    tips_names names = {0};
    TIPS_TRY(name_list(o, name, path));
    *found = tips__is_file(path);
    if (!*found) return TIPS_OK;
    tips_status status = tips__read_lines(path, &names);
    if (status == TIPS_OK) status = add_names(o, split, path, &names);
    tips__names_clear(&names);
    return status;
}

static tips_status add_lists(opening *o, int train) {
    char path[TIPS_PATH_SIZE];
    bool found, has_val;
    TIPS_TRY(add_list(o, TIPS_SPLIT_TRAIN, lists[train], &found));
    if (!found && train == TRAIN) TIPS_TRY(add_list(o, TIPS_SPLIT_TRAIN, lists[train = TRAINVAL], &found));
    if (!found) {
        TIPS_TRY(name_list(o, lists[train], path));
        TIPS_FAIL(TIPS_FORMAT, "%s: the list of training pictures is not there", path);
    }
    if (train != TRAINVAL) TIPS_TRY(add_list(o, TIPS_SPLIT_VAL, "val", &has_val));
    return add_list(o, TIPS_SPLIT_TEST, "test", &found);
}

/* Without lists: every file of annotations. */
static tips_status add_every(opening *o, tips_split split) {
    char folder[TIPS_PATH_SIZE], name[TIPS_PATH_SIZE], marks[64];
    tips_names files = {0};
    snprintf(marks, sizeof marks, "%s%s", o->layout->base, o->layout->marks);
    TIPS_TRY(tips__path_join(o->source->path, marks, folder));
    tips_status status = tips__list_folder(folder, &files, NULL);
    for (int i = 0; i < files.count && status == TIPS_OK; i++) {
        if (!tips__path_ends(files.rows[i], ".xml")) continue;
        snprintf(name, sizeof name, "%.*s", (int)(strlen(files.rows[i]) - strlen(".xml")), files.rows[i]);
        status = add_picture(o, split, name);
    }
    tips__names_clear(&files);
    return status;
}

/* The same folders below val/, valid/ or validation/, and test/, as far as they are there. */
static tips_status add_part(opening *o, tips_split split, const char *base) {
    const layout *before = o->layout;
    layout part = *before;
    part.base = base;
    if (!has_folder(o->source->path, base, part.pictures) || !has_xml(o->source->path, &part)) return TIPS_OK;
    o->layout = &part;
    const tips_status status = add_every(o, split);
    o->layout = before;
    return status;
}

static tips_status add_all(opening *o) {
    TIPS_TRY(add_every(o, TIPS_SPLIT_TRAIN));
    if (strcmp(o->layout->base, TRAIN_BASE) != 0) return TIPS_OK;
    for (int i = 0; tips__val_folders[i]; i++) {
        char base[32];
        snprintf(base, sizeof base, "%s/", tips__val_folders[i]);
        TIPS_TRY(add_part(o, TIPS_SPLIT_VAL, base));
    }
    return add_part(o, TIPS_SPLIT_TEST, "test/");
}

/* Labels were numbered as names were met; now they are the places in the sorted list. */
static tips_status sort_classes(tips_source *source) {
    tips_box_store *store = source->own;
    tips_names met = {0};
    tips_status status = TIPS_OK;
    for (int k = 0; k < source->classes.count && status == TIPS_OK; k++)
        status = tips__names_add(&met, source->classes.rows[k]);
    if (status == TIPS_OK) {
        tips__names_sort(&source->classes);
        for (size_t i = 0; i < store->n_boxes; i++)
            store->boxes[i].label = tips__names_find(&source->classes, met.rows[store->boxes[i].label]);
    }
    tips__names_clear(&met);
    return status;
}

static tips_status fill(opening *o, int train) {
    TIPS_TRY(o->layout->has_lists ? add_lists(o, train) : add_all(o));
    if (o->source->classes.count == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: there are no objects in the annotations, so there are no classes", o->source->path);
    return o->knows_classes ? TIPS_OK : sort_classes(o->source);
}

static tips_status open_voc_boxes(const char *path, tips_source *source) {
    layout l;
    opening o = {.source = source, .layout = &l};
    tips_box_store *store;
    voc_options choice;
    const bool is_found = find_layout(path, &l);
    if (l.lacks_memory) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory for the names of files", path);
    if (!is_found)
        TIPS_FAIL(TIPS_FORMAT, "%s: there are neither JPEGImages and Annotations/NAME.xml nor folders like them", path);
    if (!tips__has_xml()) TIPS_FAIL(TIPS_UNSUPPORTED, "%s: has its boxes in XML, and this build lacks expat", path);
    TIPS_TRY(tips__options_defaults(options, &choice));
    TIPS_TRY(tips__options_parse(options, &choice, source->settings, "voc-boxes"));
    TIPS_TRY(tips__box_store_create(source, path, &store));
    TIPS_TRY(tips__source_class_file(source, path, "classes.txt", &o.knows_classes));
    const tips_status status = fill(&o, choice.train);
    tips__voc_file_clear(&o.file);
    TIPS_TRY(status);
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_voc_boxes = {
    .name = "voc-boxes",
    .brief = "boxes as Pascal VOC has them: JPEGImages, Annotations/NAME.xml, ImageSets/Main",
    .marks = TIPS_ANNOTATES_BOXES,
    .options = options,
    .recognise = recognise,
    .open = open_voc_boxes,
    .read = tips__boxed_read,
    .annotate = tips__boxed_annotate,
    .item_name = tips__boxed_name,
    .mark_name = tips__boxed_mark_name,
    .picture_id = tips__boxed_id,
    .close = tips__boxed_close,
};
