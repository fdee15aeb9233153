/* Tensors of any rank as maps: which of their axes, one or several, make up the channels, rows and columns, and the
 * steps that bring them there. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

enum { ROLES = 3 };

static void put_axis(onnx_groups *g, int role, int axis) { g->axis[role][g->n[role]++] = axis; }

onnx_groups tips__onnx_groups_of_layout(onnx_layout layout) {
    onnx_groups g = {.n = {0}};
    for (int role = 0; role < ROLES; role++)
        if (layout.axis[role] != ONNX_NONE) put_axis(&g, role, layout.axis[role]);
    return g;
}

/* Axes that are no channels: the first are the rows and the others the columns; one alone, tokens as a rule, are
 * columns, of which kernels take many at a time. */
static void put_positions(const int *axes, int n, onnx_groups *g) {
    g->n[1] = g->n[2] = 0;
    for (int i = 0; i < n; i++) put_axis(g, i == 0 && n > 1 ? 1 : 2, axes[i]);
}

static void put_others(const onnx_value *v, onnx_groups *g) {
    bool is_taken[TIPS_ONNX_MAX_DIMS] = {false};
    int others[TIPS_ONNX_MAX_DIMS], n = 0;
    for (int i = 0; i < g->n[0]; i++) is_taken[g->axis[0][i]] = true;
    for (int i = 0; i < v->n_dims; i++)
        if (!is_taken[i] && v->dims[i] > 1) others[n++] = i;
    put_positions(others, n, g);
}

static int64_t extent_of(const onnx_value *v, const onnx_groups *g, int role) {
    int64_t product = 1;
    for (int i = 0; i < g->n[role]; i++) product *= v->dims[g->axis[role][i]];
    return product;
}

/* Axes by the order they lie in. */
static int sort_axes(const onnx_value *v, int *axes) {
    int n = 0;
    for (int i = 0; i < v->n_dims; i++) {
        int at = n;
        if (v->dims[i] == 1) continue;
        for (; at > 0 && v->strides[axes[at - 1]] < v->strides[i]; at--) axes[at] = axes[at - 1];
        axes[at] = i;
        n++;
    }
    return n;
}

/* The groups that the map itself has, where its channels are whole axes; other axes are split as it has them, or as
 * they come. */
static bool groups_now(const onnx_importer *im, const onnx_value *v, onnx_groups *g) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t extents[ROLES] = {map->c, map->h, map->w};
    int axes[TIPS_ONNX_MAX_DIMS], at = 0;
    const int n = sort_axes(v, axes);
    *g = (onnx_groups){.n = {0}};
    for (int role = 0; role < ROLES; role++) {
        while (at < n && extent_of(v, g, role) < extents[role]) put_axis(g, role, axes[at++]);
        if (extent_of(v, g, role) == extents[role]) continue;
        if (role == 0) return false;
        put_positions(axes + g->n[0], n - g->n[0], g);
        return true;
    }
    return true;
}

onnx_groups tips__onnx_groups_of(const onnx_importer *im, const onnx_value *v) {
    onnx_groups g = {.n = {0}};
    const bool is_usual = v->is_padded || (v->n_dims <= 4 && v->n_dims > 1 && v->dims[0] == 1);
    if (is_usual && tips__onnx_is_laid_out(im, v)) return tips__onnx_groups_of_layout(tips__onnx_layout_of(im, v));
    if (groups_now(im, v, &g)) return g;
    if (is_usual) return tips__onnx_groups_of_layout(tips__onnx_layout_of(im, v));
    return tips__onnx_with_channels(im, v, v->n_dims - 1, 1);
}

onnx_groups tips__onnx_with_channels(const onnx_importer *im, const onnx_value *v, int first, int count) {
    onnx_groups now, g = {.n = {0}};
    for (int i = first; i < first + count; i++)
        if (v->dims[i] > 1 || count == 1) put_axis(&g, 0, i);
    const bool is_known = groups_now(im, v, &now);
    if (is_known && now.n[0] == g.n[0] && memcmp(now.axis[0], g.axis[0], (size_t)g.n[0] * sizeof(int)) == 0) return now;
    put_others(v, &g);
    return g;
}

/* Axes of one group that step through the map together, as one. */
typedef struct run {
    int64_t extent, stride;
    int role;
} run;

static int list_runs(const onnx_value *v, const onnx_groups *g, run *runs) {
    int n = 0;
    for (int role = 0; role < ROLES; role++)
        for (int i = 0; i < g->n[role]; i++) {
            const int axis = g->axis[role][i];
            const run r = {v->dims[axis], v->strides[axis], role};
            if (r.extent == 1) continue;
            if (n && runs[n - 1].role == role && runs[n - 1].stride == r.extent * r.stride)
                runs[n - 1] = (run){runs[n - 1].extent * r.extent, r.stride, role};
            else runs[n++] = r;
        }
    return n;
}

