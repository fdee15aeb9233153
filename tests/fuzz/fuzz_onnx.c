/* ONNX files of any bytes: opened, looked through, read as a network, and run. */
#include "model/model_parts.h"
#include "onnx/onnx_import.h"
#include "run_model.h"
#include "task/detect_score.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_through(const tips_onnx *file) {
    for (int i = 0; i < tips__onnx_metadata_count(file); i++) {
        const char *key, *value;
        tips__onnx_metadata_at(file, i, &key, &value);
        tips__onnx_metadata(file, key);
    }
    for (int i = 0; i < tips__onnx_initialiser_count(file); i++) {
        tips_onnx_floats floats;
        if (tips__onnx_initialiser(file, tips__onnx_initialiser_name(file, i), &floats) == TIPS_OK)
            tips__free(floats.data);
    }
}

/* What was read can be built again at the same size. */
static void build(const tips_imported *imported) {
    tips_graph *graph;
    if (tips__graph_create(&graph) != TIPS_OK) return;
    const tips_value input =
        tips__graph_input(graph, "input", imported->channels, imported->built_size[0], imported->built_size[1]);
    tips__blueprint_build(graph, imported->blueprint, input, NULL);
    if (tips__graph_status(graph) != TIPS_OK) abort();
    tips__graph_destroy(graph);
}

enum { MOST_OUTPUTS = 64, MOST_ELEMENTS = 1 << 16, MOST_NODES = 64 };
static const float zeros[MOST_ELEMENTS];

static bool is_small(const tips_program *program) {
    return tips__program_output_count(program) <= MOST_OUTPUTS && tips__program_node_count(program) <= MOST_NODES &&
           tips__program_reads(program) <= MOST_ELEMENTS;
}

/* The program behind it runs on maps of zeros, whatever it makes of them. */
static void run_program(const tips_program *program) {
    const float *maps[TIPS_BLUEPRINT_OUTPUTS];
    tips_array outputs[MOST_OUTPUTS];
    for (int i = 0; i < TIPS_BLUEPRINT_OUTPUTS; i++) maps[i] = zeros;
    if (tips__program_run(program, maps, outputs) != TIPS_OK) return;
    for (int i = 0; i < tips__program_output_count(program); i++) tips__array_free(&outputs[i]);
}

/* As a detector of whatever style its outputs look like: boxes that come out have classes that there are. */
static void find_boxes(const char *path, const int hint[2]) {
    tips_loaded_model m;
    tips_bytes answer = {0};
    tips_outputs outputs = {.n = 1};
    bool fits = true;
    if (tips__onnx_model_load(path, &(tips_read_as){.size = hint, .boxes = "auto"}, false, &m) != TIPS_OK) return;
    outputs.count = m.model.ends.n_outputs;
    for (int i = 0; i < outputs.count; i++) {
        const tips_value_info *info = tips__value(m.model.graph, m.model.ends.outputs[i]);
        outputs.values[i] = zeros;
        outputs.floats[i] = (size_t)info->c * (size_t)info->h * (size_t)info->w;
        fits = fits && outputs.floats[i] <= MOST_ELEMENTS;
    }
    const tips_assignment *a = &m.model.assignment;
    if (fits && a->spec.task->answer(a, &outputs, 0, &answer) == TIPS_OK)
        for (int i = 0; i < tips__detections_in(&answer); i++)
            if (tips__detections(&answer)[i].label < 0 || tips__detections(&answer)[i].label >= a->classes) abort();
    tips__bytes_clear(&answer);
    tips__loaded_model_destroy(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    const int hint[2] = {32, 32};
    tips_loaded_model loaded;
    tips_onnx *file;
    tips_imported imported;
    if (tips__onnx_open(path, &file) != TIPS_OK) return 0;
    look_through(file);
    tips__onnx_close(file);
    if (tips__onnx_import(path, hint, &imported) == TIPS_OK) {
        build(&imported);
        tips__imported_free(&imported);
    }
    if (tips__onnx_open(path, &file) == TIPS_OK && tips__onnx_import_program(file, hint, &imported) == TIPS_OK) {
        const bool runs = is_small(imported.blueprint->program);
        build(&imported);
        if (runs) run_program(imported.blueprint->program);
        tips__imported_free(&imported);
        if (runs) find_boxes(path, hint);
    }
    if (tips__onnx_model_load(path, &(tips_read_as){.size = hint}, false, &loaded) == TIPS_OK) fuzz_run(&loaded);
    return 0;
}
