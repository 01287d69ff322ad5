// rates_bodies.c: what masses and bodies give to the equations for u', all of them along world's
// axes and about the origin O.
//
// A body's velocities for u_α = 1 are (Ω_α, V_α), V_α being the velocity of the point of the body
// that lies in O. Bodies behind the same joints have the same ones, to the eye: the
// names of equal things are equal. So with 𝕀 the inertia of a body about O (mass, first and
// second moments) and F what it takes for u' = 0, less its weight,
//
//     matrix_αβ = Σ (Ω_α, V_α)·(Σ 𝕀)·(Ω_β, V_β),   right_α = −Σ (Ω_α, V_α)·(Σ F),
//
// the inner sums over bodies that move alike, which are worked out once: a chain of N bodies
// costs N², not N³.
#include "dynamics/equations_types.h"
#include "dynamics/rates_impl.h"
#include "dynamics/stop_request.h"
#include "expr/arithmetic.h"
#include "model/model.h"
#include "model/vector_types.h"
#include "model/vectors.h"
#include "motion/inertia.h"
#include "motion/spin.h"

#include <assert.h>
#include <string.h>

typedef struct {
    Vec turn, move; // Ω and V; or moment and force
} Twist;

// Mass, first moments, and second moments xx, yy, zz, xy, yz, zx.
typedef struct {
    Expr mass;
    Vec first;
    Expr second[6];
} Inertia;

typedef struct {
    Expr mass;
    Vector position;
    const ModelBody *body; // NULL for a point
    Frame frame;           // that it is fixed in
    size_t *moves;         // k: which twist
    Inertia inertia;
    Twist force;
} Piece;

// A set of pieces, with its sums.
typedef struct {
    const uint8_t *holds; // of every piece
    Inertia inertia;
    Twist force;
} Group;

// What was asked for once.
typedef struct {
    Vec axes[3]; // along those of world
    Vec *joint;  // k: how it turns in its parent for u_α = 1
} FrameParts;

typedef struct {
    RatesBuilder *builder;
    Vectors *vectors;
    ExprPool *pool;
    ExprRates **along;
    Vec none;
    FrameParts *frames;
    Vec *places; // of every vector, once it was asked for
    Piece *pieces;
    size_t count;
    size_t *moved;       // k: how many pieces move for u_α = 1
    uint8_t *alike;      // 2 × count: workspace of add_pair
    ARRAY(Twist) twists; // distinct ones; [0] is none at all
    ARRAY(Group) groups;
} Assembly;

// ---- Components.

static Vec each(Assembly *assembly, Vec v, Expr (*of)(RatesBuilder *, Expr))
{
    RatesBuilder *builder = assembly->builder;
    Expr x = of(builder, v.x), y = of(builder, v.y);
    return (Vec){x, y, of(builder, v.z)};
}

static Vec plus(const Assembly *assembly, Vec a, Vec b)
{
    return vec_plus(assembly->pool, a, b);
}

static Vec named(Assembly *assembly, Vec v)
{
    return each(assembly, v, builder_name);
}

static Vec fixed(Assembly *assembly, Vec v)
{
    return each(assembly, v, builder_fixed);
}

static bool same(Vec a, Vec b)
{
    return expr_same(a.x, b.x) && expr_same(a.y, b.y) && expr_same(a.z, b.z);
}

static Vec rate_of(ExprRates *rates, Vec v)
{
    return (Vec){expr_rate(rates, v.x), expr_rate(rates, v.y), expr_rate(rates, v.z)};
}

// ---- Frames.

static Vec combined(Assembly *assembly, const Vec columns[3], Vec v)
{
    ExprPool *pool = assembly->pool;
    Vec last = plus(assembly, vec_scale(pool, v.y, columns[1]), vec_scale(pool, v.z, columns[2]));
    return plus(assembly, vec_scale(pool, v.x, columns[0]), last);
}

