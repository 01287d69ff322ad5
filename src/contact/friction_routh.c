// friction_routh.c: an impact of one contact with friction, followed through its percussion.
//
// The normal percussion P takes the place of time: Coulomb's law holds at each instant of it
// (Routh 1877). While the contact slides, f' and u change by df'/dP = −(Φ + μΨs) and
// du/dP = −(Ψᵀ + μΘs). Where u comes to 0 it stays there if μ allows, else it goes on along a ray.
// Compression ends where f' is 0, and with Poisson's restitution the whole at (1 + e) times that P.
// In the plane all is piecewise linear. In space s turns (Keller, J. Appl. Mech. 53 (1986) 1): with
// u = ρ(cos φ, sin φ) and dP = ρdτ all is smooth in τ down to ρ = 0.
#include "contact/friction_impl.h"

#include <assert.h>

typedef struct {
    const FrictionRouth *contact;
    size_t t;
    double approach, u[2], P; // f', u, P
    double e;
    bool compressed; // P_c is known
    double begin;    // P where compression began
    double end;      // begin + (1 + e)P_c
    bool lost;       // steps do not come to an end
} Routh;

// ---- Rates by P.

static double approach_rate(const FrictionRouth *contact, size_t t, const double *s)
{
    double sum = contact->phi;
    for (size_t k = 0; k < t; k++)
        sum += contact->mu * contact->psi[k] * s[k];
    return -sum;
}

static void sliding_rate(const FrictionRouth *contact, size_t t, const double *s, double *rate)
{
    for (size_t i = 0; i < t; i++) {
        rate[i] = -contact->psi[i];
        for (size_t k = 0; k < t; k++)
            rate[i] -= contact->mu * contact->theta[i][k] * s[k];
    }
}

// Θ⁻¹Ψᵀ: dQ/dP where the contact sticks.
static void stick_force(const FrictionRouth *contact, size_t t, double *force)
{
    const double(*theta)[2] = contact->theta;
    if (t == 1) {
        force[0] = contact->psi[0] / theta[0][0];
        return;
    }
    double det = theta[0][0] * theta[1][1] - theta[0][1] * theta[1][0];
    force[0] = (theta[1][1] * contact->psi[0] - theta[0][1] * contact->psi[1]) / det;
    force[1] = (theta[0][0] * contact->psi[1] - theta[1][0] * contact->psi[0]) / det;
}

// From u = 0: whether it sticks, else the ray d along which it slides.
static bool stays(const FrictionRouth *contact, size_t t, double *d)
{
    double force[2] = {0}, rate[2], angles[LIMIT_STEPS], best = -INFINITY;
    stick_force(contact, t, force);
    if (real_length(force, t) <= contact->mu * (1 + TOL_ROUNDING))
        return true;
    if (t == 1) {
        d[0] = contact->psi[0] > 0 ? -1 : 1;
        return false;
    }
    double mu = contact->mu;
    const double(*T)[2] = contact->theta;
    double c[] = {-mu * (T[1][0] - T[0][1]) / 2, -contact->psi[1], contact->psi[0],
                  -mu * (T[1][0] + T[0][1]) / 2, -mu * (T[1][1] - T[0][0]) / 2};
    size_t found = friction_trigonometric_roots(c, angles, LIMIT_STEPS);
    for (size_t k = 0; k < found; k++) {
        double s[2] = {cos(angles[k]), sin(angles[k])};
        sliding_rate(contact, t, s, rate);
        double along = real_dot(rate, s, t);
        if (along > best) {
            best = along;
            memcpy(d, s, sizeof s);
        }
    }
    return false;
}

// ---- Straight parts.

// Goes on by up to `most` of P with constant rates; ends compression, or the whole, on the way.
// Returns whether the whole is at its end.
static bool go_straight(Routh *routh, double approach, const double *u, double most)
{
    double step = most;
    bool closes = false, ends = false;
    if (!routh->compressed && approach < 0 && routh->approach + approach * step <= 0) {
        step = real_max(-routh->approach / approach, 0);
        closes = true;
    }
    if (routh->compressed && routh->P + step >= routh->end) {
        step = routh->end - routh->P;
        ends = true;
    }
    assert(isfinite(step));
    routh->P += step;
    routh->approach = closes ? 0 : routh->approach + approach * step;
    for (size_t k = 0; k < routh->t; k++)
        routh->u[k] = step == most && !closes && !ends ? 0 : routh->u[k] + u[k] * step;
    if (closes) {
        routh->compressed = true;
        routh->end = routh->begin + (1 + routh->e) * (routh->P - routh->begin);
        ends = routh->e == 0;
    }
    return ends;
}

