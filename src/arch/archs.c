/* The table of architectures: finding one, checking its config, making a whole network from it. */
#include "arch/blueprint.h"
#include "arch/deeplab.h"
#include "arch/densenet.h"
#include "arch/efficientnet.h"
#include "arch/fasterrcnn.h"
#include "arch/fcn.h"
#include "arch/mobilenet.h"
#include "arch/resnet.h"
#include "arch/retinanet.h"
#include "arch/swin.h"
#include "arch/unet.h"
#include "arch/unet_plain.h"
#include "arch/vgg.h"
#include "arch/vit.h"
#include "core/fail.h"

#include <string.h>

const char *const tips__head_names[] = {"auto", "own", "gap", NULL};
const char *const tips__up_names[] = {
    "auto", "insert", "follow-nearest", "follow-bilinear", "nearest", "bilinear", "transpose", "plain-transpose", NULL};
const char *const tips__stem_names[] = {"auto", "cifar", "imagenet", NULL};

#define TIPS_ARCH(id, family, text, ...)                                       \
    static const int layout_##id[] = {__VA_ARGS__};                            \
    static const tips_arch arch_##id = {.name = #id,                           \
                                        .brief = text,                         \
                                        .layout = layout_##id,                 \
                                        .resolve = tips__##family##_resolve,   \
                                        .features = tips__##family##_features, \
                                        .classify = tips__##family##_classify};
#define TIPS_SEGMENTER(id, family, text, ...)                                  \
    static const int layout_##id[] = {__VA_ARGS__};                            \
    static const tips_arch arch_##id = {.name = #id,                           \
                                        .brief = text,                         \
                                        .layout = layout_##id,                 \
                                        .task = "segment",                     \
                                        .resolve = tips__##family##_resolve,   \
                                        .features = tips__##family##_features, \
                                        .segment = tips__##family##_segment};
#define TIPS_DETECTOR(id, family, text, ...)                                   \
    static const int layout_##id[] = {__VA_ARGS__};                            \
    static const tips_arch arch_##id = {.name = #id,                           \
                                        .brief = text,                         \
                                        .layout = layout_##id,                 \
                                        .task = "detect",                      \
                                        .resolve = tips__##family##_resolve,   \
                                        .features = tips__##family##_features, \
                                        .detect = tips__##family##_detect};
#include "arch/archs.def"
#undef TIPS_ARCH
#undef TIPS_SEGMENTER
#undef TIPS_DETECTOR

#define TIPS_ARCH(id, ...) &arch_##id,
#define TIPS_SEGMENTER TIPS_ARCH
#define TIPS_DETECTOR TIPS_ARCH
const tips_arch *const tips__archs[] = {
#include "arch/archs.def"
    NULL};
#undef TIPS_ARCH

#define TIPS_ARCH(id, ...) #id,
static const char *const names[] = {
#include "arch/archs.def"
    NULL};
#undef TIPS_ARCH
#undef TIPS_SEGMENTER
#undef TIPS_DETECTOR

enum { LIST_SIZE = 1024 };

static void list_names(char *out, size_t size) {
    size_t length = 0;
    for (int i = 0; names[i] && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? ", " : "", names[i]);
}

/* A dash is as good as an underscore. */
static bool same_name(const char *name, const char *given) {
    for (; *name; name++, given++)
        if (*name != *given && !(*name == '_' && *given == '-')) return false;
    return *given == '\0';
}

tips_status tips__arch_find(const char *name, const tips_arch **out) {
    for (int i = 0; names[i]; i++) {
        if (!same_name(names[i], name)) continue;
        *out = tips__archs[i];
        return TIPS_OK;
    }
    if (strcmp(name, tips__arch_graph.name) == 0) { /* not in the table: it cannot be chosen without a file */
        *out = &tips__arch_graph;
        return TIPS_OK;
    }
    char all[LIST_SIZE];
    list_names(all, sizeof all);
    const char *nearest = tips__nearest(names, name);
    if (!nearest) TIPS_FAIL(TIPS_UNKNOWN, "unknown architecture '%s'; there are %s", name, all);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown architecture '%s'; did you mean '%s'? There are %s", name, nearest, all);
}

