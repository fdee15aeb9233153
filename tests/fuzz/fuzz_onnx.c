/* ONNX files of any bytes: opened, looked through, read as a network, and run. */
#include "onnx/onnx_import.h"
#include "model/model_parts.h"
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
    if (tips__onnx_model_load(path, &(tips_read_as){.size = hint}, false, &loaded) == TIPS_OK) fuzz_run(&loaded);
    return 0;
}
