// momenta.c: integrals linear in the velocities.
//
// For a virtual displacement ξ(q, t) that obeys the conditions the reactions do no work, so that
// d/dt Σ p_ν ξ_ν = Σ (∂T/∂q_ν + K_ν) ξ_ν + Σ p_ν ξ'_ν: nothing of the accelerations is left. Where
// this is −dη/dt with a function η(q, t), Σ p_ν ξ_ν + η is constant; and every integral that is
// linear in the velocities is of this kind, for T quadratic. Both the conditions on ξ and the last
// one are linear in ξ and η, so that these are sought as sums of functions with constant
// coefficients: once with components ξ_ν by coordinates, and once by the state's speeds, ξ = B·ζ.
//
// An impulse I changes Σ p_ν ξ_ν by Σ I_ν ξ_ν. That of a one-sided condition is along ∂f/∂q, and so
// is its reaction, and friction along the rows of its sliding. Where T or U jump as sign(s) does,
// the momenta jump along ∂s/∂q.
#include "inquiry/inquiry_impl.h"
#include "model/vectors.h"
#include "motion/frictions.h"

#include <string.h>

enum { HIGHEST_DEGREE = 3, MOST_COLUMNS = 400, MOST_BODIES = 8 };

static void add_gradient(Momenta *momenta, Motion *motion, Expr f)
{
    size_t n = motion->n, count = momenta->impulse_count++;
    momenta->impulses =
        base_realloc(momenta->impulses, ((count + 1) * n + 1) * sizeof *momenta->impulses);
    expr_gradient(motion->pool, f, motion->q, n, momenta->impulses + count * n);
}

static void list_jumps(Momenta *momenta, Motion *motion)
{
    ExprPool *pool = motion->pool;
    Expr energies[] = {motion->T, motion->U};
    ExprList nodes = expr_nodes(pool, energies, 2);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        if (expr_op(pool, node) != EXPR_SIGN)
            continue;
        Expr by = expr_switch_argument(pool, node);
        add_gradient(momenta, motion, by);
        momenta->jumps_move = momenta->jumps_move || expr_holds(pool, by, motion->model->t);
    }
    expr_list_free(&nodes);
}

// All that may strike.
static void list_impulses(Momenta *momenta, Motion *motion)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < motion->side_count; i++)
        add_gradient(momenta, motion, motion->sides[i].position);
    for (size_t i = 0; i < model->impulses.count; i++) {
        add_gradient(momenta, motion, expr_int(motion->pool, 0));
        motion_percussion(motion, &model->impulses.at[i],
                          momenta->impulses + (momenta->impulse_count - 1) * motion->n);
    }
}

// Frictions of which nobody said whether they slide: their forces are along these rows.
static void list_frictions(Momenta *momenta, Motion *motion)
{
    size_t n = motion->n;
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < motion->frictions[i].rows; k++) {
            add_gradient(momenta, motion, expr_int(motion->pool, 0));
            memcpy(momenta->impulses + (momenta->impulse_count - 1) * n,
                   motion->frictions[i].sticks[k].b, n * sizeof *momenta->impulses);
        }
}

void momenta_init(Momenta *momenta, Motion *motion, const Setting *setting, InquirySpan span)
{
    *momenta = (Momenta){.motion = motion, .setting = setting};
    momenta->force = base_alloc((motion->n + 1) * sizeof(Expr));
    momenta->p = base_alloc((motion->n + 1) * sizeof(Expr));
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr parts[] = {motion->dT_dq[nu], motion->K[nu],
                        expr_neg(motion->pool, motion->rest_of_S[nu])};
        momenta->force[nu] = motion_in_speeds(motion, expr_sum(motion->pool, parts, 3));
        momenta->p[nu] = motion_in_speeds(motion, motion->p[nu]);
    }
    if (!expr_is_none(motion->energy))
        list_jumps(momenta, motion);
    if (span == INQUIRY_THROUGH_EVENTS)
        list_impulses(momenta, motion);
    if (!motion->friction_holds)
        list_frictions(momenta, motion);
}

void momenta_clear(Momenta *momenta)
{
    base_free(momenta->force);
    base_free(momenta->p);
    base_free(momenta->impulses);
    *momenta = (Momenta){0};
}

static Expr rate_of(const Momenta *momenta, Expr e)
{
    return motion_rate_along(momenta->motion, &momenta->motion->state, e);
}

