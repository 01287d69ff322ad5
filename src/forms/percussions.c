// percussions.c: what a form says of a given impulse (Appell 23).
//
// A percussion is the limit of a force that grows while its duration shrinks. Integrated over it,
// an equation of motion keeps what holds accelerations, which become jumps of velocities, and the
// force, which becomes the impulse; everything else is finite and drops out:
//
//     Δ(∂T⁺/∂q'_α) = I_α + Σ_i a_iα I_{k+i}              and so in every form
//
// The form is derived once more with the force ι·I beside the others: an equation E of it, affine
// in the accelerations, gives Σ (∂E/∂q'')·Δq' + ∂E/∂ι = 0. Reactions become impulses Λ.
//
// Where an inertia or a row holds velocities, it turns while they change. Then the same equations
// hold between differentials along the shock, 𝓜 dq' = I ds + Σ b dΛ, s from 0 to 1.
#include "forms/steps_impl.h"

#include <string.h>

enum { MOST_SOLVED = 16 }; // unknowns

typedef struct {
    Motion *motion;
    Form *struck; // the form with ι·I among its forces
    Form *form;   // what it says of the percussion
    Expr *I;      // n
    Expr share;   // ι
    size_t rates, count;
    Expr *unknowns;  // count: accelerations or what stands for them, then multipliers; then ι
    Expr *jumps;     // what they become; 1 or ds for ι
    Expr *equations; // of each equation the coefficients of the unknowns and of ι
    bool turns;      // velocities stand before jumps
} Percussion;

// ---- Unknowns.

static void push_unknown(Percussion *hit, Expr symbol)
{
    hit->unknowns[hit->count++] = symbol;
}

static void find_unknowns(Percussion *hit)
{
    const Motion *motion = hit->motion;
    const Form *form = hit->struck;
    size_t most = motion->n + form->equations.count + motion->in_force_count + 1;
    hit->unknowns = arena_alloc(form->arena, most * sizeof *hit->unknowns);
    bool canonical = form->kind == FORM_CANONICAL;
    for (size_t i = 0; i < motion->k; i++)
        if (canonical || form->in_speeds)
            push_unknown(hit,
                         canonical ? form->equations.at[i].left : motion->state.speeds[i].rate);
    for (size_t i = 0; i < motion->n && !canonical && !form->in_speeds; i++)
        push_unknown(hit, motion->a[i]);
    hit->rates = hit->count;
    for (size_t i = 0; i < motion->m && form->multipliers; i++)
        push_unknown(hit, motion->rows[i].constraint->lambda);
    for (size_t i = 0; i < motion->second_count && form->eliminated == 0; i++)
        push_unknown(hit, motion->seconds[i].row.constraint->lambda);
    hit->unknowns[hit->count] = hit->share;
}

// x'' is the rate of x', whose jump is Delta.x'; lambda.edge becomes Lambda.edge.
static void name_jumps(Percussion *hit)
{
    static const size_t lambda = sizeof "lambda." - 1;
    ExprPool *pool = hit->motion->pool;
    hit->jumps = arena_alloc(hit->struck->arena, (hit->count + 1) * sizeof *hit->jumps);
    for (size_t i = 0; i < hit->count; i++) {
        const char *name = expr_name(pool, hit->unknowns[i]);
        Text text = {0};
        if (i < hit->rates) {
            text_add(&text, hit->turns ? "d." : "Delta.");
            text_add_str(&text, (Str){name, strlen(name) - 1});
        } else {
            text_addf(&text, "%sLambda.%s", hit->turns ? "d." : "", name + lambda);
        }
        hit->jumps[i] = expr_symbol(pool, text.at);
        text_clear(&text);
    }
    hit->jumps[hit->count] = hit->turns ? expr_symbol(pool, "ds") : expr_int(pool, 1);
}

// ---- Coefficients.

