// friction.c: dry friction at an instant: the problem is scaled, solved, and said in the user's
// units.
//
// Rows get length 1, those of one contact's sliding by one factor, so that its cone stays circular;
// rates get size 1. Between events a search goes on from the modes of a state nearby; at events,
// and where that finds nothing, all motions are counted.
#include "contact/friction_impl.h"

#include <assert.h>

typedef struct {
    FrictionState *states;
    double *forces, *rates;
} Published;

struct FrictionSolver {
    Arena *arena;
    size_t most_count, most_rows, most_presses;
    Friction friction;
    const FrictionProblem *problem;
    const double *least; // of λ, or NULL
    double *matrix, *free, *sizes;
    double *scale; // of each row, below 0 for those that are turned round
    double unit;   // of rates
    FrictionPiece *pieces;
    Published first; // room for one motion
    FrictionMotions motions;
    Published *published;
    size_t count; // of motions
};

FrictionSolver *friction_solver_new(void)
{
    return base_alloc(sizeof(FrictionSolver));
}

static void forget_motions(FrictionSolver *solver)
{
    array_clear(&solver->motions.list);
    arena_free(solver->motions.arena);
    solver->motions.arena = NULL;
    solver->published = &solver->first;
    solver->count = 0;
}

void friction_solver_free(FrictionSolver *solver)
{
    if (!solver)
        return;
    forget_motions(solver);
    arena_free(solver->arena);
    base_free(solver);
}

static Published published_new(Arena *arena, size_t count, size_t rows)
{
    Published out = {.states = arena_array(arena, FrictionState, count + 1)};
    real_alloc_each(arena, rows, &out.forces, &out.rates);
    return out;
}

static void reserve(FrictionSolver *solver, size_t count, size_t rows, size_t presses)
{
    if (solver->arena && count <= solver->most_count && rows <= solver->most_rows &&
        presses <= solver->most_presses)
        return;
    presses = solver->most_presses =
        presses > solver->most_presses ? presses : solver->most_presses;
    count = solver->most_count = count > solver->most_count ? 2 * count : solver->most_count;
    rows = solver->most_rows = rows > solver->most_rows ? 2 * rows : solver->most_rows;
    arena_free(solver->arena);
    Arena *arena = solver->arena = arena_new();
    friction_alloc(&solver->friction, arena, count, rows, presses);
    solver->matrix = real_alloc(arena, rows * rows);
    real_alloc_each(arena, rows, &solver->free, &solver->sizes, &solver->scale);
    solver->pieces = arena_array(arena, FrictionPiece, count + 1);
    solver->first = published_new(arena, count, rows);
}

// ---- Scaling.

static size_t rows_of(const FrictionContact *contact)
{
    return (size_t)contact->normals + contact->tangents;
}

static size_t count_rows(const FrictionProblem *problem)
{
    size_t rows = 0;
    for (size_t l = 0; l < problem->count; l++)
        rows += rows_of(&problem->contacts[l]);
    return rows;
}

// WWᵀ, row after row.
static const double *find_delassus(const FrictionSolver *solver, size_t rows)
{
    const FrictionProblem *problem = solver->problem;
    if (problem->delassus)
        return problem->delassus;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k <= i; k++)
            solver->matrix[i * rows + k] = solver->matrix[k * rows + i] =
                real_dot(problem->rows + i * problem->size, problem->rows + k * problem->size,
                         problem->size);
    return solver->matrix;
}

// 1/(length of the longest of these rows).
static double scale_of(const FrictionProblem *problem, const double *delassus, size_t rows,
                       size_t row, size_t count)
{
    double most = 0;
    size_t size = problem->size;
    bool own = problem->rows && problem->delassus;
    for (size_t i = row; i < row + count; i++)
        most =
            real_max(most, own ? real_dot(problem->rows + i * size, problem->rows + i * size, size)
                               : delassus[i * rows + i]);
    return most > 0 ? 1 / sqrt(most) : 1;
}

