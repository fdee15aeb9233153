/* The options of attacks and corruptions, the same in every command that has them. */
#include "attack/attack.h"

static const char *const constants[] = {"auto", "224", "32", NULL};

const tips_option tips__attack_rows[] = {
    {.name = "attack",
     .type = TIPS_OPT_LIST,
     .offset = offsetof(tips_attack_options, attacks),
     .metavar = "NAME[:KEY=VALUE,...]",
     .help = "attack the pictures: fgsm, pgd (norm=linf|l2, eps=2/255) or patch (size=1/8); several parted by commas, "
             "or the flag again; strengths joined by +, a usual curve of them without. docs/attack.md has all options"},
    {.name = "corrupt",
     .type = TIPS_OPT_LIST,
     .offset = offsetof(tips_attack_options, corruptions),
     .metavar = "NAME[:SEVERITY]",
     .help = "corrupt the pictures: all (15), extra (3), noise, blur, weather, digital or one by its name, at "
             "severities 1 to 5 or at one of them; several parted by commas"},
    {.name = "frost",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(tips_attack_options, frost),
     .metavar = "DIR",
     .help = "pictures of frost for that corruption; without, a texture is made, and mCE is over the other 14"},
    {.name = "constants",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_attack_options, constants),
     .fallback = "auto",
     .choices = constants,
     .help =
         "constants of the corruptions: those of ImageNet-C or of CIFAR-10-C; auto takes the latter up to 64 pixels"},
    {.name = "corrupt-jpeg",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_attack_options, jpeg),
     .fallback = "-1",
     .min = -1,
     .max = 100,
     .help =
         "quality of the JPEG that corrupted pictures go through, as those of ImageNet-C did; 0 means none, -1 is 85 "
         "with the constants of 224 and none with those of 32"},
    {.name = "attack-shifts",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(tips_attack_options, shifts),
     .fallback = "true",
     .help = "do not measure consistency of attacked and corrupted pictures"},
    {.type = TIPS_OPT_END},
};
