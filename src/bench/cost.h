/* The use case behind `tips cost`: what operators cost in parameters, arithmetic, memory and time. */
#ifndef TIPS_BENCH_COST_H
#define TIPS_BENCH_COST_H

#include "bench/paper_costs.h"
#include "model/graph_count.h"
#include "model/model_options.h"

typedef struct tips_cost_config {
    tips_model_options model; /* arch and pool are lists parted by commas; the architecture "all" is every one */
    int batch;                /* of the memory plans and the timed run */
    bool memory, time;        /* plan memory, run inference; else only counts */
} tips_cost_config;

typedef struct tips_cost_row {
    char arch[32], pool[160];
    char backbone[32]; /* "" of networks that are one */
    size_t parameters;      /* trainable */
    double added;           /* more than the same network with max */
    double added_percent;
    double multiply_adds;   /* per image, forward */
    double activation_bytes;/* per image: all maps as plain floats */
    /* Of the whole batch; negative where not measured, or where the machine has not enough memory. */
    double inference_arena, training_arena;
    double seconds_per_image; /* inference, median; negative where not measured */
    tips_stem stem;           /* as resolved */
    int down;
    const tips_paper_network *paper_network; /* what the paper prints of it; NULL: nothing */
    const tips_paper_cost *paper;
    size_t paper_form; /* parameters of the network that the paper's were counted on; 0: none is known */
} tips_cost_row;

/* One of all architectures that cannot be made with these options. */
typedef struct tips_cost_left {
    char arch[32], why[256];
} tips_cost_left;

typedef struct tips_cost_result {
    tips_cost_row *rows; /* (count) */
    int count;
    tips_cost_left *left; /* (n_left) */
    int n_left;
    tips_arch_config network; /* of the last row, as resolved */
} tips_cost_result;

tips_status tips__cost(const tips_cost_config *config, tips_cost_result *out) TIPS_MUST_CHECK;
void tips__cost_clear(tips_cost_result *result);

#endif
