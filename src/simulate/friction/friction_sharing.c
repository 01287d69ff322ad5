// friction_sharing.c: forces of contacts that stick where these depend on each other (a box on two
// feet).
//
// With row_d = Σ c_dh·row_h for those that the mode does not hold, forces y_d may be added where
// those held become x_h − Σ c_dh·y_d: the motion is the same. Sticking goes on as long as some y
// has all forces in their cones, so that what is watched is the largest of the least margins: the
// highest point below some planes over y, which is where as many of them meet as y has numbers, and
// one more. Round cones take an interior point (cone_margin.c).
#include "dynamics/condition_multipliers.h"
#include "dynamics/equations_types.h"
#include "dynamics/unilaterals.h"
#include "linalg/cone_margin.h"
#include "linalg/dense.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"

#include <math.h>
#include <string.h>

// Of the search for the best forces: forces, planes, and points where planes meet; forces and
// functions of round cones.
enum { MOST_FREE = 7, MOST_PLANES = 24, MOST_MEETINGS = 5000, MOST_ROUND = 60 };

// A force that may be added: where it goes, and what those held become.
typedef struct {
    size_t multiplier;
    const double *parts; // of each row of the mode
} FreeForce;

typedef struct {
    const ContactEvent *event;
    const ContactMode *mode;
    Basis basis;
    Arena *arena;
    size_t count;
    FreeForce *free;
    // Planes, or the functions of cones: of each its value at y = 0, and `count` slopes.
    size_t planes;
    double *functions;
} Sharing;

static double *function_at(const Sharing *sharing, size_t plane)
{
    return sharing->functions + plane * (sharing->count + 1);
}

static void take_rows(Sharing *sharing)
{
    const Equations *eq = sharing->mode->eq;
    const State *state = sharing->mode->state;
    double *row = real_alloc(sharing->arena, eq->n);
    for (size_t i = 0; i < eq->independent.count; i++) {
        const double *own = state->velocities.out + eq->independent.rows[i] * eq->n;
        for (size_t j = 0; j < eq->n; j++)
            row[j] = own[j] * state->scale[j];
        basis_take(&sharing->basis, row, 0);
    }
}

// A row, not scaled, whose reaction is `sign` times it.
static void add_free(Sharing *sharing, double *row, double sign, size_t multiplier)
{
    const State *state = sharing->mode->state;
    size_t n = sharing->mode->eq->n;
    for (size_t j = 0; j < n; j++)
        row[j] *= sign * state->scale[j];
    basis_examine(&sharing->basis, row);
    double *parts = real_alloc(sharing->arena, sharing->basis.count);
    memcpy(parts, sharing->basis.parts, sharing->basis.count * sizeof *parts);
    sharing->free[sharing->count++] = (FreeForce){multiplier, parts};
}

// A given bound of 0 beside others takes no share.
static bool is_idle(const FrictionEvent *friction, size_t i)
{
    const FrictionContacts *contacts = friction->contacts;
    return !motion_friction_is_pressed(&contacts->motion->frictions[i]) &&
           contacts->at[i].sticking == 0 && friction->holds[i].without != 0;
}

static void find_free(Sharing *sharing)
{
    const ContactEvent *event = sharing->event;
    const ContactMode *mode = sharing->mode;
    const FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    const State *state = mode->state;
    size_t n = contacts->n;
    double *row = real_alloc(sharing->arena, n);
    sharing->free = arena_array(sharing->arena, FreeForce,
                                event->gaps->count + FRICTION_MOST * contacts->count + 1);
    for (size_t i = 0; i < event->gaps->count; i++) {
        if (!event->acts[i] || mode->held[i])
            continue;
        UnilateralRow found =
            unilaterals_row(event->gaps->unilaterals, i, *state->t, state->q, state->v);
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < found.size; k++)
            row[found.coordinates[k]] = found.gradient[k];
        add_free(sharing, row, -1,
                 (size_t)(dynamics_side_multiplier(mode->eq, state, i) - state->multipliers));
    }
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        for (size_t k = 0; k < own->rows && friction->holds[i].mode == HOLD_STICKS; k++) {
            if (!(friction->holds[i].without >> k & 1) || is_idle(friction, i))
                continue;
            memcpy(row, contacts->at[i].w + k * n, n * sizeof *row);
            add_free(sharing, row, 1,
                     dynamics_multiplier_index(mode->eq, own->sticks[k].constraint));
        }
    }
}

