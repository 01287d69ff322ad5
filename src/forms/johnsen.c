// johnsen.c: what Hamel's two forms for speeds that are not linear in the velocities share.
#include "forms/johnsen_impl.h"

Expr johnsen_F(const Johnsen *johnsen, size_t nu, size_t alpha)
{
    return johnsen->motion->state.B[nu * johnsen->motion->k + alpha];
}

Expr johnsen_f(const Johnsen *johnsen, size_t rho, size_t nu)
{
    Motion *motion = johnsen->motion;
    Expr slope =
        rho < motion->m ? motion->rows[rho].b[nu] : motion->state.speeds[rho - motion->m].y[nu];
    return motion_in_speeds(motion, slope);
}

// ---- P and ∂𝐓/∂q.

// 𝐓 in all ω, its momenta and slopes; then the conditions, ω_1 … ω_m = 0.
static void make_closed_momenta(Johnsen *johnsen)
{
    Motion *motion = johnsen->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m;
    Expr *zeros = base_alloc((m + 1) * sizeof *zeros);
    for (size_t i = 0; i < m; i++)
        zeros[i] = expr_int(pool, 0);
    Expr T = expr_replace(pool, motion->T, motion->v, motion->state.whole, n);
    johnsen->T = algebra_simplify(motion->algebra, T);
    expr_gradient(pool, johnsen->T, johnsen->omega, n, johnsen->P);
    expr_gradient(pool, johnsen->T, motion->q, n, johnsen->slope);
    for (size_t i = 0; i < n; i++) {
        johnsen->P[i] = expr_replace(pool, johnsen->P[i], johnsen->omega, zeros, m);
        johnsen->slope[i] = expr_replace(pool, johnsen->slope[i], johnsen->omega, zeros, m);
    }
    base_free(zeros);
}

// P_ν = Σ_σ (∂T/∂q'_σ) F_{σ,ν}, with F_{σ,ν} the inverse of f_{ν,σ}: Σ_ν f_{ν,σ} P_ν = p_σ.
static bool make_open_momenta(Johnsen *johnsen)
{
    Motion *motion = johnsen->motion;
    size_t n = motion->n;
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    for (size_t sigma = 0; sigma < n; sigma++)
        for (size_t nu = 0; nu < n; nu++)
            matrix[sigma * n + nu] = johnsen_f(johnsen, nu, sigma);
    bool solved = algebra_solve(motion->algebra, matrix, motion->p, n, 1, johnsen->P);
    motion_by_places(motion, &motion->state, motion->T, johnsen->slope);
    base_free(matrix);
    return solved;
}

bool johnsen_init(Johnsen *johnsen, Motion *motion, Form *form)
{
    size_t n = motion->n, m = motion->m;
    *johnsen = (Johnsen){.motion = motion, .form = form};
    form->in_speeds = true;
    if (!form_may_reduce(motion, form))
        return false;
    if (!motion->curved) {
        form_refuse(form, "all conditions and speeds are linear in the velocities; hamel is this "
                          "form for them");
        return false;
    }
    Expr *room = base_alloc((4 * n + 1) * sizeof *room);
    johnsen->f = room;
    johnsen->omega = room + n;
    johnsen->P = room + 2 * n;
    johnsen->slope = room + 3 * n;
    for (size_t i = 0; i < n; i++) {
        johnsen->f[i] = i < m ? motion->rows[i].velocity : motion->state.speeds[i - m].value;
        johnsen->omega[i] = i < m ? motion->state.omega[i] : motion->state.speeds[i - m].u;
    }
    bool made = true;
    if (motion->state.closed)
        make_closed_momenta(johnsen);
    else
        made = make_open_momenta(johnsen);
    if (!made) {
        form_refuse(form, "the velocities cannot be expressed by the speeds");
        johnsen_clear(johnsen);
    }
    return made;
}

void johnsen_clear(Johnsen *johnsen)
{
    base_free(johnsen->f);
    *johnsen = (Johnsen){0};
}

// ---- Equations.

static Expr rate_of_momentum(const Johnsen *johnsen, size_t alpha)
{
    Motion *motion = johnsen->motion;
    return motion_rate_along(motion, &motion->state, johnsen->P[motion->m + alpha]);
}

// Σ_ν (∂𝐓/∂q_ν) F_{ν,α}
static Expr slope_along(const Johnsen *johnsen, size_t alpha)
{
    Motion *motion = johnsen->motion;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(motion->pool, johnsen->slope[nu], johnsen_F(johnsen, nu, alpha));
    Expr sum = expr_sum(motion->pool, terms, motion->n);
    base_free(terms);
    return sum;
}

