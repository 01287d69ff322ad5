// load_points.c: on what a given force, impulse or servo force at a point does its virtual work.
//
// With a body named, the virtual displacement is that of the particle of the body that is at the
// point now: Q_ν = F·∂(v_G + ω × (P − G))/∂q'_ν, which is the force at the centre G together with
// the couple (P − G) × F. Without one it is that of the point itself. The two agree where the point
// is fixed in the body. Where it is not, and a body moves along with it (the point where a ball
// touches the floor, or a bowl), nobody can tell which of them is meant, and the statement is
// refused.
#include "motion/motion_impl.h"

#include <assert.h>

Vector motion_particle_velocity(Motion *motion, const ModelBody *body, Vector position)
{
    Vectors *vectors = motion->model->vectors;
    Vector arm = vector_sub(vectors, position, body->position);
    Vector turning = vector_cross(vectors, frame_omega(vectors, body->frame), arm);
    return vector_add(vectors, vector_rate(vectors, body->position), turning);
}

Vector motion_load_velocity(Motion *motion, const ModelLoadPoint *point)
{
    const Model *model = motion->model;
    assert(point->position.at != 0);
    if (point->on == LOAD_ON_BODY)
        return motion_particle_velocity(motion, &model->bodies.at[point->body], point->position);
    return vector_rate(model->vectors, point->position);
}

static bool is_zero_vec(Motion *motion, Vec v)
{
    return motion_is_zero(motion, v.x) && motion_is_zero(motion, v.y) &&
           motion_is_zero(motion, v.z);
}

// Whether no coordinate changes a velocity, or angular velocity.
static bool is_unmoved(Motion *motion, Vector velocity)
{
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns);
    motion_jacobian(motion, velocity, columns);
    bool unmoved = true;
    for (size_t nu = 0; nu < motion->n && unmoved; nu++)
        unmoved = is_zero_vec(motion, columns[nu]);
    base_free(columns);
    return unmoved;
}

// ---- Whether both readings agree.

static bool is_at(Motion *motion, Vector a, Vector b)
{
    return is_zero_vec(motion, motion_world(motion, vector_sub(motion->model->vectors, a, b)));
}

static bool is_constant_in(Motion *motion, const ModelBody *body, Vector position)
{
    Vectors *vectors = motion->model->vectors;
    Vec arm = vector_in(vectors, vector_sub(vectors, position, body->position), body->frame);
    return !expr_holds_any(motion->pool, arm.x, motion->q, motion->n) &&
           !expr_holds_any(motion->pool, arm.y, motion->q, motion->n) &&
           !expr_holds_any(motion->pool, arm.z, motion->q, motion->n);
}

// Whether a vector is a sum in which some term is given along the axes of this frame.
static bool is_made_in(const Vectors *vectors, Vector v, Frame frame)
{
    size_t count = vector_term_count(vectors, v);
    Expr factor;
    for (size_t i = 0; i < count; i++)
        if (vector_home(vectors, vector_term(vectors, v, i, &factor)).at == frame.at)
            return true;
    return vector_home(vectors, v).at == frame.at;
}

// Seen without any proof: the same vector as the place of a mass or of a body's centre, or a place
// in a body's axes without coordinates.
static bool is_plainly_fixed(Motion *motion, Vector position)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        if (model->masses.at[i].position.at == position.at)
            return true;
    for (size_t i = 0; i < model->bodies.count; i++)
        if (model->bodies.at[i].position.at == position.at)
            return true;
    for (size_t i = 0; i < model->bodies.count; i++)
        if (is_made_in(model->vectors, position, model->bodies.at[i].frame) &&
            is_constant_in(motion, &model->bodies.at[i], position))
            return true;
    return false;
}

// At the place of a mass, or carried by a body in every displacement.
static bool is_fixed(Motion *motion, Vector position)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        if (is_at(motion, model->masses.at[i].position, position))
            return true;
    for (size_t i = 0; i < model->bodies.count; i++) {
        Vector particle = motion_particle_velocity(motion, &model->bodies.at[i], position);
        Vector own = vector_rate(model->vectors, position);
        if (is_unmoved(motion, vector_sub(model->vectors, own, particle)))
            return true;
    }
    return false;
}

