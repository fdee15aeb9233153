/* What a training run takes from elsewhere than the command line: checkpoint, model, recipe. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/keep_input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const not_of_the_run[] = {"out", "resume", "save-every", "threads", "workers", NULL};

/* Came after the first checkpoints: kept only where they are not the default, so that older programs can go on too. */
static const char *const later_options[] = {"norm",        "optimizer", "task",          "others",      "other-pool",
                                            "stem-kernel", "views",     "head-only",     "watch-undo",  "undo-scale",
                                            "range",       "bgr",       "teacher-range", "teacher-bgr", NULL};

static bool is_default(const tips_train_config *config, const char *name) {
    tips_option row;
    char value[512];
    if (!tips__option_find(tips__train_rows, name, &row)) return true;
    tips__option_format(&row, config, value, sizeof value);
    return strcmp(value, row.fallback) == 0;
}

tips_status tips__train_spell_out(bool stored, tips_settings *settings) {
    const char *text = tips__settings_find(settings, "pool");
    tips_pool_spec spec;
    char whole[1024];
    if (!text || (stored ? tips__pool_parse_stored : tips__pool_parse)(text, 0, &spec) != TIPS_OK) return TIPS_OK;
    tips__pool_format_all(&spec, whole, sizeof whole);
    return tips__settings_set(settings, "pool", whole);
}

tips_status tips__train_settings(const tips_train_config *config, tips_settings *settings) {
    const char *without[32];
    int count = 0;
    for (const char *const *name = not_of_the_run; *name; name++) without[count++] = *name;
    for (const char *const *name = later_options; *name; name++)
        if (is_default(config, *name)) without[count++] = *name;
    without[count] = NULL;
    TIPS_TRY(tips__settings_from_options(settings, tips__train_rows, config, without));
    return tips__train_spell_out(false, settings);
}

void tips__train_sources_clear(tips_train_sources *sources) {
    tips__settings_clear(&sources->checkpoint);
    tips__settings_clear(&sources->model);
    tips__train_start_clear(&sources->start);
    tips__yaml_destroy(sources->recipe);
    *sources = (tips_train_sources){0};
}

const tips_train_start *tips__train_sources_start(const tips_train_sources *sources) {
    return sources->start.path ? &sources->start : NULL;
}

/* Whoever trained the weights chose the scale of the activations: without norms between them it may be anything, and
 * L_undo grows with its square. */
static tips_status scale_undo(tips_settings *s) { return tips__settings_add(s, "undo-scale", "variance"); }

/* Networks from elsewhere mostly have their norms folded into their convolutions, and operators that begin nearly
 * one-hot: large steps throw them off. They know something already, so L_undo counts from the start. */
static tips_status learn_carefully(const tips_optimizer *optimizer, tips_settings *s) {
    TIPS_TRY(tips__settings_add(s, "lr", optimizer->careful_lr));
    TIPS_TRY(tips__settings_add(s, "schedule", "cosine"));
    TIPS_TRY(tips__settings_add(s, "eps", "0"));
    return tips__settings_add(s, "clip", "1");
}

/* A default that nobody said is no wish. */
static tips_status refuse_said(const tips_train_config *given, const tips_train_sources *s) {
    for (tips_option_walk walk = tips__options_walk(tips__train_rows); tips__options_next(&walk);) {
        char value[512];
        const char *text = tips__yaml_value(s->recipe, walk.row.name);
        if (!text && !tips__given_has(&given->given, walk.row.name)) continue;
        tips__option_format(&walk.row, given, value, sizeof value);
        TIPS_TRY(tips__train_start_refuse(&s->start, walk.row.name, text ? text : value));
    }
    return TIPS_OK;
}

static tips_status read_model(const char *path, const tips_train_config *given, tips_train_sources *s) {
    TIPS_TRY(tips__train_start_read(path, &s->start));
    TIPS_TRY(refuse_said(given, s));
    return tips__train_start_describe(&s->start.model.info, &s->model);
}

static bool is_foreign(const tips_train_start *start) { return start->path && start->model.info.config.blueprint; }

/* A run that was killed before its first checkpoint has none, and begins anew. */
static tips_status read_checkpoint(const char *folder, tips_settings *settings) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(folder, tips__checkpoint_name, path));
    if (access(path, F_OK) != 0) return TIPS_OK;
    TIPS_TRY(tips__checkpoint_settings(path, settings));
    return tips__train_spell_out(true, settings);
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A folder in the place of a recipe, and --resume: the run that is to go on. It has begun, and --out agrees. */
static tips_status check_run(const tips_train_config *given, const char *folder) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(folder, tips__checkpoint_name, path));
    if (access(path, F_OK) != 0)
        TIPS_FAIL(TIPS_INVALID, "%s is a folder without %s: there is no run to go on with; a recipe is a file", folder,
                  tips__checkpoint_name);
    if (given->out && !tips__same_file(given->out, folder))
        TIPS_FAIL(TIPS_INVALID, "%s is the folder of one run and --out %s of another; leave one of them out", folder,
                  given->out);
    return TIPS_OK;
}

static tips_status read_sources(const tips_train_config *given, const char *recipe, tips_train_sources *s) {
    if (recipe && given->resume && is_folder(recipe)) {
        TIPS_TRY(check_run(given, recipe));
        TIPS_TRY(read_checkpoint(recipe, &s->checkpoint));
        return tips__settings_set(&s->checkpoint, "out", recipe);
    }
    if (recipe) TIPS_TRY(tips__yaml_read(recipe, &s->recipe));
    const char *out = given->out ? given->out : tips__yaml_value(s->recipe, "out");
    return given->resume && out ? read_checkpoint(out, &s->checkpoint) : TIPS_OK;
}

tips_status tips__train_preset(const tips_train_config *given, const char *recipe, const tips_option *table,
                               void *config, tips_train_sources *sources) {
    train_manner manner;
    TIPS_TRY(read_sources(given, recipe, sources));
    const char *init = given->init ? given->init : tips__yaml_value(sources->recipe, "init");
    if (init) TIPS_TRY(read_model(init, given, sources));
    TIPS_TRY(tips__train_find_manner(given, table, sources, &manner));
    const char *weights = given->weights ? given->weights : tips__yaml_value(sources->recipe, "weights");
    if (is_foreign(&sources->start)) TIPS_TRY(learn_carefully(manner.optimizer.optimizer, &sources->model));
    if (is_foreign(&sources->start) || weights) TIPS_TRY(scale_undo(&sources->model));
    TIPS_TRY(tips__train_usual(&manner, table, config));
    TIPS_TRY(tips__settings_apply(&sources->model, table, config, "the model"));
    TIPS_TRY(tips__settings_apply(&sources->checkpoint, table, config, "the checkpoint"));
    if (sources->checkpoint.count > 0) TIPS_TRY(tips__train_read_given(given, sources, table, config));
    return sources->recipe ? tips__yaml_apply(sources->recipe, table, config) : TIPS_OK;
}
