/* attention: multi-head self-attention among the tokens of a map, its pixels. The input holds queries, keys and values,
 * c channels each, of which every head takes c / heads. For each head, y_i = sum over j of softmax_j(s_ij) v_j with
 * s_ij = q_i . k_j / sqrt(c / heads), over all tokens or those of a window.
 *
 * Windows may be shifted around the torus, as in Swin; then the mask takes -100 from s_ij where tokens of a window are
 * neighbours only by going around. The relative position bias adds a number of a table to s_ij, chosen by head and by
 * the way from key to query. */
#include "layer/attention.h"
#include "layer/layer_common.h"

tips_windows tips__windows_of(const tips_attention *config, int h, int w) {
    tips_windows of = {.h = h, .w = w, .high = config->window ? config->window : h,
                       .wide = config->window ? config->window : w, .masked = config->masked};
    /* An axis of one window has nothing to shift, as Swin has it. */
    of.down = of.high < h ? config->shift : 0;
    of.right = of.wide < w ? config->shift : 0;
    of.tokens = of.high * of.wide;
    of.count = h / of.high * (w / of.wide);
    return of;
}

void tips__window_place(const tips_windows *of, int k, int t, int32_t at[2]) {
    const int across = of->w / of->wide;
    at[0] = (k / across * of->high + t / of->wide + of->down) % of->h;
    at[1] = (k % across * of->wide + t % of->wide + of->right) % of->w;
}

/* 0 before the windows of the last row or column, 1 in them, 2 for what came around. */
static int region_along(int at, int size, int window, int shift) {
    if (shift == 0 || at < size - window) return 0;
    return at < size - shift ? 1 : 2;
}

int tips__window_region(const tips_windows *of, int k, int t) {
    const int across = of->w / of->wide, y = k / across * of->high + t / of->wide;
    const int x = k % across * of->wide + t % of->wide;
    return of->masked ? 3 * region_along(y, of->h, of->high, of->down) + region_along(x, of->w, of->wide, of->right)
                      : 0;
}

int tips__window_offset(const tips_windows *of, int query, int key) {
    const int dy = query / of->wide - key / of->wide + of->high - 1;
    const int dx = query % of->wide - key % of->wide + of->wide - 1;
    return dy * (2 * of->wide - 1) + dx;
}

int tips__window_offsets(const tips_windows *of) { return (2 * of->high - 1) * (2 * of->wide - 1); }

