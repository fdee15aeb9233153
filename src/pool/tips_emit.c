/* The tips family in basic operators: psi, the logits of all phases, the anchor, tau, the roll, the mix. */
#include "pool/phase_emit.h"
#include "pool/pool_parts.h"
#include "pool/tips_pool.h"

#include "core/memory.h"

enum { SPLIT_COUNTS = 18 }; /* the first opset where Split says into how many */

typedef struct emit_job {
    tips_emitter *to;
    const tips_node *node;
    const tips_family_config *config;
    const int *stride;
    int c, phases, first; /* first: the mix's weight among the parameters */
    tips_operand x, psi, anchor;
} emit_job;

static tips_operand emit_psi(const emit_job *j) {
    tips_emitter *to = j->to;
    if (j->config->psi == PSI_FULL) return tips__emit_in(to, j->node, tips__family_psi_slot(j->config));
    tips_padding pad = {j->config->common.padding, 1, 1, 1, 1};
    tips_operand x = j->x;
    if (pad.mode != TIPS_PAD_ZERO) {
        x = tips__emit_pad(to, j->node, x, tips__emit_in_info(to, j->node, 0), &pad, 0);
        pad = (tips_padding){0};
    }
    x = tips__emit_op(to, "Conv", TIPS_OPERANDS(x, tips__emit_param(to, j->node, 0)),
                      TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", 3, 3), TIPS_WITH_PAIR("strides", 1, 1),
                                TIPS_WITH_FOUR("pads", pad.top, pad.left, pad.bottom, pad.right),
                                TIPS_WITH_INT("group", j->c)));
    return tips__emit_unary(to, "Relu", x);
}

static tips_operand mean_of(tips_emitter *to, tips_operand map) {
    return tips__emit_reduce(to, "ReduceMean", map, (const int[]){TIPS_EMIT_ROWS, TIPS_EMIT_COLUMNS}, 2);
}

/* Equal parts along an axis; their operands follow each other. */
static tips_operand split(tips_emitter *to, tips_operand map, int axis, int parts) {
    const tips_attribute with[] = {
        TIPS_WITH_INT("axis", axis),
        {.name = tips__emit_opset(to) < SPLIT_COUNTS ? NULL : "num_outputs", .type = TIPS_ATTRIBUTE_INT, .i = parts},
        {0}};
    return tips__emit_op_many(to, "Split", TIPS_OPERANDS(map), with, parts);
}

static void quadrant_means(const emit_job *j, tips_operand psi, tips_operand *mean) {
    const int sh = j->stride[0], sw = j->stride[1];
    const tips_operand rows = split(j->to, psi, TIPS_EMIT_ROWS, sh);
    for (int a = 0; a < sh && rows != TIPS_NO_OPERAND; a++) {
        const tips_operand cells = split(j->to, rows + a, TIPS_EMIT_COLUMNS, sw);
        for (int b = 0; b < sw; b++) mean[a * sw + b] = mean_of(j->to, cells + b);
    }
}

/* Means of the phases or quadrants of a map, (n, c, phases). */
static tips_operand all_means(const emit_job *j, tips_operand psi, bool quadrants) {
    tips_operand mean[TIPS_MAX_PHASES] = {0};
    psi = tips__emit_cast(j->to, psi, TIPS_OPERAND_DOUBLE);
    if (quadrants) quadrant_means(j, psi, mean);
    for (int k = 0; k < j->phases && !quadrants; k++)
        mean[k] = mean_of(j->to, tips__emit_phase(j->to, psi, j->stride, k));
    const tips_operand joined =
        tips__emit_cast(j->to, tips__emit_concat(j->to, mean, j->phases, 2), TIPS_OPERAND_FLOAT);
    return tips__emit_reshape(j->to, joined, (const int64_t[]){-1, j->c, j->phases}, 3);
}

static tips_operand gap_logits(const emit_job *j) {
    tips_emitter *to = j->to;
    tips_operand mean = mean_of(to, tips__emit_cast(to, j->psi, TIPS_OPERAND_DOUBLE));
    mean = tips__emit_reshape(to, tips__emit_cast(to, mean, TIPS_OPERAND_FLOAT), (const int64_t[]){-1, j->c}, 2);
    const tips_operand weight = tips__emit_param(to, j->node, j->first);
    const tips_operand in[] = {mean, weight, tips__emit_param(to, j->node, j->first + 1)};
    const tips_operand raw = tips__emit_op(to, "Gemm", in, 3, TIPS_WITH(TIPS_WITH_INT("transB", 1)));
    return tips__emit_reshape(to, raw, (const int64_t[]){-1, j->c, j->phases}, 3);
}

/* Of the map as the anchor sees it. */
static tips_operand quadrant_logits(const emit_job *j) {
    tips_emitter *to = j->to;
    const bool rolls = j->anchor != TIPS_NO_OPERAND;
    const tips_operand seen = rolls ? tips__emit_roll(to, j->psi, j->anchor, j->stride, false) : j->psi;
    const tips_operand weight =
        tips__emit_reshape(to, tips__emit_param(to, j->node, j->first), (const int64_t[]){j->c, 1}, 2);
    return tips__emit_binary(to, "Mul", all_means(j, seen, true), weight);
}