Expr momenta_rate(const Momenta *momenta, const Expr *field)
{
    ExprPool *pool = momenta->motion->pool;
    size_t n = momenta->motion->n;
    Expr *terms = base_alloc((2 * n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        terms[2 * nu] = expr_mul(pool, momenta->force[nu], field[nu]);
        terms[2 * nu + 1] = expr_mul(pool, momenta->p[nu], rate_of(momenta, field[nu]));
    }
    Expr rate = expr_sum(pool, terms, 2 * n);
    base_free(terms);
    return rate;
}

// ---- The columns of the linear problem: pairs (displacement, function).

typedef struct {
    const Momenta *momenta;
    Ansatz ansatz;    // functions, without 1
    bool by_speeds;   // displacements are B·ζ, so that they obey the conditions
    size_t parts;     // components of the displacement
    size_t equations; // conditions on it that are not fulfilled by themselves
    size_t rows;      // these, the impulses, and the rate
    size_t columns;   // parts × (functions and 1), then functions alone for η
    Expr *matrix;     // rows × columns
} Problem;

// Function j of the ansatz, 1 coming first.
static Expr function_at(const Problem *problem, size_t j)
{
    return j == 0 ? expr_int(problem->momenta->motion->pool, 1) : problem->ansatz.at[j - 1];
}

// The displacement of one component: a unit vector, or a column of B; times a function.
static void displacement(const Problem *problem, size_t part, Expr factor, Expr *field)
{
    const Motion *motion = problem->momenta->motion;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr unit = problem->by_speeds ? motion->state.B[nu * motion->k + part]
                                       : expr_int(motion->pool, nu == part);
        field[nu] = expr_mul(motion->pool, factor, unit);
    }
}

static Expr at_level(const Problem *problem, Expr e)
{
    return setting_put(problem->momenta->setting, e);
}

// What the displacement has to be at right angles to.
static const Expr *row_across(const Problem *problem, size_t i)
{
    const Momenta *momenta = problem->momenta;
    return i < problem->equations
               ? momenta->motion->rows[i].b
               : momenta->impulses + (i - problem->equations) * momenta->motion->n;
}

static void fill_column(Problem *problem, size_t part, size_t function, size_t column, Expr *field)
{
    Motion *motion = problem->momenta->motion;
    displacement(problem, part, function_at(problem, function), field);
    for (size_t i = 0; i + 1 < problem->rows; i++) {
        Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
        const Expr *across = row_across(problem, i);
        for (size_t nu = 0; nu < motion->n; nu++)
            terms[nu] = expr_mul(motion->pool, across[nu], field[nu]);
        problem->matrix[i * problem->columns + column] =
            at_level(problem, expr_sum(motion->pool, terms, motion->n));
        base_free(terms);
    }
    problem->matrix[(problem->rows - 1) * problem->columns + column] =
        at_level(problem, momenta_rate(problem->momenta, field));
}

static void fill(Problem *problem)
{
    Motion *motion = problem->momenta->motion;
    size_t functions = problem->ansatz.count + 1, filled = 0;
    Expr *field = base_alloc((motion->n + 1) * sizeof *field);
    problem->matrix = base_alloc((problem->rows * problem->columns + 1) * sizeof(Expr));
    // Simple functions first, for all components.
    for (size_t j = 1; j < functions; j++, filled++) {
        for (size_t i = 0; i + 1 < problem->rows; i++)
            problem->matrix[i * problem->columns + filled] = expr_int(motion->pool, 0);
        problem->matrix[(problem->rows - 1) * problem->columns + filled] =
            at_level(problem, rate_of(problem->momenta, function_at(problem, j)));
    }
    for (size_t j = 0; j < functions; j++)
        for (size_t part = 0; part < problem->parts; part++)
            fill_column(problem, part, j, filled++, field);
    base_free(field);
}

// ---- Solutions.

static const char *copied(InquiryIntegrals *integrals, const Text *text)
{
    return arena_copy_text(integrals->arena, text->at, text->length);
}

// The coordinate whose momentum it is: ξ is a unit vector. −1 where it is not.
static ptrdiff_t momentum_of(const Motion *motion, const Expr *field, Expr function)
{
    ptrdiff_t only = -1;
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (expr_is_zero(motion->pool, field[nu]))
            continue;
        if (only >= 0 || !expr_is_one(motion->pool, field[nu]))
            return -1;
        only = (ptrdiff_t)nu;
    }
    return expr_is_zero(motion->pool, function) ? only : -1;
}

