/* A dataset as text and as JSON. */
#include "data_print.h"

#include "cli.h"

#include "core/json.h"
#include "core/text_table.h"

enum { MOST_ROWS = 20, MOST_VALUES = 32 };

static const char *const split_names[TIPS_INFO_SPLITS] = {"train", "val", "test"};

static void print_sizes(const tips_data_info *info) {
    if (info->same_size) printf("%dx%d", info->min_size[0], info->min_size[1]);
    else
        printf("%dx%d to %dx%d (on average %.0fx%.0f)", info->min_size[0], info->min_size[1], info->max_size[0],
               info->max_size[1], info->mean_size[0], info->mean_size[1]);
}

static void print_values(const char *name, const double *values, int count) {
    printf("%s", name);
    for (int k = 0; k < count; k++) printf(" %.4f", values[k]);
}

static void print_facts(const tips_data_info *info, int seed) {
    printf("%s: %s, ", cli_shown(info->path), info->format);
    if (info->has_classes) printf("%d classes, ", info->classes);
    if (info->values) printf("masks of %d classes, ", info->values);
    if (info->has_boxes) printf("boxes of %d classes, ", info->classes);
    printf("pictures of ");
    print_sizes(info);
    printf(", %s\n", info->channels == 1 ? "grey" : "colour");
    printf("train %d, val %d (", info->counts[0], info->counts[1]);
    if (info->val_is_test) printf("the test set");
    else if (info->val_is_own) printf("its own");
    else printf("held out of train with seed %d", seed);
    printf("), test %d\n", info->counts[2]);
    print_values("mean", info->mean, info->channels);
    print_values(", deviation", info->deviation, info->channels);
    printf(" (%d training pictures)\n", info->read);
    if (info->skipped) printf("skipped as bad: %d\n", info->skipped);
    if (info->bad_boxes) printf("boxes left out as bad: %d\n", info->bad_boxes);
    if (info->ignored) printf("ignored, as they are not named like pictures: %d files\n", info->ignored);
}

static tips_status print_classes(const tips_data_info *info) {
    static const char *const columns[] = {">label", "class", ">train", ">val", ">test", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int k = 0; k < info->classes && k < MOST_ROWS; k++) {
        tips__table_cell(table, "%d", k);
        tips__table_cell(table, "%s", info->rows[k].name);
        for (int s = 0; s < TIPS_INFO_SPLITS; s++) tips__table_cell(table, "%d", info->rows[k].counts[s]);
    }
    putchar('\n');
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    if (info->classes > MOST_ROWS) printf("and %d more; --json lists all\n", info->classes - MOST_ROWS);
    return status;
}

/* What is ignored comes last, if anything is. */
static tips_status print_masks(const tips_data_info *info) {
    static const char *const columns[] = {">value", "class", "colour", ">pixels", ">pictures", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i <= info->values; i++) {
        const tips_data_value *v = &info->masks[i];
        if (i == info->values ? v->pictures == 0 : i >= MOST_VALUES) continue;
        tips__table_cell(table, "%d", i < info->values ? i : 255);
        tips__table_cell(table, "%s", v->name);
        tips__table_cell(table, "#%02x%02x%02x", v->rgb[0], v->rgb[1], v->rgb[2]);
        tips__table_cell(table, "%.2f%%", 100 * v->share);
        tips__table_cell(table, "%d", v->pictures);
    }
    putchar('\n');
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    if (info->values > MOST_VALUES) printf("and %d more; --json lists all\n", info->values - MOST_VALUES);
    return status;
}

static void put_box_cells(tips_text_table *table, const char *name, const tips_box_counts *c) {
    tips__table_cell(table, "%s", name);
    tips__table_cell(table, "%lld", (long long)c->boxes);
    tips__table_cell(table, "%d", c->pictures);
    for (int i = 0; i < TIPS_BOX_SIZES; i++) tips__table_cell(table, "%lld", (long long)c->sizes[i]);
    tips__table_cell(table, "%lld", (long long)c->crowds);
    tips__table_cell(table, "%lld", (long long)c->ignored);
}