/* Whether runs, from the last, step through a map without gaps. */
static bool in_order(const run *runs, int n) {
    int64_t expected = 1;
    for (int i = n - 1; i >= 0; i--) {
        if (runs[i].stride != expected) return false;
        expected *= runs[i].extent;
    }
    return true;
}

static tips_status reshape_map(onnx_importer *im, onnx_value *v, int64_t c, int64_t h, int64_t w) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    if (map->c == c && map->h == h && map->w == w) return TIPS_OK;
    const bool flattens = h == 1 && w == 1;
    const tips_reshape config = {.c = flattens ? 0 : (int)c, .h = flattens ? 0 : (int)h, .w = flattens ? 0 : (int)w};
    return tips__onnx_rework(im, v, &tips__layer_reshape, flattens ? "flatten" : "reshape", &config);
}

/* Two runs of channels that change places, at every pixel: a channel shuffle. */
static bool is_shuffle(const onnx_importer *im, const onnx_value *v, const run *r, int n) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t area = (int64_t)map->h * map->w;
    return n >= 2 && r[0].role == 0 && r[1].role == 0 && (n == 2 || r[2].role != 0) && r[0].stride == area &&
           r[1].stride == r[0].extent * area && map->c == r[0].extent * r[1].extent && in_order(r + 2, n - 2);
}

static tips_status permute(onnx_importer *im, onnx_value *v, const run *r, int n, const int64_t extents[ROLES]) {
    tips_permute config = {.c = (int)extents[0], .h = (int)extents[1], .w = (int)extents[2]};
    if (n > TIPS_PERMUTE_MOST)
        TIPS_FAIL(TIPS_UNSUPPORTED, "an order of %d axes is not supported, only of %d", n, TIPS_PERMUTE_MOST);
    for (int i = 0; i < n; i++) {
        int place = 0;
        for (int k = 0; k < n; k++) place += r[k].stride > r[i].stride;
        config.dims[place] = (int)r[i].extent;
        config.order = 10 * config.order + place + 1;
    }
    return tips__onnx_rework(im, v, &tips__layer_permute, "permute", &config);
}

static tips_status move(onnx_importer *im, onnx_value *v, const onnx_groups *g) {
    run runs[TIPS_ONNX_MAX_DIMS];
    const int n = list_runs(v, g, runs);
    const int64_t extents[ROLES] = {extent_of(v, g, 0), extent_of(v, g, 1), extent_of(v, g, 2)};
    if (is_shuffle(im, v, runs, n) && !in_order(runs, n)) {
        const tips_shuffle config = {.groups = (int)runs[1].extent};
        TIPS_TRY(tips__onnx_rework(im, v, &tips__layer_shuffle, "shuffle", &config));
    } else if (!in_order(runs, n)) {
        return permute(im, v, runs, n, extents);
    }
    return reshape_map(im, v, extents[0], extents[1], extents[2]);
}

static tips_status check_groups(const onnx_value *v, const onnx_groups *g) {
    bool is_part[TIPS_ONNX_MAX_DIMS] = {false};
    for (int role = 0; role < ROLES; role++)
        for (int i = 0; i < g->n[role]; i++) {
            if (g->axis[role][i] >= v->n_dims)
                TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions is not supported here", v->n_dims);
            is_part[g->axis[role][i]] = true;
        }
    for (int i = 0; i < v->n_dims; i++)
        if (!is_part[i] && v->dims[i] != 1)
            TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions is not supported here", v->n_dims);
    return TIPS_OK;
}

tips_status tips__onnx_group(onnx_importer *im, onnx_value *v, const onnx_groups *g) {
    TIPS_TRY(tips__onnx_settle(im, v));
    TIPS_TRY(check_groups(v, g));
    TIPS_TRY(move(im, v, g));
    tips__onnx_restride(v, g);
    return TIPS_OK;
}

void tips__onnx_restride(onnx_value *v, const onnx_groups *g) {
    int64_t stride = 1;
    for (int i = 0; i < v->n_dims; i++) v->strides[i] = 1;
    for (int role = ROLES - 1; role >= 0; role--)
        for (int i = g->n[role] - 1; i >= 0; i--) {
            v->strides[g->axis[role][i]] = stride;
            stride *= v->dims[g->axis[role][i]];
        }
}

void tips__onnx_look_grouped(onnx_value *v, const onnx_value *like, const onnx_groups *g) {
    v->n_dims = like->n_dims;
    v->batch = like->batch;
    memcpy(v->dims, like->dims, sizeof v->dims);
    tips__onnx_restride(v, g);
}

