/* An evaluation as JSON, for the screen and for files. */
#ifndef TIPS_EVALUATE_EVALUATE_JSON_H
#define TIPS_EVALUATE_EVALUATE_JSON_H

#include "core/json.h"
#include "core/text.h"
#include "evaluate/evaluate.h"

extern const char tips__eval_name[]; /* "eval.json" */

/* One model as an object; several as {"models": [...]}. */
void tips__evaluate_put(tips_json *json, const tips_evaluate_result *result);
/* What is in the object of one model. */
void tips__evaluate_put_fields(tips_json *json, const tips_evaluate_result *result, const tips_model_result *model);
/* The same in a file, replaced as a whole: as it is kept in the folder of a run, and as it is printed, with an end of
 * line. */
tips_status tips__evaluate_save(const tips_evaluate_result *result, const char *path) TIPS_MUST_CHECK;
tips_status tips__evaluate_save_printed(const tips_evaluate_result *result, const char *path) TIPS_MUST_CHECK;

/* A figure as {value, low, high}, or as its value where it has no interval; a document in a file, replaced as a whole.
 */
void tips__json_figure(tips_json *json, const char *key, tips_figure figure);
tips_status tips__evaluate_save_json(tips_json *json, const char *path, const char *end) TIPS_MUST_CHECK;

/* The command line that does this evaluation again, freed by tips__free; NULL if there is none (random weights, or
 * settings that have no flag). It leaves out what changes no figure. */
tips_status tips__evaluate_command(const tips_evaluate_config *config, char **out) TIPS_MUST_CHECK;

/* Its flags but the model; `usual_grid` is a number of pictures in the heat map that needs no flag. */
void tips__evaluate_flags(tips_text *text, const tips_evaluate_config *config, int usual_grid);

/* Refuses an output that is one of the files that the evaluation reads. */
tips_status tips__evaluate_keep_inputs(const tips_evaluate_config *config, const char *output) TIPS_MUST_CHECK;

#endif
