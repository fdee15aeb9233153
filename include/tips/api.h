/* What programs may call: libtips.so exports what is declared with TIPS_API, and nothing else. */
#ifndef TIPS_API_H
#define TIPS_API_H

#include <stddef.h> /* ISO C forbids a file that declares nothing, such as one of this header alone */

#if defined(__GNUC__)
#define TIPS_API __attribute__((visibility("default")))
#else
#define TIPS_API
#endif

#endif
