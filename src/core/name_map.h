/* Numbers by name, found in one step however many there are. */
#ifndef TIPS_CORE_NAME_MAP_H
#define TIPS_CORE_NAME_MAP_H

#include <stddef.h>
#include <tips/status.h>

typedef struct tips_name_slot {
    const char *name; /* NULL: free */
    int number;
} tips_name_slot;

typedef struct tips_name_map {
    tips_name_slot *slots; /* (capacity), a power of two */
    size_t capacity, count;
} tips_name_map;

/* Adds a name that is not there yet. It is borrowed: it must stay as it is as long as the map. */
tips_status tips__name_map_add(tips_name_map *map, const char *name, int number) TIPS_MUST_CHECK;
int tips__name_map_find(const tips_name_map *map, const char *name, int otherwise);
void tips__name_map_clear(tips_name_map *map);

#endif
