/* A conversion from start to end, and its notes. */
#include "convert/convert_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>

tips_status tips__convert_note(tips_conversion *out, const char *layer, const char *format, ...) {
    if (out->n_changes == out->capacity) {
        const int capacity = out->capacity ? 2 * out->capacity : 32;
        const size_t each = sizeof *out->changes;
        tips_change *changes = tips__grow(out->changes, (size_t)out->n_changes * each, (size_t)capacity * each);
        if (!changes) TIPS_FAIL(TIPS_MEMORY, "no memory for the list of changes");
        out->changes = changes;
        out->capacity = capacity;
    }
    tips_change *change = &out->changes[out->n_changes++];
    snprintf(change->layer, sizeof change->layer, "%s", layer);
    va_list args;
    va_start(args, format);
    vsnprintf(change->what, sizeof change->what, format, args);
    va_end(args);
    return TIPS_OK;
}

void tips__conversion_free(tips_conversion *conversion) {
    if (!conversion) return;
    tips__blueprint_release(conversion->blueprint);
    tips__free(conversion->changes);
    *conversion = (tips_conversion){0};
}

static tips_status allocate(conversion_work *w) {
    const size_t n = (size_t)w->from->n_steps + 1;
    TIPS_TRY(tips__new_zero(&w->facts, n * sizeof *w->facts, "a conversion"));
    TIPS_TRY(tips__new_zero(&w->events, n * sizeof *w->events, "a conversion"));
    TIPS_TRY(tips__new_zero(&w->grids, n * sizeof *w->grids, "a conversion"));
    return tips__new_zero(&w->placed, n * sizeof *w->placed, "a conversion");
}

static tips_status refuse_operators(const tips_blueprint *from) {
    for (int i = 0; i < from->n_steps; i++)
        if (!from->steps[i].layer)
            TIPS_FAIL(TIPS_INVALID, "layer '%s' is a pooling operator already: convert the original network",
                      from->steps[i].name);
    return TIPS_OK;
}

static tips_status convert(conversion_work *w) {
    TIPS_TRY(refuse_operators(w->from));
    TIPS_TRY(allocate(w));
    TIPS_TRY(tips__convert_facts(w));
    TIPS_TRY(tips__convert_share(w));
    TIPS_TRY(tips__blueprint_create(w->from->channels, &w->out->blueprint));
    w->out->blueprint->classes = w->from->classes;
    return tips__convert_write(w);
}

tips_status tips__convert(const tips_blueprint *from, const tips_convert_options *options, tips_conversion *out) {
    tips_conversion result = {0};
    conversion_work work = {.from = from, .options = options, .out = &result};
    const tips_status status = convert(&work);
    tips__free(work.facts);
    tips__free(work.events);
    tips__free(work.grids);
    tips__free(work.placed);
    if (status == TIPS_OK) *out = result;
    else tips__conversion_free(&result);
    return status;
}
