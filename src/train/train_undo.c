/* L_undo on a few pictures after each epoch. */
#include "train/train_undo.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/path.h"
#include "pool/undo_view.h"
#include "train/undo_strip.h"

#include <math.h>
#include <string.h>

enum { STREAM_UNDO = 0x554e };

typedef struct undo_layer {
    const char *name;
    tips_undo_view view;
    int dims[4];
    tips_undo_figures figures;
} undo_layer;

struct tips_undo_watch {
    const tips_model *model;
    tips_params *params;
    tips_net *net;
    float *images; /* (n, c, h, w) */
    int n;
    undo_layer *layers; /* (n_layers) */
    int n_layers;
    float *x, *psi; /* room for the largest maps of a layer */
};

bool tips__undo_draws(int epoch, int epochs, double eps) {
    const int begin = (int)ceil(eps * epochs - 1e-9);
    return epoch == 0 || epoch == epochs - 1 || epoch == begin - 1 || epoch == begin || epoch == 3 * epochs / 4;
}

static tips_status find_layers(tips_undo_watch *w) {
    const tips_graph *g = w->model->graph;
    tips_undo_view view;
    for (int i = 0; i < tips__graph_node_count(g); i++)
        w->n_layers += tips__undo_view(g, tips__graph_node(g, i), &view);
    TIPS_TRY(tips__new_zero(&w->layers, (size_t)(w->n_layers + 1) * sizeof *w->layers, "layers"));
    undo_layer *layer = w->layers;
    for (int i = 0; i < tips__graph_node_count(g); i++) {
        const tips_node *node = tips__graph_node(g, i);
        if (!tips__undo_view(g, node, &view)) continue;
        const tips_value_info *x = tips__value(g, view.x);
        *layer++ = (undo_layer){.name = node->name, .view = view, .dims = {w->n, x->c, x->h, x->w}};
    }
    return TIPS_OK;
}

static size_t floats_of(const int dims[4]) {
    return (size_t)dims[0] * (size_t)dims[1] * (size_t)dims[2] * (size_t)dims[3];
}

static tips_status make_room(tips_undo_watch *w) {
    size_t most = 0;
    for (int i = 0; i < w->n_layers; i++) most = fmax((double)most, (double)floats_of(w->layers[i].dims));
    TIPS_TRY(tips__new(&w->x, most * sizeof *w->x, "maps of a layer"));
    return tips__new(&w->psi, most * sizeof *w->psi, "maps of a layer");
}

static tips_status take_pictures(tips_undo_watch *w, tips_loader *loader, int pictures) {
    const tips_value_info *in = tips__value(w->model->graph, w->model->ends.input);
    const size_t size = (size_t)in->c * (size_t)in->h * (size_t)in->w;
    tips_batch batch;
    TIPS_TRY(tips__loader_start(loader, 0, 0));
    TIPS_TRY(tips__loader_next(loader, &batch));
    if (batch.n == 0) TIPS_FAIL(TIPS_INVALID, "there are no validation pictures to look at");
    w->n = batch.n < pictures ? batch.n : pictures;
    TIPS_TRY(tips__new(&w->images, (size_t)w->n * size * sizeof *w->images, "pictures to look at"));
    memcpy(w->images, batch.images, (size_t)w->n * size * sizeof *w->images);
    return TIPS_OK;
}

static tips_status prepare(tips_undo_watch *w, tips_loader *loader, int pictures) {
    TIPS_TRY(take_pictures(w, loader, pictures));
    TIPS_TRY(find_layers(w));
    if (w->n_layers == 0) return TIPS_OK;
    TIPS_TRY(make_room(w));
    return tips__net_compile(w->model->graph, w->params, &(tips_net_options){.n = w->n, .keep_all = true}, &w->net);
}

