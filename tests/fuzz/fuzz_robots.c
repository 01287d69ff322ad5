// Any bytes are read as a robot's file, URDF and MJCF: what comes back is a message, or statements
// that are those of the language.
#include "robots/robots.h"
#include "text/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool exists(const char *path)
{
    return path[0] != 'x';
}

static void check_statements(const Text *templates)
{
    Diag *diag = diag_new();
    Source *source = source_new("templates", templates->at, templates->length);
    syntax_free(syntax_read(source, diag));
    if (diag_count(diag, DIAG_ERROR) > 0)
        abort();
    source_free(source);
    diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    for (int format = ROBOT_URDF; format <= ROBOT_MJCF; format++) {
        RobotFile file = {.format = (RobotFormat)format,
                          .path = "fuzz",
                          .folder = "",
                          .text = {(const char *)bytes, count},
                          .free = count % 2,
                          .exists = exists};
        Text name = {0}, templates = {0}, note = {0};
        bool good = robot_write(&file, &name, &templates, &note);
        if (good ? !name.at : !note.at)
            abort();
        if (good)
            check_statements(&templates);
        text_clear(&name);
        text_clear(&templates);
        text_clear(&note);
    }
    return 0;
}
