// definitions.c: accelerations as the text defines them: points on base points, frames in frames.
#include "motion/definitions.h"
#include "linalg/tolerances.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

static const int entry_of[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}}; // of a tensor's six numbers

// ---- Parts.

// Which velocity a symbol is, + 1; 0 for none.
static uint32_t coordinate_of(const Definitions *definitions, uint32_t symbol)
{
    return symbol < definitions->symbol_count ? definitions->coordinate_of[symbol] : 0;
}

// e is affine in velocities: their factors, which are those of q'' in e'.
static void find_terms(Definitions *definitions, Expr e, DefinitionTerm **terms, size_t *count)
{
    ExprPool *pool = definitions->motion->pool;
    ExprList symbols = expr_symbols(pool, &e, 1);
    *terms = arena_array(definitions->arena, DefinitionTerm, symbols.count + 1);
    *count = 0;
    for (size_t i = 0; i < symbols.count; i++) {
        uint32_t coordinate = coordinate_of(definitions, symbols.at[i]);
        if (!coordinate)
            continue;
        Expr factor = expr_diff(pool, e, (Expr){symbols.at[i]});
        if (!expr_is_zero(pool, factor))
            (*terms)[(*count)++] = (DefinitionTerm){coordinate - 1, factor};
    }
    expr_list_free(&symbols);
}

static DefinitionPart place_part(Definitions *definitions, Expr value)
{
    Motion *motion = definitions->motion;
    DefinitionPart part = {.value = value, .rate = expr_rate(motion->dt, value)};
    part.still = expr_rate(motion->dt_still, part.rate);
    find_terms(definitions, part.rate, &part.terms, &part.term_count);
    return part;
}

static DefinitionPart spin_part(Definitions *definitions, Expr value)
{
    DefinitionPart part = {.value = value, .rate = value};
    part.still = expr_rate(definitions->motion->dt_still, value);
    find_terms(definitions, value, &part.terms, &part.term_count);
    return part;
}

static void make_frames(Definitions *definitions)
{
    Vectors *vectors = definitions->motion->model->vectors;
    definitions->frame_count = frame_count(vectors);
    definitions->frames = arena_array(definitions->arena, DefinedFrame, definitions->frame_count);
    for (uint32_t i = 1; i < definitions->frame_count; i++) {
        Vec relative = frame_turn_in_parent(vectors, (Frame){i}).relative;
        DefinitionPart *parts = definitions->frames[i].parts;
        parts[0] = spin_part(definitions, relative.x);
        parts[1] = spin_part(definitions, relative.y);
        parts[2] = spin_part(definitions, relative.z);
    }
}

// ---- Points. A vector is a sum of parts, each along the axes of a frame; sums in sums are points
// that others start from.

static uint64_t point_hash(size_t base, Frame frame, Vec r)
{
    uint64_t hash = hash_mix(hash_mix(base, frame.at), r.x.at);
    return hash_mix(hash_mix(hash, r.y.at), r.z.at);
}

// Where a point is known, or would be.
static size_t *point_slot(Definitions *definitions, size_t base, Frame frame, Vec r)
{
    size_t mask = definitions->slot_count - 1;
    size_t slot = (size_t)point_hash(base, frame, r) & mask;
    for (; definitions->slots[slot]; slot = (slot + 1) & mask) {
        const DefinedPoint *other = &definitions->points.at[definitions->slots[slot]];
        if (other->base == base && other->frame.at == frame.at &&
            expr_same(other->parts[0].value, r.x) && expr_same(other->parts[1].value, r.y) &&
            expr_same(other->parts[2].value, r.z))
            break;
    }
    return &definitions->slots[slot];
}

static void grow_slots(Definitions *definitions)
{
    definitions->slot_count = definitions->slot_count ? 2 * definitions->slot_count : 64;
    definitions->slots = arena_array(definitions->arena, size_t, definitions->slot_count);
    for (size_t i = 1; i < definitions->points.count; i++) {
        const DefinedPoint *point = &definitions->points.at[i];
        Vec r = {point->parts[0].value, point->parts[1].value, point->parts[2].value};
        *point_slot(definitions, point->base, point->frame, r) = i;
    }
}

