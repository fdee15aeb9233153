/* A run that goes on knows what it was given when it began: config.json says it, beside what all options are. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/path.h"

#include <unistd.h>

static void note(const tips_json_node *names, const tips_option *table, void *config) {
    tips_option row;
    for (const tips_json_node *at = names ? names->first : NULL; at; at = at->next)
        if (at->kind == TIPS_JSON_TEXT && tips__option_find(table, at->text, &row))
            tips__option_note_given(&row, config);
}

tips_status tips__train_read_given(const tips_train_config *said, const tips_train_sources *sources,
                                   const tips_option *table, void *config) {
    const char *named = tips__settings_find(&sources->checkpoint, "out"),
               *recipes = tips__yaml_value(sources->recipe, "out");
    const char *out = said->out ? said->out : named ? named : recipes;
    char path[TIPS_PATH_SIZE];
    tips_json_node *tree;
    TIPS_TRY(tips__path_join(out, tips__config_name, path));
    if (access(path, F_OK) != 0) return TIPS_OK;
    TIPS_TRY(tips__json_tree_load(path, &tree));
    note(tips__json_get(tree, "given"), table, config);
    tips__json_tree_free(tree);
    return TIPS_OK;
}