// How a multiplier changes with y_d.
static double change_of(const Sharing *sharing, size_t multiplier, size_t d)
{
    const Equations *eq = sharing->mode->eq;
    if (sharing->free[d].multiplier == multiplier)
        return 1;
    for (size_t i = 0; i < eq->independent.count; i++) {
        const ModelConstraint *constraint = eq->motion->rows[eq->independent.rows[i]].constraint;
        if (dynamics_multiplier_index(eq, constraint) == multiplier)
            return -sharing->free[d].parts[i];
    }
    return 0;
}

// Adds factor·(a multiplier) to the plane at hand.
static void add_to_plane(Sharing *sharing, size_t multiplier, double factor)
{
    double *function = function_at(sharing, sharing->planes);
    function[0] += factor * sharing->mode->state->multipliers[multiplier];
    for (size_t d = 0; d < sharing->count; d++)
        function[1 + d] += factor * change_of(sharing, multiplier, d);
}

// The same of factor·|λ|, along λ as it is: a tangent of it, which is nowhere above it.
static void add_length(Sharing *sharing, const FrictionTerm *term, double factor)
{
    const double *now = sharing->mode->state->multipliers;
    double square = 0;
    size_t at[FRICTION_NORMALS];
    for (size_t k = 0; k < term->count; k++) {
        at[k] = dynamics_multiplier_index(sharing->mode->eq, term->by[k]);
        square += now[at[k]] * now[at[k]];
    }
    if (term->side != SIZE_MAX)
        add_to_plane(sharing, at[0], factor);
    for (size_t k = 0; k < term->count && square > 0 && term->side == SIZE_MAX; k++)
        add_to_plane(sharing, at[k], factor * now[at[k]] / sqrt(square));
}

// R + Σ μ|λ| of what sticks.
static void add_bound(Sharing *sharing, size_t i)
{
    const FrictionContacts *contacts = sharing->event->friction->contacts;
    const FrictionNumbers *numbers = &contacts->at[i];
    const MotionFriction *own = &contacts->motion->frictions[i];
    FrictionTerm press;
    if (motion_friction_own(own, &press))
        add_length(sharing, &press, numbers->sticking * numbers->pressure);
    else
        function_at(sharing, sharing->planes)[0] += numbers->sticking;
    for (size_t k = 0; k < own->term_count; k++)
        add_length(sharing, &own->terms[k], numbers->by[2 * k + 1]);
}

// The bound, with sign·F for one component of the force; of a round cone, the components alone.
static void add_force(Sharing *sharing, const MotionFriction *own, size_t k, double sign)
{
    add_to_plane(sharing, dynamics_multiplier_index(sharing->mode->eq, own->sticks[k].constraint),
                 sign);
    sharing->planes++;
}

static bool changes(const Sharing *sharing, const ModelConstraint *constraint)
{
    size_t multiplier = dynamics_multiplier_index(sharing->mode->eq, constraint);
    bool any = false;
    for (size_t d = 0; d < sharing->count; d++)
        any = any || change_of(sharing, multiplier, d) != 0;
    return any;
}

// The reactions of the sides that act and do not rub, or slide; false where there are more than so
// many functions.
static bool add_sides(Sharing *sharing, size_t most)
{
    const FrictionEvent *friction = sharing->event->friction;
    const State *state = sharing->mode->state;
    for (size_t i = 0; i < sharing->event->gaps->count; i++) {
        size_t own = friction_of_side(friction->contacts, i);
        if (!sharing->event->acts[i] ||
            (own != SIZE_MAX && friction->holds[own].mode == HOLD_STICKS))
            continue;
        if (sharing->planes == most)
            return false;
        size_t lambda =
            (size_t)(dynamics_side_multiplier(sharing->mode->eq, state, i) - state->multipliers);
        add_to_plane(sharing, lambda, 1);
        sharing->planes++;
    }
    return true;
}

static bool find_planes(Sharing *sharing)
{
    const FrictionEvent *friction = sharing->event->friction;
    const FrictionContacts *contacts = friction->contacts;
    sharing->functions = real_alloc(sharing->arena, MOST_PLANES * (sharing->count + 1));
    if (!add_sides(sharing, MOST_PLANES))
        return false;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        bool is_pressed = motion_friction_is_pressed(own);
        if (friction->holds[i].mode != HOLD_STICKS || is_idle(friction, i))
            continue;
        if (own->rows > 1 || sharing->planes + 2 > MOST_PLANES)
            return false;
        // None of a given bound where the forces that may be added do not change it.
        friction->together[i] = is_pressed || changes(sharing, own->sticks[0].constraint);
        for (int sign = -1; sign <= 1 && friction->together[i]; sign += 2) {
            add_bound(sharing, i);
            add_force(sharing, own, 0, sign);
        }
    }
    return sharing->planes > 0;
}

