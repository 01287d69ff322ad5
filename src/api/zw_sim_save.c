// zw_sim_save.c: a simulation as text that reads back to the same bits, and from it.
//
//     zwang simulation 1
//     version 1.0.0
//     model 9c1f…        a hash of the text and the settings it was opened with
//     set m=2.5          parameters that were set
//     t 1.25
//     length 0.7         the largest coordinate so far
//     to 10              the time up to which steps are taken at present; one ends there
//     q 0.1 …
//     v -2 …
//     sum 66b1…          a hash of all that stands before
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/sim_impl.h"
#include "show/show.h"
#include "simulate/run_stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t model_hash(const zw_model *model)
{
    uint64_t hash = hash_bytes(model->source->at, model->source->length, 1);
    for (size_t i = 0; i < model->setting_count; i++)
        hash = hash_bytes(model->setting_sources[i]->at, model->setting_sources[i]->length, hash);
    return hash;
}

static void add_numbers(const char *word, const double *values, size_t count, Text *text)
{
    text_add(text, word);
    for (size_t i = 0; i < count; i++) {
        text_add_char(text, ' ');
        text_add_decimal(text, values[i]);
    }
    text_add_char(text, '\n');
}

// What goes on does so from the numbers that were written, as whoever restores them does: both
// derive anew, for what serves one may be of another choice of speeds than what the other has.
static Status save(zw_sim *sim, Text *text)
{
    double t;
    double *q = base_alloc((2 * sim->n + 1) * sizeof *q), *v = q + sim->n;
    Status status = STATUS_OK;
    sim_state(sim, &t, q, v);
    if (sim->stepper)
        sim_keep_states(sim, stepper_row(sim->stepper, t));
    text_addf(text, "zwang simulation 1\nversion %s\nmodel %016llx\n", zw_version(),
              (unsigned long long)model_hash(sim->model));
    for (size_t i = 0; i < sim->parameters.count; i++)
        text_addf(text, "set %s\n", sim->parameters.at[i].setting);
    double length = sim->stepper ? stepper_length(sim->stepper) : sim->begin.length;
    add_numbers("t", &t, 1, text);
    add_numbers("length", &length, 1, text);
    add_numbers("to", &sim->options.to, 1, text);
    add_numbers("q", q, sim->n, text);
    add_numbers("v", v, sim->n, text);
    text_addf(text, "sum %016llx\n", (unsigned long long)hash_bytes(text->at, text->length, 1));
    sim->anew = true;
    if (sim->stepper)
        status = sim_place(sim, t, q, v, false);
    base_free(q);
    return status;
}

typedef struct {
    zw_sim *sim;
    const char *path, *given;
    char *bytes;
    size_t count;
} SaveCall;

static zw_status ask(ApiBody *body, SaveCall *call)
{
    zw_sim *sim = call->sim;
    return sim ? api_status(api_guarded(&sim->heap, &sim->spoiled, body, call)) : ZW_WRONG;
}

static Status save_bytes(void *context)
{
    SaveCall *call = context;
    Text text = {0};
    Status status = save(call->sim, &text);
    call->count = text.length;
    call->bytes = api_hand_out(&text);
    return status;
}

zw_status zw_sim_save(zw_sim *sim, char **bytes, size_t *count)
{
    if (bytes)
        *bytes = NULL;
    if (!bytes || !count)
        return ZW_WRONG;
    SaveCall *call = &(SaveCall){.sim = sim};
    zw_status status = ask(save_bytes, call);
    *bytes = call->bytes;
    *count = call->count;
    return status;
}

static Status save_file(void *context)
{
    SaveCall *call = context;
    Text text = {0};
    Status status = save(call->sim, &text);
    Str whole = {text.at, text.length};
    if (status == STATUS_OK)
        status = show_files_write(&call->path, &whole, 1, call->sim->model->diag);
    text_clear(&text);
    return status;
}

zw_status zw_sim_save_file(zw_sim *sim, const char *path)
{
    return path ? ask(save_file, &(SaveCall){.sim = sim, .path = path}) : ZW_WRONG;
}

// ---- Reading.

typedef struct {
    const char *at, *end;
    Diag *diag;
} Saved;

// The rest of a line that begins with this word; false where it does not.
static bool read_line(Saved *saved, const char *word, Str *rest)
{
    size_t length = strlen(word);
    const char *end = memchr(saved->at, '\n', (size_t)(saved->end - saved->at));
    if (!end || (size_t)(end - saved->at) < length + 1 || memcmp(saved->at, word, length) != 0 ||
        saved->at[length] != ' ')
        return false;
    *rest = (Str){saved->at + length + 1, (size_t)(end - saved->at) - length - 1};
    saved->at = end + 1;
    return true;
}

