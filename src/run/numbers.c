// numbers.c: the motion as numbers: velocities from speeds, accelerations and multipliers.
//
// At (t, q, u) the velocities solve [b; Y] q' = [−c; u − y0]; then Gauss's principle gives q''
// and λ, and du/dt = Y q'' + (what it is for q'' = 0). Nothing here is expanded symbolically:
// three programs make the coefficients, and small linear solves do the rest.
#include "run/run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A pivot of the velocities' equations, in scaled units, below which they are singular.
// Larger: runs stop early near singular speeds. Smaller: velocities are noise before it shows.
#define SMALL_PIVOT 1e-12

static void *room(size_t count, size_t bytes)
{
    return base_alloc((count + 1) * bytes);
}

// ---- Programs.

// Parameters, t, q, v, a, and the multipliers of all conditions, in this order.
static void make_inputs(Numbers *numbers)
{
    const Model *model = numbers->motion->model;
    size_t n = numbers->n, params = numbers->params, at = 0;
    numbers->input_count = params + 1 + 3 * n + model->constraints.count;
    numbers->symbols = room(numbers->input_count, sizeof(Expr));
    numbers->inputs = room(numbers->input_count, sizeof(double));
    for (size_t i = 0; i < params; i++)
        numbers->symbols[at++] = model->params.at[i].symbol;
    numbers->symbols[at++] = model->t;
    for (size_t i = 0; i < n; i++) {
        numbers->symbols[at + i] = numbers->motion->q[i];
        numbers->symbols[at + n + i] = numbers->motion->v[i];
        numbers->symbols[at + 2 * n + i] = numbers->motion->a[i];
    }
    at += 3 * n;
    for (size_t i = 0; i < model->constraints.count; i++)
        numbers->symbols[at++] = model->constraints.at[i].lambda;
    numbers->t = numbers->inputs + params;
    numbers->q = numbers->t + 1;
    numbers->v = numbers->q + n;
    numbers->a = numbers->v + n;
    numbers->multipliers = numbers->a + n;
}

static Status lower(const Numbers *numbers, const Expr *outputs, size_t count, size_t inputs,
                    Diag *diag, Lowered *lowered)
{
    Expr missing = {0};
    if (lowered_init(lowered, numbers->motion->pool, numbers->symbols, inputs, outputs, count,
                     &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the equations of motion hold '%s', which has no value in a run",
                      expr_name(numbers->motion->pool, missing));
}

size_t numbers_terms(ExprPool *pool, Expr sum, Expr *terms)
{
    if (expr_op(pool, sum) != EXPR_SUM) {
        if (terms)
            terms[0] = sum;
        return 1;
    }
    size_t count = expr_arg_count(pool, sum);
    for (size_t i = 0; terms && i < count; i++)
        terms[i] = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, sum, i)),
                            expr_arg(pool, sum, i));
    if (terms)
        terms[count] = expr_number(pool, expr_value(pool, sum));
    return count + 1;
}

// All finite conditions count, also those set aside: what follows from the others as far as
// velocities go still says where the system is. So do the one-sided ones that are held. What
// vanishes identically says nothing.
static void find_finite(Numbers *numbers)
{
    const Motion *motion = numbers->motion;
    const Model *model = motion->model;
    size_t most = model->constraints.count;
    numbers->finite_conditions = room(most, sizeof *numbers->finite_conditions);
    numbers->finite_terms = room(most + 1, sizeof *numbers->finite_terms);
    for (size_t i = 0, side = 0; i < most; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool is_side = constraint->kind == CONSTRAINT_ONE_SIDED;
        bool held = is_side && motion->held && motion->held[side];
        side += is_side;
        if ((constraint->keeps != CONSTRAINT_FINITE && !held) ||
            expr_is_zero(motion->pool, constraint->residual))
            continue;
        size_t count = numbers_terms(motion->pool, constraint->residual, NULL);
        numbers->finite_conditions[numbers->finite++] = constraint;
        numbers->finite_terms[numbers->finite] = numbers->finite_terms[numbers->finite - 1] + count;
    }
}

