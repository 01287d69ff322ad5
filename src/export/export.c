// export.c: the targets, by name.
#include "export/export_impl.h"

static const struct {
    const char *word;
    const Language *language;
    void (*write)(const Exported *exported, Text *source, Text *header);
} targets[EXPORT_TARGET_COUNT] = {
#define TARGET(NAME, word, function) {word, &function##_language, function},
#include "export/targets.def"
#undef TARGET
};

const char *export_target_word(ExportTarget target)
{
    return targets[target].word;
}

bool export_target_find(Str word, ExportTarget *target)
{
    for (int i = 0; i < EXPORT_TARGET_COUNT; i++)
        if (str_is(word, targets[i].word)) {
            *target = (ExportTarget)i;
            return true;
        }
    return false;
}

Status export_check(const Motion *motion, Diag *diag)
{
    return left_out_check(motion, &(ExportOrigin){0}, diag, NULL);
}

Status export_write(ExportTarget target, Simulation *run, Motion *motion,
                    const ExportOrigin *origin, Diag *diag, Text *source, Text *header)
{
    Exported exported = {0};
    RunFormulasRoom *room = NULL;
    Text left_out = {0};
    Status status = left_out_check(motion, origin, diag, &left_out);
    if (status == STATUS_OK)
        status =
            exported_init(&exported, run, motion, targets[target].language, origin, diag, &room);
    exported.left_out = left_out;
    if (status == STATUS_OK)
        targets[target].write(&exported, source, header);
    exported_clear(&exported);
    run_formulas_free(room);
    return status;
}
