// contact_servo.c: unilateral conditions beside equations that active forces keep (servos).
//
//     𝓜a − dᵀμ + gᵀλ = K − h,   b·a = −γ,   0 ≤ λ ⊥ −f'' ≥ 0
//
// The equations are taken first: a push −g_h moves the system by w_h, the servos answering, and
// f'' = Φ⁰ − Φλ with Φ_lh = −g_l·w_h. Nothing is least here, for the answers are no reactions: Φ is
// not symmetric where d is not b. Then there may be one motion, none, or several. Where
// (Φ + Φᵀ)/2 is positive there is one, whatever Φ⁰ is; else all sets of conditions are tried.
#include "contact/contact_impl.h"
#include "linalg/kkt.h"

#include <assert.h>

typedef struct {
    size_t n, m, s;
    double *weight;              // of each coordinate: its own inertia
    double *unit;                // of each condition: √(g·g) in the inertia of the coordinates
    double *unilateral;          // g, dense, in these units
    double *free, *free_mu;      // the motion without the conditions
    double *moved, *moved_mu;    // w and what the equations answer: a row for each condition
    double *phi, *phi0, *terms;  // f'' = Φ⁰ − Φλ, and the sizes of Φ⁰'s terms
    double *lambda, *rates;      // of the set at hand
    double *found, *found_rates; // of the motion that was found first
    bool *in;                    // the set
    size_t *set, count;          // the same, listed
    double *matrix, *right;
} Servo;

static double *dense_in(Arena *arena, const SparseRows *rows, size_t n)
{
    double *dense = real_alloc(arena, rows->count * n);
    sparse_rows_expand(rows, 0, rows->count, n, dense);
    return dense;
}

static Servo servo_in(Arena *arena, const ContactProblem *problem)
{
    size_t n = problem->inertia.count, m = problem->equations.count, s = problem->unilateral.count;
    Servo servo = {.n = n,
                   .m = m,
                   .s = s,
                   .unilateral = dense_in(arena, &problem->unilateral, n),
                   .free_mu = real_alloc(arena, m),
                   .moved = real_alloc(arena, s * n),
                   .moved_mu = real_alloc(arena, s * m),
                   .phi = real_alloc(arena, s * s),
                   .in = arena_array(arena, bool, s + 1),
                   .set = arena_array(arena, size_t, s + 1),
                   .matrix = real_alloc(arena, (s + n) * s),
                   .right = real_alloc(arena, s + n)};
    real_alloc_each(arena, n, &servo.weight, &servo.free);
    real_alloc_each(arena, s, &servo.unit, &servo.phi0, &servo.terms, &servo.lambda, &servo.rates,
                    &servo.found, &servo.found_rates);
    return servo;
}

// ---- The equations first.

// The motion without the conditions, and how each of them moves it.
static KktReport find_moves(Servo *servo, Arena *arena, const ContactProblem *problem)
{
    assert(servo->n == problem->inertia.count);
    size_t n = servo->n, m = servo->m;
    Kkt *kkt = kkt_new(arena, n, m);
    double *push = real_alloc(arena, n), *inertia = dense_in(arena, &problem->inertia, n);
    for (size_t j = 0; j < n; j++)
        servo->weight[j] = inertia[j * n + j] > 0 ? inertia[j * n + j] : 1;
    KktProblem asked = {.inertia = inertia,
                        .force = problem->force,
                        .rows = dense_in(arena, &problem->equations, n),
                        .drift = problem->equation_drift,
                        .row_count = m,
                        .directions = dense_in(arena, &problem->directions, n)};
    KktReport report = kkt_solve(kkt, &asked, servo->free, servo->free_mu);
    asked.force = push;
    asked.drift = real_alloc(arena, m);
    for (size_t l = 0; l < servo->s && report.outcome == SOLVE_DONE; l++) {
        double *g = servo->unilateral + l * n, square = 0;
        for (size_t j = 0; j < n; j++)
            square += g[j] * g[j] / servo->weight[j];
        servo->unit[l] = square > 0 ? sqrt(square) : 1;
        for (size_t j = 0; j < n; j++) {
            g[j] /= servo->unit[l];
            push[j] = -g[j];
        }
        report = kkt_solve(kkt, &asked, servo->moved + l * n, servo->moved_mu + l * m);
    }
    return report;
}

