// instant.c: everything about one state: reactions, Gauss's function, redundancy, conditioning.
//
// Velocities are measured by their inertia (x̂ = √𝓜_νν·x), so that units do not matter. With the
// reactions r = gᵀλ (dᵀλ with servos), 𝓜(a − a°) = r: Gauss's function is ½ r·𝓜⁺·r. Where 𝓜 is
// singular (a quaternion's length) that is still so as long as the reactions do not push where
// there is no inertia; else there is no motion without reactions.
#include "run/run_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A singular value, or principal moment, this much below the largest counts as none.
#define NONE 1e-11
// Of the reactions, what may point where there is no inertia and be rounding.
#define ROUNDING 1e-9

struct RunInstantRoom {
    Arena *arena;
    MotionReactions *reactions;
};

static void *room(RunInstantRoom *instant, size_t count, size_t bytes)
{
    return arena_alloc(instant->arena, (count + 1) * bytes);
}

// ---- Quantities that are expressions.

static void push_vec(Expr **at, Vec v)
{
    *(*at)++ = v.x;
    *(*at)++ = v.y;
    *(*at)++ = v.z;
}

static Vec place_of(const Motion *motion, Vector position)
{
    Expr zero = expr_int(motion->pool, 0);
    return position.at ? vector_in(motion->model->vectors, position, (Frame){0})
                       : (Vec){zero, zero, zero};
}

static void read_wrenches(const double **at, RunWrench *wrenches, size_t count)
{
    for (size_t i = 0; i < count; i++, *at += 9) {
        memcpy(wrenches[i].force, *at, 3 * sizeof **at);
        memcpy(wrenches[i].couple, *at + 3, 3 * sizeof **at);
        memcpy(wrenches[i].position, *at + 6, 3 * sizeof **at);
    }
}

static size_t push_quantities(Motion *motion, const MotionReactions *reactions, Expr *outputs)
{
    const Model *model = motion->model;
    Expr *at = outputs;
    bool has_energy = !expr_is_none(motion->energy);
    *at++ = motion->U;
    *at++ = has_energy ? expr_sub(motion->pool, motion->energy, motion->U) : motion->U;
    for (size_t i = 0; i < model->speeds.count; i++)
        *at++ = model->speeds.at[i].value;
    for (size_t i = 0; i < motion->m; i++)
        *at++ = motion_reaction_power(motion, &motion->rows[i]);
    for (size_t i = 0; i < reactions->at.count; i++) {
        push_vec(&at, reactions->at.at[i].force);
        push_vec(&at, reactions->at.at[i].couple);
        push_vec(&at, place_of(motion, reactions->at.at[i].position));
    }
    for (size_t i = 0; i < reactions->totals.count; i++) {
        push_vec(&at, reactions->totals.at[i].force);
        push_vec(&at, reactions->totals.at[i].couple);
        push_vec(&at, place_of(motion, reactions->totals.at[i].position));
    }
    for (size_t i = 0; i < reactions->generalized.count; i++)
        for (size_t nu = 0; nu < motion->n; nu++)
            *at++ = reactions->generalized.at[i].parts[nu];
    return (size_t)(at - outputs);
}

static void read_quantities(const Motion *motion, RunInstantRoom *own, const double *at,
                            RunInstant *instant)
{
    const Model *model = motion->model;
    size_t n = motion->n, m = motion->m;
    const MotionReactions *reactions = own->reactions;
    double *powers = room(own, m, sizeof *powers);
    double *speeds = room(own, model->speeds.count, sizeof *speeds);
    double *generalized = room(own, n * reactions->generalized.count, sizeof *generalized);
    RunWrench *acting = room(own, reactions->at.count, sizeof *acting);
    RunWrench *totals = room(own, reactions->totals.count, sizeof *totals);
    instant->U = *at++;
    instant->T = *at++;
    memcpy(speeds, at, model->speeds.count * sizeof *at);
    at += model->speeds.count;
    memcpy(powers, at, m * sizeof *at);
    at += m;
    read_wrenches(&at, acting, reactions->at.count);
    read_wrenches(&at, totals, reactions->totals.count);
    memcpy(generalized, at, n * reactions->generalized.count * sizeof *at);
    instant->speeds = speeds;
    instant->powers = powers;
    instant->generalized = generalized;
    instant->at = acting;
    instant->totals = totals;
}

