/* The tables of operators, architectures, layers, norms, optimisers, tasks and metrics as rows. */
#include "api/catalog.h"

#include "arch/arch.h"
#include "norm/norm.h"
#include "optimizer/optimizer.h"
#include "task/task.h"

bool tips__catalog_pool(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    const tips_pool *pool = tips__pools[i];
    tips_pool_spec spec;
    if (!pool || tips__pool_parse(pool->layer.name, 0, &spec) != TIPS_OK) return false;
    const unsigned bits = tips__pool_traits(&spec);
    *row = (tips_catalog_row){pool->layer.name, pool->layer.brief, pool->layer.options};
    *traits = (tips_catalog_traits){.exact = bits & TIPS_POOL_EXACT,
                                    .learned = bits & TIPS_POOL_LEARNED,
                                    .stochastic = bits & TIPS_POOL_STOCHASTIC,
                                    .losses = bits & TIPS_POOL_LOSSES,
                                    .chooses = bits & TIPS_POOL_CHOOSES};
    return true;
}

bool tips__catalog_arch(int i, tips_catalog_row *row) {
    if (!tips__archs[i]) return false;
    *row = (tips_catalog_row){tips__archs[i]->name, tips__archs[i]->brief, NULL};
    return true;
}

bool tips__catalog_layer(int i, tips_catalog_row *row) {
    for (const tips_layer *const *layer = tips__layers; *layer; layer++) {
        if ((*layer)->flags & TIPS_LAYER_HIDDEN || i-- > 0) continue;
        *row = (tips_catalog_row){(*layer)->name, (*layer)->brief, (*layer)->options};
        return true;
    }
    return false;
}

bool tips__catalog_norm(int i, tips_catalog_row *row) {
    const tips_norm *norm = tips__norms[i];
    if (!norm) return false;
    *row = (tips_catalog_row){norm->name, norm->brief, norm->options};
    return true;
}

bool tips__catalog_optimizer(int i, tips_catalog_row *row) {
    const tips_optimizer *optimizer = tips__optimizers[i];
    if (!optimizer) return false;
    *row = (tips_catalog_row){optimizer->name, optimizer->brief, optimizer->options};
    return true;
}

/* Those of every task, then the common ones, with both kinds of shift side by side: what is said of circular ones
 * refers to standard ones. */
static const tips_metric *find_metric(int i) {
    static const tips_metric none = {.name = NULL};
    int order[TIPS_MOST_METRICS];
    for (const tips_task *const *task = tips__tasks; *task; task++) {
        const int own = tips__metric_index((*task)->metrics, 0);
        tips__metric_pairs((*task)->metrics, order); /* its own come first */
        if (i < own) return &(*task)->metrics[order[i]];
        i -= own;
    }
    return i < tips__metric_pairs(&none, order) ? tips__metric_at(&none, order[i]) : NULL;
}

bool tips__catalog_metric(int i, tips_catalog_row *row, tips_catalog_metric *metric) {
    const tips_metric *m = find_metric(i);
    if (!m) return false;
    *row = (tips_catalog_row){m->name, m->help, NULL};
    *metric = (tips_catalog_metric){m->unit, tips__better_names[m->better], tips__need_names[m->need]};
    return true;
}

bool tips__catalog_task(int i, tips_catalog_row *row) {
    const tips_task *task = tips__tasks[i];
    if (!task) return false;
    *row = (tips_catalog_row){task->name, task->brief, task->options};
    return true;
}
