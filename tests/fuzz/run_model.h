/* A network that was read from hostile bytes runs like any other, if it is small enough to be tried often. */
#ifndef TIPS_TESTS_FUZZ_RUN_MODEL_H
#define TIPS_TESTS_FUZZ_RUN_MODEL_H

#include "core/memory.h"
#include "model/model_file.h"
#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The same file at every call, with these bytes. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != (ssize_t)size) abort();
    return path;
}

static inline bool fuzz_is_small(const tips_graph *graph) {
    enum { MOST_VALUES = 1 << 16, MOST_PARAMETERS = 1 << 16, MOST_NODES = 64 };
    size_t values = 0, parameters = 0;
    if (tips__graph_node_count(graph) > MOST_NODES) return false;
    for (int i = 0; i < tips__graph_value_count(graph); i++) {
        const tips_value_info *value = tips__value(graph, i);
        values += (size_t)value->c * (size_t)value->h * (size_t)value->w;
    }
    for (int i = 0; i < tips__graph_param_count(graph); i++)
        parameters += tips__param_elements(tips__graph_param(graph, i));
    return values <= MOST_VALUES && parameters <= MOST_PARAMETERS;
}

static inline void fuzz_run(tips_loaded_model *loaded) {
    const tips_value_info *x = tips__value(loaded->model.graph, loaded->model.ends.input);
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT, .seed = 1};
    tips_net *net;
    float *input = NULL;
    if (fuzz_is_small(loaded->model.graph) &&
        tips__net_compile(loaded->model.graph, loaded->params, &options, &net) == TIPS_OK) {
        if (tips__new_zero(&input, (size_t)x->c * (size_t)x->h * (size_t)x->w * sizeof *input, "an input") == TIPS_OK &&
            tips__net_set_map(net, loaded->model.ends.input, input) == TIPS_OK && tips__net_forward(net) != TIPS_OK)
            abort();
        tips__free(input);
        tips__net_destroy(net);
    }
    tips__loaded_model_destroy(loaded);
}

#endif
