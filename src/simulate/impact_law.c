// impact_law.c: how velocities jump (Mayer 1899, § 4; Appell 1925, 23).
//
// A shock is what finite forces do that grow without bound while their time shrinks: positions
// stay, and what is finite does nothing. So every equation acts as it does in the motion itself, at
// the level of accelerations: b·dv = 0 all the way, for conditions in velocities and for affine
// ones on accelerations alike. Where the rows and the inertia hold no velocities the whole way is
// one step, and that is the rule by which the shock is solved. Where they do, but do not change
// between the velocities before and after, it is the same; else the way is followed (along.c).
//
// The force of a servo is finite, as no reaction needs to be. It does nothing in a shock, and what
// it keeps has to outlast the shock by itself.
#include "simulate/impact_law_impl.h"

#include <math.h>
#include <string.h>

// Of its terms, what the condition of a servo may be off; and of the largest number, by what rows
// and inertia may differ that do not change.
#define KEPT 1e-9
#define SAME 1e-12
// Where they are looked at, between the velocities before and after.
#define LOOKS 5

// ---- Whether rows and inertia are the same all the way.

static bool are_same(const double *now, const double *before, size_t count)
{
    double most = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(before[i]));
        off = fmax(off, fabs(now[i] - before[i]));
    }
    return off <= SAME * most;
}

static bool is_straight(SystemMatrices *matrices, const double *before, const double *after)
{
    double *v = matrices->state->v;
    size_t inertia = matrices->inertia.first[matrices->n],
           rows = matrices->rows.first[matrices->ideal];
    double *former = base_alloc((inertia + rows + 1) * sizeof *former);
    memcpy(former, matrices->inertia.value, inertia * sizeof *former);
    memcpy(former + inertia, matrices->rows.value, rows * sizeof *former);
    bool same = true;
    for (size_t look = 1; look <= LOOKS && same; look++) {
        double part = (double)look / LOOKS;
        for (size_t j = 0; j < matrices->n; j++)
            v[j] = before[j] + part * (after[j] - before[j]);
        matrices_evaluate(matrices);
        same = are_same(matrices->inertia.value, former, inertia) &&
               are_same(matrices->rows.value, former + inertia, rows);
    }
    memcpy(v, before, matrices->n * sizeof *v);
    matrices_evaluate(matrices);
    base_free(former);
    return same;
}

// ---- What stands in the way.

// Who strikes; NULL where it is an impulse.
static const ModelConstraint *striker(const ContactSet *candidates, const SystemMatrices *matrices,
                                      const double *lambda)
{
    for (size_t i = 0; i < candidates->which.count; i++)
        if (lambda[i] > 0)
            return matrices->eq->motion->sides[candidates->which.at[i]].constraint;
    return NULL;
}

// The condition of a servo that does not hold with the velocities after; NULL where all do.
static const ModelConstraint *broken_servo(SystemMatrices *matrices, const double *before,
                                           const double *after)
{
    const ModelConstraint *broken = NULL;
    if (matrices->ideal == matrices->m)
        return NULL;
    memcpy(matrices->state->v, after, matrices->n * sizeof *after);
    matrices_evaluate(matrices);
    for (size_t i = matrices->ideal; i < matrices->m && !broken; i++) {
        double terms, miss = matrices->c[i] + matrices_row_times(matrices, i, after, &terms);
        if (!(fabs(miss) <= KEPT * terms))
            broken = matrices_condition(matrices, i);
    }
    memcpy(matrices->state->v, before, matrices->n * sizeof *before);
    matrices_evaluate(matrices);
    return broken;
}

static const ModelConstraint *not_affine(const Motion *motion)
{
    return motion_is_affine(motion) ? NULL : motion->seconds[motion->affine_count].row.constraint;
}

static JumpReport by_rows(const ContactSet *candidates, SystemMatrices *matrices,
                          ContactSolver *gauss, const double *velocities, const double *impulse,
                          const ImpactAnswer *answer)
{
    JumpReport report = {
        .shock = contact_set_impact(candidates, matrices, gauss, velocities, impulse, answer)};
    if (report.shock.contact.outcome != SOLVE_DONE)
        report.outcome = JUMP_UNSOLVED;
    return report;
}

JumpReport contact_set_jump(const ContactSet *candidates, SystemMatrices *matrices,
                            ContactSolver *gauss, const double *velocities, const double *impulse,
                            const ImpactAnswer *answer)
{
    JumpReport report = by_rows(candidates, matrices, gauss, velocities, impulse, answer);
    bool jumps = impulse || report.outcome != JUMP_SOLVED || report.shock.passes > 0;
    if (matrices->bent && jumps &&
        !(report.outcome == JUMP_SOLVED && is_straight(matrices, velocities, answer->velocities)))
        report = contact_set_jump_path(candidates, matrices, gauss, velocities, impulse, answer);
    if (report.outcome != JUMP_SOLVED || !jumps)
        return report;
    report.condition = not_affine(matrices->eq->motion);
    if (report.condition) {
        report.outcome = JUMP_SECOND;
    } else {
        report.condition = broken_servo(matrices, velocities, answer->velocities);
        report.outcome = report.condition ? JUMP_SERVO : JUMP_SOLVED;
    }
    report.struck = striker(candidates, matrices, answer->lambda);
    return report;
}

// ---- In words.

static void add_blow(const JumpReport *report, Text *text)
{
    if (report->struck)
        text_addf(text, "the shock of '%s'", report->struck->name);
    else
        text_add(text, "the impulse");
}

void jump_add_reason(const JumpReport *report, const ContactSet *candidates,
                     const SystemMatrices *matrices, const double *lambda, Text *text)
{
    const char *name = report->condition ? report->condition->name : "";
    switch (report->outcome) {
    case JUMP_SOLVED:
    case JUMP_UNSOLVED:
        contact_set_add_reason(candidates, matrices, &report->shock.contact, lambda, text);
        return;
    case JUMP_SERVO:
        add_blow(report, text);
        text_addf(text,
                  " breaks what the servo '%s' keeps: its force is finite and does nothing in a "
                  "shock; a constraint in its place would have its part in it",
                  name);
        return;
    case JUMP_TOGETHER:
        text_addf(text, "'%s' and '%s' are struck at once, and ", report->struck->name,
                  report->other->name);
        if (report->condition)
            text_addf(text, "beside '%s', which is not linear in the velocities,", name);
        else
            text_add(text, "where the inertia changes with the velocities");
        text_add(text, " it matters which of them gives way first");
        return;
    case JUMP_SINGULAR:
        add_blow(report, text);
        text_addf(text,
                  " leads to where the derivatives of '%s' by the velocities vanish, so that it "
                  "no longer says how these may change",
                  name);
        return;
    case JUMP_FIXED:
        text_addf(text, "nothing stops what strikes '%s': ", report->struck->name);
        if (report->condition)
            text_addf(text, "'%s' allows", name);
        else
            text_add(text, "the others that touch allow");
        text_add(text, " no velocities near these that are slower");
        return;
    case JUMP_LOST:
        add_blow(report, text);
        text_add(text, " cannot be followed: the velocities change without bound on the way");
        return;
    case JUMP_SECOND:
        add_blow(report, text);
        text_addf(text,
                  " comes to '%s', which is not affine in the accelerations and does not say what "
                  "these are where they grow without bound",
                  name);
        return;
    }
}