int64_t tips__onnx_inner(const onnx_value *v, const onnx_groups *g, int role, int i) {
    int64_t inner = 1;
    for (int k = i + 1; k < g->n[role]; k++) inner *= v->dims[g->axis[role][k]];
    return inner;
}

bool tips__onnx_find_axis(const onnx_groups *g, int axis, int *role, int *place) {
    for (*role = 0; *role < ROLES; ++*role)
        for (*place = 0; *place < g->n[*role]; ++*place)
            if (g->axis[*role][*place] == axis) return true;
    return false;
}

/* A reshape as pieces: every axis, old or new, is one or several of them. */
typedef struct pieces {
    onnx_value seen; /* the map with an axis for each */
    int of[TIPS_ONNX_MAX_DIMS]; /* (n_dims): the new axis that each is part of */
} pieces;

static bool cut(const onnx_value *v, int n_dims, const int64_t *dims, pieces *out) {
    struct {
        int64_t extent, stride;
        int axis;
    } found[2 * TIPS_ONNX_MAX_DIMS];
    int n = 0, at = v->n_dims - 1, to = n_dims - 1;
    int64_t left = at < 0 ? 1 : v->dims[at], stride = at < 0 ? 1 : v->strides[at], wanted = to < 0 ? 1 : dims[to];
    while (at >= 0 && to >= 0) {
        const int64_t piece = left < wanted ? left : wanted;
        if (left % piece || wanted % piece) return false;
        if (piece > 1) {
            found[n].extent = piece, found[n].stride = stride;
            found[n++].axis = to;
        }
        left /= piece, wanted /= piece, stride *= piece;
        if (left == 1 && --at >= 0) left = v->dims[at], stride = v->strides[at];
        if (wanted == 1 && --to >= 0) wanted = dims[to];
    }
    if (n > TIPS_ONNX_MAX_DIMS) return false;
    out->seen = *v;
    out->seen.n_dims = n;
    for (int i = 0; i < n; i++) {
        out->seen.dims[n - 1 - i] = found[i].extent, out->seen.strides[n - 1 - i] = found[i].stride;
        out->of[n - 1 - i] = found[i].axis;
    }
    return true;
}

/* Which of the new axes become channels: the one with what is outermost in the map now. */
static onnx_groups groups_of_pieces(const pieces *p) {
    onnx_groups g = {.n = {0}};
    int outermost = 0, rows = ONNX_NONE;
    bool is_one = true; /* axis of positions */
    for (int i = 1; i < p->seen.n_dims; i++)
        if (p->seen.strides[i] > p->seen.strides[outermost]) outermost = i;
    for (int i = 0; i < p->seen.n_dims; i++) {
        if (p->of[i] == p->of[outermost]) {
            put_axis(&g, 0, i);
            continue;
        }
        if (rows == ONNX_NONE) rows = p->of[i];
        is_one = is_one && p->of[i] == rows;
        put_axis(&g, p->of[i] == rows ? 1 : 2, i);
    }
    if (!is_one) return g;
    memcpy(g.axis[2], g.axis[1], sizeof g.axis[2]);
    g.n[2] = g.n[1];
    g.n[1] = 0;
    return g;
}

static tips_status move_pieces(onnx_importer *im, onnx_value *v, pieces *p, int n_dims, const int64_t *dims) {
    const onnx_groups g = groups_of_pieces(p);
    TIPS_TRY(tips__onnx_group(im, &p->seen, &g));
    v->step = p->seen.step;
    v->value = p->seen.value;
    v->n_dims = n_dims;
    memcpy(v->dims, dims, (size_t)n_dims * sizeof *dims);
    for (int i = 0; i < n_dims; i++) v->strides[i] = 1;
    for (int i = 0; i < p->seen.n_dims; i++) v->strides[p->of[i]] = p->seen.strides[i]; /* the last of an axis counts */
    return TIPS_OK;
}

/* All axes in their order, whatever they were. */
static tips_status move_all(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) {
    onnx_groups all = {.n = {0}}, after = {.n = {0}};
    for (int i = 0; i < v->n_dims; i++) put_axis(&all, 0, i);
    for (int i = 0; i < n_dims; i++) put_axis(&after, 0, i);
    TIPS_TRY(tips__onnx_group(im, v, &all));
    v->n_dims = n_dims;
    memcpy(v->dims, dims, (size_t)n_dims * sizeof *dims);
    tips__onnx_restride(v, &after);
    return TIPS_OK;
}

tips_status tips__onnx_reshape_moved(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) {
    pieces p;
    return cut(v, n_dims, dims, &p) ? move_pieces(im, v, &p, n_dims, dims) : move_all(im, v, n_dims, dims);
}
