// start_contradiction.c: why there is no start: which conditions clash, and with which values.
//
// At the position that misses least, the conditions that are still missed are those that clash.
// Where they can be met with all coordinates free, the given values are to blame, else the
// conditions themselves.
#include "base/diag.h"
#include "dynamics/projection.h"
#include "dynamics/start_impl.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Which conditions are missed.
static void find_clash(Start *start, bool *clashes, size_t *worst)
{
    const Equations *eq = start->eq;
    const State *state = start->state;
    double miss = positions_miss(eq, state, worst);
    for (size_t i = 0; i < eq->finite; i++) {
        double own = fabs(positions_f(state)[i]) / positions_scale(eq, state, i);
        clashes[i] = i == *worst || !(own <= TOL_COARSE * miss);
    }
}

static bool is_in_clash(const Start *start, const bool *clashes, Expr q)
{
    const Equations *eq = start->eq;
    for (size_t i = 0; i < eq->finite; i++)
        if (clashes[i] &&
            expr_holds(start->model->pool, eq->finite_conditions[i].constraint->residual, q))
            return true;
    return false;
}

// Whether the conditions can be met where the given values may move, too.
static bool meets_when_free(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t bytes = eq->n * sizeof(double);
    double *kept = arena_alloc(start->arena, bytes);
    memcpy(kept, state->q, bytes);
    positions_free_all(eq, state);
    bool met = positions_search(eq, state, false) <= TOL_ZERO;
    memcpy(state->q, kept, bytes);
    positions_evaluate(state);
    return met;
}

// The given values in the clash, and where the last of them is.
static void list_given(const Start *start, const bool *clashes, NameList *given, Place *place)
{
    const Model *model = start->model;
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *value = &model->starts.at[i];
        if (value->of != START_COORD || value->approx ||
            !is_in_clash(start, clashes, model->coords.at[value->target].q))
            continue;
        start_list_given(start, i, given);
        *place = value->place;
    }
}

static void list_others(const Start *start, const bool *clashes, NameList *conditions,
                        NameList *movable)
{
    const Equations *eq = start->eq;
    for (size_t i = 0; i < eq->finite; i++)
        if (clashes[i])
            name_list_add(conditions, "'%s'", eq->finite_conditions[i].constraint->name);
    for (size_t j = 0; j < eq->n; j++)
        if (!start->held[j] && is_in_clash(start, clashes, eq->motion->q[j]))
            name_list_add(movable, "%s", start->model->coords.at[j].name);
}

// What follows from the equations of motion, and nobody has written.
static void add_hidden(const Start *start, const bool *clashes, NameList *conditions)
{
    const Equations *eq = start->eq;
    for (size_t i = 0; i < eq->finite; i++) {
        const ModelHidden *hidden = eq->finite_conditions[i].constraint->hidden;
        if (!clashes[i] || !hidden)
            continue;
        if (hidden->servo_count == 0)
            text_addf(&conditions->text,
                      " (which the equations of motion hide: the forces on %s, which has no "
                      "inertia, are in balance)",
                      start->model->coords.at[hidden->coordinate].name);
        else
            text_add(&conditions->text, " (which the equations of motion hide)");
        return;
    }
}

Status start_contradiction(Start *start)
{
    const Equations *eq = start->eq;
    assert(eq->finite > 0);
    size_t worst = 0;
    bool *clashes = arena_array(start->arena, bool, eq->finite);
    find_clash(start, clashes, &worst);
    const ModelConstraint *condition = eq->finite_conditions[worst].constraint;
    double residual = positions_f(start->state)[worst];
    Place place = condition->place;
    NameList given = {0}, conditions = {0}, movable = {0};
    list_others(start, clashes, &conditions, &movable);
    if (meets_when_free(start))
        list_given(start, clashes, &given, &place);
    bool several = conditions.count > 1;
    add_hidden(start, clashes, &conditions);
    Text whose = {0};
    text_addf(&whose, several ? "the residual of '%s'" : "its residual", condition->name);
    if (given.count > 0)
        diag_error(start->diag, place,
                   "the initial value%s %s contradict%s the constraint%s %s: %s is %.3g%s%s; "
                   "change a value, or let it move with 'initial approx'",
                   given.count > 1 ? "s" : "", name_list_end(&given), given.count > 1 ? "" : "s",
                   several ? "s" : "", name_list_end(&conditions), whose.at, residual,
                   movable.count > 0 ? " and cannot be brought to 0 by moving " : "",
                   name_list_end(&movable));
    else
        diag_error(start->diag, place,
                   "no start was found that meets the constraint%s %s%s: %s stays %.3g%s%s; %s, or "
                   "a nearer start is needed: give one with 'initial approx'",
                   several ? "s" : "", name_list_end(&conditions), several ? " together" : "",
                   whose.at, residual, movable.count > 0 ? ", moving " : "",
                   name_list_end(&movable),
                   several ? "they may contradict each other" : "it may be impossible");
    text_clear(&whose);
    text_clear(&given.text);
    text_clear(&conditions.text);
    text_clear(&movable.text);
    return STATUS_WRONG;
}
