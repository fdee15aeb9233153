/* Mean, deviation, range, order of channels and class names from options. */
#include "model/input_options.h"

#include "core/fail.h"
#include "core/number.h"
#include "data/names.h"

#include <math.h>
#include <string.h>

const char *const tips__pixel_range_names[] = {"model", "0..1", "0..255", "-1..1", NULL};

const tips_option tips__normal_rows[] = {
    TIPS_GIVEN_ROW(tips_input_options, given),
    {.name = "mean",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_input_options, mean),
     .metavar = "X[,X,X]",
     .help = "mean that the model's pixels have taken off, per channel in its order, in units of --range"},
    {.name = "std",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_input_options, std),
     .metavar = "X[,X,X]",
     .help = "deviation that they are divided by then"},
    {.name = "range",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_input_options, range),
     .fallback = "model",
     .choices = tips__pixel_range_names,
     .help = "pixel values before that; unless it is model, mean 0 and deviation 1 where they are not given"},
    {.name = "bgr",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(tips_input_options, bgr),
     .fallback = "false",
     .help = "the model takes blue, green, red"},
    {.type = TIPS_OPT_END},
};

const tips_option tips__input_rows[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__normal_rows}, /* and what was given of all of these */
    {.name = "resize",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_input_options, resize),
     .fallback = "0",
     .min = 0,
     .max = 8192,
     .help = "shorter side of pictures before the centre is cropped; 0 means as the model says"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_input_options, placement), .group = tips__placement_rows},
    {.name = "output",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_input_options, output),
     .metavar = "NAME",
     .help = "the output of an ONNX file that holds the logits, where there are several; the first unless given"},
    {.name = "boxes",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_input_options, boxes),
     .metavar = "STYLE[:KEY=VALUE,...]",
     .help = "what the outputs of an ONNX detector mean: auto, torchvision, ended, nanodet, ssd, fastestdet, yolox, "
             "yolo5 or yolo8"},
    {.name = "labels",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_input_options, labels),
     .metavar = "FILE",
     .help = "names of the model's classes, one a line, in the order of its outputs"},
    {.name = "size",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(tips_input_options, size),
     .fallback = "0",
     .min = 0,
     .max = 4096,
     .metavar = "H[xW]",
     .help = "height and width of the input in pixels; 0 means the model's own, or 32 without a model"},
    {.type = TIPS_OPT_END},
};

enum { NUMBER_ROOM = 64 };

/* "a" for all channels, or one number for each. */
static tips_status parse_channels(const char *text, const char *flag, int channels, double out[3]) {
    int count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        char number[NUMBER_ROOM];
        double value;
        if (length >= sizeof number || count == 3) break;
        memcpy(number, at, length);
        number[length] = '\0';
        if (!tips__number_parse(number, &value) || !isfinite(value)) break;
        out[count++] = value;
        at += length;
        if (*at != '\0') continue;
        if (count == 1) out[1] = out[2] = out[0];
        if (count == 1 || count == channels) return TIPS_OK;
        break;
    }
    TIPS_FAIL(TIPS_INVALID, "--%s: '%s' is not one number or one for each of %d channels, as in 0.5,0.4,0.3", flag,
              text, channels);
}

static void reverse(double x[3]) {
    const double first = x[0];
    x[0] = x[2];
    x[2] = first;
}

/* From the units of a range to those of 0..1. */
static void rescale(int range, double mean[3], double std[3]) {
    for (int i = 0; i < 3; i++) {
        if (range == TIPS_PIXELS_255) mean[i] /= 255, std[i] /= 255;
        if (range == TIPS_PIXELS_SIGNED) mean[i] = (mean[i] + 1) / 2, std[i] /= 2;
    }
}

static bool is_given(const tips_input_options *in, const char *name) {
    return tips__option_is_given(tips__input_rows, in, name);
}

static bool takes_bgr(const tips_input_options *in, const tips_model_info *info) {
    return is_given(in, "bgr") ? in->bgr : in->bgr || info->bgr;
}

/* Means and deviations are published for pixels of 0..255 too, and taken for others they turn pictures to grey. */
static tips_status check_units(const tips_input_options *in, const char *flag, const double values[3]) {
    enum { MOST = 10 };
    for (int i = 0; i < 3 && in->range != TIPS_PIXELS_255; i++)
        if (fabs(values[i]) > MOST)
            TIPS_FAIL(TIPS_RANGE, "--%s: %g is none of pixels in %s; if they are in 0..255, say --range 0..255", flag,
                      values[i], in->range == TIPS_PIXELS_SIGNED ? "-1..1" : "0..1");
    return TIPS_OK;
}

static tips_status apply_values(const tips_input_options *in, tips_model_info *info) {
    const int channels = info->config.in_channels;
    double mean[3], std[3];
    for (int i = 0; i < 3; i++) mean[i] = info->mean[i], std[i] = info->std[i];
    if (takes_bgr(in, info) != info->bgr) reverse(mean), reverse(std);
    for (int i = 0; i < 3 && in->range != TIPS_PIXELS_MODEL; i++) mean[i] = 0, std[i] = 1;
    if (in->mean || in->range != TIPS_PIXELS_MODEL) info->mean_from = TIPS_INPUT_GIVEN;
    if (in->std || in->range != TIPS_PIXELS_MODEL) info->std_from = TIPS_INPUT_GIVEN;
    if (in->mean) TIPS_TRY(parse_channels(in->mean, "mean", channels, mean));
    if (in->std) TIPS_TRY(parse_channels(in->std, "std", channels, std));
    if (in->mean) TIPS_TRY(check_units(in, "mean", mean));
    if (in->std) TIPS_TRY(check_units(in, "std", std));
    for (int i = 0; i < 3; i++)
        if (!(std[i] > 0)) TIPS_FAIL(TIPS_RANGE, "--std: a deviation is positive, not %g", std[i]);
    rescale(in->range, mean, std);
    for (int i = 0; i < 3; i++) info->mean[i] = (float)mean[i], info->std[i] = (float)std[i];
    return TIPS_OK;
}

