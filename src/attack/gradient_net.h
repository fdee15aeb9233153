/* In which direction pictures become harder: the gradient of the loss by the pixels of a network as it stands. It goes
 * through select and mix of the operators, and not through their choices. */
#ifndef TIPS_ATTACK_GRADIENT_NET_H
#define TIPS_ATTACK_GRADIENT_NET_H

#include "evaluate/picture_change.h"
#include "model/model_file.h"

typedef struct tips_gradient_net tips_gradient_net;

/* `model` must outlive it. Refuses tasks whose loss cannot be followed. */
/* Whether the loss of the model's task can be followed to the pixels. */
tips_status tips__gradient_net_check(const tips_loaded_model *model) TIPS_MUST_CHECK;
tips_status tips__gradient_net_create(const tips_loaded_model *model, int batch,
                                      tips_gradient_net **out) TIPS_MUST_CHECK;
void tips__gradient_net_destroy(tips_gradient_net *net);

/* How hard a picture is: the share of its answer that is right, and the loss. */
typedef struct tips_hardness {
    double right, loss;
} tips_hardness;

/* The pictures (at most a batch) through the network: how hard each is, and, unless `gradients` (count, c, h, w) is
 * NULL, how its loss changes with each number of its planes. */
tips_status tips__gradient_net_run(tips_gradient_net *net, const tips_changed_pictures *pictures,
                                   tips_hardness *hardness, float *gradients) TIPS_MUST_CHECK;

#endif
