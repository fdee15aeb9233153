/* Targets of any size, views, and moves that agree with the pixels. Pictures are files whose pixels say where they lie:
 * red is the row, green the column, both from 1 on, blue the number of the picture, which is its class too. */
#include "support/class_maker.h"
#include "support/compare.h"
#include "support/data_files.h"

#include "core/fail.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 13, H = 24, W = 32, PLANE = H * W, IMAGE = 3 * PLANE, BATCH = 4 };

static char folder[DATA_PATH];
static tips_dataset *set;

static void write_picture(const char *name, int number, int h, int w) {
    char header[64];
    data_bytes b = {0};
    data_put(&b, header, (size_t)snprintf(header, sizeof header, "P6 %d %d 255\n", w, h));
    for (int i = 0; i < h * w; i++)
        data_put(&b, (uint8_t[]){(uint8_t)(i / w + 1), (uint8_t)(i % w + 1), (uint8_t)number}, 3);
    data_write(folder, name, &b);
    data_free(&b);
}

/* Without training pictures all of them are in the test set. */
static int open_pictures(int h, int w) {
    char name[64], spec[2 * DATA_PATH];
    data_make_folder(folder);
    for (int i = 0; i < PICTURES; i++) {
        snprintf(name, sizeof name, "%c/picture.ppm", 'a' + i);
        write_picture(name, i, h, w);
    }
    snprintf(spec, sizeof spec, "folders:%s", folder);
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.whole = true}, &set));
    return 0;
}

static int set_up(void **state) {
    (void)state;
    return open_pictures(H, W);
}

static int set_up_large(void **state) {
    (void)state;
    return open_pictures(150, 200);
}

static int tear_down(void **state) {
    (void)state;
    tips__dataset_close(set);
    data_remove_folder(folder);
    return 0;
}

static tips_loader_config loader_of(tips_target_maker maker, int views, int workers) {
    return (tips_loader_config){.set = set,
                                .split = TIPS_SPLIT_TEST,
                                .maker = maker,
                                .batch = BATCH,
                                .views = views,
                                .shuffle = true,
                                .seed = 3,
                                .workers = workers,
                                .augment = {.flip = true, .crop = 3, .shift = TIPS_SHIFT_BOTH},
                                .preprocess = {.height = H, .width = W, .channels = 3, .std = {1, 1, 1}}};
}

/* An epoch, sample by sample. */
typedef struct samples {
    int n;
    float images[3 * PICTURES][IMAGE];
    tips_bytes targets[3 * PICTURES];
} samples;

static samples *load(const tips_loader_config *config, int epoch, int first_batch) {
    samples *s = calloc(1, sizeof *s);
    tips_loader *loader;
    tips_batch batch;
    expect_ok(tips__loader_create(config, &loader));
    expect_ok(tips__loader_start(loader, epoch, first_batch));
    for (;;) {
        expect_ok(tips__loader_next(loader, &batch));
        if (batch.n == 0) break;
        assert_true(s->n + batch.n <= 3 * PICTURES);
        memcpy(s->images[s->n], batch.images, (size_t)batch.n * sizeof s->images[0]);
        for (int i = 0; i < batch.n; i++, s->n++) {
            const tips_bytes *target = &batch.targets[i];
            expect_ok(tips__bytes_resize(&s->targets[s->n], target->count));
            if (target->count > 0) memcpy(s->targets[s->n].data, target->data, target->count);
        }
    }
    tips__loader_destroy(loader);
    return s;
}

static void release(samples *s) {
    for (int i = 0; i < s->n; i++) tips__bytes_clear(&s->targets[i]);
    free(s);
}

static int byte_of(float value) { return (int)lround(value * 255.0); }

static void expect_same_sample(const samples *a, int i, const samples *b, int j) {
    assert_memory_equal(a->images[i], b->images[j], sizeof a->images[i]);
    assert_int_equal(a->targets[i].count, b->targets[j].count);
    if (a->targets[i].count > 0) assert_memory_equal(a->targets[i].data, b->targets[j].data, a->targets[i].count);
}

/* A picture of class k has a target of k (k % 3) bytes, all k; so some have none. */
static tips_status make_sized(const void *context, const tips_annotation *annotation, const tips_move *move,
                              tips_bytes *target) {
    const int k = annotation->label;
    (void)context, (void)move;
    if (target->count != 0) TIPS_FAIL(TIPS_INVALID, "the target does not come empty");
    TIPS_TRY(tips__bytes_resize(target, (size_t)(k * (k % 3))));
    if (target->count > 0) memset(target->data, k, target->count);
    return TIPS_OK;
}

