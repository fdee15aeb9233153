/* Reading the limits of control groups: cpu.max of version 2, cpu.cfs_quota_us and cpu.cfs_period_us of version 1. */
#include "core/cores.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096, PATH = 2 * LINE };

static bool read_line(const char *folder, const char *name, char out[64]) {
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const bool is_read = fgets(out, 64, file) != NULL;
    fclose(file);
    return is_read;
}

/* Whole cores for a quota of each period, both in microseconds; 0 where they make no sense. */
static int whole_cores(long long quota, long long period) {
    if (quota <= 0 || period <= 0) return 0;
    const long long cores = quota / period + (quota % period != 0);
    return cores > INT_MAX ? 0 : (int)cores;
}

/* "200000 100000", or "max 100000". */
static int limit_2(const char *folder) {
    char line[64];
    long long quota, period;
    if (!read_line(folder, "cpu.max", line)) return 0;
    return sscanf(line, "%lld %lld", &quota, &period) == 2 ? whole_cores(quota, period) : 0;
}

/* A quota of -1 is none. */
static int limit_1(const char *folder) {
    char quota_line[64], period_line[64];
    long long quota, period;
    if (!read_line(folder, "cpu.cfs_quota_us", quota_line)) return 0;
    if (!read_line(folder, "cpu.cfs_period_us", period_line)) return 0;
    const bool are_numbers = sscanf(quota_line, "%lld", &quota) == 1 && sscanf(period_line, "%lld", &period) == 1;
    return are_numbers ? whole_cores(quota, period) : 0;
}

static void lower(int *least, int limit) {
    if (limit > 0 && (*least == 0 || limit < *least)) *least = limit;
}

/* From the group at `path` below `mount` to `mount` itself: a container may see its own group there, under a name that
 * is its host's. */
static void climb(const char *mount, const char *path, int (*limit)(const char *), int *least) {
    char folder[PATH];
    const int length = snprintf(folder, sizeof folder, "%s%s", mount, path);
    if (length < 0 || length >= (int)sizeof folder) return;
    while (strlen(folder) > strlen(mount)) {
        lower(least, limit(folder));
        *strrchr(folder, '/') = '\0';
    }
    lower(least, limit(mount));
}

static bool has_cpu(const char *controllers) {
    for (const char *at = controllers; *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        if (length == 3 && strncmp(at, "cpu", 3) == 0) return true;
        at += length;
    }
    return false;
}

/* A line "number:controllers:path"; version 2 names no controllers. */
static void take_line(char *line, const char *root, int *least) {
    char mount[PATH];
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/') return;
    *controllers++ = '\0';
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (!*controllers) {
        climb(root, path, limit_2, least);
        snprintf(mount, sizeof mount, "%s/unified", root); /* beside version 1 */
        climb(mount, path, limit_2, least);
    }
    if (!has_cpu(controllers)) return;
    snprintf(mount, sizeof mount, "%s/%s", root, controllers);
    climb(mount, path, limit_1, least);
    snprintf(mount, sizeof mount, "%s/cpu", root);
    climb(mount, path, limit_1, least);
}

int tips__cores_of_group(const char *membership, const char *root) {
    char line[LINE];
    int least = 0;
    FILE *file = fopen(membership, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) take_line(line, root, &least);
    fclose(file);
    return least;
}
