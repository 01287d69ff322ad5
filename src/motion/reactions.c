// reactions.c: the reaction of every condition at the place where it takes hold.
//
// The virtual work of a condition is Σ along·δ over its places (model/places.c), so λ·along is the
// force or couple there, exactly: Σ along·∂v/∂q'_ν = b_ν. What of b_ν is left over was written in
// coordinates; it is a force on a mass or a centre, or a couple on a body, where its coordinates
// move only one of them, and else has no place. A part that holds by itself has no multiplier, but
// may have a reaction (the normal force of a rolling hoop): see balance.c.
#include "motion/reactions.h"
#include "model/whiles.h"
#include "motion/motion_impl.h"

#include <string.h>

static Vec no_vec(ExprPool *pool)
{
    Expr zero = expr_int(pool, 0);
    return (Vec){zero, zero, zero};
}

Vec motion_world(Motion *motion, Vector v)
{
    return vector_in(motion->model->vectors, v, (Frame){0});
}

void motion_jacobian(Motion *motion, Vector velocity, Vec *columns)
{
    size_t n = motion->n;
    Vec v = motion_world(motion, velocity);
    Expr *partials = base_alloc((3 * n + 1) * sizeof *partials);
    expr_gradient(motion->pool, v.x, motion->v, n, partials);
    expr_gradient(motion->pool, v.y, motion->v, n, partials + n);
    expr_gradient(motion->pool, v.z, motion->v, n, partials + 2 * n);
    for (size_t nu = 0; nu < n; nu++)
        columns[nu] = (Vec){partials[nu], partials[n + nu], partials[2 * n + nu]};
    base_free(partials);
}

bool motion_is_zero(Motion *motion, Expr e)
{
    if (expr_is_number(motion->pool, e))
        return expr_is_zero(motion->pool, e);
    Verdict zero = algebra_is_zero_modular(motion->algebra, e);
    bool vanishes = zero.answer == ANSWER_YES;
    verdict_clear(&zero);
    return vanishes;
}

// ---- Whom a force acts on.

const char *motion_mass_name(const Motion *motion, Arena *arena, size_t index)
{
    const Model *model = motion->model;
    Text name = {0};
    text_addf(&name, "the mass %zu", index + 1);
    for (size_t i = 0; i < model->points.count; i++)
        if (model->points.at[i].position.at == model->masses.at[index].position.at) {
            text_clear(&name);
            text_addf(&name, "the mass at %s", model->points.at[i].name);
            break;
        }
    const char *copy = arena_copy_text(arena, name.at, name.length);
    text_clear(&name);
    return copy;
}

static bool goes_along(Motion *motion, const ModelBody *body, Vector position, const Vec *along,
                       size_t count)
{
    Vectors *vectors = motion->model->vectors;
    Vector own = vector_rate(vectors, position);
    Vec gap = motion_world(
        motion, vector_sub(vectors, own, motion_particle_velocity(motion, body, position)));
    for (size_t i = 0; i < count; i++)
        if (!motion_is_zero(motion, vec_dot(motion->pool, gap, along[i])))
            return false;
    return true;
}

static bool is_at(Motion *motion, Vector a, Vector b)
{
    if (a.at == b.at)
        return true;
    Vec gap = motion_world(motion, vector_sub(motion->model->vectors, a, b));
    return motion_is_zero(motion, gap.x) && motion_is_zero(motion, gap.y) &&
           motion_is_zero(motion, gap.z);
}

// Whether some condition is about the particle of this body at this point.
static bool is_spoken_of(Motion *motion, size_t body, Vector position)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t j = 0; j < model->constraints.at[i].place_count; j++) {
            const ModelPlace *place = &model->constraints.at[i].places[j];
            if (place->kind == PLACE_PARTICLE && place->body == body &&
                is_at(motion, place->position, position))
                return true;
        }
    return false;
}

const char *owner_of(Motion *motion, Arena *arena, Vector position, const Vec *along, size_t count)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        if (is_at(motion, model->masses.at[i].position, position))
            return motion_mass_name(motion, arena, i);
    // Several may go along with the point; the one that another condition takes hold of there
    // first.
    for (int spoken = 1; spoken >= 0; spoken--)
        for (size_t i = 0; i < model->bodies.count; i++)
            if (model->bodies.at[i].has_position &&
                (!spoken || is_spoken_of(motion, i, position)) &&
                goes_along(motion, &model->bodies.at[i], position, along, count))
                return model->bodies.at[i].name;
    return NULL;
}

// The body that turns with a frame.
static const char *turning_with(const Motion *motion, const ModelPlace *place)
{
    for (size_t i = 0; i < motion->model->bodies.count; i++)
        if (motion->model->bodies.at[i].frame.at == place->frame.at)
            return motion->model->bodies.at[i].name;
    return place->name;
}

// ---- Conditions that belong together.

typedef struct {
    const ModelConstraint *first;
    size_t count;
    const char *name;
} Group;

