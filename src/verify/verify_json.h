/* A verification as JSON, for tips verify and tips audit. */
#ifndef TIPS_VERIFY_VERIFY_JSON_H
#define TIPS_VERIFY_VERIFY_JSON_H

#include "core/json.h"
#include "verify/verify.h"

/* An object, under `key` if it is within another. */
void tips__verify_put(tips_json *json, const char *key, const tips_verify_result *result);

#endif
