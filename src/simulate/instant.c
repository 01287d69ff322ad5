// instant.c: everything about one state: reactions, Gauss's function, redundancy,
// conditioning.
//
// Velocities are measured by their inertia (x̂ = √𝓜_νν·x), so that units do not matter. With the
// reactions r = gᵀλ (dᵀλ with servos), 𝓜(a − a°) = r: Gauss's function is ½ r·𝓜⁺·r. Where 𝓜 is
// singular (a quaternion's length) that is still so as long as the reactions do not push where
// there is no inertia; else there is no motion without reactions.
#include "simulate/instant.h"
#include "dynamics/second_class/second_class.h"
#include "expr/expr.h"
#include "linalg/dense.h"
#include "linalg/islands.h"
#include "model/constraint.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion.h"
#include "motion/reactions.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

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

static Status evaluate_quantities(const Simulation *sim, RunInstantRoom *own, Diag *diag,
                                  RunInstant *instant)
{
    Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    const State *state = sim->base->state;
    const MotionReactions *reactions = own->reactions;
    size_t most = 2 + motion->model->speeds.count + motion->m +
                  9 * (reactions->at.count + reactions->totals.count) +
                  motion->n * reactions->generalized.count + motion->servos;
    Expr *outputs = base_alloc((most + 1) * sizeof *outputs), missing = {0};
    size_t count = push_quantities(motion, reactions, outputs);
    Evaluator evaluator = {0};
    Status status = STATUS_OK;
    if (evaluator_init(&evaluator, motion->pool, eq->symbols, eq->input_count, outputs, count,
                       &missing)) {
        evaluator_run(&evaluator, state->inputs);
        read_quantities(motion, own, evaluator.out, instant);
    } else {
        status = diag_error(diag, place_none(), "a reaction holds '%s', which has no value",
                            expr_name(motion->pool, missing));
    }
    evaluator_clear(&evaluator);
    base_free(outputs);
    return status;
}

// ---- Linear algebra at the state, velocities measured by their inertia: island by island, what
// neither inertia nor a condition ties together.

typedef struct {
    size_t n, m;
    const uint32_t *coordinates; // n of them
    const size_t *which;         // m rows
    double *scale;               // n: 1/√𝓜_νν
    double *inertia;             // n × n, scaled; then its principal axes, a column each
    double *moments;             // n
    double *rows;                // m × n, scaled to unit length, column after column
    double *singular;            // min(n, m)
    double *axes;                // n × n: right singular vectors, a row each
    size_t rank;
} IslandState;

// The largest and the smallest of some numbers.
typedef struct {
    double most, least;
} Spread;

static void widen(Spread *spread, double value)
{
    spread->most = fmax(spread->most, value);
    spread->least = fmin(spread->least, value);
}

// What the islands give together.
typedef struct {
    Spread conditions, inertia;
    double size, beside; // squares: of the forces, and of what of them meets no inertia
} Sums;

static size_t first_entry(const double *row, size_t n)
{
    size_t at = 0;
    while (at < n && row[at] == 0)
        at++;
    return at;
}

static void find_islands(const Equations *eq, const State *state, Islands *islands)
{
    size_t n = eq->n;
    const double *inertia = state->forces.out, *rows = state->velocities.out;
    islands_init(islands, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (inertia[i * n + j] != 0)
                islands_tie(islands, i, j);
    for (size_t i = 0; i < eq->m; i++)
        for (size_t first = first_entry(rows + i * n, n), j = first; j < n; j++)
            if (rows[i * n + j] != 0)
                islands_tie(islands, first, j);
    islands_number(islands);
}

// The rows of an island; one that vanishes here is nobody's.
static void find_rows(const Equations *eq, const State *state, const Islands *islands,
                      size_t island, RunInstantRoom *own, IslandState *part)
{
    size_t n = eq->n, *which = room(own, eq->m, sizeof *which);
    for (size_t i = 0; i < eq->m; i++) {
        size_t first = first_entry(state->velocities.out + i * n, n);
        if (first < n && islands->of[first] == island)
            which[part->m++] = i;
    }
    part->which = which;
}

static void measure(const Equations *eq, const State *state, IslandState *part)
{
    size_t all = eq->n;
    const double *inertia = state->forces.out;
    double most = 0;
    for (size_t i = 0; i < all; i++)
        most = fmax(most, fabs(inertia[i * all + i]));
    for (size_t i = 0; i < part->n; i++) {
        double moment = fabs(inertia[part->coordinates[i] * (all + 1)]);
        part->scale[i] = 1 / sqrt(moment > DBL_EPSILON * most ? moment : most > 0 ? most : 1);
    }
}

static void make_state(const Equations *eq, const State *state, const Islands *islands,
                       size_t island, RunInstantRoom *own, IslandState *part)
{
    size_t all = eq->n, n = islands->first[island + 1] - islands->first[island];
    const double *inertia = state->forces.out, *rows = state->velocities.out;
    *part = (IslandState){.n = n, .coordinates = islands->members + islands->first[island]};
    find_rows(eq, state, islands, island, own, part);
    size_t m = part->m;
    const uint32_t *at = part->coordinates;
    part->scale = room(own, n, sizeof(double));
    part->inertia = room(own, n * n, sizeof(double));
    part->moments = room(own, n, sizeof(double));
    part->rows = room(own, m * n, sizeof(double));
    part->singular = room(own, n + m, sizeof(double));
    part->axes = room(own, n * n, sizeof(double));
    measure(eq, state, part);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            part->inertia[j * n + i] =
                inertia[at[i] * all + at[j]] * part->scale[i] * part->scale[j];
    for (size_t i = 0; i < m; i++) {
        const double *row = rows + part->which[i] * all;
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += pow(row[at[j]] * part->scale[j], 2);
        for (size_t j = 0; j < n; j++)
            part->rows[j * m + i] = row[at[j]] * part->scale[j] / sqrt(square);
    }
}

// Which rows stand off the ones before them; the others are redundant at this state.
static void find_redundant(const IslandState *part, bool *redundant)
{
    size_t n = part->n, m = part->m;
    double *row = base_alloc((n + 1) * sizeof *row);
    Basis basis;
    basis_init(&basis, n);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            row[j] = part->rows[j * m + i];
        redundant[part->which[i]] = !basis_take(&basis, row, NONE);
    }
    basis_clear(&basis);
    base_free(row);
}

