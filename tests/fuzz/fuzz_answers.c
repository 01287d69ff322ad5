// One question about a small model: the first byte says which, and how the model is read, the
// second chooses options, the rest is the model. Derivations in every form, proofs, the instant,
// runs by every method with their files, code and pages.
#include "questions.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 3 || count > MOST_TEXT)
        return 0;
    zw_model *model;
    zw_result *result = NULL;
    zw_status status = read_model(bytes[0] / QUESTIONS, (const char *)bytes + 2, count - 2, &model);
    if (status == ZW_DONE)
        status = questions[bytes[0] % QUESTIONS](model, bytes[1], &result);
    char *said = zw_messages(model, ZW_ERROR);
    if (status < ZW_DONE || status > ZW_FAILED || (status == ZW_WRONG && !said))
        abort();
    zw_free(said);
    read_out(result);
    zw_result_free(result);
    zw_model_free(model);
    return 0;
}