static size_t find_point(Definitions *definitions, size_t base, Frame frame, Vec r)
{
    if (vec_is_zero(definitions->motion->pool, r))
        return base;
    if (2 * (definitions->points.count + 1) > definitions->slot_count)
        grow_slots(definitions);
    size_t *slot = point_slot(definitions, base, frame, r);
    if (*slot)
        return *slot;
    DefinedPoint point = {.base = base, .frame = frame};
    point.parts[0] = place_part(definitions, r.x);
    point.parts[1] = place_part(definitions, r.y);
    point.parts[2] = place_part(definitions, r.z);
    array_push(&definitions->points, point);
    return *slot = definitions->points.count - 1;
}

typedef struct {
    Frame frame;
    Vec r;
} PointPart;
typedef ARRAY(PointPart) PointParts;

// All parts of factor·v, each frame once.
static void gather_parts(Definitions *definitions, Vector v, Expr factor, PointParts *parts)
{
    Vectors *vectors = definitions->motion->model->vectors;
    ExprPool *pool = definitions->motion->pool;
    for (size_t i = 0; i < vector_term_count(vectors, v); i++) {
        Expr own;
        Vector term = vector_term(vectors, v, i, &own);
        gather_parts(definitions, term, expr_mul(pool, factor, own), parts);
    }
    if (vector_term_count(vectors, v) > 0)
        return;
    Frame home = vector_home(vectors, v);
    Vec r = vec_scale(pool, factor, vector_in(vectors, v, home));
    for (size_t i = 0; i < parts->count; i++)
        if (parts->at[i].frame.at == home.at) {
            parts->at[i].r = vec_plus(pool, parts->at[i].r, r);
            return;
        }
    array_push(parts, ((PointPart){home, r}));
}

static size_t point_of(Definitions *definitions, Vector v);

// The term of a sum that the others start from: the first that is a sum itself and counts once.
static size_t find_base(const Definitions *definitions, Vector v)
{
    const Vectors *vectors = definitions->motion->model->vectors;
    size_t count = vector_term_count(vectors, v);
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Vector term = vector_term(vectors, v, i, &factor);
        if (expr_is_one(definitions->motion->pool, factor) && vector_term_count(vectors, term) > 0)
            return i;
    }
    return count;
}

static size_t make_point(Definitions *definitions, Vector v)
{
    const Vectors *vectors = definitions->motion->model->vectors;
    ExprPool *pool = definitions->motion->pool;
    PointParts parts = {0};
    size_t count = vector_term_count(vectors, v), base = find_base(definitions, v), point = 0;
    Expr factor;
    if (base < count)
        point = point_of(definitions, vector_term(vectors, v, base, &factor));
    for (size_t i = 0; i < count; i++) {
        if (i == base)
            continue;
        Vector term = vector_term(vectors, v, i, &factor);
        gather_parts(definitions, term, factor, &parts);
    }
    if (count == 0)
        gather_parts(definitions, v, expr_int(pool, 1), &parts);
    // Frames nearer to world come first: they are the base of the others.
    for (size_t done = 0; done < parts.count; done++) {
        size_t next = done;
        for (size_t i = done + 1; i < parts.count; i++)
            if (parts.at[i].frame.at < parts.at[next].frame.at)
                next = i;
        PointPart part = parts.at[next];
        parts.at[next] = parts.at[done];
        parts.at[done] = part;
        point = find_point(definitions, point, part.frame, part.r);
    }
    array_clear(&parts);
    return point;
}

static size_t point_of(Definitions *definitions, Vector v)
{
    while (definitions->point_of.count <= v.at)
        array_push(&definitions->point_of, 0);
    if (!definitions->point_of.at[v.at]) {
        size_t point = make_point(definitions, v);
        definitions->point_of.at[v.at] = point + 1;
    }
    return definitions->point_of.at[v.at] - 1;
}

