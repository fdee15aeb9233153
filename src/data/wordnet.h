/* ImageNet's 1,000 classes: what its folders are called, and in which order networks for it put them out. */
#ifndef TIPS_DATA_WORDNET_H
#define TIPS_DATA_WORDNET_H

enum { TIPS_WORDNET_CLASSES = 1000 };

/* The output of a class by its number ("n01440764") or name ("tench", or "tench, Tinca tinca"); -1 if there is none, or
 * more than one. */
int tips__wordnet_find(const char *name);
const char *tips__wordnet_number(int output);
/* The first word of its synset; with the number behind it where another has the same. */
const char *tips__wordnet_name(int output);

#endif