static void scale_contacts(FrictionSolver *solver, const double *delassus, size_t rows)
{
    size_t row = 0;
    for (size_t l = 0; l < solver->problem->count; l++) {
        const FrictionContact *contact = &solver->problem->contacts[l];
        size_t m = contact->normals, t = contact->tangents;
        double normal = scale_of(solver->problem, delassus, rows, row, m);
        double tangent = scale_of(solver->problem, delassus, rows, row + m, t);
        bool given = contact->law == FRICTION_GIVEN;
        double factor = (given ? 1 : normal) / tangent;
        assert(contact->law == FRICTION_ONE_SIDED ? m == 1 : given ? m == 0 : m >= 1 && m <= 3);
        assert(t <= FRICTION_TANGENTS && contact->sliding >= 0 &&
               contact->sticking >= contact->sliding);
        for (size_t i = 0; i < m; i++)
            solver->scale[row + i] = contact->law == FRICTION_ONE_SIDED ? -normal : normal;
        for (size_t i = 0; i < t; i++)
            solver->scale[row + m + i] = tangent;
        solver->friction.parts[l] = (FrictionPart){.law = contact->law,
                                                   .normals = contact->normals,
                                                   .tangents = contact->tangents,
                                                   .slides = contact->slides,
                                                   .kinetic = factor * contact->sliding,
                                                   .limit = factor * contact->sticking,
                                                   .unit = tangent,
                                                   .row = row};
        memcpy(solver->friction.parts[l].direction, contact->direction, sizeof contact->direction);
        row += m + t;
    }
}

static void scale_presses(FrictionSolver *solver)
{
    const FrictionProblem *problem = solver->problem;
    FrictionPart *parts = solver->friction.parts;
    solver->friction.press_count = problem->press_count;
    for (size_t i = 0; i < problem->press_count; i++) {
        FrictionPress press = problem->presses[i];
        const FrictionPart *on = &parts[press.on], *by = &parts[press.by];
        assert(on->law == FRICTION_GIVEN && on->tangents > 0 && by->normals > 0);
        assert(press.sliding >= 0 && press.sticking >= press.sliding);
        parts[press.by].presses = true;
        double factor = fabs(solver->scale[by->row]) / solver->scale[on->row];
        press.sliding *= factor;
        press.sticking *= factor;
        solver->friction.presses[i] = press;
    }
}

static void scale_rates(FrictionSolver *solver, size_t rows)
{
    const FrictionProblem *problem = solver->problem;
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        most = real_max(most, fabs(problem->free_rates[i] * solver->scale[i]));
    for (size_t l = 0; l < problem->count; l++)
        if (problem->contacts[l].law == FRICTION_GIVEN && !(most > 0))
            most = solver->friction.parts[l].limit;
    double unit = solver->unit = most > 0 ? most : 1;
    for (size_t i = 0; i < rows; i++) {
        double size = problem->sizes ? problem->sizes[i] : fabs(problem->free_rates[i]);
        solver->free[i] = problem->free_rates[i] * solver->scale[i] / unit;
        solver->sizes[i] = real_max(fabs(solver->free[i]), size * fabs(solver->scale[i]) / unit);
    }
    for (size_t l = 0; l < problem->count; l++) {
        FrictionPart *part = &solver->friction.parts[l];
        part->unit *= unit;
        part->least = solver->least ? solver->least[l] / fabs(solver->scale[part->row]) / unit : 0;
        if (part->law == FRICTION_GIVEN) {
            part->kinetic /= unit;
            part->limit /= unit;
        }
    }
}

static void scale_problem(FrictionSolver *solver, const FrictionProblem *problem)
{
    size_t rows = count_rows(problem);
    reserve(solver, problem->count, rows, problem->press_count);
    solver->problem = problem;
    const double *delassus = find_delassus(solver, rows);
    scale_contacts(solver, delassus, rows);
    scale_presses(solver);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++)
            solver->matrix[i * rows + k] =
                delassus[i * rows + k] * (solver->scale[i] * solver->scale[k]);
    scale_rates(solver, rows);
    Friction *friction = &solver->friction;
    friction->count = problem->count;
    friction->rows = rows;
    friction->matrix = solver->matrix;
    friction->free = solver->free;
    friction->sizes = solver->sizes;
    friction->added = 0;
}

// ---- A guess in, motions out.

