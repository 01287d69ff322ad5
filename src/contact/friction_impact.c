// friction_impact.c: velocities that jump where there is dry friction.
//
// With percussions P, Q in the place of forces and velocities in that of accelerations, Coulomb's
// cone is asked of u⁺. Newton's restitution is asked of f'⁺ + e·f'⁻. Poisson's is asked of the
// percussions: a contact that no other is coupled to is followed through its impact
// (friction_routh.c); coupled ones are compressed together, as if e were 0, and then give back at
// least e times what each has taken (Pfeiffer, Glocker, Multibody Dynamics with Unilateral
// Contacts, 1996, ch. 8).
#include "contact/friction_impl.h"

#include <assert.h>
#include <math.h>

typedef struct {
    FrictionSolver *solver;
    const FrictionImpact *impact;
    Arena *arena;
    size_t count, rows;
    const double *matrix;
    FrictionContact *contacts;
    FrictionPress *presses;
    size_t *row;    // of each contact
    double *before; // rates at the beginning,
    double *rates;  // and now
    double *percussions;
    double *signs; // of a row's reaction: −1 where it is −λg
    double *shifted, *forces, *least;
    FrictionState *states;
    FrictionImpactReport report;
} Shock;

static size_t rows_of(const FrictionContact *contact)
{
    return (size_t)contact->normals + contact->tangents;
}

static void shock_init(Shock *shock, FrictionSolver *solver, const FrictionImpact *impact)
{
    const FrictionProblem *system = &impact->system;
    size_t count = system->count, rows = 0;
    Arena *arena = arena_new();
    *shock = (Shock){.solver = solver, .impact = impact, .arena = arena, .count = count};
    shock->row = arena_array(arena, size_t, count + 1);
    shock->contacts = arena_array(arena, FrictionContact, count + 1);
    shock->states = arena_array(arena, FrictionState, count + 1);
    for (size_t l = 0; l < count; l++) {
        FrictionContact *contact = &shock->contacts[l];
        *contact = system->contacts[l];
        shock->row[l] = rows;
        rows += rows_of(contact);
        // A bounded force has no percussion.
        contact->sliding = contact->law == FRICTION_GIVEN ? 0 : contact->sliding;
        contact->sticking = contact->sliding;
        contact->slides = false;
    }
    shock->presses = arena_array(arena, FrictionPress, system->press_count + 1);
    for (size_t i = 0; i < system->press_count; i++) {
        shock->presses[i] = system->presses[i];
        shock->presses[i].sticking = shock->presses[i].sliding;
    }
    shock->rows = rows;
    real_alloc_each(arena, rows, &shock->before, &shock->rates, &shock->percussions,
                    &shock->shifted, &shock->forces, &shock->signs);
    shock->least = real_alloc(arena, count);
    memcpy(shock->before, system->free_rates, rows * sizeof *shock->before);
    memcpy(shock->rates, system->free_rates, rows * sizeof *shock->rates);
    double *matrix = real_alloc(arena, rows * rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++)
            matrix[i * rows + k] = system->delassus
                                       ? system->delassus[i * rows + k]
                                       : real_dot(system->rows + i * system->size,
                                                  system->rows + k * system->size, system->size);
    shock->matrix = matrix;
    shock->report = (FrictionImpactReport){
        .outcome = SOLVE_DONE, .counted = true, .unique = true, .rebound = 1};
    for (size_t l = 0; l < count; l++)
        for (size_t k = 0; k < rows_of(&shock->contacts[l]); k++) {
            bool turned = k == 0 && shock->contacts[l].law == FRICTION_ONE_SIDED;
            shock->signs[shock->row[l] + k] = turned ? -1 : 1;
        }
}

// ---- All contacts together.

