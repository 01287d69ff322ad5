// balance.c: Newton's and Euler's laws for each mass and body, and for the whole system.
//
// A condition that holds by itself (the hoop cannot leave the floor, because its coordinates do
// not let it) has no multiplier, but what keeps it is real. It is found from the balance of forces
// and moments on the whole system, which is allowed where no other force keeps the system in a way
// that the coordinates hide: every translation of the whole system that obeys those conditions must
// be a motion that the coordinates can make. That is a question of ranks, and is decided exactly:
// with J the velocities (of masses, bodies, loads and conditions) that the coordinates make, E
// those of the translations and C the forces of the conditions that hold by themselves,
// rank(J E) − rank J = rank C. Of the moments these conditions take what they can; what is left,
// if anything, is a couple that is hidden (a disc that rolls upright along a line).
#include "motion/motion_impl.h"
#include "motion/reactions.h"
#include "motion/spin.h"

#include <string.h>

// ---- Each mass and body.

// Whether Newton's and Euler's laws are written for a body: a part without inertia has none.
static bool has_total(const Motion *motion, const ModelBody *body)
{
    return body->has_position && (!expr_is_zero(motion->pool, body->mass) || body->has_inertia);
}

// Which mass or body a given force acts on; NULL where none is known.
static const char *load_owner(Motion *motion, Arena *arena, const ModelForceAt *load)
{
    const ModelBody *body = &motion->model->bodies.at[load->point.body];
    if (load->point.on == LOAD_ON_BODY)
        return has_total(motion, body) ? body->name : NULL;
    Vec force = motion_world(motion, load->force);
    return owner_of(motion, arena, load->point.position, &force, 1);
}

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
        const char *owner = load_owner(motion, arena, load);
        if (!owner || !str_equal(str_of(owner), str_of(on)))
            continue;
        Vec arm = motion_world(motion, vector_sub(model->vectors, load->point.position, centre));
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
        if (!has_total(motion, body))
            continue;
        MotionTotal total = {.on = body->name, .position = body->position};
        Vec applied = applied_to(motion, body->name, body->position, reactions->arena, &moment);
        total.force =
            minus(pool, inertia_without_weight(motion, body->mass, body->position), applied);
        total.couple = vec_scale(pool, expr_int(pool, -1), moment);
        total.turns = body->has_inertia || !vec_is_zero(pool, moment);
        if (body->has_inertia) {
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
    size_t columns;    // n + 3
    ARRAY(Expr) cells; // rows of (J E)
} Table;

// A scalar row: what the coordinates do, and what the translations do.
static void push_row(Table *table, const Expr *by_coordinates, Vec force)
{
    for (size_t nu = 0; nu < table->motion->n; nu++)
        array_push(&table->cells, by_coordinates[nu]);
    array_push(&table->cells, force.x);
    array_push(&table->cells, force.y);
    array_push(&table->cells, force.z);
}

static Vec axis(ExprPool *pool, int index)
{
    return (Vec){expr_int(pool, index == 0), expr_int(pool, index == 1),
                 expr_int(pool, index == 2)};
}

// The velocity of a point, or the angular velocity of a body, along `along`.
static void push_velocity(Table *table, Vector velocity, bool turning, Vec along)
{
    Motion *motion = table->motion;
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns), none = {zero, zero, zero};
    Expr *row = base_alloc((motion->n + 1) * sizeof *row);
    motion_jacobian(motion, velocity, columns);
    for (size_t nu = 0; nu < motion->n; nu++)
        row[nu] = vec_dot(pool, columns[nu], along);
    push_row(table, row, turning ? none : along);
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
            push_velocity(table, vector_rate(vectors, model->masses.at[j].position), false,
                          axis(pool, i));
        for (size_t j = 0; j < model->bodies.count; j++) {
            const ModelBody *body = &model->bodies.at[j];
            if (!expr_is_zero(pool, body->mass))
                push_velocity(table, vector_rate(vectors, body->position), false, axis(pool, i));
            if (body->has_inertia)
                push_velocity(table, frame_omega(vectors, body->frame), true, axis(pool, i));
        }
    }
}

