/* How a map continues beyond its border. */
#ifndef TIPS_PADDING_H
#define TIPS_PADDING_H

#include <tips/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tips_pad_mode { TIPS_PAD_ZERO, TIPS_PAD_CIRCULAR, TIPS_PAD_REFLECT, TIPS_PAD_REPLICATE } tips_pad_mode;

/* "zero", "circular", "reflect", "replicate", NULL: in the order of the enum. */
TIPS_API extern const char *const tips_pad_mode_names[];

typedef struct tips_padding {
    tips_pad_mode mode;
    int top, left, bottom, right;
} tips_padding;

#ifdef __cplusplus
}
#endif
#endif