static const tips_target_maker sized = {.needs = TIPS_ANNOTATES_CLASS, .make = make_sized};

static void test_sizes(void **state) {
    const tips_loader_config config = loader_of(sized, 1, 1);
    samples *s = load(&config, 0, 0);
    (void)state;
    assert_int_equal(s->n, PICTURES);
    for (int i = 0; i < s->n; i++) {
        int k = 0;
        for (int p = 0; p < PLANE; p++) k = byte_of(s->images[i][2 * PLANE + p]) | k;
        assert_int_equal(s->targets[i].count, k * (k % 3));
        for (size_t b = 0; b < s->targets[i].count; b++) assert_int_equal(s->targets[i].data[b], k);
    }
    release(s);
}

/* What is drawn for a picture depends on its number and the epoch, not on threads, views or where the epoch was joined.
 */
static void test_views(void **state) {
    const tips_loader_config plain = loader_of(sized, 0, 1);
    samples *one = load(&plain, 2, 0);
    int different = 0;
    (void)state;
    for (int workers = 1; workers <= 5; workers += 2) {
        const tips_loader_config two = loader_of(sized, 2, workers), three = loader_of(sized, 3, workers);
        samples *a = load(&two, 2, 0), *b = load(&three, 2, 0), *c = load(&three, 2, 2);
        assert_int_equal(a->n, 2 * PICTURES);
        assert_int_equal(b->n, 3 * PICTURES);
        assert_int_equal(c->n, 3 * (PICTURES - 2 * BATCH));
        for (int i = 0; i < PICTURES; i++) {
            expect_same_sample(one, i, a, 2 * i);
            expect_same_sample(a, 2 * i, b, 3 * i);
            expect_same_sample(a, 2 * i + 1, b, 3 * i + 1);
            different += memcmp(b->images[3 * i], b->images[3 * i + 1], sizeof b->images[0]) != 0;
            different += memcmp(b->images[3 * i + 1], b->images[3 * i + 2], sizeof b->images[0]) != 0;
        }
        for (int i = 0; i < c->n; i++) expect_same_sample(c, i, b, i + 3 * 2 * BATCH);
        release(a);
        release(b);
        release(c);
    }
    assert_true(different > 3 * 2 * PICTURES - 4);
    release(one);
}

static tips_status make_move(const void *context, const tips_annotation *annotation, const tips_move *move,
                             tips_bytes *target) {
    (void)context, (void)annotation;
    TIPS_TRY(tips__bytes_resize(target, sizeof *move));
    memcpy(target->data, move, sizeof *move);
    return TIPS_OK;
}

static const tips_target_maker moves = {.make = make_move};

static tips_move move_of(const tips_bytes *target) {
    tips_move move;
    assert_int_equal(target->count, sizeof move);
    memcpy(&move, target->data, sizeof move);
    return move;
}

/* Every pixel of the input is the one that the move says, or black. */
static void expect_pixels(const float *image, const tips_move *move) {
    for (int p = 0; p < PLANE; p++) {
        const int row = tips__move_source(move, 0, p / W), column = tips__move_source(move, 1, p % W);
        const bool is_there = row >= 0 && column >= 0;
        assert_int_equal(byte_of(image[p]), is_there ? row + 1 : 0);
        assert_int_equal(byte_of(image[PLANE + p]), is_there ? column + 1 : 0);
    }
}

static void test_moves(void **state) {
    int flips = 0, rings = 0, crops = 0, shifts = 0;
    (void)state;
    for (int kind = 0; kind <= TIPS_SHIFT_BOTH; kind++)
        for (int crop = 0; crop <= 3; crop += 3) {
            tips_loader_config config = loader_of(moves, 3, 2);
            config.augment = (tips_augment){.flip = true, .crop = crop, .shift = kind};
            samples *s = load(&config, kind, 0);
            assert_int_equal(s->n, 3 * PICTURES);
            for (int i = 0; i < s->n; i++) {
                const tips_move move = move_of(&s->targets[i]);
                test_case("shift %d, crop %d, sample %d", kind, crop, i);
                expect_pixels(s->images[i], &move);
                assert_true(abs(move.crop[0]) <= crop && abs(move.crop[1]) <= crop);
                flips += move.flip;
                rings += move.circular;
                crops += move.crop[0] || move.crop[1];
                shifts += move.shift[0] || move.shift[1];
            }
            release(s);
        }
    assert_true(flips > 100 && rings > 80 && crops > 100 && shifts > 200);
}

