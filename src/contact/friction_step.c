// friction_step.c: Coulomb's law for many contacts at once, contact after contact.
//
// With x = (μλ, F) and z = (−f'/μ + |u|, u) Coulomb's law is that both lie in the second-order cone
// and are perpendicular (de Saxcé, Feng, Math. Comput. Modelling 28 (1998) 225), z being
// b + Ax + |u|e₀. A sweep solves one contact after the other, the others being held (Jean, Comput.
// Methods Appl. Mech. Eng. 177 (1999) 235): it opens, sticks, or slides in a direction that
// Newton's method finds. Sweeps alone crawl where a heap has many ways to bear its load; so each
// begins where the changes of the last ones, added up with factors, are least (Anderson, J. ACM 12
// (1965) 547). Where that gets no better, forces drift along what bears no load. Then a little is
// added to A's diagonal that draws them to where they were, and that place follows them again and
// again (the proximal point method).
#include "contact/friction_step.h"
#include "contact/delassus_impl.h"
#include "contact/friction_impl.h"
#include "linalg/dense.h"

#include <assert.h>

typedef struct {
    size_t row, size;  // rows of its cone
    double own[9];     // its block of A
    double inverse[9]; // of that; 0 where it is singular
    double angle;      // of the sliding, as it was last
    bool sticks;       // the block is regular
} Cone;

#define STEP_DEPTH 10   // sweeps that are added up
#define STEP_NEAR  1e-2 // what draws to a place, rows being of length 1: with less it drifts on
#define STEP_DRAWN 30   // sweeps until the place follows

typedef struct {
    const FrictionStepProblem *problem;
    Arena *arena;
    Delassus delassus;
    SparseStore rows, phi;      // scaled rows, and A
    size_t n, count, equations; // rows in all, the first of them equations
    size_t cone_count;
    Cone *cones;
    double *scale;            // of each row: force in the user's units = scale·unit·x
    double *velocities;       // v without contacts
    double *b, *x, *work;     // of each row
    double *best;             // the most accurate x so far
    double near, *place;      // what draws x to a place, or 0
    double *changes, *points; // of the last sweeps: what they changed, and where they came to
    double unit;              // of velocities
} Step;

// ---- The scaled problem.

// One more row, some times as long.
static void push_row(Step *step, const SparseRows *from, size_t row, double factor)
{
    for (uint32_t at = from->first[row]; at < from->first[row + 1]; at++)
        sparse_store_push(&step->rows, from->column[at], factor * from->value[at]);
    sparse_store_end_row(&step->rows);
}

// Rows as they are given, contacts' normals turned round; of those without friction no sliding.
static void gather_rows(Step *step)
{
    const FrictionStepProblem *problem = step->problem;
    sparse_store_begin(&step->rows);
    step->count = step->cone_count = 0;
    for (size_t i = 0; i < problem->equations.count; i++, step->count++)
        push_row(step, &problem->equations, i, 1);
    step->equations = step->count;
    for (size_t l = 0; l < problem->contacts; l++) {
        size_t t = problem->friction[l] > 0 ? problem->tangents : 0;
        step->cones[step->cone_count++] = (Cone){.row = step->count, .size = 1 + t};
        push_row(step, &problem->normals, l, -1);
        for (size_t k = 0; k < t; k++)
            push_row(step, &problem->sliding, l * problem->tangents + k, 1);
        step->count += 1 + t;
    }
}

static void find_scales(Step *step, const double *diagonal)
{
    for (size_t i = 0; i < step->equations; i++)
        step->scale[i] = diagonal[i] > 0 ? 1 / sqrt(diagonal[i]) : 1;
    for (size_t l = 0; l < step->cone_count; l++) {
        const Cone *cone = &step->cones[l];
        double most = 0, mu = step->problem->friction[l];
        for (size_t k = 1; k < cone->size; k++)
            most = real_max(most, diagonal[cone->row + k]);
        double sliding = most > 0 ? 1 / sqrt(most) : 1, own = diagonal[cone->row];
        for (size_t k = 1; k < cone->size; k++)
            step->scale[cone->row + k] = sliding;
        // λ = x₀/μ in the units of F, so that the cone is the one of 45°.
        step->scale[cone->row] = cone->size > 1 ? sliding / mu : own > 0 ? 1 / sqrt(own) : 1;
    }
}

