/* Names that others give to the parameters of our networks: vision transformers of timm, and those and detectors of
 * torchvision before 0.14. */
#include "model/weights_alias.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Convolutions of pyramids and heads had no norm beside them yet, and those of heads were counted with their ReLUs. */
#define OLD_PYRAMID(blocks)                                                       \
    {"backbone.fpn." blocks ".#.weight", "backbone.fpn." blocks ".#.0.weight"}, { \
        "backbone.fpn." blocks ".#.bias", "backbone.fpn." blocks ".#.0.bias"      \
    }
#define OLD_CONV(head, theirs, ours)                                                    \
    {"head." head ".conv." theirs ".weight", "head." head ".conv." ours ".0.weight"}, { \
        "head." head ".conv." theirs ".bias", "head." head ".conv." ours ".0.bias"      \
    }
#define OLD_HEAD(head) \
    OLD_CONV(head, "0", "0"), OLD_CONV(head, "2", "1"), OLD_CONV(head, "4", "2"), OLD_CONV(head, "6", "3")

#define OUR_LAYER "encoder.layers.encoder_layer_#."

/* # stands for a number, and a row that ends in a dot for everything below it. */
static const struct {
    const char *theirs, *ours;
} aliases[] = {
    {OUR_LAYER "mlp.linear_1.", OUR_LAYER "mlp.0."},
    {OUR_LAYER "mlp.linear_2.", OUR_LAYER "mlp.3."},
    OLD_PYRAMID("inner_blocks"),
    OLD_PYRAMID("layer_blocks"),
    OLD_HEAD("classification_head"),
    OLD_HEAD("regression_head"),
    {"rpn.head.conv.weight", "rpn.head.conv.0.0.weight"},
    {"rpn.head.conv.bias", "rpn.head.conv.0.0.bias"},
    {"cls_token", "class_token"},
    {"pos_embed", "encoder.pos_embedding"},
    {"patch_embed.proj.", "conv_proj."},
    {"blocks.#.norm1.", OUR_LAYER "ln_1."},
    {"blocks.#.attn.qkv.weight", OUR_LAYER "self_attention.in_proj_weight"},
    {"blocks.#.attn.qkv.bias", OUR_LAYER "self_attention.in_proj_bias"},
    {"blocks.#.attn.proj.", OUR_LAYER "self_attention.out_proj."},
    {"blocks.#.norm2.", OUR_LAYER "ln_2."},
    {"blocks.#.mlp.fc1.", OUR_LAYER "mlp.0."},
    {"blocks.#.mlp.fc2.", OUR_LAYER "mlp.3."},
    {"norm.", "encoder.ln."},
    {"head.", "heads.head."},
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

/* What a row leaves open of a name that it fits. */
typedef struct open_parts {
    const char *number, *rest;
    size_t digits;
} open_parts;

static bool fits(const char *row, const char *name, open_parts *parts) {
    *parts = (open_parts){.number = name, .rest = ""};
    for (; *row; row++) {
        if (*row != '#') {
            if (*row != *name++) return false;
            continue;
        }
        parts->number = name;
        while (isdigit((unsigned char)*name)) name++;
        parts->digits = (size_t)(name - parts->number);
        if (parts->digits == 0) return false;
    }
    parts->rest = name;
    return row[-1] == '.' || *name == '\0';
}

static bool append(char *out, size_t *length, const char *text, size_t count) {
    if (*length + count >= TIPS_ALIAS_SIZE) return false;
    memcpy(out + *length, text, count);
    out[ *length += count] = '\0';
    return true;
}

/* `name`, which one row names, as the other would. */
static bool rename_by(const char *from, const char *to, const char *name, char out[TIPS_ALIAS_SIZE]) {
    open_parts parts;
    size_t length = 0;
    bool has_room = true;
    if (!fits(from, name, &parts)) return false;
    for (; *to && has_room; to++)
        has_room = *to == '#' ? append(out, &length, parts.number, parts.digits) : append(out, &length, to, 1);
    return has_room && append(out, &length, parts.rest, strlen(parts.rest));
}

const char *tips__weights_our_name(const char *name, char out[TIPS_ALIAS_SIZE]) {
    for (int i = 0; i < ALIASES; i++)
        if (rename_by(aliases[i].theirs, aliases[i].ours, name, out)) return out;
    return name;
}

int tips__weights_find(const tips_safetensors *file, const char *name) {
    char theirs[TIPS_ALIAS_SIZE];
    int found = tips__safetensors_find(file, name);
    for (int i = 0; i < ALIASES && found < 0; i++)
        if (rename_by(aliases[i].ours, aliases[i].theirs, name, theirs)) found = tips__safetensors_find(file, theirs);
    return found;
}
