/* tips audit: a whole evaluation and the verifier's table of somebody's network, held against requirements. */
#ifndef TIPS_AUDIT_AUDIT_H
#define TIPS_AUDIT_AUDIT_H

#include "core/json.h"
#include "attack/attack.h"
#include "audit/requirement.h"
#include "report/report_data.h"

#define TIPS_AUDIT_SHIFTS "16" /* that the verifier tries unless something else is said */

typedef struct tips_audit_config {
    tips_evaluate_config evaluate; /* of one model file */
    tips_attack_options attack;
    const char *shifts;            /* of the verifier, as in tips_verify_config; "none": it does not run */
    const char *const *require;    /* (n_require): texts of requirements */
    int n_require;
    const char *command; /* that does all this again, for results; NULL: made from the fields above */
    const char *junit;  /* file for the requirements as JUnit XML, or NULL */
    const char *report; /* file for the page, or NULL */
} tips_audit_config;

typedef struct tips_audit_result {
    tips_evaluate_result evaluation;
    tips_verify_result verification; /* on the first picture that can be read */
    char picture[256];               /* its name; "" if the verifier did not run */
    tips_attack_result attack;       /* no cases if nothing was to be attacked */
    tips_report_data examples; /* alone, for the page; none without one */
    tips_requirements requirements;
    char *next; /* what can be done for this network, with a command */
    bool ok; /* all of them hold */
    bool interrupted; /* the evaluation, or the verifier behind it; never ok then */
    double seconds;
} tips_audit_result;

/* On success the result is the caller's, to be freed. */
tips_status tips__audit_run(const tips_audit_config *config, tips_audit_result *out) TIPS_MUST_CHECK;
/* Writes the files that are asked for: apart, so that what was measured can be shown first. */
tips_status tips__audit_save(const tips_audit_config *config, const tips_audit_result *result) TIPS_MUST_CHECK;
void tips__audit_free(tips_audit_result *result);

/* audit_json.c: the fields of the evaluation, then "verify" (null if it did not run), "requirements", "ok". */
void tips__audit_put(tips_json *json, const tips_audit_result *result);
/* audit_junit.c: one test case a requirement, and one for the verifier. */
tips_status tips__audit_save_junit(const tips_audit_result *result, const char *path) TIPS_MUST_CHECK;
/* audit_page.c: the page of tips report, with the requirements and the verifier's table. */
tips_status tips__audit_save_page(const tips_audit_config *config, const tips_audit_result *result,
                                  const char *path) TIPS_MUST_CHECK;
/* audit_verify.c: the verifier on the first picture, behind the evaluation. */
tips_status tips__audit_verify(const tips_audit_config *config, tips_dataset *set, const tips_loaded_model *model,
                               tips_audit_result *result) TIPS_MUST_CHECK;

#endif
