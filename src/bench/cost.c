/* Counting, planning and timing the networks of a list of architectures and operators. */
#include "bench/cost.h"

#include "bench/step_runner.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/name_list.h"
#include "core/threads.h"
#include "core/timing.h"

#include <string.h>

enum { NAME_SIZE = 160, TIMED_STEPS = 3 };

static tips_status count_parameters(const tips_runner_config *c, size_t *out) {
    tips_model model;
    TIPS_TRY(tips__model_create(c->arch, &c->network, &c->task, false, &model));
    *out = tips__graph_parameters(model.graph);
    tips__model_destroy(&model);
    return TIPS_OK;
}

/* The same network with max, without a filter: what every operator is compared with. */
static tips_status count_baseline(const tips_runner_config *c, size_t *out) {
    tips_runner_config baseline = *c;
    TIPS_TRY(tips__pool_parse("max", 0, &baseline.network.pool));
    return count_parameters(&baseline, out);
}

static tips_status count(const tips_runner_config *c, tips_cost_row *row) {
    size_t baseline;
    tips_model model;
    TIPS_TRY(count_baseline(c, &baseline));
    TIPS_TRY(tips__model_create(c->arch, &c->network, &c->task, false, &model));
    row->parameters = tips__graph_parameters(model.graph);
    row->added = (double)row->parameters - (double)baseline;
    row->added_percent = 100 * row->added / (double)baseline;
    row->multiply_adds = tips__graph_multiply_adds(model.graph);
    row->activation_bytes = tips__graph_activation_bytes(model.graph);
    tips__model_destroy(&model);
    return TIPS_OK;
}

static tips_status make_paper_form(const tips_paper_network *paper, tips_runner_config *form) {
    form->network.stem = paper->stem;
    form->network.classes = paper->classes;
    form->network.down = form->network.output_stride = form->network.atrous = 0;
    form->network.up = TIPS_UP_AUTO;
    if (paper->form) TIPS_TRY(tips__arch_find(paper->form, &form->arch));
    if (paper->channels) form->network.in_channels = paper->channels;
    if (!paper->width) return TIPS_OK;
    form->network.width = paper->width;
    form->network.backbone = NULL;
    return TIPS_OK;
}

/* Parameters of the network that the paper counted, if we know which it was. */
static tips_status count_paper_form(const tips_runner_config *c, tips_cost_row *row) {
    row->paper_network = tips__paper_network(c->arch, &c->network);
    row->paper = tips__paper_cost(c->arch, &c->network);
    if (!row->paper || row->paper->parameters == 0 || row->paper_network->classes == 0) return TIPS_OK;
    tips_runner_config form = *c;
    TIPS_TRY(make_paper_form(row->paper_network, &form));
    return count_parameters(&form, &row->paper_form);
}

static tips_status time_steps(tips_step_runner *runner, double *seconds) {
    double times[TIMED_STEPS];
    for (int s = -1; s < TIMED_STEPS; s++) {
        tips_step_times parts;
        TIPS_TRY(tips__runner_step(runner, (uint64_t)(s + 1), &parts));
        if (s >= 0) times[s] = parts.forward;
    }
    *seconds = tips__quantile(times, TIMED_STEPS, 0.5) / runner->config.batch;
    return TIPS_OK;
}

/* The arena of one mode, and in inference the time. Too little memory is an answer too, not a failure. */
static tips_status measure(const tips_runner_config *config, bool time, double *arena, double *seconds) {
    tips_step_runner *runner;
    tips_status status = tips__runner_create(config, &runner);
    if (status == TIPS_MEMORY) return TIPS_OK;
    TIPS_TRY(status);
    *arena = (double)tips__net_memory(runner->net).arena;
    if (time) status = time_steps(runner, seconds);
    tips__runner_destroy(runner);
    return status;
}

