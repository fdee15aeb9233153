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
        if (walk.row.given > command->config_size) complain(command->name, "has no list that notes", walk.row.name);
    }
}

/* Every row that is noted has room in its list. */
static void check_noted(const cli_command *command) {
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        int count = 0;
        for (tips_option_walk other = tips__options_walk(command->options); tips__options_next(&other);)
            count += walk.row.given > 0 && other.row.given == walk.row.given;
        if (count > TIPS_LIST_MOST) complain(command->name, "has too many rows beside the noted", walk.row.name);
    }
}

static void tables_are_sound(void **state) {
    (void)state;
    for (const cli_command *const *command = cli_commands; *command; command++) {
        check_groups((*command)->name, (*command)->options);
        check_rows(*command);
        check_noted(*command);
        void *config = calloc(1, (*command)->config_size + 1);
        assert_non_null(config);
        assert_int_equal(tips__options_defaults((*command)->options, config), TIPS_OK);
        free(config);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_sound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
