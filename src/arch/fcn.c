/* FCN: a 3x3 and a 1x1 convolution on the backbone's last map, enlarged to the input's size. Names are torchvision's.
 */
#include "arch/fcn.h"

#include "arch/decoder.h"
#include "arch/parts.h"

enum { OUTPUT_STRIDE = 8 };

tips_status tips__fcn_resolve(const tips_arch *arch, tips_arch_config *config) {
    return tips__segmenter_resolve(arch, config, TIPS_UP_BILINEAR, OUTPUT_STRIDE);
}

void tips__fcn_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                        tips_features *out) {
    (void)arch;
    tips__segmenter_features(graph, config, "backbone.", x, out);
}

tips_value tips__fcn_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                             const tips_features *features) {
    const tips_decoder d = {graph, config, features};
    tips_value x = tips__features_last(features);
    (void)arch;
    if (x == TIPS_NO_VALUE) return x;
    const int quarter = tips__value(graph, x)->c / 4;
    x = tips__decoder_conv(&d, "classifier.0", "classifier.1", x,
                           (tips_decoder_conv){.out = quarter ? quarter : 1, .kernel = 3});
    x = tips__part_dropout(graph, "classifier.3", config, 0.1, x);
    x = tips__decoder_logits(&d, "classifier.4", 1, x);
    return tips__decoder_up(&d, "up", features->count - 1, 0, x);
}
