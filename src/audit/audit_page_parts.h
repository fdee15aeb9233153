/* What the files of an audit's page share. */
#ifndef TIPS_AUDIT_AUDIT_PAGE_PARTS_H
#define TIPS_AUDIT_AUDIT_PAGE_PARTS_H

#include "audit/audit.h"

void tips__audit_cell(tips_text *out, const char *text);
/* Begins a table with these headings, closed by NULL; rows follow, then the end. */
void tips__audit_open_table(tips_text *out, const char *label, const char *const *columns);
void tips__audit_close_table(tips_text *out);

/* audit_page_input.c: how pictures became inputs, what counts as an answer, which shifts. */
tips_status tips__audit_page_input(tips_text *out, const tips_evaluate_result *result) TIPS_MUST_CHECK;
/* audit_page_attack.c: what attacks and corruptions came to, with curves; nothing where nothing was attacked. */
tips_status tips__audit_page_attack(tips_text *out, const tips_attack_result *result) TIPS_MUST_CHECK;

#endif
