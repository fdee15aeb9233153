/* Reads the committed PyTorch numbers (format: tests/golden/README.md), and runs one case of them. */
#ifndef TIPS_TESTS_GOLDEN_H
#define TIPS_TESTS_GOLDEN_H

#include "net/net.h"
#include "support/compare.h"

typedef struct golden_record {
    char name[96];
    int n_dims, dims[8];
    size_t count;
    float *f32;   /* one of these two */
    int32_t *i32;
} golden_record;

typedef struct golden {
    char *bytes;
    size_t size, at;
    char text[512]; /* of the case */
    golden_record *records;
    int n_records;
} golden;

/* File tests/golden/<name>.golden; fails the test if it is not there or broken. */
golden golden_open(const char *name);
void golden_close(golden *g);
/* The next case; false at the end. */
bool golden_next(golden *g);
/* The record called `name`, or NULL. */
const golden_record *golden_find(const golden *g, const char *name);
const golden_record *golden_need(const golden *g, const char *name);
/* The first word of the case, and the value of a word key=value; "" if absent. */
void golden_subject(const golden *g, char *out, size_t size);
void golden_word(const golden *g, const char *key, char *out, size_t size);
int golden_number(const golden *g, const char *key, int fallback);
void golden_pair(const golden *g, const char *key, int out[2]); /* "3x2"; 1x1 if absent */
tips_pad_mode golden_padding(const golden *g);
bool golden_trains(const golden *g); /* mode=train, or no mode */

/* A graph built for the case, its inputs and outputs named as records. */
enum { GOLDEN_IO = 4 };
typedef struct golden_io {
    const char *name;
    tips_value value;
} golden_io;

typedef struct golden_run {
    tips_graph *graph;
    golden_io in[GOLDEN_IO]; /* maps (f32) and indices (i32); gradients compared with record d<name> where present */
    int n_in;
    golden_io out[GOLDEN_IO];/* maps compared with <name>, seeded with d<name>; indices compared */
    int n_out;
    tips_loss_weights weights;
    double tolerance;        /* of values and gradients, relative to the largest */
    bool cancels;            /* parameter gradients cancel: measured against the largest of them all */
} golden_run;

golden_run golden_start(void);
/* An input of the graph in the shape of the record. */
tips_value golden_input(golden_run *r, const golden *g, const char *name);
void golden_output(golden_run *r, const char *name, tips_value value);
/* Runs forward and, in training, backward; compares everything there is a record for; frees the graph. */
void golden_check(golden_run *r, const golden *g);
/* Sets every parameter that has a record; a trainable one without is an error. `prefix` comes before the names. */
void golden_set_params(const golden *g, tips_params *params, const char *prefix);

#endif
