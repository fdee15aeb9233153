/* ONNX files as models: other people's become blueprints, our own exports come back as what they were. */
#include "model/model_parts.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"
#include "model/said_names.h"
#include "onnx/onnx_import.h"
#include "task/foreign_boxes.h"

#include <string.h>

enum { IMAGENET_SIZE = 224, IMAGENET_RESIZE = 256 };

/* They mostly come in the order in which they are asked for: `*place` is where to begin. */
static const tips_imported_tensor *find_imported(const tips_imported *imported, const char *name, int *place) {
    for (int i = 0; i < imported->n_tensors; i++) {
        const int at = (*place + i) % imported->n_tensors;
        if (strcmp(imported->tensors[at].name, name) != 0) continue;
        *place = at + 1;
        return &imported->tensors[at];
    }
    return NULL;
}

static tips_status set_imported(const tips_imported *imported, tips_params *params) {
    for (int i = 0, place = 0; i < params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(params->graph, i);
        const tips_imported_tensor *t = find_imported(imported, spec->name, &place);
        if (!t) TIPS_FAIL(TIPS_FORMAT, "there are no numbers for '%s'", spec->name);
        if (t->elements != tips__param_elements(spec))
            TIPS_FAIL(TIPS_SHAPE, "'%s' has %zu numbers, the network takes %zu", spec->name, t->elements,
                      tips__param_elements(spec));
        TIPS_TRY(tips__param_take(params, i, t->data));
    }
    return TIPS_OK;
}

static int usual_resize(const int size[2]) {
    return size[0] == IMAGENET_SIZE && size[1] == IMAGENET_SIZE ? IMAGENET_RESIZE : 0;
}

/* `other`: a size that is asked for instead of the file's, or NULL. */
static void take_input(const tips_imported *imported, const int other[2], tips_model_info *info) {
    const int *size = other && other[0] > 0 ? other : imported->built_size;
    tips__model_info_init(info);
    info->arch = &tips__arch_graph;
    info->config.blueprint = tips__blueprint_keep(imported->blueprint);
    info->config.in_channels = imported->channels;
    info->stored = imported->stored;
    memcpy(info->config.size, size, sizeof info->config.size);
    tips__input_guess_imagenet(info);
    info->resize = usual_resize(size);
    info->fit_inside = info->resize == 0;
}

/* What goes for the size that the file says, or the usual one where it says none. */
static void note_original(const tips_imported *imported, tips_loaded_model *out) {
    for (int i = 0; i < 2; i++) out->original.size[i] = imported->size[i] > 0 ? imported->size[i] : IMAGENET_SIZE;
    out->original.resize = usual_resize(out->original.size);
}

/* How many classes there are shows when the graph stands. */
static void count_classes(const tips_model *model, tips_model_info *info) {
    info->config.classes = tips__value(model->graph, model->ends.outputs[0])->c;
    info->config.blueprint->classes = info->config.classes;
}

/* What the output looks like, unless somebody says better. */
static tips_status take_task(const tips_imported *imported, const char *said, tips_model_info *info) {
    TIPS_TRY(tips__task_parse(said ? said : imported->is_map ? "segment" : NULL, &info->task));
    if (imported->is_map)
        info->resize = 0, info->fit_inside = false; /* a mask of the whole picture, not of its centre */
    return TIPS_OK;
}

static tips_status load_foreign(const tips_imported *imported, const tips_read_as *as, bool training,
                                tips_loaded_model *out) {
    take_input(imported, as->size, &out->info);
    note_original(imported, out);
    TIPS_TRY(take_task(imported, as->task, &out->info));
    out->lone_channel = imported->lone_channel;
    TIPS_TRY(tips__pool_parse("stride", 0, &out->info.config.pool)); /* for those who ask: nothing of ours is in it */
    out->info.config.classes = imported->blueprint->classes ? imported->blueprint->classes : 1;
    TIPS_TRY(tips__model_create(out->info.arch, &out->info.config, &out->info.task, training, &out->model));
    count_classes(&out->model, &out->info);
    TIPS_TRY(tips__arch_resolve(out->info.arch, &out->info.config));
    TIPS_TRY(tips__params_create_unset(out->model.graph, &out->params));
    return set_imported(imported, out->params);
}

