/* The public classifier: loaded, asked what it is, destroyed. */
#include "api/classifier_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "model/open_logits.h"

enum { USUALLY_KEPT = 4, MOST_KEPT = 1024, MOST_SIDE = 4096 };

static tips_status check_range(const char *what, int value, int most) {
    if (value < 0 || value > most)
        TIPS_FAIL(TIPS_RANGE, "%s of %d is out of range; it takes 1..%d, and 0 for the default", what, value, most);
    return TIPS_OK;
}

static tips_status check_options(const tips_classifier_options *o) {
    TIPS_TRY(check_range("a height", o->height, MOST_SIDE));
    TIPS_TRY(check_range("a width", o->width, MOST_SIDE));
    TIPS_TRY(check_range("a number of kept batch sizes", o->kept, MOST_KEPT));
    if (o->width && !o->height) TIPS_FAIL(TIPS_INVALID, "a width of %d without a height", o->width);
    return TIPS_OK;
}

static tips_status load(const char *path, const tips_classifier_options *o, tips_classifier *c) {
    const int size[2] = {o->height, o->width ? o->width : o->height};
    TIPS_TRY(tips__open_logits(path, size, &c->model));
    TIPS_TRY(tips__task_expect_logits(&c->model.info.task, "a classifier"));
    c->elements =
        (size_t)c->model.preprocess.channels * (size_t)c->model.preprocess.height * (size_t)c->model.preprocess.width;
    c->allocator = tips__allocator();
    tips__pool_format(&c->model.info.config.pool, c->pool, sizeof c->pool);
    return tips__classifier_nets_create(o->kept ? o->kept : USUALLY_KEPT, &c->nets);
}

tips_status tips_classifier_load(const char *path, const tips_classifier_options *options, tips_classifier **out) {
    static const tips_classifier_options defaults = {0};
    const tips_classifier_options *o = options ? options : &defaults;
    tips_classifier *classifier;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(check_options(o));
    TIPS_TRY(tips__new_zero(&classifier, sizeof *classifier, "a classifier"));
    const tips_status status = load(path, o, classifier);
    if (status != TIPS_OK) tips_classifier_destroy(classifier);
    else *out = classifier;
    return status;
}

void tips_classifier_destroy(tips_classifier *classifier) {
    if (!classifier) return;
    tips__classifier_nets_destroy(classifier->nets);
    tips__loaded_model_destroy(&classifier->model);
    tips__free(classifier);
}

const char *tips_classifier_arch(const tips_classifier *c) { return c ? c->model.info.arch->name : ""; }
const char *tips_classifier_pool(const tips_classifier *c) { return c ? c->pool : ""; }
int tips_classifier_channels(const tips_classifier *c) { return c ? c->model.info.config.in_channels : 0; }
int tips_classifier_height(const tips_classifier *c) { return c ? c->model.info.config.size[0] : 0; }
int tips_classifier_width(const tips_classifier *c) { return c ? c->model.info.config.size[1] : 0; }
int tips_classifier_classes(const tips_classifier *c) { return c ? c->model.info.config.classes : 0; }

const char *tips_classifier_name(const tips_classifier *c, int i) {
    char *const *names = c ? c->model.info.class_names : NULL;
    return names && i >= 0 && i < tips_classifier_classes(c) ? names[i] : NULL;
}
