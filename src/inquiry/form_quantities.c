// form_quantities.c: the functions that the forms rest on, by name, for equations that are asked
// about.
//
// A name is what `derive` prints, in ASCII: T⁺ is T+, S₁ is S1, 𝒦 is K, β_1^{2,3} is beta[1,2,3],
// A^{(y)}_{x,θ} is A_y_x_theta. FORM.NAME is the function of that form, in that form's variables;
// without a form a name has its usual home. Momenta p stay symbols until they are put in.
#include "inquiry/inquiry_impl.h"
#include "model/model_equation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct InquiryQuantities {
    Motion *motion;
    Form *forms[FORM_COUNT]; // derived on first use
    ExprSubst *put;          // ω of the conditions and momenta, as they are on the motion
    bool momenta;            // those of the canonical form are known
};

InquiryQuantities *inquiry_quantities_new(Motion *motion)
{
    InquiryQuantities *quantities = base_alloc(sizeof *quantities);
    quantities->motion = motion;
    quantities->put = expr_subst_new(motion->pool);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        if (speed->declared)
            expr_rates_set(motion->model->dt, speed->u, speed->rate);
    }
    // What a condition sets to 0 (Hamel 232), in the T of `hamel`.
    Expr zero = expr_int(motion->pool, 0);
    for (size_t mu = 0; mu < motion->m; mu++) {
        Text name = {0};
        text_addf(&name, "omega.%s", motion->rows[mu].constraint->name);
        Expr omega = expr_symbol(motion->pool, name.at);
        expr_subst_set(quantities->put, omega, zero);
        expr_rates_set(motion->model->dt, omega, zero);
        text_clear(&name);
    }
    return quantities;
}

void inquiry_quantities_free(InquiryQuantities *quantities)
{
    if (!quantities)
        return;
    for (int i = 0; i < FORM_COUNT; i++)
        form_free(quantities->forms[i]);
    expr_subst_free(quantities->put);
    base_free(quantities);
}

Expr inquiry_quantities_put(InquiryQuantities *quantities, Expr e)
{
    return expr_subst(quantities->put, e);
}

static const Form *form_of(InquiryQuantities *quantities, FormKind kind)
{
    if (!quantities->forms[kind])
        quantities->forms[kind] = form_derive(kind, quantities->motion);
    return quantities->forms[kind];
}

// ---- Names.

// The ASCII name of what a form calls so.
static void plain_name(const char *name, Text *out)
{
    static const char *const letters[][2] = {{"⁺", "+"}, {"𝒦", "K"}, {"β", "beta"}, {"₀", "0"},
                                             {"₁", "1"}, {"^", "_"}, {",", "_"},    {"{", ""},
                                             {"}", ""},  {"(", ""},  {")", ""}};
    while (*name) {
        size_t i = 0, count = sizeof letters / sizeof *letters;
        while (i < count && strncmp(name, letters[i][0], strlen(letters[i][0])) != 0)
            i++;
        if (i < count) {
            text_add(out, letters[i][1]);
            name += strlen(letters[i][0]);
        } else {
            text_add_char(out, *name++);
        }
    }
}

static bool begins(Str word, const char *start)
{
    size_t length = strlen(start);
    return word.length >= length && memcmp(word.at, start, length) == 0;
}

static bool find_function(const Form *form, Str word, Expr *value)
{
    bool found = false;
    for (size_t i = 0; i < form->functions.count && !found; i++) {
        Text name = {0};
        plain_name(form->functions.at[i].name, &name);
        found = str_equal((Str){name.at, name.length}, word);
        *value = form->functions.at[i].value;
        text_clear(&name);
    }
    return found;
}

// ---- Hamel's.

// P_v by the name of a speed or of a condition; P_1 by its number is among the functions.
static bool find_momentum(const Motion *motion, const Form *form, Str word, Expr *value)
{
    Str name = {word.at + 2, word.length - 2};
    for (size_t mu = 0; mu < motion->n; mu++) {
        const char *own = mu < motion->m ? motion->rows[mu].constraint->name
                                         : motion->state.speeds[mu - motion->m].name;
        Text number = {0};
        text_addf(&number, "P_%zu", mu + 1);
        bool found = false;
        for (size_t i = 0; i < form->functions.count && str_is(name, own) && !found; i++)
            if (strcmp(form->functions.at[i].name, number.at) == 0) {
                *value = form->functions.at[i].value;
                found = true;
            }
        text_clear(&number);
        if (found)
            return true;
    }
    return false;
}