static const Vec *axes_of(Assembly *assembly, Frame frame)
{
    FrameParts *parts = &assembly->frames[frame.at];
    Vec turn[3];
    if (!expr_is_none(parts->axes[0].x))
        return parts->axes;
    Frame parent = frame_parent(assembly->vectors, frame);
    const Vec *units = assembly->frames[0].axes, *from = axes_of(assembly, parent);
    for (int i = 0; i < 3; i++) {
        Vector axis = vector_of(assembly->vectors, frame, units[i]);
        turn[i] = named(assembly, fixed(assembly, vector_in(assembly->vectors, axis, parent)));
    }
    for (int i = 0; i < 3; i++)
        parts->axes[i] = named(assembly, combined(assembly, from, turn[i]));
    return parts->axes;
}

static Vec turned(Assembly *assembly, Vec v, Frame from)
{
    if (vec_is_zero(assembly->pool, v))
        return v;
    return named(assembly, from.at ? combined(assembly, axes_of(assembly, from), v) : v);
}

static Vec in_axes(Assembly *assembly, Vector v)
{
    Frame home = vector_home(assembly->vectors, v);
    return turned(assembly, fixed(assembly, vector_in(assembly->vectors, v, home)), home);
}

// How a frame turns in its parent for u_α = 1.
static Vec joint(Assembly *assembly, Frame frame, size_t alpha)
{
    FrameParts *parts = &assembly->frames[frame.at];
    if (!parts->joint) {
        size_t k = assembly->builder->k;
        Vectors *vectors = assembly->vectors;
        Vector spin = vector_sub(vectors, frame_omega(vectors, frame),
                                 frame_omega(vectors, frame_parent(vectors, frame)));
        Frame home = vector_home(vectors, spin);
        Vec omega = fixed(assembly, vector_in(vectors, spin, home));
        parts->joint = arena_array(assembly->builder->arena, Vec, k);
        for (size_t i = 0; i < k; i++)
            parts->joint[i] = turned(assembly, rate_of(assembly->along[i], omega), home);
    }
    return parts->joint[alpha];
}

// ---- Places, from O.

static Vec place_of(Assembly *assembly, Vector v)
{
    Vec place = assembly->places[v.at];
    if (!expr_is_none(place.x))
        return place;
    size_t count = vector_term_count(assembly->vectors, v);
    place = count ? assembly->none : in_axes(assembly, v);
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Vector term = vector_term(assembly->vectors, v, i, &factor);
        factor = expr_subst(assembly->builder->fixed, factor);
        place = plus(assembly, place, vec_scale(assembly->pool, factor, place_of(assembly, term)));
    }
    return assembly->places[v.at] = named(assembly, place);
}

// That part of v which does not turn with `frame`.
static Vec place_before(Assembly *assembly, Vector v, Frame frame)
{
    size_t count = vector_term_count(assembly->vectors, v);
    if (count == 0) {
        bool behind = frame_is_above(assembly->vectors, frame, vector_home(assembly->vectors, v));
        return behind ? assembly->none : place_of(assembly, v);
    }
    bool whole = true;
    Vec sum = assembly->none;
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Vector term = vector_term(assembly->vectors, v, i, &factor);
        Vec part = place_before(assembly, term, frame);
        whole = whole && same(part, place_of(assembly, term));
        factor = expr_subst(assembly->builder->fixed, factor);
        sum = plus(assembly, sum, vec_scale(assembly->pool, factor, part));
    }
    return whole ? place_of(assembly, v) : named(assembly, sum);
}

// ---- How a piece moves for u_α = 1.

// What the parts of v do besides turning with the frame: those that stretch, and those that turn
// with frames of their own.
static Vec own_moves(Assembly *assembly, Vector v, Expr factor, Frame frame, size_t alpha)
{
    Vectors *vectors = assembly->vectors;
    ExprPool *pool = assembly->pool;
    size_t count = vector_term_count(vectors, v);
    Vec sum = assembly->none;
    for (size_t i = 0; i < count; i++) {
        Expr own;
        Vector term = vector_term(vectors, v, i, &own);
        own = expr_mul(pool, factor, own);
        sum = plus(assembly, sum, own_moves(assembly, term, own, frame, alpha));
    }
    if (count > 0)
        return sum;
    Frame home = vector_home(vectors, v);
    Vec part = vec_scale(pool, factor, vector_in(vectors, v, home));
    Vec rate = rate_of(assembly->builder->motion->dt, part);
    Vec stretch = rate_of(assembly->along[alpha], fixed(assembly, rate));
    sum = turned(assembly, stretch, home);
    Vec place = turned(assembly, fixed(assembly, part), home);
    for (; !frame_is_above(vectors, home, frame); home = frame_parent(vectors, home))
        sum = plus(assembly, sum, vec_cross(pool, joint(assembly, home, alpha), place));
    return sum;
}

