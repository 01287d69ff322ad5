// balance.c: Newton's and Euler's laws for each mass and body, and for the whole system.
//
// A condition that holds by itself (the hoop cannot leave the floor, because its coordinates do
// not let it) has no multiplier, but what keeps it is real. It is found from the balance of forces
// and moments on the whole system, which is allowed exactly where nothing else keeps the system in
// a way that the coordinates hide: every motion of the whole system as one rigid body that obeys
// those conditions must be one that the coordinates can make. That is a question of ranks, and is
// decided exactly: with J the velocities (of masses, bodies, loads and conditions) that the
// coordinates make, E those of the rigid motions and C the conditions that hold by themselves,
// rank(J E) − rank J = rank C. Where that is so for the translations at least (a disc that rolls
// upright along a line), the forces are still found, and what else keeps the system is a couple.
#include "motion/motion_impl.h"

#include <string.h>

// ---- Each mass and body.

static Vec applied_to(Motion *motion, const char *on, Vector centre, Arena *arena, Vec *moment)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    Vec force = {zero, zero, zero};
    *moment = force;
    for (size_t i = 0; i < model->forces_at.count; i++) {
        const ModelForceAt *load = &model->forces_at.at[i];
        Vec own = motion_world(motion, load->force);
        const char *owner = owner_of(motion, arena, load->position, &own, 1);
        if (!owner || !str_equal(str_of(owner), str_of(on)))
            continue;
        Vec arm = motion_world(motion, vector_sub(model->vectors, load->position, centre));
        force = vec_plus(pool, force, own);
        *moment = vec_plus(pool, *moment, vec_cross(pool, arm, own));
    }
    for (size_t i = 0; i < model->torques.count; i++)
        if (str_equal(str_of(model->bodies.at[model->torques.at[i].body].name), str_of(on)))
            *moment = vec_plus(pool, *moment, motion_world(motion, model->torques.at[i].torque));
    return force;
}

// m·(a − g), along world's axes.
static Vec inertia_without_weight(Motion *motion, Expr mass, Vector position)
{
    Vectors *vectors = motion->model->vectors;
    Vector a = vector_rate(vectors, vector_rate(vectors, position));
    Vec felt = motion_world(motion, vector_sub(vectors, a, motion->model->gravity));
    return vec_scale(motion->pool, mass, felt);
}

static Vec minus(ExprPool *pool, Vec a, Vec b)
{
    return vec_plus(pool, a, vec_scale(pool, expr_int(pool, -1), b));
}

static void add_unplaced(const Motion *motion, MotionReactions *reactions)
{
    const Model *model = motion->model;
    const struct {
        bool there;
        const char *name;
    } loads[] = {{!expr_is_zero(motion->pool, model->potential), "potential"},
                 {!expr_is_zero(motion->pool, model->kinetic), "kinetic"},
                 {!expr_is_zero(motion->pool, model->lagrangian), "lagrangian"},
                 {!expr_is_zero(motion->pool, model->acceleration_energy), "acceleration_energy"},
                 {!expr_is_zero(motion->pool, model->dissipation), "dissipation"},
                 {model->forces_along.count > 0, "force along"}};
    Text names = {0};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (loads[i].there)
            text_addf(&names, "%s%s", names.length ? ", " : "", loads[i].name);
    if (names.length > 0)
        reactions->unplaced = arena_copy_text(reactions->arena, names.at, names.length);
    text_clear(&names);
}

void balance_totals(Motion *motion, MotionReactions *reactions)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    Vec moment;
    add_unplaced(motion, reactions);
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        MotionTotal total = {.on = motion_mass_name(motion, reactions->arena, i),
                             .position = mass->position};
        Vec applied = applied_to(motion, total.on, mass->position, reactions->arena, &moment);
        total.force =
            minus(pool, inertia_without_weight(motion, mass->mass, mass->position), applied);
        total.couple = (Vec){expr_int(pool, 0), expr_int(pool, 0), expr_int(pool, 0)};
        array_push(&reactions->totals, total);
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!body->has_position || (expr_is_zero(pool, body->mass) && !body->has_inertia))
            continue;
        MotionTotal total = {.on = body->name, .position = body->position};
        Vec applied = applied_to(motion, body->name, body->position, reactions->arena, &moment);
        total.force =
            minus(pool, inertia_without_weight(motion, body->mass, body->position), applied);
        total.couple = (Vec){expr_int(pool, 0), expr_int(pool, 0), expr_int(pool, 0)};
        total.turns = body->has_inertia;
        if (total.turns) {
            Vec omega, couple;
            motion_spin(motion, body, &omega, &couple);
            Vector turning = vector_of(model->vectors, body->inertia_frame, couple);
            total.couple = minus(pool, motion_world(motion, turning), moment);
        }
        array_push(&reactions->totals, total);
    }
}

