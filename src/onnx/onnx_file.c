/* Opening an ONNX file: read, scan, unpack within bounds, check. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Protobuf itself ends at 2 GB. Messages may take more memory than bytes, but not without limit. */
enum { FIRST_OPSET = 1, LAST_OPSET = 24, LAST_IR = 13 };
static const uint64_t most_bytes = (uint64_t)1 << 31, spare_memory = (uint64_t)64 << 20;

static void *take(void *context, size_t bytes) {
    tips_onnx *file = context;
    if (bytes > file->most_unpacked - file->unpacked) return NULL;
    void *memory = tips__alloc(bytes);
    if (memory) file->unpacked += bytes;
    else file->is_out_of_memory = true;
    return memory;
}

static void give_back(void *context, void *memory) {
    (void)context;
    tips__free(memory);
}

static ProtobufCAllocator allocator_of(tips_onnx *file) {
    return (ProtobufCAllocator){.alloc = take, .free = give_back, .allocator_data = file};
}

static tips_status unpack_slim(tips_onnx *file, onnx_slim *slim) {
    TIPS_TRY(tips__onnx_scan(file->data, file->bytes, slim));
    file->most_unpacked = 4 * (size_t)spare_memory + 16 * file->bytes;
    ProtobufCAllocator allocator = allocator_of(file);
    file->model = tips__onnx__model_proto__unpack(&allocator, slim->bytes, slim->data);
    if (file->is_out_of_memory) TIPS_FAIL(TIPS_MEMORY, "out of memory for its %zu bytes", file->bytes);
    if (!file->model) TIPS_FAIL(TIPS_FORMAT, "it is not an ONNX file");
    return TIPS_OK;
}

static tips_status unpack(tips_onnx *file) {
    onnx_slim slim = {0};
    TIPS_TRY(tips__onnx_scan(file->data, file->bytes, &slim));
    if (slim.memory > spare_memory + 6 * file->bytes)
        TIPS_FAIL(TIPS_FORMAT, "its %zu bytes would become %zu in memory; it is not a sensible model", file->bytes,
                  slim.memory);
    TIPS_TRY(tips__new(&slim.data, slim.bytes, "a model without its tensors"));
    const tips_status status = unpack_slim(file, &slim);
    tips__free(slim.data);
    return status;
}

static tips_status read_bytes(int descriptor, uint8_t *to, size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = read(descriptor, to, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) TIPS_FAIL(TIPS_IO, "it cannot be read: %s", strerror(errno));
        if (got == 0) TIPS_FAIL(TIPS_IO, "it became shorter while it was read");
        to += got;
        bytes -= (size_t)got;
    }
    return TIPS_OK;
}

static tips_status read_model(tips_onnx *file, int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) TIPS_FAIL(TIPS_IO, "it cannot be opened: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) TIPS_FAIL(TIPS_IO, "it is not a regular file");
    if (info.st_size == 0) TIPS_FAIL(TIPS_FORMAT, "it is empty");
    if ((uint64_t)info.st_size > most_bytes) TIPS_FAIL(TIPS_FORMAT, "it is larger than the 2 GB a model file can have");
    file->bytes = (size_t)info.st_size;
    TIPS_TRY(tips__new(&file->data, file->bytes, "an ONNX file"));
    TIPS_TRY(read_bytes(descriptor, file->data, file->bytes));
    return unpack(file);
}

static tips_status check_opset(tips_onnx *file) {
    const Onnx__ModelProto *model = file->model;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = model->opset_import[i];
        const bool is_default = !set->domain || !set->domain[0] || strcmp(set->domain, "ai.onnx") == 0;
        if (!is_default) continue;
        if (set->version < FIRST_OPSET || set->version > LAST_OPSET)
            TIPS_FAIL(TIPS_UNSUPPORTED, "it uses opset %lld; %d to %d are read", (long long)set->version, FIRST_OPSET,
                      LAST_OPSET);
        file->opset = (int)set->version;
    }
    if (!file->opset) TIPS_FAIL(TIPS_FORMAT, "it does not say which operator set it uses");
    return TIPS_OK;
}

static tips_status check_model(tips_onnx *file) {
    const Onnx__ModelProto *model = file->model;
    if (!model->graph) TIPS_FAIL(TIPS_FORMAT, "it holds no graph; is it an ONNX file?");
    if (model->ir_version < 1 || model->ir_version > LAST_IR)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it is of IR version %lld; 1 to %d are read", (long long)model->ir_version,
                  LAST_IR);
    TIPS_TRY(check_opset(file));
    if (model->graph->n_sparse_initializer)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it has sparse initialisers, which are not supported");
    return tips__onnx_link(file);
}

static tips_status open_file(tips_onnx *file) {
    const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) TIPS_FAIL(TIPS_IO, "it cannot be opened: %s", strerror(errno));
    const tips_status status = read_model(file, descriptor);
    close(descriptor);
    return status == TIPS_OK ? check_model(file) : status;
}

tips_status tips__onnx_open(const char *path, tips_onnx **out) {
    tips_onnx *file;
    TIPS_TRY(tips__new_zero(&file, sizeof *file, "an ONNX file"));
    file->path = tips__strdup(path);
    const tips_status status = file->path ? open_file(file) : tips__fail(TIPS_MEMORY, "out of memory for a path");
    if (status == TIPS_OK) {
        *out = file;
        return TIPS_OK;
    }
    tips__onnx_close(file);
    return tips__fail_within(status, path);
}

void tips__onnx_close(tips_onnx *file) {
    if (!file) return;
    ProtobufCAllocator allocator = allocator_of(file);
    if (file->model) tips__onnx__model_proto__free_unpacked(file->model, &allocator);
    tips__free(file->sources);
    tips__free(file->nodes);
    tips__free(file->links);
    tips__free(file->data);
    tips__free(file->path);
    tips__free(file);
}

const char *tips__onnx_metadata(const tips_onnx *file, const char *key) {
    for (size_t i = 0; i < file->model->n_metadata_props; i++) {
        const Onnx__StringStringEntryProto *entry = file->model->metadata_props[i];
        if (entry->key && entry->value && strcmp(entry->key, key) == 0) return entry->value;
    }
    return NULL;
}

int tips__onnx_metadata_count(const tips_onnx *file) { return (int)file->model->n_metadata_props; }

void tips__onnx_metadata_at(const tips_onnx *file, int i, const char **key, const char **value) {
    const Onnx__StringStringEntryProto *entry = file->model->metadata_props[i];
    *key = entry->key ? entry->key : "";
    *value = entry->value ? entry->value : "";
}

int tips__onnx_initialiser_count(const tips_onnx *file) { return (int)file->model->graph->n_initializer; }

const char *tips__onnx_initialiser_name(const tips_onnx *file, int i) {
    return file->model->graph->initializer[i]->name;
}
