// start_contacts.c: one-sided conditions at the start (Mayer 1899, §§ 1–4).
//
// A condition with f = 0 touches. Where its f' > 0 the velocities jump first, by a shock; a
// percussion at t = 0 makes them jump too. Those with f = 0 and f' = 0 are then asked which of
// them act.
#include "dynamics/projection.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "simulate/impact_law_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <math.h>
#include <string.h>

static void *room(StartContacts *contacts, size_t count, size_t bytes)
{
    return arena_alloc(contacts->arena, (count + 1) * bytes);
}

// ---- Numbers: f, ∂f/∂q, ∂f/∂t, γ and e of each; how much f may be off.

static Status lower(const Equations *eq, const State *state, const Expr *outputs, size_t count,
                    Diag *diag, Evaluator *evaluator)
{
    Expr missing = {0};
    size_t inputs = eq->params + 1 + 2 * eq->n;
    if (!evaluator_init(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, count, &missing))
        return diag_error(diag, place_none(),
                          "a one-sided condition or an impulse holds '%s', which has no value at "
                          "the start",
                          expr_name(eq->motion->pool, missing));
    evaluator_run(evaluator, state->inputs);
    return STATUS_OK;
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

// How far from 0 f still counts as 0: by the rounding of its terms, and by what the rounding of the
// coordinates, which equations relate to each other, makes of it. A condition of one term, such as
// x >= 0, is that term.
static double gap_limit(const StartContacts *contacts, const UnilateralRow *found, size_t index,
                        const double *q, size_t n)
{
    double terms = found->term_count > 1 ? largest(found->terms, found->term_count) : 0;
    return fmax(TOL_ZERO * terms,
                TOL_ROUNDING * contact_set_slope(&contacts->all, index) * largest(q, n));
}

// One condition, which is the next of all.
static Status evaluate(StartContacts *contacts, const Equations *eq, const State *state,
                       size_t index, Diag *diag)
{
    const ModelConstraint *constraint = eq->motion->sides[index].constraint;
    UnilateralRow found = contact_set_add(&contacts->all, &contacts->unilaterals, index, *state->t,
                                          state->q, state->v);
    RunSide *side = &contacts->at[index];
    size_t size = contacts->all.first.at[index + 1] - contacts->all.first.at[index];
    side->constraint = constraint;
    side->f = found.f;
    side->rate = side->before = found.rate;
    contacts->limits[index] = gap_limit(contacts, &found, index, state->q, eq->n);
    contacts->sizes[index] = largest(found.terms, found.term_count);
    if (isfinite(found.f) && isfinite(found.rate) && isfinite(found.gamma) &&
        isfinite(found.restitution) && real_all_finite(found.gradient, size) &&
        real_all_finite(found.terms, found.term_count))
        return STATUS_OK;
    return diag_error(diag, constraint->place,
                      "the one-sided constraint '%s' has no finite value at the start: something "
                      "in it is divided by 0 or is outside the domain of its function",
                      constraint->name);
}

// ---- What can be wrong with a condition by itself.

// ∂f/∂q vanishes against what f is a sum of: x^2 <= 0 at 0.
static bool is_flat(const StartContacts *contacts, size_t index, const double *q, size_t n)
{
    double slope = contact_set_slope(&contacts->all, index), length = largest(q, n);
    return slope == 0 || (length > 0 && slope * length < TOL_ZERO * contacts->sizes[index]);
}

static Status judge(const StartContacts *contacts, size_t index, const double *q, size_t n,
                    Diag *diag)
{
    const RunSide *side = &contacts->at[index];
    const ModelConstraint *constraint = side->constraint;
    double e = contacts->all.restitution.at[index], limit = contacts->limits[index];
    if (!(e >= 0 && e <= 1))
        return diag_error(diag, constraint->place,
                          "the restitution of '%s' is %.6g; it lies between 0 (no rebound) and 1 "
                          "(no loss)",
                          constraint->name, e);
    if (side->f > limit)
        return diag_error(diag, constraint->place,
                          "the start violates the one-sided constraint '%s' by %.6g (%.2g would "
                          "count as rounding); change the initial values of the coordinates in it",
                          constraint->name, side->f, limit);
    if (side->touches && is_flat(contacts, index, q, n))
        return diag_error(diag, constraint->place,
                          "the one-sided constraint '%s' touches at the start, and no coordinate "
                          "changes it there to first order, so that it has no reaction; write it "
                          "so that it does (x <= 0 for x^3 <= 0), or as an equation (x = 0 for "
                          "x^2 <= 0)",
                          constraint->name);
    return STATUS_OK;
}

static Status look_at_all(StartContacts *contacts, const Equations *eq, const State *state,
                          Diag *diag)
{
    size_t count = eq->motion->side_count;
    Status status = STATUS_OK;
    contacts->at = room(contacts, count, sizeof *contacts->at);
    contacts->limits = room(contacts, count, sizeof *contacts->limits);
    contacts->sizes = room(contacts, count, sizeof *contacts->sizes);
    contact_set_begin(&contacts->all);
    contacts->told = (RunSides){.at = contacts->at, .count = count, .unique = true};
    for (size_t i = 0; i < count; i++) {
        TRY(evaluate(contacts, eq, state, i, diag));
        contacts->at[i].touches = fabs(contacts->at[i].f) <= contacts->limits[i];
        if (judge(contacts, i, state->q, eq->n, diag) != STATUS_OK)
            status = STATUS_WRONG;
    }
    return status;
}

// ---- Percussions at t = 0; those of later times do nothing to this instant.

static Status add_percussion(StartContacts *contacts, const Equations *eq, const State *state,
                             Motion *motion, const ModelImpulse *impulse, Diag *diag)
{
    size_t n = eq->n;
    Expr *outputs = base_alloc((n + 1) * sizeof *outputs);
    Evaluator evaluator = {0};
    motion_percussion(motion, impulse, outputs);
    outputs[n] = impulse->when;
    Status status = lower(eq, state, outputs, n + 1, diag, &evaluator);
    base_free(outputs);
    if (status == STATUS_OK && !real_all_finite(evaluator.out, n + 1))
        status = diag_error(diag, impulse->place, "this impulse has no finite value at the start");
    if (status == STATUS_OK && evaluator.out[n] == 0) {
        if (!contacts->impulse)
            contacts->impulse = room(contacts, n, sizeof(double));
        for (size_t j = 0; j < n; j++)
            contacts->impulse[j] += evaluator.out[j];
    }
    evaluator_clear(&evaluator);
    return status;
}

Status start_contacts_init(StartContacts *contacts, const Equations *eq, State *state,
                           Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    *contacts = (StartContacts){0};
    if (motion->side_count == 0 && model->impulses.count == 0)
        return STATUS_OK;
    contacts->arena = arena_new();
    contacts->gauss = contact_solver_new(eq->n);
    TRY(unilaterals_init(&contacts->unilaterals, motion, state->inputs, diag));
    matrices_init(&contacts->matrices, eq, state);
    TRY(look_at_all(contacts, eq, state, diag));
    for (size_t i = 0; i < model->impulses.count; i++)
        TRY(add_percussion(contacts, eq, state, motion, &model->impulses.at[i], diag));
    return STATUS_OK;
}

void start_contacts_clear(StartContacts *contacts)
{
    if (contacts->arena)
        arena_free(contacts->arena);
    unilaterals_clear(&contacts->unilaterals);
    matrices_clear(&contacts->matrices);
    contact_solver_free(contacts->gauss);
    contact_set_clear(&contacts->all);
    contact_set_clear(&contacts->candidates);
    *contacts = (StartContacts){0};
}

// ---- Several together.

// Those that touch, or those of them with f' = 0, at numbers' state.
static const ContactSet *ask(StartContacts *contacts, const State *state, bool kept_alone)
{
    contact_set_begin(&contacts->candidates);
    for (size_t i = 0; i < contacts->told.count; i++)
        if (kept_alone ? contacts->at[i].kept : contacts->at[i].touches)
            contact_set_add(&contacts->candidates, &contacts->unilaterals, i, *state->t, state->q,
                            state->v);
    return &contacts->candidates;
}

// Why there is no answer. `lambda` tells the conditions that exclude each other.
static Status no_answer(const StartContacts *contacts, const Equations *eq,
                        const ContactReport *report, const double *lambda, const char *what,
                        Diag *diag)
{
    const ContactSet *candidates = &contacts->candidates;
    Text reason = {0};
    if (report->outcome != SOLVE_CONTRADICTION) {
        contact_set_add_reason(candidates, &contacts->matrices, report, lambda, &reason);
        diag_error(diag, place_none(), "at the start %s", reason.at);
    } else if (report->row_is_equation) {
        const ModelConstraint *row = matrices_condition(&contacts->matrices, report->row);
        diag_error(diag, row->place,
                   "at the start the constraint '%s' asks for another %s than the constraints "
                   "before it",
                   row->name, what);
    } else {
        contact_set_add_clash(candidates, eq, report->row, lambda, &reason);
        diag_error(diag, contacts->at[candidates->which.at[report->row]].constraint->place,
                   "%s: no %s at the start obeys them; remove one, or start where they do not "
                   "touch",
                   reason.at, what);
    }
    text_clear(&reason);
    return STATUS_WRONG;
}

// ---- The shock: f' > 0 cannot last.

static Status no_jump(const StartContacts *contacts, const JumpReport *report, const double *lambda,
                      Diag *diag)
{
    Text reason = {0};
    Place place = report->condition ? report->condition->place : place_none();
    jump_add_reason(report, &contacts->candidates, &contacts->matrices, lambda, &reason);
    diag_error(diag, place, "at the start %s; start after the shock, or without it", reason.at);
    text_clear(&reason);
    return STATUS_WRONG;
}

static Status jump(StartContacts *contacts, const Equations *eq, State *state, Diag *diag)
{
    size_t n = eq->n;
    const ContactSet *candidates = ask(contacts, state, false);
    size_t count = candidates->which.count;
    if (count == 0 && !contacts->impulse)
        return STATUS_OK;
    double *after = room(contacts, n, sizeof(double)), *before = room(contacts, n, sizeof(double));
    double *lambda = room(contacts, count, sizeof(double));
    double *rates = room(contacts, 2 * count, sizeof(double));
    memcpy(before, state->v, n * sizeof *before);
    ImpactAnswer answer = {
        .velocities = after, .lambda = lambda, .rates_before = rates, .rates_after = rates + count};
    matrices_evaluate(&contacts->matrices);
    JumpReport jumped = contact_set_jump(candidates, &contacts->matrices, contacts->gauss, before,
                                         contacts->impulse, &answer);
    ImpactReport report = jumped.shock;
    if (jumped.outcome == JUMP_UNSOLVED)
        return no_answer(contacts, eq, &report.contact, lambda, "velocity", diag);
    if (jumped.outcome != JUMP_SOLVED)
        return no_jump(contacts, &jumped, lambda, diag);
    memcpy(state->v, after, n * sizeof *after);
    contacts->told.before = before;
    contacts->told.struck = report.passes > 0;
    contacts->told.shock = contacts->told.struck || contacts->impulse;
    contacts->told.repeated = !report.ended;
    contacts->told.energy_lost = report.energy_lost;
    for (size_t i = 0; i < count; i++) {
        RunSide *side = &contacts->at[candidates->which.at[i]];
        side->before = rates[i];
        side->rate = rates[count + i];
        side->impulse = lambda[i];
        side->kept = side->rate == 0;
        contacts->told.kept += side->kept;
    }
    return STATUS_OK;
}

// f' of the conditions that do not touch, after a jump.
static void see_rates(StartContacts *contacts, const State *state)
{
    for (size_t i = 0; i < contacts->told.count; i++) {
        RunSide *side = &contacts->at[i];
        if (side->touches)
            continue;
        double terms;
        side->rate =
            contact_set_rate(&contacts->all, i, state->v, contacts->all.partial_t.at[i], &terms);
    }
}

// ---- The instant: which of those with f = 0 and f' = 0 act.

typedef struct {
    double *a, *multipliers, *lambda, *phi0, *rates;
    bool *acting;
} Found;

static Found found_room(StartContacts *contacts, size_t n, size_t m, size_t count)
{
    return (Found){.a = room(contacts, n, sizeof(double)),
                   .multipliers = room(contacts, m, sizeof(double)),
                   .lambda = room(contacts, count, sizeof(double)),
                   .phi0 = room(contacts, count, sizeof(double)),
                   .rates = room(contacts, count, sizeof(double)),
                   .acting = room(contacts, count, sizeof(bool))};
}

static ContactAnswer answer_to(const Found *found)
{
    return (ContactAnswer){.accelerations = found->a,
                           .multipliers = found->multipliers,
                           .lambda = found->lambda,
                           .free_rates = found->phi0,
                           .rates = found->rates,
                           .acting = found->acting};
}

static void keep_answer(StartContacts *contacts, const Equations *eq, State *state,
                        const ContactSet *candidates, const Found *found)
{
    const Motion *motion = eq->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    const SystemMatrices *matrices = &contacts->matrices;
    memcpy(state->a, found->a, eq->n * sizeof(double));
    // First the needed ones in their places: sharing moves them.
    for (size_t i = 0; i < matrices->m; i++)
        if (matrices->which[i] < eq->independent.count)
            state->lambda[matrices->which[i]] = found->multipliers[i];
    if (eq->independent.count < eq->m)
        independent_rows_share(eq, state);
    for (size_t i = 0; i < eq->m; i++)
        state->multipliers[motion->rows[i].constraint - first] = state->lambda[i];
    for (size_t i = 0; i < matrices->m; i++) {
        if (matrices->which[i] < eq->independent.count)
            continue;
        state->lambda[eq->m + matrices->which[i] - eq->independent.count] = found->multipliers[i];
        state->multipliers[matrices_condition(matrices, i) - first] = found->multipliers[i];
    }
    for (size_t i = 0; i < candidates->which.count; i++) {
        RunSide *side = &contacts->at[candidates->which.at[i]];
        side->acts = found->acting[i];
        side->phi0 = found->phi0[i];
        side->lambda = found->lambda[i];
        side->acceleration = found->rates[i];
        state->multipliers[side->constraint - first] = found->lambda[i];
    }
}

static void keep_rule(StartContacts *contacts, const ContactSet *candidates, const Found *rule,
                      bool differs, bool solved)
{
    contacts->told.rule_differs = differs;
    contacts->told.rule_a = solved ? rule->a : NULL;
    for (size_t i = 0; i < candidates->which.count; i++) {
        RunSide *side = &contacts->at[candidates->which.at[i]];
        side->rule_acts = rule->acting[i];
        side->rule_lambda = solved ? rule->lambda[i] : 0;
        side->rule_acceleration = solved ? rule->rates[i] : 0;
    }
}

static Status find_acting(StartContacts *contacts, const Equations *eq, State *state, Diag *diag)
{
    size_t n = eq->n, m = contacts->matrices.m;
    const ContactSet *candidates = ask(contacts, state, true);
    size_t count = candidates->which.count;
    Found found = found_room(contacts, n, m, count);
    matrices_evaluate(&contacts->matrices);
    ContactProblem problem = contact_set_problem(candidates, &contacts->matrices);
    ContactAnswer answer = answer_to(&found);
    ContactReport report = contact_accelerations(contacts->gauss, &problem, &answer);
    if (report.outcome != SOLVE_DONE)
        return no_answer(contacts, eq, &report, found.lambda, "acceleration", diag);
    contacts->told.unique = report.unique;
    keep_answer(contacts, eq, state, candidates, &found);
    return STATUS_OK;
}

void start_contacts_rule(StartContacts *contacts, const State *state)
{
    if (contacts->told.kept == 0)
        return;
    const ContactSet *candidates = ask(contacts, state, true);
    const SystemMatrices *matrices = &contacts->matrices;
    Found rule = found_room(contacts, matrices->n, matrices->m, candidates->which.count);
    matrices_evaluate(&contacts->matrices);
    ContactProblem problem = contact_set_problem(candidates, matrices);
    ContactAnswer answer = answer_to(&rule);
    bool differs = false;
    ContactReport report =
        contact_ostrogradsky(contacts->gauss, &problem, state->a, &answer, &differs);
    keep_rule(contacts, candidates, &rule, differs, report.outcome == SOLVE_DONE);
}

Status start_contacts_solve(StartContacts *contacts, const Equations *eq, State *state, Diag *diag)
{
    if (!contacts->arena)
        return STATUS_OK;
    TRY(jump(contacts, eq, state, diag));
    // Forces and γ follow the velocities.
    if (contacts->told.shock) {
        see_rates(contacts, state);
        contact_set_begin(&contacts->all);
        for (size_t i = 0; i < contacts->told.count; i++) {
            RunSide kept = contacts->at[i];
            TRY(evaluate(contacts, eq, state, i, diag));
            contacts->at[i] = kept;
        }
        if (dynamics_accelerations(eq, state, NULL) != DYNAMICS_FOUND)
            return diag_error(diag, place_none(),
                              "after the shock at the start the equations of motion have no "
                              "finite values");
    }
    return contacts->told.kept > 0 ? find_acting(contacts, eq, state, diag) : STATUS_OK;
}

void start_contacts_add_reactions(const StartContacts *contacts, double *forces)
{
    const ContactSet *all = &contacts->all;
    for (size_t i = 0; i < contacts->told.count; i++)
        for (uint32_t at = all->first.at[i]; at < all->first.at[i + 1]; at++)
            forces[all->column.at[at]] -= contacts->at[i].lambda * all->value.at[at];
}
