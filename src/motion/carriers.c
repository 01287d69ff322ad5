// carriers.c: a condition that is written in coordinates, as forces and couples.
//
// x² + z² = L² says nothing of the particle at (x, 0, z), and yet it is that particle which is
// held. Where every coordinate of a row moves one mass, or one body's centre, or turns one body,
// and nothing else, the force F on it obeys F·∂v/∂q'_ν = b_ν; the shortest one is taken: it has no
// part across the motions that the coordinates allow, for these are not this condition's work.
#include "motion/motion_impl.h"
#include "motion/reactions.h"

#include <string.h>

typedef struct {
    const char *on, *at;
    Vector position; // none for the turning of a body
    size_t count;    // of the coordinates that move it
    size_t *moving;  // these
    Vec *columns;    // ∂v/∂q' or ∂ω/∂q' by each of them
} Carrier;

struct Carriers {
    Carrier *at;
    size_t count;
    size_t *movers; // of each coordinate: how many carriers it moves
    size_t *last;   // and the last of these
};
typedef struct Carriers Carriers;

static void push_carrier(Motion *motion, Arena *arena, Carriers *carriers, Carrier carrier,
                         Vector velocity)
{
    size_t n = motion->n;
    Vec *columns = base_alloc((n + 1) * sizeof *columns);
    motion_jacobian(motion, velocity, columns);
    for (size_t nu = 0; nu < n; nu++)
        carrier.count += !vec_is_zero(motion->pool, columns[nu]);
    carrier.moving = arena_alloc(arena, (carrier.count + 1) * sizeof *carrier.moving);
    carrier.columns = arena_alloc(arena, (carrier.count + 1) * sizeof *carrier.columns);
    for (size_t nu = 0, at = 0; nu < n; nu++) {
        if (vec_is_zero(motion->pool, columns[nu]))
            continue;
        carrier.moving[at] = nu;
        carrier.columns[at++] = columns[nu];
        carriers->movers[nu]++;
        carriers->last[nu] = carriers->count;
    }
    base_free(columns);
    carriers->at[carriers->count++] = carrier;
}

static const char *point_name(const Model *model, Vector position)
{
    for (size_t i = 0; i < model->points.count; i++)
        if (model->points.at[i].position.at == position.at)
            return model->points.at[i].name;
    return NULL;
}

static Carriers *gather(Motion *motion, Arena *arena)
{
    const Model *model = motion->model;
    Vectors *vectors = model->vectors;
    Carriers *carriers = arena_alloc(arena, sizeof *carriers);
    size_t most = model->masses.count + 2 * model->bodies.count;
    carriers->at = arena_alloc(arena, (most + 1) * sizeof *carriers->at);
    carriers->movers = arena_alloc(arena, (motion->n + 1) * sizeof *carriers->movers);
    carriers->last = arena_alloc(arena, (motion->n + 1) * sizeof *carriers->last);
    for (size_t i = 0; i < model->masses.count; i++) {
        Vector position = model->masses.at[i].position;
        Carrier carrier = {motion_mass_name(motion, arena, i),
                           point_name(model, position),
                           position,
                           0,
                           NULL,
                           NULL};
        push_carrier(motion, arena, carriers, carrier, vector_rate(vectors, position));
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (body->has_position) {
            const char *at = point_name(model, body->position);
            Carrier centre = {body->name, at ? at : "its centre of mass", body->position, 0, NULL,
                              NULL};
            push_carrier(motion, arena, carriers, centre, vector_rate(vectors, body->position));
        }
        Carrier turning = {.on = body->name};
        push_carrier(motion, arena, carriers, turning, frame_omega(vectors, body->frame));
    }
    return carriers;
}

// The only carrier that a coordinate moves, or NULL.
static const Carrier *only_carrier(const Carriers *carriers, size_t nu)
{
    return carriers->movers[nu] == 1 ? &carriers->at[carriers->last[nu]] : NULL;
}

