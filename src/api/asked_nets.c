/* The free list of compiled nets: the last given back comes first, the one that waited longest goes. */
#include "api/asked_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <pthread.h>

struct asked_nets {
    pthread_mutex_t lock; /* guards what follows */
    asked_net *free;
    int count;
    int kept; /* most of them; never changes */
};

tips_status tips__asked_nets_create(int kept, asked_nets **out) {
    asked_nets *nets;
    TIPS_TRY(tips__new_zero(&nets, sizeof *nets, "the nets of a model"));
    if (pthread_mutex_init(&nets->lock, NULL) != 0) {
        tips__free(nets);
        TIPS_FAIL(TIPS_MEMORY, "out of memory for a lock");
    }
    nets->kept = kept;
    *out = nets;
    return TIPS_OK;
}

static void destroy_net(asked_net *net) {
    if (!net) return;
    tips__answerer_destroy(net->answerer);
    tips__free(net);
}

void tips__asked_nets_destroy(asked_nets *nets) {
    if (!nets) return;
    while (nets->free) {
        asked_net *first = nets->free;
        nets->free = first->next;
        destroy_net(first);
    }
    pthread_mutex_destroy(&nets->lock);
    tips__free(nets);
}

/* A net has room for the threads that it was compiled for. */
static asked_net *take_free(asked_nets *nets, int n, int threads) {
    asked_net *found = NULL;
    pthread_mutex_lock(&nets->lock);
    for (asked_net **at = &nets->free; *at && !found; at = &(*at)->next) {
        if ((*at)->n != n || (*at)->threads != threads) continue;
        found = *at;
        *at = found->next;
        nets->count--;
        break;
    }
    pthread_mutex_unlock(&nets->lock);
    return found;
}

tips_status tips__asked_take(const asked_model *c, int n, asked_net **out) {
    const int threads = tips__threads();
    asked_net *net = take_free(c->nets, n, threads);
    if (!net) {
        TIPS_TRY(tips__new_zero(&net, sizeof *net, "a net"));
        *net = (asked_net){.n = n, .threads = threads};
        const tips_status status =
            tips__answerer_create(&c->model.model, c->model.params, n, TIPS_ALGORITHM_EXACT, &net->answerer);
        if (status != TIPS_OK) {
            destroy_net(net);
            return status;
        }
    }
    *out = net;
    return TIPS_OK;
}

static asked_net *drop_last(asked_nets *nets) {
    asked_net **at = &nets->free;
    while ((*at)->next) at = &(*at)->next;
    asked_net *last = *at;
    *at = NULL;
    nets->count--;
    return last;
}

void tips__asked_give_back(const asked_model *c, asked_net *net) {
    asked_nets *nets = c->nets;
    asked_net *surplus = NULL;
    pthread_mutex_lock(&nets->lock);
    if (nets->count == nets->kept) surplus = drop_last(nets);
    net->next = nets->free;
    nets->free = net;
    nets->count++;
    pthread_mutex_unlock(&nets->lock);
    destroy_net(surplus);
}
