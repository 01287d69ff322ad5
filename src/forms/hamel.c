// hamel.c: Hamel's equations in quasi-velocities (Hamel (II) of no. 235).
//
// All n speeds ω_μ = Σ b_μν q'_ν + c_μ: the first m are the conditions, the others the state's.
// q'_ν = Σ B_νμ ω_μ + C_ν; P_μ = ∂𝐓/∂ω_μ with 𝐓 in all ω, the conditions put in afterwards:
//
//     dP_μ/dt + Σ_ρτ β_ρ^{τμ} P_ρ ω_τ − Σ_ν (∂𝐓/∂q_ν) B_νμ = Σ_ν K_ν B_νμ,  μ = m+1…n
//     β_ρ^{τμ} = Σ_νσ (∂b_ρν/∂q_σ − ∂b_ρσ/∂q_ν) B_στ B_νμ
//
// Rheonomic systems: index 0 is time, q₀ = t, ω₀ = 1, b_ρ0 = c_ρ, B_ν0 = C_ν, B_00 = 1; σ, ν and
// τ run over it too.
#include "forms/steps_impl.h"

// The symbols of as many speeds fill some hundred megabytes.
enum { MOST_COORDINATES = 400 };

typedef struct {
    Motion *motion;
    Expr *omega;           // n symbols: of the conditions, then of the state
    Expr *B;               // n × n
    Expr *C;               // n
    Expr *P;               // n, reduced
    Expr *slope;           // ∂𝐓/∂q_ν with ω fixed, reduced, n
    ExprSubst *to_omega;   // q' in all ω
    ARRAY(size_t) symbols; // the functions of the form that are symbols
    Expr *beta; // β_ρ^{τμ} for τ < μ, (n × (n+1)) × (n+1); none where nobody needs it, or where
                // all of ρ vanish
} Hamel;

// Up to here the table of all symbols is shown; above, only those that the equations need.
enum { MOST_SHOWN_SPEEDS = 6 };

// b_ρν, ν = 0 being c_ρ.
static Expr coefficient(const Hamel *hamel, size_t rho, size_t nu)
{
    const Motion *motion = hamel->motion;
    if (rho < motion->m)
        return nu ? motion->rows[rho].b[nu - 1] : motion->rows[rho].c;
    const MotionSpeed *speed = &motion->state.speeds[rho - motion->m];
    return nu ? speed->y[nu - 1] : speed->y0;
}

// B_ντ for ν = 0…n and τ = 0…n.
static Expr inverse(const Hamel *hamel, size_t nu, size_t tau)
{
    size_t n = hamel->motion->n;
    if (nu == 0)
        return expr_int(hamel->motion->pool, tau == 0);
    return tau ? hamel->B[(nu - 1) * n + tau - 1] : hamel->C[nu - 1];
}

static Expr coordinate(const Hamel *hamel, size_t nu)
{
    return nu ? hamel->motion->q[nu - 1] : hamel->motion->model->t;
}

// The state's columns of B, and C, are the motion's own; those of the conditions are solved for.
static bool solve_all(Hamel *hamel)
{
    Motion *motion = hamel->motion;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *solution = base_alloc((n * m + 1) * sizeof *solution);
    bool solved = conditions_across(motion, solution);
    for (size_t i = 0; i < n && solved; i++) {
        for (size_t j = 0; j < m; j++)
            hamel->B[i * n + j] = solution[i * m + j];
        for (size_t j = 0; j < k; j++)
            hamel->B[i * n + m + j] = motion->state.B[i * k + j];
        hamel->C[i] = motion->state.C[i];
    }
    base_free(solution);
    return solved;
}

static void make_symbols(Hamel *hamel)
{
    Motion *motion = hamel->motion;
    for (size_t mu = 0; mu < motion->n; mu++) {
        if (mu >= motion->m) {
            hamel->omega[mu] = motion->state.speeds[mu - motion->m].u;
            continue;
        }
        Text name = {0};
        text_addf(&name, "omega.%s", motion->rows[mu].constraint->name);
        hamel->omega[mu] = expr_symbol(motion->pool, name.at);
        text_clear(&name);
    }
}

