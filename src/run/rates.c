// rates.c: the motion as y' = f(t, y), y = (q, u), in one program with few operations.
//
// On the graph, parameters being numbers already: [b; Y] q' = [−c; u − y0] is eliminated, which
// gives q' = B·u + C, and once more for q'' = B·u' + D, D from −γ and from how the speeds change
// by themselves. Then Kane's equations: every body's partial velocities, forward along the columns
// of B, in the frame where its velocity is cheap,
//
//     Σ_β [Σ m P_α·P_β + Ω_α·I·Ω_β] u'_β = Σ_ν K_ν B_να − Σ m P_α·J − Ω_α·(I·ω' + ω × I·ω),
//
// J and ω' taken for u' = 0. Energies that were given enter by d/dt ∂E/∂q' − ∂E/∂q. What is used
// more than once has a name (rates_impl.h), so that nothing is worked out twice.
#include "run/rates_impl.h"

#include <math.h>
#include <string.h>

// Up to this size the equations for u' are solved on the graph.
enum { MOST_UNROLLED = 8 };
// A pivot that is no more than this part of what it is measured by has lost too many digits.
#define POOR_PIVOT 1e-7

static Expr fixed(Making *making, Expr e)
{
    return expr_subst(making->fixed, e);
}

Expr making_name(Making *making, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(making->pool, e, factor);
    if (!expr_is_number(making->pool, rest) && !expr_is_symbol(making->pool, rest)) {
        ProgramDefinition definition = {expr_symbol_new(making->pool, "part"), rest};
        array_push(&making->definitions, definition);
        e = expr_mul(making->pool, expr_number(making->pool, factor), definition.symbol);
    }
    fmpq_clear(factor);
    return e;
}

static void define(Making *making, Expr symbol, Expr value)
{
    ProgramDefinition definition = {symbol, value};
    array_push(&making->definitions, definition);
}

// ---- Parameters.

static Expr nearest(ExprPool *pool, double value)
{
    fmpq_t exact;
    fmpq_init(exact);
    int exponent = 0;
    double fraction = frexp(value, &exponent);
    fmpz_set_d(fmpq_numref(exact), ldexp(fraction, 53));
    fmpz_one(fmpq_denref(exact));
    if (exponent > 53)
        fmpq_mul_2exp(exact, exact, (ulong)(exponent - 53));
    else
        fmpq_div_2exp(exact, exact, (ulong)(53 - exponent));
    Expr number = expr_number(pool, exact);
    fmpq_clear(exact);
    return number;
}

// Rational ones exactly, others (pi/10) as the nearest double.
static void fix_parameters(Making *making)
{
    const Model *model = making->motion->model;
    size_t count = model->params.count;
    Expr *symbols = base_alloc((2 * count + 1) * sizeof *symbols), *values = symbols + count;
    making->fixed = expr_subst_new(making->pool);
    for (size_t i = 0; i < count; i++) {
        symbols[i] = model->params.at[i].symbol;
        values[i] = expr_replace(making->pool, model->params.at[i].value, symbols, values, i);
        if (!expr_is_number(making->pool, values[i]))
            values[i] = nearest(making->pool, making->numbers->inputs[i]);
        expr_subst_set(making->fixed, symbols[i], values[i]);
    }
    base_free(symbols);
}

// ---- Velocities.

// Row i of [b; Y], its rest, and what it comes to for q'' = 0 when differentiated.
typedef struct {
    Expr rest, drift;
} RowEnd;

static RowEnd make_row(Making *making, size_t i, Expr *row)
{
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, m = motion->m;
    RowEnd end = {expr_int(pool, 0), expr_int(pool, 0)};
    if (i >= m && !making->numbers->own_speeds) {
        for (size_t j = 0; j < n; j++)
            row[j] = expr_int(pool, j == making->numbers->chosen[i - m]);
        return end;
    }
    const Expr *from = i < m ? motion->rows[i].b : motion->state.speeds[i - m].y;
    for (size_t j = 0; j < n; j++)
        row[j] = making_name(making, fixed(making, from[j]));
    end.rest = i < m ? motion->rows[i].c : motion->state.speeds[i - m].y0;
    end.drift = i < m ? motion->rows[i].gamma
                      : expr_rate(motion->dt_still, motion->state.speeds[i - m].value);
    end.rest = expr_neg(pool, fixed(making, end.rest));
    end.drift = expr_neg(pool, fixed(making, end.drift));
    return end;
}

