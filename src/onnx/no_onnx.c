/* Stands in for the ONNX reader where it was not built. */
#include "onnx/onnx_import.h"

#include "core/fail.h"

#ifndef TIPS_HAVE_ONNX

static tips_status refuse(const char *path) {
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "%s: this program was built without ONNX; it needs protoc-c, libprotobuf-c and onnx.proto "
              "(Debian: libonnx-dev protobuf-c-compiler libprotobuf-c-dev)",
              path);
}

tips_status tips__onnx_open(const char *path, tips_onnx **out) {
    (void)out;
    return refuse(path);
}

tips_status tips__onnx_import(const char *path, const int size_hint[2], tips_imported *out) {
    (void)size_hint, (void)out;
    return refuse(path);
}

tips_status tips__onnx_import_open(tips_onnx *file, const int size_hint[2], const char *output, tips_imported *out) {
    (void)file, (void)size_hint, (void)output, (void)out;
    return refuse("an ONNX file");
}

tips_status tips__onnx_import_program(tips_onnx *file, const int size_hint[2], tips_imported *out) {
    return tips__onnx_import_open(file, size_hint, NULL, out);
}

tips_status tips__onnx_initialiser(const tips_onnx *file, const char *name, tips_onnx_floats *out) {
    (void)file, (void)out;
    return refuse(name);
}

void tips__onnx_close(tips_onnx *file) { (void)file; }
void tips__imported_free(tips_imported *imported) { (void)imported; }

const char *tips__onnx_metadata(const tips_onnx *file, const char *key) {
    (void)file, (void)key;
    return NULL;
}

int tips__onnx_metadata_count(const tips_onnx *file) {
    (void)file;
    return 0;
}

void tips__onnx_metadata_at(const tips_onnx *file, int i, const char **key, const char **value) {
    (void)file, (void)i;
    *key = *value = "";
}

int tips__onnx_initialiser_count(const tips_onnx *file) {
    (void)file;
    return 0;
}

const char *tips__onnx_initialiser_name(const tips_onnx *file, int i) {
    (void)file, (void)i;
    return "";
}

#endif
