/* tips report: one page on runs of tips train and tips compare. */
#ifndef TIPS_REPORT_REPORT_H
#define TIPS_REPORT_REPORT_H

#include "core/json.h"
#include "evaluate/evaluate.h"
#include "report/report_data.h"

typedef struct tips_report_config {
    char *const *folders; /* (n_folders): of tips train or tips compare */
    int n_folders;
    const char *out;     /* the page */
    const char *figures; /* folder for the charts as SVG and PNG; NULL: beside the page; "none": no files */
    const char *title;   /* NULL: made from the data */
    int examples;        /* pictures that flip; 0: none */
    int search;          /* test pictures that they are looked for in */
    bool evaluate;       /* evaluate what is not, and keep the result as eval.json */
    int limit;           /* test pictures of such an evaluation; 0: all */
    int on_bad_image;    /* tips_on_bad_image, of such an evaluation */
    int threads;         /* 0: all cores */
    void (*cost)(void *context, const tips_evaluate_cost *cost); /* as in tips_evaluate_config */
    void (*progress)(void *context, const char *model, double done, double passes);
    void *context;
} tips_report_config;

typedef struct tips_report_result {
    tips_report_data data;
    char *page, *figures; /* figures is NULL if none were written */
    int charts;
    size_t bytes; /* of the page */
    bool png;     /* whether the charts are PNG too: cairo is there */
} tips_report_result;

/* On success the result is the caller's, to be freed. */
tips_status tips__report_run(const tips_report_config *config, tips_report_result *out) TIPS_MUST_CHECK;
void tips__report_result_free(tips_report_result *result);

/* What was gathered, without the pictures. */
void tips__report_put(tips_json *json, const tips_report_result *result);

#endif
