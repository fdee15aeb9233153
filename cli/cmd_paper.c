/* tips paper: every table and figure of the paper, and what is known of it. */
#include "cli.h"
#include "core/json.h"
#include "study/paper.h"

typedef struct paper_config {
    bool markdown, json;
    tips_given given;
} paper_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(paper_config, given),
    {.name = "markdown",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(paper_config, markdown),
     .fallback = "false",
     .help = "the table as docs/paper.md has it"},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(paper_config, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

static void print_claims(const tips_paper_item *item, const tips_paper_state *s, const char *before) {
    char text[512];
    for (int i = 0; i < TIPS_PAPER_CLAIMS && item->claims[i].kind != TIPS_CLAIM_NONE; i++) {
        tips__claim_describe(&item->claims[i], &s->claims[i], text, sizeof text);
        printf("%s%s\n", before, text);
    }
}

static void print_state(const tips_paper_item *item, const char *folder, const tips_paper_state *s) {
    printf("  here     %s: %d of %d models", cli_shown(folder), s->models, s->cells);
    if (item->claims[0].kind == TIPS_CLAIM_NONE) printf("; look at its figures\n");
    else printf("; %s\n", tips__verdict_names[tips__paper_judge(item, s)]);
    print_claims(item, s, "             ");
}

static void put_state(tips_json *json, const tips_paper_item *item, const char *folder, const tips_paper_state *s) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "folder", folder);
    tips__json_int(json, "models", s->models);
    tips__json_int(json, "cells", s->cells);
    tips__paper_put_claims(json, item, s);
    tips__json_close_object(json);
}

static tips_status look(const tips_paper_item *item, int n_folders, char **folders, tips_json *json) {
    for (int i = 0; i < n_folders; i++) {
        tips_paper_state state;
        bool found;
        const tips_status status = tips__paper_look(item, folders[i], &state, &found);
        if (status != TIPS_OK) return status;
        if (found && json) put_state(json, item, folders[i], &state);
        else if (found) print_state(item, folders[i], &state);
    }
    return TIPS_OK;
}

static tips_status print_all(int n_folders, char **folders) {
    tips_status status = TIPS_OK;
    for (const tips_paper_item *i = tips__paper; i->label && status == TIPS_OK; i++) {
        const tips_paper_state recorded = tips__paper_recorded(i);
        printf("%s: %s\n  theirs   %s\n  ours     %s\n", i->label, i->what, i->theirs, i->ours);
        if (i->operator) printf("  TIPS     is %s here\n", i->operator);
        if (i->verdict == TIPS_VERDICT_JUDGED) print_claims(i, &recorded, "  models   ");
        printf("  verdict  %s\n", tips__verdict_names[tips__paper_verdict(i)]);
        status = look(i, n_folders, folders, NULL);
        if (i->command) printf("  command  %s\n", i->command);
    }
    return status;
}

static tips_status put_all(tips_json *json, int n_folders, char **folders) {
    tips_status status = TIPS_OK;
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "items");
    for (const tips_paper_item *i = tips__paper; i->label && status == TIPS_OK; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "label", i->label);
        tips__json_text(json, "what", i->what);
        tips__json_text(json, "theirs", i->theirs);
        tips__json_text(json, "ours", i->ours);
        tips__json_text(json, "verdict", tips__verdict_names[tips__paper_verdict(i)]);
        tips__json_text(json, "operator", i->operator);
        tips__json_text(json, "study", i->study);
        tips__json_text(json, "command", i->command);
        tips__json_open_array(json, "here");
        status = look(i, n_folders, folders, json);
        tips__json_close_array(json);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    tips__json_close_object(json);
    return status;
}

static tips_status print_json(int n_folders, char **folders) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    status = put_all(json, n_folders, folders);
    if (status == TIPS_OK) status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

/* A study that was killed, or whose parts were not put together yet, has its models and no table of them. */
static void tell_unmerged(int n_folders, char **folders) {
    for (int i = 0; i < n_folders; i++)
        if (!tips__paper_has_study(folders[i]))
            fprintf(stderr,
                    "tips: %s: there is no study.json; 'tips study GRID.yaml --merge --out %s' makes it of the models "
                    "that are there\n",
                    cli_shown(folders[i]), cli_shown(folders[i]));
}

static int run(void *given, int n_words, char **words) {
    const paper_config *config = given;
    if (config->markdown) {
        tips__paper_markdown(stdout);
        return CLI_OK;
    }
    const int code = cli_report(config->json ? print_json(n_words, words) : print_all(n_words, words));
    if (code == CLI_OK) tell_unmerged(n_words, words);
    return code;
}

const cli_command cli_paper = {
    .name = "paper",
    .brief = "show every table and figure of the paper, and what is known of it",
    .synopsis = "[DIR...] [OPTION...]",
    .details =
        "For each, in the paper's order: what it says, what came out here and on which scale, the verdict, and the "
        "command that makes it. Folders of 'tips study' that are named are looked at: how many of their models "
        "are there, and whether they bear out the claims, by the rule that the verdicts follow; so are folders of "
        "their "
        "study.csv under the studies' names, as docs/results/data. docs/paper.md is the same as a page.",
    .options = options,
    .words = "DIR",
    .config_size = sizeof(paper_config),
    .run = run,
    .examples = "tips paper\ntips paper runs/correlation runs/losses\ntips paper --json\n",
};
