/* Which class of the data was matched with which output of the model, as results keep it and in words. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "task/data_classes.h"

#include <stdio.h>
#include <string.h>

const char *const tips__class_rule_names[] = {"name", "wordnet", "order", NULL};

enum { SHOWN = 4 };

static tips_status fill_map(const eval_session *s, tips_class_map *map) {
    const int count = tips__task_data_classes(s->task, s->set);
    TIPS_TRY(tips__new(&map->outputs, (size_t)count * sizeof *map->outputs, "the classes"));
    TIPS_TRY(tips__new_zero(&map->names, (size_t)count * sizeof *map->names, "the names of classes"));
    for (map->count = 0; map->count < count; map->count++) {
        map->outputs[map->count] = s->outputs[map->count];
        map->names[map->count] = tips__strdup(tips__task_data_class_name(s->task, s->set, map->count));
        if (!map->names[map->count]) TIPS_FAIL(TIPS_MEMORY, "out of memory for the name of a class");
    }
    return TIPS_OK;
}

tips_status tips__eval_class_map(const eval_session *s, tips_class_map *out) {
    tips_class_map map = {.by = s->matched, .names_differ = s->names_differ};
    const tips_status status = fill_map(s, &map);
    if (status == TIPS_OK) *out = map;
    else tips__class_map_clear(&map);
    return status;
}

void tips__class_map_clear(tips_class_map *map) {
    for (int i = 0; map->names && i < map->count; i++) tips__free(map->names[i]);
    tips__free(map->names);
    tips__free(map->outputs);
    *map = (tips_class_map){0};
}

void tips__class_map_words(const tips_class_map *map, char *out, size_t size) {
    static const char *const rules[] = {[TIPS_CLASSES_BY_NAME] = "name",
                                        [TIPS_CLASSES_BY_WORDNET] = "ImageNet's order of WordNet numbers",
                                        [TIPS_CLASSES_BY_ORDER] =
                                            "order, which is a guess (--labels FILE names the outputs)"};
    size_t length = (size_t)snprintf(out, size, "Classes and outputs by %s: ", rules[map->by]);
    for (int i = 0; i < map->count && i < SHOWN && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%.40s -> %d", i ? ", " : "", map->names[i],
                                   map->outputs[i]);
    if (length >= size) return;
    if (map->count > SHOWN) snprintf(out + length, size - length, " and so on, %d classes.", map->count);
    else snprintf(out + length, size - length, ".");
}
