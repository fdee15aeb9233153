/* An audit as JUnit XML, for the pages that continuous integration makes of test results. */
#include "audit/audit.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/text.h"
#include "core/visible.h"
#include "chart/pen.h"

enum { SHOWN_SIZE = 2048 };

/* Line breaks would be allowed, but readers make blanks of them. */
static void add_attribute(tips_text *out, const char *name, const char *value) {
    char shown[SHOWN_SIZE];
    tips__visible(value, shown, sizeof shown);
    tips__text_print(out, " %s=\"", name);
    tips__xml_escape(out, tips__is_visible(value) ? value : shown);
    tips__text_add(out, "\"");
}

static void add_seconds(tips_text *out, double seconds) {
    tips__text_add(out, " time=\"");
    tips__text_fixed(out, seconds, 3);
    tips__text_add(out, "\"");
}

static void open_case(tips_text *out, const char *name) {
    tips__text_add(out, "    <testcase classname=\"tips.audit\"");
    add_attribute(out, "name", name);
    add_seconds(out, 0);
    tips__text_add(out, ">");
}

/* Within a case: an element with a message, said again as its text. */
static void add_outcome(tips_text *out, const char *element, const char *message) {
    tips__text_print(out, "\n      <%s", element);
    add_attribute(out, "message", message);
    tips__text_add(out, ">");
    tips__xml_escape(out, message);
    tips__text_print(out, "</%s>\n    ", element);
}

static void explain(tips_text *out, const tips_audit_result *r) {
    const tips_verify_result *v = &r->verification;
    if (v->exact) tips__text_print(out, "exact under %d circular shifts of %s", v->shifts, r->picture);
    else
        tips__text_print(out,
                         "not exact: the first layer that breaks is %s (%s): %s; the answer changes under %d of %d "
                         "circular shifts of %s",
                         v->layers[v->first_breaking].name, v->reason, v->advice, v->answer_changes, v->shifts,
                         r->picture);
}

static void add_requirement(tips_text *out, const tips_audit_result *r, const tips_requirement *q) {
    char got[32];
    tips_text message = {0};
    open_case(out, q->text);
    if (!q->ok) {
        tips__requirement_got(q, got, sizeof got);
        tips__text_print(&message, "required %s, got %s", q->text, got);
        if (q->need == TIPS_NEEDS_VERIFIER) {
            tips__text_add(&message, ": ");
            explain(&message, r);
        }
        add_outcome(out, "failure", message.data ? message.data : "");
        out->failed = out->failed || message.failed;
    }
    tips__text_add(out, "</testcase>\n");
    tips__text_clear(&message);
}

/* What nobody required is no failure. */
static void add_verifier(tips_text *out, const tips_audit_result *r) {
    tips_text message = {0};
    open_case(out, "verifier");
    explain(&message, r);
    if (!r->verification.exact) add_outcome(out, "skipped", message.data ? message.data : "");
    out->failed = out->failed || message.failed;
    tips__text_add(out, "</testcase>\n");
    tips__text_clear(&message);
}

static void add_counts(tips_text *out, const tips_audit_result *r) {
    const bool verified = r->picture[0], skipped = verified && !r->verification.exact;
    int failures = 0;
    for (int i = 0; i < r->requirements.count; i++) failures += !r->requirements.items[i].ok;
    tips__text_print(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\"", r->requirements.count + verified,
                     failures, skipped);
    add_seconds(out, r->seconds);
}

static void write_suites(tips_text *out, const tips_audit_result *r) {
    tips__text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_counts(out, r);
    tips__text_add(out, ">\n  <testsuite");
    add_attribute(out, "name", r->evaluation.models[0].name);
    add_counts(out, r);
    tips__text_add(out, ">\n");
    if (r->interrupted)
        tips__text_add(out, "    <properties><property name=\"interrupted\" value=\"true\"/></properties>\n");
    for (int i = 0; i < r->requirements.count; i++) add_requirement(out, r, &r->requirements.items[i]);
    if (r->picture[0]) add_verifier(out, r);
    tips__text_add(out, "  </testsuite>\n</testsuites>\n");
}

tips_status tips__audit_save_junit(const tips_audit_result *r, const char *path) {
    tips_text text = {0};
    write_suites(&text, r);
    tips_status status = tips__text_check(&text);
    if (status == TIPS_OK) status = tips__atomic_save(path, text.data, text.length);
    tips__text_clear(&text);
    return status;
}