static void push_loads(Table *table, const Wrenches *wrenches)
{
    Motion *motion = table->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_at.count; i++) {
        const ModelForceAt *load = &model->forces_at.at[i];
        push_velocity(table, motion_load_velocity(motion, &load->point), false,
                      motion_world(motion, load->force));
    }
    for (size_t i = 0; i < model->torques.count; i++)
        push_velocity(
            table, frame_omega(model->vectors, model->bodies.at[model->torques.at[i].body].frame),
            true, motion_world(motion, model->torques.at[i].torque));
    for (size_t i = 0; i < wrenches->count; i++)
        if (wrenches->at[i].row)
            push_row(table, wrenches->at[i].row->d, wrenches->at[i].force);
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

// How many of the translations of the whole system the coordinates hide; −1 where it cannot be
// decided.
static ptrdiff_t hidden_translations(Motion *motion, const Wrenches *wrenches)
{
    Table table = {.motion = motion, .columns = motion->n + 3};
    push_masses(&table);
    push_loads(&table, wrenches);
    ptrdiff_t own = rank_of(&table, motion->n), whole = rank_of(&table, motion->n + 3);
    array_clear(&table.cells);
    return own < 0 || whole < 0 ? -1 : whole - own;
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
            Expr lambda = expr_neg(pool, motion_multiplier(motion, wrenches->at[i].constraint));
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
    for (size_t i = 0; i < model->forces_at.count; i++)
        if (!load_owner(motion, arena, &model->forces_at.at[i]))
            return false;
    return true;
}

// The unknowns as what they do: columns of C, six rows, the moments about one point near them.
typedef struct {
    size_t count;
    Expr *C;       // 6 × count
    Expr asked[6]; // what they have to add up to
    bool rows[6];  // which are independent of those before
    size_t forces; // how many of the first three are
} Unknowns;

// Moments about the first place: short where it is near what acts.
static Vec moment_about(Motion *motion, Vec centre, Vec force, Vec moment)
{
    ExprPool *pool = motion->pool;
    Vec moved = minus(pool, moment, vec_cross(pool, centre, force));
    return (Vec){algebra_simplify(motion->algebra, moved.x),
                 algebra_simplify(motion->algebra, moved.y),
                 algebra_simplify(motion->algebra, moved.z)};
}

static void fill_unknowns(Motion *motion, const Wrenches *wrenches, const size_t *which,
                          const Expr *asked, Unknowns *unknowns)
{
    size_t count = unknowns->count;
    Vec centre = wrenches->at[which[0]].centre;
    for (size_t j = 0; j < count; j++) {
        const Wrench *wrench = &wrenches->at[which[j]];
        Vec moment = moment_about(motion, centre, wrench->force, wrench->moment);
        const Expr parts[] = {wrench->force.x, wrench->force.y, wrench->force.z,
                              moment.x,        moment.y,        moment.z};
        for (size_t i = 0; i < 6; i++)
            unknowns->C[i * count + j] = parts[i];
    }
    Vec force = {asked[0], asked[1], asked[2]};
    Vec moment = minus(motion->pool, (Vec){asked[3], asked[4], asked[5]},
                       vec_cross(motion->pool, centre, force));
    memcpy(unknowns->asked, asked, 3 * sizeof *asked);
    unknowns->asked[3] = moment.x;
    unknowns->asked[4] = moment.y;
    unknowns->asked[5] = moment.z;
}

// Σ over three rows, from `first` on, of C[i][a]·(C[i][b], or what is asked).
static Expr product_of_rows(Motion *motion, const Unknowns *unknowns, size_t a, ptrdiff_t b)
{
    Expr terms[3];
    for (size_t i = 0; i < 3; i++) {
        size_t row = 3 + i;
        Expr other = b < 0 ? unknowns->asked[row] : unknowns->C[row * unknowns->count + (size_t)b];
        terms[i] = expr_mul(motion->pool, unknowns->C[row * unknowns->count + a], other);
    }
    return expr_sum(motion->pool, terms, 3);
}