static Status lower_positions(Numbers *numbers, Diag *diag)
{
    find_finite(numbers);
    size_t n = numbers->n, count = numbers->finite;
    size_t total = count * (n + 1) + numbers->finite_terms[count];
    Expr *outputs = room(total, sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        Expr f = numbers->finite_conditions[i]->residual;
        outputs[i] = f;
        expr_gradient(numbers->motion->pool, f, numbers->motion->q, n, outputs + count + i * n);
        numbers_terms(numbers->motion->pool, f,
                      outputs + count * (n + 1) + numbers->finite_terms[i]);
    }
    filled_init(&numbers->in_positions, numbers->motion->pool, outputs + count, count, n);
    Status status =
        lower(numbers, outputs, total, numbers->params + 1 + n, diag, &numbers->positions);
    base_free(outputs);
    return status;
}

// Whether these hold parameters at most.
static bool are_constant(const Numbers *numbers, const Expr *exprs, size_t count)
{
    const ExprPool *pool = numbers->motion->pool;
    size_t moving = 1 + 2 * numbers->n;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_number(pool, exprs[i]) &&
            expr_holds_any(pool, exprs[i], numbers->symbols + numbers->params, moving))
            return false;
    return true;
}

// Whether one-sided conditions do, and there is no choice of speeds that would have to be revised.
static bool comes_and_goes(const Numbers *numbers)
{
    const Motion *motion = numbers->motion;
    bool no_choice = motion->m == 0 || (numbers->whole && !numbers->curved);
    return motion->side_count > 0 && no_choice;
}

static Status lower_velocities(Numbers *numbers, Diag *diag)
{
    const Motion *motion = numbers->motion;
    size_t n = numbers->n, m = numbers->m, k = motion->k, at = 0;
    Expr *outputs = room(n * n + n, sizeof *outputs);
    for (size_t i = 0; i < m; i++, at += n)
        memcpy(outputs + at, motion->rows[i].b, n * sizeof *outputs);
    for (size_t i = 0; i < k; i++, at += n)
        memcpy(outputs + at, motion->state.speeds[i].y, n * sizeof *outputs);
    // Where no speeds were chosen their places stay empty.
    while (at < n * n)
        outputs[at++] = expr_int(motion->pool, 0);
    filled_init(&numbers->in_velocities, motion->pool, outputs, n, n);
    numbers->few_in_velocities =
        sparse_pays(n, filled_count(&numbers->in_velocities), comes_and_goes(numbers));
    for (size_t i = 0; i < m; i++)
        outputs[at++] = motion->rows[i].c;
    for (size_t i = 0; i < k; i++)
        outputs[at++] = motion->state.speeds[i].y0;
    while (at < n * n + n)
        outputs[at++] = expr_int(motion->pool, 0);
    numbers->still = numbers->few_in_velocities && are_constant(numbers, outputs, at);
    size_t inputs = numbers->params + 1 + (numbers->curved ? 2 : 1) * n;
    Status status = lower(numbers, outputs, at, inputs, diag, &numbers->velocities);
    base_free(outputs);
    return status;
}

static Status lower_forces(Numbers *numbers, Motion *motion, Diag *diag)
{
    size_t n = numbers->n, m = numbers->m, k = motion->k, at = n * n + n;
    Expr *outputs = room(at + m + k + m * n, sizeof *outputs);
    motion_mass_matrix(motion, outputs);
    filled_init(&numbers->in_inertia, motion->pool, outputs, n, n);
    size_t filled = filled_count(&numbers->in_inertia) + 2 * numbers->in_velocities.begins[m];
    numbers->few_in_forces =
        motion->second_count == 0 && sparse_pays(n + m, filled, comes_and_goes(numbers));
    motion_bias(motion, outputs + n * n);
    for (size_t i = 0; i < m; i++)
        outputs[at++] = motion->rows[i].gamma;
    for (size_t i = 0; i < k; i++)
        outputs[at++] = expr_rate(motion->dt_still, motion->state.speeds[i].value);
    numbers->still = numbers->still && numbers->few_in_forces && !motion->servos &&
                     are_constant(numbers, outputs, n * n);
    Filled directions = {0};
    for (size_t i = 0; i < m && motion->servos; i++, at += n)
        memcpy(outputs + at, motion->rows[i].d, n * sizeof *outputs);
    if (motion->servos)
        filled_init(&directions, motion->pool, outputs + at - m * n, m, n);
    filled_turn(motion->servos ? &directions : &numbers->in_velocities, m, n, &numbers->pushes);
    filled_clear(&directions);
    Status status =
        lower(numbers, outputs, at, numbers->params + 1 + 2 * n, diag, &numbers->forces);
    if (status == STATUS_OK && numbers->still)
        status = lower(numbers, outputs + n * n, n + m + k, numbers->params + 1 + 2 * n, diag,
                       &numbers->loads);
    base_free(outputs);
    return status;
}

