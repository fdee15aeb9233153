/* A list of names for a message: the first few, and how many more there are. */
#ifndef TIPS_MODEL_FEW_NAMES_H
#define TIPS_MODEL_FEW_NAMES_H

enum { TIPS_FEW_NAMES_SIZE = 400 };

typedef struct tips_few_names {
    char text[TIPS_FEW_NAMES_SIZE];
    int count;
} tips_few_names;

void tips__few_names_add(tips_few_names *list, const char *name);
/* "'a', 'b', 'c' and 2 more"; lives in the list. */
const char *tips__few_names_text(tips_few_names *list);

#endif