// ---- The whole system.

typedef struct {
    Motion *motion;
    size_t columns;    // n + 6
    ARRAY(Expr) cells; // rows of (J E)
} Table;

// A scalar row: what the coordinates do, and what the rigid motions do.
static void push_row(Table *table, const Expr *by_coordinates, Vec force, Vec moment)
{
    for (size_t nu = 0; nu < table->motion->n; nu++)
        array_push(&table->cells, by_coordinates[nu]);
    const Expr twist[] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (size_t i = 0; i < 6; i++)
        array_push(&table->cells, twist[i]);
}

static Vec axis(ExprPool *pool, int index)
{
    return (Vec){expr_int(pool, index == 0), expr_int(pool, index == 1),
                 expr_int(pool, index == 2)};
}

// The velocity of a point (position given) or the angular velocity of a body, along `along`.
static void push_velocity(Table *table, Vector velocity, const Vector *position, Vec along)
{
    Motion *motion = table->motion;
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns), none = {zero, zero, zero};
    Expr *row = base_alloc((motion->n + 1) * sizeof *row);
    motion_jacobian(motion, velocity, columns);
    for (size_t nu = 0; nu < motion->n; nu++)
        row[nu] = vec_dot(pool, columns[nu], along);
    if (position)
        push_row(table, row, along, vec_cross(pool, motion_world(motion, *position), along));
    else
        push_row(table, row, none, along);
    base_free(columns);
    base_free(row);
}

static void push_masses(Table *table)
{
    const Model *model = table->motion->model;
    ExprPool *pool = table->motion->pool;
    Vectors *vectors = model->vectors;
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < model->masses.count; j++)
            push_velocity(table, vector_rate(vectors, model->masses.at[j].position),
                          &model->masses.at[j].position, axis(pool, i));
        for (size_t j = 0; j < model->bodies.count; j++) {
            const ModelBody *body = &model->bodies.at[j];
            if (!expr_is_zero(pool, body->mass))
                push_velocity(table, vector_rate(vectors, body->position), &body->position,
                              axis(pool, i));
            if (body->has_inertia)
                push_velocity(table, frame_omega(vectors, body->frame), NULL, axis(pool, i));
        }
    }
}

static void push_loads(Table *table, const Wrenches *wrenches)
{
    Motion *motion = table->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_at.count; i++) {
        const ModelForceAt *load = &model->forces_at.at[i];
        push_velocity(table, vector_rate(model->vectors, load->position), &load->position,
                      motion_world(motion, load->force));
    }
    for (size_t i = 0; i < model->torques.count; i++)
        push_velocity(
            table, frame_omega(model->vectors, model->bodies.at[model->torques.at[i].body].frame),
            NULL, motion_world(motion, model->torques.at[i].torque));
    for (size_t i = 0; i < wrenches->count; i++)
        if (wrenches->at[i].row)
            push_row(table, wrenches->at[i].row->b, wrenches->at[i].force, wrenches->at[i].moment);
}

// The rank of the first columns of a table; −1 where it cannot be decided.
static ptrdiff_t rank_of(const Table *table, size_t columns)
{
    size_t rows = table->cells.count / table->columns;
    if (rows == 0)
        return 0;
    Expr *matrix = base_alloc((rows * columns + 1) * sizeof *matrix);
    for (size_t i = 0; i < rows; i++)
        memcpy(matrix + i * columns, table->cells.at + i * table->columns, columns * sizeof(Expr));
    ptrdiff_t rank = algebra_rank(table->motion->algebra, matrix, rows, columns, NULL, NULL, NULL);
    base_free(matrix);
    return rank;
}

// How many of the rigid motions the coordinates hide: of the translations, and of all.
typedef struct {
    ptrdiff_t translations, all; // −1 where it cannot be decided
} Hidden;

static Hidden count_hidden(Motion *motion, const Wrenches *wrenches)
{
    Table table = {.motion = motion, .columns = motion->n + 6};
    push_masses(&table);
    push_loads(&table, wrenches);
    ptrdiff_t own = rank_of(&table, motion->n), part = rank_of(&table, motion->n + 3);
    ptrdiff_t whole = rank_of(&table, motion->n + 6);
    array_clear(&table.cells);
    bool decided = own >= 0 && part >= 0 && whole >= 0;
    return decided ? (Hidden){part - own, whole - own} : (Hidden){-1, -1};
}