// beta[rho,tau,mu]; those that are 0 are not among the functions, nor those with tau > mu.
static bool find_symbol(const Motion *motion, const Form *form, Str word, Expr *value)
{
    char text[64];
    unsigned rho, tau, mu;
    int end = 0;
    if (word.length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)word.length, word.at);
    if (sscanf(text, "beta[%u,%u,%u]%n", &rho, &tau, &mu, &end) != 3 || text[end] || rho < 1 ||
        rho > motion->n || tau > motion->n || mu > motion->n)
        return false;
    char name[96];
    snprintf(name, sizeof name, "β_%u^{%u,%u}", rho, tau < mu ? tau : mu, tau < mu ? mu : tau);
    *value = expr_int(motion->pool, 0);
    for (size_t i = 0; i < form->functions.count; i++)
        if (strcmp(form->functions.at[i].name, name) == 0)
            *value = tau < mu ? form->functions.at[i].value
                              : expr_neg(motion->pool, form->functions.at[i].value);
    return true;
}

// ---- The canonical form's.

// The momenta as ∂T⁺/∂q', with their rates.
static void take_momenta(InquiryQuantities *quantities, const Form *form)
{
    Motion *motion = quantities->motion;
    const MotionReduction *reduction = motion_velocities(motion);
    if (quantities->momenta || form->reason || !reduction)
        return;
    Expr T;
    bool known = find_function(form, str_of("T+"), &T);
    assert(known);
    (void)known;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &reduction->speeds[alpha];
        Text name = {0};
        text_addf(&name, "p_%s", motion->model->coords.at[speed->index].name);
        Expr p = expr_symbol(motion->pool, name.at), value = expr_diff(motion->pool, T, speed->u);
        expr_subst_set(quantities->put, p, value);
        expr_rates_set(motion->model->dt, p, expr_rate(motion->model->dt, value));
        text_clear(&name);
    }
    quantities->momenta = true;
}

static bool find_canonical(Motion *motion, const Form *form, Str word, Expr *value)
{
    const MotionReduction *reduction = motion_velocities(motion);
    for (size_t alpha = 0; alpha < motion->k && begins(word, "p_"); alpha++) {
        const char *name = motion->model->coords.at[reduction->speeds[alpha].index].name;
        if (!str_is((Str){word.at + 2, word.length - 2}, name))
            continue;
        Text full = {0};
        text_addf(&full, "p_%s", name);
        *value = expr_symbol(motion->pool, full.at);
        text_clear(&full);
        return true;
    }
    for (size_t i = 0; i < form->functions.count && str_is(word, "H"); i++)
        if (strcmp(form->functions.at[i].name, "𝒦") == 0) {
            *value = expr_add(motion->pool, form->functions.at[i].value, motion->U);
            return true;
        }
    return false;
}

// ---- Of a form.

// "hamel has P_v and P_w": what begins with the same letter.
static void tell_others(const Motion *motion, const Form *form, Str word, Text *why)
{
    ARRAY(char *) names = {0};
    size_t letter = 0;
    while (letter < word.length && word.at[letter] != '_')
        letter++;
    Str start = {word.at, letter};
    bool momenta = form->kind == FORM_HAMEL && str_is(start, "P");
    for (size_t alpha = 0; alpha < motion->k && momenta; alpha++) {
        Text name = {0};
        text_addf(&name, "P_%s", motion->state.speeds[alpha].name);
        array_push(&names, name.at);
    }
    for (size_t i = 0; i < form->functions.count && !momenta; i++) {
        Text name = {0};
        plain_name(form->functions.at[i].name, &name);
        bool same = name.length > letter && name.at[letter] == '_' &&
                    memcmp(name.at, start.at, letter) == 0;
        if (same)
            array_push(&names, name.at);
        else
            text_clear(&name);
    }
    for (size_t i = 0; i < names.count; i++) {
        if (i == 0)
            text_addf(why, "'%.*s': %s has ", (int)word.length, word.at, form_name(form->kind));
        text_addf(why, "%s%s", i == 0 ? "" : i + 1 < names.count ? ", " : " and ", names.at[i]);
        base_free(names.at[i]);
    }
    array_clear(&names);
}

static bool find_in_form(InquiryQuantities *quantities, FormKind kind, Str word, Expr *value,
                         Text *why)
{
    Motion *motion = quantities->motion;
    const Form *form = form_of(quantities, kind);
    if (form->reason) {
        text_addf(why, "'%.*s': %s does not apply: %s", (int)word.length, word.at, form_name(kind),
                  form->reason);
        return false;
    }
    if (kind == FORM_CANONICAL)
        take_momenta(quantities, form);
    if (find_function(form, word, value) ||
        (kind == FORM_HAMEL && begins(word, "P_") && find_momentum(motion, form, word, value)) ||
        (kind == FORM_HAMEL && find_symbol(motion, form, word, value)) ||
        (kind == FORM_CANONICAL && find_canonical(motion, form, word, value)))
        return true;
    if (kind == FORM_HAMEL && begins(word, "beta"))
        text_addf(why, "'%.*s': hamel's symbols are beta[1,2,3], with indices up to %zu",
                  (int)word.length, word.at, motion->n);
    else
        tell_others(motion, form, word, why);
    return false;
}