static double drift_of(const Step *step, size_t row, size_t contact, size_t k)
{
    const FrictionStepProblem *problem = step->problem;
    if (row < step->equations)
        return problem->equation_drift[row];
    return k == 0 ? -problem->normal_drift[contact]
                  : problem->sliding_drift[contact * problem->tangents + k - 1];
}

// A and b in the scaled rows.
static void scale_problem(Step *step)
{
    SparseRows rows = sparse_store_rows(&step->rows);
    for (size_t i = 0; i < step->count; i++)
        for (uint32_t at = step->phi.first.at[i]; at < step->phi.first.at[i + 1]; at++)
            step->phi.value.at[at] *= step->scale[i] * step->scale[step->phi.column.at[at]];
    step->unit = 0;
    for (size_t l = 0, i = 0; i < step->count; i++) {
        while (l < step->cone_count && i >= step->cones[l].row + step->cones[l].size)
            l++;
        size_t k = i < step->equations ? 0 : i - step->cones[l].row;
        double rate = sparse_row_times(&rows, i, step->velocities, drift_of(step, i, l, k), NULL);
        step->b[i] = step->scale[i] * rate;
        step->unit = real_max(step->unit, fabs(step->b[i]));
    }
    step->unit = step->unit > 0 ? step->unit : 1;
    for (size_t i = 0; i < step->count; i++)
        step->b[i] /= step->unit;
}

// y = b + Ax
static void find_rates(const Step *step, const double *x, double *y)
{
    const SparseStore *phi = &step->phi;
    for (size_t i = 0; i < step->count; i++) {
        double sum = step->b[i];
        for (uint32_t at = phi->first.at[i]; at < phi->first.at[i + 1]; at++)
            sum += phi->value.at[at] * x[phi->column.at[at]];
        y[i] = sum;
    }
}

// Forces of the step before, as far as they are in their cones.
static void take_guess(Step *step)
{
    const FrictionStepProblem *problem = step->problem;
    for (size_t l = 0; l < step->cone_count && problem->lambda_guess; l++) {
        const Cone *cone = &step->cones[l];
        double *x = step->x + cone->row;
        for (size_t k = 0; k < cone->size; k++) {
            double force = k == 0 ? problem->lambda_guess[l]
                                  : problem->friction_guess[l * problem->tangents + k - 1];
            x[k] = force / (step->scale[cone->row + k] * step->unit);
        }
        double most = real_max(x[0], 0), length = real_length(x + 1, cone->size - 1);
        x[0] = most;
        for (size_t k = 1; k < cone->size && length > most; k++)
            x[k] *= most / length;
    }
}

// ---- One contact, the others held.

// Blocks of A on its diagonal, and their inverses.
static void find_blocks(Step *step)
{
    const SparseStore *phi = &step->phi;
    for (size_t l = 0; l < step->cone_count; l++) {
        Cone *cone = &step->cones[l];
        size_t size = cone->size;
        double factor[9], column[3];
        for (size_t i = 0; i < size; i++)
            for (uint32_t at = phi->first.at[cone->row + i]; at < phi->first.at[cone->row + i + 1];
                 at++) {
                size_t k = phi->column.at[at] - cone->row;
                if (k < size)
                    cone->own[i * size + k] = phi->value.at[at] + (k == i ? step->near : 0);
            }
        memcpy(factor, cone->own, sizeof factor);
        cone->sticks = cholesky_factor(factor, size, size, TOL_ZERO);
        for (size_t k = 0; k < size && cone->sticks; k++) {
            memset(column, 0, sizeof column);
            column[k] = 1;
            cholesky_solve(factor, size, column);
            for (size_t i = 0; i < size; i++)
                cone->inverse[i * size + k] = column[i];
        }
    }
}

// How much u' stands off d, and its rate by the angle; λ is found on the way.
static double across(const Cone *cone, const double *q, double angle, double *slope, double *x)
{
    const double *G = cone->own;
    double c = cos(angle), s = sin(angle);
    double hat = G[0] - G[1] * c - G[2] * s, turn = G[1] * s - G[2] * c;
    double lambda = -q[0] / hat, rate = -lambda * turn / hat;
    double a = G[3] - G[4] * c - G[5] * s, b = G[6] - G[7] * c - G[8] * s;
    double u = q[1] + lambda * a, v = q[2] + lambda * b;
    double du = rate * a + lambda * (G[4] * s - G[5] * c);
    double dv = rate * b + lambda * (G[7] * s - G[8] * c);
    x[0] = lambda;
    x[1] = -lambda * c;
    x[2] = -lambda * s;
    *slope = c * dv - s * du - (c * u + s * v);
    return c * v - s * u;
}

