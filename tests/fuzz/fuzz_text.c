// Any bytes are read as a model's text: what comes back is a tree and diagnostics, never a crash.
#include "text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    Source *source = source_new("fuzz.zw", (const char *)bytes, count);
    Diag *diag = diag_new();
    Text said = {0};
    Syntax *readings[] = {syntax_read(source, diag), syntax_read_settings(source, diag),
                          syntax_read_expression(source, diag)};
    diag_render(diag, DIAG_NOTE, &said);
    for (size_t i = 0; i < 3; i++)
        syntax_free(readings[i]);
    text_clear(&said);
    diag_free(diag);
    source_free(source);
    return 0;
}
