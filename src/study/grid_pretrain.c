/* The run that comes before that of a cell: an encoder, whose weights the cell begins with. */
#include "study/grid_parts.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

static const char pretrain_name[] = "pretrain";

bool tips__is_pretrain(const char *key) {
    const size_t length = sizeof pretrain_name - 1;
    return strncmp(key, pretrain_name, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

const tips_yaml_node *tips__pretrain_of(const char *key, const tips_yaml_node *value) {
    if (!value || value->kind != TIPS_YAML_MAP) return NULL;
    if (strcmp(key, pretrain_name) == 0) return value;
    const tips_yaml_node *inner = tips__yaml_get(value, pretrain_name);
    return inner && inner->kind == TIPS_YAML_MAP ? inner : NULL;
}

tips_status tips__pretrain_set(const tips_grid *g, const tips_yaml_node *options, tips_cell *cell) {
    if (!options) return TIPS_OK;
    if (cell->train.weights || cell->train.init)
        TIPS_FAIL(TIPS_INVALID,
                  "%s:%d: a model begins with the weights of 'pretrain' or with those of '%s', not with both", g->path,
                  options->line, cell->train.init ? "init" : "weights");
    if (!cell->pretrains) {
        cell->pretrain = cell->train;
        cell->pretrain.head_only = cell->pretrain.freeze = false;
        cell->pretrains = true;
    }
    return tips__grid_apply(g, options, &cell->pretrain);
}

tips_status tips__pretrain_finish(const tips_grid_over *over, tips_cell *cell) {
    if (!cell->pretrains) return TIPS_OK;
    cell->pretrain.model.seed = cell->train.model.seed;
    for (int i = 0; i < over->count; i++) {
        char name[128], where[160];
        tips_option row;
        const char *text = over->texts[i], *equals = strchr(text, '=');
        if (!equals || strncmp(text, "pretrain.", sizeof pretrain_name) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - text - (ptrdiff_t)sizeof pretrain_name),
                 text + sizeof pretrain_name);
        if (!tips__option_find(tips__train_rows, name, &row))
            TIPS_FAIL(TIPS_UNKNOWN, "--set %s: there is no option '%s'", text, name);
        snprintf(where, sizeof where, "--set pretrain.%s", name);
        TIPS_TRY(tips__option_set(&row, &cell->pretrain, equals + 1, where));
    }
    return tips__cell_name(&cell->pretrain, cell->encoder, sizeof cell->encoder);
}