// ---- Bodies.

static bool is_constant(const Definitions *definitions, Expr e)
{
    const Motion *motion = definitions->motion;
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    bool constant = true;
    for (size_t i = 0; i < symbols.count && constant; i++)
        constant = symbols.at[i] != motion->model->t.at &&
                   expr_is_zero(motion->pool, expr_rate(motion->dt, (Expr){symbols.at[i]}));
    expr_list_free(&symbols);
    return constant;
}

static bool is_fixed(const Definitions *definitions, const DefinedPoint *point)
{
    return is_constant(definitions, point->parts[0].value) &&
           is_constant(definitions, point->parts[1].value) &&
           is_constant(definitions, point->parts[2].value);
}

static DefinedBody *find_body(Definitions *definitions, size_t base, Frame frame)
{
    Expr zero = expr_int(definitions->motion->pool, 0);
    for (size_t i = definitions->bodies.count; i-- > 0;) {
        DefinedBody *body = &definitions->bodies.at[i];
        if (body->base == base && body->frame.at == frame.at)
            return body;
    }
    DefinedBody body = {.base = base, .frame = frame, .mass = zero};
    for (int i = 0; i < 6; i++)
        body.second[i] = body.first[i % 3] = zero;
    array_push(&definitions->bodies, body);
    return &definitions->bodies.at[definitions->bodies.count - 1];
}

void defined_body_add(ExprPool *pool, DefinedBody *body, Expr mass, const Expr first[3],
                      const Expr r[3], const Expr second[6])
{
    Expr square = expr_int(pool, 0), twice = square;
    for (int i = 0; i < 3; i++) {
        square = expr_add(pool, square, expr_mul(pool, r[i], r[i]));
        twice = expr_add(pool, twice, expr_mul(pool, r[i], first[i]));
    }
    twice = expr_add(pool, expr_mul(pool, mass, square), expr_mul(pool, expr_int(pool, 2), twice));
    body->mass = expr_add(pool, body->mass, mass);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            Expr *entry = &body->second[entry_of[i][j]];
            Expr parts[] = {*entry,
                            second[entry_of[i][j]],
                            expr_neg(pool, expr_product(pool, (Expr[]){mass, r[i], r[j]}, 3)),
                            expr_neg(pool, expr_mul(pool, r[i], first[j])),
                            expr_neg(pool, expr_mul(pool, r[j], first[i])),
                            i == j ? twice : expr_int(pool, 0)};
            *entry = expr_sum(pool, parts, 6);
        }
    for (int i = 0; i < 3; i++)
        body->first[i] =
            expr_sum(pool, (Expr[]){body->first[i], first[i], expr_mul(pool, mass, r[i])}, 3);
}

// A mass with central inertia at a point: about the base that it stands still from, if any.
static void add_body(Definitions *definitions, Frame frame, Expr mass, size_t point,
                     const Expr second[6])
{
    ExprPool *pool = definitions->motion->pool;
    Expr zero = expr_int(pool, 0);
    const Expr none[3] = {zero, zero, zero};
    const DefinedPoint *at = &definitions->points.at[point];
    if (point > 0 && at->frame.at == frame.at && is_fixed(definitions, at)) {
        const Expr r[3] = {at->parts[0].value, at->parts[1].value, at->parts[2].value};
        defined_body_add(pool, find_body(definitions, at->base, frame), mass, none, r, second);
    } else
        defined_body_add(pool, find_body(definitions, point, frame), mass, none, none, second);
}

bool tensor_is_round(const ExprPool *pool, const Expr tensor[6], int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return expr_same(tensor[i], tensor[j]) && expr_is_zero(pool, tensor[3]) &&
           expr_is_zero(pool, tensor[4]) && expr_is_zero(pool, tensor[5]);
}

