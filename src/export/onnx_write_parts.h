/* What the files of the ONNX writer share: messages in memory that is freed at once. */
#ifndef TIPS_EXPORT_ONNX_WRITE_PARTS_H
#define TIPS_EXPORT_ONNX_WRITE_PARTS_H

#include <onnx.pb-c.h>

#include "emit/emit_record.h"

/* A chain of blocks; errors stick. */
typedef struct onnx_pile {
    void *last;
    bool failed;
} onnx_pile;

/* Zeroed; NULL after a failure, now or before. */
void *tips__onnx_pile_new(onnx_pile *pile, size_t bytes);
char *tips__onnx_pile_text(onnx_pile *pile, const char *text);
void tips__onnx_pile_free(onnx_pile *pile);

/* A message of its type, initialised. */
#define ONNX_NEW(pile, type, init, name)                  \
    type *name = tips__onnx_pile_new(pile, sizeof *name); \
    if (name) init(name)

/* The record as a graph; it borrows names and data from the record. NULL on failure. */
Onnx__GraphProto *tips__onnx_graph(onnx_pile *pile, const tips_record *record);

#endif