static Status evaluate_quantities(const Run *run, RunInstantRoom *own, Diag *diag,
                                  RunInstant *instant)
{
    Motion *motion = run->motion;
    const Numbers *numbers = &run->numbers;
    const MotionReactions *reactions = own->reactions;
    size_t most = 2 + motion->model->speeds.count + motion->m +
                  9 * (reactions->at.count + reactions->totals.count) +
                  motion->n * reactions->generalized.count + motion->servos;
    Expr *outputs = base_alloc((most + 1) * sizeof *outputs), missing = {0};
    size_t count = push_quantities(motion, reactions, outputs);
    Lowered lowered = {0};
    Status status = STATUS_OK;
    if (lowered_init(&lowered, motion->pool, numbers->symbols, numbers->input_count, outputs, count,
                     &missing)) {
        lowered_run(&lowered, numbers->inputs);
        read_quantities(motion, own, lowered.out, instant);
    } else {
        status = diag_error(diag, place_none(), "a reaction holds '%s', which has no value",
                            expr_name(motion->pool, missing));
    }
    lowered_clear(&lowered);
    base_free(outputs);
    return status;
}

// ---- Linear algebra at the state, velocities measured by their inertia.

typedef struct {
    size_t n, m;
    double *scale;    // n: 1/√𝓜_νν
    double *inertia;  // n × n, scaled; then its principal axes, a column each
    double *moments;  // n
    double *rows;     // m × n, scaled to unit length, column after column
    double *singular; // min(n, m)
    double *axes;     // n × n: right singular vectors, a row each
} State;

static void make_state(const Numbers *numbers, RunInstantRoom *own, State *state)
{
    size_t n = numbers->n, m = numbers->m;
    const double *inertia = numbers->forces.out, *rows = numbers->velocities.out;
    *state = (State){.n = n, .m = m};
    state->scale = room(own, n, sizeof(double));
    state->inertia = room(own, n * n, sizeof(double));
    state->moments = room(own, n, sizeof(double));
    state->rows = room(own, m * n, sizeof(double));
    state->singular = room(own, n + m, sizeof(double));
    state->axes = room(own, n * n, sizeof(double));
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(inertia[i * n + i]));
    for (size_t i = 0; i < n; i++) {
        double moment = fabs(inertia[i * n + i]);
        state->scale[i] = 1 / sqrt(moment > DBL_EPSILON * most ? moment : most > 0 ? most : 1);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            state->inertia[j * n + i] = inertia[i * n + j] * state->scale[i] * state->scale[j];
    for (size_t i = 0; i < m; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += pow(rows[i * n + j] * state->scale[j], 2);
        for (size_t j = 0; j < n; j++)
            state->rows[j * m + i] =
                square > 0 ? rows[i * n + j] * state->scale[j] / sqrt(square) : 0;
    }
}

// Which rows stand off the ones before them; the others are redundant at this state.
static void find_redundant(const State *state, RunInstantRoom *own, bool *redundant)
{
    size_t n = state->n, m = state->m, kept = 0;
    double *units = room(own, n * n, sizeof(double)), *rest = room(own, n, sizeof(double));
    for (size_t i = 0; i < m; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            rest[j] = state->rows[j * m + i];
        for (int round = 0; round < 2; round++)
            for (size_t k = 0; k < kept; k++) {
                double along = 0;
                for (size_t j = 0; j < n; j++)
                    along += units[k * n + j] * rest[j];
                for (size_t j = 0; j < n; j++)
                    rest[j] -= along * units[k * n + j];
            }
        for (size_t j = 0; j < n; j++)
            square += rest[j] * rest[j];
        redundant[i] = !(sqrt(square) > NONE) || kept == n;
        for (size_t j = 0; j < n && !redundant[i]; j++)
            units[kept * n + j] = rest[j] / sqrt(square);
        kept += !redundant[i];
    }
}

// Rank and condition of the rows by their singular values; `axes` become the directions.
static void judge_rows(State *state, RunInstant *instant)
{
    size_t n = state->n, m = state->m, least = n < m ? n : m;
    instant->conditions = 1;
    for (size_t i = 0; i < n; i++)
        state->axes[i * n + i] = 1;
    if (m == 0)
        return;
    double *rest = base_alloc((least + 1) * sizeof *rest), none[1] = {0};
    lapack_int failed = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', (lapack_int)m, (lapack_int)n,
                                       state->rows, (lapack_int)m, state->singular, none,
                                       (lapack_int)m, state->axes, (lapack_int)n, rest);
    base_free(rest);
    while (!failed && instant->rank < least &&
           state->singular[instant->rank] > NONE * state->singular[0])
        instant->rank++;
    if (instant->rank > 0)
        instant->conditions = state->singular[0] / state->singular[instant->rank - 1];
}