// ---- Room.

static lapack_int work_wanted(size_t n, size_t m)
{
    double none[1] = {0}, wish = 0;
    lapack_int pivot[1] = {0}, rows = (lapack_int)(n > m ? n : m);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, rows, none, rows > 0 ? rows : 1, pivot, none, &wish,
                        -1);
    // dgecon wants 4n, dgeqp3 at least 3n + 1.
    lapack_int least = 4 * rows + 1;
    return (lapack_int)wish > least ? (lapack_int)wish : least;
}

void numbers_need_dense(Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->m;
    if (numbers->gauss)
        return;
    numbers->gauss = kkt_new(n, m + numbers->motion->affine_count);
    numbers->matrix = room(n * n, sizeof(double));
    numbers->packed = room(2 * m * n + m, sizeof(double));
    numbers->shares = room(2 * m * m + m, sizeof(double));
    basis_init(&numbers->basis, n);
}

static void make_room(Numbers *numbers)
{
    const Motion *motion = numbers->motion;
    size_t n = numbers->n, m = numbers->m;
    numbers->lambda = room(m + motion->second_count, sizeof(double));
    numbers->chosen = room(n, sizeof *numbers->chosen);
    numbers->former = room(n, sizeof *numbers->former);
    numbers->best = room(n, sizeof *numbers->best);
    numbers->scale = room(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        numbers->scale[i] = 1;
    numbers->right = room(n, sizeof(double));
    numbers->force = room(n, sizeof(double));
    numbers->kept = room(n, sizeof(double));
    numbers->pivots = room(n, sizeof *numbers->pivots);
    numbers->columns = room(n, sizeof *numbers->columns);
    numbers->work_size = work_wanted(n, m);
    numbers->work = room((size_t)numbers->work_size, sizeof(double));
    numbers->needed = m;
    numbers->needed_rows = room(m, sizeof *numbers->needed_rows);
    numbers->needed_place = room(m, sizeof *numbers->needed_place);
    for (size_t i = 0; i < m; i++)
        numbers->needed_rows[i] = numbers->needed_place[i] = i;
    if (!numbers->whole || numbers->curved)
        numbers_need_dense(numbers);
    numbers->own_speeds = !numbers->whole;
    for (size_t i = 0; i < n && numbers->whole; i++)
        numbers->chosen[i] = i;
    if (numbers->whole)
        numbers->keeper = keeper_new(numbers);
}

Status numbers_init(Numbers *numbers, Motion *motion, Diag *diag)
{
    bool whole = motion->curved || !motion->state.speeds;
    *numbers = (Numbers){.motion = motion,
                         .n = motion->n,
                         .m = motion->m,
                         .k = whole ? motion->n : motion->k,
                         .whole = whole,
                         .curved = motion->curved,
                         .params = motion->model->params.count};
    make_inputs(numbers);
    make_room(numbers);
    TRY(model_param_values(motion->model, diag, numbers->inputs));
    TRY(lower_positions(numbers, diag));
    TRY(lower_velocities(numbers, diag));
    TRY(lower_forces(numbers, motion, diag));
    return seconds_new(numbers, diag);
}

void numbers_clear(Numbers *numbers)
{
    lowered_clear(&numbers->positions);
    lowered_clear(&numbers->velocities);
    lowered_clear(&numbers->forces);
    lowered_clear(&numbers->loads);
    sparse_lu_clear(&numbers->of_velocities);
    sparse_lu_clear(&numbers->of_forces);
    base_free(numbers->both);
    driver_clear(&numbers->driver);
    kkt_free(numbers->gauss);
    seconds_free(numbers->seconds);
    keeper_free(numbers->keeper);
    base_free(numbers->finite_conditions);
    base_free(numbers->finite_terms);
    base_free(numbers->symbols);
    base_free(numbers->inputs);
    base_free(numbers->lambda);
    base_free(numbers->needed_rows);
    base_free(numbers->needed_place);
    filled_clear(&numbers->in_positions);
    filled_clear(&numbers->in_velocities);
    filled_clear(&numbers->in_inertia);
    filled_clear(&numbers->pushes);
    base_free(numbers->packed);
    base_free(numbers->shares);
    basis_clear(&numbers->basis);
    base_free(numbers->chosen);
    base_free(numbers->former);
    base_free(numbers->best);
    base_free(numbers->scale);
    base_free(numbers->matrix);
    base_free(numbers->right);
    base_free(numbers->force);
    base_free(numbers->kept);
    base_free(numbers->pivots);
    base_free(numbers->columns);
    base_free(numbers->work);
    *numbers = (Numbers){0};
}

// ---- Velocities.

// Row i of [b; Y] as it is asked for: where it stands among those evaluated, or a unit row.
static bool is_unit(const Numbers *numbers, size_t i)
{
    return i >= numbers->needed && !numbers->own_speeds;
}

static size_t row_of(const Numbers *numbers, size_t i)
{
    return i < numbers->needed ? numbers->needed_rows[i] : i;
}

static double asked_of(const Numbers *numbers, size_t i, const double *u)
{
    size_t n = numbers->n, m = numbers->needed, at = row_of(numbers, i);
    return (i < m ? 0 : u[i - m]) - (is_unit(numbers, i) ? 0 : numbers->velocities.out[n * n + at]);
}

// [b; Y], scaled: columns to typical velocities, rows to a largest entry of 1. False where a
// row vanishes.
static bool fill_matrix(Numbers *numbers, const double *u)
{
    size_t n = numbers->n, m = numbers->needed;
    for (size_t i = 0; i < n; i++) {
        double *row = numbers->matrix + i * n, largest = 0;
        bool unit = is_unit(numbers, i);
        const double *from = numbers->velocities.out + row_of(numbers, i) * n;
        for (size_t j = 0; j < n; j++) {
            row[j] = unit ? j == numbers->chosen[i - m] : from[j];
            row[j] *= numbers->scale[j];
            largest = fmax(largest, fabs(row[j]));
        }
        if (largest == 0)
            return false;
        numbers->right[i] = asked_of(numbers, i, u) / largest;
        for (size_t j = 0; j < n; j++)
            row[j] /= largest;
    }
    return true;
}

// The filled entries of row i of a matrix; a 0 among them keeps its place, too.
static void push_row(SparseLu *sparse, const Filled *filled, size_t i, const double *matrix,
                     size_t n)
{
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sparse_store_push(&sparse->matrix, filled->places[l], matrix[i * n + filled->places[l]]);
}

// The same where few entries are filled.
static NumbersOutcome sparse_velocities(Numbers *numbers, const double *u)
{
    size_t n = numbers->n;
    SparseLu *sparse = &numbers->of_velocities;
    if (!sparse->factors)
        sparse_lu_init(sparse, n);
    sparse_store_begin(&sparse->matrix);
    for (size_t i = 0; i < n; i++) {
        if (is_unit(numbers, i))
            sparse_store_push(&sparse->matrix, numbers->chosen[i - numbers->needed], 1);
        else
            push_row(sparse, &numbers->in_velocities, row_of(numbers, i), numbers->velocities.out,
                     n);
        sparse_store_end_row(&sparse->matrix);
        numbers->v[i] = asked_of(numbers, i, u);
    }
    if (!sparse_lu_factor(sparse, SMALL_PIVOT))
        return NUMBERS_SPEEDS;
    sparse_lu_solve(sparse, numbers->v);
    return NUMBERS_FOUND;
}

NumbersOutcome numbers_velocities(Numbers *numbers, double t, const double *q, const double *u)
{
    size_t n = numbers->n;
    lapack_int size = (lapack_int)n;
    *numbers->t = t;
    memmove(numbers->q, q, n * sizeof *q);
    if (numbers->whole)
        memmove(numbers->v, u, n * sizeof *u);
    lowered_run(&numbers->velocities, numbers->inputs);
    if (!all_finite(q, n) || !all_finite(u, numbers->k) || !lowered_is_finite(&numbers->velocities))
        return NUMBERS_NOT_FINITE;
    if (numbers->whole)
        return numbers->curved && keeper_find_singular(numbers) ? NUMBERS_VANISHED : NUMBERS_FOUND;
    if (numbers->few_in_velocities)
        return sparse_velocities(numbers, u);
    if (!fill_matrix(numbers, u))
        return NUMBERS_SPEEDS;
    // Row after row is the transpose to LAPACK.
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, numbers->matrix, size, numbers->pivots) !=
        0)
        return NUMBERS_SPEEDS;
    for (size_t i = 0; i < n; i++)
        if (fabs(numbers->matrix[i * n + i]) < SMALL_PIVOT)
            return NUMBERS_SPEEDS;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', size, 1, numbers->matrix, size, numbers->pivots,
                        numbers->right, size);
    for (size_t i = 0; i < n; i++)
        numbers->v[i] = numbers->scale[i] * numbers->right[i];
    return NUMBERS_FOUND;
}

