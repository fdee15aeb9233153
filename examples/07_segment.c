/* A class for every pixel of a picture, as text, and how much of it a shift of the picture changes.
 *     07_segment model.safetensors      or model.onnx; without a file, a U-Net with random weights is made and saved */
#include <stdio.h>
#include <tips/tips.h>

enum { HEIGHT = 60, WIDTH = 80, ROWS = 15, COLUMNS = 40 };

/* Two discs on a ground that gets lighter downwards. */
static void draw(uint8_t *pixels) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int first = (y - 20) * (y - 20) + (x - 25) * (x - 25),
                      second = (y - 36) * (y - 36) + (x - 52) * (x - 52);
            *pixels++ = (uint8_t)(first < 200 ? 230 : 40 + 2 * y);
            *pixels++ = (uint8_t)(second < 300 ? 210 : 40 + y);
            *pixels++ = (uint8_t)(first < 200 ? 30 : 90);
        }
}

static tips_status make_model(const char *path) {
    const tips_network_options options = {
        .arch = "unet", .pool = "tips-exact", .padding = "circular", .first_width = 8, .height = 64, .classes = 4};
    tips_network *network = NULL;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = tips_network_settle(network);
    if (status == TIPS_OK) status = tips_network_save(network, path);
    tips_network_destroy(network);
    return status;
}

/* A letter a class, a dot for the first, and a blank where the picture was cut off to fit the network. */
static void show(const uint8_t *mask) {
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            const int class_number = mask[row * HEIGHT / ROWS * WIDTH + column * WIDTH / COLUMNS];
            putchar(class_number == 255 ? ' ' : class_number == 0 ? '.' : 'a' + (class_number - 1) % 26);
        }
        putchar('\n');
    }
}

static tips_status segment(const char *path) {
    static uint8_t pixels[HEIGHT * WIDTH * 3], mask[HEIGHT * WIDTH];
    const tips_picture picture = {.pixels = pixels, .height = HEIGHT, .width = WIDTH, .channels = 3};
    const tips_consistency_options several = {.pairs = 8};
    tips_mask_consistency found;
    tips_segmenter *segmenter = NULL;
    draw(pixels);
    tips_status status = tips_segmenter_load(path, NULL, &segmenter);
    if (status == TIPS_OK) status = tips_segmenter_answer(segmenter, &picture, mask);
    if (status == TIPS_OK) status = tips_segmenter_consistency(segmenter, &picture, NULL, 1, &several, &found);
    if (status == TIPS_OK) {
        printf("%s with %s, %d classes\n", tips_segmenter_arch(segmenter), tips_segmenter_pool(segmenter),
               tips_segmenter_classes(segmenter));
        show(mask);
        printf("pixels that keep their class: standard shifts %.2f %%, circular shifts %.2f %%\n", found.standard.value,
               found.circular.value);
    }
    tips_segmenter_destroy(segmenter);
    return status;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "segment.safetensors";
    tips_status status = argc > 1 ? TIPS_OK : make_model(path);
    if (status == TIPS_OK) status = segment(path);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    return status != TIPS_OK;
}
