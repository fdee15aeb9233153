/* Public networks from and to model files. */
#include "api/network_parts.h"
#include "export/save_as.h"
#include "model/open_logits.h"

#include "core/fail.h"
#include "core/memory.h"
#include "pool/pool_custom.h"

tips_status tips_network_load(const char *path, tips_network **out) {
    tips_loaded_model loaded;
    tips_network *network;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(tips__new_zero(&network, sizeof *network, "a network"));
    const tips_status status = tips__open_logits(path, NULL, &loaded);
    if (status != TIPS_OK) {
        tips__free(network);
        return status;
    }
    *network = (tips_network){
        .info = loaded.info, .seed = 1, .model = loaded.model, .training = TIPS_NO_MODEL, .params = loaded.params};
    tips__pool_format(&network->info.config.pool, network->pool, sizeof network->pool);
    *out = network;
    return TIPS_OK;
}

tips_status tips_network_save(const tips_network *network, const char *path) {
    TIPS_NEED(network, "network");
    if (!path) TIPS_FAIL(TIPS_INVALID, "path is NULL");
    if (tips__pool_custom_of(&network->info.config.pool))
        TIPS_FAIL(TIPS_UNSUPPORTED, "%s: the operator '%s' is the program's own, which a file cannot hold", path,
                  network->pool);
    return tips__model_save_as(path, &network->info, network->params);
}