// Those of the unknowns and of ι in an expression. False where it is not affine in them, or that
// cannot be shown.
static bool coefficients_of(const Percussion *hit, Expr e, Expr *coefficients)
{
    ExprPool *pool = hit->motion->pool;
    size_t count = hit->count + 1;
    Expr *zeros = base_alloc(count * sizeof *zeros);
    for (size_t i = 0; i < count; i++)
        zeros[i] = expr_int(pool, 0);
    expr_gradient(pool, e, hit->unknowns, count, coefficients);
    bool affine = true;
    for (size_t i = 0; i < count; i++) {
        Expr constant = expr_replace(pool, coefficients[i], hit->unknowns, zeros, count);
        if (!expr_same(constant, coefficients[i])) {
            Expr apart = expr_sub(pool, constant, coefficients[i]);
            Verdict verdict = algebra_is_zero(hit->motion->algebra, apart);
            affine = affine && verdict.answer == ANSWER_YES;
            verdict_clear(&verdict);
        }
        coefficients[i] = constant;
    }
    base_free(zeros);
    return affine;
}

static bool holds_velocities(const Motion *motion, Expr e)
{
    bool held = expr_holds_any(motion->pool, e, motion->v, motion->n);
    for (size_t i = 0; i < motion->k; i++)
        held = held || expr_holds(motion->pool, e, motion->state.speeds[i].u);
    return held;
}

static bool find_coefficients(Percussion *hit)
{
    const Form *struck = hit->struck;
    size_t count = struck->equations.count, width = hit->count + 1;
    bool affine = true;
    hit->equations = arena_alloc(struck->arena, (count * width + 1) * sizeof(Expr));
    for (size_t i = 0; i < count; i++) {
        const FormEquation *equation = &struck->equations.at[i];
        Expr *row = hit->equations + i * width;
        affine = coefficients_of(hit, expr_sub(hit->motion->pool, equation->left, equation->right),
                                 row) &&
                 affine;
        for (size_t j = 0; j < hit->count; j++)
            hit->turns = hit->turns || holds_velocities(hit->motion, row[j]);
    }
    return affine;
}

// ---- What a form says.

// Σ (∂E/∂q'')·Δq' = −∂E/∂ι − Σ (∂E/∂λ)·Λ.
static void add_equations(Percussion *hit)
{
    ExprPool *pool = hit->motion->pool;
    for (size_t i = 0; i < hit->struck->equations.count; i++) {
        const Expr *row = hit->equations + i * (hit->count + 1);
        Expr sides[2] = {expr_int(pool, 0), expr_int(pool, 0)};
        for (size_t j = 0; j <= hit->count; j++) {
            bool right = j >= hit->rates;
            Expr term = expr_mul(pool, row[j], hit->jumps[j]);
            sides[right] = (right ? expr_sub : expr_add)(pool, sides[right], term);
        }
        form_add_equation(hit->form, hit->struck->equations.at[i].label, sides[0], sides[1]);
    }
}

// The part of a function that is quadratic in accelerations and ι together, in jumps.
static Expr quadratic_part(const Percussion *hit, Expr function)
{
    ExprPool *pool = hit->motion->pool;
    size_t width = hit->count + 1;
    Expr *slopes = base_alloc(2 * width * sizeof *slopes), *second = slopes + width;
    Expr sum = expr_int(pool, 0), half = expr_ratio(pool, 1, 2);
    expr_gradient(pool, function, hit->unknowns, width, slopes);
    for (size_t i = 0; i < hit->rates; i++) {
        coefficients_of(hit, slopes[i], second);
        for (size_t j = 0; j < width; j++) {
            Expr both = expr_mul(pool, second[j], expr_mul(pool, hit->jumps[i], hit->jumps[j]));
            bool twice = j < hit->count; // as (i, j) and as (j, i)
            sum = expr_add(pool, sum, twice ? expr_mul(pool, half, both) : both);
        }
    }
    base_free(slopes);
    return sum;
}

