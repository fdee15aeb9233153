/* A teacher: another network that answers the pictures of each step, prepared as it wants them. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "net/net.h"
#include "model/open_logits.h"

struct teacher {
    tips_loaded_model loaded;
    tips_net *net;
    int batch;
    bool swapped;              /* one takes red, green, blue, the other blue, green, red */
    float scale[3], offset[3]; /* from the student's normalisation to the teacher's, per channel of the teacher */
    float *images;             /* (batch, c, h, w) */
};

static tips_status check(const tips_model_info *its, const tips_model_info *student) {
    if (its->config.classes != student->config.classes)
        TIPS_FAIL(TIPS_SHAPE, "it answers with %d classes, the data have %d: no teacher for them",
                  its->config.classes, student->config.classes);
    if (its->config.in_channels != student->config.in_channels)
        TIPS_FAIL(TIPS_SHAPE, "it takes pictures of %d channels, the network of %d: no teacher for it",
                  its->config.in_channels, student->config.in_channels);
    return TIPS_OK;
}

/* From the network's normalisation to the teacher's. */
static void find_way(const tips_model_info *from, const tips_model_info *to, teacher *t) {
    t->swapped = from->bgr != to->bgr;
    for (int c = 0; c < 3; c++) {
        const int source = t->swapped ? 2 - c : c;
        t->scale[c] = from->std[source] / to->std[c];
        t->offset[c] = (from->mean[source] - to->mean[c]) / to->std[c];
    }
}

static tips_status prepare(train_setup *s, teacher *t) {
    const tips_model_info *to = &t->loaded.info;
    const int *size = s->info.config.size;
    TIPS_TRY(check(to, &s->info));
    TIPS_TRY(tips__train_settle_inputs(s->config, &s->info, &t->loaded.info));
    s->preprocess = tips__model_preprocess(&s->info);
    find_way(&s->info, to, t);
    const tips_net_options options = {.n = t->batch, .algorithm = TIPS_ALGORITHM_FAST};
    TIPS_TRY(tips__net_compile(t->loaded.model.graph, t->loaded.params, &options, &t->net));
    return tips__new(&t->images,
                     (size_t)t->batch * (size_t)to->config.in_channels * (size_t)size[0] * (size_t)size[1] *
                         sizeof *t->images,
                     "pictures for the teacher");
}

tips_status tips__teacher_open(train_setup *s, teacher **out) {
    teacher *t;
    TIPS_TRY(tips__new(&t, sizeof *t, "a teacher"));
    *t = (teacher){.batch = s->batch};
    tips_status status = tips__open_logits(s->config->teacher, s->info.config.size, &t->loaded);
    if (status != TIPS_OK) {
        tips__free(t);
        return status;
    }
    status = prepare(s, t);
    if (status != TIPS_OK) {
        tips__teacher_close(t);
        return tips__fail_within(status, s->config->teacher);
    }
    *out = t;
    return TIPS_OK;
}

const tips_model_info *tips__teacher_info(const teacher *t) { return &t->loaded.info; }

static bool is_same(const teacher *t) {
    for (int c = 0; c < 3; c++)
        if (t->scale[c] != 1 || t->offset[c] != 0) return false;
    return !t->swapped;
}

static const float *as_wanted(teacher *t, const float *images) {
    const tips_arch_config *c = &t->loaded.info.config;
    const size_t plane = (size_t)c->size[0] * (size_t)c->size[1];
    if (is_same(t)) return images;
    for (int p = 0; p < t->batch * c->in_channels; p++) {
        const int k = p % c->in_channels, channel = k < 3 ? k : 2;
        const float *from = images + (size_t)(t->swapped ? p - k + 2 - k : p) * plane;
        float *to = t->images + (size_t)p * plane;
        for (size_t i = 0; i < plane; i++) to[i] = from[i] * t->scale[channel] + t->offset[channel];
    }
    return t->images;
}

tips_status tips__teacher_answer(void *context, const float *images, float *logits) {
    teacher *t = context;
    const tips_model *model = &t->loaded.model;
    TIPS_TRY(tips__net_set_map(t->net, model->ends.input, as_wanted(t, images)));
    TIPS_TRY(tips__net_forward(t->net));
    return tips__net_get_map(t->net, model->ends.outputs[0], logits);
}

void tips__teacher_close(teacher *t) {
    if (!t) return;
    tips__net_destroy(t->net);
    tips__loaded_model_destroy(&t->loaded);
    tips__free(t->images);
    tips__free(t);
}
