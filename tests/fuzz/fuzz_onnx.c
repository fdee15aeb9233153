/* ONNX files of any bytes: opened, looked through, read as a network, and run. */
#include "model/model_parts.h"
#include "onnx/onnx_import.h"
#include "run_model.h"

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

/* The program behind it runs on maps of zeros, whatever it makes of them. */
static void run_program(const tips_imported *imported) {
    enum { MOST_OUTPUTS = 64, MOST_ELEMENTS = 1 << 16, MOST_NODES = 64 };
    static const float zeros[MOST_ELEMENTS];
    const tips_program *program = imported->blueprint->program;
    const float *maps[TIPS_BLUEPRINT_OUTPUTS];
    tips_array outputs[MOST_OUTPUTS];
    const int count = tips__program_output_count(program);
    if (count > MOST_OUTPUTS || tips__program_node_count(program) > MOST_NODES) return;
    if (tips__program_reads(program) > MOST_ELEMENTS) return;
    for (int i = 0; i < TIPS_BLUEPRINT_OUTPUTS; i++) maps[i] = zeros;
    if (tips__program_run(program, maps, outputs) != TIPS_OK) return;
    for (int i = 0; i < count; i++) tips__array_free(&outputs[i]);
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
        build(&imported);
        run_program(&imported);
        tips__imported_free(&imported);
    }
    if (tips__onnx_model_load(path, &(tips_read_as){.size = hint}, false, &loaded) == TIPS_OK) fuzz_run(&loaded);
    return 0;
}
