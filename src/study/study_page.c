/* The page of a study, from top to bottom. It is made of the files of its folder, whoever made them: figures become
 * pictures, in which nothing runs. */
#include "study/study_page.h"

#include <tips/version.h>

#include "core/atomic_file.h"
#include "core/build.h"
#include "core/fail.h"
#include "core/json_tree.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/path.h"
#include "core/text_file.h"
#include "report/page.h"
#include "study/analysis.h"
#include "study/paper.h"
#include "study/study_page_text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FIGURES = 1000 };

static bool is_study(const char *folder) {
    char path[TIPS_PATH_SIZE];
    return tips__path_join(folder, "study.json", path) == TIPS_OK && access(path, F_OK) == 0;
}

tips_status tips__study_count_folders(char *const *folders, int count, int *studies) {
    *studies = 0;
    for (int i = 0; i < count; i++) *studies += is_study(folders[i]);
    for (int i = 0; i<count && * studies> 0; i++)
        if (!is_study(folders[i]))
            TIPS_FAIL(TIPS_INVALID, "%s is no folder of a study and others are; report on studies and on runs apart",
                      folders[i]);
    return TIPS_OK;
}

static tips_status load(const char *folder, tips_json_node **out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(folder, "study.json", path));
    TIPS_TRY(tips__json_tree_load(path, out));
    if (tips__json_get(*out, "models") && tips__json_get(*out, "cells")) return TIPS_OK;
    tips__json_tree_free(*out);
    TIPS_FAIL(TIPS_FORMAT, "%s: is not what 'tips study' writes", path);
}

static const char *title_of(const tips_json_node *study, const char *folder) {
    return tips__json_get_text(study, "title", tips__json_get_text(study, "study", folder));
}

static void add_number(tips_text *out, double value, int decimals) { tips__text_fixed(out, value, decimals); }

static void add_claim(tips_text *out, const tips_claim *claim, const tips_claim_state *state) {
    char text[512];
    tips__claim_describe(claim, state, text, sizeof text);
    tips__text_add(out, "Here: ");
    tips__page_say(out, text);
    tips__text_add(out, ".<br/>");
}

/* What the paper claims, and what these models say of it. */
static tips_status add_claims(tips_text *out, const char *folder) {
    for (const tips_paper_item *item = tips__paper; item->label; item++) {
        tips_paper_state state;
        bool found;
        TIPS_TRY(tips__paper_look(item, folder, &state, &found));
        if (!found) continue;
        tips__text_add(out, "<div class=\"note\"><p><b>");
        tips__page_say(out, item->label);
        tips__text_add(out, "</b>, ");
        tips__page_say(out, item->what);
        tips__text_add(out, ". The paper: ");
        tips__page_say(out, item->theirs);
        tips__text_add(out, ".<br/>");
        for (int i = 0; i < TIPS_PAPER_CLAIMS && item->claims[i].kind != TIPS_CLAIM_NONE; i++)
            add_claim(out, &item->claims[i], &state.claims[i]);
        if (item->operator) {
            tips__text_add(out, "The paper's TIPS is ");
            tips__page_say(out, item->operator);
            tips__text_add(out, " here. ");
        }
        tips__text_add(out, "<b>");
        tips__page_say(out, tips__verdict_names[tips__paper_judge(item, &state)]);
        tips__text_add(out, "</b></p></div>\n");
    }
    return TIPS_OK;
}

static void add_warnings(tips_text *out, const tips_json_node *study) {
    const tips_json_node *warnings = tips__json_get(study, "warnings");
    for (const tips_json_node *at = warnings ? warnings->first : NULL; at; at = at->next) {
        tips__text_add(out, "<div class=\"note warn\"><p>");
        tips__page_say(out, tips__json_get_text(at, "text", ""));
        tips__text_add(out, "</p></div>\n");
    }
}

static void add_failures(tips_text *out, const tips_json_node *study) {
    const tips_json_node *failed = tips__json_get(study, "failed");
    if (!failed || failed->count == 0) return;
    tips__text_add(out, "<div class=\"note warn\"><ul>");
    for (const tips_json_node *at = failed->first; at; at = at->next) {
        tips__text_add(out, "<li>failed: ");
        tips__page_say(out, tips__json_get_text(at, "folder", ""));
        tips__text_add(out, ": ");
        tips__page_say(out, tips__json_get_text(at, "why", ""));
        tips__text_add(out, "</li>");
    }
    tips__text_add(out, "</ul></div>\n");
}