// ---- All of them.

// The form that a name without one belongs to.
static bool home_of(Str word, FormKind *kind)
{
    static const struct {
        const char *name;
        bool whole; // the whole name, not its beginning
        FormKind kind;
    } homes[] = {
        {"S", true, FORM_APPELL},     {"P_", false, FORM_HAMEL},     {"beta", false, FORM_HAMEL},
        {"R_", false, FORM_LAGRANGE}, {"p_", false, FORM_CANONICAL}, {"K", true, FORM_CANONICAL},
        {"H", true, FORM_CANONICAL},  {"T0", true, FORM_TZENOFF},    {"S0", true, FORM_TZENOFF},
        {"T1", true, FORM_TZENOFF},   {"S1", true, FORM_TZENOFF},    {"Z", true, FORM_GAUSS},
        {"a_", false, FORM_VORONETS}, {"A_", false, FORM_VORONETS}};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (homes[i].whole ? str_is(word, homes[i].name) : begins(word, homes[i].name)) {
            *kind = homes[i].kind;
            return true;
        }
    return false;
}

// The force on a coordinate, K_x, or on a speed, Q_v, or on a velocity of the reduced forms, Q_x.
static bool find_force(Motion *motion, Str word, Expr *value)
{
    Str name = {word.at + 2, word.length - 2};
    for (size_t alpha = 0; alpha < motion->k && begins(word, "Q_"); alpha++) {
        MotionReduction *by = motion_velocities(motion);
        if (str_is(name, motion->state.speeds[alpha].name)) {
            *value = motion_force_on(motion, &motion->state, alpha);
            return true;
        }
        if (by && str_is(name, motion->model->coords.at[by->speeds[alpha].index].name)) {
            *value = motion_force_on(motion, by, alpha);
            return true;
        }
    }
    for (size_t nu = 0; nu < motion->n && begins(word, "K_"); nu++)
        if (str_is(name, motion->model->coords.at[nu].name)) {
            *value = motion->K[nu];
            return true;
        }
    return false;
}

// What belongs to the motion and to no form.
static bool find_energy(Motion *motion, Str word, Expr *value, Text *why)
{
    bool T = str_is(word, "T"), reduced = str_is(word, "T+"), U = str_is(word, "U");
    bool energy = str_is(word, "energy");
    if (!T && !reduced && !U && !energy)
        return false;
    *value = T ? motion->T : U ? motion->U : motion->energy;
    if (reduced)
        *value = motion_in_speeds(motion, motion->T);
    bool known = U || !expr_is_none(motion->energy);
    if (!known)
        text_addf(why, "'%.*s': the model gives S and no T", (int)word.length, word.at);
    return known;
}

static bool find_value(InquiryQuantities *quantities, Str word, Expr *value, Text *why)
{
    FormKind kind;
    size_t dot = 0;
    while (dot < word.length && word.at[dot] != '.')
        dot++;
    if (dot < word.length && form_find((Str){word.at, dot}, &kind))
        return find_in_form(quantities, kind, (Str){word.at + dot + 1, word.length - dot - 1},
                            value, why);
    if (find_energy(quantities->motion, word, value, why) || why->length > 0)
        return why->length == 0;
    if (word.length > 2 && find_force(quantities->motion, word, value))
        return true;
    return home_of(word, &kind) && find_in_form(quantities, kind, word, value, why);
}

static int order_of(const Motion *motion, Expr e)
{
    const ExprPool *pool = motion->pool;
    int order = 0;
    if (expr_holds_any(pool, e, motion->v, motion->n))
        order = 1;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (expr_holds(pool, e, motion->state.speeds[alpha].u))
            order = 1;
    if (expr_holds_any(pool, e, motion->a, motion->n))
        order = 2;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (expr_holds(pool, e, motion->state.speeds[alpha].rate))
            order = 2;
    return order;
}

static bool find(void *context, Str word, ModelQuantity *quantity, Text *why)
{
    InquiryQuantities *quantities = context;
    if (!find_value(quantities, word, &quantity->value, why))
        return false;
    Expr put = expr_subst(quantities->put, quantity->value);
    quantity->order = order_of(quantities->motion, put);
    return true;
}

// A speed of the state, where the velocities are functions of these.
static bool is_speed(void *context, size_t index)
{
    const Motion *motion = ((const InquiryQuantities *)context)->motion;
    for (size_t alpha = 0; alpha < motion->k && motion->state.closed; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        if (speed->declared && !speed->orthonormal && speed->index == index)
            return true;
    }
    return false;
}

ModelQuantities inquiry_quantities_names(InquiryQuantities *quantities)
{
    return (ModelQuantities){find, is_speed, quantities};
}
