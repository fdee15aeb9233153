/* What the passes of a conversion share. */
#ifndef TIPS_CONVERT_CONVERT_PARTS_H
#define TIPS_CONVERT_CONVERT_PARTS_H

#include "convert/convert.h"
#include "layer/layers.h"

/* What is known of a step of the original. */
typedef struct step_facts {
    int c, h, w;    /* of its output */
    bool spatial;   /* its positions still stand for positions of the picture */
    int readers;    /* steps that read it, and the output */
    int reader;     /* one of them */
    int stride[2];  /* it downsamples by; 1x1: it does not */
    int event;      /* of the downsampling that it begins, or -1 */
    int ends_event; /* the operator of this event stands behind this step, or -1 */
    int grid;       /* of its output: index into grids; -1 where it is not spatial */
    bool absorbed;  /* a padding that the next layer takes over */
    int undoes;     /* grid that it brings back up to `grid`, which lies above; -1: it does not */
} step_facts;

/* One downsampling: where it begins, and whose choice of phase it follows. */
typedef struct downsampling {
    int step, last; /* the strided step, and the last of the norm and activations behind it */
    int stride[2];
    int leader;        /* event with the least number that must choose alike; itself if it leads */
    int operator_step; /* of the new blueprint, once placed */
    bool before;       /* the operator stands before a 1x1 convolution, which changes nothing and saves work */
} downsampling;

/* The downsamplings between the input and a value, last one first. */
typedef struct grid {
    int parent, event; /* -1 at the input */
    int depth;
    int h, w; /* of the original's maps on it */
} grid;

typedef struct conversion_work {
    const tips_blueprint *from;
    const tips_convert_options *options;
    step_facts *facts;    /* (n_steps) */
    downsampling *events; /* (n_steps + 1 at most) */
    int n_events;
    grid *grids; /* (n_steps + 1 at most) */
    int n_grids;
    int *placed; /* old step to new step */
    int tokens;  /* the last step whose positions are like each other; n_steps: all are */
    tips_conversion *out;
} conversion_work;

/* Shapes, readers, strides, where operators go. */
tips_status tips__convert_facts(conversion_work *work) TIPS_MUST_CHECK;
/* Which downsamplings must choose alike, because their branches meet again. */
tips_status tips__convert_share(conversion_work *work) TIPS_MUST_CHECK;
/* Writes the new blueprint. */
tips_status tips__convert_write(conversion_work *work) TIPS_MUST_CHECK;

/* The step behind which positions are told apart, as transformers do; refuses networks that have no such step. */
tips_status tips__convert_find_tokens(conversion_work *work) TIPS_MUST_CHECK;
bool tips__convert_is_constant(const conversion_work *work, int step);
/* Rolls the map of that step, once it is written, if `step` is the one. */
tips_status tips__convert_anchor_tokens(conversion_work *work, int step) TIPS_MUST_CHECK;
/* Rolls the new map for an old step, behind *placed, so that its strongest position comes first; cut to its old size if
 * it has grown. New steps are called after `name`. */
tips_status tips__convert_anchor(conversion_work *work, const char *name, int old, int *placed) TIPS_MUST_CHECK;

/* A step that flattens a map of more than one position, and what becomes of it. */
bool tips__convert_is_head(const conversion_work *work, int step);
tips_status tips__convert_head(conversion_work *work, int step) TIPS_MUST_CHECK;

/* A layer that makes maps larger: whether it is one, which choices of phase it undoes (below: the grid of its input),
 * and what becomes of it. */
bool tips__convert_enlarges(const conversion_work *work, int step);
tips_status tips__convert_find_undone(const conversion_work *work, int step, int below, int *above) TIPS_MUST_CHECK;
tips_status tips__convert_write_enlarger(conversion_work *work, int step) TIPS_MUST_CHECK;

/* How large the maps of a grid are now: every operator divides, rounding up, and nothing else changes sizes. */
void tips__convert_new_size(const conversion_work *work, int of, int size[2]);
/* Whether the operator chooses a phase. */
static inline bool tips__convert_chooses(const conversion_work *work) {
    return (tips__pool_traits(&work->options->pool) & TIPS_POOL_CHOOSES) != 0;
}

/* The new step for an old one. */
int tips__convert_at(const conversion_work *work, int step);
tips_status tips__convert_note(tips_conversion *out, const char *layer, const char *format, ...)
    TIPS_PRINTF(3, 4) TIPS_MUST_CHECK;

static inline bool tips__is_downsampling(const int stride[2]) { return stride[0] > 1 || stride[1] > 1; }

#endif