static tips_status print_boxes(const tips_data_info *info) {
    static const char *const columns[] = {"class",  ">boxes",  ">pictures", ">small", ">medium",
                                          ">large", ">crowds", ">ignored",  NULL};
    const tips_box_statistics *b = &info->boxes;
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    printf("%lld boxes on %d training pictures, %.2f on one and at most %d; %d pictures have none; %lld boxes reach "
           "over a "
           "border\n\n",
           (long long)b->all.boxes, b->pictures, b->pictures ? (double)b->all.boxes / b->pictures : 0.0, b->most,
           b->pictures - b->all.pictures, (long long)b->beyond);
    for (int k = 0; k < info->classes && k < MOST_VALUES; k++) put_box_cells(table, info->rows[k].name, &b->classes[k]);
    put_box_cells(table, "all", &b->all);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    if (info->classes > MOST_VALUES) printf("and %d more; --json lists all\n", info->classes - MOST_VALUES);
    return status;
}

tips_status cli_print_data_info(const tips_data_info *info, int seed) {
    print_facts(info, seed);
    tips_status status = info->has_classes ? print_classes(info) : TIPS_OK;
    if (status == TIPS_OK && info->values) status = print_masks(info);
    return status == TIPS_OK && info->has_boxes ? print_boxes(info) : status;
}

static void put_pair(tips_json *json, const char *key, const int *pair) {
    tips__json_open_array(json, key);
    tips__json_int(json, NULL, pair[0]);
    tips__json_int(json, NULL, pair[1]);
    tips__json_close_array(json);
}

static void put_numbers(tips_json *json, const char *key, const double *values, int count) {
    tips__json_open_array(json, key);
    for (int k = 0; k < count; k++) tips__json_number(json, NULL, values[k]);
    tips__json_close_array(json);
}

static void put_counts(tips_json *json, const int *counts) {
    for (int s = 0; s < TIPS_INFO_SPLITS; s++) tips__json_int(json, split_names[s], counts[s]);
}

static void put_classes(tips_json *json, const tips_data_info *info) {
    tips__json_open_array(json, "classes");
    for (int k = 0; k < info->classes && info->has_classes; k++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", info->rows[k].name);
        put_counts(json, info->rows[k].counts);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_masks(tips_json *json, const tips_data_info *info) {
    tips__json_open_array(json, "masks");
    for (int i = 0; i <= info->values; i++) {
        const tips_data_value *v = &info->masks[i];
        char colour[8];
        snprintf(colour, sizeof colour, "#%02x%02x%02x", v->rgb[0], v->rgb[1], v->rgb[2]);
        tips__json_open_object(json, NULL);
        tips__json_int(json, "value", i < info->values ? i : 255);
        tips__json_text(json, "name", v->name);
        tips__json_text(json, "colour", colour);
        tips__json_number(json, "share", v->share);
        tips__json_int(json, "pictures", v->pictures);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static void put_box_counts(tips_json *json, const tips_box_counts *c) {
    tips__json_int(json, "boxes", c->boxes);
    tips__json_int(json, "pictures", c->pictures);
    for (int i = 0; i < TIPS_BOX_SIZES; i++) tips__json_int(json, tips__box_size_names[i], c->sizes[i]);
    tips__json_int(json, "crowds", c->crowds);
    tips__json_int(json, "ignored", c->ignored);
}

static void put_boxes(tips_json *json, const tips_data_info *info) {
    const tips_box_statistics *b = &info->boxes;
    tips__json_open_object(json, "boxes");
    put_box_counts(json, &b->all);
    tips__json_int(json, "without", b->pictures - b->all.pictures);
    tips__json_number(json, "per_picture", b->pictures ? (double)b->all.boxes / b->pictures : 0.0);
    tips__json_int(json, "most", b->most);
    tips__json_int(json, "beyond", b->beyond);
    tips__json_int(json, "bad", info->bad_boxes);
    tips__json_open_array(json, "classes");
    for (int k = 0; k < info->classes; k++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", info->rows[k].name);
        put_box_counts(json, &b->classes[k]);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    tips__json_close_object(json);
}

tips_status cli_print_data_info_json(const tips_data_info *info) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "path", info->path);
    tips__json_text(json, "format", info->format);
    put_counts(json, info->counts);
    tips__json_text(json, "val_set", info->val_is_test ? "test" : info->val_is_own ? "own" : "held out");
    tips__json_int(json, "channels", info->channels);
    put_pair(json, "min_size", info->min_size);
    put_pair(json, "max_size", info->max_size);
    put_numbers(json, "mean_size", info->mean_size, 2);
    put_numbers(json, "mean", info->mean, info->channels);
    put_numbers(json, "deviation", info->deviation, info->channels);
    tips__json_int(json, "read", info->read);
    tips__json_int(json, "skipped", info->skipped);
    tips__json_int(json, "ignored", info->ignored);
    put_classes(json, info);
    if (info->values) put_masks(json, info);
    if (info->has_boxes) put_boxes(json, info);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}