static void name_integral(InquiryIntegrals *integrals, const Motion *motion, Expr function,
                          InquiryIntegral *integral)
{
    Text name = {0}, label = {0};
    ptrdiff_t nu = momentum_of(motion, integral->field, function);
    size_t linear = 1;
    for (size_t i = 0; i < integrals->at.count; i++)
        linear += strcmp(integrals->at.at[i].kind, "linear") == 0;
    if (nu >= 0)
        text_addf(&name, "momentum of %s", motion->model->coords.at[nu].name);
    else
        text_addf(&name, "linear %zu", linear);
    if (nu >= 0)
        text_addf(&label, "momentum.%s", motion->model->coords.at[nu].name);
    else
        text_addf(&label, "linear.%zu", linear);
    integral->label = copied(integrals, &label);
    text_clear(&label);
    integral->kind = nu >= 0 ? "momentum" : "linear";
    integral->name = copied(integrals, &name);
    text_clear(&name);
}

// Σ coefficients·columns as a displacement and a function.
static void collect(const Problem *problem, const Expr *coefficients, Expr *field, Expr *function)
{
    Motion *motion = problem->momenta->motion;
    ExprPool *pool = motion->pool;
    size_t functions = problem->ansatz.count + 1, at = 0;
    Expr *unit = base_alloc((motion->n + 1) * sizeof *unit);
    *function = expr_int(pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++)
        field[nu] = expr_int(pool, 0);
    for (size_t j = 1; j < functions; j++, at++)
        *function =
            expr_add(pool, *function, expr_mul(pool, coefficients[at], function_at(problem, j)));
    for (size_t j = 0; j < functions; j++)
        for (size_t part = 0; part < problem->parts; part++, at++) {
            if (expr_is_zero(pool, coefficients[at]))
                continue;
            displacement(problem, part, function_at(problem, j), unit);
            for (size_t nu = 0; nu < motion->n; nu++)
                field[nu] = expr_add(pool, field[nu], expr_mul(pool, coefficients[at], unit[nu]));
        }
    base_free(unit);
}

static void take_solution(const Problem *problem, InquiryIntegrals *integrals,
                          const Expr *coefficients, ProofKind proof)
{
    Motion *motion = problem->momenta->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    InquiryIntegral integral = {.proof = proof,
                                .field = arena_alloc(integrals->arena, (n + 1) * sizeof(Expr))};
    Expr function, *terms = base_alloc((n + 2) * sizeof *terms);
    collect(problem, coefficients, integral.field, &function);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, motion->p[nu], integral.field[nu]);
    terms[n] = function;
    integral.value = expr_sum(pool, terms, n + 1);
    base_free(terms);
    name_integral(integrals, motion, function, &integral);
    integrals_take(integrals, motion, problem->momenta->setting, integral);
}

static void solve(Problem *problem, InquiryIntegrals *integrals)
{
    size_t constant_count;
    Expr *constants = ansatz_constants(problem->momenta->motion, &constant_count);
    AlgebraRelations found;
    algebra_relations(problem->momenta->motion->algebra, problem->matrix, problem->rows,
                      problem->columns, constants, constant_count, &found);
    for (size_t i = 0; i < found.count; i++)
        take_solution(problem, integrals, found.coefficients + i * found.columns, found.proofs[i]);
    integrals->unproved += found.unproved;
    algebra_relations_clear(&found);
    base_free(constants);
}

static void look(Momenta *momenta, InquiryIntegrals *integrals, bool by_speeds,
                 const AnsatzWish *wish)
{
    Motion *motion = momenta->motion;
    Problem problem = {.momenta = momenta, .by_speeds = by_speeds};
    problem.parts = by_speeds ? motion->k : motion->n;
    problem.equations = by_speeds ? 0 : motion->m;
    problem.rows = problem.equations + momenta->impulse_count + 1;
    AnsatzWish bounded = *wish;
    bounded.most = MOST_COLUMNS / (problem.parts + 1);
    ansatz_init(&problem.ansatz, motion, &bounded);
    size_t functions = problem.ansatz.count + 1;
    problem.columns = problem.parts * functions + functions - 1;
    fill(&problem);
    solve(&problem, integrals);
    *(by_speeds ? &integrals->degree_by_speeds : &integrals->degree) = problem.ansatz.degree;
    base_free(problem.matrix);
    ansatz_clear(&problem.ansatz);
}

static Vec body_axis(const Motion *motion, const ModelBody *body, int axis)
{
    Expr unit[3];
    for (int i = 0; i < 3; i++)
        unit[i] = expr_int(motion->pool, i == axis);
    Vectors *vectors = motion->model->vectors;
    Vector along = vector_of(vectors, body->frame, (Vec){unit[0], unit[1], unit[2]});
    return vector_in(vectors, along, (Frame){0});
}

