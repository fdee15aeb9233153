/* Convolutions as the plain sum, on maps of any strides: exact under shifts, with bias, residual and function in the
 * same pass. The border that a kernel reaches over is part of the source's buffer. */
#ifndef TIPS_ENGINE_DIRECT_CONV_H
#define TIPS_ENGINE_DIRECT_CONV_H

#include "engine/finish.h"

typedef struct tips_direct {
    int kh, kw, sh, sw, dh, dw;
    int top, left;  /* border: the first tap of output (0, 0) is at (-top, -left) of the source */
    int groups;     /* of whole blocks of channels */
} tips_direct;

/* weights: packed [oc/B][ic/groups/B][kh][kw][B in][B out]. The source may be thin. */
void tips__direct_forward(const tips_direct *conv, const tips_map *src, const float *weights, const tips_finish *finish,
                          const tips_map *dst);

/* How many blocks of output channels to compute at a time, of `blocks`, in rows of `width` pixels; `times`: how often
 * there are all of them. */
int tips__direct_panel(int width, int blocks, int times);

/* One channel a group; weights: [c/B][kh][kw][B]. */
void tips__depthwise_forward(const tips_direct *conv, const tips_map *src, const float *weights,
                             const tips_finish *finish, const tips_map *dst);

#endif