// F = Σ c_ν ∂v/∂q'_ν with F·∂v/∂q'_ν = row_ν for every coordinate that moves the carrier.
static bool shortest_force(Motion *motion, const Carrier *carrier, const Expr *row, Vec *force)
{
    ExprPool *pool = motion->pool;
    size_t count = carrier->count;
    Expr zero = expr_int(pool, 0), matrix[9], right[3], weights[3];
    if (count > 3)
        return false;
    for (size_t i = 0; i < count; i++) {
        right[i] = row[carrier->moving[i]];
        for (size_t j = 0; j < count; j++) {
            Expr product = vec_dot(pool, carrier->columns[i], carrier->columns[j]);
            matrix[i * count + j] = algebra_simplify(motion->algebra, product);
        }
    }
    if (!algebra_solve(motion->algebra, matrix, right, count, 1, weights))
        return false;
    *force = (Vec){zero, zero, zero};
    for (size_t i = 0; i < count; i++)
        *force = vec_plus(pool, *force, vec_scale(pool, weights[i], carrier->columns[i]));
    force->x = algebra_simplify(motion->algebra, force->x);
    force->y = algebra_simplify(motion->algebra, force->y);
    force->z = algebra_simplify(motion->algebra, force->z);
    return true;
}

static MotionReaction reaction_on(Motion *motion, const Carrier *carrier,
                                  const ModelConstraint *constraint, Vec force)
{
    Expr zero = expr_int(motion->pool, 0);
    Vec none = {zero, zero, zero},
        acting = vec_scale(motion->pool, motion_multiplier(motion, constraint), force);
    bool couple = carrier->position.at == 0;
    return (MotionReaction){.condition = constraint->name,
                            .at = carrier->at,
                            .on = carrier->on,
                            .position = carrier->position,
                            .force = couple ? none : acting,
                            .couple = couple ? acting : none,
                            .has_force = !couple,
                            .has_couple = couple};
}

static void add_to_wrench(Motion *motion, const Carrier *carrier, Vec force, Wrench *wrench)
{
    ExprPool *pool = motion->pool;
    if (carrier->position.at == 0) {
        wrench->moment = vec_plus(pool, wrench->moment, force);
        return;
    }
    Vec arm = motion_world(motion, carrier->position);
    wrench->force = vec_plus(pool, wrench->force, force);
    wrench->moment = vec_plus(pool, wrench->moment, vec_cross(pool, arm, force));
}

static bool place_row(Motion *motion, MotionReactions *reactions, const Carriers *carriers,
                      const ModelConstraint *constraint, const Expr *row, Wrench *wrench)
{
    size_t n = motion->n, before = reactions->at.count;
    Wrench found = *wrench;
    Expr *part = base_alloc((n + 1) * sizeof *part);
    bool *done = base_alloc((n + 1) * sizeof *done);
    bool good = true;
    for (size_t nu = 0; nu < n && good; nu++) {
        if (done[nu] || expr_is_zero(motion->pool, row[nu]))
            continue;
        const Carrier *carrier = only_carrier(carriers, nu);
        for (size_t j = 0; j < n && carrier; j++) {
            bool own = !expr_is_zero(motion->pool, row[j]) && only_carrier(carriers, j) == carrier;
            part[j] = own ? row[j] : expr_int(motion->pool, 0);
            done[j] = done[j] || own;
        }
        Vec force;
        good = carrier && shortest_force(motion, carrier, part, &force);
        if (good) {
            array_push(&reactions->at, reaction_on(motion, carrier, constraint, force));
            add_to_wrench(motion, carrier, force, &found);
        }
    }
    if (good)
        *wrench = found;
    else
        reactions->at.count = before;
    base_free(part);
    base_free(done);
    return good;
}

bool carriers_find(Motion *motion, MotionReactions *reactions, const ModelConstraint *constraint,
                   const Expr *row, Wrench *wrench)
{
    if (!reactions->carriers)
        reactions->carriers = gather(motion, reactions->arena);
    return place_row(motion, reactions, reactions->carriers, constraint, row, wrench);
}
