/* model_maps MODEL IN.npy OUT.npy [OUTPUT]: the logits (n, classes, h, w) of a network that segments, from any file
 * that holds a model, for inputs (n, c, h, w); OUTPUT names one of an ONNX file's. Used by scripts. */
#include "exchange/npy.h"
#include "model/open_logits.h"
#include "support/run_model.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>

static tips_status run(const tips_loaded_model *m, const tips_npy *in, const char *to) {
    const tips_value_info *y = tips__value(m->model.graph, m->model.ends.outputs[0]);
    const int64_t dims[] = {in->dims[0], y->c, y->h, y->w};
    float *logits;
    TIPS_TRY(tips__new(&logits, (size_t)dims[0] * (size_t)y->c * (size_t)y->h * (size_t)y->w * sizeof *logits, "maps"));
    tips_status status = run_model(&m->model, m->params, in->data, (int)dims[0], logits);
    if (status == TIPS_OK) status = tips__npy_write(to, 4, dims, logits);
    tips__free(logits);
    return status;
}

int main(int argc, char **argv) {
    tips_loaded_model m;
    tips_npy in;
    if (argc < 4) return 2;
    tips_status status = tips__npy_read(argv[2], &in);
    if (status == TIPS_OK) {
        const int size[2] = {(int)in.dims[2], (int)in.dims[3]};
        status = tips__open_logits_as(
            argv[1], &(tips_read_as){.size = size, .output = argc > 4 ? argv[4] : NULL, .task = "segment"}, &m);
        if (status == TIPS_OK) {
            status = run(&m, &in, argv[3]);
            tips__loaded_model_destroy(&m);
        }
        tips__npy_free(&in);
    }
    if (status == TIPS_OK) return 0;
    fprintf(stderr, "model_maps: %s\n", tips_last_error());
    return 1;
}
