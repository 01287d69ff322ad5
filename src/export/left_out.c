// left_out.c: what exported code cannot follow: percussions, one-sided conditions and functions
// that switch. It is refused, or left out where only the smooth motion is asked for: that of the
// start, with the one-sided conditions that act there as equations. Limits then tell how far it
// goes: each is at most 0 as long as nothing of the kind has happened.
#include "export/export_impl.h"
#include "expr/tables.h"
#include "linalg/tolerances.h"
#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// So many are named in a message.
enum { MOST_NAMED = 3 };

// One of the kinds: how it is called, alone and together, and its members so far.
typedef struct {
    const char *one, *many;
    size_t count;
    Place place; // of the first
    Text names;
} Kind;

static void count_in(Kind *kind, Place place, const char *name)
{
    if (kind->count == 0)
        kind->place = place;
    if (name && kind->count < MOST_NAMED)
        text_addf(&kind->names, "%s%s", kind->count ? ", " : "", name);
    kind->count++;
}

// "an impulse", "one-sided conditions ('a', 'b', 'c' and 4 more)"; or the names alone.
static void describe(const Kind *kind, bool whole, Text *out)
{
    bool named = kind->names.length > 0;
    if (whole)
        text_addf(out, "%s%s", kind->count > 1 ? kind->many : kind->one, named ? " (" : "");
    if (named)
        text_add(out, kind->names.at);
    if (named && kind->count > MOST_NAMED)
        text_addf(out, " and %zu more", kind->count - MOST_NAMED);
    if (whole && named)
        text_add(out, ")");
}

// ---- Functions that switch.

// A speed that is declared is a state: where it jumps the velocities go on.
static bool speeds_hold(const Motion *motion, Expr call)
{
    for (size_t i = 0; i < motion->k && motion->state.speeds; i++)
        if (motion->state.speeds[i].declared &&
            expr_holds_any(motion->pool, motion->state.speeds[i].value, &call, 1))
            return true;
    return false;
}

static ExprList nodes_of(const Motion *motion)
{
    ExprRow roots = {0};
    array_push(&roots, motion->U);
    array_push(&roots, motion->model->dissipation);
    for (size_t nu = 0; nu < motion->n; nu++)
        array_push(&roots, motion->K[nu]);
    array_push(&roots, motion->T);
    for (size_t i = 0; i < motion->m; i++) {
        array_push(&roots, motion->rows[i].velocity);
        for (size_t nu = 0; nu < motion->n; nu++)
            array_push(&roots, motion->rows[i].d[nu]);
    }
    for (size_t i = 0; i < motion->second_count; i++)
        array_push(&roots, motion->seconds[i].f);
    if (motion->given) {
        array_push(&roots, motion->given->S);
        for (size_t nu = 0; nu < motion->n; nu++)
            array_push(&roots, motion->rest_of_S[nu]);
    }
    for (size_t i = 0; i < motion->k && motion->state.speeds; i++)
        if (motion->state.speeds[i].declared)
            array_push(&roots, motion->state.speeds[i].value);
    for (size_t i = 0; i < motion->side_count; i++)
        if (exported_is_two_sided(&motion->sides[i]))
            array_push(&roots, motion->sides[i].velocity);
    for (size_t i = 0; i < motion->friction_count; i++) {
        array_push(&roots, motion->frictions[i].bound);
        array_push(&roots, motion->frictions[i].hold);
        for (size_t k = 0; k < motion->frictions[i].term_count; k++) {
            array_push(&roots, motion->frictions[i].terms[k].bound);
            array_push(&roots, motion->frictions[i].terms[k].hold);
        }
    }
    ExprList nodes = expr_nodes(motion->pool, roots.at, roots.count);
    array_clear(&roots);
    return nodes;
}

static bool moves(const Motion *motion, Expr e)
{
    return expr_holds(motion->pool, e, motion->model->t) ||
           expr_holds_any(motion->pool, e, motion->q, motion->n) ||
           expr_holds_any(motion->pool, e, motion->v, motion->n);
}

// Calls that may switch along the motion, one for each argument. The caller frees the list.
static ExprList switches_of(const Motion *motion)
{
    ExprList nodes = nodes_of(motion);
    size_t count = 0;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr argument = expr_switch_argument(motion->pool, (Expr){nodes.at[i]});
        bool known = expr_is_none(argument) || !moves(motion, argument);
        for (size_t j = 0; j < count && !known; j++)
            known = expr_same(expr_switch_argument(motion->pool, (Expr){nodes.at[j]}), argument);
        if (!known)
            nodes.at[count++] = nodes.at[i];
    }
    nodes.count = count;
    return nodes;
}

