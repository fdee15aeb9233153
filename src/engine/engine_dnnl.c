/* Gradients of convolutions by oneDNN's direct kernels on channel-blocked memory. The only file that includes dnnl.h;
 * oneDNN 2.x and 3.x differ in how descriptors are made, and that difference ends here. */
#include "engine/engine.h"

#include "core/fail.h"
#include "core/level.h"
#include "core/memory.h"
#include "core/polite.h"
#include "core/processor.h"
#include "core/threads.h"
#include "engine/few_conv.h"
#include "engine/spare_conv.h"
#include "tensor/vec.h"

#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tips/version.h>

#define DNNL_3 (DNNL_VERSION_MAJOR >= 3)

#if TIPS_BLOCK == 16
#define TAG_MAP dnnl_nChw16c
#define TAG_WEIGHTS dnnl_OIhw16i16o
#define TAG_WEIGHTS_BACK dnnl_OIhw16o16i
#define TAG_GROUPED dnnl_gOIhw16i16o
#define TAG_GROUPED_BACK dnnl_gOIhw16o16i
#define TAG_DEPTHWISE dnnl_Goihw16g
#else
#define TAG_MAP dnnl_nChw8c
#define TAG_WEIGHTS dnnl_OIhw8i8o
#define TAG_WEIGHTS_BACK dnnl_OIhw8o8i
#define TAG_GROUPED dnnl_gOIhw8i8o
#define TAG_GROUPED_BACK dnnl_gOIhw8o8i
#define TAG_DEPTHWISE dnnl_Goihw8g
#endif

#if DNNL_3
typedef dnnl_memory_desc_t md_handle;
#else
typedef dnnl_memory_desc_t md_handle[1];
#endif

enum { SRC, WEIGHTS, DST, SCRATCH, OPERANDS };

struct tips_conv {
    tips_conv_kind kind;
    tips_conv_shape shape;
    enum { LIBRARY, SPARE, FEW } by; /* SPARE: oneDNN has its reference alone, spare_conv.c runs; FEW: few_conv.c */
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[OPERANDS];
    size_t scratch;
    char algorithm[64];
};

static dnnl_engine_t cpu;
static dnnl_status_t cpu_status;

/* Kernels that are held below what the processor has hold oneDNN too, unless its own variable says otherwise. It is
 * not an error where oneDNN was built to take no orders, or has been used in this process already. */
static void hold_isa(void) {
    if (!tips__level_is_held() || tips__onednn_held()) return;
    (void)dnnl_set_max_cpu_isa(strcmp(tips__level()->name, "avx2") == 0 ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
}

static void create_cpu(void) {
    hold_isa();
    cpu_status = dnnl_engine_create(&cpu, dnnl_cpu, 0);
}

static const char *dnnl_text(dnnl_status_t status) {
    switch (status) {
    case dnnl_out_of_memory: return "out of memory";
    case dnnl_invalid_arguments: return "invalid arguments";
    case dnnl_unimplemented: return "no kernel for this shape";
    default: return "an internal error";
    }
}

static tips_status check(dnnl_status_t status, const char *what) {
    if (status == dnnl_success) return TIPS_OK;
    TIPS_FAIL(status == dnnl_out_of_memory ? TIPS_MEMORY : TIPS_ENGINE, "oneDNN: %s: %s", what, dnnl_text(status));
}

static dnnl_status_t make_desc(md_handle *md, int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
#if DNNL_3
    return dnnl_memory_desc_create_with_tag(md, ndims, dims, dnnl_f32, tag);
#else
    return dnnl_memory_desc_init_by_tag(*md, ndims, dims, dnnl_f32, tag);
#endif
}

static void free_desc(md_handle *md) {
#if DNNL_3
    if (*md) dnnl_memory_desc_destroy(*md);
#else
    (void)md;
#endif
}

#if DNNL_3
#define MD(handle) (handle)
#else
#define MD(handle) (&(handle)[0])
#endif

typedef struct descs {
    md_handle md[SCRATCH];
} descs;

static dnnl_status_t make_descs(const tips_conv_shape *s, bool backward, descs *d) {
    const tips_group_plan plan = tips__group_plan(s->ic, s->oc, s->groups);
    const dnnl_dims_t src = {s->n, s->ic, s->ih, s->iw}, dst = {s->n, s->oc, s->oh, s->ow};
    const int g = plan == TIPS_GROUPS_DENSE ? 1 : s->groups;
    const dnnl_dims_t dense = {s->oc, s->ic, s->kh, s->kw}, grouped = {g, s->oc / g, s->ic / g, s->kh, s->kw};
    dnnl_format_tag_t tag = backward ? TAG_WEIGHTS_BACK : TAG_WEIGHTS;
    if (plan == TIPS_GROUPS_BLOCKED) tag = backward ? TAG_GROUPED_BACK : TAG_GROUPED;
    if (plan == TIPS_GROUPS_DEPTHWISE) tag = TAG_DEPTHWISE;
    dnnl_status_t status = make_desc(&d->md[SRC], 4, src, TAG_MAP);
    if (!status) status = make_desc(&d->md[WEIGHTS], g == 1 ? 4 : 5, g == 1 ? dense : grouped, tag);
    if (!status) status = make_desc(&d->md[DST], 4, dst, TAG_MAP);
    return status;
}

typedef struct geometry {
    dnnl_dims_t strides, dilates, before, after;
} geometry;

static geometry make_geometry(const tips_conv_shape *s) {
    return (geometry){{s->sh, s->sw}, {s->dh - 1, s->dw - 1}, {s->top, s->left}, {s->bottom, s->right}};
}

/* The hint that gradients ask for. */
static dnnl_status_t make_forward(const descs *d, const geometry *g, dnnl_primitive_desc_t *out) {
#if DNNL_3
    return dnnl_convolution_forward_primitive_desc_create(out, cpu, dnnl_forward_training, dnnl_convolution_direct,
                                                          d->md[SRC], d->md[WEIGHTS], NULL, d->md[DST], g->strides,
                                                          g->dilates, g->before, g->after, NULL);
#else
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_training, dnnl_convolution_direct, MD(d->md[SRC]), MD(d->md[WEIGHTS]), NULL, MD(d->md[DST]),
        g->strides, g->dilates, g->before, g->after);
    return status ? status : dnnl_primitive_desc_create(out, &desc, NULL, cpu, NULL);
#endif
}