static void take_guess(FrictionSolver *solver, const FrictionState *states)
{
    for (size_t l = 0; l < solver->problem->count; l++) {
        const FrictionPart *part = &solver->friction.parts[l];
        FrictionPiece *piece = &solver->pieces[l];
        bool begins = part->tangents > 0 && !part->slides;
        const double *d = part->slides ? part->direction : states[l].direction;
        *piece = (FrictionPiece){.mode = states[l].mode, .e = {1}};
        memcpy(piece->d, d, sizeof piece->d);
        double length = real_length(d, part->tangents);
        for (size_t k = 0; k < part->tangents && length > 0; k++)
            piece->d[k] /= length;
        piece->held = piece->mode == FRICTION_OPEN && part->least > 0 && part->tangents > 0;
        if (piece->mode == FRICTION_OPEN && (part->law != FRICTION_ONE_SIDED || piece->held))
            piece->mode = FRICTION_STICKS;
        if (piece->mode == FRICTION_STICKS && !begins)
            piece->mode = FRICTION_SLIPS;
        if (piece->mode == FRICTION_SLIPS && begins && !(length > 0))
            piece->mode = FRICTION_STICKS;
    }
}

// Forces that are 0 but for rounding are none, and a one-sided contact without force is open.
static void tidy(const Friction *friction, size_t l, FrictionPiece *piece, double *forces,
                 double *rates)
{
    const FrictionPart *part = &friction->parts[l];
    double *p = forces + part->row, *rate = rates + part->row;
    size_t m = part->normals, t = part->tangents;
    double size = friction->far + real_largest(p, m + t);
    if (piece->mode != FRICTION_OPEN && !piece->held)
        memset(rate, 0, m * sizeof *rate);
    if (piece->mode == FRICTION_STICKS)
        memset(rate + m, 0, t * sizeof *rate);
    if (part->law == FRICTION_ONE_SIDED && p[0] <= TOL_SUM * size) {
        piece->mode = FRICTION_OPEN;
        memset(p, 0, (m + t) * sizeof *p);
        if (fabs(rate[0]) <= TOL_RATE * (friction->sizes[part->row] + friction->far))
            rate[0] = 0;
    }
}

// Of a law at rest.
static double given_bound(const FrictionSolver *solver, size_t l, const Published *out)
{
    const FrictionProblem *problem = solver->problem;
    double bound = problem->contacts[l].sticking;
    for (size_t i = 0; i < problem->press_count; i++) {
        const FrictionPress *press = &problem->presses[i];
        const FrictionPart *by = &solver->friction.parts[press->by];
        if (press->on == l)
            bound += press->sticking * real_length(out->forces + by->row, by->normals);
    }
    return bound;
}

static void publish_state(const FrictionSolver *solver, size_t l, const FrictionPiece *piece,
                          Published *out)
{
    const FrictionContact *contact = &solver->problem->contacts[l];
    size_t row = solver->friction.parts[l].row, m = contact->normals, t = contact->tangents;
    FrictionState *state = &out->states[l];
    bool given = contact->law == FRICTION_GIVEN;
    *state = (FrictionState){.mode = piece->mode};
    state->normal = given ? given_bound(solver, l, out) : real_length(out->forces + row, m);
    if (piece->mode == FRICTION_SLIPS && t > 0)
        memcpy(state->direction, piece->d, sizeof state->direction);
    for (size_t k = t; k < FRICTION_TANGENTS; k++)
        state->direction[k] = 0;
    if (piece->mode == FRICTION_OPEN)
        state->margin = -out->rates[row];
    else if (piece->mode == FRICTION_STICKS)
        state->margin =
            (given ? 1 : contact->sticking) * state->normal - real_length(out->forces + row + m, t);
    else
        state->margin = given ? real_length(out->rates + row, t) : state->normal;
}

static void publish(const FrictionSolver *solver, FrictionPiece *pieces, double *forces,
                    double *rates, const FrictionStatics *statics, Published *out)
{
    const Friction *friction = &solver->friction;
    for (size_t l = 0; l < friction->count; l++)
        tidy(friction, l, &pieces[l], forces, rates);
    for (size_t i = 0; i < friction->rows; i++) {
        out->forces[i] = forces[i] * fabs(solver->scale[i]) * solver->unit;
        out->rates[i] = rates[i] * solver->unit / solver->scale[i];
    }
    for (size_t l = 0; l < friction->count; l++) {
        publish_state(solver, l, &pieces[l], out);
        if (statics->feasible && pieces[l].mode == FRICTION_STICKS)
            out->states[l].margin = statics->margin;
    }
}