// The forces must add up to what is asked for; of the moments as much as the unknowns can give,
// so that the couple left over, which something hidden keeps, is the shortest.
static bool solve_unknowns(Motion *motion, const Unknowns *unknowns, Expr *solution)
{
    ExprPool *pool = motion->pool;
    size_t s = unknowns->count, f = unknowns->forces, size = s == f ? s : s + f, at = 0;
    Expr *matrix = base_alloc((size * size + 1) * sizeof *matrix);
    Expr *right = base_alloc((size + 1) * sizeof *right);
    Expr *found = base_alloc((size + 1) * sizeof *found);
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = expr_int(pool, 0);
    for (size_t i = 0; i < 3; i++) {
        if (!unknowns->rows[i])
            continue;
        for (size_t j = 0; j < s; j++) {
            matrix[at * size + j] = unknowns->C[i * s + j];
            if (size > s)
                matrix[(f + j) * size + s + at] = unknowns->C[i * s + j];
        }
        right[at++] = unknowns->asked[i];
    }
    for (size_t a = 0; a < s && size > s; a++) {
        for (size_t b = 0; b < s; b++)
            matrix[(f + a) * size + b] = product_of_rows(motion, unknowns, a, (ptrdiff_t)b);
        right[f + a] = product_of_rows(motion, unknowns, a, -1);
    }
    bool solved = algebra_solve(motion->algebra, matrix, right, size, 1, found);
    memcpy(solution, found, s * sizeof *solution);
    base_free(matrix);
    base_free(right);
    base_free(found);
    return solved;
}

// The axes of the world along which nothing is asked for and no unknown acts: in a plane problem
// whatever is hidden across the plane is not pushed.
static size_t idle_axes(Motion *motion, const Unknowns *unknowns)
{
    size_t idle = 0;
    for (size_t i = 0; i < 3; i++) {
        bool acts = !motion_is_zero(motion, unknowns->asked[i]);
        for (size_t j = 0; j < unknowns->count && !acts; j++)
            acts = !motion_is_zero(motion, unknowns->C[i * unknowns->count + j]);
        idle += !acts;
    }
    return idle;
}

static void find_unknowns(Motion *motion, const Wrenches *wrenches, const size_t *which,
                          size_t count, const Expr *asked, Expr *values)
{
    Unknowns unknowns = {.count = count};
    unknowns.C = base_alloc((6 * count + 1) * sizeof *unknowns.C);
    Expr *solution = base_alloc((count + 1) * sizeof *solution);
    fill_unknowns(motion, wrenches, which, asked, &unknowns);
    ptrdiff_t rank = algebra_rank(motion->algebra, unknowns.C, 6, count, NULL, unknowns.rows, NULL);
    unknowns.forces = (size_t)(unknowns.rows[0] + unknowns.rows[1] + unknowns.rows[2]);
    if (rank == (ptrdiff_t)count &&
        hidden_translations(motion, wrenches) ==
            (ptrdiff_t)(unknowns.forces + idle_axes(motion, &unknowns)) &&
        solve_unknowns(motion, &unknowns, solution))
        for (size_t j = 0; j < count; j++)
            values[which[j]] = solution[j];
    base_free(unknowns.C);
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
            values[i] = motion_multiplier(motion, wrench->constraint);
        else if (!vec_is_zero(motion->pool, wrench->force) ||
                 !vec_is_zero(motion->pool, wrench->moment))
            unknowns[count++] = i;
    }
    if (placed && count > 0 && count <= 6) {
        Expr asked[6];
        demand(motion, reactions, wrenches, asked);
        find_unknowns(motion, wrenches, unknowns, count, asked, values);
    }
    base_free(unknowns);
}