static size_t find_twist(Assembly *assembly, Twist twist)
{
    twist.turn = named(assembly, twist.turn);
    twist.move = named(assembly, twist.move);
    for (size_t i = 0; i < assembly->twists.count; i++)
        if (same(assembly->twists.at[i].turn, twist.turn) &&
            same(assembly->twists.at[i].move, twist.move))
            return i;
    array_push(&assembly->twists, twist);
    return assembly->twists.count - 1;
}

static void find_moves(Assembly *assembly, Piece *piece)
{
    Vectors *vectors = assembly->vectors;
    ExprPool *pool = assembly->pool;
    for (size_t alpha = 0; alpha < assembly->builder->k; alpha++) {
        Twist twist = {assembly->none, assembly->none};
        for (Frame f = piece->frame; f.at; f = frame_parent(vectors, f)) {
            Vec turn = joint(assembly, f, alpha);
            if (vec_is_zero(assembly->pool, turn))
                continue;
            twist.turn = plus(assembly, twist.turn, turn);
            Vec arm = place_before(assembly, piece->position, f);
            twist.move = plus(assembly, twist.move, named(assembly, vec_cross(pool, arm, turn)));
        }
        Vec own = own_moves(assembly, piece->position, expr_int(pool, 1), piece->frame, alpha);
        twist.move = plus(assembly, twist.move, own);
        piece->moves[alpha] = find_twist(assembly, twist);
    }
}

// ---- Inertia and forces of a piece, about O.

// The rows, which are the columns, of second moments.
static void rows_of(const Expr second[6], Vec rows[3])
{
    rows[0] = (Vec){second[0], second[3], second[5]};
    rows[1] = (Vec){second[3], second[1], second[4]};
    rows[2] = (Vec){second[5], second[4], second[2]};
}

// R·(I − Izz)·Rᵀ + Izz
static void add_central(Assembly *assembly, const ModelBody *body, Expr second[6])
{
    ExprPool *pool = assembly->pool;
    Expr tensor[6];
    for (int i = 0; i < 6; i++)
        tensor[i] = expr_subst(assembly->builder->fixed, body->inertia[i]);
    Expr last = tensor[2];
    for (int i = 0; i < 3; i++) {
        second[i] = expr_add(pool, second[i], last);
        tensor[i] = expr_sub(pool, tensor[i], last);
    }
    Vec rows[3];
    rows_of(tensor, rows);
    const Vec *c = axes_of(assembly, body->inertia_frame);
    for (int i = 0; i < 3; i++) {
        Vec row = named(assembly, combined(assembly, c, rows[i]));
        const Expr left[6] = {c[i].x, c[i].y, c[i].z, c[i].x, c[i].y, c[i].z};
        const Expr right[6] = {row.x, row.y, row.z, row.y, row.z, row.x};
        for (int at = 0; at < 6; at++)
            second[at] = expr_add(pool, second[at], expr_mul(pool, left[at], right[at]));
    }
}

static void find_inertia(Assembly *assembly, Piece *piece)
{
    RatesBuilder *builder = assembly->builder;
    ExprPool *pool = assembly->pool;
    Inertia *inertia = &piece->inertia;
    Expr mass = expr_subst(builder->fixed, piece->mass);
    Vec d = place_of(assembly, piece->position);
    Vec f = inertia->first = named(assembly, vec_scale(assembly->pool, mass, d));
    Expr x = builder_name(builder, expr_mul(pool, f.x, d.x));
    Expr y = builder_name(builder, expr_mul(pool, f.y, d.y));
    Expr z = builder_name(builder, expr_mul(pool, f.z, d.z));
    Expr second[6] = {expr_add(pool, y, z),
                      expr_add(pool, z, x),
                      expr_add(pool, x, y),
                      expr_neg(pool, expr_mul(pool, f.x, d.y)),
                      expr_neg(pool, expr_mul(pool, f.y, d.z)),
                      expr_neg(pool, expr_mul(pool, f.z, d.x))};
    if (piece->body && piece->body->has_inertia)
        add_central(assembly, piece->body, second);
    inertia->mass = mass;
    for (int i = 0; i < 6; i++)
        inertia->second[i] = builder_name(builder, second[i]);
}

