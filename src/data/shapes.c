/* The generator as a dataset: "shapes", or "shapes:size=64,classes=4,...". */
#include "data/shapes.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/option.h"
#include "data/dataset_format.h"

#include <stdio.h>
#include <string.h>

static const tips_option options[] = {
    {.name = "size",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(tips_shapes_options, size),
     .fallback = "32",
     .min = 16,
     .max = 1024,
     .help = "height and width of the pictures"},
    {.name = "train",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_shapes_options, train),
     .fallback = "10000",
     .min = 2,
     .max = 10000000,
     .help = "training pictures"},
    {.name = "test",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_shapes_options, test),
     .fallback = "2000",
     .min = 0,
     .max = 10000000,
     .help = "test pictures"},
    {.name = "classes",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_shapes_options, classes),
     .fallback = "10",
     .min = 2,
     .max = TIPS_SHAPE_KINDS,
     .help = "kinds of shapes"},
    {.name = "objects",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_shapes_options, objects),
     .fallback = "1",
     .min = 1,
     .max = TIPS_SHAPES_MOST_OBJECTS,
     .help = "shapes in a picture; the label is that of the first, the largest"},
    {.name = "seed",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_shapes_options, seed),
     .fallback = "1",
     .min = 0,
     .max = 2147483647,
     .help = "seed of the pictures"},
    {.type = TIPS_OPT_END},
};

static tips_status add_split(tips_source *source, tips_split split, int count, int classes) {
    for (int i = 0; i < count; i++) TIPS_TRY(tips__source_add(source, split, (uint64_t)i, i % classes, "shapes", i));
    return TIPS_OK;
}

static tips_status open_shapes(const char *path, tips_source *source) {
    tips_shapes_options *o;
    TIPS_TRY(tips__new_zero(&o, sizeof *o, "the options of shapes"));
    source->own = o;
    TIPS_TRY(tips__options_defaults(options, o));
    TIPS_TRY(tips__options_parse(options, o, path, "shapes"));
    for (int k = 0; k < o->classes; k++) TIPS_TRY(tips__names_add(&source->classes, tips__shape_names[k]));
    source->channels = 3;
    source->annotates = TIPS_ANNOTATES_CLASS | TIPS_ANNOTATES_MASK | TIPS_ANNOTATES_BOXES;
    source->height = o->size[0];
    source->width = o->size[1];
    TIPS_TRY(add_split(source, TIPS_SPLIT_TRAIN, o->train, o->classes));
    TIPS_TRY(add_split(source, TIPS_SPLIT_TEST, o->test, o->classes));
    return tips__source_check_classes(source);
}

static tips_status read_item(const tips_source *source, const tips_item *item, tips_image *out) {
    tips_scene scene;
    TIPS_TRY(tips__shapes_scene(source->own, (tips_split)item->origin, (int)item->where, &scene));
    tips__free(scene.mask);
    *out = scene.image;
    return TIPS_OK;
}

static tips_status copy_boxes(const tips_scene *scene, tips_annotation *out) {
    const size_t bytes = (size_t)scene->n_boxes * sizeof *out->boxes;
    TIPS_TRY(tips__new(&out->boxes, bytes, "boxes"));
    memcpy(out->boxes, scene->boxes, bytes);
    out->n_boxes = scene->n_boxes;
    return TIPS_OK;
}

static tips_status annotate_item(const tips_source *source, const tips_item *item, unsigned wanted,
                                 tips_annotation *out) {
    tips_scene scene;
    tips_status status = TIPS_OK;
    TIPS_TRY(tips__shapes_scene(source->own, (tips_split)item->origin, (int)item->where, &scene));
    out->size[0] = scene.image.h;
    out->size[1] = scene.image.w;
    if (wanted & TIPS_ANNOTATES_MASK) {
        out->mask = (tips_image){scene.image.h, scene.image.w, 1, scene.mask};
        scene.mask = NULL;
    }
    if (wanted & TIPS_ANNOTATES_BOXES) status = copy_boxes(&scene, out);
    tips__scene_free(&scene);
    return status;
}

static void item_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    (void)source;
    snprintf(out, size, "%s[%llu]", tips__split_names[item->origin], (unsigned long long)item->where);
}

static void close_shapes(tips_source *source) { tips__free(source->own); }

const tips_dataset_format tips__format_shapes = {
    .name = "shapes",
    .brief = "generated shapes on backgrounds; needs no files",
    .marks = TIPS_ANNOTATES_MASK | TIPS_ANNOTATES_BOXES,
    .open = open_shapes,
    .read = read_item,
    .annotate = annotate_item,
    .item_name = item_name,
    .close = close_shapes,
};
