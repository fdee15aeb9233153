/* The table of ImageNet's classes, sorted by number. */
#include "data/wordnet.h"

#include <stdlib.h>
#include <string.h>

typedef struct synset {
    const char *number, *name;
} synset;

#define WORDNET(number, name) {number, name},
static const synset synsets[TIPS_WORDNET_CLASSES] = {
#include "data/wordnet.def"
};
#undef WORDNET

enum { NUMBER_LENGTH = 9 };

static int compare(const void *number, const void *at) { return strcmp(number, ((const synset *)at)->number); }

static int find_number(const char *name) {
    const synset *found = bsearch(name, synsets, TIPS_WORDNET_CLASSES, sizeof *synsets, compare);
    return found ? (int)(found - synsets) : -1;
}

static int find_word(const char *name, size_t length) {
    for (int i = 0; i < TIPS_WORDNET_CLASSES; i++)
        if (strlen(synsets[i].name) == length && strncmp(synsets[i].name, name, length) == 0) return i;
    return -1;
}

int tips__wordnet_find(const char *name) {
    if (name[0] == 'n' && strlen(name) == NUMBER_LENGTH && strspn(name + 1, "0123456789") == NUMBER_LENGTH - 1)
        return find_number(name);
    return find_word(name, strcspn(name, ","));
}

const char *tips__wordnet_number(int output) { return synsets[output].number; }

const char *tips__wordnet_name(int output) { return synsets[output].name; }