// The entries at the present state, velocities in units of their scale.
static double *row_values(const Making *making)
{
    const Numbers *numbers = making->numbers;
    size_t n = making->n, m = numbers->m;
    double *values = base_alloc((n * n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool unit = i >= m && !numbers->own_speeds;
            double entry = unit ? j == numbers->chosen[i - m] : numbers->velocities.out[i * n + j];
            values[i * n + j] = entry * numbers->scale[j];
        }
    return values;
}

static Expr speed_symbol(const Making *making, size_t alpha)
{
    const Numbers *numbers = making->numbers;
    return numbers->own_speeds ? making->motion->state.speeds[alpha].u
                               : making->motion->v[numbers->chosen[alpha]];
}

// Column alpha of B; the last one is C.
static void solve_columns(Making *making, const Elimination *elimination, const RowEnd *ends)
{
    size_t n = making->n, k = making->k, m = n - k;
    Expr *right = base_alloc((2 * n + 1) * sizeof *right), *x = right + n;
    for (size_t alpha = 0; alpha <= k; alpha++) {
        for (size_t i = 0; i < n; i++)
            right[i] = alpha == k ? ends[i].rest : expr_int(making->pool, i == m + alpha);
        elimination_solve(elimination, making, right, x);
        for (size_t nu = 0; nu < n; nu++)
            *(alpha == k ? &making->C[nu] : &making->B[nu * k + alpha]) = x[nu];
    }
    base_free(right);
}

// q' as definitions of its symbols, where they are not the speeds themselves.
static void define_velocities(Making *making)
{
    size_t n = making->n, k = making->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] =
                expr_mul(making->pool, making->B[nu * k + alpha], speed_symbol(making, alpha));
        terms[k] = making->C[nu];
        Expr velocity = expr_sum(making->pool, terms, k + 1);
        if (!expr_same(velocity, making->motion->v[nu]))
            define(making, making->motion->v[nu], velocity);
    }
    base_free(terms);
}

// q'' for u' = 0.
static void define_drift(Making *making, const Elimination *elimination, const RowEnd *ends)
{
    size_t n = making->n;
    Expr *right = base_alloc((2 * n + 1) * sizeof *right), *x = right + n;
    for (size_t i = 0; i < n; i++)
        right[i] = ends[i].drift;
    elimination_solve(elimination, making, right, x);
    for (size_t nu = 0; nu < n; nu++)
        define(making, making->motion->a[nu], x[nu]);
    base_free(right);
}

static bool make_velocities(Making *making)
{
    size_t n = making->n;
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    RowEnd *ends = base_alloc((n + 1) * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[i] = make_row(making, i, matrix + i * n);
    double *values = row_values(making);
    Elimination elimination;
    bool solved = elimination_init(&elimination, making, matrix, values);
    if (solved) {
        solve_columns(making, &elimination, ends);
        define_velocities(making);
        define_drift(making, &elimination, ends);
    }
    elimination_clear(&elimination);
    base_free(values);
    base_free(ends);
    base_free(matrix);
    return solved;
}

// ---- Kane's equations.

typedef struct {
    Making *making;
    ExprRates **along;        // k: forward along the columns of B, of velocities
    ExprRates **along_a;      // and of accelerations
    Expr *partials, *momenta; // k each, of the component in hand
} Kane;

static void add_to(Making *making, Expr *sum, Expr a, Expr b)
{
    *sum = expr_add(making->pool, *sum, expr_mul(making->pool, a, b));
}

// Adds factor_α·(∂`momentum`/∂u_β) to the matrix and −factor_α·inertia to the right side.
static void add_products(Kane *kane, const Expr *factors, Expr inertia)
{
    Making *making = kane->making;
    size_t k = making->k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        if (expr_is_zero(making->pool, factors[alpha]))
            continue;
        for (size_t beta = 0; beta <= alpha; beta++)
            add_to(making, &making->matrix[alpha * k + beta], factors[alpha], kane->momenta[beta]);
        add_to(making, &making->right[alpha], factors[alpha], expr_neg(making->pool, inertia));
    }
}

// One component of a velocity, of its momentum, and of what its inertia takes for u' = 0.
static void add_component(Kane *kane, Expr velocity, Expr momentum, Expr inertia)
{
    Making *making = kane->making;
    velocity = fixed(making, velocity);
    momentum = fixed(making, momentum);
    inertia = making_name(making, fixed(making, inertia));
    for (size_t alpha = 0; alpha < making->k; alpha++) {
        kane->partials[alpha] = making_name(making, expr_rate(kane->along[alpha], velocity));
        kane->momenta[alpha] = making_name(making, expr_rate(kane->along[alpha], momentum));
    }
    add_products(kane, kane->partials, inertia);
}

static void add_vectors(Kane *kane, Vec velocity, Vec momentum, Vec inertia)
{
    add_component(kane, velocity.x, momentum.x, inertia.x);
    add_component(kane, velocity.y, momentum.y, inertia.y);
    add_component(kane, velocity.z, momentum.z, inertia.z);
}