// In how many coordinates the body moves along with the point: these displace it and the centre by
// the same vector, not 0; or both by some vector, while their distance is the same in all positions
// (a ball on a ball).
// `rolls`: the latter alone.
static size_t common_displacements(Motion *motion, Vector position, const Vec *columns, bool rolls,
                                   const ModelBody *body)
{
    ExprPool *pool = motion->pool;
    Vectors *vectors = motion->model->vectors;
    Vec arm = motion_world(motion, vector_sub(vectors, position, body->position));
    Vec *centre = base_alloc((motion->n + 1) * sizeof *centre);
    size_t same = 0, both = 0;
    bool keeps = true;
    motion_jacobian(motion, vector_rate(vectors, body->position), centre);
    for (size_t nu = 0; nu < motion->n; nu++) {
        Vec gap = {expr_sub(pool, columns[nu].x, centre[nu].x),
                   expr_sub(pool, columns[nu].y, centre[nu].y),
                   expr_sub(pool, columns[nu].z, centre[nu].z)};
        keeps = keeps && motion_is_zero(motion, vec_dot(pool, arm, gap));
        if (is_zero_vec(motion, columns[nu]))
            continue;
        same += is_zero_vec(motion, gap);
        both += !is_zero_vec(motion, centre[nu]);
    }
    base_free(centre);
    return keeps ? both : rolls ? 0 : same;
}

// The body that moves along with a point in the most coordinates; NULL where none does.
static const ModelBody *companion(Motion *motion, Vector position, bool rolls)
{
    const Model *model = motion->model;
    const ModelBody *found = NULL;
    Vec *columns = base_alloc((motion->n + 1) * sizeof *columns);
    motion_jacobian(motion, vector_rate(model->vectors, position), columns);
    for (size_t i = 0, most = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        size_t count =
            body->has_position ? common_displacements(motion, position, columns, rolls, body) : 0;
        if (count > most) {
            most = count;
            found = body;
        }
    }
    base_free(columns);
    return found;
}

static Status check_unsaid(Motion *motion, const ModelLoadPoint *point, Diag *diag)
{
    if (motion->model->bodies.count == 0 || is_plainly_fixed(motion, point->position))
        return STATUS_OK;
    const ModelBody *body = companion(motion, point->position, false);
    if (!body || is_fixed(motion, point->position))
        return STATUS_OK;
    return diag_error(diag, point->at,
                      "the point %s is not fixed in a body, but '%s' moves along with it; write "
                      "'at %s on %s' for the particle of the %s that is there, or 'at %s on %s' "
                      "for the point itself",
                      point->name, body->name, point->name, body->name, body->name, point->name,
                      point->name);
}

// ---- Where joints, bushings, springs and dampers take hold.

// Whether the point moves through the body along with which it goes: in some coordinate that moves
// the body, too. A pin in a slot of the body has a coordinate of its own.
static bool passes_through(Motion *motion, Vector position, const ModelBody *body)
{
    Vectors *vectors = motion->model->vectors;
    if (!body->has_position || is_constant_in(motion, body, position))
        return false;
    Vector particle = motion_particle_velocity(motion, body, position);
    Vec *apart = base_alloc(3 * (motion->n + 1) * sizeof *apart);
    Vec *centre = apart + motion->n + 1, *turning = centre + motion->n + 1;
    motion_jacobian(motion, vector_sub(vectors, vector_rate(vectors, position), particle), apart);
    motion_jacobian(motion, vector_rate(vectors, body->position), centre);
    motion_jacobian(motion, frame_omega(vectors, body->frame), turning);
    bool passes = false;
    for (size_t nu = 0; nu < motion->n && !passes; nu++)
        passes = (!is_zero_vec(motion, centre[nu]) || !is_zero_vec(motion, turning[nu])) &&
                 !is_zero_vec(motion, apart[nu]);
    base_free(apart);
    return passes;
}

