/* What pages say of the answers of a task: of masks pixels stay, of detectors boxes do. */
#ifndef TIPS_REPORT_ANSWER_WORDS_H
#define TIPS_REPORT_ANSWER_WORDS_H

#include "report/report_data.h"

typedef struct tips_answer_words {
    const char *kept[2];      /* around a percentage, behind "keeps ": "", " of its answers" */
    const char *stay;         /* a title: "Answers that stay the same" */
    const char *axis;         /* of a chart in percent */
    const char *by_size;      /* the lead of charts by the size of the shift */
    const char *over_grid;    /* and of those over the grid of shifts */
    const char *share;        /* "share of answers that" */
    const char *units;        /* what the figures of a table are, up to "of the pictures whose number ..." */
    const char *one_pixel[2]; /* around a percentage, behind "At a shift of one pixel, "; NULL: it is not said */
} tips_answer_words;

/* Of the task of a set of rows. */
const tips_answer_words *tips__answer_words(const tips_report_data *report, int set);

#endif
