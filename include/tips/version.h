/* The version, as text at compile time and at run time, and how the library was built. */
#ifndef TIPS_VERSION_H
#define TIPS_VERSION_H

#define TIPS_VERSION "0.1.0"

#include <stddef.h>
#include <tips/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" of the library that is linked. */
TIPS_API const char *tips_version(void);
/* One line: compiler, threads, which level of the processor the kernels are for and why, channel block. */
TIPS_API const char *tips_build_info(void);

/* The compute library that is loaded, "oneDNN 2.6.3". */
TIPS_API void tips_engine_info(char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