static Status refuse_hold(const ModelHold *hold, const ModelBody *body, Diag *diag)
{
    const char *name = hold->point.name;
    if (str_is(str_of("a joint"), hold->what))
        return diag_error(diag, hold->point.at,
                          "the point %s is not fixed in a body, but '%s' moves along with it; "
                          "write 'constraint velocity(%s on %s) = …' to hold the particle of the "
                          "%s that is there, or a 'constraint' on %s for the point itself",
                          name, body->name, name, body->name, body->name, name);
    return diag_error(diag, hold->point.at,
                      "the point %s is not fixed in a body, but '%s' moves along with it; instead "
                      "of %s write 'force … at %s on %s' for the particle of the %s that is "
                      "there, or 'force … at %s on %s' for the point itself",
                      name, body->name, hold->what, name, body->name, body->name, name, name);
}

static Status check_hold(Motion *motion, const ModelHold *hold, Diag *diag)
{
    const Model *model = motion->model;
    Vector position = hold->point.position;
    if (hold->point.on == LOAD_ON_BODY) {
        const ModelBody *body = &model->bodies.at[hold->point.body];
        return passes_through(motion, position, body) ? refuse_hold(hold, body, diag) : STATUS_OK;
    }
    if (model->bodies.count == 0 || is_plainly_fixed(motion, position))
        return STATUS_OK;
    const ModelBody *body = companion(motion, position, true);
    return body && !is_fixed(motion, position) ? refuse_hold(hold, body, diag) : STATUS_OK;
}

// `load` is "force" or "impulse"; NULL for a servo, which says more of it later.
static Status check_load(Motion *motion, const ModelLoadPoint *point, const char *load, Diag *diag)
{
    bool body = point->on == LOAD_ON_BODY;
    if (load && is_unmoved(motion, motion_load_velocity(motion, point)))
        diag_add(diag, DIAG_WARNING, body ? point->target : point->at,
                 "this %s does no work on any displacement: '%s' does not move there; give it "
                 "another place or body",
                 load, body ? motion->model->bodies.at[point->body].name : point->name);
    return point->on == LOAD_ON_POINT ? check_unsaid(motion, point, diag) : STATUS_OK;
}

static void check_torque(Motion *motion, const ModelTorque *torque, Diag *diag)
{
    const ModelBody *body = &motion->model->bodies.at[torque->body];
    if (is_unmoved(motion, frame_omega(motion->model->vectors, body->frame)))
        diag_add(diag, DIAG_WARNING, torque->target,
                 "this torque does no work on any displacement: '%s' does not turn; give it "
                 "another body",
                 body->name);
}

static Status check_impulse(Motion *motion, const ModelImpulse *impulse, Diag *diag)
{
    return impulse->along ? STATUS_OK : check_load(motion, &impulse->point, "impulse", diag);
}

static Status check_event(Motion *motion, const ModelEvent *event, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < event->action_count; i++)
        if (event->actions[i].kind == ACTION_IMPULSE &&
            check_impulse(motion, event->actions[i].impulse, diag) != STATUS_OK)
            status = STATUS_WRONG;
    return status;
}

Status motion_check_loads(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->forces_at.count; i++)
        if (check_load(motion, &model->forces_at.at[i].point, "force", diag) != STATUS_OK)
            status = STATUS_WRONG;
    for (size_t i = 0; i < model->impulses.count; i++)
        if (check_impulse(motion, &model->impulses.at[i], diag) != STATUS_OK)
            status = STATUS_WRONG;
    for (size_t i = 0; i < model->events.count; i++)
        if (check_event(motion, &model->events.at[i], diag) != STATUS_OK)
            status = STATUS_WRONG;
    for (size_t i = 0; i < model->servos.count; i++)
        if (model->servos.at[i].by == SERVO_FORCE &&
            check_load(motion, &model->servos.at[i].point, NULL, diag) != STATUS_OK)
            status = STATUS_WRONG;
    for (size_t i = 0; i < model->holds.count; i++)
        if (check_hold(motion, &model->holds.at[i], diag) != STATUS_OK)
            status = STATUS_WRONG;
    for (size_t i = 0; i < model->torques.count; i++)
        check_torque(motion, &model->torques.at[i], diag);
    return status;
}
