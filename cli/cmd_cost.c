/* tips cost: what operators add to a network in parameters, arithmetic, memory and time. */
#include "bench/cost.h"
#include "cli.h"
#include "core/text_table.h"
#include "cost_print.h"

typedef struct cost_config {
    tips_cost_config cost;
    bool paper, json;
    tips_given given;
} cost_config;

static const tips_option options[] = {
    TIPS_GIVEN_ROW(cost_config, given),
    {.type = TIPS_OPT_GROUP, .offset = offsetof(cost_config, cost.model), .group = tips__model_rows},
    {.name = "batch",
     .type = TIPS_OPT_INT,
     .offset = offsetof(cost_config, cost.batch),
     .fallback = "1",
     .min = 1,
     .max = 4096,
     .help = "images in the batch that memory is planned for and inference is timed with"},
    {.name = "time",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(cost_config, cost.time),
     .fallback = "true",
     .help = "do not run anything, so that no time is shown"},
    {.name = "memory",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(cost_config, cost.memory),
     .fallback = "true",
     .help = "do not plan memory, so that no arenas are shown"},
    {.name = "paper",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(cost_config, paper),
     .fallback = "false",
     .help = "counts alone, beside those that the paper prints"},
    {.name = "json", .type = TIPS_OPT_LIKE, .offset = offsetof(cost_config, json), .group = cli_rows},
    {.type = TIPS_OPT_END},
};

/* A cell for a number that may be missing (negative). */
static void cell_or_dash(tips_text_table *table, int decimals, double value) {
    if (value >= 0) tips__table_cell(table, "%.*f", decimals, value);
    else tips__table_cell(table, "-");
}

static const double mebibyte = 1 << 20;

static void add_row(tips_text_table *table, const tips_cost_row *row) {
    cli_cost_network_cell(table, row);
    tips__table_cell(table, "%s", row->pool);
    tips__table_cell(table, "%zu", row->parameters);
    tips__table_cell(table, "%.0f", row->added);
    tips__table_cell(table, "%.2f %%", row->added_percent);
    tips__table_cell(table, "%.3f", 1e-9 * row->multiply_adds);
    tips__table_cell(table, "%.1f", row->activation_bytes / mebibyte);
    cell_or_dash(table, 1, row->inference_arena / mebibyte);
    cell_or_dash(table, 1, row->training_arena / mebibyte);
    cell_or_dash(table, 2, 1e3 * row->seconds_per_image);
}

static tips_status print_table(const tips_cost_result *r) {
    static const char *const columns[] = {"architecture", "operator",     ">parameters", ">added",
                                          ">added",       ">G mult-adds", ">maps MB",    ">infer MB",
                                          ">train MB",    ">ms/image",    NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->count; i++) add_row(table, &r->rows[i]);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    return status;
}

/* Stem and downsampling layers, where all networks have the same. */
static void print_common(const tips_cost_result *r) {
    bool same = true;
    for (int i = 1; i < r->count; i++)
        same = same && r->rows[i].stem == r->rows[0].stem && r->rows[i].down == r->rows[0].down;
    if (same) printf("%s stem, %d downsampling layers, ", tips__stem_names[r->rows[0].stem], r->rows[0].down);
}

static void print_heading(const cost_config *config, const tips_cost_result *r) {
    const tips_arch_config *n = &r->network;
    char norm[TIPS_NORM_NOTE];
    printf("%dx%dx%d, %d classes, ", n->in_channels, n->size[0], n->size[1], n->classes);
    print_common(r);
    printf("%s padding%s", tips_pad_mode_names[n->padding], tips__norm_note(&n->norm, norm, sizeof norm));
    if (!config->paper) printf("; arenas and time at batch %d", config->cost.batch);
    fputs("\n\n", stdout);
}

static void put_bytes(tips_json *json, const char *key, double bytes) {
    if (bytes >= 0) tips__json_int(json, key, (int64_t)bytes);
    else tips__json_text(json, key, NULL);
}

