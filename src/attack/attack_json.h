/* What attacks and corruptions came to, as JSON and as charts. */
#ifndef TIPS_ATTACK_ATTACK_JSON_H
#define TIPS_ATTACK_ATTACK_JSON_H

#include "attack/attack.h"
#include "chart/chart_list.h"
#include "core/json.h"

/* "attacks", "corruptions" and "corruption_summary" as fields of the object at hand. */
void tips__attack_put_fields(tips_json *json, const tips_attack_result *result);
/* The whole result of tips attack: network and data, "clean", and the above. */
void tips__attack_put(tips_json *json, const tips_attack_result *result);
tips_status tips__attack_save(const tips_attack_result *result, const char *path) TIPS_MUST_CHECK;

/* Curves over the strength of attacks and the severity of corruptions, at the end of a list; and into a folder, as SVG
 * and, with cairo, PNG. */
tips_status tips__attack_charts(const tips_attack_result *result, tips_chart_list *list) TIPS_MUST_CHECK;
tips_status tips__attack_save_charts(const tips_attack_result *result, const char *folder) TIPS_MUST_CHECK;

/* What is to be said of the summary: that on-the-fly corruptions are not comparable with published figures. */
extern const char tips__attack_not_comparable[];

#endif
