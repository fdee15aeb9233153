/* A blueprint as JSON:
 *     {"channels":3,"classes":10,"output":7,"steps":[
 *       {"name":"conv1","layer":"conv2d","options":"out=16,kernel=3","in":[-1]},
 *       {"name":"pool1","pool":"tips-exact","lpf":0,"stride":[2,2],"padding":"circular","shares":-2,"in":[0]},
 *       {"name":"up1","layer":"upsample","options":"stride=2","in":[1],"undoes":[1]}, ...]} */
#include "arch/blueprint.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/json_read.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1024, MOST_DEPTH = 4, CONFIG_BYTES = 256 };

static void put_numbers(tips_json *json, const char *key, const int *numbers, int count) {
    tips__json_open_array(json, key);
    for (int i = 0; i < count; i++) tips__json_int(json, NULL, numbers[i]);
    tips__json_close_array(json);
}

static void put_step(tips_json *json, const tips_step *step) {
    char text[TEXT_SIZE] = "";
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", step->name);
    if (step->layer) {
        tips__json_text(json, "layer", step->layer->name);
        if (step->layer->options) tips__options_format(step->layer->options, step->config, text, sizeof text);
        if (text[0]) tips__json_text(json, "options", text);
    } else {
        tips__pool_format_all(&step->pool, text, sizeof text);
        tips__json_text(json, "pool", text);
        tips__json_int(json, "lpf", step->pool.lpf);
        put_numbers(json, "stride", step->stride, 2);
        tips__json_text(json, "padding", tips_pad_mode_names[step->padding]);
        if (step->shares >= 0) tips__json_int(json, "shares", step->shares);
    }
    put_numbers(json, "in", step->in, step->n_in);
    if (step->n_undone) put_numbers(json, "undoes", step->undone, step->n_undone);
    tips__json_close_object(json);
}

tips_status tips__blueprint_format(const tips_blueprint *b, char **out) {
    tips_json *json;
    const char *text;
    size_t length;
    if (b->program)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a detector from elsewhere cannot be kept in a model file; use its ONNX file");
    TIPS_TRY(tips__json_create(&json));
    tips__json_compact(json);
    tips__json_open_object(json, NULL);
    tips__json_int(json, "channels", b->channels);
    tips__json_int(json, "classes", b->classes);
    tips__json_int(json, "output", b->output);
    tips__json_open_array(json, "steps");
    for (int i = 0; i < b->n_steps; i++) put_step(json, &b->steps[i]);
    tips__json_close_array(json);
    tips__json_close_object(json);
    tips_status status = tips__json_result(json, &text, &length);
    if (status == TIPS_OK) status = tips__new(out, length + 1, "a blueprint");
    if (status == TIPS_OK) memcpy(*out, text, length + 1);
    tips__json_destroy(json);
    return status;
}

/* The step being read: its texts as written, checked when it is whole. */
typedef struct step_text {
    char name[TEXT_SIZE], layer[TEXT_SIZE], options[TEXT_SIZE], pool[TEXT_SIZE], padding[TEXT_SIZE];
    int lpf, shares, stride[2], n_stride, in[TIPS_MAX_IN], n_in, undone[TIPS_BLUEPRINT_UNDOES], n_undone;
} step_text;

typedef struct reader {
    tips_blueprint *blueprint;
    char key[32];
    step_text step;
} reader;

static void start_step(step_text *s) {
    s->name[0] = s->layer[0] = s->options[0] = s->pool[0] = s->padding[0] = '\0';
    s->lpf = s->n_stride = s->n_in = s->n_undone = 0;
    s->shares = TIPS_BLUEPRINT_NOTHING;
}

static tips_status add_layer(tips_blueprint *b, const step_text *s) {
    union {
        unsigned char bytes[CONFIG_BYTES];
        double align;
    } config = {{0}};
    int step;
    const tips_layer *layer = tips__layer_find(s->layer);
    if (!layer || layer->flags & (TIPS_LAYER_LOSS | TIPS_LAYER_HIDDEN))
        TIPS_FAIL(TIPS_FORMAT, "layer '%s' is of an unknown kind '%s'", s->name, s->layer);
    if (layer->config_size > sizeof config) TIPS_FAIL(TIPS_UNSUPPORTED, "layer kind '%s' has no text form", s->layer);
    if (layer->options) {
        TIPS_TRY(tips__options_defaults(layer->options, &config));
        if (s->options[0]) TIPS_TRY(tips__options_parse(layer->options, &config, s->options, s->name));
    }
    TIPS_TRY(tips__blueprint_add(b, layer, s->name, &config, s->in, s->n_in, &step));
    return tips__blueprint_undo(b, step, s->undone, s->n_undone);
}

static tips_status find_padding(const step_text *s, tips_pad_mode *out) {
    for (int i = 0; tips_pad_mode_names[i]; i++) {
        if (strcmp(tips_pad_mode_names[i], s->padding) != 0) continue;
        *out = (tips_pad_mode)i;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_FORMAT, "operator '%s' has an unknown padding '%s'", s->name, s->padding);
}

static tips_status add_operator(tips_blueprint *b, const step_text *s) {
    tips_pool_spec pool;
    tips_pad_mode padding = TIPS_PAD_ZERO;
    int step;
    if (s->n_stride != 2 || s->n_in != 1) TIPS_FAIL(TIPS_FORMAT, "operator '%s' has no stride or no input", s->name);
    TIPS_TRY(find_padding(s, &padding));
    TIPS_TRY(tips__pool_parse_stored(s->pool, s->lpf, &pool));
    return tips__blueprint_add_pool(b, s->name, &pool, s->stride, padding, s->shares, s->in[0], &step);
}