/* As detectors of this style usually take pictures; flags say otherwise. */
static void take_usual_input(const tips_decode_input *usual, tips_model_info *info) {
    for (int i = 0; i < 3; i++) {
        info->mean[i] = usual->mean[i] / 255;
        info->std[i] = (usual->std[i] > 0 ? usual->std[i] : 255) / 255;
    }
    info->mean_from = info->std_from = TIPS_INPUT_STYLE;
    info->bgr = usual->bgr && info->config.in_channels == 3;
    info->resize = 0;
    info->fit_inside = false;
    info->placement = (tips_placement){.pad = usual->grey ? TIPS_PAD_GREY : TIPS_PAD_BLACK,
                                       .place = usual->centre ? TIPS_AT_CENTRE : TIPS_AT_CORNER,
                                       .stretch = usual->stretch};
    for (int i = 0; usual->letterbox && tips__letterbox_names[i]; i++)
        if (strcmp(tips__letterbox_names[i], usual->letterbox) == 0) info->placement.letterbox = i;
    if (!usual->stretch) info->placement.fit[0] = info->placement.fit[1] = TIPS_FIT_INPUT;
}

static tips_status load_detector(const tips_imported *imported, const tips_read_as *as, tips_loaded_model *out) {
    tips_blueprint *b = imported->blueprint;
    tips_model_info *info = &out->info;
    take_input(imported, as->size, info);
    note_original(imported, out);
    TIPS_TRY(tips__task_parse(as->task ? as->task : "detect", &info->task));
    TIPS_TRY(tips__pool_parse("stride", 0, &info->config.pool));
    info->config.classes = b->classes; /* one, until the outputs are known */
    TIPS_TRY(tips__model_create(info->arch, &info->config, &info->task, false, &out->model));
    TIPS_TRY(tips__foreign_settle(b, &out->model, as->boxes));
    TIPS_TRY(tips__arch_resolve(info->arch, &info->config));
    take_usual_input(&b->boxes.style->input, info);
    TIPS_TRY(tips__params_create_unset(out->model.graph, &out->params));
    return set_imported(imported, out->params);
}

static const char *find_metadata(const void *file, const char *key) { return tips__onnx_metadata(file, key); }

void tips__onnx_model_origin(const char *path, tips_model_origin *out) {
    tips_onnx *file;
    if (tips__onnx_open(path, &file) != TIPS_OK) return;
    *out = tips__model_origin_from(&(tips_metadata_source){find_metadata, file});
    tips__onnx_close(file);
}

/* Takes an initialiser by name; *found is false if there is none. */
static tips_status take(const tips_onnx *file, const char *name, tips_params *params, int id, bool *found) {
    const tips_param_spec *spec = tips__graph_param(params->graph, id);
    tips_onnx_floats values;
    *found = false;
    for (int i = 0; i < tips__onnx_initialiser_count(file) && !*found; i++)
        *found = strcmp(tips__onnx_initialiser_name(file, i), name) == 0;
    if (!*found) return TIPS_OK;
    TIPS_TRY(tips__onnx_initialiser(file, name, &values));
    const bool fits = values.elements == tips__param_elements(spec);
    const tips_status status = fits ? tips__param_take(params, id, values.data) : TIPS_OK;
    tips__free(values.data);
    if (!fits) TIPS_FAIL(TIPS_SHAPE, "initialiser '%s' does not fit the network", name);
    return status;
}

static tips_status fill(tips_params *params, int id, float value) {
    const size_t count = tips__param_elements(tips__graph_param(params->graph, id));
    float *values;
    TIPS_TRY(tips__new(&values, count * sizeof *values, "a parameter"));
    for (size_t i = 0; i < count; i++) values[i] = value;
    tips__param_set(params, id, values);
    tips__free(values);
    return TIPS_OK;
}

/* A norm that was folded away: the convolution before it has taken its scale, and its bias is what it adds. */
static tips_status unfold(const tips_onnx *file, const tips_node *norm, tips_params *params) {
    const tips_batch_norm *config = norm->config;
    const double eps = config->eps > 0 ? config->eps : 1e-5;
    const float start[4] = {1, 0, 0, (float)(1 - eps)}; /* scale, shift, mean, variance: the identity */
    const char *bias = tips__graph_param(params->graph, norm->params[1])->name;
    bool found;
    for (int i = 0; i < 4; i++) TIPS_TRY(fill(params, norm->params[i], start[i]));
    TIPS_TRY(take(file, bias, params, norm->params[1], &found));
    if (!found) TIPS_FAIL(TIPS_FORMAT, "there is no initialiser '%s'", bias);
    return TIPS_OK;
}