// Where in the text a call stands: the first load or condition that holds it.
static Place place_of(const Motion *motion, Expr call)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_along.count; i++)
        if (expr_holds_any(motion->pool, model->forces_along.at[i].force, &call, 1))
            return model->forces_along.at[i].place;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (expr_holds_any(motion->pool, model->constraints.at[i].residual, &call, 1))
            return model->constraints.at[i].place;
    return place_none();
}

// ---- All of them.

enum { IMPULSES, EVENTS, SAMPLES, UNTOLD, SIDES, HELD, SWITCHES, SLIDING, STICKING, KINDS };

bool left_out_is_held(const Motion *acting, size_t side)
{
    return acting && acting->held && acting->held[side];
}

// An impulse at t = 0 is in the start already.
static bool is_later(const Model *model, const ModelImpulse *impulse)
{
    return !expr_is_zero(model->pool, impulse->when);
}

// What it does in the motion that is written.
static FrictionHold hold_of(const Motion *motion, size_t i)
{
    return motion->friction_holds ? motion->friction_holds[i] : (FrictionHold){0};
}

// Whether what fires an event is a function of the state, or a contact, of which limits tell.
static bool is_of_state(const Motion *motion, const ModelEvent *event)
{
    const Model *model = motion->model;
    bool found = false;
    if (model_event_is_record(event))
        return true;
    for (size_t i = 0; i < model->constraints.count && !found; i++)
        found = expr_holds(motion->pool, event->value, model->constraints.at[i].lambda);
    for (size_t i = 0; i < motion->friction_count && !found; i++)
        found = expr_holds(motion->pool, event->value, motion->frictions[i].friction->slip) ||
                expr_holds(motion->pool, event->value, motion->frictions[i].friction->normal);
    return !found;
}

// Those of the text, and what ends the run.
static size_t event_count(const Model *model)
{
    return model->events.count + (model->run.until != NULL);
}

static const ModelEvent *event_at(const Model *model, size_t i)
{
    return i < model->events.count ? &model->events.at[i] : model->run.until;
}

static void gather(const Motion *motion, const Motion *acting, Kind *kinds)
{
    const Model *model = motion->model;
    kinds[IMPULSES] = (Kind){.one = "an impulse", .many = "impulses"};
    kinds[SIDES] = (Kind){.one = "a one-sided condition", .many = "one-sided conditions"};
    kinds[EVENTS] = kinds[UNTOLD] = (Kind){.one = "an event", .many = "events"};
    kinds[SAMPLES] = (Kind){.one = "a sample", .many = "samples"};
    kinds[HELD] = kinds[SIDES];
    kinds[SWITCHES] = (Kind){.one = "a function that switches", .many = "functions that switch"};
    for (size_t i = 0; i < model->impulses.count; i++)
        if (is_later(model, &model->impulses.at[i]))
            count_in(&kinds[IMPULSES], model->impulses.at[i].place, NULL);
    for (size_t i = 0; i < event_count(model); i++) {
        const ModelEvent *event = event_at(model, i);
        Text name = {0};
        text_addf(&name, "'%s'", event == model->run.until ? "until" : event->name);
        int which = event->sampling ? SAMPLES : is_of_state(motion, event) ? EVENTS : UNTOLD;
        count_in(&kinds[which], event->place, name.at);
        text_clear(&name);
    }
    for (size_t i = 0; i < model->whiles.count; i++)
        if (model->whiles.at[i].switch_count > 0)
            count_in(&kinds[EVENTS], model->whiles.at[i].place, "where a 'while' begins or ends");
    for (size_t i = 0; i < motion->side_count; i++) {
        Text name = {0};
        text_addf(&name, "'%s'", motion->sides[i].constraint->name);
        count_in(&kinds[left_out_is_held(acting, i) ? HELD : SIDES],
                 motion->sides[i].constraint->place, name.at);
        text_clear(&name);
    }
    kinds[SLIDING] = kinds[STICKING] = (Kind){.one = "friction", .many = "friction"};
    for (size_t i = 0; i < (acting ? acting->friction_count : 0); i++)
        if (hold_of(acting, i).mode != HOLD_OPEN) {
            Text name = {0};
            bool slides = hold_of(acting, i).mode >= HOLD_FORWARD;
            text_addf(&name, "'%s'", acting->frictions[i].friction->name);
            count_in(&kinds[slides ? SLIDING : STICKING], acting->frictions[i].friction->place,
                     name.at);
            text_clear(&name);
        }
    ExprList switches = switches_of(motion);
    for (size_t i = 0; i < switches.count; i++) {
        Text name = {0};
        expr_print(motion->pool, (Expr){switches.at[i]}, &name);
        count_in(&kinds[SWITCHES], place_of(motion, (Expr){switches.at[i]}), name.at);
        text_clear(&name);
    }
    expr_list_free(&switches);
}

