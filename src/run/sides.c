// sides.c: one-sided conditions at the start (Mayer 1899, §§ 1–4).
//
// A condition with f = 0 touches. Where its f' > 0 the velocities jump first, by a shock; a
// percussion at t = 0 makes them jump too. Those with f = 0 and f' = 0 are then asked which of
// them act.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// f counts as 0 up to this part of its largest term. A condition of one term, such as x >= 0, has
// nothing to be measured by; there it is this much, as for given values that miss an equation.
#define TOUCHES 1e-9
// What is left of terms that cancel where all of them are next to 0.
#define ROUNDING 1e-14
// ∂f/∂q vanishes below this part of 1, in units of the coordinates: x^2 <= 0 at 0.
#define FLAT 1e-12

static void *room(Sides *sides, size_t count, size_t bytes)
{
    return arena_alloc(sides->arena, (count + 1) * bytes);
}

// ---- Numbers: f, ∂f/∂q, ∂f/∂t, γ and e of each; how much f may be off.

static Status lower(const Numbers *numbers, const Expr *outputs, size_t count, Diag *diag,
                    Lowered *lowered)
{
    Expr missing = {0};
    size_t inputs = numbers->params + 1 + 2 * numbers->n;
    if (!lowered_init(lowered, numbers->motion->pool, numbers->symbols, inputs, outputs, count,
                      &missing))
        return diag_error(diag, place_none(),
                          "a one-sided condition or an impulse holds '%s', which has no value at "
                          "the start",
                          expr_name(numbers->motion->pool, missing));
    lowered_run(lowered, numbers->inputs);
    return STATUS_OK;
}

static double allowed(const double *terms, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(terms[i]));
    return count == 1 ? TOUCHES : fmax(TOUCHES * most, ROUNDING);
}

// One condition, which is the next of all; `limit` receives how far from 0 its f still counts as 0.
static Status evaluate(Sides *sides, const Numbers *numbers, size_t index, Diag *diag,
                       double *limit)
{
    const ModelConstraint *constraint = numbers->motion->sides[index].constraint;
    ShapeNumbers found =
        asked_add(&sides->all, &sides->shapes, index, *numbers->t, numbers->q, numbers->v);
    RunSide *side = &sides->at[index];
    size_t size = sides->all.first.at[index + 1] - sides->all.first.at[index];
    side->constraint = constraint;
    side->f = found.f;
    side->rate = side->before = found.rate;
    *limit = allowed(found.terms, found.term_count);
    if (isfinite(found.f) && isfinite(found.rate) && isfinite(found.gamma) &&
        isfinite(found.restitution) && all_finite(found.gradient, size) &&
        all_finite(found.terms, found.term_count))
        return STATUS_OK;
    return diag_error(diag, constraint->place,
                      "the one-sided constraint '%s' has no finite value at the start: something "
                      "in it is divided by 0 or is outside the domain of its function",
                      constraint->name);
}

// ---- What can be wrong with a condition by itself.

static bool is_flat(const Sides *sides, size_t index)
{
    for (uint32_t at = sides->all.first.at[index]; at < sides->all.first.at[index + 1]; at++)
        if (fabs(sides->all.value.at[at]) > FLAT)
            return false;
    return true;
}

static Status judge(const Sides *sides, size_t index, double limit, Diag *diag)
{
    const RunSide *side = &sides->at[index];
    const ModelConstraint *constraint = side->constraint;
    double e = sides->all.restitution.at[index];
    if (!(e >= 0 && e <= 1))
        return diag_error(diag, constraint->place,
                          "the restitution of '%s' is %.6g; it lies between 0 (no rebound) and 1 "
                          "(no loss)",
                          constraint->name, e);
    if (side->f > limit)
        return diag_error(diag, constraint->place,
                          "the start violates the one-sided constraint '%s' by %.6g; change the "
                          "initial values of the coordinates in it",
                          constraint->name, side->f);
    if (side->touches && is_flat(sides, index))
        return diag_error(diag, constraint->place,
                          "the one-sided constraint '%s' touches at the start, and no coordinate "
                          "changes it there to first order, so that it has no reaction; write it "
                          "so that it does (x <= 0 for x^3 <= 0), or as an equation (x = 0 for "
                          "x^2 <= 0)",
                          constraint->name);
    return STATUS_OK;
}

