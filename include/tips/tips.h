/* Everything at once. A network, and whether its answer depends on where its input is:
 *
 *     #include <stdio.h>
 *     #include <tips/tips.h>
 *
 *     int main(void) {
 *         tips_network_options options = {.arch = "resnet18", .pool = "tips-exact", .first_width = 16};
 *         tips_network *network = NULL;
 *         tips_verdict verdict;
 *         tips_status status = tips_network_create(&options, &network);
 *         if (status == TIPS_OK) status = tips_network_verify(network, NULL, 64, &verdict);
 *         if (status == TIPS_OK && verdict.exact) printf("0 bits differ in %d layers\n", verdict.layers);
 *         else if (status == TIPS_OK) printf("%s breaks: %s\n", verdict.first_breaking_layer, verdict.advice);
 *         else fprintf(stderr, "%s\n", tips_last_error());
 *         tips_network_destroy(network);
 *         return status != TIPS_OK || !verdict.exact;
 *     }
 *
 * Every function that can fail returns a tips_status; tips_last_error() then tells, per thread, what was wrong. The
 * library never prints and never exits. NULL where something is needed is TIPS_INVALID, with the argument's name; a
 * function that returns a value gives 0, false, "" or NULL then. What is created is destroyed by the caller; a `const`
 * pointer is borrowed for the call. Compile with: cc 01_verify.c $(pkg-config --cflags --libs tips) */
#ifndef TIPS_TIPS_H
#define TIPS_TIPS_H

#include <tips/api.h>
#include <tips/catalog.h>
#include <tips/classifier.h>
#include <tips/consistency.h>
#include <tips/custom_pool.h>
#include <tips/detector.h>
#include <tips/losses.h>
#include <tips/memory.h>
#include <tips/network.h>
#include <tips/padding.h>
#include <tips/picture.h>
#include <tips/segmenter.h>
#include <tips/status.h>
#include <tips/train.h>
#include <tips/verify.h>
#include <tips/version.h>

#endif
