/* Names that options and words take. */
#include "completion.h"

#include "api/catalog.h"
#include "data/dataset_format.h"
#include "download/data_get.h"

#include <string.h>

static void add(cli_offer *o, const char *name) {
    const size_t length = strlen(o->names);
    snprintf(o->names + length, sizeof o->names - length, "%s%s", length ? " " : "", name);
}

static void add_pools(cli_offer *o) {
    tips_catalog_row row;
    tips_catalog_traits traits;
    for (int i = 0; tips__catalog_pool(i, &row, &traits); i++) add(o, row.name);
}

static void add_rows(cli_offer *o, bool (*next)(int i, tips_catalog_row *row)) {
    tips_catalog_row row;
    for (int i = 0; next(i, &row); i++) add(o, row.name);
}

static void add_archs(cli_offer *o) { add_rows(o, tips__catalog_arch); }
static void add_norms(cli_offer *o) { add_rows(o, tips__catalog_norm); }
static void add_optimizers(cli_offer *o) { add_rows(o, tips__catalog_optimizer); }
static void add_tasks(cli_offer *o) { add_rows(o, tips__catalog_task); }

static void add_metrics(cli_offer *o) {
    tips_catalog_row row;
    tips_catalog_metric metric;
    for (int i = 0; tips__catalog_metric(i, &row, &metric); i++) add(o, row.name);
}

static void add_formats(cli_offer *o) {
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row; row++) add(o, (*row)->name);
    o->files = true;
}

static void add_known_sets(cli_offer *o) {
    tips__data_get_names(o->names, sizeof o->names);
    char *to = o->names;
    for (const char *from = o->names; *from; from++)
        if (*from != ',') *to++ = *from;
    *to = '\0';
}

static void add_commands(cli_offer *o) {
    for (const cli_command *const *command = cli_commands; *command; command++) add(o, (*command)->name);
}

/* Texts that name something of a table. */
static const struct named {
    const char *option;
    void (*add)(cli_offer *o);
} named[] = {{"pool", add_pools}, {"pools", add_pools},          {"arch", add_archs},   {"norm", add_norms},
             {"task", add_tasks}, {"optimizer", add_optimizers}, {"data", add_formats}, {"require", add_metrics}};

static void add_named(const char *option, cli_offer *out) {
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(named[i].option, option) == 0) named[i].add(out);
}

static void add_places(const char *metavar, cli_offer *out) {
    out->files = out->files || strstr(metavar, "FILE") || strstr(metavar, "MODEL");
    out->folders = strstr(metavar, "DIR") != NULL;
}

void cli_offer_values(const tips_option *row, cli_offer *out) {
    *out = (cli_offer){.names = ""};
    if (row->type == TIPS_OPT_CHOICE)
        for (int i = 0; row->choices[i]; i++) add(out, row->choices[i]);
    if (row->type != TIPS_OPT_TEXT && row->type != TIPS_OPT_LIST) return;
    add_named(row->name, out);
    if (row->metavar) add_places(row->metavar, out);
}

void cli_offer_words(const cli_command *command, cli_offer *out) {
    *out = (cli_offer){.names = ""};
    if (!command->words) return;
    if (strcmp(command->words, "COMMAND") == 0) add_commands(out);
    else if (strcmp(command->words, "FILE") == 0) out->files = true;
    else if (strcmp(command->words, "DIR") == 0) out->folders = true;
    else add(out, command->words);
}

bool cli_offer_after(int i, const char **command, const char **word, cli_offer *out) {
    static const char *const words[] = {"info", "get"};
    static void (*const adds[])(cli_offer * o) = {add_formats, add_known_sets};
    if (i >= 2) return false;
    *out = (cli_offer){.names = ""};
    *command = cli_data.name;
    *word = words[i];
    adds[i](out);
    return true;
}

void cli_offer_flag(const tips_option *row, char *out, size_t size) {
    const bool is_on = row->type == TIPS_OPT_BOOL && row->fallback && strcmp(row->fallback, "true") == 0;
    snprintf(out, size, "--%s%s", is_on ? "no-" : "", row->name);
}

void cli_put_shielded(const char *text, const char *letters, const char *shield, FILE *file) {
    for (; *text; text++) {
        if (strchr(letters, *text)) fputs(shield, file);
        fputc(*text, file);
    }
}
