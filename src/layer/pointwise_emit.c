/* The pointwise layers in basic operators. */
#include "layer/layers.h"
#include "layer/pointwise.h"
#include "emit/emit.h"

enum { HAS_HARD_SWISH = 14 };

/* An operator that takes the input alone. */
static tips_status emit_alone(tips_emitter *to, const tips_node *node, const char *op, const tips_attribute *with) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    tips__emit_out_like(to, node, 0, tips__emit_op(to, op, &x, 1, with), is_vector);
    return TIPS_OK;
}

static tips_operand bound(tips_emitter *to, double value) {
    return isinf(value) ? TIPS_NO_OPERAND : tips__emit_float(to, value);
}

tips_status tips__clip_emit(tips_emitter *to, const tips_node *node) {
    const tips_clip *c = node->config;
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const tips_operand in[] = {x, bound(to, c->min), bound(to, c->max)};
    tips__emit_out_like(to, node, 0, tips__emit_op(to, "Clip", in, 3, NULL), is_vector);
    return TIPS_OK;
}

tips_status tips__leaky_relu_emit(tips_emitter *to, const tips_node *node) {
    const tips_leaky_relu *c = node->config;
    return emit_alone(to, node, "LeakyRelu", TIPS_WITH(TIPS_WITH_FLOAT("alpha", c->alpha)));
}

tips_status tips__sigmoid_emit(tips_emitter *to, const tips_node *node) {
    return emit_alone(to, node, "Sigmoid", NULL);
}

tips_status tips__hard_sigmoid_emit(tips_emitter *to, const tips_node *node) {
    const tips_hard_sigmoid *c = node->config;
    return emit_alone(to, node, "HardSigmoid",
                      TIPS_WITH(TIPS_WITH_FLOAT("alpha", c->alpha), TIPS_WITH_FLOAT("beta", c->beta)));
}

tips_status tips__hard_swish_emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    if (tips__emit_opset(to) >= HAS_HARD_SWISH) return emit_alone(to, node, "HardSwish", NULL);
    const bool is_vector = tips__emit_ins(to, node, &x);
    const tips_operand gate = tips__emit_op(to, "HardSigmoid", &x, 1,
                                            TIPS_WITH(TIPS_WITH_FLOAT("alpha", 1.0 / 6), TIPS_WITH_FLOAT("beta", 0.5)));
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "Mul", x, gate), is_vector);
    return TIPS_OK;
}

tips_status tips__silu_emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "Mul", x, tips__emit_op(to, "Sigmoid", &x, 1, NULL)),
                        is_vector);
    return TIPS_OK;
}

tips_status tips__tanh_emit(tips_emitter *to, const tips_node *node) { return emit_alone(to, node, "Tanh", NULL); }

/* As other exporters write it. */
tips_status tips__gelu_emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const tips_operand scaled = tips__emit_binary(to, "Div", x, tips__emit_float(to, sqrt(2)));
    const tips_operand erf = tips__emit_unary(to, "Erf", scaled);
    const tips_operand twice = tips__emit_binary(to, "Add", erf, tips__emit_float(to, 1));
    const tips_operand product = tips__emit_binary(to, "Mul", x, twice);
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "Mul", product, tips__emit_float(to, 0.5)), is_vector);
    return TIPS_OK;
}

/* x sigmoid(2 u) with u = sqrt(2/pi) (x + 0.044715 x^3). */
tips_status tips__gelu_tanh_emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const double twice = 2 * sqrt(2 / 3.14159265358979323846);
    const tips_operand square = tips__emit_binary(to, "Mul", x, x);
    const tips_operand bent = tips__emit_binary(to, "Mul", square, tips__emit_float(to, 0.044715 * twice));
    const tips_operand factor = tips__emit_binary(to, "Add", bent, tips__emit_float(to, twice));
    const tips_operand gate = tips__emit_unary(to, "Sigmoid", tips__emit_binary(to, "Mul", x, factor));
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "Mul", x, gate), is_vector);
    return TIPS_OK;
}

tips_status tips__erf_emit(tips_emitter *to, const tips_node *node) { return emit_alone(to, node, "Erf", NULL); }

tips_status tips__elu_emit(tips_emitter *to, const tips_node *node) {
    const tips_elu *c = node->config;
    return emit_alone(to, node, "Elu", TIPS_WITH(TIPS_WITH_FLOAT("alpha", c->alpha)));
}

tips_status tips__softplus_emit(tips_emitter *to, const tips_node *node) {
    return emit_alone(to, node, "Softplus", NULL);
}
