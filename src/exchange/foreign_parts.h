/* The kinds of foreign model files. */
#ifndef TIPS_EXCHANGE_FOREIGN_PARTS_H
#define TIPS_EXCHANGE_FOREIGN_PARTS_H

#include <stddef.h>
#include <stdio.h>

typedef enum foreign_kind {
    FOREIGN_NONE,
    FOREIGN_TORCH,
    FOREIGN_TORCHSCRIPT,
    FOREIGN_TORCH_EXPORT,
    FOREIGN_KERAS,
    FOREIGN_HDF5,
    FOREIGN_TFLITE,
    FOREIGN_SAVED_MODEL,
    FOREIGN_GRAPH_DEF,
    FOREIGN_ENGINE,
    FOREIGN_NUMPY,
    FOREIGN_PICKLE,
    FOREIGN_GZIP,
    FOREIGN_TAR,
    FOREIGN_ZIP
} foreign_kind;

/* By the names of its entries. */
foreign_kind tips__foreign_zip(FILE *file);

#endif