static tips_status check_config(const tips_node *node, const tips_attention *config, const tips_value_info *in) {
    if (config->heads < 1 || in->c % (3 * config->heads))
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': queries, keys and values of %d heads do not divide %d channels", node->name,
                  config->heads, in->c);
    if (config->window < 0 || (config->window && (in->h % config->window || in->w % config->window)))
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': windows of %d do not divide a map of %dx%d", node->name, config->window,
                  in->h, in->w);
    if (config->shift < 0 || (config->shift && config->shift >= config->window))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a shift of %d; windows of %d are shifted by less", node->name, config->shift,
                  config->window);
    if (config->bias && !config->window)
        TIPS_FAIL(TIPS_INVALID, "layer '%s': a relative position bias is of windows", node->name);
    return TIPS_OK;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_attention *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    TIPS_TRY(check_config(node, config, &in));
    const tips_windows of = tips__windows_of(config, in.h, in.w);
    if (config->bias)
        tips__node_param(graph, node, "relative_position_bias_table",
                         (tips_param_spec){.layout = TIPS_MATRIX, .n_dims = 2, .std = 0.02, .trainable = true,
                                           .dims = {tips__window_offsets(&of), config->heads}});
    tips__node_out(graph, node, tips__map_info(in.c / 3, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

/* One head of one sample, for the oracle: q, k and v as planes of (d, h, w). */
typedef struct ref_head {
    const double *q, *k, *v;
    const double *table; /* (offsets, heads) from this head on, or NULL */
    double *y;
    int d, heads;
} ref_head;

static double ref_score(const tips_windows *of, const ref_head *head, int window, int i, int j) {
    int32_t query[2], key[2];
    double sum = 0;
    const size_t area = (size_t)of->h * of->w;
    tips__window_place(of, window, i, query);
    tips__window_place(of, window, j, key);
    for (int c = 0; c < head->d; c++)
        sum += head->q[c * area + query[0] * of->w + query[1]] * head->k[c * area + key[0] * of->w + key[1]];
    sum /= sqrt(head->d);
    if (head->table) sum += head->table[(size_t)tips__window_offset(of, i, j) * head->heads];
    return tips__window_region(of, window, i) == tips__window_region(of, window, j) ? sum : sum - TIPS_ATTENTION_MASK;
}

static void ref_token(const tips_windows *of, const ref_head *head, int window, int i) {
    int32_t at[2], key[2];
    double largest = -INFINITY, sum = 0;
    const size_t area = (size_t)of->h * of->w;
    tips__window_place(of, window, i, at);
    for (int j = 0; j < of->tokens; j++) largest = fmax(largest, ref_score(of, head, window, i, j));
    for (int j = 0; j < of->tokens; j++) sum += exp(ref_score(of, head, window, i, j) - largest);
    for (int c = 0; c < head->d; c++) head->y[c * area + at[0] * of->w + at[1]] = 0;
    for (int j = 0; j < of->tokens; j++) {
        const double share = exp(ref_score(of, head, window, i, j) - largest) / sum;
        tips__window_place(of, window, j, key);
        for (int c = 0; c < head->d; c++)
            head->y[c * area + at[0] * of->w + at[1]] += share * head->v[c * area + key[0] * of->w + key[1]];
    }
}

static tips_status ref(tips_ref_op *op) {
    const tips_attention *config = op->node->config;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const tips_windows of = tips__windows_of(config, in->h, in->w);
    const size_t area = (size_t)in->h * in->w, part = out->c * area;
    const int d = out->c / config->heads;
    for (int i = 0; i < in->n * config->heads; i++) {
        const int n = i / config->heads, h = i % config->heads;
        const double *q = in->data + n * 3 * part + h * d * area;
        const ref_head head = {.q = q, .k = q + part, .v = q + 2 * part, .y = out->data + n * part + h * d * area,
                               .table = config->bias ? op->param[TIPS_ATTENTION_TABLE] + h : NULL, .d = d,
                               .heads = config->heads};
        for (int k = 0; k < of.count; k++)
            for (int t = 0; t < of.tokens; t++) ref_token(&of, &head, k, t);
    }
    return TIPS_OK;
}

/* Sums over tokens round by their order, which a shift changes; windows are a grid besides. */
static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]);
    const tips_windows of = tips__windows_of(node->config, in->h, in->w);
    if (of.tokens == 1) return NULL;
    return of.count > 1 || ((const tips_attention *)node->config)->bias ? "windows" : "token order";
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]);
    const tips_windows of = tips__windows_of(node->config, in->h, in->w);
    return 2.0 / 3 * in->c * of.tokens * in->h * in->w * in->per_sample;
}

static const tips_option options[] = {
    {.name = "heads", .type = TIPS_OPT_INT, .offset = offsetof(tips_attention, heads), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "parts of the channels that attend apart"},
    {.name = "window", .type = TIPS_OPT_INT, .offset = offsetof(tips_attention, window), .fallback = "0", .min = 0,
     .max = 1 << 12, .help = "height and width of the windows; 0: all tokens see each other"},
    {.name = "shift", .type = TIPS_OPT_INT, .offset = offsetof(tips_attention, shift), .fallback = "0", .min = 0,
     .max = 1 << 12, .help = "rows and columns by which the windows are shifted, around the torus"},
    {.name = "masked", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_attention, masked), .fallback = "false",
     .help = "tokens that are neighbours only around the torus do not see each other"},
    {.name = "bias", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_attention, bias), .fallback = "false",
     .help = "add a relative position bias"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_attention) = {
    .name = "attention",
    .brief = "self-attention among the pixels of a map, or of its windows, given queries, keys and values",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_attention),
    .shape = shape,
    .plan = tips__attention_plan,
    .forward = tips__attention_forward,
    .backward = tips__attention_backward,
    .ref = ref,
    .emit = tips__attention_emit,
    .breaks = breaks,
    .multiply_adds = multiply_adds,
};