// One cone problem with these rates where nothing pushes; percussions add up.
static bool solve_together(Shock *shock, const double *free, const double *least)
{
    FrictionProblem problem = shock->impact->system;
    problem.contacts = shock->contacts;
    problem.presses = shock->presses;
    problem.delassus = shock->matrix;
    problem.free_rates = free;
    memset(shock->states, 0, shock->count * sizeof *shock->states);
    FrictionAnswer answer = {
        .states = shock->states, .forces = shock->forces, .rates = shock->rates};
    FrictionReport report = friction_solve(shock->solver, &problem, least, &answer);
    shock->report.outcome = report.outcome;
    shock->report.solutions = report.solutions;
    shock->report.counted = shock->report.counted && report.counted;
    shock->report.unique = shock->report.unique && report.unique;
    if (report.solutions == 0)
        return false;
    real_add_times(1, shock->forces, shock->rows, shock->percussions);
    return report.outcome == SOLVE_DONE;
}

// By which f' of a contact is shifted for Newton's restitution; 0 of one that follows Poisson's.
static double newton_shift(const Shock *shock, size_t l)
{
    const FrictionImpact *impact = shock->impact;
    double approach = shock->before[shock->row[l]];
    bool newton = impact->law == FRICTION_NEWTON || (impact->newton && impact->newton[l]);
    bool struck = shock->contacts[l].law == FRICTION_ONE_SIDED && approach > 0;
    return newton && struck ? impact->restitution[l] * approach : 0;
}

static void strike_newton(Shock *shock)
{
    shock->report.coupled = shock->count;
    memcpy(shock->shifted, shock->before, shock->rows * sizeof *shock->shifted);
    for (size_t l = 0; l < shock->count; l++)
        shock->shifted[shock->row[l]] += newton_shift(shock, l);
    solve_together(shock, shock->shifted, NULL);
    for (size_t i = 0; i < shock->rows; i++)
        shock->rates[i] -= shock->shifted[i] - shock->before[i];
}

// The expansion with this part of each e, from the rates in `shifted` on.
static bool expand(Shock *shock, const double *compression, double part)
{
    const bool *newton = shock->impact->newton;
    for (size_t l = 0; l < shock->count; l++) {
        bool one = shock->contacts[l].law == FRICTION_ONE_SIDED && !(newton && newton[l]);
        shock->least[l] =
            one ? part * shock->impact->restitution[l] * compression[shock->row[l]] : 0;
        shock->shifted[shock->row[l]] += newton_shift(shock, l);
    }
    memcpy(shock->percussions, compression, shock->rows * sizeof *shock->percussions);
    bool solved = solve_together(shock, shock->shifted, shock->least);
    for (size_t l = 0; l < shock->count; l++) {
        shock->shifted[shock->row[l]] -= newton_shift(shock, l);
        shock->rates[shock->row[l]] -= newton_shift(shock, l);
    }
    return solved;
}

static double work_of(const Shock *shock)
{
    double work = 0, terms = 0;
    for (size_t i = 0; i < shock->rows; i++) {
        double own =
            shock->signs[i] * shock->percussions[i] * (shock->before[i] + shock->rates[i]) / 2;
        work += own;
        terms += fabs(own);
    }
    return fabs(work) <= TOL_SUM * terms ? 0 : work;
}

static void strike_in_phases(Shock *shock)
{
    bool rebounds = false;
    if (!solve_together(shock, shock->before, NULL))
        return;
    double *compression = real_alloc(shock->arena, shock->rows);
    memcpy(compression, shock->percussions, shock->rows * sizeof *compression);
    memcpy(shock->shifted, shock->rates, shock->rows * sizeof *shock->shifted);
    for (size_t l = 0; l < shock->count; l++)
        rebounds = rebounds || newton_shift(shock, l) > 0 ||
                   (shock->contacts[l].law == FRICTION_ONE_SIDED &&
                    shock->impact->restitution[l] * compression[shock->row[l]] > 0);
    // What Newton's restitution makes of energy is told.
    if (!rebounds || !expand(shock, compression, 1) || shock->impact->newton || work_of(shock) <= 0)
        return;
    // The largest part that makes no energy; with none of it there is none.
    double low = 0, high = 1;
    while (high - low > TOL_SMALL) {
        double middle = (low + high) / 2;
        if (!expand(shock, compression, middle))
            return;
        if (work_of(shock) <= 0)
            low = middle;
        else
            high = middle;
    }
    expand(shock, compression, low);
    shock->report.rebound = low;
}

