/* tips list: what there is to choose from. */
#include "cli.h"

#include "api/catalog.h"
#include "attack/attack.h"
#include "core/json.h"
#include "core/text_table.h"
#include "list_metrics.h"

#include <string.h>

enum { TEXT_SIZE = 256 };

typedef struct list_flags {
    bool json;
    tips_given given;
} list_flags;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(list_flags, given),
    {.name = "json",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(list_flags, json),
     .group = cli_rows,
     .help = "write the list as JSON"},
    {.type = TIPS_OPT_END},
};

/* One of the lists: row i, with traits where it has any. */
typedef struct catalogue {
    const char *name;
    bool (*row)(int i, tips_catalog_row *row, tips_catalog_traits *traits);
    bool has_traits;
} catalogue;

static bool arch_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    return tips__catalog_arch(i, row);
}

static bool layer_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    return tips__catalog_layer(i, row);
}

static bool norm_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    return tips__catalog_norm(i, row);
}

static bool task_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    return tips__catalog_task(i, row);
}

static bool optimizer_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    return tips__catalog_optimizer(i, row);
}

static bool attack_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    const tips_attack_method *m = tips__attack_methods[i];
    (void)traits;
    if (m) *row = (tips_catalog_row){m->name, m->brief, m->options};
    return m != NULL;
}

static bool corruption_row(int i, tips_catalog_row *row, tips_catalog_traits *traits) {
    (void)traits;
    if (i >= TIPS_CORRUPTIONS) return false;
    *row = (tips_catalog_row){tips__corruptions[i].name, tips__corruption_groups[tips__corruptions[i].group], NULL};
    return true;
}

static const catalogue catalogues[] = {
    {"pools", tips__catalog_pool, true},  {"archs", arch_row, false},
    {"layers", layer_row, false},         {"norms", norm_row, false},
    {"optimizers", optimizer_row, false}, {"tasks", task_row, false},
    {"attacks", attack_row, false},       {"corruptions", corruption_row, false},
};
#define LISTS "pools|archs|layers|norms|optimizers|tasks|attacks|corruptions|metrics"
enum { CATALOGUES = sizeof catalogues / sizeof catalogues[0] };
static const char metrics_name[] = "metrics"; /* these have columns of their own */

static bool has_options(const tips_option *table) {
    tips_option_walk walk = tips__options_walk(table);
    return tips__options_next(&walk);
}

static const char *yes(bool value) { return value ? "yes" : "-"; }

