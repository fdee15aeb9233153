/* How this library was built. */
#ifndef TIPS_CORE_BUILD_H
#define TIPS_CORE_BUILD_H

/* Compiler, level, channel block, threads: what results may depend on, for files and pages. tips_build_info, for
 * people, says besides why it is this level. */
const char *tips__build(void);

#endif