tips_status tips__undo_watch_create(const tips_model *model, tips_params *params, tips_loader *loader, int pictures,
                                    tips_undo_watch **out) {
    tips_undo_watch *w;
    TIPS_TRY(tips__new_zero(&w, sizeof *w, "a look at L_undo"));
    w->model = model;
    w->params = params;
    const tips_status status = prepare(w, loader, pictures);
    if (status == TIPS_OK && w->n_layers > 0) {
        *out = w;
        return TIPS_OK;
    }
    tips__undo_watch_destroy(w);
    *out = NULL;
    return status;
}

void tips__undo_watch_destroy(tips_undo_watch *w) {
    if (!w) return;
    tips__net_destroy(w->net);
    tips__free(w->images);
    tips__free(w->layers);
    tips__free(w->x);
    tips__free(w->psi);
    tips__free(w);
}

static tips_status read_psi(tips_undo_watch *w, const undo_layer *layer) {
    float *taps;
    if (layer->view.psi != TIPS_NO_VALUE) return tips__net_get_map(w->net, layer->view.psi, w->psi);
    TIPS_TRY(tips__new(&taps, (size_t)layer->dims[1] * 9 * sizeof *taps, "the taps of psi"));
    tips__param_get(w->params, layer->view.taps, taps);
    tips__undo_psi(&layer->view, taps, w->x, layer->dims, w->psi);
    tips__free(taps);
    return TIPS_OK;
}

static tips_status look(tips_undo_watch *w, undo_layer *layer, const char *folder, int epoch) {
    const tips_rng rng = {STREAM_UNDO, tips__op_stream(layer->name, 0)};
    tips_undo_maps maps = {.x = w->x,
                           .psi = w->psi,
                           .n = layer->dims[0],
                           .c = layer->dims[1],
                           .h = layer->dims[2],
                           .w = layer->dims[3],
                           .padding = layer->view.padding};
    char name[256], path[TIPS_PATH_SIZE];
    memcpy(maps.most, layer->view.most, sizeof maps.most);
    TIPS_TRY(tips__net_get_map(w->net, layer->view.x, w->x));
    TIPS_TRY(read_psi(w, layer));
    TIPS_TRY(tips__undo_measure(&maps, rng, &layer->figures));
    if (!folder) return TIPS_OK;
    snprintf(name, sizeof name, "%.200s-epoch-%03d.png", layer->name, epoch);
    TIPS_TRY(tips__path_join(folder, name, path));
    return tips__undo_strip(&maps, path);
}

tips_status tips__undo_watch_look(tips_undo_watch *w, const char *folder, int epoch) {
    TIPS_TRY(tips__net_set_map(w->net, w->model->ends.input, w->images));
    TIPS_TRY(tips__net_forward(w->net));
    for (int i = 0; i < w->n_layers; i++) TIPS_TRY(look(w, &w->layers[i], folder, epoch));
    return TIPS_OK;
}

void tips__undo_watch_put(const tips_undo_watch *w, tips_json *json) {
    tips_undo_figures mean = {0};
    for (int i = 0; i < w->n_layers; i++) {
        const tips_undo_figures *f = &w->layers[i].figures;
        mean.abs += f->abs / w->n_layers, mean.square += f->square / w->n_layers;
        mean.floor += f->floor / w->n_layers, mean.ridge += f->ridge / w->n_layers;
    }
    tips__json_number(json, "undo_abs", mean.abs);
    tips__json_number(json, "undo_square", mean.square);
    tips__json_number(json, "undo_floor", mean.floor);
    tips__json_number(json, "undo_ridge", mean.ridge);
    tips__json_open_object(json, "undo_layers");
    for (int i = 0; i < w->n_layers; i++) {
        const undo_layer *layer = &w->layers[i];
        tips__json_open_object(json, layer->name);
        tips__json_number(json, "abs", layer->figures.abs);
        tips__json_number(json, "square", layer->figures.square);
        tips__json_number(json, "floor", layer->figures.floor);
        tips__json_number(json, "ridge", layer->figures.ridge);
        tips__json_close_object(json);
    }
    tips__json_close_object(json);
}
