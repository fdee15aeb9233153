/* A model file inside another program: two threads ask one classifier about pictures.
 *     04_embed model.safetensors      or model.onnx; without a file, a network with random weights is made and saved */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tips/tips.h>

enum { HEIGHT = 48, WIDTH = 64 };

typedef struct job {
    const tips_classifier *classifier;
    int tint;
    tips_answer answer;
    tips_status status;
} job;

/* A disc on a dark ground, red, green and blue in turn. */
static void draw(uint8_t *pixels, int tint) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                const int dy = y - HEIGHT / 2, dx = x - WIDTH / 2;
                *pixels++ = (uint8_t)(dy * dy + dx * dx < 300 ? (c == tint ? 240 : 60) : 20);
            }
}

static void *ask(void *data) {
    job *j = data;
    uint8_t pixels[HEIGHT * WIDTH * 3];
    const tips_picture picture = {.pixels = pixels, .height = HEIGHT, .width = WIDTH, .channels = 3};
    draw(pixels, j->tint);
    j->status = tips_classifier_answer(j->classifier, &picture, &j->answer);
    if (j->status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error()); /* the text is this thread's */
    return NULL;
}

static int ask_twice(const tips_classifier *classifier) {
    job jobs[2] = {{.classifier = classifier, .tint = 0}, {.classifier = classifier, .tint = 1}};
    pthread_t threads[2];
    int failed = 0;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, ask, &jobs[i]) != 0) exit(1);
    for (int i = 0; i < 2; i++) {
        const tips_answer *a = &jobs[i].answer;
        pthread_join(threads[i], NULL);
        failed |= jobs[i].status != TIPS_OK;
        if (jobs[i].status == TIPS_OK)
            printf("picture %d: class %d (%s), %.1f %%\n", i, a->index, a->name ? a->name : "no name",
                   100 * a->probability);
    }
    return failed;
}

static tips_status make_model(const char *path) {
    tips_network *network = NULL;
    tips_status status = tips_network_create(&(tips_network_options){.arch = "tiny"}, &network);
    if (status == TIPS_OK) status = tips_network_settle(network);
    if (status == TIPS_OK) status = tips_network_save(network, path);
    tips_network_destroy(network);
    return status;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "embed.safetensors";
    tips_classifier *classifier = NULL;
    tips_status status = argc > 1 ? TIPS_OK : make_model(path);
    if (status == TIPS_OK) status = tips_classifier_load(path, NULL, &classifier);
    if (status != TIPS_OK) {
        fprintf(stderr, "%s\n", tips_last_error());
        return 1;
    }
    printf("%s with %s: %d classes, %dx%d\n", tips_classifier_arch(classifier), tips_classifier_pool(classifier),
           tips_classifier_classes(classifier), tips_classifier_height(classifier), tips_classifier_width(classifier));
    const int failed = ask_twice(classifier);
    tips_classifier_destroy(classifier);
    return failed;
}
