// servo.c: conditions that an active force keeps (Béghin 1922; Appell 5 names them and passes by).
//
// The condition gives its row b as any other; the force has a direction of its own, d, and does
// work on displacements that the condition allows. So the virtual displacements, those on which no
// reaction works, are d·δq = 0 and not b·δq = 0: δq = A·δϑ beside q' = B·u + C. The equations are
// regular just where Aᵀ𝓜B is, which for regular 𝓜 is to say that b·𝓜⁻¹·dᵀ is; beside conditions on
// accelerations, where that is with their rows around it.
#include "motion/motion_impl.h"

#include <string.h>

const char *motion_driven(const Motion *motion)
{
    for (size_t i = 0; i < motion->m && motion->servos; i++)
        if (motion->rows[i].servo)
            return "a servo keeps a condition";
    return !motion->servos ? NULL
           : motion->friction_count > 0
               ? "a friction slides, so that the reaction of its condition is not ideal"
               : "a force holds a reaction, so that the reaction is not ideal";
}

void motion_servo_direction(Motion *motion, const ModelServo *servo, Expr *d)
{
    const Model *model = motion->model;
    Expr *partials = base_alloc((motion->n + 1) * sizeof *partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        d[nu] = servo->by == SERVO_PARTS
                    ? servo->parts[nu]
                    : expr_int(motion->pool, servo->by == SERVO_ALONG && nu == servo->target);
    if (servo->by == SERVO_FORCE)
        motion_add_work(motion, d, servo->direction, motion_load_velocity(motion, &servo->point),
                        partials);
    if (servo->by == SERVO_TORQUE)
        motion_add_work(motion, d, servo->direction,
                        frame_omega(model->vectors, model->bodies.at[servo->target].frame),
                        partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        if (motion_is_zero(motion, d[nu]))
            d[nu] = expr_int(motion->pool, 0);
    base_free(partials);
}

// "the servo 'a'", "the servos 'a', 'b'"; the place of the first.
static Place name_servos(const Motion *motion, Text *names)
{
    Place place = place_none();
    text_add(names, motion->servos > 1 ? "the servos " : "the servo ");
    bool first = true;
    for (size_t i = 0; i < motion->m; i++) {
        if (!motion->rows[i].servo)
            continue;
        if (first)
            place = motion->rows[i].constraint->place;
        text_addf(names, "%s'%s'", first ? "" : ", ", motion->rows[i].constraint->name);
        first = false;
    }
    return place;
}

// ---- Virtual displacements.

// A servo whose force the reactions before it can replace.
static Status replaceable(const Motion *motion, const bool *independent, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < motion->m; i++) {
        if (independent[i])
            continue;
        const ModelConstraint *constraint = motion->rows[i].constraint;
        bool still = true;
        for (size_t nu = 0; nu < motion->n; nu++)
            still = still && expr_is_zero(motion->pool, motion->rows[i].d[nu]);
        status = diag_error(
            diag, constraint->place,
            still ? "the servo '%s' cannot act: its force does no work on any displacement; give "
                    "it another direction or place"
                  : "the reaction of '%s' acts as those of the other conditions do, so that they "
                    "cannot be told apart, and together they cannot keep so many conditions; give "
                    "the servo another force",
            constraint->name);
    }
    return status;
}

// Rows d, then what displacements may be written in: the speeds, then the velocities.
static Expr *candidate_matrix(const Motion *motion, const MotionReduction *reduction)
{
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *matrix = base_alloc(((m + k + n) * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < m; i++)
        memcpy(matrix + i * n, motion->rows[i].d, n * sizeof *matrix);
    for (size_t alpha = 0; alpha < k; alpha++)
        memcpy(matrix + (m + alpha) * n, reduction->speeds[alpha].y, n * sizeof *matrix);
    for (size_t nu = 0; nu < n; nu++)
        for (size_t j = 0; j < n; j++)
            matrix[(m + k + nu) * n + j] = expr_int(motion->pool, j == nu);
    return matrix;
}

static MotionSpeed velocity_of(const Motion *motion, size_t nu)
{
    return (MotionSpeed){.name = expr_name(motion->pool, motion->v[nu]),
                         .u = motion->v[nu],
                         .rate = motion->a[nu],
                         .value = motion->v[nu],
                         .index = nu};
}

// [d; y]·A = [0; 1] for the candidates that were taken.
static bool solve_displacements(Motion *motion, const Expr *candidates, const bool *independent,
                                MotionReduction *reduction)
{
    size_t n = motion->n, m = motion->m, k = motion->k, taken = 0;
    Expr *matrix = base_alloc((n * n + n * k + 1) * sizeof *matrix), *right = matrix + n * n;
    memcpy(matrix, candidates, m * n * sizeof *matrix);
    for (size_t i = 0; i < k + n && taken < k; i++) {
        if (!independent[m + i])
            continue;
        memcpy(matrix + (m + taken) * n, candidates + (m + i) * n, n * sizeof *matrix);
        reduction->varied[taken++] = i < k ? reduction->speeds[i] : velocity_of(motion, i - k);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t alpha = 0; alpha < k; alpha++)
            right[i * k + alpha] = expr_int(motion->pool, i == m + alpha);
    bool solved = algebra_solve(motion->algebra, matrix, right, n, k, reduction->A);
    base_free(matrix);
    return solved;
}

Status motion_make_displacements(Motion *motion, MotionReduction *reduction, Diag *diag)
{
    size_t n = motion->n, m = motion->m, k = motion->k;
    reduction->A = reduction->B;
    reduction->varied = reduction->speeds;
    if (!motion->servos)
        return STATUS_OK;
    reduction->A = arena_alloc(motion->arena, (n * k + 1) * sizeof(Expr));
    reduction->varied = arena_alloc(motion->arena, (k + 1) * sizeof *reduction->varied);
    Expr *candidates = candidate_matrix(motion, reduction);
    bool *independent = base_alloc((m + k + n + 1) * sizeof *independent);
    ptrdiff_t rank =
        algebra_rank(motion->algebra, candidates, m + k + n, n, NULL, independent, NULL);
    Status status = STATUS_OK;
    if (rank == (ptrdiff_t)n)
        status = replaceable(motion, independent, diag);
    if (status == STATUS_OK &&
        (rank != (ptrdiff_t)n || !solve_displacements(motion, candidates, independent, reduction)))
        status = diag_error(diag, place_none(),
                            "the directions of the servos cannot be evaluated exactly, so that the "
                            "virtual displacements are not known");
    base_free(candidates);
    base_free(independent);
    return status;
}

// ---- Whether they can act.

// Σ_ν x_ν·(column alpha of a basis with k columns).
static Expr along(Motion *motion, const Expr *x, const Expr *basis, size_t alpha, Expr *terms)
{
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(motion->pool, x[nu], basis[nu * motion->k + alpha]);
    return expr_sum(motion->pool, terms, motion->n);
}

// Aᵀ𝓜B, k × k; with conditions g on the accelerations beside it [Aᵀ𝓜B Aᵀgᵀ; gB 0].
static Expr *mixed_inertia(Motion *motion)
{
    size_t n = motion->n, k = motion->k, s = motion->affine_count, size = k + s;
    const MotionReduction *state = &motion->state;
    Expr *mass = base_alloc((n * n + 2 * n + 1) * sizeof *mass);
    Expr *half = mass + n * n, *terms = half + n;
    Expr *mixed = base_alloc((size * size + 1) * sizeof *mixed);
    motion_mass_matrix(motion, mass);
    for (size_t beta = 0; beta < k; beta++) {
        for (size_t nu = 0; nu < n; nu++)
            half[nu] = along(motion, mass + nu * n, state->B, beta, terms);
        for (size_t alpha = 0; alpha < k; alpha++)
            mixed[alpha * size + beta] = along(motion, half, state->A, alpha, terms);
    }
    for (size_t i = 0; i < s; i++) {
        const Expr *g = motion->seconds[i].row.b;
        for (size_t alpha = 0; alpha < k; alpha++) {
            mixed[(k + i) * size + alpha] = along(motion, g, state->B, alpha, terms);
            mixed[alpha * size + k + i] = along(motion, g, state->A, alpha, terms);
        }
        for (size_t j = 0; j < s; j++)
            mixed[(k + i) * size + k + j] = expr_int(motion->pool, 0);
    }
    base_free(mass);
    return mixed;
}

Status motion_check_servos(Motion *motion, Diag *diag)
{
    if (!motion->servos)
        return STATUS_OK;
    size_t size = motion->k + motion->affine_count;
    Expr *mixed = mixed_inertia(motion);
    ptrdiff_t rank = algebra_rank(motion->algebra, mixed, size, size, NULL, NULL, NULL);
    base_free(mixed);
    // What cannot be decided exactly is decided at the state.
    if (rank < 0 || rank == (ptrdiff_t)size)
        return STATUS_OK;
    Text names = {0};
    Place place = name_servos(motion, &names);
    bool several = motion->servos > 1;
    diag_error(diag, place,
               "%s cannot keep %s at any state: the acceleration that %s for is one that the "
               "force%s cannot give, the other conditions being respected (g·M⁻¹·d is singular); "
               "give the force%s another direction or place, or keep something else by %s",
               names.at, several ? "their conditions" : "its condition",
               several ? "they ask" : "it asks", several ? "s" : "", several ? "s" : "",
               several ? "them" : "it");
    text_clear(&names);
    return STATUS_WRONG;
}