// Whether it is a function of the form's accelerations, and of no others.
static bool is_of_rates(const Percussion *hit, Expr function)
{
    const Motion *motion = hit->motion;
    bool own = expr_holds_any(motion->pool, function, hit->unknowns, hit->rates);
    for (size_t nu = 0; nu < motion->n && own; nu++) {
        bool unknown = !expr_holds(motion->pool, function, motion->a[nu]);
        for (size_t i = 0; i < hit->rates; i++)
            unknown = unknown || expr_same(hit->unknowns[i], motion->a[nu]);
        own = unknown;
    }
    return own;
}

// S_Δ and Z_Δ: what S and Gauss's Z are for jumps.
static void add_functions(Percussion *hit)
{
    for (size_t i = 0; i < hit->struck->functions.count; i++) {
        const FormFunction *function = &hit->struck->functions.at[i];
        if (hit->turns || !is_of_rates(hit, function->value))
            continue;
        Text name = {0};
        text_addf(&name, "%s_Delta", function->name);
        form_add_function(hit->form, name.at, quadratic_part(hit, function->value));
        text_clear(&name);
    }
}

// One set of equations, and the conditions where these do not hold by themselves, solved.
static void solve_jumps(Percussion *hit)
{
    Motion *motion = hit->motion;
    const Form *struck = hit->struck;
    size_t own = struck->equations.count / struck->sets, size = hit->count;
    size_t rows = struck->in_speeds ? 0 : motion->m;
    if (struck->kind == FORM_CANONICAL || size != own + rows || size > MOST_SOLVED)
        return;
    Expr *matrix = base_alloc((size * size + 2 * size + 1) * sizeof *matrix);
    Expr *right = matrix + size * size, *solution = right + size, zero = expr_int(motion->pool, 0);
    for (size_t i = 0; i < size; i++) {
        const Expr *row = i < own ? hit->equations + i * (size + 1) : motion->rows[i - own].b;
        for (size_t j = 0; j < size; j++)
            matrix[i * size + j] = i < own || j < motion->n ? row[j] : zero;
        right[i] = i < own ? expr_neg(motion->pool, row[size]) : zero;
    }
    if (algebra_solve(motion->algebra, matrix, right, size, 1, solution))
        for (size_t j = 0; j < size; j++) {
            Expr value = expr_mul(motion->pool, solution[j], hit->jumps[size]);
            FormFunction jump = {expr_name(motion->pool, hit->jumps[j]), value};
            array_push(&hit->form->jumps, jump);
        }
    base_free(matrix);
}

// ---- Steps.

static FormStepKind rule_of(FormKind kind)
{
    switch (kind) {
    case FORM_MULTIPLIERS: return STEP_PERCUSSION_MULTIPLIERS;
    case FORM_GAUSS: return STEP_PERCUSSION_GAUSS;
    case FORM_APPELL:
    case FORM_KANE: return STEP_PERCUSSION_APPELL;
    case FORM_MAGGI: return STEP_PERCUSSION_MAGGI;
    case FORM_KORTEWEG: return STEP_PERCUSSION_KORTEWEG;
    case FORM_CANONICAL: return STEP_PERCUSSION_CANONICAL;
    case FORM_LAGRANGE:
    case FORM_TZENOFF:
    case FORM_VORONETS: return STEP_PERCUSSION_LAGRANGE;
    default: return STEP_PERCUSSION_HAMEL;
    }
}

static void record(Percussion *hit)
{
    Form *form = hit->form;
    if (form_begin_step(form, STEP_PERCUSSION_IMPULSES))
        for (size_t nu = 0; nu < hit->motion->n; nu++)
            line_named(form, hit->I[nu], "I_%s", hit->motion->model->coords.at[nu].name);
    if (form->functions.count > 0 && form_begin_step(form, STEP_PERCUSSION_FUNCTIONS))
        for (size_t i = 0; i < form->functions.count; i++)
            form_add_line(form, (FormLine){.of = form->functions.at[i].name,
                                           .value = form->functions.at[i].value});
    step_equations(form, rule_of(form->kind), 0);
    if (form->jumps.count > 0 && form_begin_step(form, STEP_PERCUSSION_JUMPS))
        for (size_t i = 0; i < form->jumps.count; i++)
            form_add_line(
                form, (FormLine){.of = form->jumps.at[i].name, .value = form->jumps.at[i].value});
}