static void refuse(int which, const Kind *kind, Diag *diag)
{
    Text what = {0};
    describe(kind, true, &what);
    diag_error(diag, place_with_hint(kind->place, HINT_SMOOTH),
               "the model has %s, which this code cannot follow; the smooth motion %s, and an FMU "
               "follows %s",
               what.at,
               which == SWITCHES ? "steps over the switches"
               : kind->count > 1 ? "leaves them out"
                                 : "leaves it out",
               which == SWITCHES || kind->count > 1 ? "them" : "it");
    text_clear(&what);
}

// What the code makes of a kind, and what ends its validity.
static const struct {
    const char *done, *ends;
} smooth[KINDS] = {[IMPULSES] = {"leaves out", "one would act"},
                   [EVENTS] = {"leaves out", "one would act"},
                   [SAMPLES] = {"leaves out", "one would act behind the start"},
                   [UNTOLD] = {"leaves out", NULL},
                   [SIDES] = {"leaves out", "one would act"},
                   [HELD] = {"has as an equation, as at the start,", "one would let go"},
                   [SWITCHES] = {"steps over the switches of", "one has switched"},
                   [SLIDING] = {"lets go on sliding, as at the start,", "one would stop"},
                   [STICKING] = {"lets stick, as at the start,", "one would slide"}};

// As a line for the head of the code, and as a note.
static void tell(int which, const Kind *kind, Diag *diag, Text *out)
{
    Text what = {0};
    describe(kind, which != SWITCHES, &what);
    text_addf(out, "This code %s %s.\n", smooth[which].done, what.at);
    if (smooth[which].ends)
        diag_add(diag, DIAG_NOTE, kind->place, "the code %s %s; its 'valid' is false once %s",
                 smooth[which].done, what.at, smooth[which].ends);
    else
        diag_add(diag, DIAG_NOTE, kind->place, "the code %s %s; its 'valid' does not tell of %s",
                 smooth[which].done, what.at, kind->count > 1 ? "them" : "it");
    text_clear(&what);
}

Status left_out_check(const Motion *motion, const ExportOrigin *origin, Diag *diag, Text *out)
{
    Kind kinds[KINDS];
    bool refused = false;
    assert(origin->smooth || !origin->acting);
    gather(motion, origin->acting, kinds);
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].count > 0 && origin->smooth)
            tell(i, &kinds[i], diag, out);
        else if (kinds[i].count > 0)
            refuse(i, &kinds[i], diag);
        refused = refused || (kinds[i].count > 0 && !origin->smooth);
        text_clear(&kinds[i].names);
    }
    return refused ? STATUS_WRONG : STATUS_OK;
}

// ---- What an FMU cannot follow.

// Whether a call makes more jump than forces: the inertia, a condition, a step of the potential.
static bool jumps(const Motion *motion, Expr call)
{
    ExprPool *pool = motion->pool;
    Expr argument = expr_switch_argument(pool, call);
    bool of_place = expr_holds_any(pool, argument, motion->q, motion->n);
    bool found =
        expr_holds_any(pool, motion->T, &call, 1) || speeds_hold(motion, call) ||
        (expr_op(pool, call) == EXPR_SIGN && of_place && expr_holds_any(pool, motion->U, &call, 1));
    for (size_t i = 0; i < motion->m && !found; i++)
        found = expr_holds_any(pool, motion->rows[i].velocity, &call, 1);
    for (size_t i = 0; i < motion->second_count && !found; i++)
        found = expr_holds_any(pool, motion->seconds[i].f, &call, 1);
    for (size_t i = 0; i < motion->side_count && !found; i++)
        found = exported_is_two_sided(&motion->sides[i]) &&
                expr_holds_any(pool, motion->sides[i].velocity, &call, 1);
    return found;
}

