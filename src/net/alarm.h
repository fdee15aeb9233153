/* Whether a NaN came up since the last question, for nothing: an operation that makes one of numbers raises a flag that
 * the processor keeps for each thread. It rings a little too often rather than not: who hears it looks for the value.
 */
#ifndef TIPS_NET_ALARM_H
#define TIPS_NET_ALARM_H

#include <stdbool.h>

/* Silences the calling thread, whose flag may be its own affair: true if it was raised, and is to be given back. */
bool tips__alarm_set(void);
/* Asks all threads and silences them. */
bool tips__alarm_rang(void);
void tips__alarm_give_back(bool raised);

#endif
