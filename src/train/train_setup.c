/* From data and options to a network that fits the data. */
#include "train/train_parts.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "layer/layers.h"
#include "model/open_model.h"
#include "optimizer/average.h"
#include "task/data_classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MEASURED = 1000, USUAL_SIZE = 224 };

static int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/* The pictures' size, padded until every downsampling layer divides it. */
static tips_status choose_size(const tips_model_options *options, const int picture[2], int size[2]) {
    tips_model_options o = *options;
    const tips_arch *arch;
    tips_arch_config c;
    tips_task_spec task;
    memcpy(o.size, picture, sizeof o.size);
    TIPS_TRY(tips__model_options_resolve(&o, &arch, &c, &task));
    const int multiple = tips__pool_traits(&c.pool) & TIPS_POOL_IDENTITY ? 1 : 1 << c.down;
    for (int i = 0; i < 2; i++) size[i] = round_up(picture[i], multiple);
    return TIPS_OK;
}

static tips_status resolve_network(train_setup *s, const int picture[2], bool fixed) {
    tips_model_options o = s->config->model;
    o.channels = tips__dataset_channels(s->set);
    TIPS_TRY(tips__model_options_task(&o, &s->info.task));
    o.classes = tips__task_data_classes(s->info.task.task, s->set);
    o.blueprint = s->info.config.blueprint;
    if (o.size[0] == 0 && fixed) TIPS_TRY(choose_size(&o, picture, o.size));
    else if (o.size[0] == 0) o.size[0] = o.size[1] = USUAL_SIZE;
    return tips__model_options_resolve(&o, &s->info.arch, &s->info.config, &s->info.task);
}

static bool is_little_larger(const int size[2], const int picture[2]) {
    for (int i = 0; i < 2; i++)
        if (size[i] < picture[i] || 2 * size[i] >= 3 * picture[i]) return false;
    return true;
}

static tips_status keep_names(train_setup *s) {
    const int classes = s->info.config.classes;
    const char **names;
    TIPS_TRY(tips__new(&names, (size_t)classes * sizeof *names, "names of classes"));
    for (int i = 0; i < classes; i++) names[i] = tips__task_data_class_name(s->info.task.task, s->set, i);
    const tips_status status = tips__model_info_set_classes(&s->info, names, classes);
    tips__free(names);
    return status;
}

typedef struct moments {
    double mean[3], square[3];
    int count;
} moments;

/* Every picture counts the same, whatever its size. */
static void add_picture(moments *m, const tips_image *image) {
    const size_t pixels = (size_t)image->h * (size_t)image->w;
    for (int c = 0; c < 3; c++) {
        const uint8_t *at = image->pixels + (c < image->c ? c : 0);
        uint64_t sum = 0, square = 0;
        for (size_t i = 0; i < pixels; i++) {
            const uint64_t value = at[i * (size_t)image->c];
            sum += value;
            square += value * value;
        }
        m->mean[c] += (double)sum / 255 / (double)pixels;
        m->square[c] += (double)square / (255.0 * 255) / (double)pixels;
    }
    m->count++;
}

static tips_status measure(train_setup *s) {
    const int count = tips__dataset_count(s->set, TIPS_SPLIT_TRAIN),
              most = count < MOST_MEASURED ? count : MOST_MEASURED;
    moments m = {0};
    for (int i = 0; i < most; i++) {
        tips_image image;
        int label;
        const int index = (int)((int64_t)i * count / most);
        const tips_status status = tips__dataset_read(s->set, TIPS_SPLIT_TRAIN, index, &image, &label);
        if (status != TIPS_OK && s->config->on_bad_image == TIPS_BAD_SKIP) continue;
        TIPS_TRY(status);
        add_picture(&m, &image);
        tips__image_free(&image);
    }
    if (m.count == 0) TIPS_FAIL(TIPS_INVALID, "there are no training pictures that can be read");
    for (int c = 0; c < 3; c++) {
        const double mean = m.mean[c] / m.count;
        s->info.mean[c] = (float)mean;
        s->info.std[c] = (float)sqrt(fmax(m.square[c] / m.count - mean * mean, 1e-4));
    }
    s->info.mean_from = s->info.std_from = TIPS_INPUT_MEASURED;
    return TIPS_OK;
}

