/* ScatterND on constants, as assignments to parts of a tensor are written: masks of windows. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <string.h>

/* What one index names: so many elements of the data. */
typedef struct target {
    int depth;    /* numbers of an index */
    size_t count; /* elements that it stands for */
} target;

static tips_status find_target(const onnx_tensor *data, const onnx_tensor *indices, const onnx_tensor *updates,
                               target *out) {
    const int last = indices->n_dims - 1;
    if (!indices->ints || last < 0 || indices->dims[last] < 1 || indices->dims[last] > data->n_dims)
        TIPS_FAIL(TIPS_FORMAT, "its indices do not fit a tensor of %d dimensions", data->n_dims);
    *out = (target){.depth = (int)indices->dims[last], .count = 1};
    for (int i = out->depth; i < data->n_dims; i++) out->count *= (size_t)data->dims[i];
    if (!data->floats != !updates->floats || updates->elements != indices->elements / (size_t)out->depth * out->count)
        TIPS_FAIL(TIPS_FORMAT, "its updates do not fit its indices");
    return TIPS_OK;
}

static tips_status place_of(const onnx_tensor *data, const int64_t *index, target of, size_t *out) {
    size_t place = 0;
    for (int i = 0; i < of.depth; i++) {
        const int64_t at = index[i] < 0 ? index[i] + data->dims[i] : index[i];
        if (at < 0 || at >= data->dims[i])
            TIPS_FAIL(TIPS_FORMAT, "its index %lld is out of range", (long long)index[i]);
        place = place * (size_t)data->dims[i] + (size_t)at;
    }
    *out = place * of.count;
    return TIPS_OK;
}

static tips_status scatter(const onnx_tensor *indices, const onnx_tensor *updates, target of, onnx_tensor *out) {
    for (size_t i = 0; i < indices->elements / (size_t)of.depth; i++) {
        size_t place = 0;
        TIPS_TRY(place_of(out, indices->ints + i * (size_t)of.depth, of, &place));
        for (size_t k = 0; k < of.count; k++) tips__onnx_fold_move(out, place + k, updates, i * of.count + k);
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_scatter_nd(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *data, *indices, *updates;
    char reduction[8] = "none";
    target of = {0};
    TIPS_TRY(tips__onnx_fold_in(im, 0, &data));
    TIPS_TRY(tips__onnx_fold_in(im, 1, &indices));
    TIPS_TRY(tips__onnx_fold_in(im, 2, &updates));
    TIPS_TRY(tips__onnx_text(im->node->proto, "reduction", reduction, sizeof reduction));
    if (strcmp(reduction, "none") != 0) TIPS_FAIL(TIPS_UNSUPPORTED, "the reduction '%s' is not supported", reduction);
    TIPS_TRY(find_target(data, indices, updates, &of));
    TIPS_TRY(tips__onnx_fold_copy(im, data, data->n_dims, data->dims, out));
    const tips_status status = scatter(indices, updates, of, out);
    if (status != TIPS_OK) tips__onnx_tensor_free(out);
    return status;
}