// m (J − g) in O, its moment, and what the spin takes.
static void find_force(Assembly *assembly, Piece *piece)
{
    Vectors *vectors = assembly->vectors;
    const Model *model = assembly->builder->motion->model;
    Vector acceleration = vector_rate(vectors, vector_rate(vectors, piece->position));
    Vector felt =
        vector_scaled(vectors, piece->mass, vector_sub(vectors, acceleration, model->gravity));
    Vec force =
        expr_is_zero(assembly->pool, piece->mass) ? assembly->none : in_axes(assembly, felt);
    Vec d = place_of(assembly, piece->position);
    Vec moment = vec_cross(assembly->pool, d, force);
    if (piece->body && piece->body->has_inertia) {
        Vec omega, couple;
        motion_spin(assembly->builder->motion, piece->body, &omega, &couple);
        moment = plus(assembly, moment,
                      turned(assembly, fixed(assembly, couple), piece->body->inertia_frame));
    }
    piece->force = (Twist){named(assembly, moment), force};
}

// ---- Pieces that move alike.

static Inertia add_inertia(Assembly *assembly, const Inertia *a, const Inertia *b)
{
    RatesBuilder *builder = assembly->builder;
    Inertia sum = {.mass = expr_add(assembly->pool, a->mass, b->mass),
                   .first = named(assembly, plus(assembly, a->first, b->first))};
    for (int i = 0; i < 6; i++)
        sum.second[i] = builder_name(builder, expr_add(assembly->pool, a->second[i], b->second[i]));
    return sum;
}

static Twist add_twist(Assembly *assembly, const Twist *a, const Twist *b)
{
    Vec turn = named(assembly, plus(assembly, a->turn, b->turn));
    return (Twist){turn, named(assembly, plus(assembly, a->move, b->move))};
}

// The group of these pieces: its first piece, and the group of the others.
static size_t find_group(Assembly *assembly, const uint8_t *holds)
{
    assert(memchr(holds, 1, assembly->count));
    size_t count = assembly->count, first = 0;
    for (size_t i = 0; i < assembly->groups.count; i++)
        if (memcmp(assembly->groups.at[i].holds, holds, count) == 0)
            return i;
    while (!holds[first])
        first++;
    uint8_t *own = arena_array(assembly->builder->arena, uint8_t, 2 * count), *rest = own + count;
    memcpy(own, holds, count);
    memcpy(rest, holds, count);
    rest[first] = 0;
    Group group = {own, assembly->pieces[first].inertia, assembly->pieces[first].force};
    if (memchr(rest, 1, count)) {
        size_t at = find_group(assembly, rest);
        const Group others = assembly->groups.at[at];
        group.inertia = add_inertia(assembly, &group.inertia, &others.inertia);
        group.force = add_twist(assembly, &group.force, &others.force);
    }
    array_push(&assembly->groups, group);
    return assembly->groups.count - 1;
}

// 𝕀·(Ω, V)
static Twist momentum(Assembly *assembly, const Inertia *inertia, const Twist *twist)
{
    ExprPool *pool = assembly->pool;
    Vec w = twist->turn, rows[3];
    rows_of(inertia->second, rows);
    Vec turn =
        plus(assembly, combined(assembly, rows, w), vec_cross(pool, inertia->first, twist->move));
    Vec move = plus(assembly, vec_scale(pool, inertia->mass, twist->move),
                    vec_cross(pool, w, inertia->first));
    return (Twist){named(assembly, turn), named(assembly, move)};
}