// 𝐓 in all ω, its momenta and slopes; then the conditions, ω_1 … ω_m = 0.
static Expr make_momenta(Hamel *hamel)
{
    Motion *motion = hamel->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    ExprSubst *to_omega = hamel->to_omega = expr_subst_new(pool);
    ExprSubst *conditions = expr_subst_new(pool);
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++)
            terms[mu] = expr_mul(pool, hamel->B[nu * n + mu], hamel->omega[mu]);
        terms[n] = hamel->C[nu];
        expr_subst_set(to_omega, motion->v[nu], expr_sum(pool, terms, n + 1));
    }
    for (size_t mu = 0; mu < motion->m; mu++)
        expr_subst_set(conditions, hamel->omega[mu], expr_int(pool, 0));
    Expr T = expr_subst(to_omega, motion->T);
    expr_gradient(pool, T, hamel->omega, n, hamel->P);
    expr_gradient(pool, T, motion->q, n, hamel->slope);
    for (size_t i = 0; i < n; i++) {
        hamel->P[i] = expr_subst(conditions, hamel->P[i]);
        hamel->slope[i] = expr_subst(conditions, hamel->slope[i]);
    }
    expr_subst_free(conditions);
    base_free(terms);
    return T;
}

// ∂b_ρν/∂q_σ − ∂b_ρσ/∂q_ν for σ < ν, where it is not 0.
typedef struct {
    size_t nu, sigma;
    Expr value;
} Curl;
typedef ARRAY(Curl) Curls;

static void find_curls(const Hamel *hamel, size_t rho, Curls *curls)
{
    ExprPool *pool = hamel->motion->pool;
    size_t n = hamel->motion->n;
    Expr *q = base_alloc((n + 1) * sizeof *q);
    Expr *slopes = base_alloc((n + 1) * (n + 1) * sizeof *slopes);
    bool curved = false;
    for (size_t nu = 0; nu <= n; nu++)
        q[nu] = coordinate(hamel, nu);
    for (size_t nu = 0; nu <= n; nu++) {
        expr_gradient(pool, coefficient(hamel, rho, nu), q, n + 1, &slopes[nu * (n + 1)]);
        curved = curved || !expr_is_number(pool, coefficient(hamel, rho, nu));
    }
    curls->count = 0;
    for (size_t nu = 0; nu <= n && curved; nu++)
        for (size_t sigma = 0; sigma < nu; sigma++) {
            Expr curl = expr_sub(pool, slopes[nu * (n + 1) + sigma], slopes[sigma * (n + 1) + nu]);
            if (!expr_is_zero(pool, curl))
                array_push(curls, ((Curl){nu, sigma, curl}));
        }
    base_free(q);
    base_free(slopes);
}

// β_ρ^{τμ}, τ and μ counted with time as 0, from the curls of ρ.
static Expr three_index(const Hamel *hamel, const Curls *curls, size_t tau, size_t mu)
{
    Motion *motion = hamel->motion;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    for (size_t i = 0; i < curls->count; i++) {
        size_t nu = curls->at[i].nu, sigma = curls->at[i].sigma;
        // The pair (ν, σ) and its mirror (σ, ν).
        Expr one = expr_mul(pool, inverse(hamel, sigma, tau), inverse(hamel, nu, mu));
        Expr two = expr_mul(pool, inverse(hamel, nu, tau), inverse(hamel, sigma, mu));
        array_push(&terms, expr_mul(pool, curls->at[i].value, expr_sub(pool, one, two)));
    }
    Expr beta = algebra_simplify(motion->algebra, expr_sum(pool, terms.at, terms.count));
    array_clear(&terms);
    return beta;
}

