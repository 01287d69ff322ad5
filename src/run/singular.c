// singular.c: names the speed that cannot be independent at this state, and what fixes it there.
#include "linalg/tolerances.h"
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// What counts in a combination of rows.
#define COUNTS 1e-6

static void list(Text *out, const char *before, const char *name, const char *after)
{
    text_addf(out, "%s%s%s%s", out->length ? ", " : "", before, name, after);
}

// What the row that failed is made of: conditions, and speeds before it.
static void say(const Numbers *numbers, const Basis *basis, size_t failed, Diag *diag)
{
    const Motion *motion = numbers->motion;
    const MotionSpeed *speed = &motion->state.speeds[failed];
    Text conditions = {0}, others = {0}, taken = {0};
    size_t condition_count = 0;
    for (size_t i = 0; i < numbers->m; i++)
        if (fabs(basis->parts[i]) > COUNTS) {
            list(&conditions, "'", motion->rows[i].constraint->name, "'");
            condition_count++;
        }
    for (size_t i = 0; i < failed; i++)
        if (fabs(basis->parts[numbers->m + i]) > COUNTS)
            list(&others, "", motion->state.speeds[i].name, "");
    for (size_t i = 0; i < numbers->k; i++)
        list(&taken, "", expr_name(motion->pool, motion->v[numbers->chosen[i]]), "");
    Place place = speed->declared ? motion->model->speeds.at[speed->index].place
                                  : motion->model->independent_place;
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
void singular_add_state(const Numbers *numbers, const Expr *row, Text *text)
{
    const Motion *motion = numbers->motion;
    bool first = true;
    for (size_t nu = 0; nu < 2 * numbers->n; nu++) {
        bool velocity = nu < numbers->n;
        size_t at = velocity ? nu : nu - numbers->n;
        Expr symbol = velocity ? motion->v[at] : motion->q[at];
        bool held = false;
        for (size_t j = 0; j < numbers->n; j++)
            held = held || expr_holds(motion->pool, row[j], symbol);
        if (!held)
            continue;
        text_addf(text, "%s%s = %.6g", first ? "" : ", ", expr_name(motion->pool, symbol),
                  velocity ? numbers->v[at] : numbers->q[at]);
        first = false;
    }
}

Status singular_check_curved(const Numbers *numbers, bool driven, Diag *diag)
{
    size_t n = numbers->n, m = numbers->m;
    const Motion *motion = numbers->motion;
    const MotionSpeed *speed = NULL;
    Basis basis;
    basis_init(&basis, n);
    for (size_t i = 0; i < n && !speed; i++)
        if (!basis_take(&basis, numbers->velocities.out + i * n, TOL_RANK) && i >= m)
            speed = &motion->state.speeds[i - m];
    basis_clear(&basis);
    if (!speed || (!driven && !speed->declared))
        return STATUS_OK;
    Place place = speed->declared ? motion->model->speeds.at[speed->index].place : place_none();
    Text state = {0};
    singular_add_state(numbers, speed->y, &state);
    diag_add(diag, driven ? DIAG_ERROR : DIAG_NOTE, place,
             "at the start the speed %s cannot be inverted: it does not change there with the "
             "velocities that the constraints and the speeds before it leave free%s%s%s; %s",
             speed->name, state.length ? " (" : "", state.length ? state.at : "",
             state.length ? ")" : "",
             driven ? "start elsewhere, or leave --form out"
                    : "the run needs no speeds and goes on");
    text_clear(&state);
    return driven ? STATUS_WRONG : STATUS_OK;
}

void singular_say(const Numbers *numbers, Diag *diag)
{
    size_t n = numbers->n;
    Basis basis;
    basis_init(&basis, n);
    const double *rows = numbers->velocities.out;
    bool regular = true;
    for (size_t i = 0; i < n && regular; i++) {
        regular = basis_take(&basis, rows + i * n, TOL_RANK);
        bool users = i >= numbers->m && !numbers->motion->state.speeds[i - numbers->m].chosen;
        if (!regular && users)
            say(numbers, &basis, i - numbers->m, diag);
    }
    basis_clear(&basis);
}
