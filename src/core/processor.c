/* The instructions that convolutions are chosen by. */
#include "core/processor.h"

#include <stdlib.h>

static const char *widest(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) return "avx512";
    if (__builtin_cpu_supports("avx2")) return "avx2";
    if (__builtin_cpu_supports("avx")) return "avx";
    return "sse";
#elif defined(__ARM_NEON)
    return "neon";
#else
    return "generic";
#endif
}

const char *tips__processor(void) {
    static const char *const names[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};
    for (int i = 0; i < 2; i++) {
        const char *held = getenv(names[i]);
        if (held && *held) return held;
    }
    return widest();
}
