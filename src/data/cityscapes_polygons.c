/* Masks of Cityscapes from its polygons: {"imgHeight": 1024, "imgWidth": 2048, "objects": [{"label": "road", "polygon":
 * [[x, y], ...]}, ...]}, the later over the earlier ones. */
#include "data/cityscapes.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "image/move.h"
#include "image/polygon.h"

#include <math.h>
#include <string.h>

static tips_status take_points(const tips_json_node *polygon, double *out) {
    for (const tips_json_node *point = polygon->first; point; point = point->next) {
        const tips_json_node *x = point->kind == TIPS_JSON_ARRAY && point->count == 2 ? point->first : NULL;
        if (!x || x->kind != TIPS_JSON_NUMBER || x->next->kind != TIPS_JSON_NUMBER || !isfinite(x->number) ||
            !isfinite(x->next->number))
            TIPS_FAIL(TIPS_FORMAT, "a point of a polygon is not two numbers");
        *out++ = x->number;
        *out++ = x->next->number;
    }
    return TIPS_OK;
}

static tips_status draw_object(const tips_json_node *object, tips_image *image) {
    const char *label = tips__json_get_text(object, "label", NULL);
    const tips_json_node *polygon = tips__json_get(object, "polygon");
    double *points;
    if (!label || !polygon || polygon->kind != TIPS_JSON_ARRAY)
        TIPS_FAIL(TIPS_FORMAT, "an object without a label or a polygon");
    if (tips__json_get_bool(object, "deleted")) return TIPS_OK;
    const int value = tips__cityscapes_value(label);
    if (value == TIPS_MASK_NO_LABEL) TIPS_FAIL(TIPS_FORMAT, "Cityscapes has no label '%.40s'", label);
    TIPS_TRY(tips__new(&points, 2 * (size_t)polygon->count * sizeof *points, "a polygon"));
    tips_status status = take_points(polygon, points);
    if (status == TIPS_OK) status = tips__polygon_fill(points, polygon->count, (uint8_t)value, image);
    tips__free(points);
    return status;
}

static tips_status draw(const char *path, const tips_json_node *file, tips_image *image) {
    const tips_json_node *objects = tips__json_get(file, "objects");
    if (!objects || objects->kind != TIPS_JSON_ARRAY) TIPS_FAIL(TIPS_FORMAT, "there are no objects");
    TIPS_TRY(tips__image_allocate(path, tips__json_get_int(file, "imgWidth", 0),
                                  tips__json_get_int(file, "imgHeight", 0), 1, image));
    memset(image->pixels, TIPS_MASK_IGNORE, (size_t)image->h * (size_t)image->w);
    for (const tips_json_node *object = objects->first; object; object = object->next)
        TIPS_TRY(draw_object(object, image));
    return TIPS_OK;
}

tips_status tips__cityscapes_polygons(const char *path, const int size[2], tips_image *out) {
    tips_json_node *file;
    tips_image whole = {0}, mask = {0};
    TIPS_TRY(tips__json_tree_load(path, &file));
    tips_status status = draw(path, file, &whole);
    tips__json_tree_free(file);
    if (status == TIPS_OK) status = tips__image_allocate(path, size[1], size[0], 1, &mask);
    if (status == TIPS_OK) {
        const tips_move move = {
            .picture = {whole.h, whole.w}, .resized = {size[0], size[1]}, .input = {size[0], size[1]}};
        tips__move_mask(&move, &whole, mask.pixels);
        *out = mask;
    }
    tips__image_free(&whole);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}
