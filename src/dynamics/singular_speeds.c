// singular_speeds.c: names the speed that cannot be independent at this state, and what fixes it
// there.
#include "base/diag.h"
#include "dynamics/equations.h"
#include "dynamics/speed_choice.h"
#include "dynamics/start_impl.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>

void state_add_held(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    Text *text)
{
    assert(exprs || count == 0);
    const ExprPool *pool = eq->motion->pool;
    size_t inputs = 2 * eq->n + 1, told = 0;
    // Of the inputs t | q | v; t last.
    for (size_t i = 1; i <= inputs; i++) {
        size_t at = eq->params + i % inputs;
        bool held = false;
        for (size_t j = 0; j < count && !held; j++)
            held = expr_holds(pool, exprs[j], eq->symbols[at]);
        if (held && ++told <= LIMIT_SETS)
            text_addf(text, "%s%s = %.6g", told > 1 ? ", " : "", expr_name(pool, eq->symbols[at]),
                      state->inputs[at]);
    }
    text_add(text, told > LIMIT_SETS ? ", …" : "");
}

// Where a speed is declared; `otherwise` where the model does not say it.
static Place place_of(const Motion *motion, const MotionSpeed *speed, Place otherwise)
{
    bool declared = speed->declared && !speed->orthonormal;
    return declared ? motion->model->speeds.at[speed->index].place : otherwise;
}

// The first speed whose row depends on the conditions and the speeds before it; NULL for none. The
// basis, in the arena, says how.
static const MotionSpeed *find_dependent(const Equations *eq, const State *state, Arena *arena,
                                         Basis *basis)
{
    basis_init(basis, arena, eq->n, eq->n);
    for (size_t i = 0; i < eq->n; i++)
        if (!basis_take(basis, state->velocities.out + i * eq->n, TOL_RANK) && i >= eq->m)
            return &eq->motion->state.speeds[i - eq->m];
    return NULL;
}

Status singular_speeds_check_nonlinear(const Equations *eq, const State *state, bool driven,
                                       Diag *diag)
{
    Basis basis;
    Arena *arena = arena_new();
    const MotionSpeed *speed = find_dependent(eq, state, arena, &basis);
    arena_free(arena);
    if (!speed || (!driven && !speed->declared))
        return STATUS_OK;
    Place place = place_of(eq->motion, speed, place_none());
    Text holds = {0};
    state_add_held(eq, state, speed->y, eq->n, &holds);
    diag_add(diag, driven ? DIAG_ERROR : DIAG_NOTE,
             driven ? place_with_hint(place, HINT_FORM) : place,
             "at the start the speed %s cannot be inverted: it does not change there with the "
             "velocities that the constraints and the speeds before it leave free%s%s%s; %s",
             speed->name, holds.length ? " (" : "", holds.at, holds.length ? ")" : "",
             driven ? "start elsewhere, or let no form drive the run"
                    : "the run needs no speeds and goes on");
    text_clear(&holds);
    return driven ? STATUS_WRONG : STATUS_OK;
}

// What the row of the speed is made of: conditions, and speeds before it.
static void say(const Equations *eq, const State *state, const Basis *basis,
                const MotionSpeed *speed, Diag *diag)
{
    const Motion *motion = eq->motion;
    const MotionSpeed *speeds = motion->state.speeds;
    NameList conditions = {0}, others = {0}, taken = {0};
    Text why = {0};
    for (size_t i = 0; i < eq->m; i++)
        if (fabs(basis->parts[i]) > TOL_SMALL)
            name_list_add(&conditions, "'%s'", motion->rows[i].constraint->name);
    for (size_t i = 0; speeds + i < speed; i++)
        if (fabs(basis->parts[eq->m + i]) > TOL_SMALL)
            name_list_add(&others, "%s", speeds[i].name);
    for (size_t i = 0; i < eq->k; i++)
        name_list_add(&taken, "%s", expr_name(motion->pool, motion->v[state->speeds.chosen[i]]));
    bool several = conditions.count > 1, tied = others.count > 0;
    if (conditions.count == 0)
        text_add(&why, "the speeds say the same");
    else
        text_addf(&why, "the constraint%s %s %s%s %s", several ? "s" : "",
                  name_list_end(&conditions), tied ? "tie" : "fix",
                  several ? ""
                  : tied  ? "s"
                          : "es",
                  tied ? "them together" : "it");
    diag_add(diag, DIAG_NOTE, place_of(motion, speed, motion->model->independent_place),
             "%s cannot be independent%s%s: at this state %s; the independent velocities there "
             "are %s",
             speed->name, tied ? " of " : "", name_list_end(&others), why.at,
             name_list_end(&taken));
    text_clear(&why);
    text_clear(&conditions.text);
    text_clear(&others.text);
    text_clear(&taken.text);
}

void singular_speeds_report(const Equations *eq, const State *state, Diag *diag)
{
    assert(eq->independent.count == eq->m);
    Basis basis;
    Arena *arena = arena_new();
    const MotionSpeed *speed = find_dependent(eq, state, arena, &basis);
    if (speed && !speed->chosen)
        say(eq, state, &basis, speed, diag);
    arena_free(arena);
}
