/* The output of `tips bench step`. */
#include "bench_print.h"
#include "cli.h"

#include "core/json.h"
#include "core/text_table.h"
#include "bench/machine.h"
#include "core/level.h"

#include <stdio.h>

enum { NAME_SIZE = 160 };

static void print_own(const tips_bench_step_result *r) {
    const tips_arch_config *n = &r->network;
    char pool[NAME_SIZE], norm[TIPS_NORM_NOTE];
    tips__pool_format(&n->pool, pool, sizeof pool);
    printf("%s with %s", r->arch, pool);
    if (n->pool.lpf) printf(" after LPF-%d", n->pool.lpf);
    fputs(tips__norm_note(&n->norm, norm, sizeof norm), stdout);
    printf(", %s padding, %s stem, %d downsampling layers, %zu parameters\n", tips_pad_mode_names[n->padding],
           tips__stem_names[n->stem], n->down, r->parameters);
}

static void print_network(const tips_bench_step_config *config, const tips_bench_step_result *r) {
    const tips_arch_config *n = &r->network;
    if (config->model_file) printf("%s: ", cli_shown(config->model_file));
    if (r->from_elsewhere) printf("a network from elsewhere, %d classes, %zu parameters\n", n->classes, r->parameters);
    else print_own(r);
    printf("%s in batches of %d, %dx%dx%d, %d thread%s, engine %s\n\n", config->mode == 0 ? "training" : "inference",
           config->batch, n->in_channels, n->size[0], n->size[1], r->threads, r->threads == 1 ? "" : "s",
           tips__engine_names[config->engine]);
}

static void print_memory(const tips_bench_step_result *r) {
    printf("memory        %.0f MB resident at most, %.0f MB of them the arena\n", r->peak_resident_mb, r->arena_mb);
    printf("allocations   %llu in the second step", (unsigned long long)r->allocations_second_step);
    if (r->has_library_allocations)
        printf(", and %llu by the libraries", (unsigned long long)r->library_allocations_second_step);
    putchar('\n');
}

static void add_layer(tips_text_table *table, const tips_bench_layer *l, bool training) {
    tips__table_cell(table, "%s", l->name);
    tips__table_cell(table, "%s", l->type);
    tips__table_cell(table, "%.2f", l->forward_ms);
    if (training) tips__table_cell(table, "%.2f", l->backward_ms);
    tips__table_cell(table, "%.1f %%", 100 * l->share);
    if (l->gflops > 0) tips__table_cell(table, "%.1f", l->gflops);
    else tips__table_cell(table, "-");
}

