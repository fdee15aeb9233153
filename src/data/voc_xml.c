/* Reading VOC's XML by expat, piece by piece. */
#include "data/voc_xml.h"

#include "core/fail.h"
#include "core/memory.h"

void tips__voc_file_clear(tips_voc_file *file) {
    tips__free(file->objects);
    *file = (tips_voc_file){0};
}

#ifdef TIPS_HAVE_EXPAT

#include "core/number.h"
#include "core/regular_file.h"
#include "image/image_read.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 14, TEXT_SIZE = 256, FIRST_ROOM = 32, MOST_DEPTH = 64 };

/* Where we are, by the elements that count. What lies within others is passed over. */
typedef enum place { NOWHERE, ANNOTATION, SIZE, OBJECT, BNDBOX } place;

typedef enum field { NO_FIELD, WIDTH, HEIGHT, NAME, DIFFICULT, XMIN, YMIN, XMAX, YMAX, FIELDS } field;
static const struct {
    const char *name;
    place where;
} fields[FIELDS] = {[WIDTH] = {"width", SIZE},           [HEIGHT] = {"height", SIZE}, [NAME] = {"name", OBJECT},
                    [DIFFICULT] = {"difficult", OBJECT}, [XMIN] = {"xmin", BNDBOX},   [YMIN] = {"ymin", BNDBOX},
                    [XMAX] = {"xmax", BNDBOX},           [YMAX] = {"ymax", BNDBOX}};

typedef struct reader {
    XML_Parser parser;
    const char *path;
    tips_voc_file *file;
    tips_status status;
    place where;
    field field;
    int depth, within; /* elements around; that depth at which `where` began */
    unsigned seen;     /* bits of the fields of this object */
    char text[TEXT_SIZE];
    size_t length;
} reader;

static int line_of(const reader *r) { return (int)XML_GetCurrentLineNumber(r->parser); }

