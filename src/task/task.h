/* What a task is: what a network is asked, how it is told the truth, and how right its answers are. One file and one
 * line in tasks.def each. Trainer, evaluator, verifier and report know tasks by this row alone.
 *
 * Targets, answers and scores are bytes that only the task understands, and may differ in size from picture to picture.
 * What the network sees of a picture is told by a tips_move, so that masks, boxes and points can follow. */
#ifndef TIPS_TASK_TASK_H
#define TIPS_TASK_TASK_H

#include "arch/arch.h"
#include "core/bytes.h"
#include "core/pile.h"
#include "core/text.h"
#include "data/annotation.h"
#include "image/move.h"
#include "metric/consistency.h"
#include "metric/metric.h"
#include "net/net.h"

typedef struct tips_task tips_task;

enum { TIPS_TASK_CONFIG_BYTES = 128, TIPS_MOST_OUTPUTS = 32, TIPS_MOST_TARGETS = 8 };

#define TIPS_TASK_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_TASK_CONFIG_BYTES, "the config of a task is too large")

/* A task with its options, as written: "segment:loss=dice". */
typedef struct tips_task_spec {
    const tips_task *task;
    union {
        unsigned char bytes[TIPS_TASK_CONFIG_BYTES];
        double align;
    } config;
} tips_task_spec;

/* A task given to a network. */
typedef struct tips_assignment {
    tips_task_spec spec;
    int classes;                            /* of the network */
    int size[2];                            /* height and width of its input */
    char *const *names;                     /* (classes): to be written into drawings; NULL: numbers. Borrowed too */
    const tips_colours *colours;            /* that classes are drawn in; NULL: Pascal VOC's. Borrowed by who draws */
    int first_drawn;                        /* classes before it are left as they are, where colours are given */
    const struct tips_blueprint *blueprint; /* of a network that came from elsewhere, else NULL */
} tips_assignment;

/* Where a task meets the graph. */
typedef struct tips_ends {
    tips_value input;
    tips_value outputs[TIPS_MOST_OUTPUTS]; /* (n_outputs): what answers are made from */
    int n_outputs;
    tips_value targets[TIPS_MOST_TARGETS]; /* (n_targets): inputs that the loss reads; none without a loss */
    int n_targets;
    tips_value loss;    /* TIPS_NO_VALUE without */
    tips_value teacher; /* input for another network's output 0; TIPS_NO_VALUE without a teacher */
} tips_ends;

/* What a network put out for a batch: plain floats in the order of the ends. */
typedef struct tips_outputs {
    int n, count;
    const float *values[TIPS_MOST_OUTPUTS]; /* (n, c, h, w) each */
    size_t floats[TIPS_MOST_OUTPUTS];       /* of one sample */
} tips_outputs;

/* An answer, and how the picture lay on the input when it was given. */
typedef struct tips_answer_at {
    const tips_bytes *answer;
    int shift[2]; /* down and right */
    bool circular;
} tips_answer_at;

/* What pictures count for under shifts that all of them have in common: one shift for the whole set at a time. */
typedef struct tips_shift_scores {
    int kind;                /* TIPS_STANDARD, TIPS_CIRCULAR */
    const tips_pile *scores; /* (images, stride) */
    int images, stride;
    const int
        *columns; /* (count): of the scores of a picture, those of the shifts that are meant; the first is of none */
    int count;
} tips_shift_scores;

enum {
    TIPS_TASK_LOGITS = 1, /* output 0 is one number a class: probabilities follow, and a teacher can be learned from */
    TIPS_TASK_GRADED = 2, /* agreement may lie between 0 and 1: intervals are of how pictures spread */
    TIPS_TASK_MASK = 4,   /* the answer is a byte a pixel of the input: its class; output 0 one number a class there */
    TIPS_TASK_BOXES = 8   /* the answer is an array of tips_detection in pixels of the input, best first */
};

/* What an option of training is unless something else is said. */
typedef struct tips_usual {
    const char *name, *value;
} tips_usual;

struct tips_task {
    const char *name, *brief;
    unsigned flags;
    const tips_option *options; /* closed by TIPS_OPT_END */
    size_t config_size;
    unsigned needs;          /* TIPS_ANNOTATES_*: what the data must offer */
    int views;               /* samples that training makes of a picture; 0: one */
    const char *protocol;    /* of shifts, unless another is asked for; NULL: the first */
    const tips_usual *usual; /* closed by a row without a name; NULL: as for all tasks */