static dnnl_status_t make_backward(tips_conv_kind kind, const descs *d, const geometry *g,
                                   const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
                                   dnnl_primitive_desc_t *out) {
#if DNNL_3
    if (kind == TIPS_CONV_BACKWARD_DATA)
        return dnnl_convolution_backward_data_primitive_desc_create(out, cpu, dnnl_convolution_direct, d->md[SRC],
                                                                    d->md[WEIGHTS], d->md[DST], g->strides, g->dilates,
                                                                    g->before, g->after, hint, attr);
    return dnnl_convolution_backward_weights_primitive_desc_create(out, cpu, dnnl_convolution_direct, d->md[SRC],
                                                                   d->md[WEIGHTS], NULL, d->md[DST], g->strides,
                                                                   g->dilates, g->before, g->after, hint, attr);
#else
    dnnl_convolution_desc_t desc;
    dnnl_status_t status;
    if (kind == TIPS_CONV_BACKWARD_DATA)
        status = dnnl_dilated_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, MD(d->md[SRC]),
                                                                  MD(d->md[WEIGHTS]), MD(d->md[DST]), g->strides,
                                                                  g->dilates, g->before, g->after);
    else
        status = dnnl_dilated_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct, MD(d->md[SRC]),
                                                                     MD(d->md[WEIGHTS]), NULL, MD(d->md[DST]),
                                                                     g->strides, g->dilates, g->before, g->after);
    return status ? status : dnnl_primitive_desc_create(out, &desc, attr, cpu, hint);
#endif
}

static dnnl_status_t make_attr(dnnl_primitive_attr_t *out) {
    dnnl_status_t status = dnnl_primitive_attr_create(out);
    return status ? status : dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
}

static dnnl_status_t make_primitive_desc(tips_conv_kind kind, const tips_conv_shape *s, dnnl_primitive_desc_t *out) {
    descs d = {0}, hint_d = {0};
    const geometry g = make_geometry(s);
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = make_descs(s, kind == TIPS_CONV_BACKWARD_DATA, &d);
    if (!status) status = make_descs(s, false, &hint_d);
    if (!status) status = make_attr(&attr);
    if (!status) status = make_forward(&hint_d, &g, &hint);
    if (!status) status = make_backward(kind, &d, &g, attr, hint, out);
    if (hint) dnnl_primitive_desc_destroy(hint);
    if (attr) dnnl_primitive_attr_destroy(attr);
    for (int i = 0; i < SCRATCH; i++) {
        free_desc(&d.md[i]);
        free_desc(&hint_d.md[i]);
    }
    return status;
}

static dnnl_status_t make_memory(tips_conv *c) {
    static const dnnl_query_t query[2][OPERANDS] = {
        {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md, dnnl_query_scratchpad_md},
        {dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md, dnnl_query_scratchpad_md}};
    for (int i = 0; i < OPERANDS; i++) {
        const dnnl_status_t status = dnnl_memory_create(
            &c->memory[i], dnnl_primitive_desc_query_md(c->desc, query[c->kind][i], 0), cpu, DNNL_MEMORY_NONE);
        if (status) return status;
    }
    c->scratch = dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(c->desc, dnnl_query_scratchpad_md, 0));
    return dnnl_success;
}

