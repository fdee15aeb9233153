/* Inputs of tips predict: pictures, .npy arrays, folders of frames. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "exchange/npy.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_array(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

static tips_status push_image(predictor *p, const char *path, tips_image *picture, float *input) {
    predict_item item = {.name = path, .path = path, .entry = -1};
    p->result.input = tips__model_input(&p->model.info);
    TIPS_TRY(tips__preprocess(&p->model.preprocess, picture, 0, 0, false, input));
    if (p->kind->pictures) {
        item.picture = *picture;
        *picture = (tips_image){0};
    }
    return tips__predictor_push(p, item, input);
}

static tips_status push_picture(predictor *p, const char *path) {
    tips_image picture;
    float *input;
    TIPS_TRY(tips__new(&input, p->elements * sizeof *input, "an input"));
    tips_status status = tips__image_read(path, &picture);
    if (status == TIPS_OK) {
        status = push_image(p, path, &picture, input);
        tips__image_free(&picture);
    }
    tips__free(input);
    return status;
}

static tips_status refuse_shape(const predictor *p, const char *path, const tips_npy *array) {
    char given[128] = "";
    size_t length = 0;
    for (int i = 0; i < array->n_dims && length < sizeof given; i++)
        length +=
            (size_t)snprintf(given + length, sizeof given - length, i ? ", %lld" : "%lld", (long long)array->dims[i]);
    TIPS_FAIL(TIPS_SHAPE, "%s: is of shape (%s); the network takes arrays of shape (n, %d, %d, %d)", path, given,
              p->model.preprocess.channels, p->model.preprocess.height, p->model.preprocess.width);
}

/* Layers may swallow a number that is none, and answer as if nothing were wrong. */
static tips_status check_finite(const predictor *p, const char *name, const float *input) {
    for (size_t i = 0; i < p->elements; i++)
        if (!isfinite(input[i])) TIPS_FAIL(TIPS_NUMERIC, "%s: holds values that are not finite numbers", name);
    return TIPS_OK;
}

static tips_status check_shape(const predictor *p, const char *path, const tips_npy *array) {
    const int64_t wanted[3] = {p->model.preprocess.channels, p->model.preprocess.height, p->model.preprocess.width};
    const int64_t *dims = array->dims + (array->n_dims == 4);
    const bool fits = (array->n_dims == 3 || array->n_dims == 4) && memcmp(dims, wanted, sizeof wanted) == 0;
    if (!fits) return refuse_shape(p, path, array);
    if (array->n_dims == 4 && dims[-1] > 1000000) TIPS_FAIL(TIPS_RANGE, "%s: more than a million inputs", path);
    return TIPS_OK;
}

/* An input as the picture it may have been. */
static tips_status to_picture(const tips_preprocess *p, const float *input, tips_image *out) {
    const ptrdiff_t plane = (ptrdiff_t)p->height * p->width;
    TIPS_TRY(tips__image_allocate("a picture", p->width, p->height, p->channels, out));
    for (int k = 0; k < p->channels; k++) {
        const int to = p->bgr ? p->channels - 1 - k : k;
        for (ptrdiff_t i = 0; i < plane; i++) {
            const float value = 255 * (input[k * plane + i] * p->std[k] + p->mean[k]);
            out->pixels[i * p->channels + to] = (uint8_t)lrintf(fminf(fmaxf(value, 0), 255));
        }
    }
    return TIPS_OK;
}

static tips_status push_entry(predictor *p, predict_item item, const float *input) {
    TIPS_TRY(check_finite(p, item.name, input));
    if (p->kind->pictures) TIPS_TRY(to_picture(&p->model.preprocess, input, &item.picture));
    return tips__predictor_push(p, item, input);
}

static tips_status push_entries(predictor *p, const char *path, const tips_npy *array) {
    const size_t size = strlen(path) + 24;
    const int count = array->n_dims == 4 ? (int)array->dims[0] : 1;
    char *name;
    TIPS_TRY(tips__new(&name, size, "a name"));
    tips_status status = TIPS_OK;
    for (int i = 0; i < count && status == TIPS_OK; i++) {
        snprintf(name, size, "%s[%d]", path, i);
        status = push_entry(p, (predict_item){.name = name, .path = path, .entry = i},
                            array->data + (size_t)i * p->elements);
    }
    tips__free(name);
    return status;
}

static tips_status push_array(predictor *p, const char *path) {
    tips_npy array;
    TIPS_TRY(tips__npy_read(path, &array));
    tips_status status = check_shape(p, path, &array);
    if (status == TIPS_OK) status = push_entries(p, path, &array);
    tips__npy_free(&array);
    return status;
}

tips_status tips__predict_file(predictor *p, const char *path) {
    return is_array(path) ? push_array(p, path) : push_picture(p, path);
}

static int keep_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static tips_status push_frame(predictor *p, const char *folder, const char *name, int *frames) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    struct stat info;
    char *path;
    TIPS_TRY(tips__new(&path, size, "a file name"));
    snprintf(path, size, "%s/%s", folder, name);
    tips_status status = TIPS_OK;
    if (stat(path, &info) != 0) status = tips__fail(TIPS_IO, "%s: %s", path, strerror(errno));
    else if (!S_ISDIR(info.st_mode)) {
        const int before = p->result.count;
        status = tips__predict_file(p, path);
        *frames += p->result.count - before;
    }
    tips__free(path);
    return status;
}

tips_status tips__predict_folder(predictor *p, const char *path, int *frames) {
    struct dirent **entries;
    const int count = scandir(path, &entries, keep_visible, versionsort);
    if (count < 0) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    tips_status status = TIPS_OK;
    *frames = 0;
    for (int i = 0; i < count; i++) {
        if (status == TIPS_OK) status = push_frame(p, path, entries[i]->d_name, frames);
        free(entries[i]);
    }
    free(entries);
    if (status == TIPS_OK && *frames == 0) TIPS_FAIL(TIPS_IO, "%s: there are no frames in this folder", path);
    return status;
}