static tips_status end_step(reader *r) {
    const step_text *s = &r->step;
    if (tips__blueprint_find(r->blueprint, s->name) != TIPS_BLUEPRINT_NOTHING)
        TIPS_FAIL(TIPS_FORMAT, "two layers are called '%s'", s->name);
    if (!s->layer[0] == !s->pool[0]) TIPS_FAIL(TIPS_FORMAT, "step '%s' is neither a layer nor an operator", s->name);
    return s->pool[0] ? add_operator(r->blueprint, s) : add_layer(r->blueprint, s);
}

static tips_status take_text(reader *r, const tips_json_event *e) {
    step_text *s = &r->step;
    const struct {
        const char *key;
        char *to;
    } fields[] = {
        {"name", s->name}, {"layer", s->layer}, {"options", s->options}, {"pool", s->pool}, {"padding", s->padding}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].key, r->key) != 0) continue;
        if (e->length >= TEXT_SIZE) TIPS_FAIL(TIPS_FORMAT, "a text under '%s' is too long", r->key);
        memcpy(fields[i].to, e->text, e->length);
        fields[i].to[e->length] = '\0';
    }
    return TIPS_OK;
}

static tips_status read_int(const tips_json_event *e, const char *key, int *out) {
    char text[16], *end;
    if (e->length >= sizeof text) TIPS_FAIL(TIPS_FORMAT, "the number under '%s' is too long", key);
    memcpy(text, e->text, e->length);
    text[e->length] = '\0';
    const long value = strtol(text, &end, 10);
    if (*end || value < -2 || value > 1 << 24)
        TIPS_FAIL(TIPS_FORMAT, "the number under '%s' is out of range: %s", key, text);
    *out = (int)value;
    return TIPS_OK;
}

static tips_status push(const char *key, int *list, int *count, int most, int value) {
    if (*count == most) TIPS_FAIL(TIPS_FORMAT, "more than %d numbers under '%s'", most, key);
    list[(*count)++] = value;
    return TIPS_OK;
}

static tips_status take_number(reader *r, const tips_json_event *e) {
    tips_blueprint *b = r->blueprint;
    step_text *s = &r->step;
    int value = 0;
    TIPS_TRY(read_int(e, r->key, &value));
    if (e->depth == 4 && strcmp(r->key, "in") == 0) return push(r->key, s->in, &s->n_in, TIPS_MAX_IN, value);
    if (e->depth == 4 && strcmp(r->key, "undoes") == 0)
        return push(r->key, s->undone, &s->n_undone, TIPS_BLUEPRINT_UNDOES, value);
    if (e->depth == 4 && strcmp(r->key, "stride") == 0) return push(r->key, s->stride, &s->n_stride, 2, value);
    if (e->depth == 3 && strcmp(r->key, "lpf") == 0) s->lpf = value;
    if (e->depth == 3 && strcmp(r->key, "shares") == 0) s->shares = value;
    if (e->depth == 1 && strcmp(r->key, "channels") == 0) b->channels = value;
    if (e->depth == 1 && strcmp(r->key, "classes") == 0) b->classes = value;
    if (e->depth == 1 && strcmp(r->key, "output") == 0) b->output = value;
    return TIPS_OK;
}

static tips_status visit(void *context, const tips_json_event *e) {
    reader *r = context;
    switch (e->kind) {
    case TIPS_JSON_KEY:
        snprintf(r->key, sizeof r->key, "%.*s", (int)(e->length < 31 ? e->length : 31), e->text);
        return TIPS_OK;
    case TIPS_JSON_OBJECT:
        if (e->depth == 2) start_step(&r->step);
        return TIPS_OK;
    case TIPS_JSON_OBJECT_END: return e->depth == 2 ? end_step(r) : TIPS_OK;
    case TIPS_JSON_TEXT: return e->depth == 3 ? take_text(r, e) : TIPS_OK;
    case TIPS_JSON_NUMBER: return take_number(r, e);
    default: return TIPS_OK;
    }
}

static tips_status check_whole(const tips_blueprint *b) {
    if (b->n_steps == 0) TIPS_FAIL(TIPS_FORMAT, "the network has no layers");
    if (b->output < 0 || b->output >= b->n_steps) TIPS_FAIL(TIPS_FORMAT, "the network's output is missing");
    if (b->channels < 1 || b->channels > 64)
        TIPS_FAIL(TIPS_FORMAT, "%d input channels; 1..64 are possible", b->channels);
    if (b->classes < 0) TIPS_FAIL(TIPS_FORMAT, "%d classes", b->classes);
    return TIPS_OK;
}

tips_status tips__blueprint_parse(const char *text, size_t length, tips_blueprint **out) {
    reader r = {.key = ""};
    start_step(&r.step);
    TIPS_TRY(tips__blueprint_create(0, &r.blueprint));
    tips_status status = tips__json_read(text, length, MOST_DEPTH, visit, &r);
    if (status == TIPS_OK) status = check_whole(r.blueprint);
    if (status == TIPS_OK) *out = r.blueprint;
    else tips__blueprint_release(r.blueprint);
    return status;
}
