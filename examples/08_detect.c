/* Boxes on a picture, and how much they change when it is shifted.
 *     08_detect model.safetensors [STYLE]   or model.onnx, whose outputs a STYLE such as yolox explains; without a
 * file, a RetinaNet with random weights is made and saved */
#include <stdio.h>
#include <tips/tips.h>

enum { HEIGHT = 60, WIDTH = 80, ROOM = 5 };

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
        .arch = "retinanet", .pool = "tips-exact", .padding = "circular", .first_width = 8, .height = 64, .classes = 3};
    tips_network *network = NULL;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = tips_network_settle(network);
    if (status == TIPS_OK) status = tips_network_save(network, path);
    tips_network_destroy(network);
    return status;
}

static void show(const tips_found_box *boxes, int count) {
    for (int i = 0; i < count && i < ROOM; i++)
        printf("%-8s %.3f  %.1f x %.1f at (%.1f, %.1f)\n", boxes[i].name ? boxes[i].name : "thing", boxes[i].score,
               boxes[i].width, boxes[i].height, boxes[i].left, boxes[i].top);
    if (count > ROOM) printf("and %d more\n", count - ROOM);
}

static tips_status detect(const char *path, const tips_detector_options *options) {
    static uint8_t pixels[HEIGHT * WIDTH * 3];
    const tips_picture picture = {.pixels = pixels, .height = HEIGHT, .width = WIDTH, .channels = 3};
    const tips_consistency_options several = {.pairs = 8};
    tips_box_consistency found;
    tips_detector *detector = NULL;
    tips_found_box boxes[ROOM];
    int count = 0;
    draw(pixels);
    tips_status status = tips_detector_load(path, options, &detector);
    if (status == TIPS_OK) status = tips_detector_answer(detector, &picture, boxes, ROOM, &count);
    if (status == TIPS_OK) status = tips_detector_consistency(detector, &picture, NULL, 1, &several, &found);
    if (status == TIPS_OK) {
        printf("%s with %s, %d classes, %d boxes with a score of %.2f or more\n", tips_detector_arch(detector),
               tips_detector_pool(detector), tips_detector_classes(detector), count, tips_detector_shown(detector));
        show(boxes, count);
        printf("boxes that stay: standard shifts %.2f %%, circular shifts %.2f %%\n", found.standard.value,
               found.circular.value);
        printf("their edges move by %.3f px and %.3f px\n", found.standard_flicker.box_jitter,
               found.circular_flicker.box_jitter);
    }
    tips_detector_destroy(detector);
    return status;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "detect.safetensors";
    /* Random weights are sure of nothing. */
    const tips_detector_options options = {.boxes = argc > 2 ? argv[2] : NULL, .shown = argc > 1 ? 0 : 0.1};
    tips_status status = argc > 1 ? TIPS_OK : make_model(path);
    if (status == TIPS_OK) status = detect(path, &options);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    return status != TIPS_OK;
}