/* The name of an analysis as this program knows it: what the file says becomes part of a path. */
static const char *known_kind(const char *kind) {
    for (const tips_analysis *a = tips__analyses; a->name; a++)
        if (strcmp(a->name, kind) == 0) return a->name;
    return NULL;
}

static tips_status add_figure(tips_text *out, const char *path, const char *name, const char *title) {
    char *svg;
    size_t length;
    TIPS_TRY(tips__text_file_read(path, &svg, &length));
    tips__text_add(out, "<figure class=\"card\">");
    if (!tips__page_svg(out, svg, title)) tips__text_print(out, "<p class=\"small\">%s is no drawing</p>", name);
    tips__text_add(out, "</figure>\n");
    tips__free(svg);
    return TIPS_OK;
}

/* figures/NUMBER-KIND-1.svg and so on. */
static tips_status add_figures(tips_text *out, const char *folder, int number, const tips_json_node *analysis) {
    const char *kind = known_kind(tips__json_get_text(analysis, "kind", ""));
    int added = 0;
    for (int i = 1; kind && i <= MOST_FIGURES; i++) {
        char name[160], path[TIPS_PATH_SIZE];
        snprintf(name, sizeof name, "figures/%d-%.100s-%d.svg", number, kind, i);
        TIPS_TRY(tips__path_join(folder, name, path));
        if (access(path, F_OK) != 0) break;
        if (added++ == 0) tips__text_add(out, "<div class=\"grid\">\n");
        TIPS_TRY(add_figure(out, path, name, tips__json_get_text(analysis, "title", "")));
    }
    if (added) tips__text_add(out, "</div>\n");
    return TIPS_OK;
}

/* The text of the analyses, each with its heading before it and its figures behind it. */
static tips_status add_analyses(tips_text *out, const char *folder, const tips_json_node *study) {
    const tips_json_node *analyses = tips__json_get(study, "analyses"), *at = analyses ? analyses->first : NULL;
    char path[TIPS_PATH_SIZE], *text;
    size_t length;
    TIPS_TRY(tips__path_join(folder, "study.txt", path));
    if (!at || access(path, F_OK) != 0) return TIPS_OK;
    TIPS_TRY(tips__text_file_read(path, &text, &length));
    tips_status status = TIPS_OK;
    const char *rest = text;
    for (int number = 1; at && status == TIPS_OK; at = at->next, number++) {
        tips__text_add(out, "<h2>");
        tips__page_say(out, tips__json_get_text(at, "title", ""));
        tips__text_add(out, "</h2>\n");
        rest = tips__page_section(out, rest, tips__json_get_text(at, "title", ""),
                                  tips__json_get_text(at->next, "title", NULL));
        status = add_figures(out, folder, number, at);
    }
    tips__free(text);
    return status;
}

static const char *const shown[][2] = {{"metric", "metric"},
                                       {"standard_consistency", "consistency, standard"},
                                       {"circular_consistency", "consistency, circular"},
                                       {"standard_fidelity", "fidelity, standard"},
                                       {"circular_fidelity", "fidelity, circular"},
                                       {"msb", "MSB"},
                                       {"seconds", "seconds"}};
enum { SHOWN = sizeof shown / sizeof shown[0] };

static void add_model(tips_text *out, const tips_json_node *model) {
    const tips_json_node *axes = tips__json_get(model, "axes");
    tips_text name = {0};
    for (const tips_json_node *at = axes ? axes->first : NULL; at; at = at->next)
        tips__text_print(&name, "%s%s %s", name.length ? ", " : "", at->key, at->text ? at->text : "");
    tips__text_add(out, "<tr><th scope=\"row\" data-value=\"");
    tips__page_say(out, name.data ? name.data : "");
    tips__text_add(out, "\">");
    tips__page_say(out, name.data ? name.data : "");
    tips__text_add(out, "</th>");
    for (int i = 0; i < SHOWN; i++) {
        const double value = tips__json_get_number(model, shown[i][0]);
        tips__text_add(out, "<td data-value=\"");
        add_number(out, isnan(value) ? -1 : value, 6);
        tips__text_add(out, "\">");
        add_number(out, value, 2);
        tips__text_add(out, "</td>");
    }
    tips__text_add(out, "</tr>\n");
    out->failed |= name.failed;
    tips__text_clear(&name);
}

