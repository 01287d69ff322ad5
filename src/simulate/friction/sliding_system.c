// sliding_system.c: the contacts of an instant, or of a shock, as a problem in plain numbers: rows
// in axes where the inertia of the velocities that the equations leave free is 1.
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static SlidingEquations equations_new(Arena *arena, size_t most, size_t n)
{
    SlidingEquations made = {.rows = real_alloc(arena, most * n),
                             .directions = real_alloc(arena, most * n),
                             .whose = arena_array(arena, size_t, most + 1)};
    real_alloc_each(arena, most, &made.drift, &made.multipliers);
    return made;
}

static void prepare(SlidingSystem *system, const FrictionContacts *owner,
                    const SystemMatrices *matrices)
{
    size_t n = owner->n, m = matrices->m;
    if (system->arena)
        return;
    Arena *arena = system->arena = arena_new();
    system->owner = owner;
    system->n = n;
    system->kkt = kkt_new(arena, n, m);
    real_alloc_each(arena, n, &system->row, &system->accelerations, &system->momentum);
    system->equations = equations_new(arena, m, n);
    system->pressing = equations_new(arena, FRICTION_NORMALS * owner->presser_count, n);
    SlidingDirections *own = &system->directions;
    size_t kept = m - matrices->plain + owner->count;
    own->kept = equations_new(arena, kept, n);
    own->row_normals = real_alloc(arena, kept * n);
    own->normals = real_alloc(arena, kept * n);
    own->matrix = real_alloc(arena, kept * kept);
    own->free = real_alloc(arena, kept);
    own->pivots = arena_array(arena, int, kept + 1);
}

// The reactions that press at this place; none where its count is 0.
static FrictionTerm pressing_term(const FrictionContacts *owner, size_t presser)
{
    FrictionTerm own = {0};
    if (presser >= owner->count)
        own = *owner->alone[presser - owner->count];
    else
        motion_friction_own(&owner->motion->frictions[presser], &own);
    return own;
}

// Where the row of this two-sided condition is in `pressing`; SIZE_MAX: it presses on no friction.
static size_t pressing_of(const FrictionContacts *owner, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < owner->presser_count; i++) {
        FrictionTerm term = pressing_term(owner, i);
        for (size_t k = 0; k < term.count; k++)
            if (term.by[k] == constraint)
                return FRICTION_NORMALS * i + k;
    }
    return SIZE_MAX;
}

// One of the matrices' equations becomes that of this number.
static void take_equation(const SlidingSystem *system, const SystemMatrices *matrices, size_t i,
                          double drift, size_t at, SlidingEquations *to)
{
    size_t n = system->n;
    double *row = to->rows + at * n, *direction = to->directions + at * n;
    memset(row, 0, n * sizeof *row);
    sparse_row_add(&matrices->rows, i, 1, row);
    memcpy(direction, row, n * sizeof *row);
    if (i >= matrices->plain) {
        memset(direction, 0, n * sizeof *row);
        sparse_row_add(&matrices->directions, i, 1, direction);
    }
    to->whose[at] = i;
    to->drift[at] = drift;
}

// What slides without inertia: its stick row is that of its balance, and the force stays along it.
static bool take_sliding(SlidingSystem *system, const SystemMatrices *matrices, size_t i)
{
    const FrictionContacts *owner = system->owner;
    size_t friction = massless_of_row(owner, matrices_condition(matrices, i));
    SlidingEquations *kept = &system->directions.kept;
    if (friction == SIZE_MAX || owner->massless[friction].slides == 0)
        return false;
    MasslessRow row = massless_row(owner, friction);
    take_equation(system, matrices, i, row.gamma, kept->count, kept);
    memcpy(kept->rows + kept->count++ * system->n, row.b, system->n * sizeof *row.b);
    system->directions.any = true;
    return true;
}

