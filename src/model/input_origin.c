/* The words for where mean and deviation come from. */
#include "model/input_origin.h"

#include <stdio.h>
#include <string.h>

const char *const tips__input_origin_names[] = {"file", "given", "measured", "default", "style", "guessed", NULL};

const char *const tips__input_origin_words[] = {"as its file says",
                                                "as given",
                                                "as measured on its data",
                                                "as it was made with",
                                                "as detectors of this style have it",
                                                "guessed"};

const float tips__imagenet_mean[3] = {0.485f, 0.456f, 0.406f}, tips__imagenet_std[3] = {0.229f, 0.224f, 0.225f};

enum { VALUES = 96 };

tips_input_origin tips__input_origin(const tips_input_facts *f) {
    return f->mean_from > f->std_from ? f->mean_from : f->std_from;
}

static void format_values(const float values[3], int channels, char out[VALUES]) {
    const int count = channels == 1 ? 1 : 3;
    size_t length = 0;
    for (int i = 0; i < count; i++)
        length += (size_t)snprintf(out + length, VALUES - length, "%s%.6g", i ? ", " : "", (double)values[i]);
}

void tips__input_words(const tips_input_facts *f, char *out, size_t size) {
    char mean[VALUES], std[VALUES];
    format_values(f->mean, f->channels, mean);
    format_values(f->std, f->channels, std);
    snprintf(out, size, "mean %s and deviation %s of pixels in 0..1", mean, std);
}

static bool is_imagenets(const tips_input_facts *f) {
    return memcmp(f->mean, tips__imagenet_mean, sizeof f->mean) == 0 &&
           memcmp(f->std, tips__imagenet_std, sizeof f->std) == 0;
}

bool tips__input_guess(const tips_input_facts *f, const char *prefix, char out[TIPS_WARNING_SIZE]) {
    const bool mean = f->mean_from == TIPS_INPUT_GUESSED, std = f->std_from == TIPS_INPUT_GUESSED;
    const char *what = mean && std ? "mean and deviation are" : mean ? "the mean is" : "the deviation is";
    char words[3 * VALUES];
    tips__input_words(f, words, sizeof words);
    snprintf(out, TIPS_WARNING_SIZE,
             "How pictures become its input is not known: %s guessed, %s%s. Figures are wrong where it was trained "
             "otherwise; give %srange, %smean and %sstd.",
             what, is_imagenets(f) ? "ImageNet's " : "", words, prefix, prefix, prefix);
    return mean || std;
}

static bool guessed(const void *facts, char *out) { return tips__input_guess(facts, "--", out); }

const tips_warning_rule tips__input_rules[] = {{"guessed_input", false, guessed}, {.name = NULL}};

static void put_floats(tips_json *json, const char *key, const float *values, int channels) {
    tips__json_open_array(json, key);
    for (int i = 0; i < (channels == 1 ? 1 : 3); i++) tips__json_number(json, NULL, (double)values[i]);
    tips__json_close_array(json);
}

void tips__input_put(tips_json *json, const char *key, const tips_input_facts *f) {
    tips__json_open_object(json, key);
    put_floats(json, "mean", f->mean, f->channels);
    put_floats(json, "std", f->std, f->channels);
    tips__json_text(json, "range", "0..1"); /* that mean and deviation are of */
    tips__json_bool(json, "bgr", f->bgr);
    tips__json_text(json, "source", tips__input_origin_names[tips__input_origin(f)]);
    tips__json_close_object(json);
}
