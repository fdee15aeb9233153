/* Rows of studies that were kept. */
#ifndef TIPS_STUDY_PAPER_PARTS_H
#define TIPS_STUDY_PAPER_PARTS_H

#include "core/json_tree.h"

/* study.csv as the models of a study.json, with the axes that its rows tell. */
tips_status tips__paper_rows(const char *path, const char *study, tips_json_node **out) TIPS_MUST_CHECK;

#endif