// All directions are looked at where Newton's method does not settle: the one that moves fastest.
static void slide_anywhere(Cone *cone, const double *q, double *x)
{
    const double *G = cone->own;
    double a[2], B[2][2], angles[LIMIT_STEPS], best = -INFINITY, slope, trial[3];
    for (size_t i = 0; i < 2; i++) {
        a[i] = q[1 + i] * G[0] - q[0] * G[3 * (1 + i)];
        for (size_t k = 0; k < 2; k++)
            B[i][k] = q[0] * G[3 * (1 + i) + 1 + k] - q[1 + i] * G[1 + k];
    }
    double c[] = {(B[1][0] - B[0][1]) / 2, a[1], -a[0], (B[1][0] + B[0][1]) / 2,
                  (B[1][1] - B[0][0]) / 2};
    size_t found = friction_trigonometric_roots(c, angles, LIMIT_STEPS);
    for (size_t k = 0; k < found; k++) {
        across(cone, q, angles[k], &slope, trial);
        double along = 0;
        for (size_t i = 0; i < 2; i++) {
            double u = q[1 + i] + real_dot(G + 3 * (1 + i), trial, 3);
            along += u * (i ? sin(angles[k]) : cos(angles[k]));
        }
        if (trial[0] > 0 && along > best) {
            best = along;
            cone->angle = angles[k];
            memcpy(x, trial, sizeof trial);
        }
    }
}