// Whether the body's inertia is the same along the axes of its frame and of those it was given in:
// of round bodies, where one frame spins in the other about their axis.
static bool has_same_tensor(const Definitions *definitions, const ModelBody *body)
{
    const Vectors *vectors = definitions->motion->model->vectors;
    Frame low = body->frame, high = body->inertia_frame;
    if (frame_is_above(vectors, low, high)) {
        low = body->inertia_frame;
        high = body->frame;
    }
    if (!frame_is_above(vectors, high, low))
        return false;
    for (; low.at != high.at; low = frame_parent(vectors, low)) {
        int axis = frame_turn_in_parent(vectors, low).axis;
        if (axis < 0 || !tensor_is_round(definitions->motion->pool, body->inertia, axis))
            return false;
    }
    return true;
}

static bool add_bodies(Definitions *definitions)
{
    const Model *model = definitions->motion->model;
    ExprPool *pool = definitions->motion->pool;
    Expr zero = expr_int(pool, 0);
    const Expr none[6] = {zero, zero, zero, zero, zero, zero};
    for (size_t i = 0; i < model->masses.count; i++) {
        size_t point = point_of(definitions, model->masses.at[i].position);
        add_body(definitions, definitions->points.at[point].frame, model->masses.at[i].mass, point,
                 none);
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        bool inertia = body->has_inertia;
        if (inertia && !has_same_tensor(definitions, body))
            return false;
        add_body(definitions, body->frame, body->mass, point_of(definitions, body->position),
                 inertia ? body->inertia : none);
    }
    return true;
}

// ---- Forces.

// A force at a point, as up to two; how many.
static size_t force_at(Definitions *definitions, const ModelLoadPoint *point, Vector along,
                       DefinedForce *forces)
{
    const Model *model = definitions->motion->model;
    if (point->on != LOAD_ON_BODY) {
        forces[0] = (DefinedForce){.point = point_of(definitions, point->position), .along = along};
        return 1;
    }
    const ModelBody *body = &model->bodies.at[point->body];
    Vector arm = vector_sub(model->vectors, point->position, body->position);
    forces[0] = (DefinedForce){.point = point_of(definitions, body->position), .along = along};
    forces[1] =
        (DefinedForce){.frame = body->frame, .along = vector_cross(model->vectors, arm, along)};
    return 2;
}

static DefinedForce torque_on(const Definitions *definitions, size_t body, Vector along)
{
    return (DefinedForce){.frame = definitions->motion->model->bodies.at[body].frame,
                          .along = along};
}

static void add_forces(Definitions *definitions)
{
    const Model *model = definitions->motion->model;
    for (size_t i = 0; i < model->forces_at.count; i++) {
        const ModelForceAt *load = &model->forces_at.at[i];
        DefinedForce forces[2];
        size_t count = force_at(definitions, &load->point, load->force, forces);
        for (size_t j = 0; j < count; j++)
            array_push(&definitions->forces, forces[j]);
    }
    for (size_t i = 0; i < model->torques.count; i++)
        array_push(&definitions->forces,
                   torque_on(definitions, model->torques.at[i].body, model->torques.at[i].torque));
}

// d/dt ∂E/∂q'_ν − ∂E/∂q_ν of energies that were given, less the forces on coordinates.
static void add_energies(Definitions *definitions)
{
    Motion *motion = definitions->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr given[] = {motion->model->kinetic, motion->model->lagrangian, motion_T_of_S(motion)};
    Expr energy = expr_sum(pool, given, 3);
    Expr *momenta = arena_array(definitions->arena, Expr, 3 * n), *slopes = momenta + n,
         *loads = slopes + n;
    definitions->bias = arena_array(definitions->arena, Expr, n);
    expr_gradient(pool, energy, motion->v, n, momenta);
    expr_gradient(pool, energy, motion->q, n, slopes);
    motion_coordinate_forces(motion, motion->model->potential, loads);
    for (size_t nu = 0; nu < n; nu++) {
        Expr parts[] = {expr_rate(motion->dt_still, momenta[nu]), expr_neg(pool, slopes[nu]),
                        motion->rest_of_S[nu], expr_neg(pool, loads[nu])};
        definitions->bias[nu] = expr_sum(pool, parts, 4);
        DefinitionTerm *terms;
        size_t count;
        find_terms(definitions, momenta[nu], &terms, &count);
        for (size_t i = 0; i < count; i++)
            if (terms[i].coordinate >= nu)
                array_push(&definitions->entries,
                           ((DefinedEntry){nu, terms[i].coordinate, terms[i].factor}));
    }
}