static tips_status set_own(const tips_onnx *file, const tips_graph *graph, tips_params *params) {
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        bool found = true;
        int taken = 0;
        for (int k = 0; k < node->n_params && found; k++) {
            TIPS_TRY(take(file, tips__graph_param(graph, node->params[k])->name, params, node->params[k], &found));
            taken += found;
        }
        if (found) continue;
        if (node->layer == &tips__layer_conv2d && taken == 1) { /* the norm behind it has taken its bias */
            TIPS_TRY(fill(params, node->params[1], 0));
            continue;
        }
        if (node->layer != &tips__layer_batch_norm)
            TIPS_FAIL(TIPS_FORMAT, "the initialisers of layer '%s' are missing", node->name);
        TIPS_TRY(unfold(file, node, params));
    }
    return TIPS_OK;
}

static tips_status load_own(const tips_onnx *file, bool training, tips_loaded_model *out) {
    TIPS_TRY(tips__model_info_read_from(&(tips_metadata_source){find_metadata, file}, &out->info));
    tips__note_original(out);
    TIPS_TRY(tips__model_create(out->info.arch, &out->info.config, &out->info.task, training, &out->model));
    TIPS_TRY(tips__params_create_unset(out->model.graph, &out->params));
    return set_own(file, out->model.graph, out->params);
}

/* By a style of boxes, or by the task. */
static bool is_detector(const tips_read_as *as) {
    static const char detect[] = "detect";
    const size_t length = as->task ? strcspn(as->task, ":") : 0;
    return as->boxes || (length == sizeof detect - 1 && strncmp(as->task, detect, length) == 0);
}

/* What nobody named is not taken for logits where it looks like boxes. */
static tips_status refuse_detector(const char *path, const tips_imported *imported, const tips_read_as *as) {
    if (!imported->detector[0] || as->task || as->output) return TIPS_OK;
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "%s: it looks like a detector: %s. --boxes auto reads it as one, or --boxes STYLE; --task segment or "
              "--output NAME takes an output for logits all the same",
              path, imported->detector);
}

static tips_status take_names(const tips_imported *imported, tips_model_info *info) {
    return tips__said_names_take(tips__onnx_metadata(imported->file, "names"), info);
}

static tips_status load_any(const char *path, const tips_read_as *as, bool training, tips_loaded_model *out) {
    tips_onnx *file;
    tips_imported imported;
    TIPS_TRY(tips__onnx_open(path, &file));
    if (tips__onnx_metadata(file, "tips.arch")) {
        const tips_status status = load_own(file, training, out);
        tips__onnx_close(file);
        return status;
    }
    if (is_detector(as)) {
        if (as->output) {
            tips__onnx_close(file);
            TIPS_FAIL(TIPS_INVALID, "%s: all outputs of a detector count; leave --output out", path);
        }
        TIPS_TRY(tips__onnx_import_program(file, as->size, &imported));
        tips_status status =
            training
                ? tips__fail(TIPS_UNSUPPORTED, "%s: a detector from elsewhere can be measured, but not trained", path)
                : load_detector(&imported, as, out);
        if (status == TIPS_OK) status = take_names(&imported, &out->info);
        tips__imported_free(&imported);
        return status;
    }
    TIPS_TRY(tips__onnx_import_open(file, as->size, as->output, &imported));
    tips_status status = refuse_detector(path, &imported, as);
    if (status == TIPS_OK) status = load_foreign(&imported, as, training, out);
    if (status == TIPS_OK) status = take_names(&imported, &out->info);
    tips__imported_free(&imported);
    return status;
}

tips_status tips__onnx_model_load(const char *path, const tips_read_as *as, bool training, tips_loaded_model *out) {
    tips_loaded_model loaded = {0};
    const tips_status status = load_any(path, as, training, &loaded);
    if (status == TIPS_OK) *out = loaded;
    else tips__loaded_model_destroy(&loaded);
    return status;
}
