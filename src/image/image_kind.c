/* Files that are given as pictures and cannot be read, by their first bytes. */
#include "image/image_parts.h"

#include <string.h>

#define BYTES(text) text, sizeof text - 1

static const struct signature {
    const char *what;
    size_t at;
    const char *bytes;
    size_t size;
} signatures[] = {
    {"is an AVIF picture", 4, BYTES("ftypavif")},
    {"is an AVIF sequence", 4, BYTES("ftypavis")},
    {"is a HEIC picture", 4, BYTES("ftyphei")},
    {"is a HEIC picture", 4, BYTES("ftyphev")},
    {"is a HEIF picture", 4, BYTES("ftypmif1")},
    {"is a HEIF picture", 4, BYTES("ftypmsf1")},
    {"is a Canon raw picture", 4, BYTES("ftypcrx")},
    {"is a video", 4, BYTES("ftyp")},
    {"is a video", 0, BYTES("\x1a\x45\xdf\xa3")},
    {"is a JPEG XL picture", 0, BYTES("\xff\x0a")},
    {"is a JPEG XL picture", 0, BYTES("\0\0\0\x0cJXL ")},
    {"is a JPEG 2000 picture", 0, BYTES("\0\0\0\x0cjP  ")},
    {"is a JPEG 2000 picture", 0, BYTES("\xff\x4f\xff\x51")},
    {"is a Photoshop file", 0, BYTES("8BPS")},
    {"is a GIMP file", 0, BYTES("gimp xcf")},
    {"is an icon", 0, BYTES("\0\0\1\0")},
    {"is an OpenEXR picture", 0, BYTES("\x76\x2f\x31\x01")},
    {"is a Radiance picture", 0, BYTES("#?RADIANCE")},
    {"is a DICOM file", 128, BYTES("DICM")},
    {"is a FITS file", 0, BYTES("SIMPLE  =")},
    {"is a QOI picture", 0, BYTES("qoif")},
    {"is a DirectDraw surface", 0, BYTES("DDS ")},
    {"is a PBM, PGM or PPM picture in plain text or of single bits", 0, BYTES("P1")},
    {"is a PBM, PGM or PPM picture in plain text or of single bits", 0, BYTES("P2")},
    {"is a PBM, PGM or PPM picture in plain text or of single bits", 0, BYTES("P3")},
    {"is a PBM, PGM or PPM picture in plain text or of single bits", 0, BYTES("P4")},
    {"is a PAM picture", 0, BYTES("P7")},
    {"is a PDF document", 0, BYTES("%PDF")},
    {"is a PostScript document", 0, BYTES("%!PS")},
    {"is a NumPy array", 0, BYTES("\x93NUMPY")},
    {"is a zip archive", 0, BYTES("PK\3\4")},
    {"is compressed by gzip", 0, BYTES("\x1f\x8b")},
    {"is a pointer to a file of Git LFS, which was not fetched", 0, BYTES("version https://git-lfs")},
    {"is an SVG drawing", 0, BYTES("<svg")},
    {"is an SVG drawing or another XML document", 0, BYTES("<?xml")},
    {"is a web page", 0, BYTES("<!DOCTYPE html")},
    {"is a web page", 0, BYTES("<!doctype html")},
    {"is a web page", 0, BYTES("<html")},
};

const char *tips__image_kind(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        const struct signature *s = &signatures[i];
        if (size >= s->at + s->size && memcmp(bytes + s->at, s->bytes, s->size) == 0) return s->what;
    }
    return NULL;
}