void momenta_find(Momenta *momenta, InquiryIntegrals *integrals)
{
    Motion *motion = momenta->motion;
    ARRAY(Expr) variables = {0}, exprs = {0};
    for (size_t nu = 0; nu < motion->n; nu++) {
        array_push(&variables, motion->q[nu]);
        array_push(&exprs, motion->K[nu]);
        array_push(&exprs, motion->rest_of_S[nu]);
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            array_push(&exprs, motion->state.B[nu * motion->k + alpha]);
    }
    array_push(&exprs, motion->T);
    // Angles that nothing depends on turn the axes of bodies all the same.
    for (size_t i = 0; i < motion->model->bodies.count && i < MOST_BODIES; i++)
        for (int axis = 0; axis < 3; axis++) {
            Vec world = body_axis(motion, &motion->model->bodies.at[i], axis);
            array_push(&exprs, world.x);
            array_push(&exprs, world.y);
        }
    bool rheonomic = false;
    for (size_t nu = 0; nu < motion->n && !rheonomic; nu++)
        rheonomic = expr_holds(motion->pool, momenta->force[nu], motion->model->t) ||
                    expr_holds(motion->pool, motion->state.C[nu], motion->model->t);
    if (rheonomic)
        array_push(&variables, motion->model->t);
    AnsatzWish wish = {.variables = variables.at,
                       .variable_count = variables.count,
                       .exprs = exprs.at,
                       .expr_count = exprs.count,
                       .degree = HIGHEST_DEGREE,
                       .setting = momenta->setting};
    look(momenta, integrals, false, &wish);
    look(momenta, integrals, true, &wish);
    array_clear(&variables);
    array_clear(&exprs);
}

// ---- For the eye.

// c with c·functions = e where the finite conditions hold, as a sum; none where there is none.
static Expr as_sum(Motion *motion, const Setting *setting, const Ansatz *ansatz, Expr e)
{
    ExprPool *pool = motion->pool;
    size_t count = ansatz->count + 1, constant_count;
    Expr *row = base_alloc((count + 1) * sizeof *row), sum = {0};
    Expr *constants = ansatz_constants(motion, &constant_count);
    row[0] = expr_int(pool, 1);
    for (size_t j = 1; j < count; j++)
        row[j] = setting_put(setting, ansatz->at[j - 1]);
    row[count] = setting_put(setting, e);
    AlgebraRelations found;
    algebra_relations(motion->algebra, row, 1, count + 1, constants, constant_count, &found);
    if (found.count == 1 && expr_is_one(pool, found.coefficients[count])) {
        for (size_t j = 0; j < count; j++)
            row[j] = expr_neg(pool, expr_mul(pool, found.coefficients[j],
                                             j ? ansatz->at[j - 1] : expr_int(pool, 1)));
        sum = expr_sum(pool, row, count);
    }
    algebra_relations_clear(&found);
    base_free(constants);
    base_free(row);
    return sum;
}

Expr momenta_polynomial(Motion *motion, const Setting *setting, Expr reduced)
{
    enum { DEGREE = 2, MOST = 120 };
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *parts = base_alloc((3 * k + 2) * sizeof *parts);
    Expr *speeds = parts + k + 1, *zeros = speeds + k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        speeds[alpha] = motion->state.speeds[alpha].u;
        zeros[alpha] = expr_int(pool, 0);
    }
    expr_gradient(pool, reduced, speeds, k, parts);
    parts[k] = reduced;
    Ansatz ansatz;
    ansatz_init(&ansatz, motion,
                &(AnsatzWish){.variables = motion->q,
                              .variable_count = motion->n,
                              .exprs = &reduced,
                              .expr_count = 1,
                              .degree = DEGREE,
                              .most = MOST,
                              .setting = setting});
    bool found = true;
    for (size_t alpha = 0; alpha <= k && found; alpha++) {
        Expr part = expr_replace(pool, parts[alpha], speeds, zeros, k);
        parts[alpha] = as_sum(motion, setting, &ansatz, part);
        found = !expr_is_none(parts[alpha]);
        if (found && alpha < k)
            parts[alpha] = expr_mul(pool, parts[alpha], speeds[alpha]);
    }
    Expr polynomial = found ? expr_sum(pool, parts, k + 1) : reduced;
    ansatz_clear(&ansatz);
    base_free(parts);
    return polynomial;
}
