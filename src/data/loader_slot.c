/* A batch in the making: room for the samples of its pictures, and what went wrong with them. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/loader_parts.h"

#include <stdio.h>
#include <string.h>

size_t tips__loader_picture_size(const tips_loader_config *config) {
    const tips_preprocess *p = &config->preprocess;
    return (size_t)config->views * (size_t)p->channels * (size_t)p->height * (size_t)p->width;
}

static size_t samples(const tips_loader_config *config) { return (size_t)config->batch * (size_t)config->views; }

tips_status tips__loader_slot_create(const tips_loader_config *config, tips_loader_slot *slot) {
    const size_t batch = (size_t)config->batch;
    *slot = (tips_loader_slot){0};
    TIPS_TRY(tips__new(&slot->images, batch * tips__loader_picture_size(config) * sizeof *slot->images, "a batch"));
    TIPS_TRY(tips__new_zero(&slot->skipped, batch * sizeof *slot->skipped, "marks of skipped pictures"));
    if (!config->maker.make) return TIPS_OK;
    return tips__new_zero(&slot->targets, samples(config) * sizeof *slot->targets, "the targets of a batch");
}

void tips__loader_slot_destroy(const tips_loader_config *config, tips_loader_slot *slot) {
    for (size_t i = 0; slot->targets && i < samples(config); i++) tips__bytes_clear(&slot->targets[i]);
    tips__free(slot->targets);
    tips__free(slot->skipped);
    tips__free(slot->images);
}

void tips__loader_slot_note(tips_loader_slot *slot, int place, tips_status status) {
    slot->done++;
    if (status == TIPS_OK || (slot->status != TIPS_OK && place > slot->failed_at)) return;
    slot->status = status;
    slot->failed_at = place;
    snprintf(slot->text, sizeof slot->text, "%s", tips_last_error());
}

/* Targets change places, so that none loses its memory. */
static void take_place(const tips_loader_config *config, tips_loader_slot *slot, int from, int to) {
    const size_t size = tips__loader_picture_size(config);
    memcpy(slot->images + (size_t)to * size, slot->images + (size_t)from * size, size * sizeof *slot->images);
    for (int view = 0; slot->targets && view < config->views; view++) {
        tips_bytes *a = &slot->targets[from * config->views + view], *b = &slot->targets[to * config->views + view];
        const tips_bytes kept = *a;
        *a = *b;
        *b = kept;
    }
}

int tips__loader_slot_close_gaps(const tips_loader_config *config, tips_loader_slot *slot) {
    int kept = 0;
    for (int i = 0; i < slot->wanted; i++) {
        if (slot->skipped[i]) continue;
        if (kept < i) take_place(config, slot, i, kept);
        kept++;
    }
    return kept * config->views;
}
