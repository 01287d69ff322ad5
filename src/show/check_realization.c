// check_realization.c: whether conditions on a mass are realized perfectly (Delassus; Appell 3,
// 21).
#include "show/check_impl.h"
#include "show/json_impl.h"

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void realization_text(const InquiryRealization *found, Text *out)
{
    size_t bound = found->reached > found->velocities ? found->reached - found->velocities : 0;
    size_t fewer =
        found->velocities > found->accelerations ? found->velocities - found->accelerations : 0;
    text_addf(
        out,
        "  %s: virtual displacements %zu, velocities %zu, accelerations %zu, of %zu "
        "direction%s that it can reach: %s\n",
        found->of ? found->of : "a mass", found->displacements, found->velocities,
        found->accelerations, found->reached, plural(found->reached),
        found->displacements == found->velocities
            ? "perfect"
            : "imperfect, the rest of the system restricts its virtual displacements further");
    if (bound > 0)
        text_addf(out, "    its velocities obey %zu relation%s, wherever the rest is\n", bound,
                  plural(bound));
    if (fewer > 0)
        text_addf(out, "    its accelerations obey %zu relation%s more: %s\n", fewer, plural(fewer),
                  bound > 0 ? "perfect tendency where these disappear in a limit"
                            : "a relation between its velocities may come in a limit");
}

void show_realizations_text(const ShowCheck *check, Text *out)
{
    if (check->realization_count > 0)
        text_add(out, "how the conditions on each mass are realized (Delassus; Appell 3, 21)\n");
    for (size_t i = 0; i < check->realization_count; i++)
        realization_text(&check->realizations[i], out);
}

void show_realizations_json(const ShowCheck *check, Text *out)
{
    text_add(out, "\"realizations\":[");
    for (size_t i = 0; i < check->realization_count; i++) {
        const InquiryRealization *found = &check->realizations[i];
        text_add(out, i ? ",{\"of\":" : "{\"of\":");
        show_json_string_or_null(found->of, out);
        text_addf(out,
                  ",\"displacements\":%zu,\"velocities\":%zu,\"accelerations\":%zu,\"reached\":%zu,"
                  "\"perfect\":%s}",
                  found->displacements, found->velocities, found->accelerations, found->reached,
                  found->displacements == found->velocities ? "true" : "false");
    }
    text_add(out, "],");
}
