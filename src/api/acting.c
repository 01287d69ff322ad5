// acting.c: of which motion derive and check speak, where conditions are one-sided: the one with
// those that act at the start, or with those that were named.
#include "api/api_impl.h"
#include "linalg/tolerances.h"
#include "motion/frictions.h"
#include "simulate/instant.h"
#include "simulate/simulate.h"

#include <math.h>
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

// `:slip` or `:stick` behind the name of a friction, or of its condition.
static Status read_friction(const Motion *motion, Str word, Str mode, Diag *diag,
                            FrictionHold *friction)
{
    bool slips = str_is(mode, "slip");
    for (size_t i = 0; i < motion->friction_count; i++)
        if (str_is(word, motion->frictions[i].friction->name)) {
            unsigned char sliding = motion->frictions[i].rows > 1 ? HOLD_TURNS : HOLD_FORWARD;
            friction[i] = (FrictionHold){.mode = slips ? sliding : HOLD_STICKS};
            return STATUS_OK;
        }
    return diag_error(diag, place_hint(HINT_ACTING), "%.*s:%.*s: '%.*s' has no friction",
                      (int)word.length, word.at, (int)mode.length, mode.at, (int)word.length,
                      word.at);
}

static Status read_names(const Motion *motion, const char *names, Diag *diag, bool *held,
                         FrictionHold *friction)
{
    Status status = STATUS_OK;
    for (const char *at = names; *at;) {
        Str word = {at, strcspn(at, ",")};
        at += word.length + (at[word.length] == ',');
        const char *colon = memchr(word.at, ':', word.length);
        if (colon) {
            Str mode = {colon + 1, word.length - (size_t)(colon + 1 - word.at)};
            word.length = (size_t)(colon - word.at);
            if (!str_is(mode, "slip") && !str_is(mode, "stick")) {
                status = diag_error(diag, place_hint(HINT_ACTING),
                                    "'%.*s' is no mode of friction; there are slip and stick",
                                    (int)mode.length, mode.at);
                continue;
            }
            if (read_friction(motion, word, mode, diag, friction) != STATUS_OK) {
                status = STATUS_WRONG;
                continue;
            }
        }
        bool all = str_is(word, "all"), found = all || str_is(word, "none");
        for (size_t i = 0; i < motion->friction_count && !found; i++)
            found = str_is(word, motion->frictions[i].friction->name) &&
                    motion->frictions[i].side == SIZE_MAX;
        for (size_t i = 0; i < motion->side_count; i++)
            if (all || str_is(word, motion->sides[i].constraint->name))
                held[i] = found = true;
        if (!found)
            status = unknown(motion, word, diag);
    }
    return status;
}

// Where the start says nothing, because a value is missing in it, none act; false then.
static bool act_at_start(Motion *motion, bool *held, FrictionHold *friction)
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
    for (size_t i = 0; known && i < instant.sides.friction_count; i++)
        friction[i] = (FrictionHold){.mode = instant.sides.frictions[i].mode,
                                     .pulls = instant.sides.frictions[i].pulls};
    run_instant_free(room);
    run_free(run);
    diag_free(unheard);
    return known;
}

// A friction acts where its condition does: unless it was said, it slides.
static void settle(const Motion *motion, const bool *held, FrictionHold *friction)
{
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *own = &motion->frictions[i];
        if (!motion_friction_acts(motion, own, held))
            friction[i] = (FrictionHold){.mode = HOLD_OPEN};
        else if (friction[i].mode == HOLD_OPEN)
            friction[i].mode = own->rows > 1 ? HOLD_TURNS : HOLD_FORWARD;
    }
    motion_leave_sticks(motion, held, friction);
}

static MotionHold holding(const Motion *motion, const bool *held, const FrictionHold *friction)
{
    return (MotionHold){.held = held, .friction = motion->friction_count > 0 ? friction : NULL};
}

static const char *hold_name(FrictionHold hold)
{
    return hold.mode == HOLD_OPEN ? "does not act" : hold.mode == HOLD_STICKS ? "sticks" : "slips";
}

