/* A thin front to yajl's generator: every --json of the program goes through it. */
#ifndef TIPS_CORE_JSON_H
#define TIPS_CORE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <tips/status.h>

typedef struct tips_json tips_json;

tips_status tips__json_create(tips_json **out) TIPS_MUST_CHECK;
void tips__json_destroy(tips_json *json);
/* Before the first value: no line breaks and no indentation. */
void tips__json_compact(tips_json *json);

/* Inside an object pass the key, inside an array or at the top pass NULL. */
void tips__json_open_object(tips_json *json, const char *key);
void tips__json_close_object(tips_json *json);
void tips__json_open_array(tips_json *json, const char *key);
void tips__json_close_array(tips_json *json);
void tips__json_text(tips_json *json, const char *key, const char *value); /* NULL writes null */
void tips__json_int(tips_json *json, const char *key, int64_t value);
void tips__json_number(tips_json *json, const char *key, double value);    /* not finite writes null */
void tips__json_bool(tips_json *json, const char *key, bool value);

/* Writes the document and a newline. Any earlier failure (memory, nesting) shows here. */
tips_status tips__json_write(tips_json *json, FILE *file) TIPS_MUST_CHECK;
/* The document in memory, terminated by NUL, without a final newline; it lives as long as `json`. */
tips_status tips__json_result(tips_json *json, const char **text, size_t *length) TIPS_MUST_CHECK;

#endif