/* Views of the kind "shifted": what places a picture they have in common, the first is not shifted, and the others are
 * shifted forward, each by itself. One view alone is augmented as ever. */
static void test_shifted_views(void **state) {
    tips_loader_config config = loader_of(moves, 3, 2), single = loader_of(moves, 1, 2), plain = loader_of(moves, 1, 2);
    int rings = 0, shifts = 0, others = 0;
    (void)state;
    config.augment = (tips_augment){.flip = true, .crop = 3, .shift = TIPS_SHIFT_BOTH, .views = TIPS_VIEWS_SHIFTED};
    single.augment.views = TIPS_VIEWS_SHIFTED;
    samples *s = load(&config, 1, 0), *one = load(&single, 1, 0), *usual = load(&plain, 1, 0);
    for (int i = 0; i < PICTURES; i++) {
        const tips_move first = move_of(&s->targets[3 * i]);
        int last[2] = {0, 0};
        expect_same_sample(one, i, usual, i);
        assert_true(first.shift[0] == 0 && first.shift[1] == 0);
        for (int view = 0; view < 3; view++) {
            const tips_move move = move_of(&s->targets[3 * i + view]);
            test_case("picture %d, view %d", i, view);
            expect_pixels(s->images[3 * i + view], &move);
            assert_int_equal(move.flip, first.flip);
            for (int axis = 0; axis < 2; axis++) {
                assert_int_equal(move.crop[axis], first.crop[axis]);
                assert_in_range(move.shift[axis], 0, move.input[axis] / 8);
            }
            rings += move.circular;
            shifts += move.shift[0] || move.shift[1];
            others += view == 2 && (move.shift[0] != last[0] || move.shift[1] != last[1]);
            memcpy(last, move.shift, sizeof last);
        }
    }
    assert_in_range(rings, PICTURES / 2, 3 * PICTURES / 2);
    assert_true(shifts > PICTURES && others > PICTURES / 2);
    release(s);
    release(one);
    release(usual);
}

/* The block of a picture, in its pixels. */
static tips_box block_of(int number) {
    const double top = 10 + 8 * number, left = 180 - 12 * number;
    return (tips_box){.top = top, .left = left, .bottom = top + 12, .right = left + 14, .label = number};
}

static tips_status make_box(const void *context, const tips_annotation *annotation, const tips_move *move,
                            tips_bytes *target) {
    const tips_box block = block_of(annotation->label);
    tips_box box;
    float share;
    (void)context;
    tips__move_boxes(move, &block, 1, &box, &share);
    TIPS_TRY(tips__bytes_resize(target, sizeof box + sizeof share));
    memcpy(target->data, &box, sizeof box);
    memcpy(target->data + sizeof box, &share, sizeof share);
    return TIPS_OK;
}

static const tips_target_maker boxes = {.needs = TIPS_ANNOTATES_CLASS, .make = make_box};

/* Pixels that show the block have its rows and columns, give or take one of the input's; on a ring it may go round. */
static int count_block(const float *image, const tips_box *block, const tips_box *box, double reach) {
    int found = 0;
    for (int p = 0; p < PLANE; p++) {
        const int row = byte_of(image[p]) - 1, column = byte_of(image[PLANE + p]) - 1;
        const double y = p / W + 0.5, x = p % W + 0.5;
        if (row < block->top || row >= block->bottom || column < block->left || column >= block->right) continue;
        const bool in_rows = (y > box->top - reach && y < box->bottom + reach) || y + H < box->bottom + reach;
        const bool in_columns = (x > box->left - reach && x < box->right + reach) || x + W < box->right + reach;
        if (!in_rows || !in_columns) fail_case("a pixel of the block lies at %g, %g", y, x);
        found++;
    }
    return found;
}

/* Large pictures are resized, moved and shifted, and the boxes of their blocks go with them. */
static void test_boxes(void **state) {
    tips_loader_config config = loader_of(boxes, 3, 2);
    int whole = 0, wrapped = 0;
    (void)state;
    config.preprocess.resize = 40;
    for (int epoch = 0; epoch < 6; epoch++) {
        samples *s = load(&config, epoch, 0);
        for (int i = 0; i < s->n; i++) {
            tips_box box;
            float share;
            memcpy(&box, s->targets[i].data, sizeof box);
            memcpy(&share, s->targets[i].data + sizeof box, sizeof share);
            const tips_box block = block_of(box.label);
            test_case("epoch %d, sample %d, picture %d", epoch, i, box.label);
            const int found = count_block(s->images[i], &block, &box, 1);
            const double area = (box.bottom - box.top) * (box.right - box.left);
            assert_true(fabs(found - area) <= 0.5 * (2 * (box.bottom - box.top + box.right - box.left)) + 1);
            whole += share == 1;
            wrapped += share > 0 && (box.bottom > H || box.right > W);
        }
        release(s);
    }
    assert_true(whole > 50 && wrapped > 5);
}

