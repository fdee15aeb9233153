/* Building or reading a network, with a random batch, and one step of it. */
#include "bench/step_runner.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/timing.h"
#include "model/open_logits.h"
#include "optimizer/optimizer.h"
#include "task/random_target.h"

const char *const tips__engine_names[] = {"dnnl", "ref", NULL};
const char *const tips__algorithm_names[] = {"auto", "exact", "fast", NULL};

/* Streams of the generator. */
enum { IMAGE_STREAM = 1, TARGET_STREAM = 2 };

static const tips_optimizer_spec sgd = {.optimizer = &tips__optimizer_sgd};
static const tips_learning paper_learning = {.lr = 0.05, .momentum = 0.9, .weight_decay = 1e-4};
static const tips_loss_weights paper_weights = {.task = 0.65, .undo = 0.35, .fm = 1};

static size_t image_floats(const tips_runner_config *c) {
    return (size_t)c->batch * (size_t)c->network.in_channels * (size_t)c->network.size[0] * (size_t)c->network.size[1];
}

static tips_status make_batch(tips_step_runner *r) {
    const tips_runner_config *c = &r->config;
    const size_t floats = image_floats(c);
    TIPS_TRY(tips__new(&r->images, floats * sizeof *r->images, "a batch of images"));
    TIPS_TRY(tips__new_zero(&r->targets, (size_t)c->batch * sizeof *r->targets, "targets"));
    const tips_rng images = {c->seed, IMAGE_STREAM}, targets = {c->seed, TARGET_STREAM};
    for (size_t i = 0; i < floats; i++) r->images[i] = (float)tips__rng_normal(images, i);
    for (int n = 0; n < c->batch && c->training; n++)
        TIPS_TRY(tips__random_target(&r->loaded.model.assignment, targets, n, &r->targets[n]));
    return TIPS_OK;
}

static tips_status compile(tips_step_runner *r) {
    const tips_runner_config *c = &r->config;
    const tips_task *task = r->loaded.model.assignment.spec.task;
    const tips_net_options options = {.n = c->batch,
                                      .pass = c->training ? tips__task_training(task) : tips__pass_evaluation,
                                      .no_replay = c->keep,
                                      .algorithm = c->algorithm,
                                      .seed = c->seed};
    TIPS_TRY(tips__net_compile(r->loaded.model.graph, r->loaded.params, &options, &r->net));
    tips__net_set_weights(r->net, paper_weights);
    return TIPS_OK;
}

static tips_status prepare_ref(tips_step_runner *r) {
    const tips_runner_config *c = &r->config;
    const size_t floats = image_floats(c);
    double *images;
    TIPS_TRY(tips__ref_create(r->loaded.model.graph, r->loaded.params, c->batch, tips__pass_evaluation, c->seed,
                              &r->ref));
    TIPS_TRY(tips__new(&images, floats * sizeof *images, "a batch of images"));
    for (size_t i = 0; i < floats; i++) images[i] = r->images[i];
    const tips_status status = tips__ref_set_map(r->ref, r->loaded.model.ends.input, images);
    tips__free(images);
    return status;
}

static tips_status draw_weights(tips_step_runner *r) {
    const tips_runner_config *c = &r->config;
    TIPS_TRY(tips__model_create(c->arch, &c->network, &c->task, c->training, &r->loaded.model));
    return tips__params_create(r->loaded.model.graph, c->seed, &r->loaded.params);
}

static tips_status read_file(tips_step_runner *r) {
    tips_runner_config *c = &r->config;
    const tips_model_info *info = &r->loaded.info;
    TIPS_TRY(tips__open_logits(c->file, c->network.size, &r->loaded));
    c->arch = info->arch;
    c->network = info->config;
    c->task = info->task;
    if (!c->training) return TIPS_OK;
    const tips_status status = tips__loaded_model_rebuild(&r->loaded, c->network.size, true);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, c->file);
}

static tips_status build(tips_step_runner *r) {
    const tips_runner_config *c = &r->config;
    TIPS_TRY(c->file ? read_file(r) : draw_weights(r));
    if (c->training) TIPS_TRY(tips__optimizer_prepare(sgd.optimizer, r->loaded.params));
    TIPS_TRY(make_batch(r));
    return c->engine == TIPS_ENGINE_REF ? prepare_ref(r) : compile(r);
}

tips_status tips__runner_create(const tips_runner_config *config, tips_step_runner **out) {
    if (config->engine == TIPS_ENGINE_REF && config->training)
        TIPS_FAIL(TIPS_INVALID, "the ref engine runs forward only; it takes mode infer");
    tips_step_runner *r;
    TIPS_TRY(tips__new_zero(&r, sizeof *r, "a network to run"));
    r->config = *config;
    const tips_status status = build(r);
    if (status != TIPS_OK) {
        tips__runner_destroy(r);
        return status;
    }
    *out = r;
    return TIPS_OK;
}

void tips__runner_destroy(tips_step_runner *r) {
    if (!r) return;
    tips__net_destroy(r->net);
    tips__ref_destroy(r->ref);
    tips__loaded_model_destroy(&r->loaded);
    tips__free(r->images);
    for (int i = 0; r->targets && i < r->config.batch; i++) tips__bytes_clear(&r->targets[i]);
    tips__free(r->targets);
    tips__bytes_clear(&r->room);
    tips__free(r);
}

/* Seconds since `*since`, which moves to now. */
static double lap(double *since) {
    const double before = *since;
    *since = tips__now();
    return *since - before;
}

static tips_status put_batch(tips_step_runner *r) {
    TIPS_TRY(tips__net_set_map(r->net, r->loaded.model.ends.input, r->images));
    if (!r->config.training) return TIPS_OK;
    const tips_assignment *a = &r->loaded.model.assignment;
    return a->spec.task->put(a, r->net, &r->loaded.model.ends, r->targets, r->config.batch, &r->room);
}

static tips_status run_parts(tips_step_runner *r, tips_step_times *times) {
    double since = tips__now();
    if (r->ref) {
        TIPS_TRY(tips__ref_forward(r->ref));
        times->forward = lap(&since);
        return TIPS_OK;
    }
    TIPS_TRY(put_batch(r));
    times->input = lap(&since);
    TIPS_TRY(tips__net_forward(r->net));
    times->forward = lap(&since);
    if (!r->config.training) return TIPS_OK;
    TIPS_TRY(tips__net_backward(r->net));
    times->backward = lap(&since);
    tips__optimizer_step(&sgd, r->loaded.params, &paper_learning);
    times->update = lap(&since);
    return TIPS_OK;
}

tips_status tips__runner_step(tips_step_runner *r, uint64_t step, tips_step_times *times) {
    tips_step_times parts = {0};
    if (r->net) tips__net_set_step(r->net, step);
    TIPS_TRY(run_parts(r, &parts));
    if (times) *times = parts;
    return TIPS_OK;
}