// Rank and condition of the rows by their singular values; `axes` become the directions.
static void judge_rows(IslandState *part, Sums *sums)
{
    size_t n = part->n, m = part->m, least = n < m ? n : m;
    for (size_t i = 0; i < n; i++)
        part->axes[i * n + i] = 1;
    if (m == 0)
        return;
    double *rest = base_alloc((least + 1) * sizeof *rest), none[1] = {0};
    lapack_int failed = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', (lapack_int)m, (lapack_int)n,
                                       part->rows, (lapack_int)m, part->singular, none,
                                       (lapack_int)m, part->axes, (lapack_int)n, rest);
    base_free(rest);
    while (!failed && part->rank < least && part->singular[part->rank] > NONE * part->singular[0])
        widen(&sums->conditions, part->singular[part->rank++]);
}

// The inertia on the velocities that the conditions leave free: the rows of Vᵀ behind the rank
// span them; column-major, so (row, column) stands at column·n + row.
static void reduce_inertia(const IslandState *part, double *reduced)
{
    size_t n = part->n, k = n - part->rank;
    double *half = base_alloc((k * n + 1) * sizeof *half);
    for (size_t a = 0; a < k; a++)
        for (size_t i = 0; i < n; i++) {
            double along = part->axes[i * n + part->rank + a];
            for (size_t j = 0; j < n && along != 0; j++)
                half[a * n + j] += along * part->inertia[j * n + i];
        }
    for (size_t a = 0; a < k; a++)
        for (size_t j = 0; j < n; j++)
            for (size_t b = 0; b < k && half[a * n + j] != 0; b++)
                reduced[a * k + b] += half[a * n + j] * part->axes[j * n + part->rank + b];
    base_free(half);
}

static void judge_inertia(const IslandState *part, Sums *sums)
{
    size_t k = part->n - part->rank;
    double *reduced = base_alloc((k * k + 1) * sizeof *reduced);
    double *moments = base_alloc((k + 1) * sizeof *moments);
    reduce_inertia(part, reduced);
    if (k > 0 && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)k, reduced, (lapack_int)k,
                               moments) == 0)
        for (size_t i = 0; i < k; i++)
            widen(&sums->inertia, fabs(moments[i]));
    base_free(reduced);
    base_free(moments);
}

// What conditions on accelerations do on a coordinate. Where their multipliers are not determined
// it is what the inertia asks for beyond the other conditions.
static double reaction_of_seconds(const Equations *eq, const State *state, size_t nu)
{
    size_t n = eq->n, m = eq->m;
    double own = second_class_reaction(state->second_class, state->lambda + m, nu);
    if (!isnan(own))
        return own;
    own = -state->force[nu];
    for (size_t j = 0; j < n; j++)
        own += state->forces.out[nu * n + j] * state->a[j];
    for (size_t i = 0; i < m; i++)
        own -= state->lambda[i] * state->velocities.out[i * n + nu];
    return own;
}

