/* The instructions that kernels and convolutions are chosen by. */
#include "core/processor.h"

#include "core/level.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool tips__processor_has(const char *level) {
    __builtin_cpu_init(); /* the library may start before whatever else would do this */
    if (strcmp(level, "avx512") == 0) return has_avx512();
    return strcmp(level, "avx2") != 0 || has_avx2();
}

bool tips__processor_has_more(const char *level) {
    if (strcmp(level, "avx512") == 0) return false;
    return tips__processor_has(strcmp(level, "avx2") == 0 ? "avx512" : "avx2");
}

static const char *widest(void) {
    if (tips__processor_has("avx512")) return "avx512";
    if (__builtin_cpu_supports("avx2")) return "avx2";
    return __builtin_cpu_supports("avx") ? "avx" : "sse";
}
#else
bool tips__processor_has(const char *level) { return level != NULL; }
bool tips__processor_has_more(const char *level) { return level == NULL; }
static const char *widest(void) { return tips__level()->name; }
#endif

const char *tips__onednn_held(void) {
    static const char *const names[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};
    for (int i = 0; i < 2; i++) {
        const char *held = getenv(names[i]);
        if (held && *held) return held;
    }
    return NULL;
}

const char *tips__processor(void) {
    const char *held = tips__onednn_held();
    if (held) return held;
    return tips__level_is_held() ? tips__level()->name : widest();
}