// ---- A contact by itself.

static bool is_alone(const Shock *shock, size_t l)
{
    const FrictionContact *contact = &shock->contacts[l];
    const double *A = shock->matrix;
    size_t n = shock->rows, i = shock->row[l], t = contact->tangents;
    if (contact->law != FRICTION_ONE_SIDED || t > 2 || !(A[i * n + i] > 0))
        return false;
    for (size_t k = 0; k < shock->impact->system.press_count; k++)
        if (shock->presses[k].by == l)
            return false;
    // Θ is regular.
    size_t a = i + 1, b = i + 2;
    if (t == 1 && !(A[a * n + a] > 0))
        return false;
    if (t == 2) {
        double first = A[a * n + a], second = A[b * n + b], across = A[a * n + b];
        if (!(first * second - across * across > TOL_RANK * first * second))
            return false;
    }
    for (size_t k = 0; k < shock->count; k++) {
        size_t other = shock->row[k];
        for (size_t p = i; p < i + rows_of(contact) && k != l; p++)
            for (size_t q = other; q < other + rows_of(&shock->contacts[k]); q++)
                if (fabs(A[p * n + q]) > TOL_SUM * sqrt(A[p * n + p] * A[q * n + q]))
                    return false;
    }
    return true;
}

static void strike_alone(Shock *shock, size_t l)
{
    const FrictionContact *contact = &shock->contacts[l];
    size_t n = shock->rows, i = shock->row[l], t = contact->tangents;
    double *rates = shock->rates + i, *percussions = shock->percussions + i;
    FrictionRouth routh = {.phi = shock->matrix[i * n + i], .mu = contact->sliding};
    for (size_t k = 0; k < t; k++) {
        routh.psi[k] = shock->matrix[i * n + i + 1 + k];
        for (size_t j = 0; j < t; j++)
            routh.theta[k][j] = shock->matrix[(i + 1 + k) * n + i + 1 + j];
    }
    // What touches without collision has no rate but for rounding.
    if (shock->impact->without_collision)
        rates[0] = fmax(rates[0], 0);
    bool struck = rates[0] > 0 || shock->impact->without_collision;
    if (struck && !friction_routh(&routh, t, shock->impact->restitution[l], &rates[0], rates + 1,
                                  &percussions[0], percussions + 1))
        shock->report.outcome = SOLVE_UNDECIDED;
    shock->report.routh++;
}

// One cone problem of this contact.
static void strike_alone_by_newton(Shock *shock, size_t l)
{
    const FrictionProblem *system = &shock->impact->system;
    size_t n = shock->rows, i = shock->row[l], own = rows_of(&shock->contacts[l]);
    double matrix[9], free[3], shift = newton_shift(shock, l);
    FrictionState state = {0};
    assert(own <= 3);
    for (size_t a = 0; a < own; a++) {
        free[a] = shock->before[i + a];
        for (size_t b = 0; b < own; b++)
            matrix[a * own + b] = shock->matrix[(i + a) * n + i + b];
    }
    free[0] += shift;
    FrictionProblem problem = {.count = 1,
                               .contacts = &shock->contacts[l],
                               .size = system->size,
                               .rows = system->rows + i * system->size,
                               .delassus = matrix,
                               .free_rates = free,
                               .count_all = system->count_all};
    FrictionAnswer answer = {
        .states = &state, .forces = shock->percussions + i, .rates = shock->rates + i};
    FrictionReport report = friction_solve(shock->solver, &problem, NULL, &answer);
    if (report.outcome != SOLVE_DONE)
        shock->report.outcome = report.outcome;
    shock->rates[i] -= shift;
    shock->report.routh++;
}