// Which way it slides along one row: " (x' > 0)".
static void add_way(const Motion *motion, size_t i, FrictionHold hold, Text *out)
{
    if (hold.mode != HOLD_FORWARD && hold.mode != HOLD_BACKWARD)
        return;
    text_add(out, " (");
    expr_print(motion->pool, motion_friction_speed(motion, &motion->frictions[i], hold), out);
    text_add(out, " > 0)");
}

// What was said to slide does so the way that it does at the start.
static void take_ways(Motion *motion, FrictionHold *friction)
{
    bool *held = base_alloc((motion->side_count + 1) * sizeof *held);
    FrictionHold *start = base_alloc((motion->friction_count + 1) * sizeof *start);
    bool known = motion->friction_count > 0 && act_at_start(motion, held, start);
    for (size_t i = 0; i < motion->friction_count && known; i++)
        if (friction[i].mode == HOLD_FORWARD && start[i].mode >= HOLD_FORWARD)
            friction[i] = start[i];
    base_free(start);
    base_free(held);
}

// `when` is what is known of the start, or empty where names were given.
static void say(const Motion *motion, const bool *held, const FrictionHold *friction,
                const char *when, Diag *diag)
{
    Text names = {0};
    size_t count = 0;
    for (size_t i = 0; i < motion->side_count; i++)
        if (held[i])
            text_addf(&names, "%s%s", count++ ? ", " : "", motion->sides[i].constraint->name);
    if (count == 0 && motion->side_count > 0)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_ACTING),
                 "the motion while no one-sided condition acts%s; some can be named that do", when);
    else if (count > 0)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_ACTING),
                 "the motion while %s act%s%s, an equation as long as its multiplier is positive; "
                 "others can be named, or none",
                 names.at, count == 1 ? "s" : "", when);
    text_clear(&names);
    for (size_t i = 0; i < motion->friction_count; i++) {
        text_addf(&names, "%s%s %s", i ? ", " : "", motion->frictions[i].friction->name,
                  hold_name(friction[i]));
        add_way(motion, i, friction[i], &names);
    }
    if (motion->friction_count > 0)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_ACTING),
                 "friction: %s%s; the equations are those of this mode", names.at, when);
    text_clear(&names);
}

Status api_refuse_friction(const zw_model *model, const char *what)
{
    const Model *of = model->model;
    if (of->frictions.count == 0 && !of->reactions_act)
        return STATUS_OK;
    Place place = of->frictions.count > 0 ? of->frictions.at[0].place : place_none();
    return diag_error(model->diag, place, "%s cannot follow %s in this version; 'run' does", what,
                      of->frictions.count > 0 ? "friction" : "forces that hold reactions");
}

Status api_held_at_start(zw_model *model, Motion **out)
{
    Motion *base = model->motion;
    bool *held = base_alloc((base->side_count + 1) * sizeof *held), any = false;
    FrictionHold *friction = base_alloc((base->friction_count + 1) * sizeof *friction);
    *out = NULL;
    if (base->side_count + base->friction_count > 0)
        act_at_start(base, held, friction);
    motion_leave_dependent(base, held, model->diag);
    motion_leave_sticks(base, held, friction);
    for (size_t i = 0; i < base->side_count; i++)
        any = any || held[i];
    for (size_t i = 0; i < base->friction_count; i++)
        any = any || friction[i].mode != HOLD_OPEN;
    Status status = STATUS_OK;
    if (any)
        status = motion_holding(base, holding(base, held, friction), model->diag, out);
    if (any && status == STATUS_OK && model->orthonormal)
        status = motion_orthonormal(*out, model->diag);
    base_free(friction);
    base_free(held);
    return status;
}

void api_pass_errors(const Diag *from, Diag *to)
{
    for (size_t i = 0; i < diag_total(from); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(from, i, &kind, &place);
        if (kind == DIAG_ERROR)
            diag_add(to, kind, place, "%s", message);
    }
}

// ---- The mode of a steady motion.