// The height where so many planes meet, and y there; false where they do not in one point.
static bool meet(const Sharing *sharing, const size_t *which, double *y, double *height)
{
    size_t k = sharing->count, size = k + 1;
    double matrix[(MOST_FREE + 1) * (MOST_FREE + 2)];
    for (size_t i = 0; i < size; i++) {
        for (size_t d = 0; d < k; d++)
            matrix[i * (size + 1) + d] = function_at(sharing, which[i])[1 + d];
        matrix[i * (size + 1) + k] = -1;
        matrix[i * (size + 1) + size] = -function_at(sharing, which[i])[0];
    }
    for (size_t c = 0; c < size; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < size; i++)
            if (fabs(matrix[i * (size + 1) + c]) > fabs(matrix[best * (size + 1) + c]))
                best = i;
        if (fabs(matrix[best * (size + 1) + c]) <= TOL_ZERO)
            return false;
        for (size_t j = 0; j <= size; j++) {
            double kept = matrix[c * (size + 1) + j];
            matrix[c * (size + 1) + j] = matrix[best * (size + 1) + j];
            matrix[best * (size + 1) + j] = kept;
        }
        for (size_t i = 0; i < size; i++) {
            double factor = matrix[i * (size + 1) + c] / matrix[c * (size + 1) + c];
            for (size_t j = c; j <= size && i != c; j++)
                matrix[i * (size + 1) + j] -= factor * matrix[c * (size + 1) + j];
        }
    }
    for (size_t d = 0; d < k; d++)
        y[d] = matrix[d * (size + 1) + size] / matrix[d * (size + 1) + d];
    *height = matrix[k * (size + 1) + size] / matrix[k * (size + 1) + k];
    return true;
}

static double lowest(const Sharing *sharing, const double *y)
{
    double low = INFINITY;
    for (size_t p = 0; p < sharing->planes; p++) {
        const double *function = function_at(sharing, p);
        low = fmin(low, function[0] + real_dot(function + 1, y, sharing->count));
    }
    return low;
}

// Whether all points where as many planes meet as may do so in one can be looked at.
static bool are_few(const Sharing *sharing)
{
    double points = 1;
    for (size_t i = 0; i <= sharing->count; i++)
        points *= ((double)sharing->planes - (double)i) / (double)(i + 1);
    return sharing->count < 4 || points <= MOST_MEETINGS;
}

// The highest of all points of meeting that no plane is below.
static double highest(const Sharing *sharing, double *best)
{
    size_t size = sharing->count + 1, which[MOST_FREE + 1];
    double most = -INFINITY;
    for (size_t i = 0; i < size; i++)
        which[i] = i;
    while (which[size - 1] < sharing->planes) {
        double y[MOST_FREE], height;
        if (meet(sharing, which, y, &height)) {
            double low = lowest(sharing, y);
            if (low > most + TOL_ROUNDING * fabs(most) || !isfinite(most)) {
                most = low;
                memcpy(best, y, sharing->count * sizeof *y);
            }
        }
        size_t at = size - 1;
        while (at > 0 && which[at] == sharing->planes - size + at)
            at--;
        which[at]++;
        for (size_t i = at + 1; i < size; i++)
            which[i] = which[i - 1] + 1;
        if (at == 0 && which[0] + size > sharing->planes)
            break;
    }
    return most;
}

static void add_forces(const Sharing *sharing, const double *y)
{
    double *multipliers = sharing->mode->state->multipliers;
    const Equations *eq = sharing->mode->eq;
    for (size_t d = 0; d < sharing->count; d++) {
        multipliers[sharing->free[d].multiplier] = y[d];
        for (size_t i = 0; i < eq->independent.count; i++) {
            const ModelConstraint *constraint =
                eq->motion->rows[eq->independent.rows[i]].constraint;
            multipliers[dynamics_multiplier_index(eq, constraint)] -=
                sharing->free[d].parts[i] * y[d];
        }
    }
}

static Sharing *sharing_begin(const ContactEvent *event, const ContactMode *mode)
{
    Sharing *sharing = base_alloc(sizeof *sharing);
    friction_contacts_evaluate(event->friction->contacts, mode->state);
    sharing->event = event;
    sharing->mode = mode;
    sharing->arena = arena_new();
    basis_init(&sharing->basis, sharing->arena, mode->eq->n, mode->eq->n);
    take_rows(sharing);
    find_free(sharing);
    return sharing;
}

static void sharing_end(Sharing *sharing)
{
    arena_free(sharing->arena);
    base_free(sharing);
}