static tips_status apply_labels(const char *path, tips_model_info *info) {
    tips_names names = {0};
    tips_status status = tips__read_lines(path, &names);
    if (status == TIPS_OK && names.count != info->config.classes)
        status =
            tips__fail(TIPS_SHAPE, "%s: has %d names, the model %d outputs", path, names.count, info->config.classes);
    if (status == TIPS_OK) status = tips__model_info_set_classes(info, (const char *const *)names.rows, names.count);
    tips__names_clear(&names);
    return status;
}

tips_model_options tips__input_sized(const tips_input_options *input, const tips_model_options *options) {
    enum { USUAL = 32 };
    tips_model_options o = *options;
    if (input->size[0] > 0) o.size[0] = input->size[0], o.size[1] = input->size[1];
    if (o.size[0] == 0) o.size[0] = o.size[1] = USUAL;
    return o;
}

/* How large pictures become. Those of a model that stretches them keep their aspect where that is given. */
static void apply_extent(const tips_input_options *in, tips_model_info *info) {
    const tips_placement *p = &in->placement;
    const bool is_whole = tips__placement_is_whole(p), keeps_aspect = is_given(in, "stretch") && !p->stretch;
    if (in->resize > 0) info->resize = in->resize;
    if (is_whole) info->resize = 0;
    if (in->resize > 0 || is_whole || is_given(in, "fit")) {
        info->fit_inside = false;
        memcpy(info->placement.fit, p->fit, sizeof p->fit);
        info->placement.stretch = p->stretch;
    } else if (keeps_aspect && info->placement.stretch) {
        info->placement.fit[0] = info->placement.fit[1] = TIPS_FIT_INPUT;
        info->placement.stretch = 0;
    }
}

static tips_status apply_placement(const tips_input_options *in, tips_model_info *info) {
    const tips_placement *p = &in->placement;
    TIPS_TRY(tips__placement_check(p, in->resize));
    apply_extent(in, info);
    if (p->filter || is_given(in, "filter")) info->placement.filter = p->filter;
    if (p->pad || is_given(in, "pad")) info->placement.pad = p->pad;
    if (p->place || is_given(in, "place")) info->placement.place = p->place;
    if (p->letterbox || is_given(in, "letterbox")) info->placement.letterbox = p->letterbox;
    return TIPS_OK;
}

tips_status tips__input_describe_normal(const tips_input_options *in, tips_model_info *info) {
    if (in->bgr && info->config.in_channels != 3)
        TIPS_FAIL(TIPS_INVALID, "--bgr: the model takes %d channels, not three", info->config.in_channels);
    TIPS_TRY(apply_values(in, info));
    info->bgr = takes_bgr(in, info);
    return TIPS_OK;
}

bool tips__input_says_all(const tips_input_options *in) {
    return in->range != TIPS_PIXELS_MODEL || (in->mean && in->std);
}

tips_status tips__input_describe(const tips_input_options *in, tips_model_info *info) {
    TIPS_TRY(tips__input_describe_normal(in, info));
    TIPS_TRY(apply_placement(in, info));
    return in->labels ? apply_labels(in->labels, info) : TIPS_OK;
}

tips_status tips__input_apply(const tips_input_options *in, tips_loaded_model *model) {
    TIPS_TRY(tips__input_describe(in, &model->info));
    model->preprocess = tips__model_preprocess(&model->info);
    return TIPS_OK;
}

static void add_text(tips_text *out, const char *flag, const char *value) {
    if (!value) return;
    tips__text_print(out, " --%s ", flag);
    tips__text_word(out, value);
}

void tips__input_flags(tips_text *out, const tips_input_options *in) {
    add_text(out, "mean", in->mean);
    add_text(out, "std", in->std);
    if (in->range != TIPS_PIXELS_MODEL) add_text(out, "range", tips__pixel_range_names[in->range]);
    if (in->bgr || is_given(in, "bgr")) tips__text_add(out, in->bgr ? " --bgr" : " --no-bgr");
    if (in->size[0] > 0) tips__text_print(out, " --size %dx%d", in->size[0], in->size[1]);
    if (in->resize > 0) tips__text_print(out, " --resize %d", in->resize);
    for (tips_option_walk walk = tips__options_walk(tips__placement_rows); tips__options_next(&walk);) {
        char value[NUMBER_ROOM];
        tips__option_format(&walk.row, &in->placement, value, sizeof value);
        if (strcmp(value, walk.row.fallback) != 0 || is_given(in, walk.row.name)) add_text(out, walk.row.name, value);
    }
    add_text(out, "output", in->output);
    add_text(out, "boxes", in->boxes);
    add_text(out, "labels", in->labels);
}
