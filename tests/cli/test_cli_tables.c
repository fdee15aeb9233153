/* The option tables of all commands: no name twice, nothing left out that is not there, nothing like a row that is not
 * there, and defaults that pass their own checks. */
#include "cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAME_SIZE = 64 };

static void complain(const char *owner, const char *what, const char *name) {
    print_error("%s: %s '%s'\n", owner, what, name);
    fail();
}

static void expect_in_group(const char *owner, const tips_option *group, const char *words) {
    tips_option row;
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!tips__option_find(group, name, &row)) complain(owner, "leaves out what is not there,", name);
        at += length;
    }
}

static void check_groups(const char *owner, const tips_option *table) {
    for (const tips_option *row = table; row && row->type != TIPS_OPT_END; row++) {
        if (row->type != TIPS_OPT_GROUP) continue;
        expect_in_group(owner, row->group, row->without);
        check_groups(owner, row->group);
    }
}

static int times(const tips_option *table, const char *name) {
    int count = 0;
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);)
        count += strcmp(walk.row.name, name) == 0;
    return count;
}

static void check_rows(const cli_command *command) {
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        if (walk.row.type == TIPS_OPT_LIKE) complain(command->name, "is like a row that is not there,", walk.row.name);
        if (times(command->options, walk.row.name) != 1) complain(command->name, "has two rows", walk.row.name);
        if (walk.row.offset >= command->config_size) complain(command->name, "has no room for", walk.row.name);
    }
}

/* Its default where it has one, else some value that it takes. */
static const char *some_value(const tips_option *row, void *config, char *out, size_t size) {
    if (row->type == TIPS_OPT_TEXT || row->type == TIPS_OPT_LIST) return row->fallback ? row->fallback : "1";
    tips__option_format(row, config, out, size);
    return out;
}

/* As on the command line; the name is that of the flag. */
static void give(const cli_command *command, const tips_option *row, void *config) {
    char value[256], flag[320];
    char *argv[] = {flag, NULL};
    int n_words = 0;
    bool wants_help = false;
    const cli_command plain = {.name = command->name, .options = command->options, .config_size = command->config_size};
    assert_int_equal(tips__options_defaults(command->options, config), TIPS_OK);
    const char *text = some_value(row, config, value, sizeof value);
    if (row->type == TIPS_OPT_BOOL) snprintf(flag, sizeof flag, "--%s%s", text[0] == 't' ? "" : "no-", row->name);
    else snprintf(flag, sizeof flag, "--%s=%s", row->name, text);
    if (cli_parse(&plain, 1, argv, config, &n_words, &wants_help) != CLI_OK) complain(command->name, "refuses", flag);
}

static void expect_noted(const cli_command *command, const tips_option *row, const void *config) {
    for (int i = 0; i < TIPS_GIVEN_SETS && row->given[i] > 0; i++) {
        const tips_given *given = (const void *)((const char *)config + row->given[i] - 1);
        if (given->count != 1 || strcmp(given->names[0], row->name) != 0)
            complain(command->name, "does not note alone", row->name);
    }
}

/* A flag at its default was given; no other was. */
static void defaults_can_be_given(void **state) {
    (void)state;
    for (const cli_command *const *command = cli_commands; *command; command++) {
        void *config = calloc(1, (*command)->config_size + 1);
        int rows = 0;
        assert_non_null(config);
        for (tips_option_walk walk = tips__options_walk((*command)->options); tips__options_next(&walk); rows++) {
            if (!walk.row.given[0]) complain((*command)->name, "does not note", walk.row.name);
            if (walk.row.given[TIPS_GIVEN_SETS - 1]) complain((*command)->name, "has too many sets for", walk.row.name);
            give(*command, &walk.row, config);
            assert_true(tips__option_is_given((*command)->options, config, walk.row.name));
            expect_noted(*command, &walk.row, config);
        }
        if (rows > TIPS_GIVEN_MOST) complain((*command)->name, "has more rows than can be noted", "");
        free(config);
    }
}

static void tables_are_sound(void **state) {
    (void)state;
    for (const cli_command *const *command = cli_commands; *command; command++) {
        check_groups((*command)->name, (*command)->options);
        check_rows(*command);
        void *config = calloc(1, (*command)->config_size + 1);
        assert_non_null(config);
        assert_int_equal(tips__options_defaults((*command)->options, config), TIPS_OK);
        free(config);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_sound), cmocka_unit_test(defaults_can_be_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