static tips_status fill_row(const tips_cost_config *config, const tips_model_options *model, tips_cost_row *row,
                            tips_arch_config *network) {
    tips_runner_config c = {.batch = config->batch, .seed = (uint64_t)model->seed};
    TIPS_TRY(tips__model_options_resolve(model, &c.arch, &c.network, &c.task));
    *row = (tips_cost_row){.inference_arena = -1, .training_arena = -1, .seconds_per_image = -1};
    snprintf(row->arch, sizeof row->arch, "%s", c.arch->name);
    if (c.network.backbone) snprintf(row->backbone, sizeof row->backbone, "%s", c.network.backbone->name);
    tips__pool_format(&c.network.pool, row->pool, sizeof row->pool);
    *network = c.network;
    row->stem = c.network.stem;
    row->down = c.network.down;
    TIPS_TRY(count(&c, row));
    TIPS_TRY(count_paper_form(&c, row));
    if (config->memory || config->time)
        TIPS_TRY(measure(&c, config->time, &row->inference_arena, &row->seconds_per_image));
    c.training = true;
    return config->memory ? measure(&c, false, &row->training_arena, &row->seconds_per_image) : TIPS_OK;
}

/* One architecture with each operator. */
static tips_status fill_arch(const tips_cost_config *config, const char *arch, tips_cost_result *result) {
    const char *rest = config->model.pool;
    char pool[NAME_SIZE];
    for (bool more;;) {
        TIPS_TRY(tips__name_list_next(&rest, pool, sizeof pool, &more));
        if (!more) return TIPS_OK;
        tips_model_options model = config->model;
        model.arch = arch;
        model.pool = pool;
        TIPS_TRY(fill_row(config, &model, &result->rows[result->count], &result->network));
        result->count++;
    }
}

static bool is_all(const char *archs) { return strcmp(archs, "all") == 0; }

static int count_archs(const char *archs) {
    int count = 0;
    if (!is_all(archs)) return tips__name_list_count(archs);
    while (tips__archs[count]) count++;
    return count;
}

static void leave_out(const char *arch, tips_cost_result *result) {
    tips_cost_left *left = &result->left[result->n_left++];
    snprintf(left->arch, sizeof left->arch, "%s", arch);
    snprintf(left->why, sizeof left->why, "%s", tips_last_error());
}

/* Those that can be made with these options: a network for masks has no thousand classes. */
static tips_status fill_all(const tips_cost_config *config, tips_cost_result *result) {
    tips_status status = TIPS_OK;
    for (int i = 0; tips__archs[i]; i++) {
        const int before = result->count;
        status = fill_arch(config, tips__archs[i]->name, result);
        if (status == TIPS_MEMORY) return status;
        if (status == TIPS_OK) continue;
        result->count = before;
        leave_out(tips__archs[i]->name, result);
    }
    return result->count > 0 ? TIPS_OK : status;
}

static tips_status fill(const tips_cost_config *config, tips_cost_result *result) {
    const char *rest = config->model.arch;
    char arch[NAME_SIZE];
    if (is_all(rest)) return fill_all(config, result);
    for (bool more;;) {
        TIPS_TRY(tips__name_list_next(&rest, arch, sizeof arch, &more));
        if (!more) return TIPS_OK;
        TIPS_TRY(fill_arch(config, arch, result));
    }
}

static tips_status make(const tips_cost_config *config, tips_cost_result *out) {
    const int archs = count_archs(config->model.arch), rows = archs * tips__name_list_count(config->model.pool);
    tips_cost_result result = {0};
    if (rows == 0) TIPS_FAIL(TIPS_INVALID, "name at least one architecture and one operator");
    TIPS_TRY(tips__new_zero(&result.rows, (size_t)rows * sizeof *result.rows, "the rows of a table"));
    tips_status status = tips__new_zero(&result.left, (size_t)archs * sizeof *result.left, "what is left out");
    if (status == TIPS_OK) status = fill(config, &result);
    if (status == TIPS_OK) *out = result;
    else tips__cost_clear(&result);
    return status;
}

/* Counting is quick and measuring is not: what cannot be made is told before anything is measured. */
tips_status tips__cost(const tips_cost_config *config, tips_cost_result *out) {
    tips_cost_config quick = *config;
    tips_cost_result counted;
    if (config->batch < 1) TIPS_FAIL(TIPS_RANGE, "a batch has at least 1 image");
    tips__threads_use(config->model.threads);
    quick.memory = quick.time = false;
    TIPS_TRY(make(&quick, &counted));
    if (!config->memory && !config->time) {
        *out = counted;
        return TIPS_OK;
    }
    tips__cost_clear(&counted);
    return make(config, out);
}

void tips__cost_clear(tips_cost_result *result) {
    tips__free(result->rows);
    tips__free(result->left);
    memset(result, 0, sizeof *result);
}
