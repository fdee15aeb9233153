/* Pooling operators as trials: every variant that the option tables imply, and graphs with one or two of them. */
#ifndef TIPS_TESTS_POOL_TRIAL_H
#define TIPS_TESTS_POOL_TRIAL_H

#include "pool/pool.h"
#include "support/trial.h"

enum { VARIANT_SIZE = 96 };

/* Calls `visit` with "name" and with "name:key=value" for every value of every choice, for every number of a short
 * range, and for the ends and some numbers within a long one. */
void each_variant(const tips_pool *pool, void (*visit)(const char *spec, void *data), void *data);

typedef struct pool_setting {
    int stride[2];
    int n, c, h, w;
    tips_pad_mode padding;
    int lpf;
} pool_setting;

typedef struct pool_trial {
    trial t;
    tips_pool_spec spec;
    unsigned traits;
    tips_selection selection;
} pool_trial;

const char *setting_name(const pool_setting *s);
/* One operator. Outputs: y, then the phase and the weights where it has them. */
pool_trial pool_alone(const char *spec, const pool_setting *s, bool sparse, uint64_t seed);
/* The same with its shortcut on another map of c + 2 channels that follows its selection, and an unpooling of the
 * shortcut by the same phase. Outputs: y, shortcut, unpooled, phase. */
pool_trial pool_with_shortcut(const char *spec, const pool_setting *s, bool sparse, uint64_t seed);
/* Whether the operator can be placed at all; the error is then the last one. */
tips_status pool_refusal(const char *spec, const pool_setting *s);

#endif
