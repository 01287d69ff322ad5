// joint_friction.c: dry friction in joints, by the force of the joint.
//
//     hinge      a couple about its axis, at most μ·radius·(the force across the axis)
//     slider     a force along its axis, at most μ·(the force across)
//     cylinder   both at once: the force on the bearing's surface, of parts (couple)/radius and
//                along the axis, against the velocity there, at most μ·(the force across)
//     ball       a couple against the turning of one body in the other, at most
//                μ·radius·(the force)
//     universal  the same, in the plane of its two axes
#include "model/joints_impl.h"

// Of the conditions whose reactions are the force: across an axis, or all of it.
static const char *const across_members[] = {".across1", ".across2"};
static const char *const all_members[] = {".x", ".y", ".z"};

static bool turns_freely(const Joint *joint)
{
    return joint->kind == JOINT_BALL || joint->kind == JOINT_UNIVERSAL;
}

static size_t reaction_count(const Joint *joint)
{
    return turns_freely(joint) ? 3 : 2;
}

bool joint_may_rub(Elaborator *e, const Joint *joint)
{
    const Part *friction = statement_part(e, PART_FRICTION);
    bool slides = joint->kind == JOINT_SLIDER;
    bool bears = joint->kind == JOINT_HINGE || joint->kind == JOINT_CYLINDER || turns_freely(joint);
    if (!friction)
        return true;
    Place place = syntax_part_place(e->syntax, friction);
    if (!bears && !slides)
        return elaborate_fail(e, place,
                              "friction is usable in hinges, sliders, cylinders, universal and "
                              "ball joints, and this is a %s joint; write its law with 'friction … "
                              "at P on B'",
                              joint->word);
    if (bears && !statement_part(e, PART_RADIUS))
        return elaborate_fail(e, place, "friction in a %s%s needs the bearing's 'radius'",
                              joint->word, turns_freely(joint) ? " joint" : "");
    return true;
}

bool joint_hold(Elaborator *e, Joint *joint)
{
    const char *const *members = turns_freely(joint) ? all_members : across_members;
    size_t prefix = e->scope ? e->scope->prefix.length : 0;
    if (!statement_part(e, PART_FRICTION))
        return true;
    if (statement_part(e, PART_BY) && !joint_declare_label(e, joint))
        return false;
    for (size_t i = 0; i < reaction_count(joint); i++) {
        Text name = {0};
        text_addf(&name, "%s%s", joint->label + prefix, members[i]);
        bool good = declare_coordinate(e, (Str){name.at, name.length}, dim_of(0, 1, 0),
                                       joint->place, &joint->held[i]);
        text_clear(&name);
        if (!good || !push_residual(e, joint->label, members[i], joint->held[i], dim_of(0, 1, 0),
                                    joint->place))
            return false;
    }
    return true;
}

Vector joint_held_way(Elaborator *e, const Joint *joint, Vec u)
{
    Vectors *vectors = e->model->vectors;
    Vec sides[2], parts = {joint->held[0], joint->held[1], joint->held[2]};
    if (!statement_part(e, PART_FRICTION))
        return vector_zero(vectors);
    if (turns_freely(joint))
        return vector_of(vectors, joint->a.frame, parts);
    joint_across(e, u, sides);
    return vector_of(vectors, joint->a.frame,
                     vec_plus(e->pool, vec_scale(e->pool, parts.x, sides[0]),
                              vec_scale(e->pool, parts.y, sides[1])));
}

// ---- The bound.

static bool read_radius(Elaborator *e, Expr *radius)
{
    const Part *part = statement_part(e, PART_RADIUS);
    *radius = expr_int(e->pool, 1);
    return !part || elaborate_measure(e, part, LEVEL_PLACE, "the radius of a bearing",
                                      dim_of(0, 1, 0), radius, NULL);
}

// μ times the length of the reactions from `first` on, of a couple times the bearing's radius.
static bool read_bound(Elaborator *e, const Joint *joint, size_t first, PartRole role, Expr *bound)
{
    const ModelConstraint *conditions = &e->model->constraints.at[first];
    Expr radius, squares[3];
    if (!elaborate_measure(e, statement_part(e, role), LEVEL_VELOCITY, "a friction coefficient",
                           dim_pure(), bound, NULL))
        return false;
    for (size_t i = 0; i < reaction_count(joint); i++)
        squares[i] = expr_pow_int(e->pool, conditions[i].lambda, 2);
    Expr sum = expr_sum(e->pool, squares, reaction_count(joint));
    *bound = expr_mul(e->pool, *bound, expr_sqrt(e->pool, sum));
    if (joint->kind == JOINT_SLIDER || joint->kind == JOINT_CYLINDER)
        return true;
    if (!read_radius(e, &radius))
        return false;
    *bound = expr_mul(e->pool, *bound, radius);
    return true;
}

// ---- What it acts against.

