/* What the loader makes of known pictures, bit by bit: order, flips, crops and shifts of every kind. The sums were
 * taken when the loader knew nothing but one picture, one label. */
#include "support/class_maker.h"
#include "support/compare.h"
#include "support/data_files.h"

#include "core/sha256.h"
#include "data/loader.h"

#include <stdio.h>
#include <string.h>

enum { PICTURES = 12, CLASSES = 3, H = 20, W = 24, EPOCH = 3 };

static char folder[DATA_PATH];

static void write_picture(int number, uint32_t *random) {
    char name[64];
    data_bytes b = {0};
    const int length = snprintf(name, sizeof name, "P6 %d %d 255\n", W + number, H + number % 4);
    data_put(&b, name, (size_t)length);
    for (int i = 0; i < (W + number) * (H + number % 4) * 3; i++) {
        *random = (*random * 1103515245u + 12345u) & 0x7fffffffu;
        data_put(&b, &(uint8_t){(uint8_t)(*random >> 16)}, 1);
    }
    snprintf(name, sizeof name, "%c/%02d.ppm", 'a' + number % CLASSES, number);
    data_write(folder, name, &b);
    data_free(&b);
}

static int set_up(void **state) {
    uint32_t random = 12345;
    (void)state;
    data_make_folder(folder);
    for (int i = 0; i < PICTURES; i++) write_picture(i, &random);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

/* Of the first views; the images of a batch, then its labels. */
static void sum_epoch(tips_loader *loader, size_t image_size, int views, char text[TIPS_SHA256_TEXT]) {
    tips_sha256 sum;
    tips__sha256_start(&sum);
    expect_ok(tips__loader_start(loader, EPOCH, 0));
    for (;;) {
        tips_batch batch;
        expect_ok(tips__loader_next(loader, &batch));
        if (batch.n == 0) break;
        assert_int_equal(batch.n % views, 0);
        for (int i = 0; i < batch.n; i += views)
            tips__sha256_add(&sum, batch.images + (size_t)i * image_size, image_size * sizeof *batch.images);
        for (int i = 0; i < batch.n; i += views) tips__sha256_add(&sum, batch.targets[i].data, batch.targets[i].count);
    }
    tips__sha256_finish(&sum, text);
}

static const struct {
    const char *name;
    tips_augment augment;
    bool shuffle;
    int channels;
    const char *sum;
} cases[] = {
    {"plain", {0}, false, 3, "89760be1cea6c3530d662ce40889d79175fd78695cac5da8840c580da390baec"},
    {"shuffled, grey", {0}, true, 1, "96d02d5117105628b243c9553a15e93c758b4128ae578b2d3761686f7667cd34"},
    {"flip", {.flip = true}, true, 3, "b4ee70543bff57d57b6039937b53db90a490d6c3332e3e197be14a08b36dc88a"},
    {"crop", {.crop = 3}, true, 3, "d71ee63351ced011a06f44f7115f7de44e2df3ba770d0d93fc03470b125eef27"},
    {"standard shift",
     {.shift = TIPS_SHIFT_STANDARD},
     true,
     1,
     "07d01c1981e666b0bf894086fdba18ef5218b994f10af6cb7ae0545bfefdbb74"},
    {"circular shift",
     {.shift = TIPS_SHIFT_CIRCULAR},
     true,
     3,
     "01716c78c26baa19171b604d6a4d8d7876e90460fc1bddbf0a4560e40a456660"},
    {"all",
     {.flip = true, .crop = 2, .shift = TIPS_SHIFT_BOTH},
     true,
     3,
     "9db27b1802c3956d817f747d39ffb7a07d2bb6d44c7930faf9c2db29d978054f"},
};

static void sum_case(size_t i, int views, char text[TIPS_SHA256_TEXT]) {
    char spec[2 * DATA_PATH];
    tips_dataset *set;
    tips_loader *loader;
    snprintf(spec, sizeof spec, "folders:%s", folder);
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.val_split = 0.1, .seed = 2}, &set));
    const tips_loader_config config = {
        .set = set,
        .split = TIPS_SPLIT_TRAIN,
        .batch = 4,
        .views = views,
        .maker = test_class_target,
        .shuffle = cases[i].shuffle,
        .seed = 5,
        .workers = 2,
        .augment = cases[i].augment,
        .preprocess = {.height = 16, .width = 18, .channels = cases[i].channels, .std = {0.5f, 1, 2}}};
    expect_ok(tips__loader_create(&config, &loader));
    sum_epoch(loader, (size_t)(16 * 18 * cases[i].channels), views ? views : 1, text);
    tips__loader_destroy(loader);
    tips__dataset_close(set);
}

static void test_bits(void **state) {
    char text[TIPS_SHA256_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int views = 0; views <= 3; views++) {
            test_case("%s, %d views", cases[i].name, views);
            sum_case(i, views, text);
            if (strcmp(text, cases[i].sum) != 0) fail_case("the sum is %s", text);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_bits, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