/* Masks and boxes of generated pictures: the annotation is the set's, and has what was asked for. */
static tips_status make_mask(const void *context, const tips_annotation *annotation, const tips_move *move,
                             tips_bytes *target) {
    (void)context;
    if (annotation->has != (TIPS_ANNOTATES_MASK | TIPS_ANNOTATES_BOXES) || annotation->size[0] != H)
        TIPS_FAIL(TIPS_INVALID, "an annotation of %u for rows %d", annotation->has, annotation->size[0]);
    TIPS_TRY(tips__bytes_resize(target, PLANE));
    tips__move_mask(move, &annotation->mask, target->data);
    return TIPS_OK;
}

static void test_masks(void **state) {
    tips_dataset *shapes;
    const tips_target_maker masks = {.needs = TIPS_ANNOTATES_MASK | TIPS_ANNOTATES_BOXES, .make = make_mask};
    (void)state;
    expect_ok(tips__dataset_open("shapes:size=24x32,train=14,test=13,classes=3,objects=2", NULL, &shapes));
    tips_loader_config config = loader_of(masks, 1, 2);
    config.set = shapes;
    samples *moved = load(&config, 1, 0);
    config.augment = (tips_augment){0};
    samples *still = load(&config, 1, 0);
    for (int i = 0; i < still->n; i++) {
        int same = 0, ignored = 0;
        for (int p = 0; p < PLANE; p++) {
            assert_true(still->targets[i].data[p] <= 3);
            ignored += moved->targets[i].data[p] == TIPS_MASK_IGNORE;
            same += moved->targets[i].data[p] == still->targets[i].data[p];
        }
        assert_true(ignored < PLANE / 2 && same < PLANE);
    }
    release(moved);
    release(still);
    tips__dataset_close(shapes);
}

static tips_status refuse(const void *context, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *target) {
    (void)move, (void)target;
    if (annotation->label != *(const int *)context) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "nothing to learn here");
}

/* A picture whose target cannot be made is no bad picture: it is not passed over. */
static void test_refused_target(void **state) {
    const int refused = 7;
    char spec[2 * DATA_PATH];
    tips_loader *loader;
    tips_batch batch;
    tips_status status;
    (void)state;
    snprintf(spec, sizeof spec, "folders:%s", folder);
    tips__dataset_close(set);
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.whole = true, .skip_bad = true}, &set));
    for (int drop_last = 0; drop_last < 2; drop_last++) {
        tips_loader_config config =
            loader_of((tips_target_maker){.needs = TIPS_ANNOTATES_CLASS, .make = refuse, .context = &refused}, 2, 3);
        config.drop_last = drop_last;
        config.shuffle = false;
        expect_ok(tips__loader_create(&config, &loader));
        expect_ok(tips__loader_start(loader, 0, 0));
        expect_ok(tips__loader_next(loader, &batch));
        while ((status = tips__loader_next(loader, &batch)) == TIPS_OK && batch.n > 0) continue;
        assert_int_equal(status, TIPS_FORMAT);
        assert_non_null(strstr(tips_last_error(), "h/picture.ppm: nothing to learn here"));
        tips__loader_destroy(loader);
    }
    assert_int_equal(tips__dataset_skipped(set), 0);
}

static void test_refusals(void **state) {
    tips_loader *loader;
    tips_batch batch;
    (void)state;
    tips_loader_config config = loader_of((tips_target_maker){.needs = TIPS_ANNOTATES_MASK, .make = make_sized}, 1, 1);
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "wanted are masks"));
    config.maker.make = NULL; /* then nothing is needed either */
    expect_ok(tips__loader_create(&config, &loader));
    expect_ok(tips__loader_start(loader, 0, 0));
    expect_ok(tips__loader_next(loader, &batch));
    assert_int_equal(batch.n, BATCH);
    assert_null(batch.targets);
    tips__loader_destroy(loader);
    config.views = -1;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
    config.views = INT_MAX / 3;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_views, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shifted_views, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_boxes, set_up_large, tear_down),
        cmocka_unit_test_setup_teardown(test_masks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_target, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
