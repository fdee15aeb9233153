/* A report as one page: HTML that is XML too, with its style, charts and pictures inside. */
#ifndef TIPS_REPORT_PAGE_H
#define TIPS_REPORT_PAGE_H

#include "report/report_charts.h"

void tips__page_write(tips_text *out, const tips_report_data *report, const tips_chart_list *charts);

/* The parts. */
void tips__page_style(tips_text *out);
/* The colours of a drawing that stands alone, light, dark and printed, as a <style> of its own. */
void tips__page_drawing_style(tips_text *out);
/* From the first line to the end of the <h1>; <main> and <header> are left open. */
void tips__page_open(tips_text *out, const char *title);
/* From behind the last part, with <main> still open, to the end. */
void tips__page_close(tips_text *out, const char *version, const char *build);
void tips__page_summary(tips_text *out, const tips_report_data *report);
void tips__page_table(tips_text *out, const tips_report_data *report, int set);
void tips__page_examples(tips_text *out, const tips_report_data *report);

/* Text, escaped; and with a number of decimals. */
void tips__page_say(tips_text *out, const char *text);
/* The row's name with its mark of colour. */
void tips__page_label(tips_text *out, const tips_report_row *row);

#endif
