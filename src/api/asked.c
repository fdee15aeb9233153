/* Opening a public model that is asked about pictures. */
#include "api/asked_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "model/open_logits.h"

enum { USUALLY_KEPT = 4, MOST_KEPT = 1024, MOST_SIDE = 4096 };

static tips_status check_range(const char *what, int value, int most) {
    if (value < 0 || value > most)
        TIPS_FAIL(TIPS_RANGE, "%s of %d is out of range; it takes 1..%d, and 0 for the default", what, value, most);
    return TIPS_OK;
}

static tips_status check_options(const asked_options *o) {
    TIPS_TRY(check_range("a height", o->height, MOST_SIDE));
    TIPS_TRY(check_range("a width", o->width, MOST_SIDE));
    TIPS_TRY(check_range("a number of kept batch sizes", o->kept, MOST_KEPT));
    if (o->width && !o->height) TIPS_FAIL(TIPS_INVALID, "a width of %d without a height", o->width);
    return TIPS_OK;
}

/* Files of tips know their task; what others are for has to be said where it does not show. */
static tips_status open_file(const char *path, const int size[2], const asked_options *o, tips_loaded_model *out) {
    bool is_onnx = false;
    if (o->task) TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    const tips_read_as as = {.size = size, .boxes = o->boxes, .task = is_onnx ? o->task : NULL};
    return tips__open_logits_as(path, &as, out);
}

tips_status tips__asked_open(const char *path, const asked_options *o,
                             tips_status (*expect)(const tips_task_spec *, const char *), const char *who,
                             asked_model *m) {
    const int size[2] = {o->height, o->width ? o->width : o->height};
    TIPS_TRY(check_options(o));
    TIPS_TRY(open_file(path, size, o, &m->model));
    TIPS_TRY(expect(&m->model.info.task, who));
    const tips_preprocess *p = &m->model.preprocess;
    const tips_value_info *out = tips__value(m->model.model.graph, m->model.model.ends.outputs[0]);
    m->elements = (size_t)p->channels * (size_t)p->height * (size_t)p->width;
    m->outputs = (size_t)out->c * (size_t)out->h * (size_t)out->w;
    m->allocator = tips__allocator();
    tips__pool_format(&m->model.info.config.pool, m->pool, sizeof m->pool);
    return tips__asked_nets_create(o->kept ? o->kept : USUALLY_KEPT, &m->nets);
}

void tips__asked_close(asked_model *m) {
    tips__asked_nets_destroy(m->nets);
    tips__loaded_model_destroy(&m->model);
}

const char *tips__asked_name(const asked_model *m, int i) {
    char *const *names = m->model.info.class_names;
    return names && i >= 0 && i < m->model.info.config.classes ? names[i] : NULL;
}
