/* ONNX files: opened, unpacked and checked. What they say is not trusted: nesting, memory, names, order, types and
 * sizes are checked before anything is done with them. */
#ifndef TIPS_ONNX_ONNX_FILE_H
#define TIPS_ONNX_ONNX_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

enum { TIPS_ONNX_MAX_DIMS = 8 };

typedef struct tips_onnx tips_onnx;

tips_status tips__onnx_open(const char *path, tips_onnx **out) TIPS_MUST_CHECK;
void tips__onnx_close(tips_onnx *file);

/* The value of a key of metadata_props, NULL if absent. */
const char *tips__onnx_metadata(const tips_onnx *file, const char *key);
int tips__onnx_metadata_count(const tips_onnx *file);
void tips__onnx_metadata_at(const tips_onnx *file, int i, const char **key, const char **value);

/* An initialiser by its name, as floats in its plain order; *data is freed by tips__free. */
typedef struct tips_onnx_floats {
    int n_dims;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    size_t elements;
    float *data; /* (dims) */
} tips_onnx_floats;
tips_status tips__onnx_initialiser(const tips_onnx *file, const char *name, tips_onnx_floats *out) TIPS_MUST_CHECK;
/* The floating-point type that most numbers of its initialisers have ("float16"); NULL: float32. */
const char *tips__onnx_stored_type(const tips_onnx *file);
int tips__onnx_initialiser_count(const tips_onnx *file);
const char *tips__onnx_initialiser_name(const tips_onnx *file, int i);

#endif