static Vec times(ExprPool *pool, Expr factor, Vec v)
{
    return (Vec){expr_mul(pool, factor, v.x), expr_mul(pool, factor, v.y),
                 expr_mul(pool, factor, v.z)};
}

static void add_particle(Kane *kane, Expr mass, Vector position)
{
    Vectors *vectors = kane->making->motion->model->vectors;
    ExprPool *pool = kane->making->pool;
    Vector velocity = vector_rate(vectors, position);
    Vector acceleration = vector_rate(vectors, velocity);
    Frame frame =
        frame_join(vectors, vector_home(vectors, velocity), vector_home(vectors, acceleration));
    Vec v = vector_in(vectors, velocity, frame);
    add_vectors(kane, v, times(pool, mass, v),
                times(pool, mass, vector_in(vectors, acceleration, frame)));
}

static void add_bodies(Kane *kane)
{
    Motion *motion = kane->making->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        add_particle(kane, model->masses.at[i].mass, model->masses.at[i].position);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!expr_is_zero(model->pool, body->mass))
            add_particle(kane, body->mass, body->position);
        if (body->has_inertia) {
            Vec omega, couple;
            motion_spin(motion, body, &omega, &couple);
            add_vectors(kane, omega, motion_inertia_times(motion, body, omega), couple);
        }
    }
}

// d/dt ∂E/∂q'_ν − ∂E/∂q_ν, and what `acceleration_energy` gives, on the virtual velocities.
static void add_energy(Kane *kane, Expr energy)
{
    Making *making = kane->making;
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, k = making->k;
    Expr *momenta = base_alloc((2 * n + 1) * sizeof *momenta), *slopes = momenta + n;
    expr_gradient(pool, energy, motion->v, n, momenta);
    expr_gradient(pool, energy, motion->q, n, slopes);
    for (size_t nu = 0; nu < n; nu++) {
        Expr parts[] = {expr_rate(motion->dt, momenta[nu]), expr_neg(pool, slopes[nu]),
                        motion->dS_da[nu]};
        Expr inertia = making_name(making, fixed(making, expr_sum(pool, parts, 3)));
        Expr momentum = fixed(making, momenta[nu]), given = fixed(making, motion->dS_da[nu]);
        for (size_t beta = 0; beta < k; beta++)
            kane->momenta[beta] =
                making_name(making, expr_add(pool, expr_rate(kane->along[beta], momentum),
                                             expr_rate(kane->along_a[beta], given)));
        add_products(kane, making->B + nu * k, inertia);
    }
    base_free(momenta);
}

static void add_forces(Making *making)
{
    size_t k = making->k;
    for (size_t nu = 0; nu < making->n; nu++) {
        Expr force = making_name(making, fixed(making, making->motion->K[nu]));
        for (size_t alpha = 0; alpha < k; alpha++)
            add_to(making, &making->right[alpha], making->B[nu * k + alpha], force);
    }
}

static void make_equations(Making *making)
{
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, k = making->k;
    Kane kane = {.making = making};
    kane.along = base_alloc((2 * k + 1) * sizeof(ExprRates *));
    kane.along_a = kane.along + k;
    kane.partials = base_alloc((2 * k + 1) * sizeof(Expr));
    kane.momenta = kane.partials + k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        kane.along[alpha] = expr_rates_new(pool);
        kane.along_a[alpha] = expr_rates_new(pool);
        for (size_t nu = 0; nu < n; nu++) {
            expr_rates_set(kane.along[alpha], motion->v[nu], making->B[nu * k + alpha]);
            expr_rates_set(kane.along_a[alpha], motion->a[nu], making->B[nu * k + alpha]);
        }
    }
    add_bodies(&kane);
    add_energy(&kane, expr_add(pool, motion->model->kinetic, motion->model->lagrangian));
    add_forces(making);
    for (size_t alpha = 0; alpha < k; alpha++)
        for (size_t beta = 0; beta < alpha; beta++)
            making->matrix[beta * k + alpha] = making->matrix[alpha * k + beta];
    for (size_t alpha = 0; alpha < 2 * k; alpha++)
        expr_rates_free(kane.along[alpha]);
    base_free(kane.along);
    base_free(kane.partials);
}

// ---- The program.