// ---- All of them.

// The impulses of one time together, on every coordinate.
static void sum_impulses(Percussion *hit, Expr when)
{
    Motion *motion = hit->motion;
    const Model *model = motion->model;
    Expr *parts = base_alloc((motion->n + 1) * sizeof *parts);
    for (size_t nu = 0; nu < motion->n; nu++)
        hit->I[nu] = expr_int(motion->pool, 0);
    for (size_t i = 0; i < model->impulses.count; i++) {
        if (!expr_same(model->impulses.at[i].when, when))
            continue;
        motion_percussion(motion, &model->impulses.at[i], parts);
        for (size_t nu = 0; nu < motion->n; nu++)
            hit->I[nu] = expr_add(motion->pool, hit->I[nu], parts[nu]);
    }
    base_free(parts);
}

// The form with ι·I beside its forces.
static Form *derive_struck(Percussion *hit, FormKind kind)
{
    Motion *motion = hit->motion;
    Expr *K = base_alloc((motion->n + 1) * sizeof *K);
    memcpy(K, motion->K, motion->n * sizeof *K);
    for (size_t nu = 0; nu < motion->n; nu++)
        motion->K[nu] =
            expr_add(motion->pool, K[nu], expr_mul(motion->pool, hit->share, hit->I[nu]));
    Form *struck = form_derive_plain(kind, motion, FORM_TO_READ);
    memcpy(motion->K, K, motion->n * sizeof *K);
    base_free(K);
    return struck;
}

static const char *const is_path =
    "an inertia or a condition turns with the velocities: these hold at every moment of the shock, "
    "while s goes from 0 to 1";
static const char *const is_reached =
    "one-sided conditions that the blow drives together take part as in a shock; a run follows it";

// NULL where the equations are not affine in the accelerations.
static Form *percussion_at(Motion *motion, const Form *of, Expr when)
{
    Percussion hit = {.motion = motion, .share = expr_symbol_new(motion->pool, "share")};
    Form *form = hit.form = form_new(of->kind, of->detail);
    form->sets = of->sets;
    form->when = when;
    hit.I = arena_alloc(form->arena, (motion->n + 1) * sizeof *hit.I);
    sum_impulses(&hit, when);
    hit.struck = derive_struck(&hit, of->kind);
    find_unknowns(&hit);
    if (!find_coefficients(&hit)) {
        form_free(hit.struck);
        form_free(form);
        return NULL;
    }
    name_jumps(&hit);
    for (size_t i = 0; i < hit.count; i++)
        array_push(&form->unknowns, hit.jumps[i]);
    add_functions(&hit);
    add_equations(&hit);
    solve_jumps(&hit);
    record(&hit);
    if (hit.turns)
        form_add_note(form, is_path);
    if (motion->side_count > 0)
        form_add_note(form, is_reached);
    form_free(hit.struck);
    return form;
}

static bool is_first(const Model *model, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (expr_same(model->impulses.at[i].when, model->impulses.at[at].when))
            return false;
    return true;
}

void form_add_percussions(Motion *motion, Form *form)
{
    const Model *model = motion->model;
    bool limits = motion_is_affine(motion);
    for (size_t i = 0; i < model->impulses.count && limits; i++) {
        if (!is_first(model, i))
            continue;
        Form *percussion = percussion_at(motion, form, model->impulses.at[i].when);
        limits = percussion != NULL;
        if (percussion)
            array_push(&form->percussions, percussion);
    }
    if (!limits && model->impulses.count > 0)
        form_add_note(form, "the impulses have no equations: the accelerations do not stand in "
                            "those of the motion to the first degree, and no jump follows");
}
