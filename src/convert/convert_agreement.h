/* How often a converted network answers as the original does, on pictures of the user. */
#ifndef TIPS_CONVERT_CONVERT_AGREEMENT_H
#define TIPS_CONVERT_CONVERT_AGREEMENT_H

#include "convert/converted.h"
#include "metric/interval.h"

enum { TIPS_AGREES_ENOUGH = 90 }; /* percent; below it the user is warned */

typedef struct tips_convert_agreement {
    int pictures;      /* 0: it was not measured */
    tips_figure share; /* of pictures, or of their pixels, that are answered alike */
} tips_convert_agreement;

/* On at most `limit` pictures of `data` (0: all), evenly spread: a dataset, or a folder of nothing but pictures. */
tips_status tips__convert_agree(const tips_loaded_model *from, const tips_converted *to, const char *data, int limit,
                                tips_convert_agreement *out) TIPS_MUST_CHECK;

#endif
