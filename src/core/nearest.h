/* The nearest of many names to a mistyped word, offered one by one. */
#ifndef TIPS_CORE_NEAREST_H
#define TIPS_CORE_NEAREST_H

typedef struct tips__nearest_search {
    const char *word;
    const char *best; /* NULL while nothing is near */
    int distance;
} tips__nearest_search;

void tips__nearest_offer(tips__nearest_search *search, const char *name);

#endif