void johnsen_add_equations(Johnsen *johnsen, const Expr *transitions)
{
    Motion *motion = johnsen->motion;
    Form *form = johnsen->form;
    form_add_numbers(form, "ω_", johnsen->omega, motion->n);
    if (!expr_is_none(johnsen->T))
        form_add_function(form, "T", johnsen->T);
    for (size_t mu = 0; mu < motion->n && form->detail >= FORM_TO_READ; mu++) {
        Text name = {0};
        text_addf(&name, "P_%zu", mu + 1);
        form_add_function(form, name.at, johnsen->P[mu]);
        text_clear(&name);
    }
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr terms[] = {rate_of_momentum(johnsen, alpha), transitions[alpha],
                        expr_neg(motion->pool, slope_along(johnsen, alpha))};
        form_add_equation(form, motion->state.speeds[alpha].name, expr_sum(motion->pool, terms, 3),
                          form_force_on(motion, alpha));
    }
}

// ---- The derivation, step by step.

// P_ν and F_{ν,μ}, where they do not vanish.
static void record_momenta(const Johnsen *johnsen)
{
    const Motion *motion = johnsen->motion;
    Form *form = johnsen->form;
    if (form_begin_step(form, STEP_CURVED_MOMENTA))
        for (size_t mu = 0; mu < motion->n; mu++)
            line_named(form, johnsen->P[mu], "P_%zu", mu + 1);
    if (!form_begin_step(form, STEP_CURVED_PARTIALS))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr F = johnsen_F(johnsen, nu, alpha);
            if (!expr_is_zero(motion->pool, F))
                line_named(form, F, "F_{%s,%zu}", motion->model->coords.at[nu].name,
                           motion->m + alpha + 1);
        }
}

void johnsen_record_speeds(const Johnsen *johnsen)
{
    const Motion *motion = johnsen->motion;
    Form *form = johnsen->form;
    if (form_begin_step(form, STEP_CURVED_OMEGAS))
        for (size_t mu = 0; mu < motion->n; mu++) {
            line_named(form, johnsen->omega[mu], "ω_%zu", mu + 1);
            if (!expr_same(johnsen->f[mu], johnsen->omega[mu]))
                form_add_line(form, (FormLine){.of = expr_name(motion->pool, johnsen->omega[mu]),
                                               .value = johnsen->f[mu]});
        }
    if (motion->state.closed && form_begin_step(form, STEP_CURVED_INVERSE))
        for (size_t nu = 0; nu < motion->n; nu++)
            if (!expr_same(motion->state.whole[nu], motion->v[nu]))
                form_add_line(form, (FormLine){.of = expr_name(motion->pool, motion->v[nu]),
                                               .value = motion->state.whole[nu]});
    if (!motion->state.closed)
        step_open(form, motion, &motion->state);
    if (motion->state.closed && form_begin_step(form, STEP_ENERGY_IN_OMEGAS))
        form_add_line(form, (FormLine){.of = "T", .value = johnsen->T});
    if (!motion->state.closed)
        step_energy(form, STEP_ENERGY, motion, "T");
    record_momenta(johnsen);
}

void johnsen_record_end(const Johnsen *johnsen, const Expr *transitions, FormStepKind transition,
                        FormStepKind equations)
{
    Motion *motion = johnsen->motion;
    Form *form = johnsen->form;
    size_t m = motion->m, n = motion->n;
    if (form_begin_step(form, STEP_HAMEL_RATES))
        for (size_t mu = m; mu < n; mu++) {
            Text name = {0};
            text_addf(&name, "P_%zu", mu + 1);
            form_add_line(form, (FormLine){.of = name.at,
                                           .rate = true,
                                           .value = rate_of_momentum(johnsen, mu - m)});
            text_clear(&name);
        }
    if (form_begin_step(form, transition))
        for (size_t mu = m; mu < n; mu++)
            line_named(form, transitions[mu - m], "Gamma_%zu", mu + 1);
    if (form_begin_step(form, STEP_CURVED_SLOPES))
        for (size_t mu = m; mu < n; mu++) {
            Text name = {0};
            text_addf(&name, "ϑ_%zu", mu + 1);
            form_add_line(
                form, (FormLine){.of = "T", .by = name.at, .value = slope_along(johnsen, mu - m)});
            text_clear(&name);
        }
    step_speed_forces(form, STEP_CURVED_FORCES, motion);
    step_equations(form, equations, 0);
}