// ---- Conditions.

// The factors of the points' velocities, and the condition without them; false where the factors
// change with velocities.
static bool split_velocities(Definitions *definitions, const ModelConstraint *constraint,
                             Expr *factors, Expr *rest)
{
    Motion *motion = definitions->motion;
    size_t count = 3 * constraint->velocity_count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    for (size_t i = 0; i < count; i++)
        symbols[i] = constraint->velocities[i / 3].rates[i % 3];
    bool linear =
        expr_linear(motion->pool, constraint->by_velocities, symbols, count, factors, rest);
    // What cancels in them would be taken for an arm.
    for (size_t i = 0; i < count && linear; i++)
        factors[i] = motion_shortened(motion, factors[i]);
    for (size_t i = 0; i < count && linear; i++)
        linear = !expr_holds_any(motion->pool, factors[i], motion->v, motion->n);
    base_free(symbols);
    return linear;
}

// A condition on velocities of points and frames.
static void add_velocities(Definitions *definitions, DefinedRow *row)
{
    Motion *motion = definitions->motion;
    const ModelConstraint *constraint = row->row->constraint;
    size_t count = constraint->velocity_count;
    Expr *factors = arena_array(definitions->arena, Expr, 3 * count + 1), rest;
    if (count == 0 || !split_velocities(definitions, constraint, factors, &rest))
        return;
    row->forces = arena_array(definitions->arena, DefinedForce, count);
    row->velocities = arena_array(definitions->arena, const Expr *, count);
    row->by_velocities = row->without = rest;
    for (size_t i = 0; i < count; i++) {
        const ModelVelocity *velocity = &constraint->velocities[i];
        Vec along = {factors[3 * i], factors[3 * i + 1], factors[3 * i + 2]};
        if (vec_is_zero(motion->pool, along))
            continue;
        size_t point = velocity->spins ? 0 : point_of(definitions, velocity->position);
        if (point == 0 && (!velocity->spins || velocity->frame.at == 0))
            continue;
        row->forces[row->force_count] =
            (DefinedForce){.point = point,
                           .frame = velocity->frame,
                           .along = vector_of(motion->model->vectors, (Frame){0}, along)};
        row->velocities[row->force_count++] = velocity->rates;
        Expr parts[4] = {row->by_velocities};
        for (int axis = 0; axis < 3; axis++)
            parts[1 + axis] =
                expr_mul(motion->pool, factors[3 * i + (size_t)axis], velocity->rates[axis]);
        row->by_velocities = expr_sum(motion->pool, parts, 4);
    }
    find_terms(definitions, rest, &row->rest, &row->rest_count);
}

// The entries of a row that are not 0.
static size_t row_terms(Definitions *definitions, const Expr *entries, DefinitionTerm **terms)
{
    const Motion *motion = definitions->motion;
    size_t count = 0;
    *terms = arena_array(definitions->arena, DefinitionTerm, motion->n);
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!expr_is_zero(motion->pool, entries[nu]))
            (*terms)[count++] = (DefinitionTerm){nu, entries[nu]};
    return count;
}

