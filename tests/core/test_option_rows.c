/* Option tables that nest: the order of the walk, offsets, rows left out, rows like others, and everything that works
 * on tables through groups. */
#include "core/option.h"
#include "core/option_flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct border {
    int top, left;
} border;

typedef struct window {
    int size[2];
    border around;
    double gain;
} window;

typedef struct command {
    bool json;
    window view, other;
    const char *file;
    int count;
} command;

static const tips_option border_rows[] = {
    {.name = "top", .type = TIPS_OPT_INT, .offset = offsetof(border, top), .fallback = "1", .max = 9, .help = "above"},
    {.name = "left", .type = TIPS_OPT_INT, .offset = offsetof(border, left), .fallback = "2", .max = 9},
    {.type = TIPS_OPT_END},
};

static const tips_option window_rows[] = {
    {.name = "size", .type = TIPS_OPT_PAIR, .offset = offsetof(window, size), .fallback = "3", .min = 1, .max = 99},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(window, around), .group = border_rows},
    {.name = "gain", .type = TIPS_OPT_FLOAT, .offset = offsetof(window, gain), .fallback = "0.5"},
    {.type = TIPS_OPT_END},
};

static const tips_option command_rows[] = {
    {.name = "json", .type = TIPS_OPT_BOOL, .offset = offsetof(command, json), .fallback = "false"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(command, view), .group = window_rows, .without = "size left"},
    {.name = "file", .type = TIPS_OPT_TEXT, .offset = offsetof(command, file)},
    {.name = "size",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(command, other.size),
     .group = window_rows,
     .fallback = "4x5",
     .min = 2,
     .max = 50,
     .metavar = "HxW",
     .help = "of the other"},
    {.name = "left", .type = TIPS_OPT_LIKE, .offset = offsetof(command, count), .group = window_rows},
    {.type = TIPS_OPT_END},
};

static void walks_in_order(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t offset;
    } expected[] = {
        {"json", offsetof(command, json)},       {"top", offsetof(command, view.around.top)},
        {"gain", offsetof(command, view.gain)},  {"file", offsetof(command, file)},
        {"size", offsetof(command, other.size)}, {"left", offsetof(command, count)},
    };
    size_t count = 0;
    for (tips_option_walk walk = tips__options_walk(command_rows); tips__options_next(&walk); count++) {
        assert_in_range(count, 0, sizeof expected / sizeof expected[0] - 1);
        assert_string_equal(walk.row.name, expected[count].name);
        assert_int_equal(walk.row.offset, expected[count].offset);
    }
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    tips_option_walk none = tips__options_walk(NULL);
    assert_false(tips__options_next(&none));
}

static void likens(void **state) {
    (void)state;
    tips_option row;
    char range[64];
    assert_true(tips__option_find(command_rows, "size", &row));
    assert_int_equal(row.type, TIPS_OPT_PAIR);
    assert_string_equal(row.fallback, "4x5");
    assert_string_equal(row.metavar, "HxW");
    assert_string_equal(row.help, "of the other");
    tips__option_range(&row, range, sizeof range);
    assert_string_equal(range, "N or NxM, each 2..50");
    assert_true(tips__option_find(command_rows, "left", &row)); /* from a group of the table it is like */
    assert_int_equal(row.type, TIPS_OPT_INT);
    assert_string_equal(row.fallback, "2");
    assert_true(row.max == 9);
}

static void sets_defaults(void **state) {
    (void)state;
    command c;
    memset(&c, 0xAA, sizeof c);
    assert_int_equal(tips__options_defaults(command_rows, &c), TIPS_OK);
    assert_false(c.json);
    assert_int_equal(c.view.around.top, 1);
    assert_true(c.view.gain == 0.5);
    assert_null(c.file);
    assert_int_equal(c.other.size[0], 4);
    assert_int_equal(c.other.size[1], 5);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.view.around.left, (int)0xAAAAAAAA); /* left out, so left alone */
}