static Vector turning(Elaborator *e, const Joint *joint)
{
    Vectors *vectors = e->model->vectors;
    return vector_sub(vectors, frame_omega(vectors, joint->b.frame),
                      frame_omega(vectors, joint->a.frame));
}

static Expr rate_of(const Elaborator *e, Expr q)
{
    size_t i = 0;
    while (!expr_same(e->model->coords.at[i].q, q))
        i++;
    return e->model->coords.at[i].v;
}

// How fast the bodies turn about the axis, and move along it.
static Expr turn_rate(Elaborator *e, const Joint *joint)
{
    return joint->b_placed ? vector_dot(e->model->vectors, joint->u, turning(e, joint))
                           : rate_of(e, joint->q[0]);
}

static Expr slide_rate(Elaborator *e, const Joint *joint, Vector q)
{
    Vectors *vectors = e->model->vectors;
    if (!joint->b_placed)
        return rate_of(e, joint->q[joint->kind == JOINT_CYLINDER ? 1 : 0]);
    Vector way = vector_sub(vectors, q, joint->at.vector);
    return vector_dot(vectors, joint->u, vector_rate(vectors, way));
}

// Unit vectors along which a ball turns, or a universal joint; how many.
static size_t find_axes(Elaborator *e, const Joint *joint, Vector *axes)
{
    Vectors *vectors = e->model->vectors;
    if (joint->kind == JOINT_BALL) {
        for (int i = 0; i < 3; i++)
            axes[i] = vector_of(vectors, joint->a.frame, joint_unit(e, i));
        return 3;
    }
    axes[0] = joint->u;
    axes[1] = joint->w;
    // That of a loop holds them across each other; else what is left of the second is taken.
    if (!joint->b_placed) {
        Expr along = vector_dot(vectors, joint->u, joint->w), one = expr_int(e->pool, 1);
        Expr rest = expr_sub(e->pool, one, expr_pow_int(e->pool, along, 2));
        Vector across = vector_sub(vectors, joint->w, vector_scaled(vectors, along, joint->u));
        axes[1] = vector_scaled(vectors, expr_div(e->pool, one, expr_sqrt(e->pool, rest)), across);
    }
    return 2;
}

static bool find_speeds(Elaborator *e, const Joint *joint, Vector q, ModelFriction *friction)
{
    Vectors *vectors = e->model->vectors;
    Expr radius;
    friction->kind = FRICTION_IN_JOINT;
    switch (joint->kind) {
    case JOINT_HINGE:
    case JOINT_SLIDER:
        friction->kind = FRICTION_AGAINST;
        friction->against[0] =
            joint->kind == JOINT_HINGE ? turn_rate(e, joint) : slide_rate(e, joint, q);
        return true;
    case JOINT_CYLINDER:
        if (!read_radius(e, &radius))
            return false;
        friction->against_count = 2;
        friction->against[0] = expr_mul(e->pool, radius, turn_rate(e, joint));
        friction->against[1] = slide_rate(e, joint, q);
        friction->axes[0] = friction->axes[1] = joint->u;
        // Round the axis there is no direction: a vector across it stands for that.
        {
            Vec sides[2];
            joint_across(e, vector_in(vectors, joint->u, joint->a.frame), sides);
            friction->axes[0] = vector_of(vectors, joint->a.frame, sides[0]);
        }
        return true;
    default: break;
    }
    friction->against_count = find_axes(e, joint, friction->axes);
    for (size_t i = 0; i < friction->against_count; i++)
        friction->against[i] = vector_dot(vectors, friction->axes[i], turning(e, joint));
    return true;
}

bool joint_rub(Elaborator *e, const Joint *joint, size_t first, Vector q)
{
    const Part *part = statement_part(e, PART_FRICTION);
    const Part *hold = statement_part(e, PART_STATIC);
    if (!part)
        return true;
    ModelFriction friction = {
        .name = joint->label,
        .other = joint->a.kind == VALUE_BODY ? joint->a.body : FRICTION_WORLD,
        .body = joint->b.kind == VALUE_BODY ? joint->b.body : FRICTION_WORLD,
        .against_count = 1,
        .speed = dim_of(0, joint->kind == JOINT_SLIDER || joint->kind == JOINT_CYLINDER, -1),
        .position = joint->at.vector,
        .point = joint->label,
        .place = joint->place,
        .at = joint->place,
        .bound_place = syntax_part_place(e->syntax, part),
        .hold_place = syntax_part_place(e->syntax, hold ? hold : part)};
    if (!find_speeds(e, joint, q, &friction) ||
        !read_bound(e, joint, first, PART_FRICTION, &friction.bound) ||
        (hold && !read_bound(e, joint, first, PART_STATIC, &friction.hold)))
        return false;
    if (!hold)
        friction.hold = friction.bound;
    push_friction(e, &friction);
    return true;
}