static Status look_at_all(Sides *sides, const Numbers *numbers, Diag *diag)
{
    size_t count = numbers->motion->side_count;
    Status status = STATUS_OK;
    sides->at = room(sides, count, sizeof *sides->at);
    asked_begin(&sides->all);
    sides->told = (RunSides){.at = sides->at, .count = count, .unique = true};
    for (size_t i = 0; i < count; i++) {
        double limit;
        TRY(evaluate(sides, numbers, i, diag, &limit));
        sides->at[i].touches = fabs(sides->at[i].f) <= limit;
        if (judge(sides, i, limit, diag) != STATUS_OK)
            status = STATUS_WRONG;
    }
    return status;
}

// ---- Percussions at t = 0; those of later times do nothing to this instant.

static Status add_percussion(Sides *sides, const Numbers *numbers, Motion *motion,
                             const ModelImpulse *impulse, Diag *diag)
{
    size_t n = numbers->n;
    Expr *outputs = base_alloc((n + 1) * sizeof *outputs);
    Lowered lowered = {0};
    motion_percussion(motion, impulse, outputs);
    outputs[n] = impulse->when;
    Status status = lower(numbers, outputs, n + 1, diag, &lowered);
    base_free(outputs);
    if (status == STATUS_OK && !all_finite(lowered.out, n + 1))
        status = diag_error(diag, impulse->place, "this impulse has no finite value at the start");
    if (status == STATUS_OK && lowered.out[n] == 0) {
        if (!sides->impulse)
            sides->impulse = room(sides, n, sizeof(double));
        for (size_t j = 0; j < n; j++)
            sides->impulse[j] += lowered.out[j];
    }
    lowered_clear(&lowered);
    return status;
}

Status sides_init(Sides *sides, Numbers *numbers, Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    *sides = (Sides){0};
    if (motion->side_count == 0 && model->impulses.count == 0)
        return STATUS_OK;
    sides->arena = arena_new();
    sides->gauss = contact_solver_new(numbers->n);
    TRY(shapes_init(&sides->shapes, motion, numbers->inputs, diag));
    TRY(many_init(&sides->many, numbers, motion, diag));
    TRY(look_at_all(sides, numbers, diag));
    for (size_t i = 0; i < model->impulses.count; i++)
        TRY(add_percussion(sides, numbers, motion, &model->impulses.at[i], diag));
    return STATUS_OK;
}

void sides_clear(Sides *sides)
{
    if (sides->arena)
        arena_free(sides->arena);
    shapes_clear(&sides->shapes);
    many_clear(&sides->many);
    contact_solver_free(sides->gauss);
    asked_clear(&sides->all);
    asked_clear(&sides->asked);
    *sides = (Sides){0};
}

// ---- Several together.

// Those that touch, or those of them with f' = 0, at numbers' state.
static const Asked *ask(Sides *sides, const Numbers *numbers, bool kept_alone)
{
    asked_begin(&sides->asked);
    for (size_t i = 0; i < sides->told.count; i++)
        if (kept_alone ? sides->at[i].kept : sides->at[i].touches)
            asked_add(&sides->asked, &sides->shapes, i, *numbers->t, numbers->q, numbers->v);
    return &sides->asked;
}

// Why there is no answer. `lambda` tells the conditions that exclude each other.
static Status no_answer(const Sides *sides, const Numbers *numbers, const ContactReport *report,
                        const double *lambda, const char *what, Diag *diag)
{
    const Asked *asked = &sides->asked;
    Text reason = {0};
    if (report->outcome != SOLVE_CONTRADICTION) {
        asked_add_reason(asked, &sides->many, report, lambda, &reason);
        diag_error(diag, place_none(), "at the start %s", reason.at);
    } else if (report->row_is_equation) {
        const ModelConstraint *row = many_condition(&sides->many, report->row);
        diag_error(diag, row->place,
                   "at the start the constraint '%s' asks for another %s than the constraints "
                   "before it",
                   row->name, what);
    } else {
        asked_add_clash(asked, numbers, report->row, lambda, &reason);
        diag_error(diag, sides->at[asked->which.at[report->row]].constraint->place,
                   "%s: no %s at the start obeys them; remove one, or start where they do not "
                   "touch",
                   reason.at, what);
    }
    text_clear(&reason);
    return STATUS_WRONG;
}

