/* The parts of setting up a run. */
#ifndef TIPS_TRAIN_TRAIN_PARTS_H
#define TIPS_TRAIN_TRAIN_PARTS_H

#include "train/train.h"

/* Another network whose answers are learned from. */
typedef struct teacher teacher;

/* Everything a run is made of. */
typedef struct train_setup {
    const tips_train_config *config;
    const tips_train_start *start; /* NULL without one */
    tips_train_start own_start;    /* where none was read before */
    tips_dataset *set;
    tips_model_info info;
    tips_preprocess preprocess;
    tips_model model;
    tips_optimizer_spec optimizer;
    tips_params *params; /* prepared for the optimiser */
    tips_loader *train, *val;
    teacher *teacher; /* NULL without */
    int batch;        /* no more than there are training pictures */
    tips_settings settings;
} train_setup;

/* The optimiser of the options; refuses --momentum for one that has another name for it. */
tips_status tips__train_optimizer(const tips_train_config *config, tips_optimizer_spec *out) TIPS_MUST_CHECK;

/* The task and the optimiser there will be when what is `given` is put over the sources. */
typedef struct train_manner {
    const tips_usual *usual; /* what the task begins with; NULL: nothing of its own */
    tips_optimizer_spec optimizer;
} train_manner;
tips_status tips__train_find_manner(const tips_train_config *given, const tips_option *table,
                                    const tips_train_sources *sources, train_manner *out) TIPS_MUST_CHECK;
/* Sets what the task, and then the optimiser, begin with if nothing else is said. */
tips_status tips__train_usual(const train_manner *manner, const tips_option *table, void *config) TIPS_MUST_CHECK;

/* From the data to the network's input: size, channels, classes with their names, mean and deviation. */
tips_status tips__train_shape(train_setup *s) TIPS_MUST_CHECK;
/* Where nobody says how the teacher or the network takes its pictures, it does as the other, of which it is known; a
 * guess it is all the same. Beside the teacher's options. */
tips_status tips__train_settle_inputs(const tips_train_config *config, tips_model_info *network,
                                      tips_model_info *its) TIPS_MUST_CHECK;
/* Tells what is guessed to watch->note. */
void tips__train_warn_of_guesses(const train_setup *s, const tips_train_watch *watch);
/* The network, its parameters, and the weights it starts from. */
tips_status tips__train_build(train_setup *s, bool load_weights) TIPS_MUST_CHECK;
/* Opens the teacher of the options, and settles how both take pictures, the network of `s` too; its answers are those
 * of tips__teacher_answer. */
tips_status tips__teacher_open(train_setup *s, teacher **out) TIPS_MUST_CHECK;
const tips_model_info *tips__teacher_info(const teacher *teacher);
tips_status tips__teacher_answer(void *teacher, const float *images, float *logits) TIPS_MUST_CHECK;
void tips__teacher_close(teacher *teacher);
/* Before a run goes on: with the threads of its checkpoint, unless `asked` says how many; what else differs from the
 * machine it began on is told to watch->note. */
tips_status tips__train_machine_of(const char *checkpoint, int asked, const tips_train_watch *watch) TIPS_MUST_CHECK;
/* Notes what had been given when the run in the folder began, as its config.json says. */
tips_status tips__train_read_given(const tips_train_config *said, const tips_train_sources *sources,
                                   const tips_option *table, void *config) TIPS_MUST_CHECK;
/* Writes config.json into the folder. */
tips_status tips__train_write_config(const train_setup *s) TIPS_MUST_CHECK;

/* Draws the curves of the run after each epoch, then tells the caller's watch. What went wrong is in `note`. */
typedef struct curves_watch {
    tips_train_watch inner;
    const char *folder;
    const tips_task *task;
    char *note; /* (size) */
    size_t size;
    bool drawn; /* in this session */
} curves_watch;
tips_train_watch tips__train_watch_curves(curves_watch *w);
/* At the end: draws them if no epoch did, as when the run was killed between its last epoch and its curves. */
void tips__train_finish_curves(curves_watch *w);
/* From log.jsonl to curves.svg and, with cairo, curves.png. */
tips_status tips__train_draw_curves(const char *folder, const tips_task *task) TIPS_MUST_CHECK;

#endif