// Forces that hold reactions of equations are in these; those of others an FMU does not solve for.
static Status check_reactions(const Motion *motion, Diag *diag)
{
    ExprRow symbols = {0};
    bool found = false;
    for (size_t i = 0; i < motion->side_count; i++)
        array_push(&symbols, motion->sides[i].constraint->lambda);
    for (size_t i = 0; i < motion->friction_count; i++)
        array_push(&symbols, motion->frictions[i].friction->normal);
    for (size_t nu = 0; nu < motion->n && motion->model->reactions_act && !found; nu++)
        found = expr_holds_any(motion->pool, motion->whole_K[nu], symbols.at, symbols.count);
    array_clear(&symbols);
    if (motion->bends)
        return diag_error(diag, place_none(),
                          "a force holds a reaction in another way than as a factor, which an FMU "
                          "cannot follow in this version; 'run' does");
    return found ? diag_error(diag, place_none(),
                              "a force holds the reaction of a one-sided condition, of one that "
                              "holds for a while, or a normal force, which an FMU cannot follow in "
                              "this version; 'run' does")
                 : STATUS_OK;
}

// Whether velocities jump at rows between the ends of a table.
static Status check_tables(const Motion *motion, Diag *diag)
{
    ExprList nodes = nodes_of(motion);
    const ExprTable *wrong = NULL;
    for (size_t i = 0; i < nodes.count && !wrong; i++) {
        Expr node = {nodes.at[i]};
        const ExprTable *table = expr_table_of(motion->pool, node);
        if (table && table->numbers.count > 2 && moves(motion, expr_arg(motion->pool, node, 0)) &&
            expr_table_continuity(table, 1, expr_table_start(table, 1)) <
                motion_table_order(motion, expr_arg(motion->pool, node, 0), table))
            wrong = table;
    }
    expr_list_free(&nodes);
    return wrong ? diag_error(diag, place_none(),
                              "velocities jump at the rows of the table of %s, which an FMU cannot "
                              "follow; with 'cubic' they do not",
                              wrong->argument ? wrong->argument : "noise")
                 : STATUS_OK;
}

Status left_out_check_fmu(const Motion *motion, Diag *diag)
{
    Status status = check_reactions(motion, diag);
    if (check_tables(motion, diag) != STATUS_OK)
        status = STATUS_WRONG;
    ExprList switches = switches_of(motion);
    for (size_t i = 0; i < switches.count; i++) {
        Expr call = {switches.at[i]};
        Text name = {0};
        expr_print(motion->pool, call, &name);
        if (jumps(motion, call))
            status = diag_error(diag, place_of(motion, call),
                                "velocities may jump where %s switches, which an FMU cannot "
                                "follow; only forces may switch in it",
                                name.at);
        text_clear(&name);
    }
    expr_list_free(&switches);
    return status;
}

// sign(a) is s, abs(a) s a, whichever of a and −a is written.
static void freeze(const Exported *exported, Expr argument, Expr mode)
{
    ExprPool *pool = exported->motion->pool;
    Expr length = expr_call(pool, EXPR_ABS, argument, (Expr){0});
    for (int turned = 0; turned < 2; turned++) {
        Expr sign =
            expr_call(pool, EXPR_SIGN, turned ? expr_neg(pool, argument) : argument, (Expr){0});
        if (expr_op(pool, sign) == EXPR_SIGN)
            expr_subst_set(exported->numbers, sign, turned ? expr_neg(pool, mode) : mode);
    }
    if (expr_op(pool, length) == EXPR_ABS)
        expr_subst_set(exported->numbers, length, expr_mul(pool, mode, argument));
}

// Half the sum and half the difference.
static Expr frozen_choice(ExprPool *pool, Expr call, Expr mode)
{
    Expr a = expr_arg(pool, call, 0), b = expr_arg(pool, call, 1);
    Expr apart = expr_mul(pool, mode, expr_sub(pool, a, b));
    if (expr_op(pool, call) == EXPR_MIN)
        apart = expr_neg(pool, apart);
    return expr_div(pool, expr_sum(pool, (Expr[]){a, b, apart}, 3), expr_int(pool, 2));
}

