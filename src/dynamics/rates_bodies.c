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
#include "dynamics/rates_impl.h"
#include "expr/expr.h"
#include "model/model.h"
#include "model/vector_types.h"
#include "model/vectors.h"
#include "motion/inertia.h"

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

typedef struct {
    bool has_axes, has_joint;
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
    Vec *places; // of every vector met
    size_t place_count;
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

// Along the columns of B.
static Vec partial(Assembly *assembly, size_t alpha, Vec v)
{
    ExprRates *along = assembly->along[alpha];
    return (Vec){expr_rate(along, v.x), expr_rate(along, v.y), expr_rate(along, v.z)};
}

// ---- Frames.

// The axes of a frame along those of its parent.
static void axes_in_parent(Assembly *assembly, Frame frame, Vec axes[3])
{
    Frame parent = frame_parent(assembly->vectors, frame);
    Expr zero = assembly->none.x, one = expr_int(assembly->pool, 1);
    const Vec units[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int i = 0; i < 3; i++) {
        Vector axis = vector_of(assembly->vectors, frame, units[i]);
        axes[i] = named(assembly, fixed(assembly, vector_in(assembly->vectors, axis, parent)));
    }
}

static Vec combined(Assembly *assembly, const Vec columns[3], Vec v)
{
    return named(assembly,
                 vec_plus(assembly->pool, vec_scale(assembly->pool, v.x, columns[0]),
                          vec_plus(assembly->pool, vec_scale(assembly->pool, v.y, columns[1]),
                                   vec_scale(assembly->pool, v.z, columns[2]))));
}

static const Vec *axes_of(Assembly *assembly, Frame frame)
{
    FrameParts *parts = &assembly->frames[frame.at];
    Vec turn[3];
    if (parts->has_axes)
        return parts->axes;
    parts->has_axes = true;
    const Vec *from = axes_of(assembly, frame_parent(assembly->vectors, frame));
    axes_in_parent(assembly, frame, turn);
    for (int i = 0; i < 3; i++)
        parts->axes[i] = combined(assembly, from, turn[i]);
    return parts->axes;
}

static Vec turned(Assembly *assembly, Vec v, Frame from)
{
    if (vec_is_zero(assembly->pool, v))
        return v;
    if (from.at == 0)
        return named(assembly, v);
    return combined(assembly, axes_of(assembly, from), v);
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
    if (!parts->has_joint) {
        size_t k = assembly->builder->k;
        Vectors *vectors = assembly->vectors;
        Vector spin = vector_sub(vectors, frame_omega(vectors, frame),
                                 frame_omega(vectors, frame_parent(vectors, frame)));
        Frame home = vector_home(vectors, spin);
        Vec omega = fixed(assembly, vector_in(vectors, spin, home));
        parts->has_joint = true;
        parts->joint = arena_array(assembly->builder->arena, Vec, k);
        for (size_t i = 0; i < k; i++)
            parts->joint[i] = turned(assembly, partial(assembly, i, omega), home);
    }
    return parts->joint[alpha];
}

// ---- Places, from O.

// The place of what a vector leads to, once it was asked for.
static Vec *known_place(Assembly *assembly, Vector v)
{
    if (v.at >= assembly->place_count) {
        size_t count = 2 * ((size_t)v.at + 1);
        Vec *places = arena_array(assembly->builder->arena, Vec, count);
        if (assembly->place_count)
            memcpy(places, assembly->places, assembly->place_count * sizeof *places);
        assembly->places = places;
        assembly->place_count = count;
    }
    return &assembly->places[v.at];
}

static Vec place_of(Assembly *assembly, Vector v)
{
    Vec place = *known_place(assembly, v);
    if (!expr_is_none(place.x))
        return place;
    size_t count = vector_term_count(assembly->vectors, v);
    place = count ? assembly->none : in_axes(assembly, v);
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Vector term = vector_term(assembly->vectors, v, i, &factor);
        factor = expr_subst(assembly->builder->fixed, factor);
        place = vec_plus(assembly->pool, place,
                         vec_scale(assembly->pool, factor, place_of(assembly, term)));
    }
    place = named(assembly, place);
    *known_place(assembly, v) = place;
    return place;
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
        sum = vec_plus(assembly->pool, sum, vec_scale(assembly->pool, factor, part));
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
        sum = vec_plus(assembly->pool, sum,
                       own_moves(assembly, term, expr_mul(pool, factor, own), frame, alpha));
    }
    if (count > 0)
        return sum;
    Frame home = vector_home(vectors, v);
    Vec part = vec_scale(assembly->pool, factor, vector_in(vectors, v, home));
    ExprRates *dt = assembly->builder->motion->dt;
    Vec rate = {expr_rate(dt, part.x), expr_rate(dt, part.y), expr_rate(dt, part.z)};
    Vec stretch = partial(assembly, alpha, fixed(assembly, rate));
    sum = turned(assembly, stretch, home);
    Vec place = turned(assembly, fixed(assembly, part), home);
    for (; !frame_is_above(assembly->vectors, home, frame); home = frame_parent(vectors, home))
        sum = vec_plus(assembly->pool, sum, vec_cross(pool, joint(assembly, home, alpha), place));
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
            twist.turn = vec_plus(assembly->pool, twist.turn, turn);
            Vec arm = place_before(assembly, piece->position, f);
            twist.move =
                vec_plus(assembly->pool, twist.move, named(assembly, vec_cross(pool, arm, turn)));
        }
        Vec own = own_moves(assembly, piece->position, expr_int(pool, 1), piece->frame, alpha);
        twist.move = vec_plus(assembly->pool, twist.move, own);
        piece->moves[alpha] = find_twist(assembly, twist);
    }
}