static bool find_phi(Servo *servo, const double *drift)
{
    size_t n = servo->n, s = servo->s;
    // What servos keep at 0 has no other terms than rounding: the whole counts too.
    double whole = 0;
    for (size_t j = 0; j < n; j++)
        whole += servo->weight[j] * servo->free[j] * servo->free[j];
    for (size_t l = 0; l < s; l++) {
        const double *g = servo->unilateral + l * n;
        double own = drift[l] / servo->unit[l];
        servo->phi0[l] = own + real_dot(g, servo->free, n);
        servo->terms[l] = fabs(own) + sqrt(whole);
        for (size_t j = 0; j < n; j++)
            servo->terms[l] += fabs(g[j] * servo->free[j]);
        for (size_t h = 0; h < s; h++)
            servo->phi[l * s + h] = -real_dot(g, servo->moved + h * n, n);
    }
    return real_all_finite(servo->phi, s * s) && real_all_finite(servo->phi0, s) &&
           real_all_finite(servo->terms, s);
}

// ---- One set of conditions that act.

// λ on the set with f'' = 0 there. Returns how many numbers of λ remain free.
static size_t solve_set(Servo *servo)
{
    size_t s = servo->s, count = 0, *set = servo->set;
    for (size_t l = 0; l < s; l++) {
        servo->lambda[l] = 0;
        if (servo->in[l])
            set[count++] = l;
    }
    servo->count = count;
    for (size_t i = 0; i < count; i++) {
        servo->right[i] = servo->phi0[set[i]];
        for (size_t j = 0; j < count; j++)
            servo->matrix[j * count + i] = servo->phi[set[i] * s + set[j]];
    }
    size_t rank = least_squares(servo->matrix, count, count, TOL_RATE, servo->right);
    for (size_t i = 0; i < count; i++)
        servo->lambda[set[i]] = servo->right[i];
    return count - rank;
}

// Whether λ ≥ 0, f'' = 0 on the set and f'' ≤ 0 off it; *broken is the first condition where it is
// not so. Rounding is taken off.
static bool is_motion(Servo *servo, size_t *broken)
{
    size_t s = servo->s;
    double most = real_max(real_largest(servo->terms, s), real_largest(servo->lambda, s));
    for (size_t l = 0; l < s; l++) {
        double rate = servo->phi0[l], terms = servo->terms[l];
        for (size_t h = 0; h < s; h++) {
            double part = servo->phi[l * s + h] * servo->lambda[h];
            rate -= part;
            terms += fabs(part);
        }
        *broken = l;
        if (servo->lambda[l] < -TOL_RATE * most || rate > TOL_RATE * terms ||
            (servo->in[l] && rate < -TOL_RATE * terms))
            return false;
        servo->lambda[l] = servo->lambda[l] <= TOL_RATE * most ? 0 : servo->lambda[l];
        servo->rates[l] = servo->in[l] || rate > -TOL_RATE * terms ? 0 : rate;
    }
    return true;
}

// Whether what remains free of λ moves the system: Φz = 0 on the set, but Σ z·w is not 0.
static bool is_loose(Servo *servo, size_t short_of)
{
    size_t n = servo->n, count = servo->count, rows = count + n;
    if (short_of == 0)
        return false;
    for (size_t j = 0; j < count; j++) {
        size_t h = servo->set[j];
        double *column = servo->matrix + j * rows;
        for (size_t i = 0; i < count; i++)
            column[i] = servo->phi[servo->set[i] * servo->s + h];
        for (size_t i = 0; i < n; i++)
            column[count + i] = servo->moved[h * n + i] * sqrt(servo->weight[i]);
    }
    memset(servo->right, 0, rows * sizeof *servo->right);
    return least_squares(servo->matrix, rows, count, TOL_RATE, servo->right) > count - short_of;
}

// Whether λ gives the motion that was found first.
static bool is_same(const Servo *servo)
{
    size_t n = servo->n;
    double off = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        double difference = 0, terms = fabs(servo->free[j]);
        for (size_t h = 0; h < servo->s; h++) {
            double own = servo->moved[h * n + j];
            difference += own * (servo->lambda[h] - servo->found[h]);
            terms += fabs(own) * (servo->lambda[h] + servo->found[h]);
        }
        off += servo->weight[j] * difference * difference;
        size += servo->weight[j] * terms * terms;
    }
    return off <= TOL_AGREEMENT * TOL_AGREEMENT * size;
}

