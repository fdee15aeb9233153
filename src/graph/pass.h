/* What a pass through a network does, each thing said for itself. A pass of which nothing is said is evaluation. */
#ifndef TIPS_GRAPH_PASS_H
#define TIPS_GRAPH_PASS_H

#include <stdbool.h>

typedef struct tips_pass {
    bool batch_statistics; /* norms use the statistics of the batch and move their running ones; else they use these */
    bool sampling;         /* operators that may draw their choice at random do; else they take the best */
    bool losses;           /* losses are computed, the operators' own too; what leads to losses alone is run for them */
    bool losses_only;      /* with them: outputs that no loss is made of are not computed */
    bool param_gradients;  /* backward finds the gradients of all parameters that learn and are not frozen */
    bool input_gradients;  /* backward finds the gradients of the maps that come in */
} tips_pass;

extern const tips_pass tips__pass_evaluation, tips__pass_training;
/* The gradients of the losses by the input, of a network as it stands: running statistics, nothing drawn. */
extern const tips_pass tips__pass_input_gradients;

/* A backward pass follows: what it reads is kept. */
static inline bool tips__goes_back(const tips_pass *pass) { return pass->param_gradients || pass->input_gradients; }

#endif
