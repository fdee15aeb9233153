/* The table of remedies, and which of them a network can take. */
#include "model/shift_advice.h"

#include "arch/blueprint.h"

const char tips__advice_moving[] = "Cameras that move make standard shifts: operators where the network downsamples "
                                   "help against these, with the paddings that it learned with";
const char tips__advice_exact[] = "Circular padding is for answers that are the same to the last bit under circular "
                                  "shifts";
const char tips__advice_padding[] = "standard shifts, which cameras that move make, ask for no other; for exactness "
                                    "under circular shifts use circular padding";

/* What is said before the command, the command up to the model, and behind it. */
typedef struct remedy {
    const char *before, *command, *behind;
} remedy;

static const remedy remedies[TIPS_REMEDIES] = {
    [TIPS_REMEDY_CONVERT] = {"The conversion compares the answers with the original's and prints how to tune it:",
                             "tips convert ", " --lpf 3 --padding keep"},
    [TIPS_REMEDY_TUNE] = {"Tune it, with the original as its teacher (--teacher ORIGINAL) if that is a classifier:",
                          "tips train --init ", ""},
    [TIPS_REMEDY_RETRAIN] = {"An operator that follows the picture, trained on from these weights:",
                             "tips train --init ", " --pool tips-exact"},
    [TIPS_REMEDY_AUGMENT] = {"Its operator follows the picture already; what is left is learned from shifted pictures:",
                             "tips train --init ", " --shift standard"},
    [TIPS_REMEDY_DETECTOR] = {
        "Operators cannot be put into a detector of an ONNX file, nor can it be trained here. What "
        "is left: shifted and scaled pictures where it was trained, another detector, or one of "
        "tips' own ('tips train --task detect'). How much boxes flicker along your frames:",
        "tips predict --model ", " --sequence FRAMES"}};

static bool has_operators(const tips_blueprint *b) {
    for (int i = 0; i < b->n_steps; i++)
        if (!b->steps[i].layer) return true;
    return false;
}

tips_remedy tips__remedy_of(const tips_model_info *info) {
    const tips_blueprint *b = info->config.blueprint;
    if (b && info->task.task->flags & TIPS_TASK_BOXES) return TIPS_REMEDY_DETECTOR;
    if (b) return has_operators(b) ? TIPS_REMEDY_TUNE : TIPS_REMEDY_CONVERT;
    return tips__pool_traits(&info->config.pool) & TIPS_POOL_EXACT ? TIPS_REMEDY_AUGMENT : TIPS_REMEDY_RETRAIN;
}

static void add_data(tips_remedy which, const char *data, tips_text *out) {
    if (which == TIPS_REMEDY_DETECTOR) return;
    tips__text_add(out, " --data ");
    if (data && *data) tips__text_word(out, data);
    else tips__text_add(out, "SPEC");
    tips__text_add(out, which == TIPS_REMEDY_CONVERT ? " --out stable.safetensors" : " --out DIR");
}

void tips__next_step(const tips_model_info *info, const char *model, const tips_input_options *input, const char *data,
                     tips_text *out) {
    const tips_remedy which = tips__remedy_of(info);
    if (which == TIPS_REMEDY_CONVERT) tips__text_print(out, "%s. %s. ", tips__advice_moving, tips__advice_exact);
    tips__text_print(out, "%s ", remedies[which].before);
    tips__text_add(out, remedies[which].command);
    tips__text_word(out, model);
    if (which == TIPS_REMEDY_CONVERT || which == TIPS_REMEDY_DETECTOR) tips__input_flags(out, input);
    tips__text_add(out, remedies[which].behind);
    add_data(which, data, out);
}
