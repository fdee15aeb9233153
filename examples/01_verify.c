/* Is the answer of a network the same wherever its input is? */
#include <stdio.h>
#include <tips/tips.h>

int main(void) {
    tips_network_options options = {.arch = "resnet18", .pool = "tips-exact", .first_width = 16};
    tips_network *network = NULL;
    tips_verdict verdict;
    tips_status status = tips_network_create(&options, &network);
    if (status == TIPS_OK) status = tips_network_verify(network, NULL, 64, &verdict);
    if (status == TIPS_OK && verdict.exact) printf("0 bits differ in %d layers\n", verdict.layers);
    else if (status == TIPS_OK) printf("%s breaks: %s\n", verdict.first_breaking_layer, verdict.advice);
    else fprintf(stderr, "%s\n", tips_last_error());
    tips_network_destroy(network);
    return status != TIPS_OK || !verdict.exact;
}