// ---- All sets, or one after the other.

static void keep(Servo *servo)
{
    memcpy(servo->found, servo->lambda, servo->s * sizeof *servo->found);
    memcpy(servo->found_rates, servo->rates, servo->s * sizeof *servo->found_rates);
}

static SolveOutcome try_all(Servo *servo, bool *unique)
{
    assert(servo->s <= LIMIT_SETS);
    size_t s = servo->s, broken;
    bool any = false;
    for (size_t mask = 0; mask < (size_t)1 << s; mask++) {
        for (size_t l = 0; l < s; l++)
            servo->in[l] = mask >> l & 1;
        size_t short_of = solve_set(servo);
        if (!is_motion(servo, &broken))
            continue;
        if (is_loose(servo, short_of) || (any && !is_same(servo)))
            return SOLVE_SEVERAL;
        *unique = *unique && short_of == 0;
        if (!any)
            keep(servo);
        any = true;
    }
    return any ? SOLVE_DONE : SOLVE_NO_SOLUTION;
}

// Whether (Φ + Φᵀ)/2 is positive.
static bool is_positive(Servo *servo)
{
    size_t s = servo->s;
    for (size_t l = 0; l < s; l++)
        for (size_t h = 0; h < s; h++)
            servo->matrix[l * s + h] = (servo->phi[l * s + h] + servo->phi[h * s + l]) / 2;
    return cholesky_factor(servo->matrix, s, s, TOL_RATE);
}

// Murty's rule: the first condition that is broken changes sides. It ends where Φ is positive.
static SolveOutcome exchange(Servo *servo, const bool *acting)
{
    assert(acting || servo->s == 0);
    size_t broken = 0;
    memcpy(servo->in, acting, servo->s * sizeof *servo->in);
    for (size_t round = 0; round < LIMIT_STEPS * servo->s; round++) {
        solve_set(servo);
        if (is_motion(servo, &broken)) {
            keep(servo);
            return SOLVE_DONE;
        }
        servo->in[broken] = !servo->in[broken];
    }
    return SOLVE_UNDECIDED;
}

// ---- The whole.

static void keep_answer(Servo *servo, const ContactAnswer *answer, ContactReport *report)
{
    size_t n = servo->n, m = servo->m, s = servo->s;
    for (size_t l = 0; l < s; l++) {
        report->constraint += servo->found[l] * servo->phi0[l] / 2;
        answer->acting[l] = servo->found[l] > 0;
        report->acting += answer->acting[l];
        real_add_times(servo->found[l], servo->moved + l * n, n, servo->free);
        real_add_times(servo->found[l], servo->moved_mu + l * m, m, servo->free_mu);
        servo->found[l] /= servo->unit[l];
        servo->phi0[l] *= servo->unit[l];
        servo->found_rates[l] *= servo->unit[l];
    }
    contact_copy(answer->lambda, servo->found, s);
    contact_copy(answer->free_rates, servo->phi0, s);
    contact_copy(answer->rates, servo->found_rates, s);
    contact_copy(answer->accelerations, servo->free, n);
    contact_copy(answer->multipliers, servo->free_mu, m);
}

ContactReport contact_servo_solve(const ContactProblem *problem, const ContactAnswer *answer)
{
    assert(problem->directions.count == problem->equations.count);
    Arena *arena = arena_new();
    Servo servo = servo_in(arena, problem);
    KktReport equal = find_moves(&servo, arena, problem);
    ContactReport report = {.outcome = equal.outcome,
                            .unique = true,
                            .row = equal.row,
                            .row_is_equation = true,
                            .rank = equal.rank};
    if (report.outcome == SOLVE_DONE && !find_phi(&servo, problem->unilateral_drift))
        report.outcome = SOLVE_NOT_FINITE;
    if (report.outcome == SOLVE_DONE)
        report.outcome = servo.s <= LIMIT_SETS ? try_all(&servo, &report.unique)
                         : is_positive(&servo) ? exchange(&servo, answer->acting)
                                               : SOLVE_TOO_MANY;
    if (report.outcome == SOLVE_DONE)
        keep_answer(&servo, answer, &report);
    arena_free(arena);
    return report;
}
