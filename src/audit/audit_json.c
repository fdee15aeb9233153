/* An audit as JSON: what tips eval prints, and more. */
#include "attack/attack_json.h"
#include "audit/audit.h"
#include "evaluate/evaluate_json.h"
#include "verify/verify_json.h"

static void put_requirement(tips_json *json, const tips_requirement *r) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "required", r->text);
    if (r->relation == TIPS_HOLDS) tips__json_bool(json, "got", r->ok);
    else tips__json_number(json, "got", r->got);
    tips__json_bool(json, "ok", r->ok);
    tips__json_close_object(json);
}

void tips__audit_put(tips_json *json, const tips_audit_result *r) {
    tips__json_open_object(json, NULL);
    tips__evaluate_put_fields(json, &r->evaluation, &r->evaluation.models[0]);
    if (r->attack.plan.count > 0) tips__attack_put_fields(json, &r->attack);
    if (r->picture[0]) tips__verify_put(json, "verify", &r->verification);
    else tips__json_text(json, "verify", NULL);
    tips__json_text(json, "verify_picture", r->picture[0] ? r->picture : NULL);
    tips__json_open_array(json, "requirements");
    for (int i = 0; i < r->requirements.count; i++) put_requirement(json, &r->requirements.items[i]);
    tips__json_close_array(json);
    tips__json_text(json, "next", r->next);
    tips__json_bool(json, "ok", r->ok);
    if (r->interrupted && !r->evaluation.interrupted) tips__json_bool(json, "interrupted", true); /* else it is there */
    tips__json_close_object(json);
}