static void finds_and_sets(void **state) {
    (void)state;
    command c = {0};
    tips_option row;
    assert_true(tips__option_find(command_rows, "top", &row));
    assert_int_equal(tips__option_set(&row, &c, "7", "--top"), TIPS_OK);
    assert_int_equal(c.view.around.top, 7);
    assert_int_equal(tips__option_set(&row, &c, "10", "--top"), TIPS_RANGE);
    assert_string_equal(tips_last_error(), "--top: '10' is out of range; it takes 0..9");
    assert_string_equal(tips__option_nearest(command_rows, "gian"), "gain");
}

typedef struct noting {
    window view;
    tips_given given;
    int count;
} noting;

static const tips_option noting_rows[] = {
    {.name = "count", .type = TIPS_OPT_INT, .offset = offsetof(noting, count), .fallback = "6", .max = 9},
    TIPS_GIVEN_ROW(noting, given),
    {.type = TIPS_OPT_GROUP, .offset = offsetof(noting, view), .group = window_rows},
    {.type = TIPS_OPT_END},
};

typedef struct holder {
    int first;
    noting inner;
    tips_given given;
    bool last;
} holder;

static const tips_option holder_rows[] = {
    TIPS_GIVEN_ROW(holder, given),
    {.name = "size", .type = TIPS_OPT_LIKE, .offset = offsetof(holder, inner.view.size), .group = window_rows},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(holder, inner), .group = noting_rows, .without = "size"},
    {.name = "first", .type = TIPS_OPT_INT, .offset = offsetof(holder, first), .fallback = "0"},
    {.name = "last", .type = TIPS_OPT_BOOL, .offset = offsetof(holder, last), .fallback = "false"},
    {.type = TIPS_OPT_END},
};

static void set(const tips_option *table, void *config, const char *name, const char *value) {
    tips_option row;
    assert_true(tips__option_find(table, name, &row));
    assert_int_equal(tips__option_set(&row, config, value, name), TIPS_OK);
}

/* What is set to its default was given all the same: for the struct that the field lies in, and for those around it,
 * whichever table has the row. */
static void notes_what_was_given(void **state) {
    (void)state;
    holder h;
    tips_option row;
    memset(&h, 0xAA, sizeof h);
    assert_int_equal(tips__options_defaults(holder_rows, &h), TIPS_OK);
    assert_int_equal(h.inner.given.count, 0);
    set(holder_rows, &h, "left", "2");
    set(holder_rows, &h, "left", "2");
    set(holder_rows, &h, "first", "0");
    set(holder_rows, &h, "size", "4");
    assert_true(tips__option_find(holder_rows, "top", &row));
    assert_int_equal(tips__option_set(&row, &h, "10", "--top"), TIPS_RANGE);
    assert_true(tips__option_find(holder_rows, "count", &row));
    assert_int_equal(tips__option_set_usual(&row, &h, "7", "the model"), TIPS_OK);
    assert_int_equal(h.inner.count, 7);
    assert_int_equal(h.inner.given.count, 2);
    assert_int_equal(h.given.count, 3);
    assert_true(tips__option_is_given(noting_rows, &h.inner, "left"));
    assert_true(tips__option_is_given(holder_rows, &h, "left"));
    assert_true(tips__option_is_given(noting_rows, &h.inner, "size")); /* by a row of the table around it */
    assert_true(tips__option_is_given(holder_rows, &h, "first"));
    assert_false(tips__option_is_given(holder_rows, &h, "last"));
    assert_false(tips__option_is_given(noting_rows, &h.inner, "top"));   /* refused */
    assert_false(tips__option_is_given(noting_rows, &h.inner, "count")); /* by nobody */
    assert_false(tips__option_is_given(noting_rows, &h.inner, "nobody"));
    assert_int_equal(tips__options_parse(noting_rows, &h.inner, "gain=0.5", "it"), TIPS_OK);
    assert_true(tips__option_is_given(noting_rows, &h.inner, "gain"));
    assert_true(tips__option_find(holder_rows, "left", &row));
    tips_option copied[] = {row, {.type = TIPS_OPT_END}}; /* says where it was noted, and there is nothing there */
    copied[0].offset = 0;
    for (tips_option_walk walk = tips__options_walk(copied); tips__options_next(&walk);)
        assert_int_equal(walk.row.given[0], 0);
    const holder copy = h;
    assert_int_equal(tips__options_defaults(holder_rows, &h), TIPS_OK);
    assert_false(tips__option_is_given(noting_rows, &h.inner, "gain"));
    assert_true(tips__option_is_given(noting_rows, &copy.inner, "gain"));
}

