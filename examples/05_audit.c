/* How much do the answers of two networks depend on where the picture lies? Their memory is counted meanwhile.
 *     05_audit [model ...]      .safetensors or .onnx; without files, networks with random weights are made and saved
 */
#include <stdio.h>
#include <stdlib.h>
#include <tips/tips.h>

enum { PICTURES = 12, HEIGHT = 32, WIDTH = 32, BYTES = HEIGHT * WIDTH * 3 };

static uint8_t pixels[PICTURES][BYTES];

/* Blobs of random places, sizes and colours. */
static void draw(uint8_t *out) {
    int y[4], x[4], size[4], colour[4][3];
    for (int i = 0; i < 4; i++) {
        y[i] = rand() % HEIGHT, x[i] = rand() % WIDTH, size[i] = 9 + rand() % 60;
        for (int c = 0; c < 3; c++) colour[i][c] = rand() % 256;
    }
    for (int p = 0; p < HEIGHT * WIDTH; p++)
        for (int i = 0; i < 4; i++) {
            const int dy = p / WIDTH - y[i], dx = p % WIDTH - x[i];
            if (i > 0 && dy * dy + dx * dx > size[i]) continue;
            for (int c = 0; c < 3; c++) out[3 * p + c] = (uint8_t)colour[i][c];
        }
}

static void *take(void *context, size_t bytes) {
    ++*(long *)context;
    return malloc(bytes);
}

static void give_back(void *context, void *memory) {
    --*(long *)context;
    free(memory);
}

static tips_status make_model(const char *pool, const char *path) {
    const tips_network_options options = {.arch = "tiny", .pool = pool, .padding = "circular"};
    tips_network *network = NULL;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = tips_network_settle(network);
    if (status == TIPS_OK) status = tips_network_save(network, path);
    tips_network_destroy(network);
    return status;
}

static tips_status audit(const char *path) {
    tips_picture pictures[PICTURES];
    tips_consistency found;
    tips_classifier *classifier = NULL;
    for (int i = 0; i < PICTURES; i++)
        pictures[i] = (tips_picture){.pixels = pixels[i], .height = HEIGHT, .width = WIDTH, .channels = 3};
    tips_status status = tips_classifier_load(path, NULL, &classifier);
    if (status == TIPS_OK)
        status = tips_classifier_consistency(classifier, pictures, NULL, PICTURES,
                                             &(tips_consistency_options){.pairs = 4}, &found);
    if (status == TIPS_OK)
        printf("%-24s standard %6.2f %% (%.1f..%.1f), circular %6.2f %% (%.1f..%.1f)\n", path, found.standard.value,
               found.standard.low, found.standard.high, found.circular.value, found.circular.low, found.circular.high);
    tips_classifier_destroy(classifier);
    return status;
}

int main(int argc, char **argv) {
    long blocks = 0;
    const tips_allocator counting = {.allocate = take, .release = give_back, .context = &blocks};
    tips_status status = TIPS_OK;
    for (int i = 0; i < PICTURES; i++) draw(pixels[i]);
    tips_use_allocator(&counting); /* for what this thread allocates from now on */
    if (argc == 1) status = make_model("max", "max.safetensors");
    if (argc == 1 && status == TIPS_OK) status = make_model("tips-exact", "tips-exact.safetensors");
    if (argc == 1 && status == TIPS_OK) status = audit("max.safetensors");
    if (argc == 1 && status == TIPS_OK) status = audit("tips-exact.safetensors");
    for (int i = 1; i < argc && status == TIPS_OK; i++) status = audit(argv[i]);
    tips_use_allocator(NULL);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    printf("%ld blocks are left\n", blocks);
    return status != TIPS_OK || blocks != 0;
}