// A servo whose force is along what it keeps acts as a reaction does.
static void add_servo(Definitions *definitions, DefinedRow *row)
{
    const ModelServo *servo = row->row->servo;
    bool along = true;
    for (size_t nu = 0; nu < definitions->motion->n; nu++)
        along = along && expr_same(row->row->b[nu], row->row->d[nu]);
    if (along)
        return;
    DefinedLoad *load = row->servo = arena_alloc(definitions->arena, sizeof *load);
    load->forces = arena_array(definitions->arena, DefinedForce, 2);
    if (servo->by == SERVO_FORCE)
        load->force_count = force_at(definitions, &servo->point, servo->direction, load->forces);
    else if (servo->by == SERVO_TORQUE)
        load->forces[load->force_count++] = torque_on(definitions, servo->target, servo->direction);
    else
        load->term_count = row_terms(definitions, row->row->d, &load->terms);
}

static void add_rows(Definitions *definitions)
{
    Motion *motion = definitions->motion;
    definitions->rows = arena_array(definitions->arena, DefinedRow, motion->m + 1);
    for (size_t i = 0; i < motion->m; i++) {
        DefinedRow *row = &definitions->rows[i];
        row->row = &motion->rows[i];
        row->term_count = row_terms(definitions, row->row->b, &row->terms);
        add_velocities(definitions, row);
        if (row->row->servo)
            add_servo(definitions, row);
    }
}

// ---- All.

static void index_velocities(Definitions *definitions)
{
    const Motion *motion = definitions->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        if (motion->v[nu].at >= definitions->symbol_count)
            definitions->symbol_count = motion->v[nu].at + 1;
    definitions->coordinate_of =
        arena_array(definitions->arena, uint32_t, definitions->symbol_count + 1);
    for (size_t nu = 0; nu < motion->n; nu++)
        definitions->coordinate_of[motion->v[nu].at] = (uint32_t)nu + 1;
}

// What these definitions do not serve; NULL where they serve all.
static const char *refused(const Motion *motion)
{
    const Model *model = motion->model;
    enum { MANY = 24 };
    if (motion->n > MANY && model->bodies.count + model->masses.count == 0)
        return "coordinates alone, in no order";
    Vec g = vector_in(model->vectors, model->gravity, (Frame){0});
    const Expr field[] = {g.x, g.y, g.z};
    for (int i = 0; i < 3; i++)
        if (expr_holds_any(motion->pool, field[i], motion->q, motion->n))
            return "the field of gravity moves";
    if (motion->curved || motion->second_count)
        return "conditions of the second class or not linear in the velocities";
    if (motion->friction_holds || model->reactions_act)
        return "friction, or forces that hold reactions";
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!expr_is_zero(motion->pool, motion->rest_of_S[nu]) &&
            expr_holds_any(motion->pool, motion->rest_of_S[nu], motion->a, motion->n))
            return "an energy of acceleration to which no kinetic energy belongs";
    return motion_dsigma(motion) ? "an energy of acceleration that is not quadratic" : NULL;
}

Definitions *definitions_new(Motion *motion, const char **why)
{
    *why = refused(motion);
    if (*why)
        return NULL;
    Definitions *definitions = base_alloc(sizeof *definitions);
    *definitions = (Definitions){.arena = arena_new(), .motion = motion};
    array_push(&definitions->points, ((DefinedPoint){0}));
    definitions->field = vector_in(motion->model->vectors, motion->model->gravity, (Frame){0});
    index_velocities(definitions);
    make_frames(definitions);
    if (!add_bodies(definitions)) {
        *why = "an inertia that is given along other axes than the body's";
        definitions_free(definitions);
        return NULL;
    }
    add_forces(definitions);
    add_energies(definitions);
    add_rows(definitions);
    return definitions;
}

bool definitions_have_long_rows(const Definitions *definitions)
{
    bool found = false;
    for (size_t i = 0; i < definitions->motion->m && !found; i++)
        found =
            definitions->rows[i].force_count > 0 && definitions->rows[i].term_count > SIZE_UNROLLED;
    return found;
}

void definitions_free(Definitions *definitions)
{
    if (!definitions)
        return;
    array_clear(&definitions->points);
    array_clear(&definitions->bodies);
    array_clear(&definitions->forces);
    array_clear(&definitions->entries);
    array_clear(&definitions->point_of);
    arena_free(definitions->arena);
    base_free(definitions);
}