static Expr *table_entry(const Hamel *hamel, size_t rho, size_t tau, size_t mu)
{
    size_t side = hamel->motion->n + 1;
    return &hamel->beta[(rho * side + tau) * side + mu];
}

// Whether the equations need it: both upper indices are time or speeds of the state.
static bool is_needed(const Hamel *hamel, size_t tau, size_t mu)
{
    size_t m = hamel->motion->m;
    return (tau == 0 || tau > m) && mu > m;
}

// Whether all symbols are worked out; only a reader wants those that the equations do not need.
static bool is_whole(const Hamel *hamel, const Form *form)
{
    return form->detail >= FORM_TO_READ && hamel->motion->n <= MOST_SHOWN_SPEEDS;
}

static void name_symbol(Form *form, size_t rho, size_t tau, size_t mu, Expr beta)
{
    Text name = {0};
    text_addf(&name, "β_%zu^{%zu,%zu}", rho + 1, tau, mu);
    form_add_function(form, name.at, beta);
    text_clear(&name);
}

// Symbols with τ < μ; the others are their negatives.
static void make_table(Hamel *hamel, Form *form)
{
    Motion *motion = hamel->motion;
    size_t n = motion->n;
    Curls curls = {0};
    for (size_t rho = 0; rho < n; rho++) {
        find_curls(hamel, rho, &curls);
        for (size_t tau = 0; tau < n && curls.count > 0; tau++)
            for (size_t mu = tau + 1; mu <= n; mu++) {
                if (!is_whole(hamel, form) && !is_needed(hamel, tau, mu))
                    continue;
                Expr beta = three_index(hamel, &curls, tau, mu);
                *table_entry(hamel, rho, tau, mu) = beta;
                if (expr_is_zero(motion->pool, beta))
                    continue;
                array_push(&hamel->symbols, form->functions.count);
                name_symbol(form, rho, tau, mu, beta);
            }
    }
    array_clear(&curls);
}

// ---- Transition equations (Hamel (13)–(15c) of no. 232), for a reader.

static Expr variation_symbol(const Hamel *hamel, const char *letters, size_t index)
{
    Text name = {0};
    text_addf(&name, "%s_%zu", letters, index);
    Expr symbol = expr_symbol(hamel->motion->pool, name.at);
    text_clear(&name);
    return symbol;
}

// dϑ_τ δϑ_ρ − δϑ_τ dϑ_ρ for τ < ρ; ϑ_0 is time, which is not varied.
static Expr alternation(const Hamel *hamel, size_t tau, size_t rho)
{
    ExprPool *pool = hamel->motion->pool;
    Expr varied = variation_symbol(hamel, "δϑ", rho);
    if (tau == 0)
        return expr_mul(pool, expr_symbol(pool, "dt"), varied);
    Expr first = expr_mul(pool, variation_symbol(hamel, "dϑ", tau), varied);
    return expr_sub(
        pool, first,
        expr_mul(pool, variation_symbol(hamel, "δϑ", tau), variation_symbol(hamel, "dϑ", rho)));
}

// Σ_{τ<ρ} β_μ^{τρ} (dϑ_τ δϑ_ρ − δϑ_τ dϑ_ρ), μ counted from 0.
static Expr commutator(const Hamel *hamel, size_t mu)
{
    ExprPool *pool = hamel->motion->pool;
    size_t n = hamel->motion->n;
    ARRAY(Expr) terms = {0};
    for (size_t tau = 0; tau < n; tau++)
        for (size_t rho = tau + 1; rho <= n; rho++) {
            Expr beta = *table_entry(hamel, mu, tau, rho);
            if (!expr_is_none(beta) && !expr_is_zero(pool, beta))
                array_push(&terms, expr_mul(pool, beta, alternation(hamel, tau, rho)));
        }
    Expr sum = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return sum;
}

static Expr coordinate_commutator(const Hamel *hamel, size_t nu)
{
    Text name = {0};
    text_addf(&name, "(dδ − δd)%s", hamel->motion->model->coords.at[nu].name);
    Expr symbol = expr_symbol(hamel->motion->pool, name.at);
    text_clear(&name);
    return symbol;
}