static tips_status check_range(const char *what, int value, int least, int most) {
    if (value < least || value > most)
        TIPS_FAIL(TIPS_RANGE, "%s %d is out of range; it takes %d..%d", what, value, least, most);
    return TIPS_OK;
}

/* Every downsampling layer needs two cells to choose from on each axis. */
static tips_status check_size(const tips_arch *arch, const tips_arch_config *config) {
    if (tips__pool_traits(&config->pool) & TIPS_POOL_IDENTITY || config->down == 0) return TIPS_OK;
    const int layers = config->down - config->atrous, least = (1 << (layers - 1)) + 1;
    if (config->size[0] >= least && config->size[1] >= least) return TIPS_OK;
    TIPS_FAIL(TIPS_RANGE, "an input of %dx%d is too small for %s with %d downsampling layers; it takes at least %dx%d",
              config->size[0], config->size[1], arch->name, layers, least, least);
}

static tips_status refuse_decoder_options(const tips_arch *arch, const tips_arch_config *config) {
    if (config->backbone)
        TIPS_FAIL(TIPS_INVALID,
                  "%s is a backbone itself; --backbone is of networks for segmentation and "
                  "detection: unet, retinanet, fasterrcnn and others",
                  arch->name);
    if (config->output_stride && arch != &tips__arch_graph)
        TIPS_FAIL(TIPS_INVALID, "%s has no --output-stride; deeplabv3plus, deeplabv3 and fcn have one", arch->name);
    return TIPS_OK;
}

const tips_pool_spec *tips__pool_of_level(const tips_arch_config *config, const tips_features *features) {
    const int before = features->count - 1, others = config->others;
    const bool is_other = others > 0 ? before < others : before >= config->down + others;
    return others != 0 && is_other ? &config->other : &config->pool;
}

/* Once the number of layers is known. */
static tips_status check_places(const tips_arch *arch, const tips_arch_config *config) {
    const int count = config->others < 0 ? -config->others : config->others;
    const bool mixes = arch->classify && !arch->segment && arch != &tips__arch_graph &&
                       arch->features != tips__vit_features && arch->features != tips__swin_features;
    if (count > 0 && !mixes) TIPS_FAIL(TIPS_INVALID, "%s has one operator throughout, no --others", arch->name);
    if (count > config->down)
        TIPS_FAIL(TIPS_RANGE, "--others %d: %s has %d downsampling layers", config->others, arch->name, config->down);
    if (config->stem_kernel && arch->features != tips__resnet_features && arch->features != tips__mobilenet_v1_features)
        TIPS_FAIL(TIPS_INVALID, "%s has no --stem-kernel; ResNets and mobilenet_v1 have", arch->name);
    return TIPS_OK;
}

tips_status tips__arch_resolve(const tips_arch *arch, tips_arch_config *config) {
    tips_arch_config filled = *config;
    TIPS_TRY(check_range("a height of", config->size[0], 1, 4096));
    TIPS_TRY(check_range("a width of", config->size[1], 1, 4096));
    TIPS_TRY(check_range("a number of classes of", config->classes, 1, 100000));
    TIPS_TRY(check_range("a number of input channels of", config->in_channels, 1, 64));
    if (filled.depth == 0) filled.depth = 1;
    if ((!arch->segment && !arch->detect) || arch == &tips__arch_graph) TIPS_TRY(refuse_decoder_options(arch, &filled));
    TIPS_TRY(arch->resolve(arch, &filled));
    TIPS_TRY(check_range("a first stage of width", filled.width, 1, 1024));
    TIPS_TRY(check_places(arch, &filled));
    TIPS_TRY(check_size(arch, &filled));
    *config = filled;
    return TIPS_OK;
}