// sum + (row i of [b; Y])·x.
static double add_along(const Numbers *numbers, size_t i, const double *x, double sum)
{
    const Filled *filled = &numbers->in_velocities;
    const double *row = numbers->velocities.out + i * numbers->n;
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * x[filled->places[l]];
    return sum;
}

void numbers_own_speeds(const Numbers *numbers, double *u)
{
    size_t n = numbers->n, m = numbers->m;
    const double *rest = numbers->velocities.out + n * n;
    for (size_t i = 0; i < numbers->motion->k; i++)
        u[i] = add_along(numbers, m + i, numbers->v, rest[m + i]);
}

void numbers_speeds(const Numbers *numbers, double *u)
{
    if (numbers->own_speeds) {
        numbers_own_speeds(numbers, u);
        return;
    }
    for (size_t i = 0; i < numbers->k; i++)
        u[i] = numbers->v[numbers->chosen[i]];
}

bool numbers_can_own(const Numbers *numbers)
{
    return !numbers->whole && numbers->needed == numbers->m;
}

// ---- Accelerations.

const double *numbers_directions(const Numbers *numbers, const double *forces_out)
{
    size_t n = numbers->n;
    return numbers->motion->servos ? forces_out + n * n + n + numbers->m + numbers->motion->k
                                   : NULL;
}