// Contacts that are alone first: their rates do not touch the others.
static void strike_poisson(Shock *shock)
{
    size_t coupled = 0;
    for (size_t l = 0; l < shock->count; l++)
        coupled += !is_alone(shock, l);
    shock->report.coupled = coupled;
    if (coupled > 0)
        strike_in_phases(shock);
    if (shock->report.solutions == 0 && coupled > 0)
        return;
    for (size_t l = 0; l < shock->count; l++) {
        if (!is_alone(shock, l))
            continue;
        size_t i = shock->row[l], own = rows_of(&shock->contacts[l]);
        memcpy(shock->rates + i, shock->before + i, own * sizeof *shock->rates);
        memset(shock->percussions + i, 0, own * sizeof *shock->percussions);
        if (shock->impact->newton && shock->impact->newton[l])
            strike_alone_by_newton(shock, l);
        else
            strike_alone(shock, l);
    }
    shock->report.solutions = coupled > 0 ? shock->report.solutions : 1;
}

// ---- The answer.

static void find_states(Shock *shock)
{
    for (size_t l = 0; l < shock->count; l++) {
        const FrictionContact *contact = &shock->contacts[l];
        FrictionState *state = &shock->states[l];
        const double *rates = shock->rates + shock->row[l], *u = rates + contact->normals;
        double length = real_length(u, contact->tangents);
        bool one = contact->law == FRICTION_ONE_SIDED;
        *state = (FrictionState){.mode = FRICTION_SLIPS};
        if (one && rates[0] < 0)
            state->mode = FRICTION_OPEN;
        else if (contact->tangents > 0 && length == 0)
            state->mode = FRICTION_STICKS;
        for (size_t k = 0; k < contact->tangents && length > 0; k++)
            state->direction[k] = u[k] / length;
        state->normal = real_length(shock->percussions + shock->row[l], contact->normals);
    }
}

static void find_energy(Shock *shock)
{
    const double *drift = shock->impact->drift;
    shock->report.energy = shock->report.work = work_of(shock);
    for (size_t i = 0; i < shock->rows && drift; i++)
        shock->report.energy -= shock->signs[i] * shock->percussions[i] * drift[i];
}

static void keep_answer(Shock *shock, const FrictionImpactAnswer *answer)
{
    const FrictionProblem *system = &shock->impact->system;
    if (answer->percussions)
        memcpy(answer->percussions, shock->percussions, shock->rows * sizeof(double));
    if (answer->rates)
        memcpy(answer->rates, shock->rates, shock->rows * sizeof(double));
    if (answer->states)
        memcpy(answer->states, shock->states, shock->count * sizeof *answer->states);
    if (!answer->departure)
        return;
    memset(answer->departure, 0, system->size * sizeof *answer->departure);
    for (size_t i = 0; i < shock->rows; i++)
        real_add_times(shock->signs[i] * shock->percussions[i], system->rows + i * system->size,
                       system->size, answer->departure);
}

FrictionImpactReport friction_impact(FrictionSolver *solver, const FrictionImpact *impact,
                                     const FrictionImpactAnswer *answer)
{
    assert(impact->restitution || impact->system.count == 0);
    Shock shock;
    shock_init(&shock, solver, impact);
    FrictionImpactReport *report = &shock.report;
    if (!real_all_finite(shock.before, shock.rows) ||
        !real_all_finite(shock.matrix, shock.rows * shock.rows))
        report->outcome = SOLVE_NOT_FINITE;
    else if (impact->law == FRICTION_NEWTON)
        strike_newton(&shock);
    else
        strike_poisson(&shock);
    if (report->outcome == SOLVE_DONE || report->outcome == SOLVE_SEVERAL) {
        find_states(&shock);
        find_energy(&shock);
        keep_answer(&shock, answer);
    }
    FrictionImpactReport kept = *report;
    arena_free(shock.arena);
    return kept;
}
