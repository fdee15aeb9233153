/* kernel_conv as basic operators. Sums run in double: a window has the same statistics wherever it lies. */
#include "emit/emit.h"
#include "layer/kernel_conv_run.h"

/* The sum of each window of a padded map of one channel. */
static tips_operand emit_window_sums(tips_emitter *to, const tips_conv2d *c, tips_operand x) {
    tips_operand sum = TIPS_NO_OPERAND;
    for (int i = 0; i < c->kernel[0]; i++)
        for (int j = 0; j < c->kernel[1]; j++) {
            const int start[2] = {i * c->dilation[0], j * c->dilation[1]};
            const int beyond[2] = {(c->kernel[0] - 1 - i) * c->dilation[0], (c->kernel[1] - 1 - j) * c->dilation[1]};
            const int stop[2] = {beyond[0] ? -beyond[0] : INT_MAX, beyond[1] ? -beyond[1] : INT_MAX};
            const tips_operand tap = tips__emit_window(to, x, start, stop, c->stride);
            sum = i + j == 0 ? tap : tips__emit_binary(to, "Add", sum, tap);
        }
    return sum;
}

/* The mean over each window of what the channels of a padded map add up to, in double. */
static tips_operand emit_window_means(tips_emitter *to, const tips_conv2d *c, int channels, tips_operand x) {
    const tips_operand sums = tips__emit_reduce(to, "ReduceSum", x, (const int[]){1}, 1);
    const tips_operand elements = tips__emit_double(to, tips__kernel_elements(c, channels));
    return tips__emit_binary(to, "Div", emit_window_sums(to, c, sums), elements);
}

static tips_operand emit_weight_sums(tips_emitter *to, const tips_conv2d *c, tips_operand weight) {
    const tips_operand sums = tips__emit_reduce(to, "ReduceSum", weight, (const int[]){1, 2, 3}, 3);
    return tips__emit_reshape(to, sums, (const int64_t[]){1, c->out, 1, 1}, 4);
}

tips_status tips__kernel_conv_emit(tips_emitter *to, const tips_node *node) {
    const tips_kernel_conv *config = node->config;
    const tips_conv2d *c = &config->conv;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    const tips_operand x = tips__emit_pad(to, node, tips__emit_in(to, node, 0), in, &c->padding, 0);
    const tips_operand weight = tips__emit_param(to, node, KERNEL_WEIGHT);
    const tips_operand wide = tips__emit_cast(to, x, TIPS_OPERAND_DOUBLE);
    const tips_operand mean = emit_window_means(to, c, in.c, wide);
    const tips_operand square = emit_window_means(to, c, in.c, tips__emit_binary(to, "Mul", wide, wide));
    const tips_operand variance = tips__emit_binary(to, "Sub", square, tips__emit_binary(to, "Mul", mean, mean));
    const tips_operand shifted = tips__emit_binary(to, "Add", variance, tips__emit_double(to, config->eps));
    const tips_operand deviation = tips__emit_cast(to, tips__emit_unary(to, "Sqrt", shifted), TIPS_OPERAND_FLOAT);
    const tips_operand share = tips__emit_binary(to, "Mul", tips__emit_cast(to, mean, TIPS_OPERAND_FLOAT),
                                                 emit_weight_sums(to, c, weight));
    tips_operand y = tips__emit_op(to, "Conv", TIPS_OPERANDS(x, weight),
                                   TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", c->kernel[0], c->kernel[1]),
                                             TIPS_WITH_PAIR("strides", c->stride[0], c->stride[1]),
                                             TIPS_WITH_PAIR("dilations", c->dilation[0], c->dilation[1]),
                                             TIPS_WITH_INT("group", c->groups)));
    y = tips__emit_binary(to, "Div", tips__emit_binary(to, "Sub", y, share), deviation);
    if (node->n_params > 1)
        y = tips__emit_binary(to, "Add", y, tips__emit_spread_param(to, node, KERNEL_BIAS, false));
    tips__emit_out(to, node, 0, y);
    return TIPS_OK;
}