// Where the time begins or ends conditions and frictions.
static void add_time_switches(const Exported *exported, ExprRow *arguments)
{
    const Model *model = exported->model;
    for (size_t i = 0; i < model->whiles.count && model->rows_switch; i++)
        for (size_t k = 0; k < model->whiles.at[i].switch_count; k++) {
            Expr value = model->whiles.at[i].switches[k].value;
            bool known = false;
            for (size_t j = 0; j < arguments->count && !known; j++)
                known = expr_same(arguments->at[j], value) ||
                        expr_same(arguments->at[j], expr_neg(model->pool, value));
            if (!known)
                array_push(arguments, value);
        }
}

void left_out_freeze(Exported *exported)
{
    ExprPool *pool = exported->motion->pool;
    ExprList nodes = nodes_of(exported->motion);
    left_out_switches(exported, &exported->switches);
    add_time_switches(exported, &exported->switches);
    if (exported->switches.count > 0)
        exported->numbers = expr_subst_new(pool);
    for (size_t i = 0; i < exported->switches.count; i++) {
        Expr argument = exported->switches.at[i], mode = expr_symbol_new(pool, "mode");
        array_push(&exported->modes, mode);
        freeze(exported, argument, mode);
        for (size_t j = 0; j < nodes.count; j++) {
            Expr call = {nodes.at[j]};
            bool choice = expr_op(pool, call) == EXPR_MIN || expr_op(pool, call) == EXPR_MAX;
            if (choice && expr_same(expr_switch_argument(pool, call), argument))
                expr_subst_set(exported->numbers, call, frozen_choice(pool, call, mode));
        }
    }
    expr_list_free(&nodes);
}

// ---- Friction.

Status export_check_friction(const Motion *acting, Diag *diag)
{
    for (size_t i = 0; acting && i < acting->friction_count; i++) {
        const MotionFriction *own = &acting->frictions[i];
        FrictionHold hold = hold_of(acting, i);
        const char *why = hold.mode == HOLD_OPEN    ? NULL
                          : hold.without            ? "sticks beside others that depend on it"
                          : own->friction->massless ? "acts on what has no inertia"
                                                    : NULL;
        if (why)
            return diag_error(diag, own->friction->place,
                              "'%s' %s, and exported code cannot tell in this version how long "
                              "that stays so",
                              own->friction->name, why);
    }
    return STATUS_OK;
}

// As long as it slides the way that it does at the start, its speed is above 0. In two directions
// it ends where next to nothing is left of it.
static void add_frictions(const Exported *exported, StartValuesFn *start_values, ExprRow *limits)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->friction_count; i++) {
        FrictionHold hold = hold_of(motion, i);
        if (hold.mode < HOLD_FORWARD)
            continue;
        Expr speed = motion_friction_speed(motion, &motion->frictions[i], hold);
        double first = 0;
        if (hold.mode == HOLD_TURNS)
            start_values(exported, &(ExprRow){.at = &speed, .count = 1}, &first);
        array_push(limits, expr_sub(pool, expr_double(pool, TOL_SMALL * first), speed));
    }
}

void left_out_cones(const Exported *exported, ExprRow *cones)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds; i++) {
        const MotionFriction *own = &motion->frictions[i];
        FrictionHold hold = hold_of(motion, i);
        Expr force[FRICTION_ROWS], squares[FRICTION_ROWS];
        if (hold.mode == HOLD_OPEN)
            continue;
        // A reaction that presses from both sides keeps its sign.
        for (size_t k = 0; k <= own->term_count; k++) {
            FrictionTerm term;
            bool pulls = hold.pulls >> k & 1;
            if (k > 0)
                term = own->terms[k - 1];
            else if (!motion_friction_own(own, &term))
                continue;
            Expr lambda = term.by[0]->lambda;
            if (term.count == 1 && term.side == SIZE_MAX)
                array_push(cones, pulls ? lambda : expr_neg(pool, lambda));
        }
        if (hold.mode != HOLD_STICKS)
            continue;
        motion_friction_force(motion, own, hold, force);
        for (size_t k = 0; k < own->rows; k++)
            squares[k] = expr_pow_int(pool, force[k], 2);
        array_push(cones, expr_sub(pool, expr_sqrt(pool, expr_sum(pool, squares, own->rows)),
                                   motion_friction_bound(motion, own, hold, true)));
    }
}

// ---- Limits.

