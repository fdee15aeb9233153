/* The version, as text at compile time and at run time, and how the library was built. */
#ifndef TIPS_VERSION_H
#define TIPS_VERSION_H

#define TIPS_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" of the library that is linked. */
const char *tips_version(void);
/* One line: compiler, instruction set, channel block, threads. */
const char *tips_build_info(void);

#ifdef __cplusplus
}
#endif
#endif
