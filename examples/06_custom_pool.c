/* Pooling operators of one's own: one that takes the first corner of every cell, and one that keeps the phase with the
 * most energy. Are they exact, and do networks with them learn? */
#include <stdio.h>
#include <stdlib.h>
#include <tips/tips.h>

/* Where cell (i, j) of channel c has its sample of that phase. */
static size_t place(const tips_pool_call *call, int phase, int c, int i, int j) {
    const int y = i * call->stride[0] + phase / call->stride[1], x = j * call->stride[1] + phase % call->stride[1];
    return ((size_t)c * (size_t)call->height + (size_t)y) * (size_t)call->width + (size_t)x;
}

static int strongest(const tips_pool_call *call, const float *x) {
    const int rows = call->height / call->stride[0], columns = call->width / call->stride[1];
    double most = -1;
    int best = 0;
    for (int phase = 0; phase < call->stride[0] * call->stride[1]; phase++) {
        double energy = 0;
        for (int c = 0; c < call->channels; c++)
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++) {
                    const double value = x[place(call, phase, c, i, j)];
                    energy += value * value;
                }
        if (energy > most) most = energy, best = phase;
    }
    return best;
}

static void sample(const tips_pool_call *call, int phase, const float *x, float *y) {
    for (int c = 0; c < call->channels; c++)
        for (int i = 0; i < call->height / call->stride[0]; i++)
            for (int j = 0; j < call->width / call->stride[1]; j++) *y++ = x[place(call, phase, c, i, j)];
}

static void spread(const tips_pool_call *call, int phase, const float *x, const float *dy, float *dx) {
    (void)x;
    for (int c = 0; c < call->channels; c++)
        for (int i = 0; i < call->height / call->stride[0]; i++)
            for (int j = 0; j < call->width / call->stride[1]; j++) dx[place(call, phase, c, i, j)] = *dy++;
}

static const tips_custom_pool operators[] = {
    {.name = "corner", .forward = sample, .backward = spread},
    {.name = "strongest", .choose = strongest, .forward = sample, .backward = spread},
};

enum { BATCH = 8, SIZE = 16, CLASSES = 4, STEPS = 10, PIXELS = 3 * SIZE * SIZE };
static float images[BATCH * PIXELS]; /* (n, c, h, w) */
static int32_t labels[BATCH];

static void draw_batch(void) {
    for (int n = 0; n < BATCH; n++) {
        labels[n] = n % CLASSES;
        for (int i = 0; i < PIXELS; i++)
            images[n * PIXELS + i] = (float)rand() / (float)RAND_MAX - 0.5f + 0.3f * (float)labels[n];
    }
}

static tips_status train(tips_network *network, double *first, double *last) {
    const tips_train_options options = tips_train_defaults();
    tips_status status = TIPS_OK;
    for (int step = 0; step < STEPS && status == TIPS_OK; step++) {
        tips_losses losses;
        draw_batch();
        status = tips_network_train_step(network, images, labels, BATCH, &options, &losses);
        *last = losses.total;
        if (step == 0) *first = losses.total;
    }
    return status;
}

static tips_status try_operator(const tips_custom_pool *pool) {
    const tips_network_options options = {
        .arch = "tiny", .height = SIZE, .width = SIZE, .classes = CLASSES, .custom_pool = pool};
    tips_network *network = NULL;
    tips_verdict verdict;
    double first = 0, last = 0;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = tips_network_verify(network, NULL, 16, &verdict);
    if (status == TIPS_OK) status = train(network, &first, &last);
    if (status == TIPS_OK)
        printf("%-9s %s; loss %.2f -> %.2f\n", pool->name, verdict.exact ? "exact" : verdict.advice, first, last);
    tips_network_destroy(network);
    return status;
}

int main(void) {
    tips_status status = TIPS_OK;
    for (int i = 0; i < 2 && status == TIPS_OK; i++) status = try_operator(&operators[i]);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    return status != TIPS_OK;
}