// The inertia on the velocities that the conditions leave free.
static void judge_inertia(const State *state, RunInstant *instant)
{
    size_t n = state->n, k = n - instant->rank;
    double *reduced = base_alloc((k * k + 1) * sizeof *reduced);
    double *moments = base_alloc((k + n + 1) * sizeof *moments), *half = moments + k;
    instant->inertia = 1;
    // The rows of Vᵀ behind the rank span the free velocities; column-major, so (row, column)
    // stands at column·n + row.
    for (size_t a = 0; a < k; a++) {
        memset(half, 0, n * sizeof *half);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                half[j] += state->axes[i * n + instant->rank + a] * state->inertia[i * n + j];
        for (size_t b = 0; b < k; b++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += half[j] * state->axes[j * n + instant->rank + b];
            reduced[a * k + b] = sum;
        }
    }
    if (k > 0 && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)k, reduced, (lapack_int)k,
                               moments) == 0) {
        double most = 0, least = INFINITY;
        for (size_t i = 0; i < k; i++) {
            most = fmax(most, fabs(moments[i]));
            least = fmin(least, fabs(moments[i]));
        }
        instant->inertia = least > 0 ? most / least : INFINITY;
    }
    base_free(reduced);
    base_free(moments);
}

// a − a° = 𝓜⁺r, and ½ r·𝓜⁺·r.
static void find_free(const Numbers *numbers, const Sides *sides, RunInstantRoom *own, State *state,
                      RunInstant *instant)
{
    size_t n = state->n;
    double *reaction = room(own, n, sizeof(double)), *free = room(own, n, sizeof(double));
    const MotionRow *rows = numbers->motion->rows;
    const double *directions = numbers_directions(numbers, numbers->forces.out);
    if (!directions)
        directions = numbers->velocities.out;
    double size = 0, beside = 0, most = 0;
    sides_add_reactions(sides, n, reaction);
    for (size_t j = 0; j < n; j++) {
        // What keeps a quaternion's length is no force.
        for (size_t i = 0; i < state->m; i++)
            if (!rows[i].constraint->silent)
                reaction[j] += numbers->lambda[i] * directions[i * n + j];
        reaction[j] *= state->scale[j];
        double given = numbers->force[j] * state->scale[j];
        size += reaction[j] * reaction[j] + given * given;
        free[j] = numbers->a[j];
    }
    instant->free = free;
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, state->inertia, (lapack_int)n,
                      state->moments) != 0)
        return;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(state->moments[k]));
    for (size_t k = 0; k < n; k++) {
        const double *axis = state->inertia + k * n;
        double along = 0;
        for (size_t j = 0; j < n; j++)
            along += axis[j] * reaction[j];
        if (fabs(state->moments[k]) <= NONE * most) {
            beside += along * along;
            continue;
        }
        instant->constraint += along * along / state->moments[k] / 2;
        for (size_t j = 0; j < n; j++)
            free[j] -= state->scale[j] * axis[j] * along / state->moments[k];
    }
    instant->has_free = sqrt(beside) <= ROUNDING * sqrt(size) || beside == 0;
}

// ---- The whole.

static Status make_instant(Run *run, Diag *diag, RunInstantRoom *own, RunInstant *instant)
{
    const Numbers *numbers = &run->numbers;
    State state;
    own->reactions = motion_reactions(run->motion);
    instant->reactions = own->reactions;
    instant->has_energy = !expr_is_none(run->motion->energy);
    TRY(evaluate_quantities(run, own, diag, instant));
    make_state(numbers, own, &state);
    bool *redundant = room(own, numbers->m, sizeof *redundant);
    find_redundant(&state, own, redundant);
    instant->redundant = redundant;
    judge_rows(&state, instant);
    judge_inertia(&state, instant);
    find_free(numbers, &run->sides, own, &state, instant);
    instant->sides = run->sides.told;
    return STATUS_OK;
}

Status run_instant(Run *run, Diag *diag, RunInstantRoom **out, RunInstant *instant)
{
    RunInstantRoom *own = base_alloc(sizeof *own);
    own->arena = arena_new();
    *instant = (RunInstant){0};
    Status status = make_instant(run, diag, own, instant);
    *out = own;
    return status;
}

void run_instant_free(RunInstantRoom *instant)
{
    if (!instant)
        return;
    motion_reactions_free(instant->reactions);
    arena_free(instant->arena);
    base_free(instant);
}