static void stop(reader *r, tips_status status) {
    if (r->status == TIPS_OK) r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static void start_object(reader *r) {
    tips_voc_file *f = r->file;
    if (f->count == f->room) {
        const int room = f->room ? 2 * f->room : FIRST_ROOM;
        tips_voc_object *rows = f->room > INT_MAX / 2 ? NULL
                                                      : tips__grow(f->objects, (size_t)f->count * sizeof *rows,
                                                                   (size_t)room * sizeof *rows);
        if (!rows) {
            stop(r, tips__fail(TIPS_MEMORY, "%s: out of memory for %d objects", r->path, room));
            return;
        }
        f->objects = rows;
        f->room = room;
    }
    f->objects[f->count++] = (tips_voc_object){.line = line_of(r)};
    r->seen = 0;
}

/* The element that `name` opens right within the one we are in, or the same place. */
static place enter(place where, const char *name) {
    if (where == NOWHERE) return strcmp(name, "annotation") == 0 ? ANNOTATION : NOWHERE;
    if (where == ANNOTATION && strcmp(name, "size") == 0) return SIZE;
    if (where == ANNOTATION && strcmp(name, "object") == 0) return OBJECT;
    if (where == OBJECT && strcmp(name, "bndbox") == 0) return BNDBOX;
    return where;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
    reader *r = context;
    (void)attributes;
    const bool is_direct = r->depth == r->within;
    if (r->depth++ >= MOST_DEPTH) {
        stop(r,
             tips__fail(TIPS_FORMAT, "%s: line %d: elements nested deeper than %d", r->path, line_of(r), MOST_DEPTH));
        return;
    }
    r->field = NO_FIELD;
    if (!is_direct) return;
    const place next = enter(r->where, name);
    if (next == NOWHERE) {
        stop(r,
             tips__fail(TIPS_FORMAT, "%s: line %d: is XML of <%.40s>, not of <annotation>", r->path, line_of(r), name));
        return;
    }
    if (next != r->where) {
        r->where = next;
        r->within = r->depth;
        if (next == OBJECT) start_object(r);
        return;
    }
    for (field f = WIDTH; f < FIELDS; f++)
        if (fields[f].where == r->where && strcmp(fields[f].name, name) == 0) r->field = f;
    r->length = 0;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length) {
    reader *r = context;
    if (r->field == NO_FIELD) return;
    for (int i = 0; i < length; i++)
        if (r->length < sizeof r->text - 1) r->text[r->length++] = text[i];
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The text of the element without blanks around it. */
static const char *trimmed(reader *r) {
    char *text = r->text;
    while (r->length > 0 && is_blank(text[r->length - 1])) r->length--;
    text[r->length] = '\0';
    while (is_blank(*text)) text++;
    return text;
}

static void refuse(reader *r, const char *text, const char *wanted) {
    stop(r, tips__fail(TIPS_FORMAT, "%s: line %d: <%s> is '%.40s', not %s", r->path, line_of(r), fields[r->field].name,
                       text, wanted));
}

static void take_size(reader *r, const char *text) {
    double value;
    if (!tips__number_parse(text, &value) || !(value >= 0 && value <= TIPS_IMAGE_MAX_SIDE)) {
        refuse(r, text, "a number of pixels");
        return;
    }
    r->file->size[r->field == WIDTH] = (int)value;
}

static void take_object(reader *r, const char *text) {
    tips_voc_object *object = &r->file->objects[r->file->count - 1];
    double value = 0;
    r->seen |= 1u << r->field;
    if (r->field == NAME) {
        if (!*text || strlen(text) >= sizeof object->name) refuse(r, text, "the name of a class");
        else snprintf(object->name, sizeof object->name, "%s", text);
        return;
    }
    if (r->field == DIFFICULT && !*text) return; /* some leave it empty */
    if (!tips__number_parse(text, &value)) {
        refuse(r, text, "a number");
        return;
    }
    if (r->field == DIFFICULT) object->difficult = value != 0;
    else object->bndbox[r->field - XMIN] = value;
}

static void leave(reader *r) {
    const unsigned needed = 1u << NAME | 1u << XMIN | 1u << YMIN | 1u << XMAX | 1u << YMAX;
    if (r->where == OBJECT) r->file->objects[r->file->count - 1].is_whole = (r->seen & needed) == needed;
    r->where = r->where == BNDBOX ? OBJECT : r->where == ANNOTATION ? NOWHERE : ANNOTATION;
    r->within = r->depth;
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
    reader *r = context;
    (void)name;
    const field ended = r->field;
    if (ended != NO_FIELD && r->depth == r->within + 1) {
        if (r->where == SIZE) take_size(r, trimmed(r));
        else take_object(r, trimmed(r));
    }
    r->field = NO_FIELD;
    r->depth--;
    if (r->depth < r->within) leave(r);
}

/* Names that stand for other text are how small files become large ones. */
static void XMLCALL on_entity(void *context, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation) {
    reader *r = context;
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    stop(r, tips__fail(TIPS_FORMAT, "%s: line %d: declares the entity '%.40s'; annotations need none", r->path,
                       line_of(r), name));
}

static tips_status parse(reader *r, FILE *file, char *piece) {
    size_t length;
    do {
        length = fread(piece, 1, PIECE, file);
        if (ferror(file)) TIPS_FAIL(TIPS_IO, "%s: cannot be read", r->path);
        if (XML_Parse(r->parser, piece, (int)length, length < PIECE) == XML_STATUS_OK) continue;
        if (r->status != TIPS_OK) return r->status;
        const enum XML_Error code = XML_GetErrorCode(r->parser);
        TIPS_FAIL(code == XML_ERROR_NO_MEMORY ? TIPS_MEMORY : TIPS_FORMAT,
                  "%s: line %d, column %d: is not valid XML: %s", r->path, line_of(r),
                  (int)XML_GetCurrentColumnNumber(r->parser) + 1, XML_ErrorString(code));
    } while (length == PIECE);
    return TIPS_OK;
}

static void *resize(void *old, size_t bytes) {
    /* Each piece is preceded by its size, which is asked for when it grows. */
    size_t *head = old ? (size_t *)old - TIPS_ALIGN / sizeof(size_t) : NULL;
    if (bytes > SIZE_MAX - TIPS_ALIGN) return NULL;
    const size_t kept = head ? *head + TIPS_ALIGN : 0, wanted = bytes + TIPS_ALIGN;
    size_t *more = tips__grow(head, kept < wanted ? kept : wanted, wanted);
    if (!more) return NULL;
    *more = bytes;
    return more + TIPS_ALIGN / sizeof(size_t);
}

static void *allocate(size_t bytes) { return resize(NULL, bytes); }
static void release(void *memory) {
    if (memory) tips__free((size_t *)memory - TIPS_ALIGN / sizeof(size_t));
}

static tips_status read_file(reader *r, FILE *file) {
    static const XML_Memory_Handling_Suite ours = {allocate, resize, release};
    char piece[PIECE];
    r->parser = XML_ParserCreate_MM(NULL, &ours, NULL);
    if (!r->parser) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory for an XML parser", r->path);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetEntityDeclHandler(r->parser, on_entity);
    const tips_status status = parse(r, file, piece);
    XML_ParserFree(r->parser);
    return status;
}

bool tips__has_xml(void) { return true; }

tips_status tips__voc_xml_read(const char *path, tips_voc_file *out) {
    reader r = {.path = path, .file = out};
    out->count = 0;
    out->size[0] = out->size[1] = 0;
    TIPS_TRY(tips__check_regular(path));
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    const tips_status status = read_file(&r, file);
    fclose(file);
    return status;
}

#else

bool tips__has_xml(void) { return false; }

tips_status tips__voc_xml_read(const char *path, tips_voc_file *out) {
    (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no XML (it lacks expat)", path);
}

#endif
