// Any bytes are restored as a simulation: it is one that was saved, or refused with a message, and
// the simulation goes on as it was. The bits of the first byte say whether the head of a real one
// comes before them and the right checksum behind, to come behind these checks, and of which model.
#include "base/base.h"
#include "zwang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MODELS = 4 };
static zw_sim *sims[MODELS];
static char *heads[MODELS]; // the three lines that begin a simulation that was saved

static void make(size_t which)
{
    static const char *const texts[MODELS] = {
        "param m = 1\ncoord x\nmass m at [x, 0, 0]\npotential x^2/2\n"
        "initial x = 1\nconstraint wall: x >= -1/2 restitution 1/2\n",
        "param m = 1, mu = 0.2\ncoord x\nmass m at [x, 0, 0]\nforce 3*sin(4*t) along x\n"
        "friction f: mu*m*9.81 against x'\ninitial x' = 1\n",
        "param m = 1\ncoord x\nstate mode = 1\nmass m at [x, 0, 0]\nforce -mode*x along x\n"
        "initial x = 1\nevent turn: x = 0 falling { set mode = 3 - mode }\n",
        "param m = 1\ncoord x, y\nmass m at [x, y, 0]\nconstraint c: x^2 + y^2 = 1\n"
        "force -m along y\ninitial x = 1\n"};
    zw_model *model;
    char *saved;
    size_t length;
    if (zw_model_read("m", texts[which], strlen(texts[which]), NULL, &model) != ZW_DONE ||
        zw_sim_new(model, &(zw_sim_options){.engine = "interpret"}, &sims[which]) != ZW_DONE ||
        zw_sim_save(sims[which], &saved, &length) != ZW_DONE)
        abort();
    char path[100];
    snprintf(path, sizeof path, "/tmp/zwang-fuzz-%ld.sim", (long)getpid());
    if (zw_sim_save_file(sims[which], path) != ZW_DONE ||
        zw_sim_restore_file(sims[which], path) != ZW_DONE)
        abort();
    char *end = saved;
    for (int i = 0; i < 3; i++)
        end = strchr(end, '\n') + 1;
    *end = '\0';
    heads[which] = saved;
    zw_model_free(model);
}

// A step, and what is saved behind it; NULL where it ends with another status than ZW_DONE.
static char *step_and_save(zw_sim *sim, size_t *length)
{
    char *saved = NULL;
    zw_status status = zw_sim_step(sim);
    if (status == ZW_FAILED || (status == ZW_DONE && zw_sim_save(sim, &saved, length) != ZW_DONE))
        abort();
    return saved;
}

// Whoever goes on behind saving and whoever restores come to the same.
static void go_on_twice(zw_sim *sim)
{
    size_t length, first, second;
    char *saved = step_and_save(sim, &length);
    if (!saved)
        return;
    char *on = step_and_save(sim, &first);
    if (zw_sim_restore(sim, saved, length) != ZW_DONE)
        abort();
    char *again = step_and_save(sim, &second);
    if (!on != !again || (on && (first != second || memcmp(on, again, first) != 0)))
        abort();
    zw_free(saved);
    zw_free(on);
    zw_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0)
        return 0;
    size_t which = bytes[0] / 4 % MODELS;
    if (!sims[which])
        make(which);
    zw_sim *sim = sims[which];
    Text all = {0};
    text_add(&all, bytes[0] & 2 ? heads[which] : "");
    text_add_str(&all, (Str){(const char *)bytes + 1, count - 1});
    if (bytes[0] & 1)
        text_addf(&all, "sum %016llx\n", (unsigned long long)hash_bytes(all.at, all.length, 1));
    zw_status status = zw_sim_restore(sim, all.at, all.length);
    char *said = zw_sim_messages(sim, ZW_ERROR);
    if (status == ZW_FAILED || (status == ZW_WRONG && !said))
        abort();
    zw_free(said);
    if (bytes[0] & 16)
        (void)zw_sim_set_parameter(sim, "m", 1 + bytes[0] / 32);
    go_on_twice(sim);
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    text_clear(&all);
    return 0;
}