static void answer_with(const FrictionSolver *solver, const Published *out,
                        const FrictionAnswer *answer)
{
    const FrictionProblem *problem = solver->problem;
    size_t rows = solver->friction.rows;
    memcpy(answer->states, out->states, problem->count * sizeof *answer->states);
    if (answer->forces)
        memcpy(answer->forces, out->forces, rows * sizeof *answer->forces);
    if (answer->rates)
        memcpy(answer->rates, out->rates, rows * sizeof *answer->rates);
    if (!answer->departure)
        return;
    assert(problem->rows);
    memset(answer->departure, 0, problem->size * sizeof *answer->departure);
    for (size_t i = 0; i < rows; i++) {
        double force = solver->scale[i] < 0 ? -out->forces[i] : out->forces[i];
        if (force != 0)
            real_add_times(force, problem->rows + i * problem->size, problem->size,
                           answer->departure);
    }
}

// ---- The whole.

// False where the search ended without one.
static bool find_one(FrictionSolver *solver, FrictionReport *report)
{
    Friction *friction = &solver->friction;
    FrictionStatics statics = {0};
    if (!friction_search(friction, solver->pieces, &statics))
        return false;
    publish(solver, solver->pieces, friction->forces, friction->rates, &statics, solver->published);
    solver->count = 1;
    report->unique = !statics.feasible;
    report->wedged = statics.wedged;
    return true;
}

// |y| of a motion that was found among parts of the problem.
static void measure(Friction *friction, const FrictionMotion *motion)
{
    double square = 0;
    for (size_t i = 0; i < friction->rows; i++)
        square += motion->forces[i] * (motion->rates[i] - friction->free[i]);
    friction->far = sqrt(fabs(square));
}

static void find_all(FrictionSolver *solver, FrictionReport *report)
{
    FrictionMotions *motions = &solver->motions;
    size_t rows = solver->friction.rows;
    Arena *arena = motions->arena = arena_new();
    report->counted = friction_motions_find(motions, &solver->friction, solver->pieces);
    solver->count = motions->list.count;
    solver->published = arena_array(arena, Published, solver->count + 1);
    for (size_t k = 0; k < solver->count; k++) {
        FrictionMotion *motion = &motions->list.at[k];
        solver->published[k] = published_new(arena, solver->friction.count, rows);
        measure(&solver->friction, motion);
        publish(solver, motion->pieces, motion->forces, motion->rates, &motion->statics,
                &solver->published[k]);
        report->wedged |= motion->statics.wedged;
    }
    if (solver->count > 0)
        report->unique = !motions->list.at[0].statics.feasible && !motions->list.at[0].shared;
}

FrictionReport friction_solve(FrictionSolver *solver, const FrictionProblem *problem,
                              const double *least, const FrictionAnswer *answer)
{
    assert(answer->states || problem->count == 0);
    size_t rows = count_rows(problem);
    FrictionReport report = {
        .outcome = SOLVE_DONE, .solutions = 1, .counted = true, .unique = true};
    forget_motions(solver);
    solver->least = least;
    if (problem->count == 0) {
        if (answer->departure)
            memset(answer->departure, 0, problem->size * sizeof *answer->departure);
        return report;
    }
    report.outcome = SOLVE_NOT_FINITE;
    if (!real_all_finite(problem->free_rates, rows))
        return report;
    scale_problem(solver, problem);
    solver->published = &solver->first;
    if (!real_all_finite(solver->matrix, rows * rows))
        return report;
    take_guess(solver, answer->states);
    report.counted = report.wedged = false;
    if (problem->count_all || !find_one(solver, &report))
        find_all(solver, &report);
    report.solutions = solver->count;
    report.outcome = solver->count == 0                   ? SOLVE_NO_SOLUTION
                     : solver->count > 1 || report.wedged ? SOLVE_SEVERAL
                                                          : SOLVE_DONE;
    if (solver->count > 0)
        answer_with(solver, &solver->published[0], answer);
    return report;
}

FrictionReport friction_instant(FrictionSolver *solver, const FrictionProblem *problem,
                                const FrictionAnswer *answer)
{
    return friction_solve(solver, problem, NULL, answer);
}

double friction_least_minor(FrictionSolver *solver, const FrictionProblem *problem,
                            const FrictionState *states)
{
    assert(states || problem->count == 0);
    solver->least = NULL;
    if (problem->count == 0)
        return 1;
    scale_problem(solver, problem);
    take_guess(solver, states);
    return friction_minor(&solver->friction, solver->pieces);
}

FrictionSolution friction_solution(const FrictionSolver *solver, size_t which)
{
    assert(which < solver->count);
    const Published *out = &solver->published[which];
    return (FrictionSolution){.states = out->states, .forces = out->forces, .rates = out->rates};
}
