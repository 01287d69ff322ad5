// singular_speeds.c: names the speed that cannot be independent at this state, and what fixes it
// there.
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/speed_choice.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void list(Text *out, const char *before, const char *name, const char *after)
{
    text_addf(out, "%s%s%s%s", out->length ? ", " : "", before, name, after);
}

// Where a speed is declared; `otherwise` where the model does not say it.
static Place place_of(const Motion *motion, const MotionSpeed *speed, Place otherwise)
{
    bool declared = speed->declared && !speed->orthonormal;
    return declared ? motion->model->speeds.at[speed->index].place : otherwise;
}

// What the row that failed is made of: conditions, and speeds before it.
static void say(const Equations *eq, const State *state, const Basis *basis, size_t failed,
                Diag *diag)
{
    assert(failed < eq->motion->k);
    const Motion *motion = eq->motion;
    const MotionSpeed *speed = &motion->state.speeds[failed];
    Text conditions = {0}, others = {0}, taken = {0};
    size_t condition_count = 0;
    for (size_t i = 0; i < eq->m; i++)
        if (fabs(basis->parts[i]) > TOL_SMALL) {
            list(&conditions, "'", motion->rows[i].constraint->name, "'");
            condition_count++;
        }
    for (size_t i = 0; i < failed; i++)
        if (fabs(basis->parts[eq->m + i]) > TOL_SMALL)
            list(&others, "", motion->state.speeds[i].name, "");
    for (size_t i = 0; i < eq->k; i++)
        list(&taken, "", expr_name(motion->pool, motion->v[state->speeds.chosen[i]]), "");
    Place place = place_of(motion, speed, motion->model->independent_place);
    Text why = {0};
    if (conditions.length)
        text_addf(&why, "the constraint%s %s %s%s", condition_count > 1 ? "s" : "", conditions.at,
                  others.length ? "tie" : "fix",
                  condition_count > 1 ? ""
                  : others.length     ? "s"
                                      : "es");
    diag_add(diag, DIAG_NOTE, place,
             "%s cannot be independent%s%s: at this state %s %s; the independent velocities there "
             "are %s",
             speed->name, others.length ? " of " : "", others.length ? others.at : "",
             conditions.length ? why.at : "the speeds",
             !conditions.length ? "say the same"
             : others.length    ? "them together"
                                : "it",
             taken.at);
    text_clear(&why);
    text_clear(&conditions);
    text_clear(&others);
    text_clear(&taken);
}

// "x' = 0, y' = 1": the velocities and coordinates that a row holds.
void singular_speeds_add_state(const Equations *eq, const State *state, const Expr *row, Text *text)
{
    const Motion *motion = eq->motion;
    bool first = true;
    for (size_t nu = 0; nu < 2 * eq->n; nu++) {
        bool velocity = nu < eq->n;
        size_t at = velocity ? nu : nu - eq->n;
        Expr symbol = velocity ? motion->v[at] : motion->q[at];
        bool held = false;
        for (size_t j = 0; j < eq->n; j++)
            held = held || expr_holds(motion->pool, row[j], symbol);
        if (!held)
            continue;
        text_addf(text, "%s%s = %.6g", first ? "" : ", ", expr_name(motion->pool, symbol),
                  velocity ? state->v[at] : state->q[at]);
        first = false;
    }
}

Status singular_speeds_check_nonlinear(const Equations *eq, const State *state, bool driven,
                                       Diag *diag)
{
    size_t n = eq->n, m = eq->m;
    const Motion *motion = eq->motion;
    const MotionSpeed *speed = NULL;
    Basis basis;
    Arena *arena = arena_new();
    basis_init(&basis, arena, n, n);
    for (size_t i = 0; i < n && !speed; i++)
        if (!basis_take(&basis, state->velocities.out + i * n, TOL_RANK) && i >= m)
            speed = &motion->state.speeds[i - m];
    arena_free(arena);
    if (!speed || (!driven && !speed->declared))
        return STATUS_OK;
    Place place = place_of(motion, speed, place_none());
    Text holds = {0};
    singular_speeds_add_state(eq, state, speed->y, &holds);
    diag_add(diag, driven ? DIAG_ERROR : DIAG_NOTE,
             driven ? place_with_hint(place, HINT_FORM) : place,
             "at the start the speed %s cannot be inverted: it does not change there with the "
             "velocities that the constraints and the speeds before it leave free%s%s%s; %s",
             speed->name, holds.length ? " (" : "", holds.length ? holds.at : "",
             holds.length ? ")" : "",
             driven ? "start elsewhere, or let no form drive the run"
                    : "the run needs no speeds and goes on");
    text_clear(&holds);
    return driven ? STATUS_WRONG : STATUS_OK;
}

void singular_speeds_report(const Equations *eq, const State *state, Diag *diag)
{
    size_t n = eq->n;
    Basis basis;
    Arena *arena = arena_new();
    basis_init(&basis, arena, n, n);
    const double *rows = state->velocities.out;
    bool regular = true;
    for (size_t i = 0; i < n && regular; i++) {
        regular = basis_take(&basis, rows + i * n, TOL_RANK);
        bool users = i >= eq->m && !eq->motion->state.speeds[i - eq->m].chosen;
        if (!regular && users)
            say(eq, state, &basis, i - eq->m, diag);
    }
    arena_free(arena);
}
