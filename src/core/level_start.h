/* Where there are several levels: putting one in its place. */
#ifndef TIPS_CORE_LEVEL_START_H
#define TIPS_CORE_LEVEL_START_H

/* Level `index` of `count`: its functions, its data. Before anything calls a kernel. */
void tips__level_put(int index, int count);

#endif