// Where there are too many for that, or cones are round: those with the least sum of squares.
static void find_least(const Sharing *sharing, double *y)
{
    size_t count = sharing->count, rows = sharing->basis.count;
    const Equations *eq = sharing->mode->eq;
    double *matrix = real_alloc(sharing->arena, count * count);
    for (size_t d = 0; d < count; d++) {
        const double *parts = sharing->free[d].parts;
        for (size_t e = 0; e <= d; e++)
            matrix[d * count + e] = (d == e) + real_dot(parts, sharing->free[e].parts, rows);
        y[d] = 0;
        for (size_t i = 0; i < rows; i++)
            y[d] += parts[i] * sharing->mode->state->lambda[eq->independent.rows[i]];
    }
    if (cholesky_factor(matrix, count, count, 0))
        cholesky_solve(matrix, count, y);
}

// Whether a force of what sticks is one of those that may be added, or changed by them.
static bool takes_part(const Sharing *sharing, const MotionFriction *own)
{
    bool any = motion_friction_is_pressed(own);
    for (size_t k = 0; k < own->rows && !any; k++)
        any = changes(sharing, own->sticks[k].constraint);
    return any;
}

// The room of round cones, and the forces with the least sum of squares where they are within all
// cones, else those that leave the most room. INFINITY where there are too many.
static double find_round(Sharing *sharing, double *y)
{
    const FrictionEvent *friction = sharing->event->friction;
    const FrictionContacts *contacts = friction->contacts;
    size_t forces[MOST_ROUND], cones = 0;
    if (sharing->count > MOST_ROUND)
        return INFINITY;
    sharing->functions = real_alloc(sharing->arena, MOST_ROUND * (sharing->count + 1));
    sharing->planes = 0;
    if (!add_sides(sharing, MOST_ROUND))
        return INFINITY;
    for (; cones < sharing->planes; cones++)
        forces[cones] = 0;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        if (friction->holds[i].mode != HOLD_STICKS || is_idle(friction, i))
            continue;
        friction->together[i] = takes_part(sharing, own);
        if (!friction->together[i])
            continue;
        if (sharing->planes + 1 + own->rows > MOST_ROUND)
            return INFINITY;
        forces[cones++] = own->rows;
        add_bound(sharing, i);
        sharing->planes++;
        for (size_t k = 0; k < own->rows; k++)
            add_force(sharing, own, k, 1);
    }
    ConeProblem problem = {cones, sharing->count, forces, sharing->functions};
    double *best = real_alloc(sharing->arena, sharing->count);
    double most = cone_margin(&problem, best);
    if (isfinite(most) && !(cone_margin_at(&problem, y) >= 0))
        memcpy(y, best, sharing->count * sizeof *y);
    return most;
}

double friction_share(const ContactEvent *event, const ContactMode *mode)
{
    FrictionEvent *friction = event->friction;
    double most = INFINITY;
    if (!friction || !(friction->shared || event->shared) || mode->made)
        return most;
    Sharing *sharing = sharing_begin(event, mode);
    // What the mode knows is without what may be added; it may have been added before.
    for (size_t d = 0; d < sharing->count; d++)
        mode->state->multipliers[sharing->free[d].multiplier] = 0;
    for (size_t i = 0; i < mode->eq->m; i++)
        mode->state
            ->multipliers[dynamics_multiplier_index(mode->eq, mode->motion->rows[i].constraint)] =
            mode->state->lambda[i];
    double *y = real_alloc(sharing->arena, sharing->count + MOST_FREE);
    if (sharing->count > 0 && sharing->count <= MOST_FREE && find_planes(sharing) &&
        are_few(sharing))
        most = highest(sharing, y);
    if (!isfinite(most)) {
        find_least(sharing, y);
        most = sharing->count > 0 ? find_round(sharing, y) : INFINITY;
    }
    add_forces(sharing, y);
    sharing_end(sharing);
    return most;
}

// ---- Whether the motion depends on the forces that may be added.

// How the bound of what slides changes with the reaction of a condition.
static double slope_by(const Sharing *sharing, size_t i, const ModelConstraint *constraint)
{
    const FrictionContacts *contacts = sharing->event->friction->contacts;
    const FrictionNumbers *numbers = &contacts->at[i];
    const MotionFriction *own = &contacts->motion->frictions[i];
    const State *state = sharing->mode->state;
    FrictionTerm press;
    double slope = 0;
    for (size_t k = 0; k <= own->term_count; k++) {
        double part = 0, square = 0;
        if (k < own->term_count)
            press = own->terms[k];
        else if (!motion_friction_own(own, &press))
            break;
        for (size_t j = 0; j < press.count; j++) {
            double lambda =
                state->multipliers[dynamics_multiplier_index(sharing->mode->eq, press.by[j])];
            part = press.by[j] == constraint ? lambda : part;
            square += lambda * lambda;
        }
        double factor =
            k < own->term_count ? numbers->by[2 * k] : numbers->sliding * numbers->pressure;
        slope += press.side != SIZE_MAX ? factor * (press.by[0] == constraint)
                 : square > 0           ? factor * part / sqrt(square)
                                        : 0;
    }
    return slope;
}