static tips_status create_by_library(tips_conv_kind kind, const tips_conv_shape *shape, tips_conv *c) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    tips__wait_politely(tips__threads()); /* the library's are OpenMP's */
    pthread_once(&once, create_cpu);
    TIPS_TRY(check(cpu_status, "creating the CPU engine"));
    dnnl_status_t status = make_primitive_desc(kind, shape, &c->desc);
    if (!status) status = dnnl_primitive_create(&c->primitive, c->desc);
    if (!status) status = dnnl_stream_create(&c->stream, cpu, dnnl_stream_default_flags);
    if (!status) status = make_memory(c);
    const char *info = NULL;
    if (!status) status = dnnl_primitive_desc_query(c->desc, dnnl_query_impl_info_str, 0, &info);
    if (status)
        TIPS_FAIL(status == dnnl_out_of_memory ? TIPS_MEMORY : TIPS_ENGINE,
                  "oneDNN: gradient of a convolution %dx%d of %d to %d channels on %dx%d: %s", shape->kh, shape->kw,
                  shape->ic, shape->oc, shape->ih, shape->iw, dnnl_text(status));
    c->by = strncmp(info, "ref", 3) == 0 ? SPARE : LIBRARY;
    snprintf(c->algorithm, sizeof c->algorithm, "%s", c->by == SPARE ? "own:direct" : info);
    return TIPS_OK;
}

static tips_status create_by_few(tips_conv_kind kind, const tips_conv_shape *shape, tips_conv *c) {
    c->by = FEW;
    c->scratch = tips__few_scratch(kind, shape);
    snprintf(c->algorithm, sizeof c->algorithm, "own:few");
    return TIPS_OK;
}

tips_status tips__conv_create(tips_conv_kind kind, const tips_conv_shape *shape, tips_conv **out) {
    tips_conv *c;
    TIPS_TRY(tips__new_zero(&c, sizeof *c, "a convolution"));
    c->kind = kind;
    c->shape = *shape;
    const tips_status status = (tips__few_pays(kind, shape) ? create_by_few : create_by_library)(kind, shape, c);
    if (status) tips__conv_destroy(c);
    else *out = c;
    return status;
}

void tips__conv_destroy(tips_conv *c) {
    if (!c) return;
    for (int i = 0; i < OPERANDS; i++)
        if (c->memory[i]) dnnl_memory_destroy(c->memory[i]);
    if (c->stream) dnnl_stream_destroy(c->stream);
    if (c->primitive) dnnl_primitive_destroy(c->primitive);
    if (c->desc) dnnl_primitive_desc_destroy(c->desc);
    tips__free(c);
}

size_t tips__conv_scratch(const tips_conv *c) { return c->scratch; }
const char *tips__conv_algorithm(const tips_conv *c) { return c->algorithm; }

/* The library never writes to its sources; its C interface has no const. */
static dnnl_status_t bind(dnnl_memory_t memory, const void *data) {
    return dnnl_memory_set_data_handle(memory, (void *)data);
}

static tips_status run(tips_conv *c, const int arg[OPERANDS], const void *const data[OPERANDS]) {
    dnnl_exec_arg_t args[OPERANDS];
    int count = 0;
    for (int i = 0; i < OPERANDS; i++) {
        if (!c->memory[i]) continue;
        TIPS_TRY(check(bind(c->memory[i], data[i]), "binding a buffer"));
        args[count++] = (dnnl_exec_arg_t){arg[i], c->memory[i]};
    }
    TIPS_TRY(check(dnnl_primitive_execute(c->primitive, c->stream, count, args), "running a convolution"));
    return check(dnnl_stream_wait(c->stream), "waiting for a convolution");
}

tips_status tips__conv_backward_data(tips_conv *c, const float *diff_dst, const float *weights, float *diff_src,
                                     void *scratch) {
    switch (c->by) {
    case FEW: tips__few_backward_data(&c->shape, diff_dst, weights, diff_src, scratch); return TIPS_OK;
    case SPARE: tips__spare_backward_data(&c->shape, diff_dst, weights, diff_src); return TIPS_OK;
    case LIBRARY: break;
    }
    return run(c, (const int[]){DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD},
               (const void *const[]){diff_src, weights, diff_dst, scratch});
}

tips_status tips__conv_backward_weights(tips_conv *c, const float *src, const float *diff_dst, float *diff_weights,
                                        void *scratch) {
    switch (c->by) {
    case FEW: tips__few_backward_weights(&c->shape, src, diff_dst, diff_weights, scratch); return TIPS_OK;
    case SPARE: tips__spare_backward_weights(&c->shape, src, diff_dst, diff_weights); return TIPS_OK;
    case LIBRARY: break;
    }
    return run(c, (const int[]){DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD},
               (const void *const[]){src, diff_weights, diff_dst, scratch});
}

void tips_engine_info(char *out, size_t size) {
    const dnnl_version_t *v = dnnl_version();
    if (!out) return;
    snprintf(out, size, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}
