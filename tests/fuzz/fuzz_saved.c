// Any bytes are restored as a simulation: it is one that was saved, or refused with a message, and
// the simulation goes on as it was. Half of them get the right checksum, to come behind it.
#include "base/base.h"
#include "zwang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static zw_sim *sim;

static void make(void)
{
    static const char text[] = "param m = 1\ncoord x\nmass m at [x, 0, 0]\npotential x^2/2\n"
                               "initial x = 1\nconstraint wall: x >= -1/2 restitution 1/2\n";
    zw_model *model;
    if (zw_model_read("m", text, strlen(text), NULL, &model) != ZW_DONE ||
        zw_sim_new(model, &(zw_sim_options){.engine = "interpret"}, &sim) != ZW_DONE)
        abort();
    zw_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (!sim)
        make();
    Text all = {0};
    text_add_str(&all, (Str){(const char *)bytes + (count > 0), count - (count > 0)});
    if (count > 0 && bytes[0] & 1)
        text_addf(&all, "sum %016llx\n", (unsigned long long)hash_bytes(all.at, all.length, 1));
    zw_status status = zw_sim_restore(sim, all.at ? all.at : "", all.length);
    char *said = zw_sim_messages(sim, ZW_ERROR);
    if (status == ZW_FAILED || (status == ZW_WRONG && !said))
        abort();
    zw_free(said);
    if (zw_sim_step(sim) == ZW_FAILED)
        abort();
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    text_clear(&all);
    return 0;
}