// The friction of what presses with 1 and slides, along the scaled coordinates, times `factor`:
// added to `sum`, and its size to `size`.
static void add_sliding(const Sharing *sharing, const ModelConstraint *constraint, double factor,
                        double *sum, double *size)
{
    const FrictionEvent *friction = sharing->event->friction;
    const FrictionContacts *contacts = friction->contacts;
    const double *scale = sharing->mode->state->scale;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        const FrictionNumbers *numbers = &contacts->at[i];
        FrictionHold hold = friction->holds[i];
        if (!constraint || hold.mode < HOLD_FORWARD || !motion_friction_presses(own, constraint))
            continue;
        double speed = friction_speed(numbers, own->rows);
        double bound = factor * slope_by(sharing, i, constraint);
        for (size_t k = 0; k < own->rows; k++) {
            double s = hold.mode == HOLD_FORWARD    ? 1
                       : hold.mode == HOLD_BACKWARD ? -1
                       : speed > 0                  ? numbers->u[k] / speed
                                                    : 0;
            for (size_t j = 0; j < contacts->n; j++) {
                double part = bound * s * numbers->w[k * contacts->n + j] * scale[j];
                sum[j] -= part;
                *size += fabs(part);
            }
        }
    }
}

static const ModelConstraint *constraint_at(const Sharing *sharing, size_t multiplier)
{
    const Model *model = sharing->event->friction->contacts->motion->model;
    return multiplier < model->constraints.count ? &model->constraints.at[multiplier] : NULL;
}

// Equations without friction take up what is along them.
static void take_ideal(const Sharing *sharing, Basis *ideal)
{
    const Equations *eq = sharing->mode->eq;
    const State *state = sharing->mode->state;
    double *row = real_alloc(sharing->arena, eq->n), size;
    double *sum = real_alloc(sharing->arena, eq->n);
    for (size_t i = 0; i < eq->independent.count; i++) {
        size_t at = eq->independent.rows[i];
        const ModelConstraint *constraint = eq->motion->rows[at].constraint;
        size = 0;
        add_sliding(sharing, constraint, 1, sum, &size);
        if (size > 0)
            continue;
        for (size_t j = 0; j < eq->n; j++)
            row[j] = state->velocities.out[at * eq->n + j] * state->scale[j];
        basis_take(ideal, row, TOL_RANK);
    }
}

bool friction_is_determined(const ContactEvent *event, const ContactMode *mode)
{
    const FrictionEvent *friction = event->friction;
    double blur = 0;
    bool determined = true;
    if (!friction || mode->made || !(friction->shared || event->shared))
        return true;
    Sharing *sharing = sharing_begin(event, mode);
    const Equations *eq = mode->eq;
    double *sum = real_alloc(sharing->arena, eq->n);
    Basis ideal;
    basis_init(&ideal, sharing->arena, eq->n, eq->n);
    take_ideal(sharing, &ideal);
    // The direction of what is about to stop is rounding.
    for (size_t i = 0; i < friction->count; i++)
        if (friction->holds[i].mode == HOLD_TURNS) {
            size_t rows = friction->contacts->motion->frictions[i].rows;
            double speed = friction_speed(&friction->contacts->at[i], rows);
            blur = fmax(blur, speed > 0 ? TOL_ZERO * friction->fastest[i] / speed : INFINITY);
        }
    for (size_t d = 0; d < sharing->count && determined; d++) {
        double size = 0;
        memset(sum, 0, eq->n * sizeof *sum);
        add_sliding(sharing, constraint_at(sharing, sharing->free[d].multiplier), 1, sum, &size);
        for (size_t i = 0; i < eq->independent.count; i++)
            add_sliding(sharing, eq->motion->rows[eq->independent.rows[i]].constraint,
                        -sharing->free[d].parts[i], sum, &size);
        basis_examine(&ideal, sum);
        determined = size == 0 || real_length(ideal.rest, eq->n) <= (TOL_AGREEMENT + blur) * size;
    }
    sharing_end(sharing);
    return determined;
}
