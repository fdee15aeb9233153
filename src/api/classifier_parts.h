/* What a public classifier holds: a model that nobody changes, and nets compiled for it, each used by one thread. */
#ifndef TIPS_API_CLASSIFIER_PARTS_H
#define TIPS_API_CLASSIFIER_PARTS_H

#include <tips/classifier.h>
#include <tips/memory.h>

#include "api/need.h"
#include "model/open_model.h"
#include "view/answerer.h"

/* Answerers that wait for the next call with their batch size. */
typedef struct classifier_nets classifier_nets;

struct tips_classifier {
    tips_loaded_model model;
    size_t elements; /* of one image */
    char pool[256];
    const tips_allocator *allocator; /* of the thread that loaded it */
    classifier_nets *nets;
};

/* One of them; the caller's alone until it is given back. */
typedef struct classifier_net {
    struct classifier_net *next;
    tips_answerer *answerer;
    int n, threads;
} classifier_net;

tips_status tips__classifier_nets_create(int kept, classifier_nets **out) TIPS_MUST_CHECK;
void tips__classifier_nets_destroy(classifier_nets *nets);
/* One for n images, compiled if none is free. */
tips_status tips__classifier_take(const tips_classifier *classifier, int n, classifier_net **out) TIPS_MUST_CHECK;
void tips__classifier_give_back(const tips_classifier *classifier, classifier_net *net);

/* The canvas (height, width, channels) of a picture. */
tips_status tips__classifier_canvas(const tips_classifier *classifier, const tips_picture *picture,
                                    uint8_t *canvas) TIPS_MUST_CHECK;
/* tips_classifier_run without its checks. */
tips_status tips__classifier_forward(const tips_classifier *classifier, const float *images, int n,
                                     float *logits) TIPS_MUST_CHECK;

#endif