static bool is_at_rest(const Routh *routh)
{
    return real_length(routh->u, routh->t) == 0;
}

// From u = 0 on; true at the end.
static bool go_from_rest(Routh *routh)
{
    const FrictionRouth *contact = routh->contact;
    double d[2] = {0}, u[2] = {0}, force[2] = {0}, approach;
    if (routh->t == 0 || stays(contact, routh->t, d)) {
        stick_force(contact, routh->t ? routh->t : 1, force);
        approach = -contact->phi + (routh->t ? real_dot(contact->psi, force, routh->t) : 0);
    } else {
        approach = approach_rate(contact, routh->t, d);
        sliding_rate(contact, routh->t, d, u);
    }
    if (!routh->compressed && !(approach < 0))
        return true; // nothing presses
    bool ends = go_straight(routh, approach, u, INFINITY);
    if (!ends) // compression ended: the rest is as straight
        ends = go_straight(routh, approach, u, INFINITY);
    return ends;
}

static bool slide_in_plane(Routh *routh)
{
    const FrictionRouth *contact = routh->contact;
    double s = routh->u[0] > 0 ? 1 : -1, u, approach = approach_rate(contact, 1, &s);
    sliding_rate(contact, 1, &s, &u);
    double most = u * s < 0 ? -routh->u[0] / u : INFINITY;
    if (isinf(most) && !routh->compressed && !(approach < 0))
        return true; // it would be pressed without end: not possible for Θ > 0, Φ > 0
    return go_straight(routh, approach, &u, most);
}

// ---- Space: (ln ρ, φ, P, f') by τ.

typedef struct {
    double y[4];
} Turning;

static void turning_rate(const Routh *routh, const Turning *at, Turning *rate)
{
    double s[2] = {cos(at->y[1]), sin(at->y[1])}, A[2], size = exp(at->y[0]);
    sliding_rate(routh->contact, 2, s, A);
    rate->y[0] = real_dot(s, A, 2);
    rate->y[1] = s[0] * A[1] - s[1] * A[0];
    rate->y[2] = size;
    rate->y[3] = size * approach_rate(routh->contact, 2, s);
}

#define TURNING_ROWS 8 // of extrapolation: order 16

// One step by extrapolated midpoint steps (Gragg, Bulirsch and Stoer); false where it is too large.
static bool turning_step(const Routh *routh, const Turning *from, double h, const double *sizes,
                         Turning *to)
{
    Turning table[TURNING_ROWS][TURNING_ROWS];
    for (size_t row = 0; row < TURNING_ROWS; row++) {
        size_t parts = 2 * (row + 1);
        double small = h / (double)parts, error = 0;
        Turning before = *from, here, rate;
        turning_rate(routh, from, &rate);
        for (size_t i = 0; i < 4; i++)
            here.y[i] = from->y[i] + small * rate.y[i];
        for (size_t part = 1; part < parts; part++) {
            turning_rate(routh, &here, &rate);
            for (size_t i = 0; i < 4; i++) {
                double next = before.y[i] + 2 * small * rate.y[i];
                before.y[i] = here.y[i];
                here.y[i] = next;
            }
        }
        turning_rate(routh, &here, &rate);
        for (size_t i = 0; i < 4; i++)
            table[row][0].y[i] = (before.y[i] + here.y[i] + small * rate.y[i]) / 2;
        for (size_t k = 1; k <= row; k++) {
            double ratio = (double)(row + 1) / (double)(row + 1 - k);
            for (size_t i = 0; i < 4; i++)
                table[row][k].y[i] =
                    table[row][k - 1].y[i] +
                    (table[row][k - 1].y[i] - table[row - 1][k - 1].y[i]) / (ratio * ratio - 1);
        }
        if (row < 3)
            continue;
        for (size_t i = 0; i < 4; i++)
            error = real_max(error, fabs(table[row][row].y[i] - table[row][row - 1].y[i]) /
                                        (sizes[i] + fabs(table[row][row].y[i])));
        if (error <= TOL_SUM) {
            *to = table[row][row];
            return true;
        }
    }
    return false;
}

// How far the end of what is under way is: f' in compression, then what is missing of P.
static double left_of(const Routh *routh, const Turning *at)
{
    return routh->compressed ? routh->end - at->y[2] : at->y[3];
}

static void set_sliding(Routh *routh, const Turning *at)
{
    double size = exp(at->y[0]);
    routh->u[0] = size * cos(at->y[1]);
    routh->u[1] = size * sin(at->y[1]);
    routh->P = at->y[2];
    routh->approach = at->y[3];
}