static tips_status print_names(const catalogue *c, FILE *file) {
    static const char *const plain[] = {"name", "what it is", NULL};
    static const char *const with_traits[] = {"name", "exact", "learned", "stochastic", "losses", "what it is", NULL};
    tips_text_table *table;
    tips_catalog_row row;
    tips_catalog_traits traits;
    tips_status status = tips__table_create(c->has_traits ? with_traits : plain, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; c->row(i, &row, &traits); i++) {
        tips__table_cell(table, "%s", row.name);
        if (c->has_traits) {
            tips__table_cell(table, "%s", yes(traits.exact));
            tips__table_cell(table, "%s", yes(traits.learned));
            tips__table_cell(table, "%s", yes(traits.stochastic));
            tips__table_cell(table, "%s", yes(traits.losses));
        }
        tips__table_cell(table, "%s", row.brief);
    }
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void add_option(tips_text_table *table, const char *owner, const tips_option *option) {
    char range[TEXT_SIZE];
    tips__option_range(option, range, sizeof range);
    tips__table_cell(table, "%s:%s", owner, option->name);
    tips__table_cell(table, "%s", range);
    tips__table_cell(table, "%s", option->fallback ? option->fallback : "-");
    tips__table_cell(table, "%s", option->help);
}

/* Whether all rows, of several, have the option, which is `usual` in the first. */
static bool is_common(const catalogue *c, const char *name, tips_option *usual) {
    tips_catalog_row row;
    tips_catalog_traits traits;
    tips_option other;
    int i = 1;
    if (!c->row(0, &row, &traits) || !tips__option_find(row.options, name, usual)) return false;
    for (; c->row(i, &row, &traits); i++)
        if (!tips__option_find(row.options, name, &other) || other.type != usual->type) return false;
    return i > 1;
}

/* What all have is said once, and again where its default is another. */
static void add_options(tips_text_table *table, const catalogue *c, int i, const tips_catalog_row *row) {
    for (tips_option_walk walk = tips__options_walk(row->options); tips__options_next(&walk);) {
        tips_option usual;
        if (!is_common(c, walk.row.name, &usual)) add_option(table, row->name, &walk.row);
        else if (i == 0) add_option(table, "(every)", &usual);
        else if (strcmp(walk.row.fallback, usual.fallback) != 0) add_option(table, row->name, &walk.row);
    }
}

static tips_status print_options(const catalogue *c, FILE *file) {
    static const char *const columns[] = {"option", "takes", "default", "meaning", NULL};
    tips_text_table *table;
    tips_catalog_row row;
    tips_catalog_traits traits;
    bool any = false;
    for (int i = 0; c->row(i, &row, &traits); i++) any = any || has_options(row.options);
    if (!any) return TIPS_OK;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; c->row(i, &row, &traits); i++) add_options(table, c, i, &row);
    fputc('\n', file);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void write_options(tips_json *json, const tips_option *table) {
    tips__json_open_array(json, "options");
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        const tips_option *option = &walk.row;
        char range[TEXT_SIZE];
        tips__option_range(option, range, sizeof range);
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", option->name);
        tips__json_text(json, "range", range);
        tips__json_text(json, "default", option->fallback);
        tips__json_text(json, "help", option->help);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void write_row(tips_json *json, const tips_catalog_row *row, const tips_catalog_traits *traits) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", row->name);
    tips__json_text(json, "brief", row->brief);
    if (traits) {
        tips__json_bool(json, "exact", traits->exact);
        tips__json_bool(json, "learned", traits->learned);
        tips__json_bool(json, "stochastic", traits->stochastic);
        tips__json_bool(json, "losses", traits->losses);
        tips__json_bool(json, "chooses_phase", traits->chooses);
    }
    write_options(json, row->options);
    tips__json_close_object(json);
}

static tips_status print_json(const catalogue *c, FILE *file) {
    tips_json *json;
    tips_catalog_row row;
    tips_catalog_traits traits;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, c->name);
    for (int i = 0; c->row(i, &row, &traits); i++) write_row(json, &row, c->has_traits ? &traits : NULL);
    tips__json_close_array(json);
    tips__json_close_object(json);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

static int unknown_list(const char *word) {
    const char *names[CATALOGUES + 2] = {[CATALOGUES] = metrics_name};
    for (int i = 0; i < CATALOGUES; i++) names[i] = catalogues[i].name;
    const char *nearest = tips__nearest(names, word);
    if (!nearest) return cli_usage_error(&cli_list, "there is no list '%s'; it takes " LISTS, word);
    return cli_usage_error(&cli_list, "there is no list '%s'; did you mean '%s'?", word, nearest);
}

static int run(void *config, int n_words, char **words) {
    const list_flags *flags = config;
    const int code = cli_expect_words(&cli_list, 1, n_words, words);
    if (code != CLI_OK) return code;
    if (n_words == 0) return cli_usage_error(&cli_list, "list what? It takes " LISTS);
    if (strcmp(words[0], metrics_name) == 0) return cli_report(cli_list_metrics(flags->json, stdout));
    for (int i = 0; i < CATALOGUES; i++) {
        if (strcmp(catalogues[i].name, words[0]) != 0) continue;
        if (flags->json) return cli_report(print_json(&catalogues[i], stdout));
        const tips_status status = print_names(&catalogues[i], stdout);
        return cli_report(status == TIPS_OK ? print_options(&catalogues[i], stdout) : status);
    }
    return unknown_list(words[0]);
}

const cli_command cli_list = {
    .name = "list",
    .brief = "list operators, architectures, layers, norms, optimisers, tasks, attacks and metrics",
    .synopsis = "LIST [--json]",
    .details =
        "LIST is one of " LISTS ".\n"
        "Operators are listed with their properties under default options: exact (commutes with every circular "
        "shift), learned (has parameters), stochastic (samples in training), losses (brings losses of its own). "
        "Options are written after the name: tips:psi=depthwise,fm=band. The first one of a norm may go without its "
        "name: batch:0.01.\n"
        "Metrics are listed with their unit, the way that is better, and what has to be measured for them; their names "
        "are the keys of the JSON that 'tips eval' prints and what 'tips audit --require' takes.",
    .options = options,
    .words = "pools archs layers norms optimizers tasks attacks corruptions metrics",
    .config_size = sizeof(list_flags),
    .run = run,
    .examples = "tips list pools\ntips list archs --json\ntips list optimizers\ntips list metrics\n",
};