static size_t stem_length(const ModelConstraint *constraint)
{
    const char *dot = strrchr(constraint->name, '.');
    return dot ? (size_t)(dot - constraint->name) : strlen(constraint->name);
}

static Group group_at(const Motion *motion, Arena *arena, size_t index)
{
    const Model *model = motion->model;
    const ModelConstraint *first = &model->constraints.at[index];
    size_t left = model->constraints.count - index, stem = stem_length(first);
    Group group = {first, 1, first->name};
    bool vector = left >= 3 && strcmp(first->name + stem, ".x") == 0 &&
                  first[1].place.start == first->place.start &&
                  first[2].place.start == first->place.start && stem_length(&first[1]) == stem &&
                  strncmp(first[1].name, first->name, stem) == 0;
    if (vector) {
        group.count = 3;
        group.name = arena_copy_text(arena, first->name, stem);
    }
    return group;
}

static const MotionRow *row_of(Motion *motion, const ModelConstraint *constraint)
{
    // Where some of the one-sided are held, the others do not act.
    for (size_t i = 0; i < motion->side_count; i++)
        if (motion->sides[i].constraint == constraint)
            return !motion->held || motion->held[i] ? motion_side(motion, i) : NULL;
    return motion_row_of(motion, constraint);
}

static bool holds_by_itself(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].identity;
    return false;
}

// ---- What a condition does for λ = 1.

static Vector place_velocity(Motion *motion, const ModelPlace *place)
{
    Vectors *vectors = motion->model->vectors;
    switch (place->kind) {
    case PLACE_POINT: return vector_rate(vectors, place->position);
    case PLACE_PARTICLE:
        return motion_particle_velocity(motion, &motion->model->bodies.at[place->body],
                                        place->position);
    case PLACE_FRAME: break;
    }
    return frame_omega(vectors, place->frame);
}

// Whether the system can move the place at all; if not it is a wall, a floor, a turning table.
static bool place_moves(Motion *motion, const ModelPlace *place)
{
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns);
    motion_jacobian(motion, place_velocity(motion, place), columns);
    bool moves = false;
    for (size_t nu = 0; nu < motion->n && !moves; nu++)
        moves = !vec_is_zero(motion->pool, columns[nu]);
    base_free(columns);
    return moves;
}

static void add_to_wrench(Motion *motion, const ModelPlace *place, Wrench *wrench)
{
    ExprPool *pool = motion->pool;
    Vec along = motion_world(motion, place->along);
    if (vec_is_zero(pool, along) || !place_moves(motion, place))
        return;
    if (place->kind == PLACE_FRAME) {
        wrench->moment = vec_plus(pool, wrench->moment, along);
        return;
    }
    Vec arm = motion_world(motion, place->position);
    if (vec_is_zero(pool, wrench->force))
        wrench->centre = arm;
    wrench->force = vec_plus(pool, wrench->force, along);
    wrench->moment = vec_plus(pool, wrench->moment, vec_cross(pool, arm, along));
}

// d_ν without what the places account for; false where nothing is left. A condition that holds by
// itself has no row: its d_ν are 0.
static bool leftover(Motion *motion, const ModelConstraint *constraint, const MotionRow *row,
                     Expr *rest)
{
    ExprPool *pool = motion->pool;
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns);
    for (size_t nu = 0; nu < motion->n; nu++)
        rest[nu] = !row                   ? expr_int(pool, 0)
                   : constraint->at_least ? expr_neg(pool, row->d[nu])
                                          : row->d[nu];
    for (size_t i = 0; i < constraint->place_count; i++) {
        const ModelPlace *place = &constraint->places[i];
        Vec along = motion_world(motion, place->along);
        if (vec_is_zero(pool, along))
            continue;
        motion_jacobian(motion, place_velocity(motion, place), columns);
        for (size_t nu = 0; nu < motion->n; nu++)
            rest[nu] = expr_sub(pool, rest[nu], vec_dot(pool, along, columns[nu]));
    }
    base_free(columns);
    bool any = false;
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (motion_is_zero(motion, rest[nu]))
            rest[nu] = expr_int(pool, 0);
        any = any || !expr_is_zero(pool, rest[nu]);
    }
    return any;
}

static void keep_generalized(Motion *motion, MotionReactions *reactions,
                             const ModelConstraint *constraint, const Expr *rest)
{
    MotionGeneralized generalized = {constraint->name, NULL};
    Expr lambda = motion_multiplier(motion, constraint);
    generalized.parts = arena_alloc(reactions->arena, motion->n * sizeof(Expr));
    for (size_t nu = 0; nu < motion->n; nu++)
        generalized.parts[nu] = expr_mul(motion->pool, lambda, rest[nu]);
    array_push(&reactions->generalized, generalized);
}

// ---- The reactions of a group.