static void speed_rates(const Numbers *numbers, double *u_rate)
{
    size_t n = numbers->n, m = numbers->m;
    const double *still = numbers->forces.out + n * n + n + m;
    for (size_t i = 0; i < numbers->k; i++)
        u_rate[i] = numbers->own_speeds ? add_along(numbers, m + i, numbers->a, still[i])
                                        : numbers->a[numbers->chosen[i]];
}

// [𝓜 −dᵀ; g 0](q''; λ) = (K − h; −γ) where few entries are filled, after the forces were
// evaluated; false where that is singular.
static bool sparse_accelerations(Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->needed;
    const double *out = numbers->forces.out, *along = numbers_directions(numbers, out);
    const Filled *pushes = &numbers->pushes;
    SparseLu *sparse = &numbers->of_forces;
    if (!sparse->factors) {
        sparse_lu_init(sparse, n + m);
        numbers->both = room(n + m, sizeof(double));
    }
    if (!along)
        along = numbers->velocities.out;
    sparse_store_begin(&sparse->matrix);
    for (size_t i = 0; i < n; i++) {
        push_row(sparse, &numbers->in_inertia, i, out, n);
        for (size_t l = pushes->begins[i]; l < pushes->begins[i + 1]; l++)
            if (numbers->needed_place[pushes->places[l]] < m)
                sparse_store_push(&sparse->matrix, n + numbers->needed_place[pushes->places[l]],
                                  -along[pushes->places[l] * n + i]);
        sparse_store_end_row(&sparse->matrix);
        numbers->both[i] = -out[n * n + i];
    }
    for (size_t l = 0; l < m; l++) {
        push_row(sparse, &numbers->in_velocities, numbers->needed_rows[l], numbers->velocities.out,
                 n);
        sparse_store_end_row(&sparse->matrix);
        numbers->both[n + l] = -out[n * n + n + numbers->needed_rows[l]];
    }
    if (!all_finite(sparse->matrix.value.at, sparse->matrix.value.count) ||
        !all_finite(numbers->both, n + m) || !sparse_lu_factor(sparse, SMALL_PIVOT))
        return false;
    sparse_lu_solve(sparse, numbers->both);
    memcpy(numbers->a, numbers->both, n * sizeof *numbers->a);
    memcpy(numbers->lambda, numbers->both + n, m * sizeof *numbers->lambda);
    numbers->report = (KktReport){.outcome = SOLVE_DONE, .rank = m, .positive = true, .power = 1};
    return true;
}