    /* Truth, in the network's input. */
    tips_status (*target)(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *target);
    /* Graph: head sets outputs, loss sets targets and loss and declares it by tips__graph_loss. Errors stick. */
    void (*head)(const tips_assignment *a, tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                 const tips_features *features, tips_ends *ends);
    void (*loss)(const tips_assignment *a, tips_graph *graph, tips_ends *ends);
    /* Hands the targets (n) of a whole batch to the net; `room` is memory to gather them in, kept between calls. */
    tips_status (*put)(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets, int n,
                       tips_bytes *room);
    /* The same where picture i is made of shares[i] of itself and else of picture partners[i], for tasks with the
     * option "mixed". NULL: pictures cannot be mixed. */
    tips_status (*put_mixed)(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets,
                             const int *partners, const float *shares, int n, tips_bytes *room);

    /* The answer of sample i. */
    tips_status (*answer)(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *answer);
    /* `target` may be NULL: nothing is right then. */
    tips_agreement (*agree)(const tips_assignment *a, tips_answer_at x, tips_answer_at y, const tips_bytes *target);
    /* An answer in words, for pages: "cat". `classes` may be NULL. */
    void (*say)(const tips_assignment *a, const tips_bytes *answer, char *const *classes, tips_text *out);
    /* The same as a drawing over the picture it was given to, red, green and blue of the input's size. NULL: words do.
     */
    void (*draw)(const tips_assignment *a, const tips_bytes *answer, tips_image *picture);
    /* The truth in the same way, and where two answers differ with the shifts undone, over the unshifted picture. NULL:
     * it is not shown. */
    void (*draw_target)(const tips_assignment *a, const tips_bytes *target, tips_image *picture);
    void (*draw_difference)(const tips_assignment *a, tips_answer_at x, tips_answer_at y, tips_image *picture);

    /* Figures, one for each row of `metrics`, which a row without a name closes; row 0 chooses the best model. */
    const tips_metric *metrics;
    /* What sample i counts for. */
    tips_status (*score)(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                         tips_bytes *score);
    /* Adds a score to a sum of them, if that says as much as all of them do. NULL: all are kept. */
    void (*merge)(tips_bytes *sum, const tips_bytes *score);
    /* From scores (n) or their sum (1). A row that was not measured is tips__figure_none. */
    tips_status (*figures)(const tips_assignment *a, const tips_bytes *scores, int n, tips_figure *figures);

    /* Figures of a set under common shifts, for those of `metrics` that need them. What a picture counts for under one:
     * `still` and `moved` are the answers to it as it lies and shifted; `target` is of the former. NULL: there are
     * none. */
    tips_status (*shift_score)(const tips_assignment *a, tips_answer_at still, tips_answer_at moved,
                               const tips_bytes *target, tips_bytes *score);
    /* Sets the figures of metrics whose kind of shift this is, and no others. */
    tips_status (*shift_figures)(const tips_assignment *a, const tips_shift_scores *scores, tips_figure *figures);

    /* A figure of one class of the network, from scores as above. NULL: there is none. */
    const char *class_metric; /* its name: "iou" */
    tips_status (*class_figure)(const tips_assignment *a, const tips_bytes *scores, int n, int class_index,
                                tips_figure *figure);

    /* How the cross-entropy of sample i, summed over what it answers for, changes with each number of each output:
     * slopes[k] has room for outputs->floats[k] and is set as a whole. Returns the loss. NULL: attacks cannot follow
     * it. */
    double (*slope)(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                    float *const *slopes);

    /* A number that tells answers apart, and targets in the same way, to count which is the most frequent. NULL:
     * answers are too many-sided to be counted. */
    int (*number)(const tips_assignment *a, const tips_bytes *answer);
};

/* All tasks, NULL-terminated. */
extern const tips_task *const tips__tasks[];

/* Parses "name" or "name:key=value,..."; NULL is the default task. An unknown name suggests the nearest. */
tips_status tips__task_parse(const char *text, tips_task_spec *out) TIPS_MUST_CHECK;
void tips__task_format(const tips_task_spec *spec, char *out, size_t size);
/* With every option, for files. */
void tips__task_format_all(const tips_task_spec *spec, char *out, size_t size);
tips_task_spec tips__task_default(void);
/* An error that says what `who` is for, unless the task's answers are classes of whole pictures. */
tips_status tips__task_expect_logits(const tips_task_spec *spec, const char *who) TIPS_MUST_CHECK;
/* The same, unless they are masks. */
tips_status tips__task_expect_masks(const tips_task_spec *spec, const char *who) TIPS_MUST_CHECK;
/* The same, unless they are boxes. */
tips_status tips__task_expect_boxes(const tips_task_spec *spec, const char *who) TIPS_MUST_CHECK;
bool tips__task_is_default(const tips_task_spec *spec); /* with its default options too */

/* A step of learning. Outputs are computed beside the losses where scores are taken of them and added up. */
static inline tips_pass tips__task_training(const tips_task *task) {
    tips_pass pass = tips__pass_training;
    pass.losses_only = !task->merge;
    return pass;
}

static inline const void *tips__task_config(const tips_assignment *a) { return &a->spec.config; }

#endif
