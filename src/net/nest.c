/* Concatenation without copies: where no backward pass follows, maps that are joined along their channels are written
 * to their places in the joined map at once, if those begin at whole blocks. A join of maps that already lie side by
 * side, as in every layer of a DenseNet, is then a view of a larger one. */
#include "layer/layers.h"
#include "net/net_parts.h"

enum { MOST_LEAVES = 256 };

/* The maps a join is made of in the end, joins of joins dissolved, and the channel where each begins. */
typedef struct leaves {
    int count;
    tips_value value[MOST_LEAVES];
    int offset[MOST_LEAVES];
} leaves;

static const net_op *maker(const tips_net *net, tips_value value) {
    for (int i = 0; i < net->n_ops; i++)
        for (int j = 0; j < net->ops[i].op.n_out; j++)
            if (net->ops[i].out[j] == value) return &net->ops[i];
    return NULL;
}

static const net_op *join_of(const tips_net *net, tips_value value) {
    const net_op *op = maker(net, value);
    return op && op->op.node->layer == &tips__layer_concat ? op : NULL;
}

static bool collect(const tips_net *net, tips_value value, int offset, leaves *out) {
    const net_op *join = join_of(net, value);
    if (!join) {
        if (out->count == MOST_LEAVES) return false;
        out->value[out->count] = value;
        out->offset[out->count++] = offset;
        return true;
    }
    for (int j = 0; j < join->op.n_in; j++) {
        if (!collect(net, join->in[j], offset, out)) return false;
        offset += net->graph->values[join->in[j]].c;
    }
    return true;
}

static bool is_output(const tips_net *net, tips_value v) {
    for (int i = 0; i < net->graph->n_outputs; i++)
        if (net->graph->outputs[i] == v) return true;
    return false;
}

static bool same_halo(const tips_padding *a, const tips_padding *b) {
    return a->mode == b->mode && a->top == b->top && a->left == b->left && a->bottom == b->bottom &&
           a->right == b->right;
}

/* Whether it may lie `offset` channels into the map of `root`: it begins and ends with whole blocks there, whoever
 * writes it can leave gaps, and whoever reads it wants no other border. */
static bool fits(const tips_net *net, tips_value v, tips_value root, int offset) {
    const net_value *value = &net->values[v];
    const int channels = net->graph->values[v].c, end = offset + channels;
    const bool whole = offset % TIPS_BLOCK == 0 && (end % TIPS_BLOCK == 0 || end == net->graph->values[root].c);
    const bool no_halo = tips__pad_none(&value->halo);
    const net_op *op = maker(net, v);
    return whole && value->root == v && op && !is_output(net, v) && tips__net_writes_strides(&op->op) &&
           (no_halo || same_halo(&value->halo, &net->values[root].halo));
}

static void put_into(tips_net *net, tips_value v, tips_value root, int offset) {
    net_value *value = &net->values[v], *around = &net->values[root];
    const tips_map own = value->map;
    value->root = around->root;
    value->block = around->block + offset / TIPS_BLOCK;
    value->whole = around->whole;
    value->halo = around->halo;
    value->map = around->map;
    value->map.c = own.c;
    value->map.blocks = own.blocks;
}

/* All leaves lie side by side in one map already: the join is a part of that. */
static bool make_view(tips_net *net, tips_value join, const leaves *l) {
    const net_value *first = &net->values[l->value[0]];
    if (first->root == l->value[0]) return false;
    for (int i = 0; i < l->count; i++) {
        const net_value *leaf = &net->values[l->value[i]];
        if (l->offset[i] % TIPS_BLOCK || leaf->root != first->root ||
            leaf->block != first->block + l->offset[i] / TIPS_BLOCK)
            return false;
    }
    const bool no_halo = tips__pad_none(&net->values[join].halo);
    if (!no_halo && !same_halo(&net->values[join].halo, &first->halo)) return false;
    put_into(net, join, first->root, 0);
    net->values[join].block = first->block;
    return true;
}

static void nest_join(tips_net *net, const net_op *op) {
    leaves l = {0};
    const tips_value join = op->out[0];
    if (!collect(net, join, 0, &l)) return;
    if (net->values[join].root == join && !is_output(net, join) && make_view(net, join, &l)) return;
    for (int i = 0; i < l.count; i++)
        if (fits(net, l.value[i], join, l.offset[i])) put_into(net, l.value[i], join, l.offset[i]);
}

/* The last join is the largest, as a rule: the others find their parts in it. */
void tips__net_nest(tips_net *net) {
    if (tips__goes_back(&net->options.pass) || net->options.keep_all) return;
    for (int i = net->n_ops - 1; i >= 0; i--)
        if (net->ops[i].op.node->layer == &tips__layer_concat) nest_join(net, &net->ops[i]);
}
