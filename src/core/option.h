/* Typed option rows, shared by operators, layers, architectures and commands.
 * A row names a field of a config struct; from it come the flag, its help, validation and documentation. */
#ifndef TIPS_CORE_OPTION_H
#define TIPS_CORE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tips/status.h>

typedef enum tips_option_type {
    TIPS_OPT_END,    /* closes a table */
    TIPS_OPT_BOOL,   /* bool */
    TIPS_OPT_INT,    /* int, within [min, max] */
    TIPS_OPT_FLOAT,  /* double, within [min, max]; "inf" is accepted where max is infinite */
    TIPS_OPT_CHOICE, /* int: index into `choices` */
    TIPS_OPT_CHAIN,  /* int[TIPS_CHAIN_MOST]: several of `choices` joined by '+'; the first of them, alone, is none */
    TIPS_OPT_TEXT,   /* const char *, borrowed from argv or from the default */
    TIPS_OPT_PAIR,   /* int[2]: "3" or "3x2"; both within [min, max] */
    TIPS_OPT_LIST,   /* tips_option_list: every use adds a text */
    TIPS_OPT_GROUP,  /* no option itself: all rows of `group`, whose config lies at `offset`, but those in `without` */
    TIPS_OPT_LIKE,   /* the row of this name in `group`, for the field at `offset`, with what is said here over it */
    TIPS_OPT_GIVEN   /* no option itself: a tips_given for the fields of the table's struct (TIPS_GIVEN_ROW) */
} tips_option_type;

/* What a TEXT row names if the command writes there. */
typedef enum tips_option_output { TIPS_NO_OUTPUT, TIPS_OUTPUT_FILE, TIPS_OUTPUT_FOLDER } tips_option_output;

enum { TIPS_LIST_MOST = 64, TIPS_CHAIN_MOST = 4 };
typedef struct tips_option_list {
    const char *text[TIPS_LIST_MOST]; /* (count), borrowed as TEXT is */
    int count;
} tips_option_list;

/* The names of the options that somebody set, by a flag, a recipe or a study's cell, apart from what they were set to:
 * a value that is the default's is given all the same. */
enum { TIPS_GIVEN_MOST = 160, TIPS_GIVEN_SETS = 4 };
typedef struct tips_given {
    const char *names[TIPS_GIVEN_MOST]; /* (count), of rows, which outlive everything */
    int count;
} tips_given;
/* Notes every row whose field lies in the struct, whichever table and group the row comes from. */
#define TIPS_GIVEN_ROW(config, set) \
    { .type = TIPS_OPT_GIVEN, .offset = offsetof(config, set), .extent = sizeof(config) }

typedef struct tips_option {
    const char *name;            /* "padding": the flag is --padding, the key padding= */
    tips_option_type type;
    size_t offset;               /* of the field in the config struct */
    const char *fallback;        /* the default, written as a user would write it; NULL: text left NULL */
    double min, max;             /* INT, FLOAT, PAIR; both 0: no limit */
    const char *const *choices;  /* CHOICE and CHAIN: NULL-terminated */
    const char *unsaid;          /* what files mean that were written before there was this row; NULL: the default */
    const char *metavar;         /* "FILE", "N"; NULL: made from the type */
    const char *help;            /* one sentence that teaches */
    const struct tips_option *group; /* GROUP and LIKE: another table */
    const char *without;         /* GROUP: "size classes", names that are left out */
    tips_option_output output;   /* TEXT: a file or folder to be written, looked at before the work begins */
    size_t extent;               /* GIVEN: the bytes of the struct */
    size_t given[TIPS_GIVEN_SETS]; /* the walk's: 1 + the offsets of the tips_given that note it; 0: no more */
} tips_option;

/* The rows of a table one after the other, those of a group where the group stands:
 *     for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) ... walk.row ... */
enum { TIPS_OPTION_DEPTH = 8 };
typedef struct tips_option_walk {
    struct {
        const tips_option *at;
        size_t offset;
        const char *without;
    } level[TIPS_OPTION_DEPTH]; /* tables within tables; what lies deeper is not seen */
    int depth;
    struct {
        size_t begin, end, offset;
    } sets[TIPS_OPTION_DEPTH]; /* (n_sets): every tips_given, and the fields it is for */
    int n_sets;
    tips_option row; /* neither GROUP nor LIKE; its offset is that in the outermost config */
} tips_option_walk;
tips_option_walk tips__options_walk(const tips_option *table); /* NULL: no rows */
bool tips__options_next(tips_option_walk *walk);

/* Writes every default into `config`. */
tips_status tips__options_defaults(const tips_option *table, void *config) TIPS_MUST_CHECK;
/* The same with what a row says of older files. */
tips_status tips__options_unsaid(const tips_option *table, void *config) TIPS_MUST_CHECK;

/* Whether two names are the same; '-' and '_' are one. */
bool tips__same_name(const char *a, const char *b);
/* The row called `name`, as the walk shows it; false if there is none. */
bool tips__option_find(const tips_option *table, const char *name, tips_option *out);
/* The name of the row nearest to a mistyped `word`, or NULL if none is near. */
const char *tips__option_nearest(const tips_option *table, const char *word);

/* Parses `text` into the field of `row`, which somebody gave. `where` names the owner in the error text ("--size",
 * "aps:p"). */
tips_status tips__option_set(const tips_option *row, void *config, const char *text, const char *where) TIPS_MUST_CHECK;
/* The same for what nobody gave: a default that a model, a task or an earlier run has in place of the table's. */
tips_status tips__option_set_usual(const tips_option *row, void *config, const char *text,
                                   const char *where) TIPS_MUST_CHECK;

/* "key=value,key=value" for `table`, e.g. the part of "tips:psi=depthwise,fm=band" after the colon.
 * `owner` is "tips". An unknown key suggests the nearest and lists all. TEXT and LIST options are refused. */
tips_status tips__options_parse(const tips_option *table, void *config, const char *text,
                                const char *owner) TIPS_MUST_CHECK;

/* Whether somebody set the option, to its default too: `table` has a row of type TIPS_OPT_GIVEN. */
bool tips__option_is_given(const tips_option *table, const void *config, const char *name);
void tips__option_note_given(const tips_option *row, void *config);
bool tips__given_has(const tips_given *given, const char *name);
void tips__given_note(tips_given *given, const char *name);

/* Writes the current value of a field as a user would write it. */
void tips__option_format(const tips_option *row, const void *config, char *out, size_t size);

/* The default in its canonical spelling ("1.0" as "1"), so that it compares with a formatted value; not of a list. */
bool tips__option_format_fallback(const tips_option *row, char *out, size_t size);

/* "key=value,..." of every option that differs from its default; "" if none does. Round-trips through parse. */
void tips__options_format(const tips_option *table, const void *config, char *out, size_t size);

/* Whether all that the rows name as outputs can be written: folders are there or can be made, no file is a folder. */
tips_status tips__options_check_outputs(const tips_option *table, const void *config) TIPS_MUST_CHECK;

/* What may be written for a row: "0..16", "soft|hard", "N or NxM". */
void tips__option_range(const tips_option *row, char *out, size_t size);

/* The entry of `names` (NULL-terminated) nearest to `word` by edit distance, or NULL if none is near. */
const char *tips__nearest(const char *const *names, const char *word);

#endif
