/* Safetensors files of any bytes: opened, looked through, read, and run if they are a model of ours. */
#include "run_model.h"

#include "exchange/foreign_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ELEMENTS = 1 << 16 };

static void look_through(const tips_safetensors *file) {
    static float numbers[MOST_ELEMENTS];
    for (int i = 0; i < tips__safetensors_count(file); i++) {
        const tips_tensor_entry *entry = tips__safetensors_entry(file, i);
        const size_t elements = tips__tensor_elements(entry);
        if (tips__safetensors_find(file, entry->name) != i) abort();
        if (elements > MOST_ELEMENTS) continue;
        const tips_status status = tips__safetensors_read(file, i, numbers, elements);
        if (status != TIPS_OK && status != TIPS_UNSUPPORTED) abort();
    }
    for (int i = 0; i < tips__safetensors_metadata_count(file); i++) {
        const char *key, *value;
        tips__safetensors_metadata_at(file, i, &key, &value);
        if (tips__safetensors_metadata(file, key) != value) abort();
    }
    tips_model_info info;
    if (tips__model_is_ours(file) && tips__model_info_read(file, &info) == TIPS_OK) tips__model_info_clear(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    tips_loaded_model loaded;
    tips_safetensors *file;
    const tips_status foreign = tips__refuse_foreign_model(path);
    if (tips__safetensors_open(path, &file) != TIPS_OK) return 0;
    if (foreign != TIPS_OK) abort();
    look_through(file);
    tips__safetensors_close(file);
    if (tips__model_load(path, false, &loaded) == TIPS_OK) fuzz_run(&loaded);
    return 0;
}