// ---- The shock: f' > 0 cannot last.

static Status no_jump(const Sides *sides, const JumpReport *report, const double *lambda,
                      Diag *diag)
{
    Text reason = {0};
    Place place = report->condition ? report->condition->place : place_none();
    jump_add_reason(report, &sides->asked, &sides->many, lambda, &reason);
    diag_error(diag, place, "at the start %s; start after the shock, or without it", reason.at);
    text_clear(&reason);
    return STATUS_WRONG;
}

static Status jump(Sides *sides, Numbers *numbers, Diag *diag)
{
    size_t n = numbers->n;
    const Asked *asked = ask(sides, numbers, false);
    size_t count = asked->which.count;
    if (count == 0 && !sides->impulse)
        return STATUS_OK;
    double *after = room(sides, n, sizeof(double)), *before = room(sides, n, sizeof(double));
    double *lambda = room(sides, count, sizeof(double));
    double *rates = room(sides, 2 * count, sizeof(double));
    memcpy(before, numbers->v, n * sizeof *before);
    ImpactAnswer answer = {
        .velocities = after, .lambda = lambda, .rates_before = rates, .rates_after = rates + count};
    many_evaluate(&sides->many);
    JumpReport jumped =
        asked_jump(asked, &sides->many, sides->gauss, before, sides->impulse, &answer);
    ImpactReport report = jumped.shock;
    if (jumped.outcome == JUMP_UNSOLVED)
        return no_answer(sides, numbers, &report.contact, lambda, "velocity", diag);
    if (jumped.outcome != JUMP_SOLVED)
        return no_jump(sides, &jumped, lambda, diag);
    memcpy(numbers->v, after, n * sizeof *after);
    sides->told.before = before;
    sides->told.struck = report.passes > 0;
    sides->told.shock = sides->told.struck || sides->impulse;
    sides->told.repeated = !report.ended;
    sides->told.energy_lost = report.energy_lost;
    for (size_t i = 0; i < count; i++) {
        RunSide *side = &sides->at[asked->which.at[i]];
        side->before = rates[i];
        side->rate = rates[count + i];
        side->impulse = lambda[i];
        side->kept = side->rate == 0;
        sides->told.kept += side->kept;
    }
    return STATUS_OK;
}

// f' of the conditions that do not touch, after a jump.
static void see_rates(Sides *sides, const Numbers *numbers)
{
    for (size_t i = 0; i < sides->told.count; i++) {
        RunSide *side = &sides->at[i];
        if (side->touches)
            continue;
        double terms;
        side->rate = asked_along(&sides->all, i, numbers->v, sides->all.partial_t.at[i], &terms);
    }
}

// ---- The instant: which of those with f = 0 and f' = 0 act.

typedef struct {
    double *a, *multipliers, *lambda, *phi0, *rates;
    bool *acting;
} Found;

