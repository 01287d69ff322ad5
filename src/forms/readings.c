// readings.c: the principle of least action in all its readings, each as the equations that follow
// from its own integral (Hamel 245, 246; Tzénoff (23), (24)).
//
// They differ in what is varied and in the rule for δ and d. With dδq = δdq for every coordinate,
// (δϑ_μ)' − δω_μ is Σ β_μ^{τρ} ω_τ δϑ_ρ of the transition equations (Hamel (15b)); so the sums are
// made here without any β.
#include "forms/action_impl.h"

static const struct {
    const char *source, *integral, *latex, *rule;
} readings[READING_COUNT] = {
#define READING(NAME, source, integral, latex, rule) {source, integral, latex, rule},
#include "forms/readings.def"
#undef READING
};

const char *form_reading_source(FormReadingKind kind)
{
    return readings[kind].source;
}

const char *form_reading_integral(FormReadingKind kind, bool latex)
{
    return latex ? readings[kind].latex : readings[kind].integral;
}

const char *form_reading_rule(FormReadingKind kind)
{
    return readings[kind].rule;
}

static Form *new_reading(Form *form, FormReadingKind kind, bool in_speeds)
{
    Form *own = form_new(form->kind, FORM_TO_RUN);
    own->in_speeds = in_speeds;
    array_push(&form->readings, ((FormReading){kind, own, ANSWER_UNKNOWN, PROOF_NONE}));
    return own;
}

// ---- In speeds.

// δT of the energy before the conditions are put in: Σ_ν p_ν (δq_ν)' + ∂T/∂q_ν δq_ν.
static Expr whole_variation(Action *action)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *terms = base_alloc((2 * n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        terms[nu] = expr_mul(pool, motion_in_speeds(motion, motion->p[nu]), action->dv[nu]);
        terms[n + nu] = expr_mul(pool, motion_in_speeds(motion, motion->dT_dq[nu]), action->dq[nu]);
    }
    Expr sum = expr_sum(pool, terms, 2 * n);
    base_free(terms);
    return sum;
}

// −Σ P_μ (Σ β_μ^{τρ} ω_τ δϑ_ρ) over the conditions, whose δϑ are 0; or over the free speeds.
static Expr sum_over(Action *action, bool conditions)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t count = conditions ? motion->m : motion->k;
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    for (size_t i = 0; i < count; i++) {
        Expr transition = conditions
                              ? expr_neg(pool, action->omega[i])
                              : expr_sub(pool, action->rate[i], action_speed_variation(action, i));
        Expr momentum = conditions ? action->P[i] : action->slope[i];
        terms[i] = expr_neg(pool, expr_mul(pool, momentum, transition));
    }
    Expr sum = expr_sum(pool, terms, count);
    base_free(terms);
    return sum;
}

// δT⁺ with δω = (δϑ)' for the free speeds, or with dδq = δdq.
static Expr reduced_variation(Action *action, bool quasi)
{
    Motion *motion = action->motion;
    Expr *terms = base_alloc((motion->k + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        terms[alpha] =
            expr_mul(motion->pool, action->slope[alpha],
                     quasi ? action->rate[alpha] : action_speed_variation(action, alpha));
    terms[motion->k] = action->slopes_work;
    Expr sum = expr_sum(motion->pool, terms, motion->k + 1);
    base_free(terms);
    return sum;
}

// The readings between these two.
static void read_in_speeds(Action *action, Form *form, FormReadingKind first, FormReadingKind last)
{
    ExprPool *pool = action->motion->pool;
    Expr conditions = sum_over(action, true), free = sum_over(action, false);
    Expr quasi = reduced_variation(action, true), plain = reduced_variation(action, false);
    Expr mixed = expr_add(pool, quasi, conditions);
    const Expr integrands[READING_COUNT] = {
        [READING_HOELDER] = whole_variation(action),
        [READING_ALL_SPEEDS] = expr_add(pool, mixed, free),
        [READING_CONDITIONS] = expr_add(pool, plain, conditions),
        [READING_MIXED] = mixed,
        [READING_LEFT_OUT] = plain,
    };
    for (FormReadingKind kind = first; kind <= last; kind++)
        action_equations(action, integrands[kind], new_reading(form, kind, true));
}

// ---- In true coordinates.

typedef struct {
    TrueCoordinates in;
    Expr *dq, *rate;       // symbols of δq_α and their rates, k each
    Expr *all, *all_rates; // δq_ν and (δq_ν)', n each, in those
} TrueVariation;

static void vary(TrueVariation *vary)
{
    TrueCoordinates *in = &vary->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Text name = {0};
        text_addf(&name, "delta.%s", true_name(in, alpha));
        vary->dq[alpha] = vary->all[in->independent[alpha]] = expr_symbol(pool, name.at);
        text_add(&name, "'");
        vary->rate[alpha] = vary->all_rates[in->independent[alpha]] = expr_symbol(pool, name.at);
        text_clear(&name);
    }
    for (size_t i = 0; i < motion->m; i++) {
        Expr value = expr_int(pool, 0), rate = expr_int(pool, 0);
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr a = true_a(in, i, alpha);
            value = expr_add(pool, value, expr_mul(pool, a, vary->dq[alpha]));
            rate = expr_add(pool, rate, expr_mul(pool, a, vary->rate[alpha]));
            rate = expr_add(pool, rate, expr_mul(pool, true_rate(in, a), vary->dq[alpha]));
        }
        vary->all[in->dependent[i]] = value;
        vary->all_rates[in->dependent[i]] = rate;
    }
}

