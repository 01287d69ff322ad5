// frames.c: the tree of frames: turns from one to the next, and angular velocities.
#include "model/vectors_impl.h"

#include <assert.h>

static const FrameNode *frame_node(const Vectors *vectors, Frame frame)
{
    assert(frame.at < vectors->frames.count);
    return &vectors->frames.at[frame.at];
}

size_t frame_count(const Vectors *vectors)
{
    return vectors->frames.count;
}

Frame frame_parent(const Vectors *vectors, Frame frame)
{
    return frame_node(vectors, frame)->parent;
}

const char *frame_name(const Vectors *vectors, Frame frame)
{
    return frame.at == 0 ? "world" : frame_node(vectors, frame)->name;
}

void frame_set_name(Vectors *vectors, Frame frame, const char *name)
{
    FrameNode *node = &vectors->frames.at[frame.at];
    if (!node->name)
        node->name = name;
}

bool frame_is_above(const Vectors *vectors, Frame upper, Frame lower)
{
    // A parent's index is below its child's.
    while (lower.at > upper.at)
        lower = frame_parent(vectors, lower);
    return lower.at == upper.at;
}

static Frame common_ancestor(const Vectors *vectors, Frame a, Frame b)
{
    while (a.at != b.at) {
        if (a.at > b.at)
            a = frame_parent(vectors, a);
        else
            b = frame_parent(vectors, b);
    }
    return a;
}

// Along one branch the deeper frame: a chain's vectors then pass from link to link. Between
// branches the frame where they part.
Frame frame_join(const Vectors *vectors, Frame a, Frame b)
{
    if (frame_is_above(vectors, a, b))
        return b;
    if (frame_is_above(vectors, b, a))
        return a;
    return common_ancestor(vectors, a, b);
}

// ---- One step.

// The components of a vector that is turned in the plane of its components a, b.
static void turn_pair(ExprPool *pool, const FrameNode *node, bool down, Expr *a, Expr *b)
{
    Expr sine = down ? expr_neg(pool, node->sine) : node->sine;
    Expr first = expr_sub(pool, expr_mul(pool, node->cosine, *a), expr_mul(pool, sine, *b));
    Expr second = expr_add(pool, expr_mul(pool, sine, *a), expr_mul(pool, node->cosine, *b));
    *a = first;
    *b = second;
}

static Vec turn_by_matrix(ExprPool *pool, const FrameNode *node, bool down, Vec v)
{
    const Vec *c = node->columns;
    if (down)
        return (Vec){vec_dot(pool, c[0], v), vec_dot(pool, c[1], v), vec_dot(pool, c[2], v)};
    Vec rows[] = {{c[0].x, c[1].x, c[2].x}, {c[0].y, c[1].y, c[2].y}, {c[0].z, c[1].z, c[2].z}};
    return (Vec){vec_dot(pool, rows[0], v), vec_dot(pool, rows[1], v), vec_dot(pool, rows[2], v)};
}

// From the frame to its parent, or down from the parent.
static Vec turn_step(ExprPool *pool, const FrameNode *node, bool down, Vec v)
{
    if (vec_is_zero(pool, v))
        return v;
    switch (node->turn) {
    case TURN_X: turn_pair(pool, node, down, &v.y, &v.z); break;
    case TURN_Y: turn_pair(pool, node, down, &v.z, &v.x); break;
    case TURN_Z: turn_pair(pool, node, down, &v.x, &v.y); break;
    case TURN_MATRIX: return turn_by_matrix(pool, node, down, v);
    }
    return v;
}

Vec frame_turn(Vectors *vectors, Vec v, Frame from, Frame to)
{
    Frame top = common_ancestor(vectors, from, to);
    for (; from.at != top.at; from = frame_parent(vectors, from), vectors->turns++)
        v = turn_step(vectors->pool, frame_node(vectors, from), false, v);
    ARRAY(Frame) path = {0};
    for (; to.at != top.at; to = frame_parent(vectors, to))
        array_push(&path, to);
    for (size_t i = path.count; i-- > 0; vectors->turns++)
        v = turn_step(vectors->pool, frame_node(vectors, path.at[i]), true, v);
    array_clear(&path);
    return v;
}

// ---- Making frames.

// Adds the frame with ω = ω of the parent + `relative`, whose components are known in the
// parent's axes and in the frame's own.
static Frame add_frame(Vectors *vectors, FrameNode node, Vec relative, Vec relative_below)
{
    node.relative = relative_below;
    array_push(&vectors->frames, node);
    Frame frame = {(uint32_t)vectors->frames.count - 1};
    Vector part = vector_of(vectors, node.parent, relative);
    if (!vector_is_zero(vectors, part))
        vectors_remember(vectors, part, frame, relative_below);
    Vector omega = vector_add(vectors, frame_node(vectors, node.parent)->omega, part);
    vectors->frames.at[frame.at].omega = omega;
    return frame;
}

static int unit_axis(const ExprPool *pool, Vec axis)
{
    const Expr parts[] = {axis.x, axis.y, axis.z};
    int which = -1;
    for (int i = 0; i < 3; i++) {
        if (expr_is_zero(pool, parts[i]))
            continue;
        if (!expr_is_one(pool, parts[i]) || which >= 0)
            return -1;
        which = i;
    }
    return which;
}

