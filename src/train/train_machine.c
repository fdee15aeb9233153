/* What a run was computed with: kept in its checkpoint, and asked for where it goes on. The number of threads is taken
 * over; of what cannot be, the caller is told. */
#include "train/train_parts.h"

#include "core/build.h"
#include "core/fail.h"
#include "core/processor.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char threads_key[] = "threads", build_key[] = "build", processor_key[] = "processor";

tips_status tips__train_machine(tips_settings *out) {
    char threads[16];
    snprintf(threads, sizeof threads, "%d", tips__threads());
    TIPS_TRY(tips__settings_add(out, threads_key, threads));
    TIPS_TRY(tips__settings_add(out, build_key, tips__build()));
    return tips__settings_add(out, processor_key, tips__processor());
}

static int threads_in(const tips_settings *machine) {
    const char *text = tips__settings_find(machine, threads_key);
    const long threads = text ? strtol(text, NULL, 10) : 0;
    return threads > 0 && threads <= 1024 ? (int)threads : 0;
}

int tips__train_threads_of(const char *folder) {
    char path[TIPS_PATH_SIZE];
    tips_settings machine = {0};
    int threads = 0;
    if (tips__path_join(folder, tips__checkpoint_name, path) == TIPS_OK && access(path, F_OK) == 0 &&
        tips__checkpoint_machine(path, &machine) == TIPS_OK)
        threads = threads_in(&machine);
    tips__settings_clear(&machine);
    return threads;
}

static void tell(const tips_train_watch *watch, const char *what, const char *then, const char *now) {
    char text[512];
    if (!watch || !watch->note || !then || strcmp(then, now) == 0) return;
    snprintf(text, sizeof text,
             "the run began with %s%s and goes on with %s: its last bits will not be those of a run that never stopped",
             what, then, now);
    watch->note(watch->context, text);
}

static void go_on(const tips_settings *machine, int asked, const tips_train_watch *watch) {
    char threads[16];
    if (asked == 0) tips__threads_use(threads_in(machine));
    snprintf(threads, sizeof threads, "%d", tips__threads());
    tell(watch, "--threads ", tips__settings_find(machine, threads_key), threads);
    tell(watch, "a library ", tips__settings_find(machine, build_key), tips__build());
    tell(watch, "instructions of ", tips__settings_find(machine, processor_key), tips__processor());
}

tips_status tips__train_machine_of(const char *checkpoint, int asked, const tips_train_watch *watch) {
    tips_settings machine = {0};
    const tips_status status = tips__checkpoint_machine(checkpoint, &machine);
    if (status == TIPS_OK) go_on(&machine, asked, watch);
    tips__settings_clear(&machine);
    return status;
}
