/* A network that learned with zeros around its maps may use them: they tell it where the border is. Exactness takes
 * them away. How much it leans on them shows when nothing else changes: the network with its own sampling, with its own
 * paddings and with circular ones, answers the same few pictures. */
#include "convert/convert_advice.h"

#include "convert/converted.h"
#include "core/fail.h"
#include "core/memory.h"
#include "net/net.h"

#include <math.h>

/* Scores that move by more than this share of their deviation: fine-tuning has much to learn again. */
static const double MUCH = 0.1;

/* The scores (pictures, numbers) of the network with one kind of padding. */
typedef struct answers {
    float *scores;
    size_t numbers, classes; /* of one picture */
} answers;

static tips_status ask(tips_net *net, const tips_converted *c, answers *out) {
    const tips_value_info *in = tips__value(c->model.graph, c->input.value);
    float *pixels;
    TIPS_TRY(tips__new(&pixels, (size_t)in->c * (size_t)in->h * (size_t)in->w * sizeof *pixels, "a picture"));
    tips_status status = TIPS_OK;
    for (int p = 0; p < TIPS_CONVERT_PICTURES && status == TIPS_OK; p++) {
        tips__convert_picture(in, &c->input, p, pixels);
        status = tips__net_set_map(net, c->input.value, pixels);
        if (status == TIPS_OK) status = tips__net_forward(net);
        if (status == TIPS_OK)
            status = tips__net_get_map(net, c->model.ends.outputs[0], out->scores + (size_t)p * out->numbers);
    }
    tips__free(pixels);
    return status;
}

static tips_status ask_all(const tips_converted *c, answers *out) {
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_FAST, .seed = 1};
    const tips_value_info *scores = tips__value(c->model.graph, c->model.ends.outputs[0]);
    tips_net *net;
    out->classes = (size_t)scores->c;
    out->numbers = out->classes * (size_t)scores->h * (size_t)scores->w;
    TIPS_TRY(tips__new(&out->scores, TIPS_CONVERT_PICTURES * out->numbers * sizeof *out->scores, "answers"));
    TIPS_TRY(tips__net_compile(c->model.graph, c->params, &options, &net));
    const tips_status status = ask(net, c, out);
    tips__net_destroy(net);
    return status;
}

static tips_status ask_converted(const tips_loaded_model *from, const tips_conversion *conversion, answers *out) {
    tips_model_info info = from->info;
    tips_converted converted;
    info.config.blueprint = conversion->blueprint;
    TIPS_TRY(tips__converted_create(from, conversion, &info, &converted));
    const tips_status status = ask_all(&converted, out);
    tips__converted_destroy(&converted);
    return status;
}

static tips_status ask_with(const tips_loaded_model *from, const tips_convert_options *options, bool keep,
                            answers *out) {
    tips_convert_options changed = *options;
    tips_conversion conversion;
    changed.keep_padding = keep;
    changed.padding = keep ? TIPS_PAD_ZERO : TIPS_PAD_CIRCULAR;
    TIPS_TRY(tips__pool_parse("stride", 0, &changed.pool));
    TIPS_TRY(tips__convert(from->info.config.blueprint, &changed, &conversion));
    const tips_status status = ask_converted(from, &conversion, out);
    tips__conversion_free(&conversion);
    return status;
}

static double mean_of(const float *values, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

/* Whether another class is chosen: of the picture, or at one pixel in twenty. */
static bool changes(const float *a, const float *b, size_t classes, size_t pixels) {
    size_t others = 0;
    for (size_t p = 0; p < pixels; p++) {
        size_t best[2] = {0, 0};
        for (size_t c = 1; c < classes; c++) {
            if (a[c * pixels + p] > a[best[0] * pixels + p]) best[0] = c;
            if (b[c * pixels + p] > b[best[1] * pixels + p]) best[1] = c;
        }
        others += best[0] != best[1];
    }
    return others * 20 >= pixels && others > 0;
}

static void compare(const answers *kept, const answers *circular, tips_convert_advice *out) {
    const size_t n = kept->numbers;
    double moved = 0, spread = 0;
    for (int p = 0; p < TIPS_CONVERT_PICTURES; p++) {
        const float *a = kept->scores + (size_t)p * n, *b = circular->scores + (size_t)p * n;
        const double mean_a = mean_of(a, n), mean_b = mean_of(b, n);
        for (size_t i = 0; i < n; i++) {
            const double x = a[i] - mean_a, y = b[i] - mean_b;
            moved += (x - y) * (x - y);
            spread += x * x;
        }
        out->changed += changes(a, b, kept->classes, n / kept->classes);
    }
    out->pictures = isfinite(moved) && isfinite(spread) && spread > 0 ? TIPS_CONVERT_PICTURES : 0;
    out->moved = out->pictures ? sqrt(moved / spread) : 0;
    out->keep = out->moved > MUCH;
}

tips_status tips__convert_advise(const tips_loaded_model *from, const tips_convert_options *options,
                                 tips_convert_advice *out) {
    answers kept = {0}, circular = {0};
    *out = (tips_convert_advice){0};
    tips_status status = ask_with(from, options, true, &kept);
    if (status == TIPS_OK) status = ask_with(from, options, false, &circular);
    if (status == TIPS_OK) compare(&kept, &circular, out);
    tips__free(kept.scores);
    tips__free(circular.scores);
    return status;
}
