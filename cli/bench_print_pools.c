/* The output of `tips bench pools`. */
#include "bench_print.h"

#include "core/json.h"
#include "core/text_table.h"

#include <stdio.h>

static tips_status fill_table(const tips_bench_pools_result *r, tips_text_table **out) {
    static const char *const columns[] = {"operator", ">parameters", ">forward ms", ">GB/s", ">of memory",
                                          ">backward ms", ">GB/s", ">of memory", NULL};
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->count; i++) {
        const tips_bench_pool *p = &r->pools[i];
        tips__table_cell(table, "%s", p->name);
        tips__table_cell(table, "%zu", p->parameters);
        tips__table_cell(table, "%.2f", p->forward_ms);
        tips__table_cell(table, "%.1f", p->forward_gbs);
        tips__table_cell(table, "%.0f %%", 100 * p->forward_share);
        tips__table_cell(table, "%.2f", p->backward_ms);
        tips__table_cell(table, "%.1f", p->backward_gbs);
        tips__table_cell(table, "%.0f %%", 100 * p->backward_share);
    }
    *out = table;
    return TIPS_OK;
}

tips_status cli_print_pools(const tips_bench_pools_config *config, const tips_bench_pools_result *r) {
    tips_text_table *table;
    tips_status status = fill_table(r, &table);
    if (status != TIPS_OK) return status;
    printf("%d maps of %dx%dx%d", config->batch, config->channels, config->size[0], config->size[1]);
    if (config->lpf) printf(" after LPF-%d", config->lpf);
    printf(", stride %dx%d, %s padding, %d thread%s; memory bandwidth %.1f GB/s\n\n", config->stride[0],
           config->stride[1], tips_pad_mode_names[config->padding], r->threads, r->threads == 1 ? "" : "s",
           r->bandwidth_gbs);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

static void put_pair(tips_json *json, const char *key, const int pair[2]) {
    tips__json_open_array(json, key);
    tips__json_int(json, NULL, pair[0]);
    tips__json_int(json, NULL, pair[1]);
    tips__json_close_array(json);
}

static void put_pool(tips_json *json, const tips_bench_pool *p) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "pool", p->name);
    tips__json_int(json, "parameters", (int64_t)p->parameters);
    tips__json_int(json, "multiply_adds", (int64_t)p->multiply_adds);
    tips__json_number(json, "forward_ms", p->forward_ms);
    tips__json_number(json, "forward_gbs", p->forward_gbs);
    tips__json_number(json, "forward_share", p->forward_share);
    tips__json_number(json, "backward_ms", p->backward_ms);
    tips__json_number(json, "backward_gbs", p->backward_gbs);
    tips__json_number(json, "backward_share", p->backward_share);
    tips__json_close_object(json);
}

tips_status cli_print_pools_json(const tips_bench_pools_config *config, const tips_bench_pools_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_int(json, "batch", config->batch);
    tips__json_int(json, "channels", config->channels);
    put_pair(json, "size", config->size);
    put_pair(json, "stride", config->stride);
    tips__json_int(json, "lpf", config->lpf);
    tips__json_text(json, "padding", tips_pad_mode_names[config->padding]);
    tips__json_int(json, "threads", r->threads);
    tips__json_int(json, "steps", config->steps);
    tips__json_number(json, "bandwidth_gbs", r->bandwidth_gbs);
    tips__json_open_array(json, "pools");
    for (int i = 0; i < r->count; i++) put_pool(json, &r->pools[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}