static void put_row(tips_json *json, const tips_cost_row *row) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "arch", row->arch);
    if (row->backbone[0]) tips__json_text(json, "backbone", row->backbone);
    tips__json_text(json, "pool", row->pool);
    tips__json_int(json, "parameters", (int64_t)row->parameters);
    tips__json_int(json, "added_parameters", (int64_t)row->added);
    tips__json_number(json, "added_percent", row->added_percent);
    tips__json_int(json, "multiply_adds", (int64_t)row->multiply_adds);
    tips__json_int(json, "activation_bytes", (int64_t)row->activation_bytes);
    put_bytes(json, "inference_arena_bytes", row->inference_arena);
    put_bytes(json, "training_arena_bytes", row->training_arena);
    if (row->seconds_per_image >= 0) tips__json_number(json, "seconds_per_image", row->seconds_per_image);
    else tips__json_text(json, "seconds_per_image", NULL);
    tips__json_text(json, "stem", tips__stem_names[row->stem]);
    tips__json_int(json, "down", row->down);
    cli_put_paper_cost(json, row);
    tips__json_close_object(json);
}

static tips_status print_json(const cost_config *config, const tips_cost_result *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "size");
    tips__json_int(json, NULL, r->network.size[0]);
    tips__json_int(json, NULL, r->network.size[1]);
    tips__json_close_array(json);
    tips__json_int(json, "classes", r->network.classes);
    tips__json_text(json, "stem", tips__stem_names[r->network.stem]);
    tips__json_int(json, "down", r->network.down);
    tips__json_text(json, "padding", tips_pad_mode_names[r->network.padding]);
    tips__json_int(json, "lpf", r->network.pool.lpf);
    tips__norm_put(json, &r->network.norm);
    tips__json_int(json, "batch", config->cost.batch);
    tips__json_open_array(json, "rows");
    for (int i = 0; i < r->count; i++) put_row(json, &r->rows[i]);
    tips__json_close_array(json);
    tips__json_open_array(json, "left_out");
    for (int i = 0; i < r->n_left; i++) {
        tips__json_open_object(json, NULL);
        tips__json_text(json, "arch", r->left[i].arch);
        tips__json_text(json, "reason", r->left[i].why);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    tips__json_close_object(json);
    status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}

static tips_status print(const cost_config *config, const tips_cost_result *result) {
    if (config->json) return print_json(config, result);
    print_heading(config, result);
    const tips_status status = config->paper ? cli_print_paper_costs(result) : print_table(result);
    if (result->n_left > 0) fputs("\n", stdout);
    for (int i = 0; i < result->n_left; i++)
        printf("left out: %s: %s\n", result->left[i].arch, cli_shown(result->left[i].why));
    return status;
}

static int run(void *given, int n_words, char **words) {
    cost_config *config = given;
    const int code = cli_expect_words(&cli_cost, 0, n_words, words);
    if (code != CLI_OK) return code;
    if (config->paper) config->cost.memory = config->cost.time = false;
    tips_cost_result result;
    tips_status status = tips__cost(&config->cost, &result);
    if (status != TIPS_OK) return cli_report(status);
    status = print(config, &result);
    tips__cost_clear(&result);
    return cli_report(status);
}

const cli_command cli_cost = {
    .name = "cost",
    .brief = "show what operators cost a network: parameters, arithmetic, memory and time",
    .synopsis = "[OPTION...]",
    .details =
        "--arch and --pool take lists parted by commas; every architecture is shown with every operator. '--arch "
        "all' is every one that can be made with the other options. A part 'key=value' belongs to the operator "
        "before it, so 'max,tips:psi=full,fm=band' names two.\n"
        "Parameters are the trainable ones, and 'added' is what the network has more than with max. Multiply-adds are "
        "of one image's forward pass. 'maps' is the sum of all of one image's maps as plain floats; 'infer' and "
        "'train' are the arenas planned for the batch, in which maps share memory. That of inference has the weights "
        "of 3x3 convolutions too, transformed once and four times as large, where Winograd's algorithm runs them; "
        "parameters and gradients of training lie elsewhere. The time is of inference.\n"
        "--paper shows the parameters (millions) and operations of the paper's tables where it has them, its TIPS "
        "beside every operator of that name, what its figures were counted on, and how many parameters our network "
        "has so.\n"
        "What was not asked for, or the machine has no memory for, is shown as '-'.",
    .options = options,
    .config_size = sizeof(cost_config),
    .run = run,
    .examples = "tips cost --arch resnet18,resnet50 --pool max,aps,lps,tips,tips-exact\n"
                "tips cost --pool max,tips:psi=depthwise,fm=band,tips-exact --size 224 --classes 1000 --no-time\n"
                "tips cost --paper --arch all --pool max,tips-exact --size 224 --classes 1000\n"
                "tips cost --arch resnet101 --pool none --no-memory --no-time --json\n",
};