static Found found_room(Sides *sides, size_t n, size_t m, size_t count)
{
    return (Found){.a = room(sides, n, sizeof(double)),
                   .multipliers = room(sides, m, sizeof(double)),
                   .lambda = room(sides, count, sizeof(double)),
                   .phi0 = room(sides, count, sizeof(double)),
                   .rates = room(sides, count, sizeof(double)),
                   .acting = room(sides, count, sizeof(bool))};
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

static void keep_answer(Sides *sides, Numbers *numbers, const Asked *asked, const Found *found)
{
    const Motion *motion = numbers->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    const Many *many = &sides->many;
    memcpy(numbers->a, found->a, numbers->n * sizeof(double));
    // First the needed ones in their places: sharing moves them.
    for (size_t i = 0; i < many->m; i++)
        if (many->which[i] < numbers->needed)
            numbers->lambda[many->which[i]] = found->multipliers[i];
    if (numbers->needed < numbers->m)
        needed_share(numbers);
    for (size_t i = 0; i < numbers->m; i++)
        numbers->multipliers[motion->rows[i].constraint - first] = numbers->lambda[i];
    for (size_t i = 0; i < many->m; i++) {
        if (many->which[i] < numbers->needed)
            continue;
        numbers->lambda[numbers->m + many->which[i] - numbers->needed] = found->multipliers[i];
        numbers->multipliers[many_condition(many, i) - first] = found->multipliers[i];
    }
    for (size_t i = 0; i < asked->which.count; i++) {
        RunSide *side = &sides->at[asked->which.at[i]];
        side->acts = found->acting[i];
        side->phi0 = found->phi0[i];
        side->lambda = found->lambda[i];
        side->acceleration = found->rates[i];
        numbers->multipliers[side->constraint - first] = found->lambda[i];
    }
}

static void keep_rule(Sides *sides, const Asked *asked, const Found *rule, bool differs,
                      bool solved)
{
    sides->told.rule_differs = differs;
    sides->told.rule_a = solved ? rule->a : NULL;
    for (size_t i = 0; i < asked->which.count; i++) {
        RunSide *side = &sides->at[asked->which.at[i]];
        side->rule_acts = rule->acting[i];
        side->rule_lambda = solved ? rule->lambda[i] : 0;
        side->rule_acceleration = solved ? rule->rates[i] : 0;
    }
}

static Status find_acting(Sides *sides, Numbers *numbers, bool rule_too, Diag *diag)
{
    size_t n = numbers->n, m = sides->many.m;
    const Asked *asked = ask(sides, numbers, true);
    size_t count = asked->which.count;
    Found found = found_room(sides, n, m, count), rule = found_room(sides, n, m, count);
    many_evaluate(&sides->many);
    ContactProblem problem = asked_problem(asked, &sides->many);
    ContactAnswer answer = answer_to(&found), by_rule = answer_to(&rule);
    ContactReport report = contact_accelerations(sides->gauss, &problem, &answer);
    if (report.outcome != SOLVE_DONE)
        return no_answer(sides, numbers, &report, found.lambda, "acceleration", diag);
    sides->told.unique = report.unique;
    keep_answer(sides, numbers, asked, &found);
    if (!rule_too)
        return STATUS_OK;
    bool differs = false;
    report = contact_ostrogradsky(sides->gauss, &problem, found.a, &by_rule, &differs);
    keep_rule(sides, asked, &rule, differs, report.outcome == SOLVE_DONE);
    return STATUS_OK;
}

Status sides_meet(Sides *sides, Numbers *numbers, bool rule_too, Diag *diag)
{
    if (!sides->arena)
        return STATUS_OK;
    TRY(jump(sides, numbers, diag));
    // Forces and γ follow the velocities.
    if (sides->told.shock) {
        double limit;
        see_rates(sides, numbers);
        asked_begin(&sides->all);
        for (size_t i = 0; i < sides->told.count; i++) {
            RunSide kept = sides->at[i];
            TRY(evaluate(sides, numbers, i, diag, &limit));
            sides->at[i] = kept;
        }
        if (numbers_accelerations(numbers, NULL) != NUMBERS_FOUND)
            return diag_error(diag, place_none(),
                              "after the shock at the start the equations of motion have no "
                              "finite values");
    }
    return sides->told.kept > 0 ? find_acting(sides, numbers, rule_too, diag) : STATUS_OK;
}

void sides_add_reactions(const Sides *sides, double *forces)
{
    const Asked *all = &sides->all;
    for (size_t i = 0; i < sides->told.count; i++)
        for (uint32_t at = all->first.at[i]; at < all->first.at[i + 1]; at++)
            forces[all->column.at[at]] -= sides->at[i].lambda * all->value.at[at];
}
