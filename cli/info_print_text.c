/* tips info for people: a list of facts, then the table of tensors. */
#include "info_print.h"

#include "cli.h"

#include "core/text_table.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 14, SHOWN_CLASSES = 10, NORM_SIZE = 256, TASK_SIZE = 256, POOL_SIZE = 256 };

/* Files come from anywhere: what a terminal might obey is spelt out. */
static void put_text(const char *text, size_t length) { cli_put_shown(text, length, stdout); }

static void put_label(const char *label) { printf("%-*s", LABEL, label); }

static void put_line(const char *label, const char *text) {
    put_label(label);
    put_text(text, strlen(text));
    putchar('\n');
}

/* The summary's own values as "key value, key value"; what is nested in them is left to --json. */
typedef struct summary {
    bool has_key;
    int written;
} summary;

static tips_status visit_training(void *context, const tips_json_event *e) {
    summary *s = context;
    if (e->depth != 1) return TIPS_OK;
    if (e->kind == TIPS_JSON_KEY) {
        printf("%s", s->written++ ? ", " : "");
        put_text(e->text, e->length);
    } else if (e->kind == TIPS_JSON_TEXT || e->kind == TIPS_JSON_NUMBER) {
        putchar(' ');
        put_text(e->text, e->length);
    } else if (e->kind == TIPS_JSON_BOOL) {
        printf(" %s", e->truth ? "yes" : "no");
    } else if (e->kind == TIPS_JSON_OBJECT || e->kind == TIPS_JSON_ARRAY) {
        fputs(" ...", stdout);
    }
    return TIPS_OK;
}

static tips_status put_training(const tips_model_report *r) {
    summary s = {0};
    if (!r->info.training[0]) {
        put_line("training", "none");
        return TIPS_OK;
    }
    put_label("training");
    const tips_status status = tips__model_report_training(r, visit_training, &s);
    putchar('\n');
    return status;
}

static void put_classes(const tips_model_info *info) {
    const int count = info->config.classes;
    put_label("classes");
    printf("%d", count);
    for (int i = 0; info->class_names && i < count && i < SHOWN_CLASSES; i++) {
        fputs(i ? ", " : ": ", stdout);
        put_text(info->class_names[i], strlen(info->class_names[i]));
    }
    puts(info->class_names && count > SHOWN_CLASSES ? ", ..." : "");
}

static void put_input(const tips_model_info *info) {
    const tips_arch_config *c = &info->config;
    put_label("input");
    printf("%dx%dx%d, mean", c->in_channels, c->size[0], c->size[1]);
    for (int i = 0; i < 3; i++) printf(" %.5g", info->mean[i]);
    fputs(info->mean_from == TIPS_INPUT_GUESSED ? " (guessed), deviation" : ", deviation", stdout);
    for (int i = 0; i < 3; i++) printf(" %.5g", info->std[i]);
    if (info->std_from == TIPS_INPUT_GUESSED) fputs(" (guessed)", stdout);
    if (info->resize) printf(", shorter side %d before the crop", info->resize);
    if (info->placement.fit[0] == TIPS_FIT_INPUT) fputs(", pictures fitted as large as they go", stdout);
    else if (info->placement.fit[0]) printf(", sides up to %d and %d", info->placement.fit[0], info->placement.fit[1]);
    if (info->placement.fit[0] && info->placement.letterbox)
        printf(", fitted by the rule of %s", tips__letterbox_names[info->placement.letterbox]);
    if (info->placement.stretch) fputs(", stretched", stdout);
    if (info->placement.place == TIPS_AT_CENTRE) fputs(", centred", stdout);
    if (info->placement.filter == TIPS_FILTER_PLAIN) fputs(", resized without antialiasing", stdout);
    if (info->placement.pad) printf(", padded with %s", info->placement.pad == TIPS_PAD_MEAN ? "the mean" : "grey");
    if (info->bgr) fputs(", channels blue, green, red", stdout);
    puts(info->fit_inside ? ", smaller pictures centred" : "");
}