// ---- Inertia and forces of a piece, about O.

// R·(I − Izz)·Rᵀ + Izz
static void add_central(Assembly *assembly, const ModelBody *body, Expr second[6])
{
    static const int rows[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    ExprPool *pool = assembly->pool;
    Expr tensor[6];
    for (int i = 0; i < 6; i++)
        tensor[i] = expr_subst(assembly->builder->fixed, body->inertia[i]);
    Expr last = tensor[2];
    for (int i = 0; i < 3; i++) {
        second[i] = expr_add(pool, second[i], last);
        tensor[i] = expr_sub(pool, tensor[i], last);
    }
    const Vec *c = axes_of(assembly, body->inertia_frame);
    for (int i = 0; i < 3; i++) {
        Vec row = assembly->none;
        for (int j = 0; j < 3; j++)
            row =
                vec_plus(assembly->pool, row, vec_scale(assembly->pool, tensor[rows[i][j]], c[j]));
        row = named(assembly, row);
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
        moment = vec_plus(assembly->pool, moment,
                          turned(assembly, fixed(assembly, couple), piece->body->inertia_frame));
    }
    piece->force = (Twist){named(assembly, moment), force};
}

// ---- Pieces that move alike.

static Inertia add_inertia(Assembly *assembly, const Inertia *a, const Inertia *b)
{
    RatesBuilder *builder = assembly->builder;
    Inertia sum = {.mass = expr_add(assembly->pool, a->mass, b->mass),
                   .first = named(assembly, vec_plus(assembly->pool, a->first, b->first))};
    for (int i = 0; i < 6; i++)
        sum.second[i] = builder_name(builder, expr_add(assembly->pool, a->second[i], b->second[i]));
    return sum;
}

static Twist add_twist(Assembly *assembly, const Twist *a, const Twist *b)
{
    Vec turn = named(assembly, vec_plus(assembly->pool, a->turn, b->turn));
    return (Twist){turn, named(assembly, vec_plus(assembly->pool, a->move, b->move))};
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
    static const int rows[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    ExprPool *pool = assembly->pool;
    Vec w = twist->turn;
    Expr spin[3];
    for (int i = 0; i < 3; i++) {
        Expr terms[] = {expr_mul(pool, inertia->second[rows[i][0]], w.x),
                        expr_mul(pool, inertia->second[rows[i][1]], w.y),
                        expr_mul(pool, inertia->second[rows[i][2]], w.z)};
        spin[i] = expr_sum(pool, terms, 3);
    }
    Vec turn = vec_plus(assembly->pool, (Vec){spin[0], spin[1], spin[2]},
                        vec_cross(pool, inertia->first, twist->move));
    Vec move = vec_plus(assembly->pool, vec_scale(assembly->pool, inertia->mass, twist->move),
                        vec_cross(pool, w, inertia->first));
    return (Twist){named(assembly, turn), named(assembly, move)};
}

static Expr product(Assembly *assembly, const Twist *a, const Twist *b)
{
    return expr_add(assembly->pool, vec_dot(assembly->pool, a->turn, b->turn),
                    vec_dot(assembly->pool, a->move, b->move));
}

// Adds to an entry of the matrix, or to the right side for u_α, what every set of pieces gives that
// move alike for u_α and for u_β.
static void add_pair(Assembly *assembly, size_t alpha, size_t beta, bool forces)
{
    RatesBuilder *builder = assembly->builder;
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
        Expr term = product(assembly, &left, &acts);
        *entry = forces ? expr_sub(assembly->pool, *entry, term)
                        : expr_add(assembly->pool, *entry, term);
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
                           .pieces = arena_array(arena, Piece, pieces),
                           .moved = arena_array(arena, size_t, builder->k),
                           .alike = arena_array(arena, uint8_t, 2 * pieces)};
    assembly->frames[0] = (FrameParts){
        .has_axes = true, .axes = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
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
    for (size_t alpha = 0; alpha < builder->k; alpha++) {
        for (size_t beta = 0; beta <= alpha; beta++)
            add_pair(&assembly, alpha, beta, false);
        add_pair(&assembly, alpha, alpha, true);
    }
    array_clear(&assembly.twists);
    array_clear(&assembly.groups);
}
