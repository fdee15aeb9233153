/* kernel: convolutions become the layer kernel_conv, which normalises each of its windows; nothing follows them. */
#include "norm/norm_groups.h"

typedef struct kernel_norm {
    double dropout, eps;
} kernel_norm;
TIPS_NORM_CHECK_CONFIG(kernel_norm);

static tips_value conv(tips_graph *graph, const char *name, const void *config, const tips_conv2d *conv, tips_value x) {
    const kernel_norm *own = config;
    return tips__kernel_conv(graph, name, x,
                             (tips_kernel_conv){.conv = *conv, .eps = own->eps, .dropout = own->dropout});
}

static const tips_option options[] = {
    {.name = "dropout", .type = TIPS_OPT_FLOAT, .offset = offsetof(kernel_norm, dropout), .fallback = "0.05", .min = 0,
     .max = 0.999, .help = "part of the input that statistics leave out in training"},
    TIPS_NORM_EPS_ROW(kernel_norm),
    {.type = TIPS_OPT_END},
};

const tips_norm TIPS_ROW(tips__norm_kernel) = {.name = "kernel",
                                               .brief = "statistics of each window of a convolution, which has a bias",
                                               .options = options,
                                               .conv = conv,
                                               .wants_bias = true};