static bool read_numbers(Saved *saved, const char *word, double *values, size_t count)
{
    Str rest;
    if (count == 0 || !read_line(saved, word, &rest))
        return count == 0;
    const char *at = rest.at, *end = rest.at + rest.length;
    for (size_t i = 0; i < count; i++) {
        size_t used = decimal_read(at, (size_t)(end - at), &values[i]);
        if (used == 0 || !isfinite(values[i]))
            return false;
        at += used;
        at += at < end && *at == ' ';
    }
    return at == end;
}

static Status wrong(const Saved *saved, const char *what)
{
    return diag_error(saved->diag, place_none(), "this is no simulation that was saved: %s", what);
}

static Status read_head(const zw_sim *sim, Saved *saved)
{
    Str rest;
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)model_hash(sim->model));
    if (!read_line(saved, "zwang simulation", &rest) || !str_is(rest, "1"))
        return wrong(saved, "it does not begin as one");
    if (!read_line(saved, "version", &rest))
        return wrong(saved, "it has no version");
    if (!str_is(rest, zw_version()))
        return diag_error(saved->diag, place_none(),
                          "the simulation was saved by version %.*s, and this is %s",
                          (int)rest.length, rest.at, zw_version());
    if (!read_line(saved, "model", &rest))
        return wrong(saved, "it has no model");
    if (!str_is(rest, hash))
        return diag_error(saved->diag, place_none(),
                          "the simulation was saved of another model, or with other settings");
    return STATUS_OK;
}

static Status read_parameters(zw_sim *sim, Saved *saved)
{
    Str rest;
    sim->parameters.count = 0;
    while (read_line(saved, "set", &rest)) {
        const char *equals = memchr(rest.at, '=', rest.length);
        double value;
        size_t length = equals ? (size_t)(equals - rest.at) : 0;
        char name[sizeof(SimParameter)];
        if (length == 0 || length + DECIMAL_ROOM > sizeof name ||
            decimal_read(equals + 1, rest.length - length - 1, &value) == 0)
            return wrong(saved, "a parameter of it cannot be read");
        memcpy(name, rest.at, length);
        name[length] = '\0';
        sim_write_parameter(sim, sim_parameter(sim, name), value);
    }
    return sim_put_parameters(sim);
}

// That nothing of it is missing or was changed.
static Status check_sum(Saved *saved)
{
    char sum[sizeof "sum \n" + 16];
    size_t length = (size_t)(saved->end - saved->at), tail = sizeof sum - 1;
    if (length < tail)
        return wrong(saved, "it is too short");
    snprintf(sum, sizeof sum, "sum %016llx\n",
             (unsigned long long)hash_bytes(saved->at, length - tail, 1));
    if (memcmp(sum, saved->end - tail, tail) != 0)
        return wrong(saved, "it is not whole, or was changed");
    saved->end -= tail;
    return STATUS_OK;
}

static Status restore(zw_sim *sim, Saved *saved)
{
    TRY(check_sum(saved));
    TRY(read_head(sim, saved));
    double t, length, to, *q = base_alloc((2 * sim->n + 1) * sizeof *q), *v = q + sim->n;
    Saved after = *saved;
    Str rest;
    while (read_line(&after, "set", &rest))
        continue;
    Status status = read_numbers(&after, "t", &t, 1) &&
                            read_numbers(&after, "length", &length, 1) && length >= 0 &&
                            read_numbers(&after, "to", &to, 1) && to > 0 &&
                            read_numbers(&after, "q", q, sim->n) &&
                            read_numbers(&after, "v", v, sim->n) && after.at == after.end
                        ? STATUS_OK
                        : wrong(saved, "its state cannot be read");
    if (status == STATUS_OK) {
        sim_stop(sim);
        sim->begin.length = length;
        sim->options.to = to;
        status = read_parameters(sim, saved);
    }
    sim->anew = true;
    if (status == STATUS_OK)
        status = sim_place(sim, t, q, v, false);
    base_free(q);
    return status;
}

static Status restore_bytes(void *context)
{
    const SaveCall *call = context;
    Saved saved = {call->given, call->given + call->count, call->sim->model->diag};
    return restore(call->sim, &saved);
}

zw_status zw_sim_restore(zw_sim *sim, const char *bytes, size_t count)
{
    SaveCall *call = &(SaveCall){.sim = sim, .given = bytes, .count = count};
    return bytes ? ask(restore_bytes, call) : ZW_WRONG;
}

static Status restore_file(void *context)
{
    const SaveCall *call = context;
    Text text = {0};
    Status status = api_read_file(call->path, call->sim->model->diag, &text);
    Saved saved = {text.at, text.at + text.length, call->sim->model->diag};
    if (status == STATUS_OK)
        status = text.at ? restore(call->sim, &saved) : wrong(&saved, "it is empty");
    text_clear(&text);
    return status;
}

zw_status zw_sim_restore_file(zw_sim *sim, const char *path)
{
    return path ? ask(restore_file, &(SaveCall){.sim = sim, .path = path}) : ZW_WRONG;
}
