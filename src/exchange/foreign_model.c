/* Magic numbers, endings, and what to do with each kind. */
#include "exchange/foreign_model.h"

#include "core/fail.h"
#include "core/regular_file.h"
#include "exchange/foreign_parts.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { START_SIZE = 512, WORD_SIZE = 256, ADVICE_SIZE = 640, TAR_MAGIC_AT = 257 };

/* In `advice`, %1 is the file as a word for a shell and for Python, %2 the same without its ending. */
typedef struct kind_row {
    foreign_kind kind;
    const char *what, *advice;
} kind_row;

#define EXPORT "torch.onnx.export(m.eval(), torch.zeros(1, 3, 224, 224), '%2.onnx')\""
static const kind_row kinds[] = {
    {FOREIGN_TORCH, "a PyTorch checkpoint",
     "Export its network, here resnet18: python3 -c \"import torch, torchvision; m = torchvision.models.resnet18(); "
     "m.load_state_dict(torch.load('%1', map_location='cpu')); " EXPORT},
    {FOREIGN_TORCHSCRIPT, "a TorchScript archive",
     "Export it: python3 -c \"import torch; m = torch.jit.load('%1', map_location='cpu'); " EXPORT},
    {FOREIGN_TORCH_EXPORT, "a program of torch.export",
     "Export it: python3 -c \"import torch; torch.onnx.export(torch.export.load('%1'), f='%2.onnx')\""},
    {FOREIGN_KERAS, "a Keras model",
     "Convert it: python3 -c \"import keras; keras.saving.load_model('%1').export('%2.onnx', format='onnx')\""},
    {FOREIGN_HDF5, "an HDF5 file, as Keras writes",
     "Convert it: python3 -c \"import keras; keras.saving.load_model('%1').export('%2.onnx', format='onnx')\""},
    {FOREIGN_TFLITE, "a TensorFlow Lite model",
     "Convert it: python3 -m tf2onnx.convert --tflite '%1' --output '%2.onnx'"},
    {FOREIGN_SAVED_MODEL, "a SavedModel of TensorFlow",
     "Convert its folder: python3 -m tf2onnx.convert --saved-model FOLDER --output model.onnx"},
    {FOREIGN_GRAPH_DEF, "a frozen graph of TensorFlow",
     "Convert it: python3 -m tf2onnx.convert --graphdef '%1' --inputs INPUT:0 --outputs OUTPUT:0 --output '%2.onnx'"},
    {FOREIGN_ENGINE, "a TensorRT engine",
     "It is compiled for one kind of GPU and holds no network any more: give the ONNX file that it was built from"},
    {FOREIGN_NUMPY, "an archive of NumPy arrays",
     "Weights go through safetensors: python3 -c \"import numpy, safetensors.numpy as s; "
     "s.save_file(dict(numpy.load('%1')), '%2.safetensors')\""},
    {FOREIGN_PICKLE, "a Python pickle",
     "If PyTorch wrote it: python3 -c \"import torch, torchvision; m = torchvision.models.resnet18(); "
     "m.load_state_dict(torch.load('%1', map_location='cpu')); " EXPORT},
    {FOREIGN_GZIP, "compressed by gzip", "Unpack it first"},
    {FOREIGN_TAR, "a tar archive", "Unpack it first"},
    {FOREIGN_ZIP, "a zip archive", "Unpack it first"},
};

static const struct ending {
    const char *text;
    foreign_kind kind;
} endings[] = {
    {".pth", FOREIGN_TORCH},        {".pt", FOREIGN_TORCH},      {".ckpt", FOREIGN_TORCH},
    {".pt2", FOREIGN_TORCH_EXPORT}, {".keras", FOREIGN_KERAS},   {".h5", FOREIGN_HDF5},
    {".hdf5", FOREIGN_HDF5},        {".tflite", FOREIGN_TFLITE}, {".pb", FOREIGN_GRAPH_DEF},
    {".engine", FOREIGN_ENGINE},    {".plan", FOREIGN_ENGINE},   {".trt", FOREIGN_ENGINE},
    {".npz", FOREIGN_NUMPY},        {".pkl", FOREIGN_PICKLE},    {".pickle", FOREIGN_PICKLE},
};

typedef struct beginning {
    unsigned char bytes[START_SIZE];
    size_t size;
} beginning;

static bool has(const beginning *b, size_t at, const char *magic, size_t length) {
    return b->size >= at + length && memcmp(b->bytes + at, magic, length) == 0;
}

/* Past the number of variable length at `at`. */
static size_t skip_varint(const beginning *b, size_t at) {
    while (at < b->size && b->bytes[at] & 0x80) at++;
    return at + 1;
}

/* Protocol buffers: version 1, then a graph that begins with a message, where ONNX has the name of its producer. */
static bool is_saved_model(const beginning *b) {
    if (!has(b, 0, "\x08\x01\x12", 3)) return false;
    const size_t at = skip_varint(b, 3);
    return at < b->size && b->bytes[at] == 0x0a;
}