// dδϑ_μ − δdϑ_μ with that of the coordinates.
static Expr whole_commutator(const Hamel *hamel, size_t mu)
{
    ExprPool *pool = hamel->motion->pool;
    Expr sum = commutator(hamel, mu);
    for (size_t nu = 0; nu < hamel->motion->n; nu++)
        sum = expr_add(
            pool, sum,
            expr_mul(pool, coefficient(hamel, mu, nu + 1), coordinate_commutator(hamel, nu)));
    return sum;
}

// dδq_ν − δdq_ν where dδϑ = δdϑ for every speed: Σ ∂B_νμ/∂q_σ B_στ (dϑ_τ δϑ_μ − dϑ_μ δϑ_τ).
static Expr inverse_commutator(const Hamel *hamel, size_t nu)
{
    ExprPool *pool = hamel->motion->pool;
    size_t n = hamel->motion->n;
    ARRAY(Expr) terms = {0};
    for (size_t tau = 0; tau < n; tau++)
        for (size_t mu = tau + 1; mu <= n; mu++) {
            Expr bend = expr_int(pool, 0);
            for (size_t sigma = 0; sigma <= n; sigma++) {
                Expr q = coordinate(hamel, sigma);
                Expr one = expr_mul(pool, expr_diff(pool, inverse(hamel, nu + 1, mu), q),
                                    inverse(hamel, sigma, tau));
                Expr two = expr_mul(pool, expr_diff(pool, inverse(hamel, nu + 1, tau), q),
                                    inverse(hamel, sigma, mu));
                bend = expr_add(pool, bend, expr_sub(pool, one, two));
            }
            bend = algebra_simplify(hamel->motion->algebra, bend);
            array_push(&terms, expr_mul(pool, bend, alternation(hamel, tau, mu)));
        }
    Expr sum = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return sum;
}

static void record_transitions(const Hamel *hamel, Form *form)
{
    size_t n = hamel->motion->n;
    if (!is_whole(hamel, form))
        return;
    if (form_begin_step(form, STEP_TRANSITION_COORDINATES))
        for (size_t nu = 0; nu < n; nu++)
            line_named(form, inverse_commutator(hamel, nu), "(dδ − δd)%s",
                       hamel->motion->model->coords.at[nu].name);
    if (form_begin_step(form, STEP_TRANSITION_EQUATIONS))
        for (size_t mu = 0; mu < n; mu++)
            line_named(form, whole_commutator(hamel, mu), "dδϑ_%zu − δdϑ_%zu", mu + 1, mu + 1);
    if (form_begin_step(form, STEP_TRANSITION_BRIEF))
        for (size_t mu = 0; mu < n; mu++)
            line_named(form, commutator(hamel, mu), "dδϑ_%zu − δdϑ_%zu", mu + 1, mu + 1);
}

// All symbols of a true coordinate vanish, and conversely: the curls of its coefficients do.
static bool is_true_coordinate(const Hamel *hamel, size_t mu)
{
    ExprPool *pool = hamel->motion->pool;
    size_t n = hamel->motion->n;
    for (size_t tau = 0; tau < n; tau++)
        for (size_t rho = tau + 1; rho <= n; rho++) {
            Expr beta = *table_entry(hamel, mu, tau, rho);
            if (!expr_is_none(beta) && !expr_is_zero(pool, beta))
                return false;
        }
    return true;
}

static void note_true_coordinates(const Hamel *hamel, Form *form)
{
    Text text = {0};
    size_t count = 0;
    for (size_t mu = 0; mu < hamel->motion->n; mu++)
        if (is_true_coordinate(hamel, mu))
            text_addf(&text, "%sϑ_%zu", count++ ? ", " : "", mu + 1);
    if (count > 0) {
        text_addf(&text, " %s: all symbols with %s lower index vanish (Hamel 232)",
                  count > 1 ? "are true coordinates" : "is a true coordinate",
                  count > 1 ? "such a" : "this");
        form_add_note(form, text.at);
    }
    text_clear(&text);
}