// Rodrigues: column j of cos·1 + sin·[n]× + (1 − cos)·n nᵀ.
static void rodrigues(ExprPool *pool, Vec n, Expr cosine, Expr sine, Vec columns[3])
{
    Expr zero = expr_int(pool, 0), one = expr_int(pool, 1);
    Expr rest = expr_sub(pool, one, cosine);
    const Expr axis[] = {n.x, n.y, n.z};
    for (int j = 0; j < 3; j++) {
        Vec unit = {j == 0 ? one : zero, j == 1 ? one : zero, j == 2 ? one : zero};
        Vec turned = vec_cross(pool, n, unit);
        const Expr cross[] = {turned.x, turned.y, turned.z};
        Expr parts[3];
        for (int i = 0; i < 3; i++) {
            Expr terms[] = {i == j ? cosine : zero, expr_mul(pool, sine, cross[i]),
                            expr_product(pool, (Expr[]){rest, axis[i], axis[j]}, 3)};
            parts[i] = expr_sum(pool, terms, 3);
        }
        columns[j] = (Vec){parts[0], parts[1], parts[2]};
    }
}

Frame frame_turned(Vectors *vectors, Frame parent, Expr angle, Vec axis)
{
    ExprPool *pool = vectors->pool;
    FrameNode node = {.parent = parent, .angle = angle};
    node.cosine = expr_call(pool, EXPR_COS, angle, (Expr){0});
    node.sine = expr_call(pool, EXPR_SIN, angle, (Expr){0});
    int which = unit_axis(pool, axis);
    node.turn = which >= 0 ? (TurnKind)which : TURN_MATRIX;
    if (which < 0)
        rodrigues(pool, axis, node.cosine, node.sine, node.columns);
    Expr rate = expr_rate(vectors->dt, angle);
    Vec relative = {expr_mul(pool, rate, axis.x), expr_mul(pool, rate, axis.y),
                    expr_mul(pool, rate, axis.z)};
    return add_frame(vectors, node, relative, relative);
}

// ---- Quaternions.

static void quaternion_columns(ExprPool *pool, const Expr e[4], Expr inverse, Vec columns[3])
{
    Expr product[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            product[i][j] = expr_product(pool, (Expr[]){e[i], e[j], inverse}, 3);
    for (int j = 0; j < 3; j++) {
        Expr parts[3];
        for (int i = 0; i < 3; i++) {
            if (i == j) {
                // e0² + ej² − the other two squares
                Expr terms[4] = {product[0][0]};
                for (int k = 1; k < 4; k++)
                    terms[k] = k == j + 1 ? product[k][k] : expr_neg(pool, product[k][k]);
                parts[i] = expr_sum(pool, terms, 4);
            } else {
                // 2(ei ej ± e0 ek), + where i follows j in the order x y z x
                int k = 3 - i - j;
                Expr turn = product[0][k + 1];
                if (i != (j + 1) % 3)
                    turn = expr_neg(pool, turn);
                parts[i] =
                    expr_mul(pool, expr_int(pool, 2), expr_add(pool, product[i + 1][j + 1], turn));
            }
        }
        columns[j] = (Vec){parts[0], parts[1], parts[2]};
    }
}

// 2(e0 e' − e0' e ∓ e × e')/|e|², − in the frame's own axes, + in the parent's.
static Vec quaternion_omega(Vectors *vectors, const Expr e[4], Expr inverse, bool below)
{
    ExprPool *pool = vectors->pool;
    Expr d[4];
    for (int i = 0; i < 4; i++)
        d[i] = expr_rate(vectors->dt, e[i]);
    Vec cross = vec_cross(pool, (Vec){e[1], e[2], e[3]}, (Vec){d[1], d[2], d[3]});
    const Expr turn[] = {cross.x, cross.y, cross.z};
    Expr parts[3];
    for (int i = 0; i < 3; i++) {
        Expr terms[] = {expr_mul(pool, e[0], d[i + 1]),
                        expr_neg(pool, expr_mul(pool, d[0], e[i + 1])),
                        below ? expr_neg(pool, turn[i]) : turn[i]};
        parts[i] =
            expr_product(pool, (Expr[]){expr_int(pool, 2), inverse, expr_sum(pool, terms, 3)}, 3);
    }
    return (Vec){parts[0], parts[1], parts[2]};
}

Frame frame_quaternion(Vectors *vectors, Frame parent, const Expr e[4])
{
    ExprPool *pool = vectors->pool;
    Expr squares[4];
    for (int i = 0; i < 4; i++)
        squares[i] = expr_pow_int(pool, e[i], 2);
    Expr inverse = expr_pow_int(pool, expr_sum(pool, squares, 4), -1);
    FrameNode node = {.parent = parent, .turn = TURN_MATRIX};
    quaternion_columns(pool, e, inverse, node.columns);
    return add_frame(vectors, node, quaternion_omega(vectors, e, inverse, false),
                     quaternion_omega(vectors, e, inverse, true));
}

FrameTurn frame_turn_in_parent(const Vectors *vectors, Frame frame)
{
    const FrameNode *node = frame_node(vectors, frame);
    FrameTurn turn = {.axis = node->turn == TURN_MATRIX ? -1 : (int)node->turn,
                      .angle = node->angle,
                      .cosine = node->cosine,
                      .sine = node->sine,
                      .relative = node->relative};
    for (int i = 0; i < 3; i++)
        turn.columns[i] = node->columns[i];
    return turn;
}

Vector frame_omega(Vectors *vectors, Frame frame)
{
    return frame_node(vectors, frame)->omega;
}