KktProblem numbers_problem(Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->m;
    lowered_run(&numbers->forces, numbers->inputs);
    const double *out = numbers->forces.out;
    for (size_t i = 0; i < n; i++)
        numbers->force[i] = -out[n * n + i];
    KktProblem problem = {.inertia = out,
                          .force = numbers->force,
                          .rows = numbers->velocities.out,
                          .drift = out + n * n + n,
                          .row_count = numbers->needed,
                          .directions = numbers_directions(numbers, out)};
    if (numbers->needed < m) {
        needed_pack(numbers, problem.rows, problem.drift);
        problem.rows = numbers->packed;
        problem.drift = numbers->packed + numbers->needed * n;
        problem.directions = needed_directions(numbers, problem.directions);
    }
    if (numbers->seconds)
        seconds_append(numbers->seconds, numbers->inputs, &problem);
    return problem;
}

const ModelConstraint *numbers_condition(const Numbers *numbers, size_t row)
{
    const Motion *motion = numbers->motion;
    return row < numbers->needed ? motion->rows[numbers->needed_rows[row]].constraint
                                 : motion->seconds[row - numbers->needed].row.constraint;
}

static void put_point(Numbers *numbers, const double *x, size_t size)
{
    memcpy(numbers->a, x, numbers->n * sizeof *x);
    memcpy(numbers->lambda, x + numbers->n, (size - numbers->n) * sizeof *x);
}

// The stationary point that is followed, in the place of what the rows alone give.
static bool follow(Numbers *numbers, const KktProblem *problem)
{
    Seconds *seconds = numbers->seconds;
    size_t size = seconds_size(seconds, problem);
    memcpy(seconds->trial, seconds->x, size * sizeof(double));
    if (!seconds_newton(seconds, problem, numbers->inputs, seconds->trial))
        return false;
    put_point(numbers, seconds->trial, size);
    return true;
}

// Every multiplier to its condition; those of rows left out get their share where `shared`.
static void hand_out_multipliers(Numbers *numbers, bool shared)
{
    const Motion *motion = numbers->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    size_t m = numbers->m, needed = numbers->needed;
    memmove(numbers->lambda + m, numbers->lambda + needed,
            motion->second_count * sizeof *numbers->lambda);
    if (needed < m && shared)
        needed_share(numbers);
    for (size_t i = 0; i < m; i++)
        numbers->multipliers[motion->rows[i].constraint - first] = numbers->lambda[i];
    for (size_t i = 0; i < motion->second_count; i++)
        numbers->multipliers[motion->seconds[i].row.constraint - first] = numbers->lambda[m + i];
}

void numbers_take(Numbers *numbers, const KktProblem *problem, const double *x)
{
    put_point(numbers, x, seconds_size(numbers->seconds, problem));
    hand_out_multipliers(numbers, true);
}

NumbersOutcome numbers_accelerations(Numbers *numbers, double *u_rate)
{
    size_t n = numbers->n;
    numbers->evaluations++;
    if (numbers->few_in_forces)
        lowered_run(&numbers->forces, numbers->inputs);
    KktProblem problem = {0};
    // Why there is no solution LAPACK finds out.
    if (!numbers->few_in_forces || !sparse_accelerations(numbers)) {
        numbers_need_dense(numbers);
        problem = numbers_problem(numbers);
        numbers->report = kkt_solve(numbers->gauss, &problem, numbers->a, numbers->lambda);
    }
    switch (numbers->report.outcome) {
    case SOLVE_DONE: break;
    case SOLVE_CONTRADICTION: return NUMBERS_CONTRADICTION;
    case SOLVE_SINGULAR: return NUMBERS_INERTIA;
    case SOLVE_UNCONTROLLABLE: return NUMBERS_SERVO;
    case SOLVE_NOT_FINITE: return NUMBERS_NOT_FINITE;
    case SOLVE_NO_MINIMUM:
    case SOLVE_NO_SOLUTION:
    case SOLVE_SEVERAL:
    case SOLVE_TOO_MANY:
    case SOLVE_UNDECIDED: assert(!"no one-sided condition was asked");
    }
    if (numbers->seconds && numbers->seconds->follows && !follow(numbers, &problem))
        return NUMBERS_BRANCH;
    // Rates owe nothing to how reactions are shared.
    hand_out_multipliers(numbers, !u_rate);
    if (numbers->driver.equations.program && !driver_accelerations(numbers))
        return NUMBERS_NOT_FINITE;
    if (u_rate)
        speed_rates(numbers, u_rate);
    bool finite = all_finite(numbers->a, n) && (!u_rate || all_finite(u_rate, numbers->k));
    return finite ? NUMBERS_FOUND : NUMBERS_NOT_FINITE;
}
