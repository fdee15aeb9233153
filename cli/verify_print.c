/* The result of `tips verify` as a table with a verdict, and as JSON. */
#include "verify_print.h"

#include "cli.h"

#include "core/json.h"
#include "core/text_table.h"
#include "verify/verify_json.h"

#include <math.h>

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void describe(const tips_verify_result *r, FILE *file) {
    const tips_arch_config *c = &r->network;
    char norm[TIPS_NORM_NOTE];
    fprintf(file, "%s, pool %s", r->arch ? r->arch : "operator alone", r->pool);
    if (c->pool.lpf) fprintf(file, " after LPF-%d", c->pool.lpf);
    fputs(tips__norm_note(&c->norm, norm, sizeof norm), file);
    fprintf(file, ", %s padding, input %dx%dx%d", tips_pad_mode_names[c->padding], c->in_channels, c->size[0],
            c->size[1]);
    if (r->arch && !r->from_elsewhere)
        fprintf(file, ", %s stem, down %d, width %d", tips__stem_names[c->stem], c->down, c->width);
    fprintf(file, ", seed %d, %s engine, %d shift%s\n\n", r->seed, r->engine, r->shifts, plural(r->shifts));
}

static void error_cell(tips_text_table *table, double error) {
    if (error == 0) tips__table_cell(table, "0");
    else tips__table_cell(table, "%.2g", error);
}

static void add_row(tips_text_table *table, const tips_verify_layer *layer) {
    tips__table_cell(table, "%s", layer->name);
    tips__table_cell(table, "%s", layer->type);
    if (layer->per_sample > 1)
        tips__table_cell(table, "%d*%dx%dx%d", layer->per_sample, layer->channels, layer->height, layer->width);
    else tips__table_cell(table, "%dx%dx%d", layer->channels, layer->height, layer->width);
    tips__table_cell(table, "%llu", (unsigned long long)layer->differing_bits);
    error_cell(table, layer->max_abs_error);
    error_cell(table, layer->max_rel_error);
    tips__table_cell(table, "%s", layer->exact ? "yes" : "no");
}

static tips_status print_table(const tips_verify_result *r, FILE *file) {
    static const char *const columns[] = {"layer",          "type",           ">output", ">differing bits",
                                          ">max abs error", ">max rel error", "exact",   NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_layers; i++) add_row(table, &r->layers[i]);
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

/* Layers that would break by themselves too, of which nothing shows behind one that does. */
static void list_hidden(const tips_verify_result *r, FILE *file) {
    const int count = tips__verify_hidden(r);
    if (count == 0) return;
    fprintf(file, "Hidden behind: %d further layer%s that downsample%s and would break by %s too:", count,
            plural(count), count == 1 ? "s" : "", count == 1 ? "itself" : "themselves");
    const char *join = " ";
    for (int i = 0; i < r->n_layers; i++) {
        const tips_verify_layer *layer = &r->layers[i];
        if (!layer->hidden[0]) continue;
        fprintf(file, "%s%s (%s, %dx%d)", join, cli_shown(layer->name), layer->type, layer->hidden[0],
                layer->hidden[1]);
        join = ", ";
    }
    fputs(".\n", file);
}

static tips_status print_origins(const tips_verify_result *r, FILE *file) {
    static const char *const columns[] = {"breaks by itself", "type", ">output", ">max rel error", ">layers behind it",
                                          NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_layers; i++) {
        const tips_verify_layer *layer = &r->layers[i];
        if (layer->exact || layer->behind >= 0) continue;
        tips__table_cell(table, "%s", layer->name);
        tips__table_cell(table, "%s", layer->type);
        tips__table_cell(table, "%dx%dx%d", layer->channels, layer->height, layer->width);
        error_cell(table, layer->max_rel_error);
        tips__table_cell(table, "%d of %d", tips__verify_behind(r, i), r->n_layers);
    }
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    fputc('\n', file);
    list_hidden(r, file);
    return status;
}

static void print_verdict(const tips_verify_result *r, FILE *file) {
    if (r->interrupted)
        fprintf(file, "Interrupted: %d of %d shifts were tried, and the verdict is about these.\n", r->shifts,
                r->wanted);
    if (r->exact) {
        fprintf(file, "Exact: 0 differing bits in %d layers under %d shift%s.\n", r->n_layers, r->shifts,
                plural(r->shifts));
    } else {
        fprintf(file, "Not exact: the first layer that breaks is %s.\n", cli_shown(r->layers[r->first_breaking].name));
        fprintf(file, "Reason (%s): %s.\n", cli_shown(r->reason), cli_shown(r->advice));
        fprintf(file, "Within 1e-5 of each layer's largest value: %s (worst %.2g).\n",
                r->within_tolerance ? "yes" : "no", r->max_rel_error);
    }
    if (r->margin < INFINITY)
        fprintf(file, "Smallest margin between best and second phase: %.2g (%s).\n", r->margin,
                cli_shown(r->layers[r->margin_layer].name));
    if (r->answer_changes == 0) fputs("The answer to this one input is the same for every shift.\n", file);
    else fprintf(file, "The answer changes under %d of %d shifts.\n", r->answer_changes, r->shifts);
}

tips_status cli_print_verify(const tips_verify_result *r, bool quiet, FILE *file) {
    if (!quiet) {
        describe(r, file);
        const tips_status status = print_table(r, file);
        if (status != TIPS_OK) return status;
        fputc('\n', file);
    }
    print_verdict(r, file);
    return TIPS_OK;
}

tips_status cli_print_breaks(const tips_verify_result *r, FILE *file) {
    const tips_status status = r->exact ? TIPS_OK : print_origins(r, file);
    if (status == TIPS_OK) print_verdict(r, file);
    return status;
}

tips_status cli_print_verify_json(const tips_verify_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__verify_put(json, NULL, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}
