/* Every layer with a config is configured by text: parse(format(config)) is the config, whatever it holds. */
#include "layer/layers.h"
#include "support/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

enum { TEXT_SIZE = 1024, MOST_PADDING = 7 };

static void expect_round_trip(const tips_layer *layer, const void *config) {
    char text[TEXT_SIZE], again[TEXT_SIZE];
    void *copy = test_alloc(layer->config_size);
    memset(copy, 0, layer->config_size);
    tips__options_format(layer->options, config, text, sizeof text);
    assert_int_equal(tips__options_defaults(layer->options, copy), TIPS_OK);
    assert_int_equal(tips__options_parse(layer->options, copy, text, layer->name), TIPS_OK);
    if (memcmp(copy, config, layer->config_size) != 0) fail_case("'%s' does not read back", text);
    tips__options_format(layer->options, copy, again, sizeof again);
    assert_string_equal(again, text);
    free(copy);
}

static int whole_within(const tips_option *row, int i) {
    if (row->min == 0 && row->max == 0) return 1000 * i - 1500;
    const double values[] = {row->min, row->max, row->min + (row->max - row->min) / 3, row->min + 1};
    return (int)values[i];
}

static double real_within(const tips_option *row, int i) {
    const double values[] = {0.1, 1e-5, 1 / 3.0, 0.99};
    const bool is_open = (row->min == 0 && row->max == 0) || isinf(row->min);
    if (is_open) return i == 3 && row->max != 0 ? row->min : -3e7 * values[i];
    return isinf(row->max) ? row->min + values[i] : row->min + (row->max - row->min) * values[i];
}

/* The i-th of four values for a field. */
static void set_field(const tips_option *row, int i, void *config) {
    void *field = (char *)config + row->offset;
    int choices = 0;
    switch (row->type) {
    case TIPS_OPT_BOOL: *(bool *)field = i % 2; return;
    case TIPS_OPT_INT: *(int *)field = whole_within(row, i); return;
    case TIPS_OPT_FLOAT: *(double *)field = real_within(row, i); return;
    case TIPS_OPT_PAIR:
        ((int *)field)[0] = whole_within(row, i);
        ((int *)field)[1] = whole_within(row, (i + 1) % 4);
        return;
    case TIPS_OPT_CHOICE:
        while (row->choices[choices]) choices++;
        *(int *)field = i % choices;
        return;
    case TIPS_OPT_CHAIN:
        while (row->choices[choices]) choices++;
        for (int k = 0; k < TIPS_CHAIN_MOST; k++) ((int *)field)[k] = k < i ? 1 + (i + k) % (choices - 1) : 0;
        return;
    case TIPS_OPT_TEXT:
    case TIPS_OPT_LIST:
    case TIPS_OPT_GROUP:
    case TIPS_OPT_LIKE:
    case TIPS_OPT_GIVEN:
    case TIPS_OPT_END: break;
    }
    fail_case("'%s' is of a kind that no layer has", row->name);
}

/* Bytes that no row sets can only be padding of the struct. */
static void expect_every_field(const tips_layer *layer) {
    unsigned char *config = test_alloc(layer->config_size);
    memset(config, 0xa5, layer->config_size);
    assert_int_equal(tips__options_defaults(layer->options, config), TIPS_OK);
    for (size_t i = 0, run = 0; i < layer->config_size; i++) {
        run = config[i] == 0xa5 ? run + 1 : 0;
        if (run > MOST_PADDING) fail_case("no option sets byte %d of the config", (int)i);
    }
    free(config);
}

/* Their configs are the anchors of a detector, which no file holds: its task makes them. */
static bool is_of_anchors(const tips_layer *layer) {
    static const char *const names[] = {"anchor_origins", "match_anchors", "focal_loss", "box_loss",
                                        "proposals",      "sample_rois",   "roi_align",  "roi_box_loss"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(layer->name, names[i]) == 0) return true;
    return false;
}

static void round_trips(void **state) {
    (void)state;
    for (const tips_layer *const *layer = tips__layers; *layer; layer++) {
        test_case("%s", (*layer)->name);
        assert_int_equal((*layer)->options != NULL, (*layer)->config_size > 0 && !is_of_anchors(*layer));
        if (!(*layer)->options) continue;
        void *config = test_alloc((*layer)->config_size);
        char text[TEXT_SIZE];
        memset(config, 0, (*layer)->config_size);
        assert_int_equal(tips__options_defaults((*layer)->options, config), TIPS_OK);
        tips__options_format((*layer)->options, config, text, sizeof text);
        assert_string_equal(text, "");
        for (int i = 0; i < 4; i++) {
            for (tips_option_walk walk = tips__options_walk((*layer)->options); tips__options_next(&walk);) {
                set_field(&walk.row, i, config);
                expect_round_trip(*layer, config);
            }
        }
        free(config);
        expect_every_field(*layer);
    }
}

/* The names and values that files written elsewhere use. */
static void reads_names(void **state) {
    (void)state;
    tips_conv2d conv;
    assert_int_equal(tips__options_defaults(tips__layer_conv2d.options, &conv), TIPS_OK);
    assert_int_equal(tips__options_parse(tips__layer_conv2d.options, &conv,
                                         "out=64,kernel=7x5,stride=2,groups=4,pad-mode=circular,top=3,right=1,bias",
                                         "conv2d"),
                     TIPS_OK);
    assert_int_equal(conv.out, 64);
    assert_int_equal(conv.kernel[0], 7);
    assert_int_equal(conv.kernel[1], 5);
    assert_int_equal(conv.stride[1], 2);
    assert_int_equal(conv.dilation[0], 1);
    assert_int_equal(conv.padding.mode, TIPS_PAD_CIRCULAR);
    assert_int_equal(conv.padding.top, 3);
    assert_int_equal(conv.padding.right, 1);
    assert_true(conv.bias);
    tips_slice slice;
    assert_int_equal(tips__options_defaults(tips__layer_slice.options, &slice), TIPS_OK);
    assert_int_equal(tips__options_parse(tips__layer_slice.options, &slice, "axis=h,start=-3", "slice"), TIPS_OK);
    assert_int_equal(slice.axis, TIPS_AXIS_H);
    assert_int_equal(slice.start, -3);
    assert_int_equal(slice.stop, INT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trips), cmocka_unit_test(reads_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