// What the reactions of the whole system add up to, about the origin: its inertia without weight
// and loads, less what the multipliers account for.
static void demand(Motion *motion, const MotionReactions *reactions, const Wrenches *wrenches,
                   Expr *out)
{
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    Vec force = {zero, zero, zero}, moment = force;
    for (size_t i = 0; i < reactions->totals.count; i++) {
        const MotionTotal *total = &reactions->totals.at[i];
        Vec arm = motion_world(motion, total->position);
        force = vec_plus(pool, force, total->force);
        moment = vec_plus(pool, moment,
                          vec_plus(pool, total->couple, vec_cross(pool, arm, total->force)));
    }
    for (size_t i = 0; i < wrenches->count; i++)
        if (wrenches->at[i].row) {
            Expr lambda = expr_neg(pool, wrenches->at[i].constraint->lambda);
            force = vec_plus(pool, force, vec_scale(pool, lambda, wrenches->at[i].force));
            moment = vec_plus(pool, moment, vec_scale(pool, lambda, wrenches->at[i].moment));
        }
    const Expr parts[] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    memcpy(out, parts, sizeof parts);
}

// Every given force acts on a mass or body of the model, so that the totals know of it.
static bool loads_are_owned(Motion *motion, Arena *arena)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_at.count; i++) {
        Vec force = motion_world(motion, model->forces_at.at[i].force);
        if (!owner_of(motion, arena, model->forces_at.at[i].position, &force, 1))
            return false;
    }
    return true;
}

static void solve_unknowns(Motion *motion, const Wrenches *wrenches, const size_t *unknowns,
                           size_t count, const Expr *asked, Expr *values)
{
    // The columns of C are what the unknowns do; as many rows of it as there are unknowns.
    Expr *matrix = base_alloc((6 * count + 1) * sizeof *matrix);
    Expr *square = base_alloc((count * count + 1) * sizeof *square);
    Expr *right = base_alloc((count + 1) * sizeof *right);
    Expr *solution = base_alloc((count + 1) * sizeof *solution);
    for (size_t j = 0; j < count; j++) {
        const Wrench *wrench = &wrenches->at[unknowns[j]];
        const Expr parts[] = {wrench->force.x,  wrench->force.y,  wrench->force.z,
                              wrench->moment.x, wrench->moment.y, wrench->moment.z};
        for (size_t i = 0; i < 6; i++)
            matrix[i * count + j] = parts[i];
    }
    bool independent[6];
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, 6, count, NULL, independent, NULL);
    ptrdiff_t forces = independent[0] + independent[1] + independent[2];
    Hidden hidden = count_hidden(motion, wrenches);
    bool determined = rank == (ptrdiff_t)count &&
                      (rank == hidden.all || (rank == forces && rank == hidden.translations));
    if (determined) {
        size_t at = 0;
        for (size_t i = 0; i < 6; i++)
            if (independent[i]) {
                memcpy(square + at * count, matrix + i * count, count * sizeof *square);
                right[at++] = asked[i];
            }
        if (algebra_solve(motion->algebra, square, right, count, 1, solution))
            for (size_t j = 0; j < count; j++)
                values[unknowns[j]] = solution[j];
    }
    base_free(matrix);
    base_free(square);
    base_free(right);
    base_free(solution);
}

void balance_solve(Motion *motion, const MotionReactions *reactions, const Wrenches *wrenches,
                   Expr *values)
{
    size_t *unknowns = base_alloc((wrenches->count + 1) * sizeof *unknowns), count = 0;
    bool placed = !reactions->unplaced && loads_are_owned(motion, reactions->arena);
    for (size_t i = 0; i < wrenches->count; i++) {
        const Wrench *wrench = &wrenches->at[i];
        placed = placed && wrench->placed;
        if (wrench->row)
            values[i] = wrench->constraint->lambda;
        else if (!vec_vanishes(motion->pool, wrench->force) ||
                 !vec_vanishes(motion->pool, wrench->moment))
            unknowns[count++] = i;
    }
    if (placed && count > 0 && count <= 6) {
        Expr asked[6];
        demand(motion, reactions, wrenches, asked);
        solve_unknowns(motion, wrenches, unknowns, count, asked, values);
    }
    base_free(unknowns);
}
