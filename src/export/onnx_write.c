/* Emits a network, wraps it up with its metadata, and writes the file piece by piece. */
#include "export/onnx_write.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "export/onnx_boxes.h"
#include "export/onnx_write_parts.h"

#include <stdio.h>
#include <string.h>
#include <tips/version.h>

/* protobuf's own limit. */
static const size_t most_bytes = 0x7fffffff;

enum { MOST_METADATA = 32 };

typedef struct writing {
    onnx_pile pile;
    Onnx__ModelProto *model;
    size_t bytes;
} writing;

static tips_status memory_status(const onnx_pile *pile) {
    if (pile->failed) TIPS_FAIL(TIPS_MEMORY, "out of memory while writing an ONNX file");
    return TIPS_OK;
}

static tips_status add_metadata(void *context, const char *key, const char *value) {
    writing *w = context;
    if (w->model->n_metadata_props == MOST_METADATA) TIPS_FAIL(TIPS_INVALID, "too many entries of metadata");
    ONNX_NEW(&w->pile, Onnx__StringStringEntryProto, tips__onnx__string_string_entry_proto__init, entry);
    if (!entry) return memory_status(&w->pile);
    entry->key = tips__onnx_pile_text(&w->pile, key);
    entry->value = tips__onnx_pile_text(&w->pile, value);
    w->model->metadata_props[w->model->n_metadata_props++] = entry;
    return memory_status(&w->pile);
}

/* The version of the format that came with an opset. */
static int64_t ir_version(int opset) {
    static const struct { int opset, version; } since[] = {{21, 10}, {19, 9}, {15, 8}, {12, 7}};
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        if (opset >= since[i].opset) return since[i].version;
    return 6;
}

static tips_status make_model(writing *w, const tips_model_info *info, const tips_record *record) {
    char text[TIPS_MODEL_TEXT];
    ONNX_NEW(&w->pile, Onnx__ModelProto, tips__onnx__model_proto__init, model);
    ONNX_NEW(&w->pile, Onnx__OperatorSetIdProto, tips__onnx__operator_set_id_proto__init, opset);
    Onnx__OperatorSetIdProto **opsets = tips__onnx_pile_new(&w->pile, sizeof *opsets);
    Onnx__StringStringEntryProto **metadata = tips__onnx_pile_new(&w->pile, MOST_METADATA * sizeof *metadata);
    if (!metadata) return memory_status(&w->pile);
    snprintf(text, sizeof text, "%s with %s", info->arch->name, info->config.pool.pool->layer.name);
    opset->domain = (char *)"";
    opset->has_version = 1, opset->version = record->opset;
    opsets[0] = opset;
    model->has_ir_version = 1, model->ir_version = ir_version(record->opset);
    model->n_opset_import = 1, model->opset_import = opsets;
    model->producer_name = (char *)"tips";
    model->producer_version = (char *)tips_version();
    model->doc_string = tips__onnx_pile_text(&w->pile, text);
    model->metadata_props = metadata;
    model->graph = tips__onnx_graph(&w->pile, record);
    if (!model->graph) return memory_status(&w->pile);
    model->graph->name = (char *)info->arch->name;
    w->model = model;
    TIPS_TRY(tips__model_info_write(info, &(tips_metadata_sink){add_metadata, w}));
    return add_metadata(w, "tips.folded", record->folded > 0 ? "true" : "false");
}

/* protobuf-c hands over the packed bytes as they come. */
typedef struct file_buffer {
    ProtobufCBuffer base;
    tips_atomic_file *file;
    tips_status status;
} file_buffer;

static void append(ProtobufCBuffer *base, size_t bytes, const uint8_t *data) {
    file_buffer *buffer = (file_buffer *)base;
    if (buffer->status == TIPS_OK) buffer->status = tips__atomic_write(buffer->file, data, bytes);
}

static tips_status write_model(const char *path, const Onnx__ModelProto *model) {
    file_buffer buffer = {.base = {append}, .status = TIPS_OK};
    TIPS_TRY(tips__atomic_open(path, &buffer.file));
    tips__onnx__model_proto__pack_to_buffer(model, &buffer.base);
    if (buffer.status == TIPS_OK) return tips__atomic_commit(buffer.file);
    tips__atomic_abandon(buffer.file);
    return buffer.status;
}

static tips_status write_record(const char *path, writing *w, const tips_model_info *info, const tips_record *record) {
    TIPS_TRY(make_model(w, info, record));
    w->bytes = tips__onnx__model_proto__get_packed_size(w->model);
    if (w->bytes > most_bytes)
        TIPS_FAIL(TIPS_UNSUPPORTED, "%s: the network takes %zu bytes, and an ONNX file has at most 2 GB", path,
                  w->bytes);
    return write_model(path, w->model);
}

static tips_onnx_summary summarise(const tips_record *r, const writing *w) {
    tips_onnx_summary s = {.opset = r->opset, .folded = r->folded, .free_size = !r->fixed_by, .bytes = w->bytes};
    for (int i = 0; i < r->n_ops; i++) s.nodes += r->ops[i].used;
    for (int i = 0; i < r->n_tensors; i++) {
        const tips_recorded_tensor *t = &r->tensors[i];
        if (!t->used || t->kind != TIPS_TENSOR_PARAM) continue;
        s.tensors++;
        s.parameters += t->bytes / sizeof(float);
    }
    if (r->fixed_by) {
        snprintf(s.fixed_by, sizeof s.fixed_by, "%s", r->fixed_by);
        snprintf(s.fixed_why, sizeof s.fixed_why, "%s", r->fixed_why);
    }
    return s;
}

static tips_status save(const char *path, const tips_model_info *info, const tips_params *params,
                        const tips_emit_options *options, tips_onnx_summary *out) {
    tips_emitter *emitter;
    writing w = {0};
    TIPS_TRY(tips__emit_graph(params, options, &emitter));
    const tips_status status = write_record(path, &w, info, tips__emit_record(emitter));
    if (status == TIPS_OK) *out = summarise(tips__emit_record(emitter), &w);
    tips__onnx_pile_free(&w.pile);
    tips__emit_destroy(emitter);
    return status;
}

tips_status tips__onnx_save(const char *path, const tips_model_info *info, const tips_params *params,
                            const tips_emit_options *options, tips_onnx_summary *out) {
    tips_emit_options all = *options;
    tips_onnx_boxes boxes;
    const tips_emit_end end = {tips__onnx_boxes_emit, &boxes};
    if (!info->task.task || !(info->task.task->flags & TIPS_TASK_BOXES)) return save(path, info, params, options, out);
    TIPS_TRY(tips__onnx_boxes_read(info, params->graph, &boxes));
    all.end = &end;
    return save(path, info, params, &all, out);
}
