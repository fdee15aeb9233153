/* Going through a table of rules. */
#include "core/warning.h"

static bool find(const tips_warning_rule *rule, const void *subject, int i, bool with_remarks, tips_warning *out) {
    for (; rule->name; rule++) {
        if ((rule->is_remark && !with_remarks) || !rule->write(subject, out->text) || i-- > 0) continue;
        out->name = rule->name;
        return true;
    }
    return false;
}

bool tips__warning_at(const tips_warning_rule *rules, const void *subject, int i, tips_warning *out) {
    return find(rules, subject, i, false, out);
}

bool tips__remark_at(const tips_warning_rule *rules, const void *subject, int i, tips_warning *out) {
    return find(rules, subject, i, true, out);
}

void tips__warnings_put(tips_json *json, const tips_warning_rule *rules, const void *subject) {
    tips_warning warning;
    tips__json_open_array(json, "warnings");
    for (int i = 0; tips__warning_at(rules, subject, i, &warning); i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", warning.name);
        tips__json_text(json, "text", warning.text);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}