// From a piece on, how far what is needed of a table is continuous.
static double smooth_end(const ExprTable *table, int order, double piece, int direction)
{
    for (size_t i = 0; i <= table->numbers.count; i++, piece += direction) {
        double end = direction > 0 ? expr_table_end(table, piece) : expr_table_start(table, piece);
        if (!isfinite(end) || expr_table_continuity(table, piece, end) < order)
            return end;
    }
    return direction > 0 ? INFINITY : -INFINITY;
}

// Velocities jump at rows of a table at which what conditions and energies need of it jumps.
static void add_tables(const Exported *exported, StartValuesFn *start_values, ExprRow *limits)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    ExprList nodes = nodes_of(motion);
    for (size_t i = 0; i < nodes.count; i++) {
        const ExprTable *table = expr_table_of(pool, (Expr){nodes.at[i]});
        if (!table)
            continue;
        double at;
        Expr argument = expr_arg(pool, (Expr){nodes.at[i]}, 0);
        int order = motion_table_order(motion, argument, table);
        start_values(exported, &(ExprRow){.at = &argument, .count = 1}, &at);
        double piece = expr_table_piece(table, at);
        if (order < 0 || !moves(motion, argument) || isnan(piece))
            continue;
        double from = smooth_end(table, order, piece, -1), to = smooth_end(table, order, piece, 1);
        if (isfinite(from))
            array_push(limits, expr_sub(pool, expr_double(pool, from - TOL_CONDITION * fabs(from)),
                                        argument));
        if (isfinite(to))
            array_push(limits,
                       expr_sub(pool, argument, expr_double(pool, to + TOL_CONDITION * fabs(to))));
    }
    expr_list_free(&nodes);
}

void left_out_limits(const Exported *exported, StartValuesFn *start_values, ExprRow *limits)
{
    const Model *model = exported->model;
    for (size_t i = 0; i < exported->sides; i++)
        array_push(limits, exported->side_rows[i]->position);
    for (size_t i = 0; i < model->impulses.count; i++)
        if (is_later(model, &model->impulses.at[i]))
            array_push(limits, expr_sub(model->pool, model->t, model->impulses.at[i].when));
    add_frictions(exported, start_values, limits);
    add_tables(exported, start_values, limits);
}

void left_out_switches(const Exported *exported, ExprRow *arguments)
{
    ExprPool *pool = exported->motion->pool;
    ExprList switches = switches_of(exported->motion);
    for (size_t i = 0; i < switches.count; i++)
        array_push(arguments, expr_switch_argument(pool, (Expr){switches.at[i]}));
    expr_list_free(&switches);
}

// t less the first instant of a sample behind the start.
static Expr behind_sample(const Exported *exported, const ModelEvent *sample)
{
    ExprPool *pool = exported->motion->pool;
    const Expr *times = sample->sampling->times;
    Diag *unheard = diag_new();
    double numbers[SAMPLE_TIMES], count = 0;
    if (model_sample_times(exported->model, sample, exported->param_values, unheard, numbers) ==
        STATUS_OK)
        count = fmax(floor(-numbers[SAMPLE_FROM] / numbers[SAMPLE_PERIOD]) + 1, 0);
    diag_free(unheard);
    Expr periods = expr_mul(pool, expr_double(pool, count), times[SAMPLE_PERIOD]);
    return expr_sub(pool, exported->model->t, expr_add(pool, times[SAMPLE_FROM], periods));
}

// What fires an event that changes the motion, or ends it, counts from its sign at the start.
void left_out_triggers(const Exported *exported, ExprRow *arguments)
{
    const Model *model = exported->model;
    for (size_t i = 0; i < event_count(model); i++) {
        const ModelEvent *event = event_at(model, i);
        bool acts = event == model->run.until;
        for (size_t k = 0; k < event->action_count; k++)
            acts = acts || event->actions[k].kind != ACTION_RECORD;
        if (acts && event->trigger < TRIGGER_IMPACT && is_of_state(exported->motion, event))
            array_push(arguments, event->value);
        if (event->sampling)
            array_push(arguments, behind_sample(exported, event));
    }
}

const char *exported_end(const Exported *exported)
{
    bool others = exported->limits > (exported->guards_speeds ? 2 : 0) || exported->held_count > 0;
    return !exported->guards_speeds ? "something happened that this code does not follow"
           : others ? "something happened that this code does not follow, or its speeds ceased to "
                      "determine the velocities"
                    : "its speeds ceased to determine the velocities; code with all velocities in "
                      "its state may go on";
}
