/* Measuring the machine: multiply-add peak, memory bandwidth, resident memory, processor name. */
#include "bench/machine.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Chains of dependent multiply-adds: enough to cover the latency of two units, few enough for 16 registers. */
enum { CHAINS = 12, ROUNDS = 50000, RUNS = 5 };

#define PEAK_SECONDS 0.05

static float run_chains(long rounds, float half) {
    const vf factor = vf_set(half), term = vf_set(half);
    vf chain[CHAINS];
    for (int i = 0; i < CHAINS; i++) chain[i] = vf_set((float)i);
    for (long r = 0; r < rounds; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) chain[i] = vf_fma(chain[i], factor, term);
    }
    vf sum = (vf){0};
    for (int i = 0; i < CHAINS; i++) sum += chain[i];
    return vf_sum(sum);
}

/* The fewest seconds one round took on this thread. Short stretches, so that one which is not interrupted is among
 * them even on a busy machine. */
static double best_round(void) {
    volatile float half = 0.5f, sink = 0;
    const double end = tips__now() + PEAK_SECONDS;
    double best = 1;
    while (tips__now() < end) {
        const double start = tips__now();
        sink += run_chains(ROUNDS, half);
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
    return 2e-9 * CHAINS * TIPS_BLOCK * rounds_per_second;
}

/* Vectors of each of three buffers: together beyond the last cache, as far as that is known and sensible. */
static int vectors_per_buffer(void) {
    const long smallest = 48L << 20, largest = 128L << 20;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes < smallest) bytes = smallest;
    if (bytes > largest) bytes = largest;
    return (int)(bytes / (long)sizeof(vf));
}

static double time_copy(vf *restrict a, const vf *restrict b, int count) {
    const double start = tips__now();
    TIPS_PARALLEL_FOR(i, count) a[i] = b[i];
    return tips__now() - start;
}

static double time_triad(vf *restrict a, const vf *restrict b, const vf *restrict c, int count) {
    const vf scale = vf_set(3.0f);
    const double start = tips__now();
    TIPS_PARALLEL_FOR(i, count) a[i] = vf_fma(scale, c[i], b[i]);
    return tips__now() - start;
}

tips_status tips__machine_bandwidth(double *gigabytes_per_second) {
    const int count = vectors_per_buffer();
    vf *a;
    TIPS_TRY(tips__new(&a, 3 * sizeof(vf) * (size_t)count, "measuring the memory bandwidth"));
    vf *b = a + count, *c = b + count;
    TIPS_PARALLEL_FOR(i, count) a[i] = b[i] = c[i] = vf_set(1.0f); /* each thread touches its own part first */
    double best = 0;
    for (int i = 0; i < RUNS; i++) {
        const double copy = 2.0 * sizeof(vf) * count / time_copy(a, b, count);
        const double triad = 3.0 * sizeof(vf) * count / time_triad(a, b, c, count);
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
