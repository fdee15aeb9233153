/* The result of `tips eval` as JSON. */
#include "eval_print.h"
#include "evaluate/evaluate_json.h"

tips_status cli_print_eval_json(const tips_evaluate_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__evaluate_put(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}
