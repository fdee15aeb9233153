/* Following a shift through a graph. P_a(T_u x) = T_m P_b(x) with m = (u + b - a) / s: a layer that chose phase b
 * before and a now has moved by m; one that downsamples without choosing moved by the better of floor and ceil of u /
 * s. */
#include "verify/verify_parts.h"

#include "layer/detection_layers.h"

#include <math.h>
#include <string.h>

enum { MOST_MOVES = 12 };

/* How far a map may have moved along one axis. */
typedef struct axis_moves {
    int n, u[2];
} axis_moves;

static int floor_div(int a, int b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

static axis_moves divided(int u, int s) {
    const int low = floor_div(u, s);
    return (axis_moves){.n = u == low * s ? 1 : 2, .u = {low, low + 1}};
}

/* The phase that a node follows: one it chose, or one it was given. */
static tips_value phase_value(const tips_graph *graph, const tips_node *node) {
    for (int i = 0; i < node->n_out; i++)
        if (tips__is_sample_number(tips__value(graph, node->out[i]))) return node->out[i];
    for (int i = 0; i < node->n_in; i++)
        if (tips__is_sample_number(tips__value(graph, node->in[i]))) return node->in[i];
    return TIPS_NO_VALUE;
}

typedef struct follower {
    const verify_engine *engine;
    const verify_base *base;
    const tips_graph *graph;
    const tips_ends *ends;
    int sample;
    verify_track *tracks;
} follower;

/* By how much a node enlarges that puts cells back where a phase says; NULL: it does not. */
static const int *undone_stride(const tips_node *node) {
    if (node->layer == &tips__layer_unpool) return ((const tips_strided *)node->config)->stride;
    if (node->layer == &tips__layer_upsample) return ((const tips_upsample *)node->config)->stride;
    if (node->layer == &tips__layer_conv_transpose) return ((const tips_conv_transpose *)node->config)->conv.stride;
    return NULL;
}

static bool undoes_stride(const tips_node *node) { return undone_stride(node) != NULL; }

static bool is_strided(const tips_node *node, int stride[2]) {
    if (undoes_stride(node)) {
        memcpy(stride, undone_stride(node), 2 * sizeof *stride);
        return true;
    }
    return node->layer->pools && node->layer->pools(node, stride);
}

static int phase_part(int phase, const int stride[2], int axis) {
    return axis == 0 ? phase / stride[1] : phase % stride[1];
}

/* How far the phase moved along an axis: b - a. */
static int phase_move(const follower *f, const tips_node *node, const int stride[2], int axis) {
    const tips_value value = phase_value(f->graph, node);
    if (value == TIPS_NO_VALUE) return 0;
    const int now = tips__verify_index(f->engine, value)[f->sample];
    return phase_part(f->base->indices[value], stride, axis) - phase_part(now, stride, axis);
}

/* Maps that an enlarging layer makes move by its factor. */
static bool enlarges(const tips_node *node, int size_in, int size_out) {
    return node->layer == &tips__layer_resize && size_out > size_in && size_out % size_in == 0;
}

static int extent(const follower *f, tips_value value, int axis) {
    const tips_value_info *info = tips__value(f->graph, value);
    return axis ? info->w : info->h;
}

/* The input whose moves the output makes: the first, unless it is spread over the second. */
static tips_value leading_input(const follower *f, const tips_node *node, int axis) {
    const bool is_spread = node->layer == &tips__layer_combine && extent(f, node->in[0], axis) == 1;
    return node->in[is_spread ? 1 : 0];
}

static axis_moves node_moves(const follower *f, const tips_node *node, int axis) {
    const tips_value lead = leading_input(f, node, axis);
    const int size_in = extent(f, lead, axis), size_out = extent(f, node->out[0], axis), u = f->tracks[lead].u[axis];
    int stride[2] = {1, 1};
    const bool stays = node->layer == &tips__layer_anchor || node->layer == &tips__layer_constant ||
                       node->layer == &tips__layer_roi_align; /* regions come in an order of their own */
    if (size_out == 1 || stays) return (axis_moves){.n = 1, .u = {0}};
    if (enlarges(node, size_in, size_out)) return (axis_moves){.n = 1, .u = {u * (size_out / size_in)}};
    if (node->layer == &tips__layer_roll)
        return (axis_moves){.n = 1, .u = {u + phase_move(f, node, ((const tips_strided *)node->config)->stride, axis)}};
    if (!is_strided(node, stride)) {
        /* A map that was extended wraps around later: what left it at the border comes back one extension late. */
        return (axis_moves){.n = size_in == size_out ? 1 : 2, .u = {u, u - size_in}};
    }
    const int moved = phase_move(f, node, stride, axis);
    if (undoes_stride(node)) return (axis_moves){.n = 1, .u = {u * stride[axis] - moved}};
    return divided(u + moved, stride[axis]);
}

static bool chose_another_phase(const follower *f, const tips_node *node) {
    int stride[2] = {1, 1};
    if (phase_value(f->graph, node) == TIPS_NO_VALUE || !is_strided(node, stride)) return false;
    if (undoes_stride(node)) return false;
    for (int axis = 0; axis < 2; axis++) {
        const int u = f->tracks[node->in[0]].u[axis] + phase_move(f, node, stride, axis);
        if (u % stride[axis] != 0) return true;
    }
    return false;
}

/* One value under one assumption of how far it moved; phases of a split map trade places. */
static verify_difference compare_value(const follower *f, tips_value value, const verify_track *track) {
    const verify_view view = tips__verify_view(f->engine, value), *base = &f->base->views[value];
    const int phases = track->s[0] * track->s[1], first = f->sample * tips__value(f->graph, value)->per_sample;
    verify_difference sum = {0};
    for (int k = 0; k < phases; k++) {
        const int a = k / track->s[1] + track->u[0], b = k % track->s[1] + track->u[1];
        const int u[2] = {floor_div(a, track->s[0]), floor_div(b, track->s[1])};
        const int now = (a - u[0] * track->s[0]) * track->s[1] + b - u[1] * track->s[1];
        const verify_difference d = tips__verify_compare(base, k, &view, first + now, u);
        sum.bits += d.bits;
        sum.error = fmax(sum.error, d.error);
    }
    return sum;
}

/* A map of answers, one for each pixel of the input. */
static bool is_answer_map(const follower *f, tips_value value) {
    for (int i = 0; i < f->ends->n_outputs; i++)
        if (f->ends->outputs[i] == value)
            return extent(f, value, 0) == extent(f, f->ends->input, 0) &&
                   extent(f, value, 1) == extent(f, f->ends->input, 1);
    return false;
}

static int list_moves(const follower *f, const tips_node *node, verify_track *moves) {
    const tips_value_info *in = tips__value(f->graph, node->in[0]), *out = tips__value(f->graph, node->out[0]);
    int n = 0;
    if (is_answer_map(f, node->out[0])) {
        moves[n++] = f->tracks[f->ends->input];
        return n;
    }
    if (node->layer == &tips__layer_polyphase) {
        const int *stride = ((const tips_strided *)node->config)->stride, *u = f->tracks[node->in[0]].u;
        moves[n++] = (verify_track){{u[0], u[1]}, {stride[0], stride[1]}};
        return n;
    }
    if (out->per_sample > 1 && in->per_sample == out->per_sample) {
        moves[n++] = f->tracks[node->in[0]];
        return n;
    }
    const axis_moves rows = node_moves(f, node, 0), columns = node_moves(f, node, 1);
    for (int i = 0; i < rows.n; i++)
        for (int j = 0; j < columns.n; j++) moves[n++] = (verify_track){{rows.u[i], columns.u[j]}, {1, 1}};
    /* Branches that moved apart: any of them may be followed. */
    for (int i = 1; i < node->n_in && n < MOST_MOVES && in->h == out->h && in->w == out->w; i++) {
        const tips_value_info *other = tips__value(f->graph, node->in[i]);
        const verify_track *track = &f->tracks[node->in[i]];
        const bool is_apart = track->u[0] != moves[0].u[0] || track->u[1] != moves[0].u[1];
        if (other->kind == TIPS_MAP && other->h == out->h && other->w == out->w && is_apart) moves[n++] = *track;
    }
    return n;
}

/* Where the cells of a pyramid lie, against how far its maps moved: cell n of a level at pixel s n + o before and
 * s n' + o' now, n' - n the move of the level's map, must be the shift of the input apart, around the torus. */
static verify_difference compare_origins(const follower *f, const tips_node *node) {
    const tips_anchor_origins *c = node->config;
    const verify_view now = tips__verify_view(f->engine, node->out[0]), *before = &f->base->views[node->out[0]];
    verify_difference sum = {0};
    for (int l = 0; l < c->anchors.n_levels; l++)
        for (int axis = 0; axis < 2; axis++) {
            const int size = c->anchors.size[axis], u = f->tracks[f->ends->input].u[axis];
            const double moved = c->anchors.levels[l].stride[axis] * (double)f->tracks[c->maps[l]].u[axis];
            const double off = tips__verify_number(&now, f->sample, 0, l, axis) -
                               tips__verify_number(before, 0, 0, l, axis) + moved - u;
            sum.error = fmax(sum.error, fabs(remainder(off, size)));
            sum.bits += remainder(off, size) != 0;
        }
    return sum;
}

/* Regions, a pixel each in an order that no shift changes: their places must have moved as far as the input, around the
 * torus, and their sizes stay. */
static verify_difference compare_regions(const follower *f, const tips_node *node) {
    const tips_anchors *a = &((const tips_proposals *)node->config)->anchors;
    const verify_view now = tips__verify_view(f->engine, node->out[0]), *before = &f->base->views[node->out[0]];
    verify_difference sum = {0};
    for (int i = 0; i < now.w; i++)
        for (int k = 0; k < TIPS_REGION_NUMBERS; k++) {
            double off = tips__verify_number(&now, f->sample, k, 0, i) - tips__verify_number(before, 0, k, 0, i);
            const bool is_there = tips__verify_number(before, 0, TIPS_REGION_THERE, 0, i) == 1;
            const int axis = k == TIPS_REGION_X;
            if ((k == TIPS_REGION_X || k == TIPS_REGION_Y) && is_there)
                off = remainder(off - f->tracks[f->ends->input].u[axis], a->size[axis]);
            sum.error = fmax(sum.error, fabs(off));
            sum.bits += off != 0;
        }
    return sum;
}

/* Indices are not compared: a phase shows in the maps that follow it. */
static verify_outcome follow_node(const follower *f, const tips_node *node) {
    verify_track moves[MOST_MOVES];
    const bool is_map = tips__value(f->graph, node->out[0])->kind == TIPS_MAP;
    const int n = is_map ? list_moves(f, node, moves) : 0;
    verify_outcome outcome = {.margin = tips__verify_margin(f->engine, node->id, f->sample),
                              .other_phase = chose_another_phase(f, node)};
    const bool is_origins = node->layer == &tips__layer_anchor_origins;
    if (is_origins || node->layer == &tips__layer_proposals) {
        outcome.difference = is_origins ? compare_origins(f, node) : compare_regions(f, node);
        f->tracks[node->out[0]] = (verify_track){{0, 0}, {1, 1}};
        return outcome;
    }
    for (int i = 0; i < n; i++) {
        const verify_difference d = compare_value(f, node->out[0], &moves[i]);
        const verify_difference *best = &outcome.difference;
        if (i > 0 && (d.bits > best->bits || (d.bits == best->bits && d.error >= best->error))) continue;
        outcome.difference = d;
        f->tracks[node->out[0]] = moves[i];
        if (d.bits == 0) break;
    }
    for (int i = is_map; i < node->n_out; i++) f->tracks[node->out[i]] = (verify_track){{0, 0}, {1, 1}};
    return outcome;
}

void tips__verify_follow(const verify_engine *engine, const verify_base *base, const tips_ends *ends, int sample,
                         const int u[2], verify_track *tracks, verify_outcome *outcomes) {
    const follower f = {engine, base, engine->graph, ends, sample, tracks};
    tracks[ends->input] = (verify_track){{u[0], u[1]}, {1, 1}};
    for (int i = 0; i < tips__graph_node_count(engine->graph); i++)
        outcomes[i] = follow_node(&f, tips__graph_node(engine->graph, i));
}