// What the conditions do to every coordinate. What keeps a quaternion's length is no force.
static void find_reactions(const Equations *eq, const State *state, const StartContacts *sides,
                           double *reaction)
{
    size_t n = eq->n;
    const double *directions = dynamics_directions(eq, state->forces.out);
    if (!directions)
        directions = state->velocities.out;
    start_contacts_add_reactions(sides, reaction);
    // What keeps a quaternion's length is no force.
    for (size_t i = 0; i < eq->m; i++)
        for (size_t j = 0; j < n && !eq->motion->rows[i].constraint->silent; j++)
            reaction[j] += state->lambda[i] * directions[i * n + j];
    for (size_t j = 0; j < n && state->second_class; j++)
        reaction[j] += reaction_of_seconds(eq, state, j);
}

// a − a° = 𝓜⁺r, and ½ r·𝓜⁺·r. False where that cannot be found.
static bool find_free(const State *state, const double *reactions, RunInstantRoom *own,
                      IslandState *part, Sums *sums, double *free, double *constraint)
{
    size_t n = part->n;
    double *reaction = room(own, n, sizeof(double)), most = 0;
    for (size_t j = 0; j < n; j++) {
        uint32_t at = part->coordinates[j];
        double given = state->force[at] * part->scale[j];
        reaction[j] = reactions[at] * part->scale[j];
        sums->size += reaction[j] * reaction[j] + given * given;
        free[at] = state->a[at];
    }
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, part->inertia, (lapack_int)n,
                      part->moments) != 0)
        return false;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(part->moments[k]));
    for (size_t k = 0; k < n; k++) {
        const double *axis = part->inertia + k * n;
        double along = 0;
        for (size_t j = 0; j < n; j++)
            along += axis[j] * reaction[j];
        if (fabs(part->moments[k]) <= NONE * most) {
            sums->beside += along * along;
            continue;
        }
        *constraint += along * along / part->moments[k] / 2;
        for (size_t j = 0; j < n; j++)
            free[part->coordinates[j]] -= part->scale[j] * axis[j] * along / part->moments[k];
    }
    return true;
}

static double ratio_of(Spread spread)
{
    if (spread.most < spread.least)
        return 1;
    return spread.least > 0 ? spread.most / spread.least : INFINITY;
}

static void judge(const Equations *eq, const State *state, const StartContacts *sides,
                  RunInstantRoom *own, RunInstant *instant)
{
    Islands islands;
    Spread empty = {.most = 0, .least = INFINITY};
    Sums sums = {.conditions = empty, .inertia = empty};
    bool *redundant = room(own, eq->m, sizeof *redundant), found = true;
    double *free = room(own, eq->n, sizeof *free);
    double *reactions = room(own, eq->n, sizeof *reactions);
    find_reactions(eq, state, sides, reactions);
    find_islands(eq, state, &islands);
    memset(redundant, true, eq->m * sizeof *redundant);
    for (size_t k = 0; k < islands.islands; k++) {
        IslandState part;
        make_state(eq, state, &islands, k, own, &part);
        find_redundant(&part, redundant);
        judge_rows(&part, &sums);
        judge_inertia(&part, &sums);
        found = find_free(state, reactions, own, &part, &sums, free, &instant->constraint) && found;
        instant->rank += part.rank;
    }
    islands_clear(&islands);
    instant->redundant = redundant;
    instant->conditions = ratio_of(sums.conditions);
    instant->inertia = ratio_of(sums.inertia);
    instant->free = free;
    instant->has_free =
        found && (sqrt(sums.beside) <= ROUNDING * sqrt(sums.size) || sums.beside == 0);
}

// ---- The whole.

static Status make_instant(Simulation *sim, Diag *diag, RunInstantRoom *own, RunInstant *instant)
{
    const Equations *eq = sim->base->eq;
    const State *state = sim->base->state;
    bool *kept = room(own, sim->contacts->told.count, sizeof *kept);
    for (size_t i = 0; i < sim->contacts->told.count; i++)
        kept[i] = sim->contacts->at[i].kept;
    own->reactions = motion_reactions(sim->motion, kept);
    instant->reactions = own->reactions;
    instant->has_energy = !expr_is_none(sim->motion->energy);
    TRY(evaluate_quantities(sim, own, diag, instant));
    judge(eq, state, sim->contacts, own, instant);
    start_contacts_rule(sim->contacts, state);
    instant->sides = sim->contacts->told;
    if (sim->branches)
        instant->branches = sim->branches->told;
    if (instant->branches.count > 0)
        instant->constraint = instant->branches.at[instant->branches.taken].constraint;
    return STATUS_OK;
}

Status run_instant(Simulation *sim, Diag *diag, RunInstantRoom **out, RunInstant *instant)
{
    RunInstantRoom *own = base_alloc(sizeof *own);
    own->arena = arena_new();
    *instant = (RunInstant){0};
    Status status = make_instant(sim, diag, own, instant);
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
