// Small models and sequences of public calls. The first bytes say which calls follow each other and
// with what; the rest is the model. Every call ends with one of its statuses, and what is wrong
// with a message (of a wrong model that is said when it is read).
#include "zwang.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { CALLS = 4, MOST_TEXT = 600 };

typedef struct {
    zw_model *model;
    zw_sim *sim;
    size_t steps;
} Session;

// A model that takes long is none of interest here.
static bool goes_on(void *context, double part)
{
    Session *session = context;
    return part >= 0 && ++session->steps < 300;
}

static bool sound; // the model is

static void expect(zw_status status, char *said)
{
    if (status < ZW_DONE || status > ZW_FAILED || (status == ZW_WRONG && sound && !said))
        abort();
    // A model that is wrong says it once.
    sound = sound && status != ZW_WRONG;
    zw_free(said);
}

static void run(Session *session, unsigned choice)
{
    static const char *const methods[] = {"auto", "taylor", "erk", "adams", "bdf", "timestepping"};
    zw_run_options options = {.to = 0.5,
                              .every = 0.1,
                              .keep = true,
                              .engine = "interpret",
                              .method = methods[choice % 6],
                              .residuals = choice & 8,
                              .no_watch = choice & 16,
                              .integrals = choice & 32,
                              .progress = goes_on,
                              .context = session};
    zw_result *result;
    session->steps = 0;
    zw_status status = zw_run(session->model, &options, &result);
    expect(status, zw_messages(session->model, ZW_ERROR));
    const zw_run_facts *facts = zw_result_run(result);
    for (size_t i = 0; facts && i < facts->columns; i++)
        if (!zw_result_column_name(result, i))
            abort();
    zw_result_free(result);
}

static void ask(Session *session, unsigned choice)
{
    zw_model *model = session->model;
    zw_result *result = NULL;
    zw_status status;
    zw_format as = choice & 1 ? ZW_JSON : ZW_TEXT;
    switch (choice / 2 % 6) {
    case 0:
        status = zw_derive(model, &(zw_derive_options){.as = as, .forms = "appell"}, &result);
        break;
    case 1: status = zw_check(model, &(zw_check_options){.as = as, .only = "kind"}, &result); break;
    case 2: status = zw_at(model, &(zw_at_options){.as = as, .steps = choice & 64}, &result); break;
    case 3: status = zw_stability(model, &(zw_stability_options){.as = as}, &result); break;
    case 4:
        status =
            zw_export(model, &(zw_export_options){.to = choice & 64 ? "python" : "c"}, &result);
        break;
    default: {
        const char *setting = choice & 64 ? "x=1" : "m=2";
        status = zw_model_set(model, &setting, 1);
    }
    }
    expect(status, zw_messages(model, ZW_ERROR));
    if (strlen(zw_result_text(result)) > (size_t)1 << 28)
        abort();
    zw_result_free(result);
}

// A simulation is made, stepped, set, saved, changed bytes of it restored, freed.
static void simulate(Session *session, unsigned choice)
{
    if (!session->sim) {
        zw_sim_options options = {.engine = "interpret",
                                  .method = choice & 64 ? "timestepping" : NULL,
                                  .no_watch = choice & 64,
                                  .progress = goes_on,
                                  .context = session};
        zw_status made = zw_sim_new(session->model, &options, &session->sim);
        expect(made, zw_messages(session->model, ZW_ERROR));
        return;
    }
    zw_sim *sim = session->sim;
    zw_status status = ZW_DONE;
    double t = 0;
    char *saved = NULL;
    size_t length = 0;
    session->steps = 0;
    switch (choice % 6) {
    case 0: status = zw_sim_step(sim); break;
    case 1:
        (void)zw_sim_state(sim, &t, NULL, NULL);
        status = zw_sim_to(sim, t + 0.01);
        break;
    case 2: status = zw_sim_set_parameter(sim, "m", choice & 8 ? 2 : NAN); break;
    case 3:
        status = zw_sim_save(sim, &saved, &length);
        if (status == ZW_DONE && length > 0) {
            saved[choice * 7919 % length] ^= (char)(choice & 8);
            status = zw_sim_restore(sim, saved, length);
        }
        zw_free(saved);
        break;
    case 4:
        zw_sim_free(sim);
        session->sim = NULL;
        return;
    default: (void)zw_sim_event(sim, choice); return;
    }
    expect(status, zw_sim_messages(sim, ZW_ERROR));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < CALLS + 1 || count > MOST_TEXT)
        return 0;
    Session session = {0};
    sound = true;
    zw_status status =
        zw_model_read("fuzz.zw", (const char *)bytes + CALLS, count - CALLS, NULL, &session.model);
    expect(status, zw_messages(session.model, ZW_ERROR));
    for (int i = 0; i < CALLS; i++) {
        unsigned choice = bytes[i] >> 1;
        if (bytes[i] & 1)
            simulate(&session, choice);
        else if (choice % 4 == 0)
            run(&session, choice / 4);
        else
            ask(&session, choice);
    }
    zw_sim_free(session.sim);
    zw_model_free(session.model);
    return 0;
}
