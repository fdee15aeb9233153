/* The command line that does an evaluation again. */
#include "evaluate/evaluate_json.h"

#include "core/fail.h"

static void add_int(tips_text *text, const char *flag, int value, int usual) {
    if (value != usual) tips__text_print(text, " --%s %d", flag, value);
}

void tips__evaluate_flags(tips_text *text, const tips_evaluate_config *c, int usual_grid) {
    if (c->data && *c->data) {
        tips__text_add(text, " --data ");
        tips__text_word(text, c->data);
    }
    if (c->split != TIPS_SPLIT_TEST) tips__text_print(text, " --split %s", tips__split_names[c->split]);
    const char *const *protocol = &tips__protocol_names[c->protocol];
    if (protocol[1]) tips__text_print(text, " --protocol %s", *protocol); /* the last is auto */
    add_int(text, "limit", c->limit, 0);
    add_int(text, "pairs", c->pairs, 0);
    add_int(text, "grid-images", c->grid_images, usual_grid);
    add_int(text, "set-shifts", c->set_shifts, TIPS_EVALUATE_SET);
    if (c->set_frame != TIPS_FRAME_BLACK) tips__text_print(text, " --set-frame %s", tips__frame_names[c->set_frame]);
    add_int(text, "seed", c->network.seed, 1);
    tips__input_flags(text, &c->input);
    if (c->levels) tips__text_add(text, " --levels");
    if (!c->msb) tips__text_add(text, " --no-msb");
    if (c->full_grid) tips__text_add(text, " --full-grid");
    if (c->on_bad_image == TIPS_BAD_SKIP) tips__text_add(text, " --on-bad-image skip");
}

tips_status tips__evaluate_command(const tips_evaluate_config *c, char **out) {
    tips_text text = {0};
    *out = NULL;
    if (!c->models || !*c->models || c->classes_limit > 0) return TIPS_OK;
    tips__text_add(&text, "tips eval --model ");
    tips__text_word(&text, c->models);
    tips__evaluate_flags(&text, c, TIPS_EVALUATE_GRID);
    if (c->whole) tips__text_add(&text, " --whole");
    const tips_status status = tips__text_check(&text);
    if (status != TIPS_OK) tips__text_clear(&text);
    else *out = text.data;
    return status;
}