// Speeds whose symbols are all constant generate a group (Hamel 234).
static bool all_constant(const Hamel *hamel)
{
    const Motion *motion = hamel->motion;
    size_t n = motion->n, count = n * (n + 1) * (n + 1);
    for (size_t i = 0; i < count; i++) {
        Expr beta = hamel->beta[i];
        if (!expr_is_none(beta) && (expr_holds_any(motion->pool, beta, motion->q, n) ||
                                    expr_holds(motion->pool, beta, motion->model->t)))
            return false;
    }
    return true;
}

static bool some_changes(const Hamel *hamel)
{
    const Motion *motion = hamel->motion;
    size_t n = motion->n, count = n * (n + 1) * (n + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t nu = 0; nu <= n && !expr_is_none(hamel->beta[i]); nu++) {
            if (!expr_holds(motion->pool, hamel->beta[i], coordinate(hamel, nu)))
                continue;
            Verdict zero = algebra_is_zero(
                motion->algebra, expr_diff(motion->pool, hamel->beta[i], coordinate(hamel, nu)));
            bool changes = zero.answer == ANSWER_NO;
            verdict_clear(&zero);
            if (changes)
                return true;
        }
    return false;
}

static void note_group(const Hamel *hamel, Form *form)
{
    if (all_constant(hamel))
        form_add_note(form, "all symbols are constant: the speeds generate a group (Hamel 234)");
    else if (some_changes(hamel))
        form_add_note(form, "not all symbols are constant: the speeds generate no group (Hamel "
                            "234)");
}

// Σ_ρτ β_ρ^{τμ} P_ρ ω_τ; τ runs over time and the state's speeds, the others being 0.
static Expr transition(Hamel *hamel, size_t mu)
{
    Motion *motion = hamel->motion;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    for (size_t rho = 0; rho < motion->n; rho++) {
        for (size_t tau = 0; tau <= motion->n; tau++) {
            if ((tau > 0 && tau <= motion->m) || tau == mu)
                continue;
            Expr beta =
                tau < mu ? *table_entry(hamel, rho, tau, mu) : *table_entry(hamel, rho, mu, tau);
            if (expr_is_none(beta) || expr_is_zero(pool, beta))
                continue;
            if (tau > mu)
                beta = expr_neg(pool, beta);
            Expr omega = tau ? hamel->omega[tau - 1] : expr_int(pool, 1);
            array_push(&terms, expr_product(pool, (Expr[]){beta, hamel->P[rho], omega}, 3));
        }
    }
    Expr sum = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return sum;
}

// ∂𝐓/∂ϑ_μ = Σ_ν (∂𝐓/∂q_ν) B_νμ, μ counted from 0.
static Expr slope_along(Hamel *hamel, size_t mu)
{
    Motion *motion = hamel->motion;
    size_t n = motion->n;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(motion->pool, hamel->slope[nu], hamel->B[nu * n + mu]);
    Expr sum = expr_sum(motion->pool, terms, n);
    base_free(terms);
    return sum;
}

static Expr rate_of_momentum(Hamel *hamel, size_t mu)
{
    return motion_rate_along(hamel->motion, &hamel->motion->state, hamel->P[mu]);
}

static void add_equation(Hamel *hamel, Form *form, size_t alpha)
{
    Motion *motion = hamel->motion;
    size_t mu = motion->m + alpha;
    Expr terms[] = {rate_of_momentum(hamel, mu), transition(hamel, mu + 1),
                    expr_neg(motion->pool, slope_along(hamel, mu))};
    form_add_equation(form, motion->state.speeds[alpha].name, expr_sum(motion->pool, terms, 3),
                      form_force_on(motion, alpha));
}