/* Nothing is said of plain batch norm. */
static void put_norm(const tips_norm_spec *norm) {
    char text[NORM_SIZE];
    if (tips__norm_is_plain(norm)) return;
    tips__norm_format(norm, text, sizeof text);
    put_line("norm", text);
}

/* Nor of the default task. */
static void put_task(const tips_task_spec *task) {
    char text[TASK_SIZE];
    if (tips__task_is_default(task)) return;
    tips__task_format(task, text, sizeof text);
    put_line("task", text);
}

/* Some downsampling layers may have another operator. */
static void put_others(const tips_arch_config *c) {
    const int count = c->others < 0 ? -c->others : c->others;
    char text[POOL_SIZE];
    if (count == 0) return;
    tips__pool_format(&c->other, text, sizeof text);
    printf(", in the %s %d downsampling layer%s %s", c->others < 0 ? "last" : "first", count, count == 1 ? "" : "s",
           text);
}

static tips_status put_model(const tips_model_report *r) {
    const tips_arch_config *c = &r->info.config;
    put_task(&r->info.task);
    put_line("architecture", r->info.arch->name);
    if (r->steps) {
        put_label("layers");
        printf("%d, as the file says\n", r->steps);
    } else {
        put_label("options");
        if (c->backbone) printf("backbone %s, ", c->backbone->name);
        printf("width %d, %s stem, ", c->width, tips__stem_names[c->stem]);
        if (c->stem_kernel) printf("first convolution %dx%d, ", c->stem_kernel, c->stem_kernel);
        printf("%d downsampling layers, %s padding\n", c->down, tips_pad_mode_names[c->padding]);
    }
    put_label("operator");
    printf("%s", r->pool);
    if (c->pool.lpf) printf(" after LPF-%d", c->pool.lpf);
    put_others(c);
    putchar('\n');
    put_norm(&c->norm);
    put_input(&r->info);
    put_classes(&r->info);
    put_line("dataset", r->info.dataset[0] ? r->info.dataset : "none");
    const tips_status status = put_training(r);
    if (r->info.stored) {
        put_label("numbers");
        printf("stored in %s, computed in float32\n", r->info.stored);
    }
    put_label("parameters");
    printf("%zu trainable, %zu statistics\n", r->trainable, r->statistics);
    put_line("written by", r->info.version);
    return status;
}

static void put_metadata(const tips_safetensors *file) {
    for (int i = 0; file && i < tips__safetensors_metadata_count(file); i++) {
        const char *key, *value;
        tips__safetensors_metadata_at(file, i, &key, &value);
        printf("metadata      %s = ", cli_shown(key));
        put_text(value, strlen(value));
        putchar('\n');
    }
}

static void add_row(tips_text_table *table, const tips_tensor_entry *entry) {
    char shape[256] = "";
    size_t length = 0;
    for (int i = 0; i < entry->n_dims; i++)
        length +=
            (size_t)snprintf(shape + length, sizeof shape - length, "%s%lld", i ? "x" : "", (long long)entry->dims[i]);
    tips__table_cell(table, "%s", entry->name);
    tips__table_cell(table, "%s", entry->n_dims ? shape : "scalar");
    tips__table_cell(table, "%s", entry->dtype);
    tips__table_cell(table, "%llu", (unsigned long long)(entry->end - entry->begin));
}

static tips_status put_tensors(const tips_model_report *r) {
    static const char *const columns[] = {"tensor", ">shape", "dtype", ">bytes", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_tensors; i++) add_row(table, &r->tensors[i]);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

tips_status cli_print_info(const char *path, const tips_model_report *r) {
    tips_status status = TIPS_OK;
    put_line("file", path);
    if (r->is_model) status = put_model(r);
    else put_metadata(r->file);
    put_line("checksum", tips__model_is_verified(r) ? "verified" : "none; damage would not be seen");
    put_label("tensors");
    printf("%d, %llu bytes\n\n", r->n_tensors, (unsigned long long)r->bytes);
    return status == TIPS_OK ? put_tensors(r) : status;
}
