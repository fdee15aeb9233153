/* Every operator of the catalog on a grid of sizes and paddings: which are exact, and why others are not. */
#include <stdio.h>
#include <tips/tips.h>

static const int sizes[][2] = {{16, 16}, {12, 20}, {10, 16}};
static const char *const paddings[] = {"circular", "zero"};

static tips_status verify(const tips_network_options *options, tips_verdict *verdict) {
    tips_network *network = NULL;
    tips_status status = tips_network_create(options, &network);
    if (status == TIPS_OK) status = tips_network_settle(network);
    if (status == TIPS_OK) status = tips_network_verify(network, NULL, 8, verdict);
    tips_network_destroy(network);
    return status;
}

static tips_status show_row(const char *pool, int height, int width, const char *padding) {
    const tips_network_options options = {
        .arch = "tiny", .pool = pool, .padding = padding, .height = height, .width = width};
    tips_verdict v;
    const tips_status status = verify(&options, &v);
    if (status != TIPS_OK) return status;
    printf("%-14s %2dx%-2d  %-9s ", pool, height, width, padding);
    if (v.exact) printf("exact\n");
    else printf("%s: %s, error %.2g\n", v.first_breaking_layer, v.reason, v.max_rel_error);
    return TIPS_OK;
}

int main(void) {
    tips_pool_info pool;
    for (int i = 0; tips_catalog_pool(i, &pool); i++)
        for (int s = 0; s < 3; s++)
            for (int p = 0; p < 2; p++)
                if (show_row(pool.name, sizes[s][0], sizes[s][1], paddings[p]) != TIPS_OK) {
                    fprintf(stderr, "%s: %s\n", pool.name, tips_last_error());
                    return 1;
                }
    return 0;
}