// ---- The derivation, step by step.

static bool are_orthonormal(const Motion *motion)
{
    return motion->k > 0 && motion->state.speeds[0].orthonormal;
}

// Which speed has which number, what it is, and the velocities in all of them. Orthonormal speeds
// are called ω₁, ω₂, …, so that ω_1 would be read for the wrong one.
static void record_speeds(Hamel *hamel, Form *form)
{
    Motion *motion = hamel->motion;
    bool orthonormal = are_orthonormal(motion);
    if (form_begin_step(form, orthonormal ? STEP_ORTHONORMAL_OMEGAS : STEP_OMEGAS))
        for (size_t mu = 0; mu < motion->n; mu++) {
            Expr value = mu < motion->m ? motion->rows[mu].velocity
                                        : motion->state.speeds[mu - motion->m].value;
            line_named(form, hamel->omega[mu], orthonormal ? "ϑ'_%zu" : "ω_%zu", mu + 1);
            if (!expr_same(value, hamel->omega[mu]))
                form_add_line(form, (FormLine){.of = expr_name(motion->pool, hamel->omega[mu]),
                                               .value = value});
        }
    if (form_begin_step(form, STEP_INVERSE))
        for (size_t nu = 0; nu < motion->n; nu++) {
            Expr velocity = expr_subst(hamel->to_omega, motion->v[nu]);
            if (!expr_same(velocity, motion->v[nu]))
                form_add_line(form, (FormLine){.of = expr_name(motion->pool, motion->v[nu]),
                                               .value = velocity});
        }
}

static void record_energy(Hamel *hamel, Form *form, Expr T)
{
    const Motion *motion = hamel->motion;
    if (form_begin_step(form, STEP_ENERGY_IN_OMEGAS))
        form_add_line(form, (FormLine){.of = "T", .value = T});
    if (form_begin_step(form, STEP_SYMBOLS))
        for (size_t i = 0; i < hamel->symbols.count; i++) {
            const FormFunction *symbol = &form->functions.at[hamel->symbols.at[i]];
            form_add_line(form, (FormLine){.of = symbol->name, .value = symbol->value});
        }
    record_transitions(hamel, form);
    if (form_begin_step(form, STEP_HAMEL_MOMENTA))
        for (size_t mu = 0; mu < motion->n; mu++)
            line_named(form, hamel->P[mu], "P_%zu", mu + 1);
}

// Lagrange's central equation, and what it becomes where dδq = δdq and the conditions hold.
static void record_central(Hamel *hamel, Form *form)
{
    Motion *motion = hamel->motion;
    ExprPool *pool = motion->pool;
    Expr impulse = expr_int(pool, 0), left = impulse, work = impulse;
    if (!form_begin_step(form, STEP_CENTRAL))
        return;
    for (size_t mu = 0; mu < motion->n; mu++)
        impulse = expr_add(pool, impulse,
                           expr_mul(pool, hamel->P[mu], variation_symbol(hamel, "δϑ", mu + 1)));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        size_t mu = motion->m + alpha;
        Expr varied = variation_symbol(hamel, "δϑ", mu + 1);
        Expr terms[] = {rate_of_momentum(hamel, mu), transition(hamel, mu + 1),
                        expr_neg(pool, slope_along(hamel, mu))};
        Expr force = motion_force_on(motion, &motion->state, alpha);
        left = expr_add(pool, left, expr_mul(pool, expr_sum(pool, terms, 3), varied));
        work = expr_add(pool, work, expr_mul(pool, force, varied));
    }
    form_add_line(form, (FormLine){.of = "Σ p_ν·δq_ν", .value = impulse});
    form_add_line(form, (FormLine){.of = "δA", .value = work});
    if (form_begin_step(form, STEP_CENTRAL_IN_SPEEDS))
        form_add_line(form, (FormLine){.left = left, .value = work});
}