// Those that press, those whose reactions have other directions, and the others; servos do nothing
// in a shock.
static void take_equations(SlidingSystem *system, const SystemMatrices *matrices,
                           const double *given, bool shock)
{
    SlidingDirections *directions = &system->directions;
    system->equations.count = directions->kept.count = 0;
    directions->any = friction_turns_sides(system->owner);
    for (size_t i = 0; i < (shock ? matrices->ideal : matrices->m); i++) {
        size_t place = pressing_of(system->owner, matrices_condition(matrices, i));
        SlidingEquations *to = i < matrices->plain ? &system->equations : &directions->kept;
        if (place != SIZE_MAX)
            take_equation(system, matrices, i, given[i], place, &system->pressing);
        else if (!shock && take_sliding(system, matrices, i))
            continue;
        else
            take_equation(system, matrices, i, given[i], to->count++, to);
        directions->any = directions->any || i >= matrices->plain;
    }
}

// What is fixed only by conditions that press, or that reactions of other directions keep, may have
// no inertia. As they are kept, g·x + γ = 0, any multiple of g·(g·x + γ) may be added to the
// equations: no acceleration, velocity or reaction changes. False where there are none.
static bool add_kept_inertia(const SlidingEquations *kept, size_t count, size_t n, double *inertia,
                             double *force)
{
    double scale = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(inertia[i * n + i]));
    for (size_t k = 0; k < count * n; k++)
        largest = fmax(largest, fabs(kept->rows[k]));
    if (!(largest > 0))
        return false;
    scale = (scale > 0 ? scale : 1) / (largest * largest);
    for (size_t k = 0; k < count; k++) {
        const double *g = kept->rows + k * n;
        real_add_times(-scale * kept->drift[k], g, n, force);
        for (size_t i = 0; i < n; i++)
            real_add_times(scale * g[i], g, n, inertia + i * n);
    }
    return true;
}

SolveOutcome sliding_system_begin(SlidingSystem *system, const FrictionContacts *owner,
                                  const SystemMatrices *matrices, const double *velocities,
                                  const double *impulse, const double *given_drift)
{
    prepare(system, owner, matrices);
    size_t n = system->n;
    system->matrices = matrices;
    system->contacts.count = system->which.count = system->begins.count = system->by.count = 0;
    system->presses.count = system->press_terms.count = 0;
    system->dense.count = system->drifts.count = system->directions.pushes.count = 0;
    system->row_count = 0;
    const double *drift = velocities ? matrices->c : matrices->gamma;
    take_equations(system, matrices, given_drift ? given_drift : drift, velocities != NULL);
    const double *force = matrices->force;
    if (velocities) {
        memset(system->momentum, 0, n * sizeof *system->momentum);
        matrices_add_momentum(matrices, velocities, system->momentum);
        if (impulse)
            real_add_times(1, impulse, n, system->momentum);
        force = system->momentum;
    }
    double *inertia = base_alloc((n * n + 1) * sizeof *inertia);
    sparse_rows_expand(&matrices->inertia, 0, n, n, inertia);
    KktProblem problem = {.inertia = inertia,
                          .force = force,
                          .rows = system->equations.rows,
                          .drift = system->equations.drift,
                          .row_count = system->equations.count};
    KktReport report = kkt_move(system->kkt, &problem);
    if (report.outcome != SOLVE_DONE || !report.positive) {
        memcpy(system->row, force, n * sizeof *force);
        problem.force = system->row;
        const SlidingEquations *kept = &system->directions.kept;
        bool pressed = add_kept_inertia(&system->pressing, FRICTION_NORMALS * owner->presser_count,
                                        n, inertia, system->row);
        bool added = add_kept_inertia(kept, kept->count, n, inertia, system->row);
        if (pressed || added)
            report = kkt_move(system->kkt, &problem);
    }
    base_free(inertia);
    system->free = n - report.rank;
    if (report.outcome != SOLVE_DONE || !report.positive)
        return SOLVE_NO_MINIMUM;
    kkt_accelerations(system->kkt, system->accelerations);
    return sliding_directions_factor(system) ? SOLVE_DONE : SOLVE_UNCONTROLLABLE;
}

void sliding_system_clear(SlidingSystem *system)
{
    if (!system->arena)
        return;
    array_clear(&system->contacts);
    array_clear(&system->which);
    array_clear(&system->begins);
    array_clear(&system->by);
    array_clear(&system->presses);
    array_clear(&system->press_terms);
    array_clear(&system->dense);
    array_clear(&system->drifts);
    array_clear(&system->numbers.normals);
    array_clear(&system->numbers.sizes);
    array_clear(&system->numbers.free_rates);
    array_clear(&system->directions.pushes);
    array_clear(&system->directions.departs);
    array_clear(&system->directions.answers);
    array_clear(&system->directions.delassus);
    array_clear(&system->states);
    array_clear(&system->forces);
    array_clear(&system->rates);
    array_clear(&system->departure);
    arena_free(system->arena);
    *system = (SlidingSystem){0};
}

