/* Warnings on standard error, apart from results. */
#include "warn.h"
#include "cli.h"

#include "evaluate/evaluate_remarks.h"

#include <string.h>
#include <unistd.h>

void cli_warn_text(const char *name, const char *text) {
    if (!text || !*text) return;
    fprintf(stderr, "tips: warning: %s%s", name ? cli_shown(name) : "", name ? ": " : "");
    cli_put_shown(text, strlen(text), stderr);
    fputc('\n', stderr);
}

void cli_warn(const tips_warning_rule *rules, const void *subject, const char *name) {
    tips_warning warning;
    for (int i = 0; tips__warning_at(rules, subject, i, &warning); i++) cli_warn_text(name, warning.text);
}

void cli_warn_evaluation(const tips_evaluate_result *r, bool is_shown) {
    if (is_shown && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) return;
    for (int i = 0; i < r->n_models; i++)
        cli_warn(tips__evaluate_rules, &r->models[i], r->several ? r->models[i].name : NULL);
}