static void record_terms(Hamel *hamel, Form *form)
{
    Motion *motion = hamel->motion;
    size_t m = motion->m, n = motion->n;
    if (form_begin_step(form, STEP_HAMEL_RATES))
        for (size_t mu = m; mu < n; mu++) {
            Text name = {0};
            text_addf(&name, "P_%zu", mu + 1);
            form_add_line(
                form,
                (FormLine){.of = name.at, .rate = true, .value = rate_of_momentum(hamel, mu)});
            text_clear(&name);
        }
    if (form_begin_step(form, STEP_TRANSITIONS))
        for (size_t mu = m; mu < n; mu++)
            line_named(form, transition(hamel, mu + 1), "Gamma_%zu", mu + 1);
    if (form_begin_step(form, STEP_HAMEL_SLOPES))
        for (size_t mu = m; mu < n; mu++) {
            Text name = {0};
            text_addf(&name, "ϑ_%zu", mu + 1);
            form_add_line(form,
                          (FormLine){.of = "T", .by = name.at, .value = slope_along(hamel, mu)});
            text_clear(&name);
        }
    step_speed_forces(form, STEP_HAMEL_FORCES, motion);
    record_central(hamel, form);
    step_equations(form, STEP_HAMEL_EQUATIONS, 0);
}

static void derive(Hamel *hamel, Form *form)
{
    Motion *motion = hamel->motion;
    if (!solve_all(hamel)) {
        form_refuse(form, "the velocities cannot be expressed by the speeds");
        return;
    }
    make_symbols(hamel);
    Expr T = make_momenta(hamel);
    form_add_numbers(form, are_orthonormal(motion) ? "ϑ'_" : "ω_", hamel->omega, motion->n);
    form_add_function(form, "T", T);
    for (size_t mu = 0; mu < motion->n; mu++) {
        Text name = {0};
        text_addf(&name, "P_%zu", mu + 1);
        form_add_function(form, name.at, hamel->P[mu]);
        text_clear(&name);
    }
    make_table(hamel, form);
    if (is_whole(hamel, form)) {
        note_group(hamel, form);
        note_true_coordinates(hamel, form);
    }
    if (are_orthonormal(motion))
        form_add_note(form, "T⁺ = ½ Σ ω², up to a function of q and t: these are Hamel's "
                            "equations (IIa) of no. 236, P_μ = ω_μ for the free speeds");
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        add_equation(hamel, form, alpha);
    record_speeds(hamel, form);
    record_energy(hamel, form, T);
    record_terms(hamel, form);
}

void form_hamel(Motion *motion, Form *form)
{
    size_t n = motion->n;
    form->in_speeds = true;
    if (!form_may_reduce(motion, form))
        return;
    if (n > MOST_COORDINATES) {
        form_refuse(form,
                    "its symbols, the third power of %zu in number, are too many; they are worked "
                    "out for up to %d coordinates",
                    n, MOST_COORDINATES);
        return;
    }
    if (!form_needs_linear(motion, &motion->state, form,
                           "the symbols β are made of coefficients of q′ that hold coordinates and "
                           "time alone; Hamel's forms for it are johnsen1 and johnsen2"))
        return;
    Hamel hamel = {.motion = motion};
    hamel.omega = base_alloc((n + 1) * sizeof(Expr));
    hamel.B = base_alloc((n * n + 1) * sizeof(Expr));
    hamel.C = base_alloc((n + 1) * sizeof(Expr));
    hamel.P = base_alloc((n + 1) * sizeof(Expr));
    hamel.slope = base_alloc((n + 1) * sizeof(Expr));
    hamel.beta = base_alloc((n * (n + 1) * (n + 1) + 1) * sizeof(Expr));
    derive(&hamel, form);
    expr_subst_free(hamel.to_omega);
    array_clear(&hamel.symbols);
    base_free(hamel.beta);
    base_free(hamel.omega);
    base_free(hamel.B);
    base_free(hamel.C);
    base_free(hamel.P);
    base_free(hamel.slope);
}