/* In natural order. */
static tips_operand phase_logits(const emit_job *j) {
    return tips__emit_binary(j->to, "MatMul", tips__emit_param(j->to, j->node, j->first), all_means(j, j->psi, false));
}

static tips_operand anchor_by_logits(const emit_job *j, tips_operand logits) {
    tips_emitter *to = j->to;
    const tips_operand wide = tips__emit_cast(to, logits, TIPS_OPERAND_DOUBLE);
    const tips_operand sum = tips__emit_reduce(to, "ReduceSum", wide, (const int[]){1}, 1);
    const tips_operand scores = tips__emit_reshape(to, sum, (const int64_t[]){-1, j->phases, 1, 1}, 4);
    return tips__emit_choose(to, scores, j->x, j->stride);
}

/* For each anchor the matrix of zeros and ones that takes weights from natural to anchored order. */
static tips_operand turns_of(const emit_job *j) {
    const int p = j->phases;
    float *table; /* (anchor, natural, anchored) */
    const tips_status status = tips__new_zero(&table, (size_t)p * p * p * sizeof *table, "the orders of phases");
    tips__emit_fail(j->to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    for (int a = 0; a < p; a++)
        for (int k = 0; k < p; k++) table[(a * p + tips__family_natural(j->stride, a, k)) * p + k] = 1;
    const tips_operand made = tips__emit_floats(j->to, table, (const int64_t[]){p, p, p}, 3);
    tips__free(table);
    return made;
}

/* A product with zeros and ones is exact. */
static tips_operand anchored(const emit_job *j, tips_operand tau) {
    tips_emitter *to = j->to;
    const tips_operand own = tips__emit_reshape(to, j->anchor, (const int64_t[]){-1}, 1);
    const tips_operand turn =
        tips__emit_op(to, "Gather", TIPS_OPERANDS(turns_of(j), own), TIPS_WITH(TIPS_WITH_INT("axis", 0)));
    return tips__emit_binary(to, "MatMul", tau, turn);
}

/* The mixing weights (n, c, phases) in anchored order; sets the anchor where the logits choose it. */
static tips_operand emit_tau(emit_job *j) {
    tips_emitter *to = j->to;
    tips_operand logits = TIPS_NO_OPERAND;
    switch ((tips_tau)j->config->tau) {
    case TAU_GAP: logits = gap_logits(j); break;
    case TAU_QUADRANT: logits = quadrant_logits(j); break;
    case TAU_PHASE: logits = phase_logits(j); break;
    }
    if (j->config->anchor == ANCHOR_LOGITS && !j->config->common.shared) j->anchor = anchor_by_logits(j, logits);
    tips_operand tau = tips__emit_softmax(to, "Softmax", logits, 2);
    if (j->config->tau == TAU_PHASE && j->anchor != TIPS_NO_OPERAND) tau = anchored(j, tau);
    return j->config->hard ? tips__emit_one_hot(to, tips__emit_first_largest(to, tau, 2), j->phases) : tau;
}

/* sum_k tau_k P_k(y), in the order of k. */
static tips_operand emit_mix(const emit_job *j, tips_operand y, tips_operand tau) {
    tips_emitter *to = j->to;
    tips_operand sum = TIPS_NO_OPERAND;
    tau = tips__emit_reshape(to, tau, (const int64_t[]){-1, j->c, j->phases, 1}, 4);
    for (int k = 0; k < j->phases; k++) {
        const tips_operand weight = tips__emit_slice(to, tau, 2, k, k + 1, 1);
        const tips_operand part = tips__emit_binary(to, "Mul", weight, tips__emit_phase(to, y, j->stride, k));
        sum = k == 0 ? part : tips__emit_binary(to, "Add", sum, part);
    }
    return sum;
}

static tips_operand given_anchor(const emit_job *j) {
    if (j->config->common.shared) return tips__emit_in(j->to, j->node, 1);
    if (j->config->anchor != ANCHOR_NORM) return TIPS_NO_OPERAND;
    return tips__emit_first_largest(j->to, tips__emit_phase_norms(j->to, j->x, j->stride, 2), 1);
}

tips_status tips__family_emit(tips_emitter *to, const tips_node *node) {
    const tips_family_config *c = node->config;
    emit_job j = {.to = to,
                  .node = node,
                  .config = c,
                  .stride = c->common.stride,
                  .c = tips__emit_in_info(to, node, 0).c,
                  .phases = tips__pool_phases(&c->common),
                  .first = c->psi == PSI_FULL ? 0 : 1,
                  .x = tips__emit_in(to, node, 0)};
    j.psi = emit_psi(&j);
    j.anchor = given_anchor(&j);
    const tips_operand tau = emit_tau(&j);
    const bool rolls = j.anchor != TIPS_NO_OPERAND;
    const tips_operand y = rolls ? tips__emit_roll(to, j.x, j.anchor, j.stride, false) : j.x;
    tips__emit_out(to, node, 0, emit_mix(&j, y, tau));
    if (node->n_out > 1) tips__emit_out(to, node, 1, j.anchor);
    return TIPS_OK;
}
