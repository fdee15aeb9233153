/* Measuring the machine: multiply-add peak, memory bandwidth, resident memory, processor name. */
#include "bench/machine.h"

#include "core/fail.h"
#include "core/level.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "tensor/stress.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 50000, RUNS = 5 };

#define PEAK_SECONDS 0.05

/* The fewest seconds one round took on this thread. Short stretches, so that one which is not interrupted is among
 * them even on a busy machine. */
static double best_round(void) {
    volatile float half = 0.5f, sink = 0;
    const double end = tips__now() + PEAK_SECONDS;
    double best = 1;
    while (tips__now() < end) {
        const double start = tips__now();
        sink += tips__stress_chains(ROUNDS, half);
        const double seconds = (tips__now() - start) / ROUNDS;
        if (seconds < best) best = seconds;
    }
    (void)sink;
    return best;
}

double tips__machine_peak_gflops(void) {
    double rounds_per_second = 0;
#pragma omp parallel num_threads(tips__threads()) reduction(+ : rounds_per_second)
    rounds_per_second += 1 / best_round();
    return 2e-9 * TIPS_STRESS_CHAINS * tips__block() * rounds_per_second;
}

/* Floats of each of three buffers: together beyond the last cache, as far as that is known and sensible. */
static int floats_per_buffer(void) {
    const long smallest = 48L << 20, largest = 128L << 20;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes < smallest) bytes = smallest;
    if (bytes > largest) bytes = largest;
    return (int)(bytes / TIPS_STRESS_BYTES * TIPS_STRESS_BYTES / (long)sizeof(float));
}

static double time_copy(float *a, const float *b, int count) {
    const double start = tips__now();
    tips__stress_copy(a, b, count);
    return tips__now() - start;
}

static double time_triad(float *a, const float *b, const float *c, int count) {
    const double start = tips__now();
    tips__stress_triad(a, b, c, count);
    return tips__now() - start;
}

tips_status tips__machine_bandwidth(double *gigabytes_per_second) {
    const int count = floats_per_buffer();
    const double bytes = (double)sizeof(float) * count;
    float *a;
    TIPS_TRY(tips__new(&a, 3 * sizeof *a * (size_t)count, "measuring the memory bandwidth"));
    float *b = a + count, *c = b + count;
    tips__stress_touch(a, b, c, count);
    double best = 0;
    for (int i = 0; i < RUNS; i++) {
        const double copy = 2 * bytes / time_copy(a, b, count), triad = 3 * bytes / time_triad(a, b, c, count);
        if (copy > best) best = copy;
        if (triad > best) best = triad;
    }
    tips__free(a);
    *gigabytes_per_second = 1e-9 * best;
    return TIPS_OK;
}

/* The rest of the first line of `path` that starts with `key`, without what stands between. */
static int read_field(const char *path, const char *key, char *out, size_t size) {
    char line[256];
    int found = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        const char *text = line + strlen(key);
        text += strspn(text, " \t:");
        snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
        found = 1;
    }
    fclose(file);
    return found;
}

double tips__machine_peak_resident_mb(void) {
    /* getrusage counts what the process was before exec too: a large parent would show up as ours. */
    char text[64];
    double kilobytes;
    if (read_field("/proc/self/status", "VmHWM", text, sizeof text) && sscanf(text, "%lf", &kilobytes) == 1)
        return kilobytes / 1024;
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

void tips__machine_cpu(char *out, size_t size) {
    if (!read_field("/proc/cpuinfo", "model name", out, size)) snprintf(out, size, "unknown");
}