// The step that ends where nothing is left, within one that goes beyond.
static void turning_to_end(Routh *routh, const Turning *from, double h, const double *sizes,
                           Turning *to)
{
    double low = 0, high = h, at = h / 2;
    for (size_t step = 0; step < LIMIT_SEARCH && high - low > DBL_EPSILON * h; step++) {
        Turning rate;
        if (!turning_step(routh, from, at, sizes, to))
            return;
        double left = left_of(routh, to);
        turning_rate(routh, to, &rate);
        double slope = routh->compressed ? -rate.y[2] : rate.y[3], next = at - left / slope;
        if (left > 0)
            low = at;
        else
            high = at;
        if (left == 0 || fabs(next - at) <= DBL_EPSILON * h)
            break;
        at = next > low && next < high ? next : (low + high) / 2;
    }
}

// u keeps its direction: the rest is straight. `along` is d|u|/dP.
static bool slide_along(Routh *routh, double along)
{
    double size = real_length(routh->u, 2), s[2] = {routh->u[0] / size, routh->u[1] / size};
    double u[2] = {along * s[0], along * s[1]}, approach = approach_rate(routh->contact, 2, s);
    double most = along < 0 ? -size / along : INFINITY;
    if (isinf(most) && !routh->compressed && !(approach < 0))
        return true;
    return go_straight(routh, approach, u, most);
}

// Slides in space until compression, the sliding or the whole ends; true at the last.
static bool slide_in_space(Routh *routh)
{
    double speed = real_length(routh->u, 2);
    const FrictionRouth *contact = routh->contact;
    double turn = contact->mu * (fabs(contact->theta[0][0]) + fabs(contact->theta[1][1])) +
                  real_length(contact->psi, 2);
    double sizes[] = {1, 1, speed / turn, contact->phi * speed / turn}, h = 1 / turn;
    sizes[3] = real_max(sizes[3], fabs(routh->approach));
    Turning at = {{log(speed), atan2(routh->u[1], routh->u[0]), routh->P, routh->approach}}, to;
    double gone = at.y[0] + log(DBL_EPSILON);
    for (size_t step = 0; step < LIMIT_EVENTS; step++) {
        Turning rate;
        turning_rate(routh, &at, &rate);
        if (fabs(rate.y[1]) <= TOL_SUM * turn)
            return slide_along(routh, rate.y[0]);
        if (!turning_step(routh, &at, h, sizes, &to)) {
            h /= 2;
            continue;
        }
        bool ends = left_of(routh, &to) <= 0 && left_of(routh, &at) > 0;
        if (ends)
            turning_to_end(routh, &at, h, sizes, &to);
        at = to;
        set_sliding(routh, &at);
        if (ends && routh->compressed) {
            routh->P = routh->end;
            return true;
        }
        if (ends) {
            routh->approach = 0;
            routh->compressed = true;
            routh->end = routh->begin + (1 + routh->e) * (routh->P - routh->begin);
            return routh->e == 0;
        }
        if (at.y[0] < gone) {
            memset(routh->u, 0, sizeof routh->u);
            return false;
        }
        h *= 1.5;
    }
    routh->lost = true;
    return true;
}

// ---- The whole.

bool friction_routh(const FrictionRouth *contact, size_t tangents, double restitution,
                    double *approach, double *u, double *P, double *Q)
{
    assert(contact->phi > 0 && tangents <= 2 && contact->mu >= 0);
    Routh routh = {.contact = contact, .t = tangents, .approach = *approach, .e = restitution};
    memcpy(routh.u, u, tangents * sizeof *u);
    bool ended = false;
    for (size_t corner = 0; corner < LIMIT_SEARCH && !ended; corner++) {
        ended = is_at_rest(&routh) ? go_from_rest(&routh)
                : routh.t == 1     ? slide_in_plane(&routh)
                                   : slide_in_space(&routh);
        // Where Φ + μΨs < 0 the sliding may bring the contact back: it is struck again.
        if (ended && !routh.lost && routh.approach > TOL_RATE * fabs(*approach)) {
            routh.begin = routh.P;
            routh.compressed = ended = false;
        }
    }
    // Q from what u has become: u⁺ = u⁻ − ΨᵀP + ΘQ.
    FrictionRouth moved = *contact;
    for (size_t k = 0; k < tangents; k++)
        moved.psi[k] = routh.u[k] - u[k] + contact->psi[k] * routh.P;
    if (tangents > 0)
        stick_force(&moved, tangents, Q);
    *P = routh.P;
    *approach = routh.approach;
    memcpy(u, routh.u, tangents * sizeof *u);
    return ended && !routh.lost;
}
