/* A few training steps on random images, and where the weights go. */
#include <stdio.h>
#include <stdlib.h>
#include <tips/tips.h>

enum { BATCH = 16, SIZE = 16, CLASSES = 4, STEPS = 8, PIXELS = 3 * SIZE * SIZE };

static float images[BATCH * PIXELS]; /* (n, c, h, w) */
static int32_t labels[BATCH];

static void draw_batch(void) {
    for (int n = 0; n < BATCH; n++) {
        labels[n] = n % CLASSES;
        for (int i = 0; i < PIXELS; i++)
            images[n * PIXELS + i] = (float)rand() / (float)RAND_MAX - 0.5f + 0.3f * (float)labels[n];
    }
}

static tips_status train(tips_network *network) {
    tips_train_options options = tips_train_defaults();
    options.lr = 0.02;
    for (int step = 0; step < STEPS; step++) {
        tips_losses losses;
        options.undo = step >= STEPS * 2 / 5; /* as in the paper: later */
        const tips_status status = tips_network_train_step(network, images, labels, BATCH, &options, &losses);
        if (status != TIPS_OK) return status;
        printf("step %d: total %7.4f, task %.4f, undo %.4f, fm %.4f\n", step, losses.total, losses.task, losses.undo,
               losses.fm);
    }
    return TIPS_OK;
}

static tips_status show_weights(const tips_network *network) {
    float bias[CLASSES];
    const tips_status status = tips_network_get(network, "fc.bias", bias, CLASSES);
    for (int c = 0; status == TIPS_OK && c < CLASSES; c++) printf("fc.bias[%d] = %+.5f\n", c, bias[c]);
    return status;
}

int main(void) {
    const tips_network_options options = {
        .arch = "tiny", .pool = "tips-exact:fm=band", .height = SIZE, .classes = CLASSES};
    tips_network *network = NULL;
    tips_status status = tips_network_create(&options, &network);
    draw_batch();
    if (status == TIPS_OK) printf("%zu parameters\n", tips_network_parameters(network));
    if (status == TIPS_OK) status = train(network);
    if (status == TIPS_OK) status = show_weights(network);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    tips_network_destroy(network);
    return status != TIPS_OK;
}