void sliding_system_add_row(SlidingSystem *system, const double *row, const double *push,
                            double drift)
{
    for (size_t j = 0; j < system->n; j++)
        array_push(&system->dense, row[j]);
    for (size_t j = 0; j < system->n && system->directions.any; j++)
        array_push(&system->directions.pushes, push ? push[j] : row[j]);
    array_push(&system->drifts, drift);
    system->row_count++;
}

void sliding_system_add(SlidingSystem *system, FrictionContact contact, size_t which,
                        const ModelConstraint *by)
{
    size_t rows = (size_t)contact.normals + contact.tangents;
    assert(rows <= system->row_count);
    array_push(&system->contacts, contact);
    array_push(&system->which, which);
    array_push(&system->begins, system->row_count - rows);
    array_push(&system->by, by);
}

void sliding_system_add_friction(SlidingSystem *system, size_t friction, FrictionContact *contact,
                                 bool shock)
{
    if (friction == SIZE_MAX)
        return;
    const FrictionNumbers *numbers = &system->owner->at[friction];
    const MotionFriction *own = &system->owner->motion->frictions[friction];
    double scale = own->constraint ? numbers->pressure : 1;
    contact->tangents = (uint8_t)own->rows;
    // What is none (friction_is_lawful) ends the run elsewhere.
    contact->sliding = scale * fmax(numbers->sliding, 0);
    contact->sticking = fmax(scale * numbers->sticking, contact->sliding);
    for (size_t k = 0; k < own->rows; k++)
        sliding_system_add_row(system, numbers->w + k * system->n, NULL,
                               shock ? numbers->c[k] : numbers->eta[k]);
}

static void add_pressing(SlidingSystem *system, size_t presser, FrictionContact *contact)
{
    const SlidingEquations *pressing = &system->pressing;
    FrictionTerm term = pressing_term(system->owner, presser);
    contact->law = term.count > 0 ? FRICTION_TWO_SIDED : FRICTION_GIVEN;
    contact->normals = (uint8_t)term.count;
    for (size_t k = 0; k < term.count; k++) {
        size_t place = FRICTION_NORMALS * presser + k;
        sliding_system_add_row(system, pressing->rows + place * system->n,
                               pressing->directions + place * system->n, pressing->drift[place]);
    }
}

void sliding_system_add_law(SlidingSystem *system, size_t friction, FrictionContact *contact,
                            bool shock)
{
    assert(friction < system->owner->count);
    add_pressing(system, friction, contact);
    sliding_system_add_friction(system, friction, contact, shock);
}

size_t sliding_system_presser(const SlidingSystem *system, const ModelConstraint *by)
{
    size_t at = 0;
    while (at < system->by.count && system->by.at[at] != by)
        at++;
    return at;
}

void sliding_system_add_presses(SlidingSystem *system)
{
    const FrictionContacts *owner = system->owner;
    for (size_t g = owner->count; g < owner->presser_count; g++) {
        FrictionContact contact = {0};
        add_pressing(system, g, &contact);
        sliding_system_add(system, contact, SIZE_MAX, owner->alone[g - owner->count]->by[0]);
    }
    for (size_t at = 0; at < system->contacts.count; at++) {
        size_t i = system->which.at[at];
        for (size_t k = 0; i != SIZE_MAX && k < owner->motion->frictions[i].term_count; k++) {
            const double *by = owner->at[i].by + 2 * k;
            FrictionPress press = {.on = at, .sliding = fmax(by[0], 0)};
            press.by = sliding_system_presser(system, owner->motion->frictions[i].terms[k].by[0]);
            press.sticking = fmax(by[1], press.sliding);
            if (press.by == system->contacts.count)
                continue;
            array_push(&system->presses, press);
            array_push(&system->press_terms, k);
        }
    }
}