static Wrench make_wrench(Motion *motion, MotionReactions *reactions,
                          const ModelConstraint *constraint)
{
    Wrench wrench = {.constraint = constraint,
                     .row = row_of(motion, constraint),
                     .force = no_vec(motion->pool),
                     .moment = no_vec(motion->pool),
                     .centre = no_vec(motion->pool),
                     .placed = true};
    for (size_t i = 0; i < constraint->place_count; i++)
        add_to_wrench(motion, &constraint->places[i], &wrench);
    Expr *rest = base_alloc((motion->n + 1) * sizeof *rest);
    bool left = leftover(motion, constraint, wrench.row, rest);
    if (left && !wrench.row) {
        wrench.placed = false;
    } else if (left && !carriers_find(motion, reactions, constraint, rest, &wrench)) {
        keep_generalized(motion, reactions, constraint, rest);
        wrench.placed = false;
    }
    base_free(rest);
    return wrench;
}

static const Expr *value_of(const Wrenches *wrenches, const Expr *values,
                            const ModelConstraint *constraint)
{
    for (size_t i = 0; i < wrenches->count; i++)
        if (wrenches->at[i].constraint == constraint)
            return &values[i];
    return NULL;
}

// All parts of a group that take hold at one place.
static void add_at_place(Motion *motion, MotionReactions *reactions, const Group *group,
                         size_t index, const Wrenches *wrenches, const Expr *values)
{
    ExprPool *pool = motion->pool;
    const ModelPlace *place = &group->first->places[index];
    MotionReaction reaction = {
        .condition = group->name, .force = no_vec(pool), .couple = no_vec(pool)};
    Vec sum = no_vec(pool), along[3];
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        const ModelConstraint *constraint = &group->first[i];
        const Expr *value = value_of(wrenches, values, constraint);
        if (!value || expr_is_none(*value))
            continue;
        along[count] = motion_world(motion, constraint->places[index].along);
        if (vec_is_zero(pool, along[count]))
            continue;
        sum = vec_plus(pool, sum, vec_scale(pool, *value, along[count++]));
        reaction.balanced = reaction.balanced || !row_of(motion, constraint);
    }
    if (count == 0 || !place_moves(motion, place))
        return;
    if (place->kind == PLACE_FRAME) {
        reaction.has_couple = true;
        reaction.couple = sum;
        reaction.on = turning_with(motion, place);
    } else {
        reaction.has_force = true;
        reaction.force = sum;
        reaction.at = place->name;
        reaction.position = place->position;
        reaction.on = place->kind == PLACE_PARTICLE
                          ? motion->model->bodies.at[place->body].name
                          : owner_of(motion, reactions->arena, place->position, along, count);
    }
    array_push(&reactions->at, reaction);
}

static void tell_untold(Motion *motion, MotionReactions *reactions, const Wrenches *wrenches,
                        const Expr *values)
{
    for (size_t i = 0; i < motion->aside.count; i++) {
        const ModelConstraint *constraint = motion->aside.at[i].constraint;
        const Expr *value = value_of(wrenches, values, constraint);
        if (value && !expr_is_none(*value))
            continue;
        MotionUntold untold = {constraint, NULL};
        untold.why = !motion->aside.at[i].identity
                         ? "it follows from the ones before it, which carry its reaction"
                     : constraint->place_count == 0
                         ? "it holds by itself"
                         : "it holds by itself, and the balance of the whole system does not "
                           "determine what keeps it";
        array_push(&reactions->untold, untold);
    }
}

// Whether a condition is an equation, or a one-sided one that counts; these come in order.
static bool is_wanted(const ModelConstraint *constraint, const bool *wanted, size_t *side)
{
    if (constraint->kind != CONSTRAINT_ONE_SIDED)
        return true;
    size_t at = (*side)++;
    return !wanted || wanted[at];
}

MotionReactions *motion_reactions(Motion *motion, const bool *wanted)
{
    const Model *model = motion->model;
    size_t side = 0;
    MotionReactions *reactions = base_alloc(sizeof *reactions);
    reactions->arena = arena_new();
    Wrenches wrenches = {0};
    balance_totals(motion, reactions);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (model_acts(model, constraint->waits) && is_wanted(constraint, wanted, &side) &&
            !constraint->silent &&
            (row_of(motion, constraint) || holds_by_itself(motion, constraint)))
            array_push(&wrenches, make_wrench(motion, reactions, constraint));
    }
    Expr *values = base_alloc((wrenches.count + 1) * sizeof *values);
    balance_solve(motion, reactions, &wrenches, values);
    for (size_t i = 0; i < model->constraints.count;) {
        Group group = group_at(motion, reactions->arena, i);
        for (size_t j = 0; j < group.first->place_count; j++)
            add_at_place(motion, reactions, &group, j, &wrenches, values);
        i += group.count;
    }
    tell_untold(motion, reactions, &wrenches, values);
    base_free(values);
    array_clear(&wrenches);
    return reactions;
}

void motion_reactions_free(MotionReactions *reactions)
{
    if (!reactions)
        return;
    array_clear(&reactions->at);
    array_clear(&reactions->generalized);
    array_clear(&reactions->totals);
    array_clear(&reactions->untold);
    arena_free(reactions->arena);
    base_free(reactions);
}