/* Back to a command line: what differs from its default, and what was given; defaults are looked up without a touch to
 * lists of what was given, which lie elsewhere. */
static void says_flags_again(void **state) {
    (void)state;
    holder h;
    tips_text text = {0};
    memset(&h, 0xAA, sizeof h);
    assert_int_equal(tips__options_defaults(holder_rows, &h), TIPS_OK);
    tips__options_flags(&text, holder_rows, &h, NULL);
    assert_null(text.data);
    set(holder_rows, &h, "left", "2"); /* its default */
    set(holder_rows, &h, "size", "4");
    tips__options_flags(&text, holder_rows, &h, NULL);
    assert_non_null(text.data);
    assert_non_null(strstr(text.data, " --left 2"));
    assert_non_null(strstr(text.data, " --size 4"));
    assert_null(strstr(text.data, " --top"));
    tips__text_clear(&text);
    tips__options_flags(&text, holder_rows, &h, "json left");
    assert_non_null(text.data);
    assert_null(strstr(text.data, "left"));
    tips__text_clear(&text);
    assert_int_equal(h.given.count, 2);
}

static void parses_and_formats(void **state) {
    (void)state;
    command c = {0}, copy = {0};
    char text[128];
    assert_int_equal(tips__options_defaults(command_rows, &c), TIPS_OK);
    assert_int_equal(tips__options_defaults(command_rows, &copy), TIPS_OK);
    tips__options_format(command_rows, &c, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(tips__options_parse(command_rows, &c, "left=3,gain=2,top=4,size=6", "it"), TIPS_OK);
    tips__options_format(command_rows, &c, text, sizeof text);
    assert_string_equal(text, "top=4,gain=2,size=6,left=3");
    assert_int_equal(tips__options_parse(command_rows, &copy, text, "it"), TIPS_OK);
    assert_memory_equal(&c, &copy, sizeof c);
    assert_int_equal(tips__options_parse(command_rows, &c, "top=4,gain=1,top=4", "it"), TIPS_INVALID);
    assert_string_equal(tips_last_error(), "it:top is given twice");
    assert_int_equal(tips__options_parse(command_rows, &c, "tpo=4", "it"), TIPS_UNKNOWN);
    assert_string_equal(tips_last_error(),
                        "unknown option 'tpo' of it; did you mean 'top'? It takes json, top, gain, file, size, left");
}

/* A mistake in a table shows as an error, not as a crash. */
static void refuses_wrong_tables(void **state) {
    (void)state;
    static const tips_option like_none[] = {
        {.name = "size", .type = TIPS_OPT_LIKE, .group = border_rows, .fallback = "1"},
        {.type = TIPS_OPT_END},
    };
    int value = 5;
    assert_int_equal(tips__options_defaults(like_none, &value), TIPS_INVALID);
    assert_int_equal(value, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_in_order),       cmocka_unit_test(likens),
        cmocka_unit_test(sets_defaults),        cmocka_unit_test(finds_and_sets),
        cmocka_unit_test(notes_what_was_given), cmocka_unit_test(says_flags_again),
        cmocka_unit_test(parses_and_formats),   cmocka_unit_test(refuses_wrong_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