/* What options say counts over the model to start from, and that over what is measured. */
static tips_status choose_normalisation(const tips_model_info *from, train_setup *s) {
    if (from) tips__input_take(from, &s->info);
    else if (!tips__input_says_all(&s->config->input)) TIPS_TRY(measure(s));
    return tips__input_describe_normal(&s->config->input, &s->info);
}

/* A network that came from elsewhere, with the classes of the data. */
static tips_status take_blueprint(const tips_model_info *from, train_setup *s) {
    if (strcmp(s->config->model.arch, tips__arch_graph.name) != 0) return TIPS_OK;
    if (!from) TIPS_FAIL(TIPS_INVALID, "the architecture 'graph' is that of a model file: say which with --init MODEL");
    if (!from->config.blueprint)
        TIPS_FAIL(TIPS_INVALID, "%s is a %s, not a network from elsewhere", s->config->init, from->arch->name);
    TIPS_TRY(tips__blueprint_copy(from->config.blueprint, &s->info.config.blueprint));
    tips__blueprint_skip_softmax(s->info.config.blueprint);
    return tips__blueprint_set_classes(s->info.config.blueprint, tips__task_data_classes(from->task.task, s->set));
}

/* With one class there is nothing to learn, and every network is right. */
static tips_status check_classes(const train_setup *s) {
    const int classes = tips__dataset_classes(s->set);
    if (classes > 1 || !(s->info.task.task->flags & TIPS_TASK_LOGITS)) return TIPS_OK;
    TIPS_FAIL(TIPS_INVALID,
              "%s has one class, '%s': there is nothing to tell apart, and any network is right; give at least two",
              tips__dataset_path(s->set), classes == 1 ? tips__dataset_class_name(s->set, 0) : "");
}

/* `from`: what the model to start from says, or NULL. */
static tips_status shape(const tips_model_info *from, train_setup *s) {
    int picture[2] = {0, 0};
    TIPS_TRY(take_blueprint(from, s));
    const bool fixed = tips__dataset_size(s->set, &picture[0], &picture[1]);
    TIPS_TRY(resolve_network(s, picture, fixed));
    TIPS_TRY(tips__dataset_require(s->set, s->info.task.task->needs));
    TIPS_TRY(check_classes(s));
    TIPS_TRY(keep_names(s));
    if (s->info.task.task->needs & TIPS_ANNOTATES_MASK) s->info.class_colours = *tips__dataset_mask_colours(s->set);
    TIPS_TRY(tips__placement_check(&s->config->placement, s->config->resize));
    s->info.resize = s->config->resize;
    s->info.placement = s->config->placement;
    s->info.fit_inside = fixed && s->info.resize == 0 && is_little_larger(s->info.config.size, picture);
    const char *data = s->config->data && *s->config->data ? s->config->data : tips__dataset_path(s->set);
    snprintf(s->info.dataset, sizeof s->info.dataset, "%s", data ? data : tips__dataset_format(s->set));
    TIPS_TRY(choose_normalisation(from, s));
    s->preprocess = tips__model_preprocess(&s->info);
    return TIPS_OK;
}

tips_status tips__train_shape(train_setup *s) {
    if (!s->start) return shape(NULL, s);
    TIPS_TRY(tips__train_start_check(s->start, &s->config->model));
    return shape(&s->start->model.info, s);
}

/* --smoothing is an option of tasks that have classes to spread a target over. It ends with the training. */
static tips_status smooth(double smoothing, tips_task_spec *spec) {
    char text[TIPS_NUMBER_SIZE];
    tips_option row;
    if (smoothing == 0) return TIPS_OK;
    if (!tips__option_find(spec->task->options, "smoothing", &row))
        TIPS_FAIL(TIPS_INVALID, "--smoothing: the task '%s' has no labels to smooth", spec->task->name);
    tips__number_format(smoothing, text, sizeof text);
    return tips__option_set(&row, &spec->config, text, "--smoothing");
}