static void add_models(tips_text *out, const tips_json_node *study) {
    const tips_json_node *models = tips__json_get(study, "models");
    if (!models || models->count == 0) return;
    tips__text_add(out,
                   "<h2>Models</h2>\n<div class=\"card scroll\"><table class=\"results\"><thead><tr><th scope=\"col\">"
                   "model</th>");
    for (int i = 0; i < SHOWN; i++) tips__text_print(out, "<th scope=\"col\">%s</th>", shown[i][1]);
    tips__text_add(out, "</tr></thead><tbody>\n");
    for (const tips_json_node *at = models->first; at; at = at->next) add_model(out, at);
    tips__text_add(out, "</tbody></table></div>\n");
}

static tips_status add_study(tips_text *out, const char *folder, const tips_json_node *study, bool heads) {
    if (heads) {
        tips__text_add(out, "<h1>");
        tips__page_say(out, title_of(study, folder));
        tips__text_add(out, "</h1>\n");
    }
    tips__text_print(out, "<p class=\"meta\">%d of %d models%s, ", tips__json_get_int(study, "done", 0),
                     tips__json_get_int(study, "cells", 0),
                     tips__json_get_bool(study, "interrupted") ? ", interrupted" : "");
    tips__page_say(out, folder);
    tips__text_add(out, "</p>\n");
    TIPS_TRY(add_claims(out, folder));
    add_warnings(out, study);
    add_failures(out, study);
    TIPS_TRY(add_analyses(out, folder, study));
    add_models(out, study);
    return TIPS_OK;
}

static tips_status add_studies(char *const *folders, int count, bool heads, tips_text *out) {
    for (int i = 0; i < count; i++) {
        tips_json_node *study;
        TIPS_TRY(load(folders[i], &study));
        const tips_status status = add_study(out, folders[i], study, heads);
        tips__json_tree_free(study);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

tips_status tips__study_page(char *const *folders, int count, const char *title, tips_text *out) {
    tips_json_node *first;
    TIPS_TRY(load(folders[0], &first));
    if (!title || !*title) title = title_of(first, folders[0]);
    tips__page_open(out, title);
    tips__text_add(out, "</header>\n");
    tips__json_tree_free(first);
    TIPS_TRY(add_studies(folders, count, count > 1, out));
    tips__page_close(out, tips_version(), tips__build());
    return tips__text_check(out);
}

tips_status tips__study_save_page(char *const *folders, int count, const char *title, const char *path, size_t *bytes) {
    tips_text page = {0};
    for (int i = 0; i < count; i++) TIPS_TRY(tips__keep_input(folders[i], path));
    if (tips__path_ends(path, ".json") || tips__path_ends(path, ".csv"))
        TIPS_FAIL(TIPS_INVALID, "%s is not the name of a page: -o report.html", path);
    tips_status status = tips__study_page(folders, count, title, &page);
    if (status == TIPS_OK) status = tips__atomic_save(path, page.data, page.length);
    *bytes = page.length;
    tips__text_clear(&page);
    return status;
}

static tips_status put_claims(tips_json *json, const char *folder) {
    for (const tips_paper_item *item = tips__paper; item->label; item++) {
        tips_paper_state state;
        bool found;
        TIPS_TRY(tips__paper_look(item, folder, &state, &found));
        if (!found) continue;
        tips__json_open_object(json, NULL);
        tips__json_text(json, "label", item->label);
        tips__paper_put_claims(json, item, &state);
        tips__json_close_object(json);
    }
    return TIPS_OK;
}

tips_status tips__study_page_put(char *const *folders, int count, tips_json *json) {
    for (int i = 0; i < count; i++) {
        tips_json_node *study;
        TIPS_TRY(load(folders[i], &study));
        tips__json_open_object(json, NULL);
        tips__json_text(json, "folder", folders[i]);
        tips__json_text(json, "study", tips__json_get_text(study, "study", NULL));
        tips__json_text(json, "title", title_of(study, folders[i]));
        tips__json_int(json, "models", tips__json_get_int(study, "done", 0));
        tips__json_int(json, "cells", tips__json_get_int(study, "cells", 0));
        tips__json_open_array(json, "claims");
        const tips_status status = put_claims(json, folders[i]);
        tips__json_close_array(json);
        tips__json_close_object(json);
        tips__json_tree_free(study);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}