static Program *lower(Making *making, const Expr *outputs, size_t count)
{
    const Motion *motion = making->motion;
    size_t n = making->n, k = making->k;
    Expr *inputs = base_alloc((1 + n + k) * sizeof *inputs);
    inputs[0] = motion->model->t;
    for (size_t nu = 0; nu < n; nu++)
        inputs[1 + nu] = motion->q[nu];
    for (size_t alpha = 0; alpha < k; alpha++)
        inputs[1 + n + alpha] = speed_symbol(making, alpha);
    Program *program = program_new_defined(making->pool, inputs, 1 + n + k, making->definitions.at,
                                           making->definitions.count, outputs, count, NULL);
    base_free(inputs);
    if (!program)
        return NULL;
    Program *folded = program_folded(program);
    program_free(program);
    return folded;
}

// u', or the equations for it.
static size_t push_accelerations(Making *making, size_t unsolved, Expr *outputs)
{
    size_t k = making->k;
    if (!unsolved) {
        making_solve_symmetric(making, making->matrix, making->right, k, outputs);
        return k;
    }
    memcpy(outputs, making->matrix, k * k * sizeof *outputs);
    memcpy(outputs + k * k, making->right, k * sizeof *outputs);
    return k * k + k;
}

static bool finish(Making *making, Rates *rates)
{
    size_t n = making->n, k = making->k;
    Expr *outputs = base_alloc((n + k * k + k + 1) * sizeof *outputs);
    memcpy(outputs, making->motion->v, n * sizeof *outputs);
    size_t count = n + push_accelerations(making, rates->unsolved, outputs + n);
    rates->program = lower(making, outputs, count);
    base_free(outputs);
    if (!rates->program)
        return false;
    rates->watch.program = lower(making, making->watched.at, making->watched.count);
    rates->watch.out = base_alloc((making->watched.count + 1) * sizeof(double));
    rates->watch.work = base_alloc((program_registers(rates->watch.program) + 1) * sizeof(double));
    return true;
}

static void making_init(Making *making, Numbers *numbers, Motion *motion)
{
    size_t n = motion->n, k = motion->k;
    *making = (Making){.motion = motion, .numbers = numbers, .pool = motion->pool, .n = n, .k = k};
    making->B = base_alloc((n * k + 1) * sizeof(Expr));
    making->C = base_alloc((n + 1) * sizeof(Expr));
    making->matrix = base_alloc((k * k + 1) * sizeof(Expr));
    making->right = base_alloc((k + 1) * sizeof(Expr));
    for (size_t i = 0; i < k * k; i++)
        making->matrix[i] = expr_int(making->pool, 0);
    for (size_t i = 0; i < k; i++)
        making->right[i] = expr_int(making->pool, 0);
    fix_parameters(making);
}

static void making_clear(Making *making)
{
    expr_subst_free(making->fixed);
    array_clear(&making->definitions);
    array_clear(&making->watched);
    base_free(making->B);
    base_free(making->C);
    base_free(making->matrix);
    base_free(making->right);
}

static bool make(Rates *rates, Numbers *numbers, Motion *motion, size_t unsolved)
{
    Making making;
    making_init(&making, numbers, motion);
    *rates = (Rates){.n = motion->n, .k = motion->k, .unsolved = unsolved};
    bool made = make_velocities(&making);
    if (made) {
        make_equations(&making);
        made = finish(&making, rates);
    }
    making_clear(&making);
    return made;
}

// The inputs of the present state.
static double least_pivot_now(Rates *rates, const Numbers *numbers)
{
    double *inputs = base_alloc((1 + rates->n + rates->k) * sizeof *inputs);
    inputs[0] = *numbers->t;
    memcpy(inputs + 1, numbers->q, rates->n * sizeof *inputs);
    numbers_speeds(numbers, inputs + 1 + rates->n);
    double least = rates_least_pivot(rates, inputs);
    base_free(inputs);
    return least;
}

bool rates_init(Rates *rates, Numbers *numbers, Motion *motion)
{
    size_t k = motion->k;
    if (!make(rates, numbers, motion, k > MOST_UNROLLED ? k : 0))
        return false;
    // An inertia that is not positive (it may come from a Lagrangian) wants other pivots.
    if (rates->unsolved == 0 && !(least_pivot_now(rates, numbers) > POOR_PIVOT)) {
        rates_clear(rates);
        return make(rates, numbers, motion, k);
    }
    return true;
}

void rates_clear(Rates *rates)
{
    program_free(rates->program);
    lowered_clear(&rates->watch);
    *rates = (Rates){0};
}

double rates_least_pivot(Rates *rates, const double *inputs)
{
    double least = 1;
    lowered_run(&rates->watch, inputs);
    for (size_t i = 0; i < program_outputs(rates->watch.program); i += 2) {
        double part = rates->watch.out[i] / rates->watch.out[i + 1];
        if (!(part >= least))
            least = isfinite(part) ? part : -INFINITY;
    }
    return least;
}