/* Pictures made of two have the targets of both. It ends with the training, too. */
static tips_status mix(const tips_mixing *mixing, tips_task_spec *spec) {
    tips_option row;
    if (!tips__mixing_is_on(mixing)) return TIPS_OK;
    if (!spec->task->put_mixed || !tips__option_find(spec->task->options, "mixed", &row))
        TIPS_FAIL(TIPS_INVALID, "--mixup, --cutmix: the targets of the task '%s' cannot be mixed", spec->task->name);
    return tips__option_set(&row, &spec->config, "true", "--mixup");
}

/* A classifier of another number of classes starts anew. */
static tips_status load_weights_of(train_setup *s, const char *path) {
    tips_weights_report report;
    return tips__weights_load(path, s->params, TIPS_CLASSIFIER_IF_IT_FITS, &report);
}

/* Whether a parameter stays as it is. */
static bool stays(const train_setup *s, int i) {
    if (s->config->head_only) return i < s->model.backbone_params;
    return !tips__param_is_operators(tips__graph_param(s->model.graph, i)->name);
}

static tips_status check_freezing(const train_setup *s) {
    if (s->config->freeze && s->config->head_only)
        TIPS_FAIL(TIPS_INVALID, "--freeze trains the operators alone, --head-only the head alone: give one of them");
    if (s->config->head_only && s->info.config.blueprint)
        TIPS_FAIL(TIPS_INVALID, "--head-only: what is the head of a network from elsewhere is not known");
    return TIPS_OK;
}

/* Norms use the running statistics that they came with. */
static tips_status freeze(train_setup *s) {
    int left = 0;
    TIPS_TRY(check_freezing(s));
    for (int i = 0; i < s->params->count; i++) {
        if (stays(s, i)) TIPS_TRY(tips__params_freeze(s->params, i));
        left += !stays(s, i) && s->params->diff[i] != NULL;
    }
    if (left == 0 && s->config->freeze)
        TIPS_FAIL(TIPS_INVALID, "--freeze leaves nothing to train: the operator %s has no parameters",
                  s->info.config.pool.pool->layer.name);
    if (left == 0) TIPS_FAIL(TIPS_INVALID, "--head-only leaves nothing to train: the head has no parameters");
    return TIPS_OK;
}

/* Views that are all the same teach nothing. */
static tips_status check_views(const train_setup *s) {
    const tips_task *task = s->info.task.task;
    if (task->views < 2 || tips__augment_tells_views_apart(&s->config->augment)) return TIPS_OK;
    TIPS_FAIL(TIPS_INVALID,
              "--task %s compares views of a picture, and they would all be the same: give --shift both, or --views "
              "apart with --flip, --crop or --scale",
              task->name);
}

tips_status tips__train_build(train_setup *s, bool load_weights) {
    const uint64_t seed = (uint64_t)s->config->model.seed;
    tips_task_spec task = s->info.task;
    TIPS_TRY(check_views(s));
    TIPS_TRY(smooth(s->config->smoothing, &task));
    TIPS_TRY(mix(&s->config->mixing, &task));
    TIPS_TRY(tips__model_create(s->info.arch, &s->info.config, &task, true, &s->model));
    if (s->config->teacher) TIPS_TRY(tips__model_teach(&s->model, s->config->teaching, s->config->temperature));
    TIPS_TRY(tips__params_create(s->model.graph, seed, &s->params));
    TIPS_TRY(tips__optimizer_prepare(s->optimizer.optimizer, s->params));
    if (s->config->ema > 0) TIPS_TRY(tips__average_prepare(s->optimizer.optimizer, s->params));
    if (s->config->freeze || s->config->head_only) TIPS_TRY(freeze(s));
    if (load_weights && s->start) TIPS_TRY(tips__train_start_weights(s->start, s->params));
    return load_weights && s->config->weights ? load_weights_of(s, s->config->weights) : TIPS_OK;
}