/* A node, which begins with its name and goes on with its operator. ONNX never begins with 0x0a. */
static bool is_graph_def(const beginning *b) {
    if (!has(b, 0, "\x0a", 1)) return false;
    const size_t at = skip_varint(b, 1);
    if (at + 1 >= b->size || b->bytes[at] != 0x0a) return false;
    const size_t operator_at = at + 2 + b->bytes[at + 1];
    return operator_at < b->size && b->bytes[operator_at] == 0x12;
}

/* Eight bytes of length, of which the upper ones are zero, and an object. */
static bool is_safetensors(const beginning *b) {
    return has(b, 4, "\0\0\0\0", 4) && b->size > 8 && b->bytes[8] && strchr("{ \t\r\n", b->bytes[8]);
}

static bool is_pickle(const beginning *b) {
    return b->size > 2 && b->bytes[0] == 0x80 && b->bytes[1] >= 2 && b->bytes[1] <= 5;
}

/* The number that PyTorch put before everything else until version 1.5. */
static bool is_old_torch(const beginning *b) { return has(b, 2, "\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 13); }

static foreign_kind kind_by_content(const beginning *b, FILE *file) {
    if (is_safetensors(b)) return FOREIGN_NONE;
    if (has(b, 0, "PK\3\4", 4) || has(b, 0, "PK\5\6", 4)) return tips__foreign_zip(file);
    if (is_pickle(b)) return is_old_torch(b) ? FOREIGN_TORCH : FOREIGN_PICKLE;
    if (has(b, 0, "\x89HDF\r\n\x1a\n", 8)) return FOREIGN_HDF5;
    if (has(b, 4, "TFL3", 4)) return FOREIGN_TFLITE;
    if (has(b, 0, "ptrt", 4) || has(b, 0, "ftrt", 4)) return FOREIGN_ENGINE;
    if (is_saved_model(b)) return FOREIGN_SAVED_MODEL;
    if (is_graph_def(b)) return FOREIGN_GRAPH_DEF;
    if (has(b, 0, "\x1f\x8b\x08", 3)) return FOREIGN_GZIP;
    return has(b, TAR_MAGIC_AT, "ustar", 5) ? FOREIGN_TAR : FOREIGN_NONE;
}

/* Where the content does not look like one of ours. A pickle with the name of a checkpoint is one. */
static foreign_kind kind_by_name(const char *path, const beginning *b, foreign_kind known) {
    const char *dot = strrchr(path, '.');
    const bool is_open =
        known == FOREIGN_PICKLE || (known == FOREIGN_NONE && !is_safetensors(b) && !has(b, 0, "\x08", 1));
    for (size_t i = 0; dot && is_open && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i].text) == 0) return endings[i].kind;
    return known;
}

/* A path that would end a quotation is not put into a command. */
static const char *as_word(const char *path) {
    return strpbrk(path, "'\"\\`$\n") || strlen(path) >= WORD_SIZE ? "model" : path;
}

static size_t add(char *out, size_t at, const char *text, size_t length) {
    for (size_t i = 0; i < length && at < ADVICE_SIZE - 1; i++) out[at++] = text[i];
    return at;
}

static void fill_in(const char *advice, const char *path, char out[ADVICE_SIZE]) {
    const char *word = as_word(path), *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
    const size_t stem = dot && (!slash || dot > slash + 1) && dot > word ? (size_t)(dot - word) : strlen(word);
    size_t at = 0;
    for (; *advice; advice++) {
        const bool is_path = strncmp(advice, "%1", 2) == 0, is_stem = strncmp(advice, "%2", 2) == 0;
        if (is_path || is_stem) at = add(out, at, word, is_stem ? stem : strlen(word));
        else at = add(out, at, advice, 1);
        advice += is_path || is_stem;
    }
    out[at] = '\0';
}

static tips_status refuse(const char *path, foreign_kind kind) {
    char advice[ADVICE_SIZE];
    const kind_row *row = kinds;
    while (row->kind != kind) row++;
    fill_in(row->advice, path, advice);
    TIPS_FAIL(TIPS_FORMAT, "%s: is %s; ONNX and .safetensors are read. %s", path, row->what, advice);
}

static bool is_saved_folder(const char *path) {
    char inside[4096];
    struct stat info;
    const int length = snprintf(inside, sizeof inside, "%s/saved_model.pb", path);
    return length > 0 && (size_t)length < sizeof inside && stat(inside, &info) == 0;
}

tips_status tips__refuse_foreign_model(const char *path) {
    beginning b = {.size = 0};
    if (is_saved_folder(path)) return refuse(path, FOREIGN_SAVED_MODEL);
    TIPS_TRY(tips__check_regular(path));
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: it cannot be opened: %s", path, strerror(errno));
    b.size = fread(b.bytes, 1, sizeof b.bytes, file);
    const foreign_kind kind = kind_by_name(path, &b, kind_by_content(&b, file));
    fclose(file);
    return kind == FOREIGN_NONE ? TIPS_OK : refuse(path, kind);
}
