// Sequences of public calls with one small model: pairs of bytes say which calls follow each other
// and with what; the rest is the model. Every call ends with one of its statuses, and what is wrong
// with a message (of a wrong model that is said when it is read).
#include "questions.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { CALLS = 6, HEAD = 2 * CALLS };

typedef struct {
    zw_model *model;
    zw_system *system;
    zw_workspace *workspace;
    zw_sim *sim;
    size_t steps;
    bool sound; // the model is
} Session;

static void expect(Session *session, zw_status status, char *said)
{
    if (status < ZW_DONE || status > ZW_FAILED || (status == ZW_WRONG && session->sound && !said))
        abort();
    // A model that is wrong says it once.
    session->sound = session->sound && status != ZW_WRONG;
    zw_free(said);
}

static void ask(Session *session, unsigned question, unsigned choice)
{
    zw_result *result = NULL;
    zw_status status = questions[question % QUESTIONS](session->model, choice, &result);
    expect(session, status, zw_messages(session->model, ZW_ERROR));
    read_out(result);
    zw_result_free(result);
}

static void set(Session *session, unsigned choice)
{
    static const char *const settings[] = {"m=2", "x=1", "x'=-1,m=3", "nothing=1", "m=", "g=0"};
    static const char *const numbers[] = {"2*pi/m", "x", "(", "1e400", "sqrt(-1)"};
    zw_status status;
    double number = 0;
    if (choice & 1)
        status = zw_model_set(session->model, &ONE_OF(settings, choice / 2), choice < 128);
    else
        status = zw_model_number(session->model, "number", ONE_OF(numbers, choice / 2), &number);
    expect(session, status, zw_messages(session->model, ZW_ERROR));
}

static void make_system(Session *session, unsigned choice)
{
    zw_system_options options = {.velocities = choice & 8};
    zw_status status = zw_system_new(session->model, &options, &session->system);
    expect(session, status, zw_messages(session->model, ZW_ERROR));
    if (status == ZW_DONE && zw_workspace_new(session->system, &session->workspace) != ZW_DONE)
        abort();
}

// The functions of a system, at its start or beside it.
static void call_system(Session *session, unsigned choice)
{
    const zw_layout *layout = zw_system_layout(session->system);
    if (!layout)
        return;
    size_t n = layout->state_count, p = layout->parameter_count;
    double *y = calloc(n + 1, sizeof *y), *out = calloc((n + 1) * (n + p + 1), sizeof *out);
    for (size_t i = 0; i < n; i++)
        y[i] = layout->start[i] + (choice & 8 ? 0.1 : 0);
    const zw_system *system = session->system;
    zw_workspace *work = session->workspace;
    zw_status status = ZW_DONE;
    zw_parts parts = {.accelerations = out, .velocities = out};
    switch (choice % 5) {
    case 0: status = zw_rates(system, work, 0, y, NULL, out); break;
    case 1: status = zw_rates_by_state(system, work, 0, y, layout->parameter_values, out); break;
    case 2: status = zw_rates_by_parameters(system, work, 0, y, NULL, out); break;
    case 3: status = zw_rates_along(system, work, 0, y, NULL, 1, y, NULL, out); break;
    default: status = zw_system_parts(system, work, 0, y, NULL, &parts);
    }
    if (status == ZW_WRONG || status == ZW_FAILED)
        abort();
    free(y);
    free(out);
}

static void make_sim(Session *session, unsigned choice)
{
    static const char *const methods[] = {NULL, "timestepping", "erk", "bdf"};
    zw_sim_options options = {.engine = "interpret",
                              .method = ONE_OF(methods, choice / 8),
                              .no_watch = choice & 8,
                              .residuals = choice & 32,
                              .progress = goes_on,
                              .context = &session->steps};
    zw_status made = zw_sim_new(session->model, &options, &session->sim);
    expect(session, made, zw_messages(session->model, ZW_ERROR));
}

// Where it is, with the velocities reversed.
static zw_status turn_back(zw_sim *sim)
{
    size_t n = zw_sim_coordinates(sim);
    double *q = calloc(2 * n + 1, sizeof *q);
    zw_status status = zw_sim_state(sim, NULL, q, q + n);
    for (size_t i = 0; i < n; i++)
        q[n + i] = -q[n + i];
    if (status == ZW_DONE)
        status = zw_sim_set_state(sim, q, q + n);
    free(q);
    return status;
}

static zw_status row_of(zw_sim *sim)
{
    double t, *row = calloc(zw_sim_columns(sim) + 1, sizeof *row);
    zw_status status = zw_sim_state(sim, &t, NULL, NULL);
    if (status == ZW_DONE)
        status = zw_sim_row(sim, (t + zw_sim_from(sim)) / 2, row);
    free(row);
    return status;
}

// Saves it and restores it, perhaps with a bit turned over.
static zw_status save(zw_sim *sim, unsigned choice)
{
    char *saved = NULL;
    size_t length = 0;
    zw_status status = zw_sim_save(sim, &saved, &length);
    if (status == ZW_DONE && length > 0) {
        saved[choice * 7919 % length] ^= (char)(choice & 8);
        status = zw_sim_restore(sim, saved, length);
    }
    zw_free(saved);
    return status;
}

static void follow(Session *session, unsigned choice)
{
    static const char *const names[] = {"m", "u", "nothing"};
    zw_sim *sim = session->sim;
    zw_status status = ZW_DONE;
    double t = 0;
    session->steps = 0;
    switch (choice % 8) {
    case 0: status = zw_sim_step(sim); break;
    case 1:
        (void)zw_sim_state(sim, &t, NULL, NULL);
        status = zw_sim_to(sim, t + (choice & 16 ? 0.3 : 0.01));
        break;
    case 2:
        status = zw_sim_set_parameter(sim, ONE_OF(names, choice / 8), choice & 128 ? NAN : 2);
        break;
    case 3: status = save(sim, choice / 8); break;
    case 4: status = turn_back(sim); break;
    case 5: status = row_of(sim); break;
    case 6: (void)zw_sim_event(sim, choice); return;
    default:
        zw_sim_free(sim);
        session->sim = NULL;
        return;
    }
    expect(session, status, zw_sim_messages(sim, ZW_ERROR));
}

static void call(Session *session, unsigned which, unsigned choice)
{
    switch (which % 8) {
    case 0:
    case 1: ask(session, which / 8, choice); break;
    case 2: set(session, choice); break;
    case 3:
        if (session->workspace)
            call_system(session, choice);
        else if (!session->system)
            make_system(session, choice);
        break;
    default:
        if (session->sim)
            follow(session, choice);
        else
            make_sim(session, choice);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < HEAD + 1 || count > MOST_TEXT)
        return 0;
    Session session = {.sound = true};
    zw_status status =
        read_model(bytes[0] / 32, (const char *)bytes + HEAD, count - HEAD, &session.model);
    expect(&session, status, zw_messages(session.model, ZW_ERROR));
    for (int i = 0; i < CALLS; i++)
        call(&session, bytes[2 * i], bytes[2 * i + 1]);
    zw_sim_free(session.sim);
    zw_workspace_free(session.workspace);
    zw_system_free(session.system);
    zw_model_free(session.model);
    return 0;
}