double sliding_system_pressing(const SlidingSystem *system, size_t at)
{
    double sum = 0;
    for (size_t k = 0; k < system->presses.count; k++) {
        size_t by = system->presses.at[k].by;
        if (system->presses.at[k].on == at)
            sum += real_length(system->forces.at + system->begins.at[by],
                               system->contacts.at[by].normals);
    }
    return sum;
}

FrictionProblem sliding_system_problem(SlidingSystem *system)
{
    size_t rows = system->row_count, n = system->n, count = system->contacts.count;
    SlidingNumbers *numbers = &system->numbers;
    array_reserve(&numbers->normals, rows * system->free + 1);
    array_reserve(&numbers->sizes, rows + 1);
    array_reserve(&numbers->free_rates, rows + 1);
    array_reserve(&system->forces, rows + 1);
    array_reserve(&system->rates, rows + 1);
    array_reserve(&system->departure, system->free + 1);
    array_reserve(&system->states, count + 1);
    if (rows > 0)
        kkt_normals(system->kkt, system->dense.at, rows, numbers->normals.at, numbers->sizes.at);
    for (size_t i = 0; i < rows; i++)
        numbers->free_rates.at[i] =
            real_dot(system->dense.at + i * n, system->accelerations, n) + system->drifts.at[i];
    memset(system->states.at, 0, count * sizeof *system->states.at);
    FrictionProblem problem = {.count = count,
                               .contacts = system->contacts.at,
                               .press_count = system->presses.count,
                               .presses = system->presses.at,
                               .size = system->free,
                               .rows = numbers->normals.at,
                               .free_rates = numbers->free_rates.at,
                               .sizes = numbers->sizes.at};
    if (system->directions.any)
        sliding_directions_problem(system, &problem);
    return problem;
}

FrictionReport sliding_system_solve(SlidingSystem *system, FrictionSolver *solver, bool all)
{
    FrictionProblem problem = sliding_system_problem(system);
    problem.count_all = all;
    FrictionAnswer answer = {.states = system->states.at,
                             .forces = system->forces.at,
                             .rates = system->rates.at,
                             .departure = system->departure.at};
    return friction_instant(solver, &problem, &answer);
}

// Σ of the forces, with their signs: the departure is made by −pull.
static void add_pull(const SlidingSystem *system, double *pull)
{
    const SlidingEquations *kept = &system->directions.kept;
    const double *pushes = system->directions.any ? system->directions.pushes.at : system->dense.at;
    for (size_t at = 0; at < system->contacts.count; at++) {
        const FrictionContact *contact = &system->contacts.at[at];
        size_t row = system->begins.at[at], end = row + contact->normals + contact->tangents;
        for (size_t k = row; k < end; k++) {
            bool pushed = contact->law == FRICTION_ONE_SIDED && k == row;
            real_add_times(pushed ? system->forces.at[k] : -system->forces.at[k],
                           pushes + k * system->n, system->n, pull);
        }
    }
    for (size_t i = 0; i < kept->count; i++)
        real_add_times(-kept->multipliers[i], kept->directions + i * system->n, system->n, pull);
}

static void hand_out(const SlidingEquations *equations, double *multipliers)
{
    for (size_t i = 0; i < equations->count; i++)
        multipliers[equations->whose[i]] = equations->multipliers[i];
}

void sliding_system_motion(SlidingSystem *system, double *accelerations, double *multipliers)
{
    double *pull = base_alloc((system->n + 1) * sizeof *pull);
    if (system->directions.any)
        sliding_directions_depart(system);
    add_pull(system, pull);
    kkt_depart(system->kkt, system->departure.at, pull);
    base_free(pull);
    kkt_accelerations(system->kkt, accelerations);
    if (!multipliers)
        return;
    kkt_multipliers(system->kkt, system->equations.multipliers);
    memset(multipliers, 0, system->matrices->m * sizeof *multipliers);
    hand_out(&system->equations, multipliers);
    hand_out(&system->directions.kept, multipliers);
    for (size_t at = 0; at < system->contacts.count; at++) {
        size_t row = system->begins.at[at];
        if (system->contacts.at[at].law != FRICTION_TWO_SIDED)
            continue;
        size_t first = pressing_of(system->owner, system->by.at[at]);
        for (size_t k = 0; k < system->contacts.at[at].normals; k++)
            multipliers[system->pressing.whose[first + k]] = system->forces.at[row + k];
    }
}