// How a function of t, q and the independent velocities varies.
static Expr varied(TrueVariation *vary, Expr e)
{
    TrueCoordinates *in = &vary->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *terms = base_alloc((n + k + 1) * sizeof *terms);
    expr_gradient(pool, e, motion->q, n, terms);
    expr_gradient(pool, e, in->velocity, k, terms + n);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, terms[nu], vary->all[nu]);
    for (size_t alpha = 0; alpha < k; alpha++)
        terms[n + alpha] = expr_mul(pool, terms[n + alpha], vary->rate[alpha]);
    Expr sum = expr_sum(pool, terms, n + k);
    base_free(terms);
    return sum;
}

static void true_equations(TrueVariation *vary, Expr integrand, Form *form)
{
    TrueCoordinates *in = &vary->in;
    ExprPool *pool = in->motion->pool;
    for (size_t alpha = 0; alpha < in->motion->k; alpha++) {
        Expr at_rate = expr_diff(pool, integrand, vary->rate[alpha]);
        Expr at_rest = expr_diff(pool, integrand, vary->dq[alpha]);
        form_add_equation(form, true_name(in, alpha),
                          expr_sub(pool, true_rate(in, at_rate), at_rest), true_force(in, alpha));
    }
}

static void read_true(TrueVariation *vary, Form *form)
{
    TrueCoordinates *in = &vary->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr reduced = varied(vary, in->T), voronets = reduced;
    Expr put_in = expr_int(pool, 0), free = expr_int(pool, 0); // δT₁ and δT₁⁰
    for (size_t i = 0; i < motion->m; i++) {
        size_t nu = in->dependent[i];
        Expr k = true_reduced(in, motion->p[nu]);
        Expr solved = varied(vary, true_velocity(in, i));
        Expr off = expr_sub(pool, vary->all_rates[nu], solved);
        voronets = expr_add(pool, voronets, expr_mul(pool, k, off));
        put_in = expr_add(pool, put_in, expr_mul(pool, k, solved));
        free = expr_add(pool, free, expr_mul(pool, k, vary->all_rates[nu]));
    }
    Expr tzenoff[] = {reduced, expr_neg(pool, put_in), free};
    true_equations(vary, voronets, new_reading(form, READING_VORONETS, false));
    true_equations(vary, expr_sum(pool, tzenoff, 3), new_reading(form, READING_TZENOFF, false));
}

static void read_in_coordinates(Motion *motion, Form *form)
{
    size_t n = motion->n, k = motion->k;
    TrueVariation with = {0};
    Form *unheard = form_new(form->kind, FORM_TO_RUN);
    if (motion_velocities(motion)->linear && true_init(&with.in, motion, unheard)) {
        Expr *room = base_alloc((2 * k + 2 * n + 1) * sizeof *room);
        with.dq = room;
        with.rate = room + k;
        with.all = room + 2 * k;
        with.all_rates = room + 2 * k + n;
        vary(&with);
        read_true(&with, form);
        base_free(room);
        true_clear(&with.in);
    }
    form_free(unheard);
}

// ---- All of them.

// The right sides with multipliers, which least_action.c has put beside this form's equations.
static void read_obeying(Form *form)
{
    Form *own = new_reading(form, READING_OBEYING, true);
    for (size_t i = 0; i < form->equations.count; i++)
        form_add_equation(own, form->equations.at[i].label, form->equations.at[i].left,
                          form->least_action->obeying[i]);
}

void form_add_readings(Motion *motion, Form *form)
{
    if (form->kind != FORM_ACTION || !form->least_action)
        return;
    Action action;
    if (action_init(&action, motion, false)) {
        read_in_speeds(&action, form, READING_HOELDER, READING_MIXED);
        read_in_coordinates(motion, form);
        read_in_speeds(&action, form, READING_LEFT_OUT, READING_LEFT_OUT);
        read_obeying(form);
    }
    action_clear(&action);
}
