// Any bytes are read as a model: either a model comes back, or an error says why not.
#include "model/model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    Source *source = source_new("fuzz.zw", (const char *)bytes, count);
    Diag *diag = diag_new();
    Text said = {0};
    Model *model = NULL;
    Status status = model_read(source, NULL, 0, diag, &model);
    diag_render(diag, DIAG_NOTE, &said);
    bool refused = diag_count(diag, DIAG_ERROR) > 0;
    if ((status == STATUS_OK) == refused || (model == NULL) != refused)
        abort();
    if (model != NULL)
        model_free(model);
    text_clear(&said);
    diag_free(diag);
    source_free(source);
    return 0;
}
