// acting.c: of which motion derive and check speak, where conditions are one-sided: the one with
// those that act at the start, or with those that were named.
#include "api/api_impl.h"
#include "simulate/instant.h"
#include "simulate/simulate.h"

#include <string.h>

static Status unknown(const Motion *motion, Str word, Diag *diag)
{
    ARRAY(Str) names = {0};
    for (size_t i = 0; i < motion->side_count; i++)
        array_push(&names, str_of(motion->sides[i].constraint->name));
    ptrdiff_t nearest = str_nearest(word, names.at, names.count);
    diag_error(diag, place_hint(HINT_ACTING), "there is no one-sided constraint '%.*s'%s%s%s",
               (int)word.length, word.at, nearest >= 0 ? "; did you mean '" : "",
               nearest >= 0 ? names.at[nearest].at : "", nearest >= 0 ? "'?" : "");
    array_clear(&names);
    return STATUS_WRONG;
}

static Status read_names(const Motion *motion, const char *names, Diag *diag, bool *held)
{
    Status status = STATUS_OK;
    for (const char *at = names; *at;) {
        Str word = {at, strcspn(at, ",")};
        at += word.length + (at[word.length] == ',');
        bool all = str_is(word, "all"), found = all || str_is(word, "none");
        for (size_t i = 0; i < motion->side_count; i++)
            if (all || str_is(word, motion->sides[i].constraint->name))
                held[i] = found = true;
        if (!found)
            status = unknown(motion, word, diag);
    }
    return status;
}

// Where the start says nothing, because a value is missing in it, none act; false then.
static bool act_at_start(Motion *motion, bool *held)
{
    RunOptions options = run_options();
    options.instant = true;
    Diag *unheard = diag_new();
    Simulation *run = NULL;
    RunInstantRoom *room = NULL;
    RunInstant instant;
    bool known = run_new(motion, &options, unheard, &run) == STATUS_OK &&
                 run_instant(run, unheard, &room, &instant) == STATUS_OK;
    for (size_t i = 0; known && i < instant.sides.count; i++)
        held[i] = instant.sides.at[i].acts;
    run_instant_free(room);
    run_free(run);
    diag_free(unheard);
    return known;
}

// `when` is what is known of the start, or empty where names were given.
static void say(const Motion *motion, const bool *held, const char *when, Diag *diag)
{
    Text names = {0};
    size_t count = 0;
    for (size_t i = 0; i < motion->side_count; i++)
        if (held[i])
            text_addf(&names, "%s%s", count++ ? ", " : "", motion->sides[i].constraint->name);
    if (count == 0)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_ACTING),
                 "the motion while no one-sided condition acts%s; some can be named that do", when);
    else
        diag_add(diag, DIAG_NOTE, place_hint(HINT_ACTING),
                 "the motion while %s act%s%s, an equation as long as its multiplier is positive; "
                 "others can be named, or none",
                 names.at, count == 1 ? "s" : "", when);
    text_clear(&names);
}

Status api_held_at_start(zw_model *model, Motion **out)
{
    Motion *base = model->motion;
    bool *held = base_alloc((base->side_count + 1) * sizeof *held), any = false;
    *out = NULL;
    if (base->side_count > 0)
        act_at_start(base, held);
    motion_leave_dependent(base, held, model->diag);
    for (size_t i = 0; i < base->side_count; i++)
        any = any || held[i];
    Status status = STATUS_OK;
    if (any)
        status = motion_holding(base, (MotionHold){.held = held}, model->diag, out);
    if (any && status == STATUS_OK && model->orthonormal)
        status = motion_orthonormal(*out, model->diag);
    base_free(held);
    return status;
}

Status api_acting(zw_model *model)
{
    TRY(api_motion(model));
    Motion *base = model->motion;
    if (base->side_count == 0)
        model->under = base;
    if (model->under)
        return STATUS_OK;
    bool *held = base_alloc((base->side_count + 1) * sizeof *held);
    Status status = STATUS_OK;
    const char *when = "";
    if (model->acting)
        status = read_names(base, model->acting, model->diag, held);
    else
        when = act_at_start(base, held)
                   ? ", as at the start"
                   : " (whether one acts at the start is not known: that has no numbers)";
    if (status == STATUS_OK) {
        motion_leave_dependent(base, held, model->diag);
        say(base, held, when, model->diag);
        status = motion_holding(base, (MotionHold){.held = held}, model->diag, &model->under);
    }
    if (status == STATUS_OK && model->orthonormal)
        status = motion_orthonormal(model->under, model->diag);
    base_free(held);
    return model->status = status;
}