static tips_status print_layers(const tips_bench_step_result *r, bool training) {
    static const char *const both[] = {"layer", "type", ">forward ms", ">backward ms", ">share", ">GFLOP/s", NULL};
    static const char *const forward[] = {"layer", "type", ">forward ms", ">share", ">GFLOP/s", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(training ? both : forward, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_layers; i++) add_layer(table, &r->layers[i], training);
    putchar('\n');
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

tips_status cli_print_step(const tips_bench_step_config *config, const tips_bench_step_result *r, bool latency) {
    const tips_step_times *t = &r->parts;
    print_network(config, r);
    printf("speed         %.1f images/s, median of %d step%s (%.1f to %.1f from the 10th to the 90th percentile)\n",
           r->images_per_second, r->steps, r->steps == 1 ? "" : "s", r->images_per_second_low,
           r->images_per_second_high);
    if (latency)
        printf("latency       %.2f ms a step, median; 99 of 100 steps take at most %.2f ms\n", 1e3 * r->latency_median,
               1e3 * r->latency_p99);
    printf("arithmetic    %.1f GFLOP/s, counted as direct convolution: %.0f %% of the measured peak of %.1f\n",
           r->gflops, 100 * r->peak_share, r->peak_gflops);
    printf("per image     %.3f G multiply-adds forward", 1e-9 * r->multiply_adds);
    if (r->extra_multiply_adds > 0)
        printf(", of which %.1f %% read beyond the border (zero padding skips those)", 100 * r->extra_multiply_adds);
    printf("\nstep          input %.1f ms, forward %.1f ms", 1e3 * t->input, 1e3 * t->forward);
    if (config->mode == 0) printf(", backward %.1f ms, update %.1f ms", 1e3 * t->backward, 1e3 * t->update);
    printf("; building took %.0f ms\n", r->build_ms);
    print_memory(r);
    return r->n_layers ? print_layers(r, config->mode == 0) : TIPS_OK;
}

/* What a network from elsewhere does not have. */
static void put_own(tips_json *json, const tips_arch_config *n) {
    char pool[NAME_SIZE];
    tips__pool_format(&n->pool, pool, sizeof pool);
    tips__json_text(json, "pool", pool);
    tips__json_int(json, "lpf", n->pool.lpf);
    tips__norm_put(json, &n->norm);
    tips__json_text(json, "padding", tips_pad_mode_names[n->padding]);
    tips__json_text(json, "stem", tips__stem_names[n->stem]);
    tips__json_int(json, "down", n->down);
    tips__json_int(json, "width", n->width);
}

static void put_network(tips_json *json, const tips_bench_step_config *config, const tips_bench_step_result *r) {
    const tips_arch_config *n = &r->network;
    char cpu[NAME_SIZE];
    tips__machine_cpu(cpu, sizeof cpu);
    if (config->model_file) tips__json_text(json, "model", config->model_file);
    tips__json_text(json, "arch", r->arch);
    if (!r->from_elsewhere) put_own(json, n);
    tips__json_int(json, "classes", n->classes);
    tips__json_open_array(json, "size");
    tips__json_int(json, NULL, n->size[0]);
    tips__json_int(json, NULL, n->size[1]);
    tips__json_close_array(json);
    tips__json_int(json, "batch", config->batch);
    tips__json_text(json, "mode", tips__bench_mode_names[config->mode]);
    tips__json_text(json, "engine", tips__engine_names[config->engine]);
    tips__json_text(json, "cpu", cpu);
    tips__json_text(json, "level", tips__level()->name);
    tips__json_int(json, "threads", r->threads);
    tips__json_int(json, "steps", r->steps);
    tips__json_int(json, "warmup", config->warmup);
}

static void put_latency(tips_json *json, const tips_bench_step_result *r) {
    tips__json_number(json, "latency_ms_median", 1e3 * r->latency_median);
    tips__json_number(json, "latency_ms_p99", 1e3 * r->latency_p99);
}

static void put_speed(tips_json *json, const tips_bench_step_result *r) {
    tips__json_number(json, "images_per_second", r->images_per_second);
    tips__json_number(json, "images_per_second_low", r->images_per_second_low);
    tips__json_number(json, "images_per_second_high", r->images_per_second_high);
    tips__json_open_array(json, "seconds");
    for (int i = 0; i < r->steps; i++) tips__json_number(json, NULL, r->seconds[i]);
    tips__json_close_array(json);
    tips__json_number(json, "input_seconds", r->parts.input);
    tips__json_number(json, "forward_seconds", r->parts.forward);
    tips__json_number(json, "backward_seconds", r->parts.backward);
    tips__json_number(json, "update_seconds", r->parts.update);
    tips__json_number(json, "gflops", r->gflops);
    tips__json_number(json, "peak_gflops", r->peak_gflops);
    tips__json_number(json, "peak_share", r->peak_share);
    tips__json_int(json, "multiply_adds", (int64_t)r->multiply_adds);
    tips__json_number(json, "extra_multiply_adds", r->extra_multiply_adds);
    tips__json_int(json, "parameters", (int64_t)r->parameters);
}

static void put_memory(tips_json *json, const tips_bench_step_result *r) {
    tips__json_number(json, "peak_resident_mb", r->peak_resident_mb);
    tips__json_number(json, "arena_mb", r->arena_mb);
    tips__json_int(json, "allocations_second_step", (int64_t)r->allocations_second_step);
    if (r->has_library_allocations)
        tips__json_int(json, "library_allocations_second_step", (int64_t)r->library_allocations_second_step);
    else
        tips__json_text(json, "library_allocations_second_step", NULL);
}

static void put_layers(tips_json *json, const tips_bench_step_result *r) {
    tips__json_open_array(json, "layers");
    for (int i = 0; i < r->n_layers; i++) {
        const tips_bench_layer *l = &r->layers[i];
        tips__json_open_object(json, NULL);
        tips__json_text(json, "layer", l->name);
        tips__json_text(json, "type", l->type);
        tips__json_number(json, "forward_ms", l->forward_ms);
        tips__json_number(json, "backward_ms", l->backward_ms);
        tips__json_number(json, "share", l->share);
        tips__json_number(json, "gflops", l->gflops);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

tips_status cli_print_step_json(const tips_bench_step_config *config, const tips_bench_step_result *r,
                                bool latency, double startup_ms) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    put_network(json, config, r);
    if (latency) put_latency(json, r);
    put_speed(json, r);
    put_memory(json, r);
    tips__json_number(json, "startup_ms", startup_ms);
    tips__json_number(json, "build_ms", r->build_ms);
    put_layers(json, r);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}