// On the edge of its cone it would stick for some neighbours and slide for others.
static Status check_edge(const RunFrictionSide *side, Diag *diag)
{
    const ModelFriction *friction = side->friction->friction;
    double force = sqrt(side->force[0] * side->force[0] + side->force[1] * side->force[1] +
                        side->force[2] * side->force[2]);
    double slip = fabs(side->slip[0]) + fabs(side->slip[1]) + fabs(side->slip[2]);
    if (side->mode == HOLD_STICKS && side->margin <= TOL_CONDITION * (side->margin + force))
        return diag_error(diag, friction->place,
                          "the friction of '%s' is on the edge of its cone (a margin of %.3g): "
                          "neighbouring motions stick or slide, and have no common linearization",
                          friction->name, side->margin);
    if (side->mode >= HOLD_FORWARD && slip == 0)
        return diag_error(diag, friction->place,
                          "'%s' begins to slide at the start, which is no steady motion",
                          friction->name);
    return STATUS_OK;
}

static void say_mode(const Motion *motion, const FrictionHold *friction, Diag *diag)
{
    Text names = {0};
    for (size_t i = 0; i < motion->friction_count; i++)
        text_addf(&names, "%s%s %s", i ? ", " : "", motion->frictions[i].friction->name,
                  hold_name(friction[i]));
    diag_add(diag, DIAG_NOTE, place_none(),
             "friction: %s at the start; the linearization is that of the motion in which this "
             "stays so",
             names.at);
    text_clear(&names);
}

Status api_steady_mode(Motion *base, Diag *diag, double *state, Motion **out)
{
    bool *held = base_alloc((base->side_count + 1) * sizeof *held);
    FrictionHold *friction = base_alloc((base->friction_count + 1) * sizeof *friction);
    RunOptions options = run_options();
    options.instant = true;
    Simulation *run = NULL;
    RunInstantRoom *room = NULL;
    RunInstant instant;
    Diag *own = diag_new();
    *out = NULL;
    Status status = run_new(base, &options, own, &run);
    if (status == STATUS_OK)
        status = run_instant(run, own, &room, &instant);
    api_pass_errors(own, diag);
    for (size_t i = 0; status == STATUS_OK && i < instant.sides.count; i++)
        held[i] = instant.sides.at[i].acts;
    for (size_t i = 0; status == STATUS_OK && i < instant.sides.friction_count; i++) {
        const RunFrictionSide *side = &instant.sides.frictions[i];
        friction[i] = (FrictionHold){.mode = side->mode, .pulls = side->pulls};
        status = check_edge(side, diag);
    }
    if (status == STATUS_OK) {
        memcpy(state, run_start(run).q, base->n * sizeof *state);
        memcpy(state + base->n, run_start(run).v, base->n * sizeof *state);
        motion_leave_dependent(base, held, diag);
        motion_leave_sticks(base, held, friction);
        say_mode(base, friction, diag);
        status = motion_holding(base, holding(base, held, friction), diag, out);
    }
    run_instant_free(room);
    run_free(run);
    diag_free(own);
    base_free(friction);
    base_free(held);
    return status;
}

Status api_acting(zw_model *model)
{
    TRY(api_motion(model));
    Motion *base = model->motion;
    if (base->side_count + base->friction_count == 0)
        model->under = base;
    if (model->under)
        return STATUS_OK;
    bool *held = base_alloc((base->side_count + 1) * sizeof *held);
    FrictionHold *friction = base_alloc((base->friction_count + 1) * sizeof *friction);
    Status status = STATUS_OK;
    const char *when = "";
    if (model->acting)
        status = read_names(base, model->acting, model->diag, held, friction);
    else
        when = act_at_start(base, held, friction)
                   ? ", as at the start"
                   : " (whether one acts at the start is not known: that has no numbers)";
    if (status == STATUS_OK) {
        motion_leave_dependent(base, held, model->diag);
        settle(base, held, friction);
        if (model->acting)
            take_ways(base, friction);
        say(base, held, friction, when, model->diag);
        status = motion_holding(base, holding(base, held, friction), model->diag, &model->under);
    }
    if (status == STATUS_OK && model->orthonormal)
        status = motion_orthonormal(model->under, model->diag);
    base_free(friction);
    base_free(held);
    return model->status = status;
}
