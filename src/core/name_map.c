/* Open addressing by FNV-1a, at most half full. Names come from files: a hash with a fixed start could be played with,
 * to no worse end than a slow refusal, since there are at most some ten thousands of them. */
#include "core/name_map.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t hash(const char *name) {
    uint64_t h = 14695981039346656037u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* Where a name is, or would be. */
static tips_name_slot *slot_of(tips_name_slot *slots, size_t capacity, const char *name) {
    size_t at = hash(name) & (capacity - 1);
    while (slots[at].name && strcmp(slots[at].name, name) != 0) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static tips_status grow(tips_name_map *map) {
    const size_t capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
    tips_name_slot *slots;
    if (2 * map->count < map->capacity) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&slots, capacity * sizeof *slots, "names"));
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].name) *slot_of(slots, capacity, map->slots[i].name) = map->slots[i];
    tips__free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    return TIPS_OK;
}

tips_status tips__name_map_add(tips_name_map *map, const char *name, int number) {
    TIPS_TRY(grow(map));
    *slot_of(map->slots, map->capacity, name) = (tips_name_slot){name, number};
    map->count++;
    return TIPS_OK;
}

int tips__name_map_find(const tips_name_map *map, const char *name, int otherwise) {
    if (map->capacity == 0) return otherwise;
    const tips_name_slot *slot = slot_of(map->slots, map->capacity, name);
    return slot->name ? slot->number : otherwise;
}

void tips__name_map_clear(tips_name_map *map) {
    tips__free(map->slots);
    *map = (tips_name_map){0};
}
