/* How operators differ from the first: over seeds that both have, or over the pictures of one seed. */
#include "study/compare_parts.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "evaluate/evaluate_json.h"
#include "evaluate/picture_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Student's interval over seeds; none where all differ alike. */
static tips_figure over_seeds(const tips_run *first, const tips_run *second, int seeds, int metric, int *pairs) {
    double sum = 0, square = 0;
    int n = 0;
    for (int k = 0; k < seeds; k++) {
        const double d = second[k].value[metric] - first[k].value[metric];
        if (first[k].done && second[k].done && !isnan(d)) sum += d, square += d * d, n++;
    }
    *pairs = n > *pairs ? n : *pairs;
    if (n == 0) return tips__figure_none();
    const double mean = sum / n, variance = n > 1 ? (square - sum * mean) / (n - 1) : 0;
    if (variance <= 1e-12 * mean * mean) return tips__figure_plain(mean);
    const double half = tips__student(n - 1) * sqrt(variance / n);
    return (tips_figure){mean, mean - half, mean + half};
}

/* Nothing where the evaluation is gone, or of a version that did not keep pictures. */
static tips_status read_pictures(const tips_run *run, tips_picture_values *out) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    tips_json_node *file;
    *out = (tips_picture_values){0};
    TIPS_TRY(tips__path_join(run->folder, tips__eval_name, path));
    if (!run->done || stat(path, &info) != 0) return TIPS_OK;
    TIPS_TRY(tips__json_tree_load(path, &file));
    const tips_status status = tips__picture_values_read(file, run->task, out);
    tips__json_tree_free(file);
    return status;
}

static void fill_row(const tips_picture_values *first, const tips_picture_values *second, const tips_metric *task,
                     tips_compare_row *row) {
    const tips_metric *metric;
    tips_paired p;
    for (int i = 0; i < TIPS_PICTURE_VALUES; i++) {
        if (!tips__picture_values_differ(first, second, i, &p)) continue;
        row->pairs = p.images;
        for (int m = 0; (metric = tips__metric_at(task, m)); m++)
            if (strcmp(metric->name, second->names[i]) == 0) row->difference[m] = p.difference;
    }
}

static tips_status over_pictures(const tips_compare_result *r, const tips_picture_values *first, int i) {
    tips_picture_values second;
    TIPS_TRY(read_pictures(&r->runs[i], &second));
    fill_row(first, &second, r->task, &r->rows[i]);
    tips__picture_values_clear(&second);
    return TIPS_OK;
}

static tips_status of_one_seed(const tips_compare_result *r) {
    tips_picture_values first;
    tips_status status = read_pictures(&r->runs[0], &first);
    for (int i = 1; i < r->n_rows && status == TIPS_OK; i++) status = over_pictures(r, &first, i);
    tips__picture_values_clear(&first);
    return status;
}

tips_status tips__compare_differ(const tips_compare_result *r) {
    for (int i = 0; i < r->n_rows; i++) {
        r->rows[i].pairs = 0;
        for (int m = 0; m < TIPS_RUN_VALUES; m++) r->rows[i].difference[m] = tips__figure_none();
    }
    if (r->seeds == 1) return of_one_seed(r);
    for (int i = 1; i < r->n_rows; i++)
        for (int m = 0; m < TIPS_RUN_VALUES; m++)
            r->rows[i].difference[m] =
                over_seeds(r->runs, r->runs + (ptrdiff_t)i * r->seeds, r->seeds, m, &r->rows[i].pairs);
    return TIPS_OK;
}

void tips__compare_put_differences(tips_json *json, const tips_compare_result *r, int i) {
    const tips_compare_row *row = &r->rows[i];
    const tips_metric *metric;
    if (row->pairs == 0) return;
    tips__json_open_object(json, "differences");
    tips__json_text(json, "from", r->rows[0].pool);
    tips__json_text(json, "over", r->seeds == 1 ? "pictures" : "seeds");
    tips__json_int(json, "pairs", row->pairs);
    for (int m = 0; (metric = tips__metric_at(r->task, m)); m++)
        if (!isnan(row->difference[m].value)) tips__json_figure(json, metric->name, row->difference[m]);
    tips__json_close_object(json);
}
