/* The prefetching loader: threads take pictures one by one, in the order of the epoch, and put each into its place in
 * one of a few batches ahead of the caller. What a batch holds depends on its number only.
 *
 * A bad picture that is to be skipped: where batches must be full (drop_last) another takes its place, else the batch
 * has one picture less. */
#include "data/loader.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/loader_parts.h"
#include "data/permutation.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

enum { AHEAD = 3, MOST_WORKERS = 64, MOST_ATTEMPTS = 100, MOST_SCALE = 16, STREAM_ORDER = 0x4f52 };

struct tips_loader {
    tips_loader_config config;
    const tips_allocator *allocator; /* of the thread that made the loader, for all of its threads */
    int count, batches;
    int *order; /* (count) */
    tips_loader_slot slots[AHEAD];

    pthread_mutex_t lock;
    pthread_cond_t work, ready;
    pthread_t threads[MOST_WORKERS];
    int workers;
    bool stop;
    int epoch;
    int next_batch, next_place; /* to be handed to a thread */
    int taken;                  /* batches the caller has asked for; the last of them is still the caller's */
    int active;                 /* threads at a picture */
    double stall;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int batch_size(const tips_loader *loader, int batch) {
    const int left = loader->count - batch * loader->config.batch;
    return left < loader->config.batch ? left : loader->config.batch;
}

/* Batch b may be made once the caller has let go of batch b - AHEAD. */
static bool has_work(const tips_loader *loader) {
    return loader->next_batch < loader->batches && loader->next_batch < loader->taken - 1 + AHEAD;
}

/* One picture to be made. */
typedef struct job {
    tips_loader_slot *slot;
    int place, index, epoch;
} job;

static job take_job(tips_loader *loader) {
    job j = {&loader->slots[loader->next_batch % AHEAD], loader->next_place, 0, loader->epoch};
    j.index = loader->order[loader->next_batch * loader->config.batch + j.place];
    if (j.place == 0) {
        j.slot->wanted = batch_size(loader, loader->next_batch);
        j.slot->done = 0;
        j.slot->status = TIPS_OK;
    }
    if (++loader->next_place == j.slot->wanted) {
        loader->next_place = 0;
        loader->next_batch++;
    }
    loader->active++;
    return j;
}

static tips_status make_picture(const tips_loader_config *config, const job *j, tips_loader_scratch *scratch) {
    float *images = j->slot->images + (size_t)j->place * tips__loader_picture_size(config);
    tips_bytes *targets = j->slot->targets ? j->slot->targets + (ptrdiff_t)j->place * config->views : NULL;
    bool is_bad;
    tips_status status = tips__loader_item(config, j->epoch, j->index, scratch, images, targets, &is_bad);
    j->slot->skipped[j->place] = is_bad && !config->drop_last;
    if (is_bad && !config->drop_last) return TIPS_OK;
    for (int attempt = 1; is_bad && attempt <= MOST_ATTEMPTS; attempt++) {
        const int other = tips__loader_substitute(config, j->epoch, j->index, attempt);
        status = tips__loader_item(config, j->epoch, other, scratch, images, targets, &is_bad);
    }
    return status;
}

static void finish_job(tips_loader *loader, const job *j, tips_status status) {
    loader->active--;
    tips__loader_slot_note(j->slot, j->place, status);
    if (j->slot->done == j->slot->wanted || loader->active == 0) pthread_cond_broadcast(&loader->ready);
}

static void *run_worker(void *argument) {
    tips_loader *loader = argument;
    tips_loader_scratch scratch = {NULL, NULL};
    tips_use_allocator(loader->allocator);
    const tips_status start = tips__loader_scratch_create(&loader->config.preprocess, &scratch);
    pthread_mutex_lock(&loader->lock);
    while (!loader->stop) {
        if (!has_work(loader)) {
            pthread_cond_wait(&loader->work, &loader->lock);
            continue;
        }
        const job j = take_job(loader);
        pthread_mutex_unlock(&loader->lock);
        const tips_status status = start == TIPS_OK ? make_picture(&loader->config, &j, &scratch) : start;
        pthread_mutex_lock(&loader->lock);
        finish_job(loader, &j, status);
    }
    pthread_mutex_unlock(&loader->lock);
    tips__loader_scratch_destroy(&scratch);
    return NULL;
}

static tips_status allocate(tips_loader *loader) {
    TIPS_TRY(tips__new(&loader->order, (size_t)loader->count * sizeof(int), "the order of an epoch"));
    for (int i = 0; i < AHEAD; i++) TIPS_TRY(tips__loader_slot_create(&loader->config, &loader->slots[i]));
    return TIPS_OK;
}

static tips_status start_workers(tips_loader *loader) {
    int wanted = loader->config.workers < 1 ? 1 : loader->config.workers;
    if (wanted > MOST_WORKERS) wanted = MOST_WORKERS;
    for (; loader->workers < wanted; loader->workers++)
        if (pthread_create(&loader->threads[loader->workers], NULL, run_worker, loader) != 0) break;
    if (loader->workers == 0) TIPS_FAIL(TIPS_MEMORY, "no thread for reading pictures could be started");
    return TIPS_OK;
}

static tips_status check(const tips_loader_config *config) {
    const tips_preprocess *p = &config->preprocess;
    const int count = tips__dataset_count(config->set, config->split);
    if (config->batch < 1 || config->batch > INT_MAX / 2)
        TIPS_FAIL(TIPS_RANGE, "batches of %d pictures", config->batch);
    if (config->views < 0 || config->views > INT_MAX / 2 / config->batch)
        TIPS_FAIL(TIPS_RANGE, "batches of %d pictures in %d views each", config->batch, config->views);
    if (p->height < 1 || p->width < 1 || (p->channels != 1 && p->channels != 3))
        TIPS_FAIL(TIPS_RANGE, "an input of %dx%dx%d", p->channels, p->height, p->width);
    if (config->augment.crop < 0 || config->augment.crop > p->height || config->augment.crop > p->width)
        TIPS_FAIL(TIPS_RANGE, "a crop of pictures padded by %d", config->augment.crop);
    if (!(config->augment.scale >= 0 && config->augment.scale <= MOST_SCALE))
        TIPS_FAIL(TIPS_RANGE, "pictures of up to %g times their size", config->augment.scale);
    if (count == 0)
        TIPS_FAIL(TIPS_INVALID, "%s: there are no %s data", tips__dataset_path(config->set),
                  tips__split_names[config->split]);
    if (config->drop_last && count < config->batch)
        TIPS_FAIL(TIPS_INVALID, "%s: %d %s pictures do not fill a batch of %d", tips__dataset_path(config->set), count,
                  tips__split_names[config->split], config->batch);
    return config->maker.make ? tips__dataset_require(config->set, config->maker.needs) : TIPS_OK;
}

tips_status tips__loader_create(const tips_loader_config *config, tips_loader **out) {
    tips_loader *loader;
    TIPS_TRY(check(config));
    TIPS_TRY(tips__new_zero(&loader, sizeof *loader, "a loader"));
    loader->config = *config;
    if (loader->config.views < 1) loader->config.views = 1;
    if (!config->maker.make) loader->config.maker.needs = 0;
    loader->allocator = tips__allocator();
    loader->count = tips__dataset_count(config->set, config->split);
    loader->batches = loader->count / config->batch + (!config->drop_last && loader->count % config->batch > 0);
    loader->next_batch = loader->batches; /* nothing to do before an epoch starts */
    pthread_mutex_init(&loader->lock, NULL);
    pthread_cond_init(&loader->work, NULL);
    pthread_cond_init(&loader->ready, NULL);
    tips_status status = allocate(loader);
    if (status == TIPS_OK) status = start_workers(loader);
    if (status != TIPS_OK) tips__loader_destroy(loader);
    else *out = loader;
    return status;
}

void tips__loader_destroy(tips_loader *loader) {
    if (!loader) return;
    pthread_mutex_lock(&loader->lock);
    loader->stop = true;
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
    for (int i = 0; i < loader->workers; i++) pthread_join(loader->threads[i], NULL);
    pthread_cond_destroy(&loader->work);
    pthread_cond_destroy(&loader->ready);
    pthread_mutex_destroy(&loader->lock);
    for (int i = 0; i < AHEAD; i++) tips__loader_slot_destroy(&loader->config, &loader->slots[i]);
    tips__free(loader->order);
    tips__free(loader);
}

int tips__loader_batches(const tips_loader *loader) { return loader->batches; }
double tips__loader_stall(const tips_loader *loader) { return loader->stall; }

static void make_order(tips_loader *loader, int epoch) {
    const tips_rng rng = {loader->config.seed, tips__rng_mix(STREAM_ORDER, (uint64_t)epoch)};
    if (loader->config.shuffle) tips__permutation(rng, loader->count, loader->order);
    for (int i = 0; i < loader->count && !loader->config.shuffle; i++) loader->order[i] = i;
}

tips_status tips__loader_start(tips_loader *loader, int epoch, int first_batch) {
    if (epoch < 0 || first_batch < 0 || first_batch > loader->batches)
        TIPS_FAIL(TIPS_RANGE, "batch %d of epoch %d; there are %d batches", first_batch, epoch, loader->batches);
    pthread_mutex_lock(&loader->lock);
    loader->next_batch = loader->batches; /* no new work until those at a picture are done */
    while (loader->active > 0) pthread_cond_wait(&loader->ready, &loader->lock);
    make_order(loader, epoch);
    for (int i = 0; i < AHEAD; i++) loader->slots[i].done = loader->slots[i].wanted = 0;
    loader->epoch = epoch;
    loader->next_batch = loader->taken = first_batch;
    loader->next_place = 0;
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
    return TIPS_OK;
}

static bool is_made(const tips_loader *loader, int batch) {
    const tips_loader_slot *s = &loader->slots[batch % AHEAD];
    return loader->next_batch > batch && s->done == s->wanted;
}

/* Waits for the next batch and makes it the caller's. */
static tips_loader_slot *await(tips_loader *loader) {
    const double start = now();
    pthread_mutex_lock(&loader->lock);
    const int batch = loader->taken++;
    pthread_cond_broadcast(&loader->work); /* the batch before it is free now */
    while (!is_made(loader, batch)) pthread_cond_wait(&loader->ready, &loader->lock);
    pthread_mutex_unlock(&loader->lock);
    loader->stall += now() - start;
    return &loader->slots[batch % AHEAD];
}

tips_status tips__loader_next(tips_loader *loader, tips_batch *out) {
    while (loader->taken < loader->batches) {
        tips_loader_slot *s = await(loader);
        if (s->status != TIPS_OK) TIPS_FAIL(s->status, "%s", s->text);
        const int n = tips__loader_slot_close_gaps(&loader->config, s);
        if (n == 0) continue;
        *out = (tips_batch){n, s->images, s->targets};
        return TIPS_OK;
    }
    *out = (tips_batch){0};
    return TIPS_OK;
}