// Adds to an entry of the matrix, or to the right side for u_α, what every set of pieces gives that
// move alike for u_α and for u_β.
static void add_pair(Assembly *assembly, size_t alpha, size_t beta, bool forces)
{
    RatesBuilder *builder = assembly->builder;
    ExprPool *pool = assembly->pool;
    size_t count = assembly->count, k = builder->k;
    uint8_t *holds = assembly->alike, *done = holds + count;
    Expr *entry = forces ? &builder->right[alpha] : &builder->matrix[alpha * k + beta];
    memset(done, 0, count);
    for (size_t i = 0; i < count; i++) {
        size_t a = assembly->pieces[i].moves[alpha], b = assembly->pieces[i].moves[beta];
        if (done[i] || a == 0 || b == 0)
            continue;
        for (size_t j = 0; j < count; j++) {
            const Piece *other = &assembly->pieces[j];
            holds[j] = other->moves[alpha] == a && other->moves[beta] == b;
            done[j] = done[j] || holds[j];
        }
        size_t at = find_group(assembly, holds);
        const Group group = assembly->groups.at[at];
        // By the one that moves less: its momenta serve for many others.
        bool swap = assembly->moved[alpha] < assembly->moved[beta];
        const Twist left = assembly->twists.at[swap ? b : a];
        const Twist right = assembly->twists.at[swap ? a : b];
        Twist acts = forces ? group.force : momentum(assembly, &group.inertia, &right);
        Expr term = expr_add(pool, vec_dot(pool, left.turn, acts.turn),
                             vec_dot(pool, left.move, acts.move));
        *entry = forces ? expr_sub(pool, *entry, term) : expr_add(pool, *entry, term);
    }
}

// ---- All.

static void add_piece(Assembly *assembly, Expr mass, Vector position, const ModelBody *body,
                      Frame frame)
{
    Piece *piece = &assembly->pieces[assembly->count++];
    *piece = (Piece){.mass = mass, .position = position, .body = body, .frame = frame};
    piece->moves = arena_array(assembly->builder->arena, size_t, assembly->builder->k);
    find_moves(assembly, piece);
    find_inertia(assembly, piece);
    find_force(assembly, piece);
    for (size_t alpha = 0; alpha < assembly->builder->k; alpha++)
        assembly->moved[alpha] += piece->moves[alpha] != 0;
}

// A point is fixed in the last of the frames that its place is made of.
static Frame deepest(const Assembly *assembly, Vector v)
{
    size_t count = vector_term_count(assembly->vectors, v);
    Frame frame = count ? (Frame){0} : vector_home(assembly->vectors, v);
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Frame own = deepest(assembly, vector_term(assembly->vectors, v, i, &factor));
        frame = own.at > frame.at ? own : frame;
    }
    return frame;
}

static void assembly_init(Assembly *assembly, RatesBuilder *builder, ExprRates **along)
{
    const Model *model = builder->motion->model;
    Arena *arena = builder->arena;
    Expr zero = expr_int(builder->pool, 0), one = expr_int(builder->pool, 1);
    size_t pieces = model->masses.count + model->bodies.count;
    *assembly = (Assembly){.builder = builder,
                           .vectors = model->vectors,
                           .pool = builder->pool,
                           .along = along,
                           .none = {zero, zero, zero},
                           .frames = arena_array(arena, FrameParts, frame_count(model->vectors)),
                           // The newest vector's number is above those of all others.
                           .places = arena_array(arena, Vec, vector_zero(model->vectors).at),
                           .pieces = arena_array(arena, Piece, pieces),
                           .moved = arena_array(arena, size_t, builder->k),
                           .alike = arena_array(arena, uint8_t, 2 * pieces)};
    assembly->frames[0] =
        (FrameParts){.axes = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    array_push(&assembly->twists, ((Twist){assembly->none, assembly->none}));
}

void builder_add_bodies(RatesBuilder *builder, ExprRates **along)
{
    assert(builder->B && builder->matrix && along);
    const Model *model = builder->motion->model;
    Assembly assembly;
    assembly_init(&assembly, builder, along);
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        add_piece(&assembly, mass->mass, mass->position, NULL, deepest(&assembly, mass->position));
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        add_piece(&assembly, body->mass, body->position, body, body->frame);
    }
    void *stop = builder->recipe.state->stop;
    for (size_t alpha = 0; alpha < builder->k && stop_not_requested(stop); alpha++) {
        for (size_t beta = 0; beta <= alpha; beta++)
            add_pair(&assembly, alpha, beta, false);
        add_pair(&assembly, alpha, alpha, true);
    }
    array_clear(&assembly.twists);
    array_clear(&assembly.groups);
}
