/* corrupt_pictures NAME SEVERITY 224|32 PICTURES.npy OUT.npy [FROST]: corrupts pictures (n, c, h, w) of numbers in
 * 0..1. Used by test_corruptions.py. */
#include "corrupt/corrupt.h"
#include "exchange/npy.h"

#include "core/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tips_status run(char **words) {
    tips_npy a;
    tips_frost frost = {0};
    const int row = tips__corruption_find(words[0]);
    if (row < 0) TIPS_FAIL(TIPS_UNKNOWN, "no corruption %s", words[0]);
    if (words[5]) TIPS_TRY(tips__frost_read(words[5], &frost));
    TIPS_TRY(tips__npy_read(words[3], &a));
    const size_t count = a.elements / (size_t)a.dims[0];
    for (int i = 0; i < a.dims[0]; i++) {
        const tips_corrupt_job job = {.h = (int)a.dims[2],
                                      .w = (int)a.dims[3],
                                      .c = (int)a.dims[1],
                                      .severity = atoi(words[1]),
                                      .scale = strcmp(words[2], "32") == 0 ? TIPS_CORRUPT_32 : TIPS_CORRUPT_224,
                                      .seed = 1,
                                      .picture = i,
                                      .frost = &frost};
        TIPS_TRY(tips__corrupt(&tips__corruptions[row], &job, a.data + (size_t)i * count));
    }
    TIPS_TRY(tips__npy_write(words[4], a.n_dims, a.dims, a.data));
    tips__npy_free(&a);
    tips__frost_clear(&frost);
    return TIPS_OK;
}

int main(int argc, char **argv) {
    if (argc != 6 && argc != 7) return 2;
    const tips_status status = run(argv + 1);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    return status == TIPS_UNSUPPORTED ? 77 : status != TIPS_OK;
}
