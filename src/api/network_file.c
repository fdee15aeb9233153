/* Public networks from and to model files. */
#include "api/network_parts.h"
#include "export/save_as.h"
#include "model/open_logits.h"

#include "core/fail.h"
#include "core/memory.h"
#include "pool/pool_custom.h"

/* What runs and trains here answers with classes. */
static tips_status open_network(const char *path, tips_loaded_model *out) {
    tips_loaded_model loaded;
    TIPS_TRY(tips__open_logits(path, NULL, &loaded));
    const tips_status status = tips__task_expect_logits(&loaded.info.task, "a network of the C interface");
    if (status == TIPS_OK) *out = loaded;
    else tips__loaded_model_destroy(&loaded);
    return status;
}

tips_status tips_network_load(const char *path, tips_network **out) {
    tips_loaded_model loaded;
    tips_network *network;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(tips__new_zero(&network, sizeof *network, "a network"));
    const tips_status status = open_network(path, &loaded);
    if (status != TIPS_OK) {
        tips__free(network);
        return status;
    }
    *network = (tips_network){.own = loaded, .training = TIPS_NO_MODEL, .seed = 1};
    tips__pool_format(&network->own.info.config.pool, network->pool, sizeof network->pool);
    *out = network;
    return TIPS_OK;
}

tips_status tips_network_save(const tips_network *network, const char *path) {
    TIPS_NEED(network, "network");
    if (!path) TIPS_FAIL(TIPS_INVALID, "path is NULL");
    if (tips__pool_custom_of(&network->own.info.config.pool))
        TIPS_FAIL(TIPS_UNSUPPORTED, "%s: the operator '%s' is the program's own, which a file cannot hold", path,
                  network->pool);
    return tips__model_save_as(path, &network->own.info, network->own.params);
}
