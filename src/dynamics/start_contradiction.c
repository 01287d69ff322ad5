// start_contradiction.c: why there is no start: which conditions clash, and with which values.
//
// At the position that misses least, the conditions that are still missed are those that clash.
// Where they can be met with all coordinates free, the given values are to blame, else the
// conditions themselves.
#include "base/base.h"
#include "dynamics/projection.h"
#include "dynamics/start.h"
#include "expr/expr.h"
#include "model/constraint.h"
#include "model/model.h"
#include "motion/motion_types.h"

#include <math.h>
#include <string.h>

// Conditions that are missed by less than this part of the worst one do not count.
#define COUNTS 1e-3
#define MET    1e-12
// How many names a message lists.
#define MOST_NAMES 6

typedef struct {
    Text text;
    size_t count;
} Names;

static void add(Names *names, const char *quote, const char *name)
{
    if (++names->count > MOST_NAMES)
        return;
    text_addf(&names->text, "%s%s%s%s", names->count > 1 ? ", " : "", quote, name, quote);
}

static const char *list(Names *names)
{
    if (names->count > MOST_NAMES)
        text_addf(&names->text, " and %zu more", names->count - MOST_NAMES);
    return names->text.length > 0 ? names->text.at : "";
}

// Which conditions are missed.
static void find_clash(Start *start, bool *clashes, size_t *worst)
{
    const Equations *eq = start->eq;
    const State *state = start->state;
    double miss = positions_miss(eq, state, worst);
    for (size_t i = 0; i < eq->finite; i++) {
        double own = fabs(positions_f(state)[i]) / positions_scale(eq, state, i);
        clashes[i] = i == *worst || !(own <= COUNTS * miss);
    }
}

static bool is_in_clash(const Start *start, const bool *clashes, Expr q)
{
    const Equations *eq = start->eq;
    for (size_t i = 0; i < eq->finite; i++)
        if (clashes[i] && expr_holds(start->model->pool, eq->finite_conditions[i]->residual, q))
            return true;
    return false;
}

// Whether the conditions can be met where the given values may move, too.
static bool meets_when_free(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    double *kept = base_alloc(eq->n * sizeof *kept);
    memcpy(kept, state->q, eq->n * sizeof *kept);
    positions_free_all(eq, state);
    bool met = start_search(start) <= MET;
    memcpy(state->q, kept, eq->n * sizeof *kept);
    positions_evaluate(state);
    base_free(kept);
    return met;
}

// The given values in the clash, and where the last of them is.
static void list_given(const Start *start, const bool *clashes, Names *given, Place *place)
{
    const Model *model = start->model;
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *value = &model->starts.at[i];
        if (value->of != START_COORD || value->approx ||
            !is_in_clash(start, clashes, model->coords.at[value->target].q))
            continue;
        Text one = {0};
        start_print_given(start, i, &one);
        add(given, "", one.at);
        text_clear(&one);
        *place = value->place;
    }
}

static void list_others(const Start *start, const bool *clashes, Names *conditions, Names *movable)
{
    const Equations *eq = start->eq;
    for (size_t i = 0; i < eq->finite; i++)
        if (clashes[i])
            add(conditions, "'", eq->finite_conditions[i]->name);
    for (size_t j = 0; j < eq->n; j++)
        if (!start->held[j] && is_in_clash(start, clashes, eq->motion->q[j]))
            add(movable, "", start->model->coords.at[j].name);
}

Status start_contradiction(Start *start)
{
    const Equations *eq = start->eq;
    size_t worst = 0;
    bool *clashes = base_alloc((eq->finite + 1) * sizeof *clashes);
    find_clash(start, clashes, &worst);
    const ModelConstraint *condition = eq->finite_conditions[worst];
    double residual = positions_f(start->state)[worst];
    Place place = condition->place;
    Names given = {0}, conditions = {0}, movable = {0};
    list_others(start, clashes, &conditions, &movable);
    if (meets_when_free(start))
        list_given(start, clashes, &given, &place);
    bool matrices = conditions.count > 1;
    Text whose = {0};
    text_addf(&whose, matrices ? "the residual of '%s'" : "its residual", condition->name);
    if (given.count > 0)
        diag_error(start->diag, place,
                   "the initial value%s %s contradict%s the constraint%s %s: %s is %.3g%s%s; "
                   "change a value, or let it move with 'initial approx'",
                   given.count > 1 ? "s" : "", list(&given), given.count > 1 ? "" : "s",
                   matrices ? "s" : "", list(&conditions), whose.at, residual,
                   movable.count > 0 ? " and cannot be brought to 0 by moving " : "",
                   list(&movable));
    else
        diag_error(start->diag, place,
                   "no start was found that meets the constraint%s %s%s: %s stays %.3g%s%s; %s, or "
                   "a nearer start is needed: give one with 'initial approx'",
                   matrices ? "s" : "", list(&conditions), matrices ? " together" : "", whose.at,
                   residual, movable.count > 0 ? ", moving " : "", list(&movable),
                   matrices ? "they may contradict each other" : "it may be impossible");
    text_clear(&whose);
    text_clear(&given.text);
    text_clear(&conditions.text);
    text_clear(&movable.text);
    base_free(clashes);
    return STATUS_WRONG;
}
