/* Edit distance with neighbouring letters swapped as one edit (optimal string alignment), case ignored. */
#include "core/nearest.h"

#include "core/option.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 48 };

static int letter(char c) { return c == '_' ? '-' : tolower((unsigned char)c); }

static int smaller(int a, int b) { return a < b ? a : b; }

static int edit_distance(const char *a, const char *b) {
    const int n = (int)strlen(a), m = (int)strlen(b);
    int cost[LONGEST + 1][LONGEST + 1]; /* of turning the first i letters of a into the first j of b */
    for (int i = 0; i <= n; i++) cost[i][0] = i;
    for (int j = 0; j <= m; j++) cost[0][j] = j;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            const int differ = letter(a[i - 1]) != letter(b[j - 1]);
            int best = smaller(cost[i - 1][j], cost[i][j - 1]) + 1;
            best = smaller(best, cost[i - 1][j - 1] + differ);
            const int swapped =
                i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) && letter(a[i - 2]) == letter(b[j - 1]);
            if (swapped) best = smaller(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    }
    return cost[n][m];
}

/* A third of the longer word may be wrong; the beginning of a name counts as one mistake. */
void tips__nearest_offer(tips__nearest_search *search, const char *name) {
    const size_t given = strlen(search->word), length = strlen(name);
    if (given == 0 || given > LONGEST || length > LONGEST) return;
    const int longer = (int)(given > length ? given : length);
    const int allowed = longer < 6 ? 1 : longer / 3;
    const int is_beginning = given >= 2 && given < length && strncmp(name, search->word, given) == 0;
    const int distance = is_beginning ? 1 : edit_distance(search->word, name);
    if (distance > allowed || (search->best && distance >= search->distance)) return;
    search->best = name;
    search->distance = distance;
}

const char *tips__nearest(const char *const *names, const char *word) {
    tips__nearest_search search = {.word = word};
    for (; *names; names++) tips__nearest_offer(&search, *names);
    return search.best;
}