static void slide(Cone *cone, const double *q, const double *stuck, double *x)
{
    if (cone->size == 2) {
        double d = stuck[1] > 0 ? -1 : 1;
        x[0] = -q[0] / (cone->own[0] - d * cone->own[1]);
        x[1] = -x[0] * d;
        x[0] = real_max(x[0], 0);
        return;
    }
    double angle = atan2(-stuck[2], -stuck[1]), slope, off = INFINITY;
    double enough = TOL_ZERO * (fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
    for (size_t step = 0; step < LIMIT_PATIENCE * 2; step++) {
        off = across(cone, q, angle, &slope, x);
        if (fabs(off) <= enough)
            break;
        double turn = slope < 0 ? -off / slope : off > 0 ? 0.5 : -0.5;
        angle += turn > 0.5 ? 0.5 : turn < -0.5 ? -0.5 : turn;
    }
    if (!(fabs(off) <= enough) || !(x[0] >= 0) || !(slope < 0))
        slide_anywhere(cone, q, x);
    cone->angle = angle;
}

// x of one contact from q, its rates where it bears nothing.
static void solve_contact(Cone *cone, const double *q, double *x)
{
    size_t size = cone->size;
    double stuck[3] = {0};
    if (!(q[0] < 0)) {
        memset(x, 0, size * sizeof *x);
        return;
    }
    for (size_t i = 0; i < size; i++)
        stuck[i] = cone->sticks ? -real_dot(cone->inverse + i * size, q, size) : -q[i];
    if (size == 1)
        x[0] = -q[0] / cone->own[0];
    else if (cone->sticks && real_length(stuck + 1, size - 1) <= stuck[0])
        memcpy(x, stuck, size * sizeof *x);
    else
        slide(cone, q, stuck, x);
}

// ---- Sweeps.

static double row_rate(const Step *step, size_t i, const double *x)
{
    const SparseStore *phi = &step->phi;
    double sum = step->b[i];
    for (uint32_t at = phi->first.at[i]; at < phi->first.at[i + 1]; at++)
        sum += phi->value.at[at] * x[phi->column.at[at]];
    return sum;
}

static void sweep(Step *step, double *x)
{
    for (size_t i = 0; i < step->equations; i++)
        x[i] -= row_rate(step, i, x); // rows are of length 1
    for (size_t l = 0; l < step->cone_count; l++) {
        Cone *cone = &step->cones[l];
        size_t size = cone->size;
        double q[3] = {0};
        for (size_t k = 0; k < size; k++)
            q[k] = row_rate(step, cone->row + k, x) -
                   real_dot(cone->own + k * size, x + cone->row, size) +
                   step->near * (x[cone->row + k] - step->place[cone->row + k]);
        solve_contact(cone, q, x + cone->row);
    }
}

// Where the changes of the last `depth` sweeps, added up with factors whose sum is 1, are least:
// x becomes the points added up alike. `last` is the place of the newest. False where the factors
// are not determined.
static bool mix(Step *step, size_t depth, size_t last)
{
    size_t n = step->count, m = depth - 1;
    double A[STEP_DEPTH * STEP_DEPTH], right[STEP_DEPTH];
    const double *newest = step->changes + last * n;
    size_t others[STEP_DEPTH], k = 0;
    for (size_t place = 0; place < depth; place++)
        if (place != last)
            others[k++] = place;
    for (size_t i = 0; i < m; i++) {
        const double *a = step->changes + others[i] * n;
        right[i] = 0;
        for (size_t j = 0; j < n; j++)
            right[i] -= (a[j] - newest[j]) * newest[j];
        for (size_t p = 0; p <= i; p++) {
            const double *b = step->changes + others[p] * n;
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += (a[j] - newest[j]) * (b[j] - newest[j]);
            A[i * m + p] = sum;
        }
    }
    for (size_t i = 0; i < m; i++)
        A[i * m + i] *= 1 + TOL_SUM;
    if (!cholesky_factor(A, m, m, TOL_SUM))
        return false;
    cholesky_solve(A, m, right);
    memcpy(step->x, step->points + last * n, n * sizeof *step->x);
    for (size_t i = 0; i < m; i++) {
        const double *point = step->points + others[i] * n, *base = step->points + last * n;
        for (size_t j = 0; j < n; j++)
            step->x[j] += right[i] * (point[j] - base[j]);
    }
    return real_all_finite(step->x, n);
}

// By how much the law is missed at x.
static double find_accuracy(Step *step)
{
    double worst = 0;
    find_rates(step, step->x, step->work);
    for (size_t i = 0; i < step->equations; i++)
        worst = real_max(worst, fabs(step->work[i]));
    for (size_t l = 0; l < step->cone_count; l++) {
        size_t row = step->cones[l].row, size = step->cones[l].size;
        const double *x = step->x + row, *y = step->work + row;
        double p[3], length = real_length(y + 1, size - 1), part = 1, error = 0;
        for (size_t k = 0; k < size; k++)
            p[k] = x[k] - y[k] - (k == 0 ? length : 0);
        // The nearest point of the cone.
        double off = real_length(p + 1, size - 1), first = p[0];
        if (off <= -first) {
            first = part = 0;
        } else if (off > first) {
            first = (first + off) / 2;
            part = first / off;
        }
        error = (x[0] - first) * (x[0] - first);
        for (size_t k = 1; k < size; k++)
            error += (x[k] - part * p[k]) * (x[k] - part * p[k]);
        worst = real_max(worst, sqrt(error));
    }
    return worst;
}

// A sweep from x: where it comes to and what it changes are kept at `place`. Returns |change|.
static double sweep_from(Step *step, size_t place)
{
    size_t n = step->count;
    double *change = step->changes + place * n, *point = step->points + place * n;
    memcpy(point, step->x, n * sizeof *point);
    sweep(step, point);
    for (size_t i = 0; i < n; i++)
        change[i] = point[i] - step->x[i];
    memcpy(step->x, point, n * sizeof *point);
    return real_length(change, n);
}

// Looks at x; true where it is much better than all before.
static bool keep_better(Step *step, FrictionStepReport *report)
{
    double now = find_accuracy(step), before = report->accuracy;
    if (!(now < before))
        return false;
    report->accuracy = now;
    memcpy(step->best, step->x, step->count * sizeof *step->best);
    return now < 0.9 * before;
}

// Draws to the best x so far where nothing does yet; else the place follows x. True where one of
// these is due: memory is given up then.
static bool draw(Step *step, size_t since, size_t sweeps)
{
    size_t bytes = step->count * sizeof *step->x;
    bool begins = step->near == 0 && since >= LIMIT_SEARCH;
    if (!begins && !(step->near > 0 && sweeps >= STEP_DRAWN))
        return false;
    if (begins) {
        step->near = STEP_NEAR;
        find_blocks(step);
        memcpy(step->x, step->best, bytes);
    }
    memcpy(step->place, step->x, bytes);
    return true;
}

// Until it is accurate enough, or gets no better.
static FrictionStepReport solve(Step *step)
{
    FrictionStepReport report = {.outcome = SOLVE_DONE, .accuracy = INFINITY};
    double asked = real_max(step->problem->accuracy, TOL_ROUNDING), least = INFINITY;
    size_t n = step->count, depth = 0, place = 0, since = 0, sweeps = 0;
    while (report.accuracy > asked && since < 4 * LIMIT_EVENTS &&
           report.iterations < 10 * LIMIT_EVENTS) {
        double change = sweep_from(step, place);
        bool better = false;
        if (report.iterations++ % LIMIT_PATIENCE == 0 || change <= LIMIT_PATIENCE * asked)
            better = keep_better(step, &report);
        since = better ? 0 : since + 1;
        // Where it went astray the memory is given up.
        bool astray = change > 2 * least;
        least = astray ? change : fmin(least, change);
        depth = astray ? 1 : depth < STEP_DEPTH ? depth + 1 : depth;
        if (astray && place > 0) {
            memcpy(step->points, step->points + place * n, n * sizeof *step->points);
            memcpy(step->changes, step->changes + place * n, n * sizeof *step->changes);
        }
        place = astray ? 0 : place;
        if (draw(step, since, ++sweeps)) {
            depth = place = sweeps = 0;
            least = INFINITY;
            continue;
        }
        if (depth > 1 && !mix(step, depth, place))
            memcpy(step->x, step->points + place * n, n * sizeof *step->x);
        place = (place + 1) % STEP_DEPTH;
    }
    if (!(report.accuracy <= TOL_COARSE))
        report.outcome = SOLVE_UNDECIDED;
    return report;
}

// ---- The whole.

static void step_init(Step *step, const FrictionStepProblem *problem)
{
    size_t n = problem->inertia.count;
    size_t most = problem->equations.count + problem->contacts * (1 + problem->tangents);
    Arena *arena = arena_new();
    *step = (Step){.problem = problem, .arena = arena, .n = n};
    step->cones = arena_array(arena, Cone, problem->contacts + 1);
    step->velocities = real_alloc(arena, n);
    real_alloc_each(arena, most, &step->scale, &step->b, &step->x, &step->work, &step->best,
                    &step->place);
    real_alloc_each(arena, most * STEP_DEPTH, &step->changes, &step->points);
}

static void step_clear(Step *step)
{
    delassus_clear(&step->delassus);
    sparse_store_clear(&step->rows);
    sparse_store_clear(&step->phi);
    arena_free(step->arena);
}

static void keep_answer(Step *step, const FrictionStepAnswer *answer)
{
    const FrictionStepProblem *problem = step->problem;
    SparseRows rows = sparse_store_rows(&step->rows);
    double *pull = real_alloc(step->arena, step->n);
    memcpy(pull, problem->impulse, step->n * sizeof *pull);
    for (size_t i = 0; i < step->count; i++) {
        step->best[i] *= step->scale[i] * step->unit;
        sparse_row_add(&rows, i, step->best[i], pull);
    }
    if (answer->velocities)
        delassus_accelerations(&step->delassus, pull, answer->velocities);
    for (size_t i = 0; i < step->equations && answer->multipliers; i++)
        answer->multipliers[i] = step->best[i];
    for (size_t l = 0; l < step->cone_count; l++) {
        const Cone *cone = &step->cones[l];
        if (answer->lambda)
            answer->lambda[l] = step->best[cone->row];
        for (size_t k = 0; k < problem->tangents && answer->friction; k++)
            answer->friction[l * problem->tangents + k] =
                k + 1 < cone->size ? step->best[cone->row + 1 + k] : 0;
    }
}

FrictionStepReport friction_step(const FrictionStepProblem *problem,
                                 const FrictionStepAnswer *answer)
{
    assert(problem->tangents <= 2 && (problem->friction || problem->contacts == 0));
    FrictionStepReport report = {.outcome = SOLVE_NOT_FINITE};
    Step step;
    step_init(&step, problem);
    if (!delassus_factor_inertia(&step.delassus, &problem->inertia)) {
        report.outcome = SOLVE_NO_MINIMUM;
        step_clear(&step);
        return report;
    }
    delassus_accelerations(&step.delassus, problem->impulse, step.velocities);
    gather_rows(&step);
    SparseRows rows = sparse_store_rows(&step.rows);
    sparse_store_begin(&step.phi);
    delassus_find(&step.delassus, &rows, &step.phi);
    SparseRows phi = sparse_store_rows(&step.phi);
    sparse_rows_diagonal(&phi, step.work);
    find_scales(&step, step.work);
    scale_problem(&step);
    find_blocks(&step);
    if (real_all_finite(step.b, step.count) && real_all_finite(phi.value, step.phi.value.count)) {
        take_guess(&step);
        report = solve(&step);
        keep_answer(&step, answer);
    }
    step_clear(&step);
    return report;
}
