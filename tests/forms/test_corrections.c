// test_corrections.c: the correction R by its three roads, Quanjel (8), his (14) of no. 7 and
// Appell (41); Appell (44); and that Tzénoff's equations reduce to Voronets' (Tzénoff § 2): each
// an identity, proved exactly, for the sources' systems and for random ones.
#include "random_system.h"

#include "forms/forms.h"

#include <flint/flint.h>

enum { SYSTEMS = 40 };

static void assert_zero(Loaded *loaded, Expr e, const char *what, const char *model)
{
    Verdict verdict = algebra_is_zero(loaded->motion->algebra, e);
    if (verdict.answer != ANSWER_YES)
        print_message("%s does not hold%s%s for\n%s", what, verdict.witness ? " at " : "",
                      verdict.witness ? verdict.witness : "", model);
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

// ---- A system with k independent velocities, by the definitions alone.

typedef struct {
    Loaded *loaded;
    const char *model;
    MotionReduction *by;
    bool *free_; // of every coordinate: whether its velocity is independent
    Expr T, S;   // reduced
} Reduced;

static Reduced reduce(Loaded *loaded, const char *model)
{
    Motion *motion = loaded->motion;
    Reduced reduced = {.loaded = loaded, .model = model, .by = motion_velocities(motion)};
    assert_non_null(reduced.by);
    reduced.free_ = base_alloc((motion->n + 1) * sizeof(bool));
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        reduced.free_[reduced.by->speeds[alpha].index] = true;
    reduced.T = motion_reduced(motion, reduced.by, motion->T);
    reduced.S = motion_reduced(motion, reduced.by, motion_acceleration_energy(motion));
    return reduced;
}

static bool is_scleronomic(const Reduced *reduced)
{
    const Motion *motion = reduced->loaded->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!expr_is_zero(motion->pool, reduced->by->C[nu]))
            return false;
    return !expr_holds(motion->pool, reduced->T, motion->model->t) &&
           !expr_holds(motion->pool, reduced->S, motion->model->t);
}

// Quanjel (14) of no. 7: R_α = d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α − ∂S/∂q''_α.
static Expr by_14(const Reduced *reduced, size_t alpha)
{
    Motion *motion = reduced->loaded->motion;
    ExprPool *pool = motion->pool;
    const MotionSpeed *speed = &reduced->by->speeds[alpha];
    Expr momentum = expr_diff(pool, reduced->T, speed->u);
    Expr parts[] = {motion_rate_along(motion, reduced->by, momentum),
                    expr_neg(pool, expr_diff(pool, reduced->T, motion->q[speed->index])),
                    expr_neg(pool, expr_diff(pool, reduced->S, speed->rate))};
    return expr_sum(pool, parts, 3);
}

// ψ_α: what stands before q''_α in S where all accelerations are 0.
static Expr psi(const Reduced *reduced, size_t alpha)
{
    ExprPool *pool = reduced->loaded->motion->pool;
    Expr coefficient = expr_diff(pool, reduced->S, reduced->by->speeds[alpha].rate);
    for (size_t beta = 0; beta < reduced->loaded->motion->k; beta++) {
        Expr zero = expr_int(pool, 0);
        coefficient = expr_replace(pool, coefficient, &reduced->by->speeds[beta].rate, &zero, 1);
    }
    return coefficient;
}

// Σ_i a_iα ∂T⁺/∂q_{k+i}, where a_iα q'_α is the velocity itself for α = k.
static Expr over_dependent(const Reduced *reduced, size_t alpha)
{
    Motion *motion = reduced->loaded->motion;
    ExprPool *pool = motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (reduced->free_[nu])
            continue;
        Expr factor = alpha < motion->k ? reduced->by->B[nu * motion->k + alpha]
                                        : motion_reduced(motion, reduced->by, motion->v[nu]);
        Expr slope = expr_diff(pool, reduced->T, motion->q[nu]);
        sum = expr_add(pool, sum, expr_mul(pool, factor, slope));
    }
    return sum;
}

// Appell (41) with the term of the dependent coordinates:
// R_α = ∂E/∂q'_α − 2 ∂T⁺/∂q_α − Σ_i a_iα ∂T⁺/∂q_{k+i} − ψ_α, E = Σ ψ_α q'_α.
static Expr by_41(const Reduced *reduced, size_t alpha)
{
    Motion *motion = reduced->loaded->motion;
    ExprPool *pool = motion->pool;
    Expr E = expr_int(pool, 0);
    for (size_t beta = 0; beta < motion->k; beta++)
        E = expr_add(pool, E, expr_mul(pool, psi(reduced, beta), reduced->by->speeds[beta].u));
    const MotionSpeed *speed = &reduced->by->speeds[alpha];
    Expr slope = expr_diff(pool, reduced->T, motion->q[speed->index]);
    Expr parts[] = {expr_diff(pool, E, speed->u), expr_mul(pool, expr_int(pool, -2), slope),
                    expr_neg(pool, over_dependent(reduced, alpha)),
                    expr_neg(pool, psi(reduced, alpha))};
    return expr_sum(pool, parts, 4);
}

static Expr recorded(const Form *form, const char *name)
{
    for (size_t i = 0; i < form->functions.count; i++)
        if (strcmp(form->functions.at[i].name, name) == 0)
            return form->functions.at[i].value;
    print_message("no %s\n", name);
    fail();
    return (Expr){0};
}

// (8) is what the form derives. Whether the others held is returned: (41) needs a scleronomic
// system.
static bool assert_roads_are_one(Loaded *loaded, const char *model)
{
    Motion *motion = loaded->motion;
    ExprPool *pool = motion->pool;
    Form *form = form_derive(FORM_LAGRANGE, motion);
    assert_null(form->reason);
    Reduced reduced = reduce(loaded, model);
    bool scleronomic = is_scleronomic(&reduced);
    Expr power = expr_int(pool, 0);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &reduced.by->speeds[alpha];
        Text name = {0};
        text_addf(&name, "R_%s", motion->model->coords.at[speed->index].name);
        Expr R = recorded(form, name.at);
        text_clear(&name);
        assert_zero(loaded, expr_sub(pool, R, by_14(&reduced, alpha)), "R by (8) and (14)", model);
        if (scleronomic)
            assert_zero(loaded, expr_sub(pool, R, by_41(&reduced, alpha)), "R by (8) and (41)",
                        model);
        power = expr_add(pool, power, expr_mul(pool, R, speed->u));
    }
    if (scleronomic) // (44), which is 0 where T⁺ holds no dependent coordinate
        assert_zero(loaded, expr_sub(pool, power, over_dependent(&reduced, motion->k)), "(44)",
                    model);
    base_free(reduced.free_);
    form_free(form);
    return scleronomic;
}

// Tzénoff's (11) and (10) have Voronets' left sides, coordinate by coordinate.
static void assert_tzenoff_is_voronets(Loaded *loaded, const char *model)
{
    Motion *motion = loaded->motion;
    Form *tzenoff = form_derive(FORM_TZENOFF, motion);
    Form *voronets = form_derive(FORM_VORONETS, motion);
    assert_int_equal(tzenoff->equations.count, 2 * voronets->equations.count);
    for (size_t i = 0; i < tzenoff->equations.count; i++) {
        const FormEquation *one = &tzenoff->equations.at[i];
        const FormEquation *other = &voronets->equations.at[i % motion->k];
        assert_zero(loaded, expr_sub(motion->pool, one->left, other->left), one->label, model);
        assert_true(expr_same(one->right, other->right));
    }
    form_free(tzenoff);
    form_free(voronets);
}

// ---- The systems.

static void test_gallery(void **state)
{
    (void)state;
    static const char *const names[] = {"hoop",   "hoop_hamel", "blade", "cart",
                                        "wheels", "snakeboard", "top",   "polar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Loaded loaded = load_model(names[i]);
        assert_roads_are_one(&loaded, names[i]);
        assert_tzenoff_is_voronets(&loaded, names[i]);
        unload(&loaded);
    }
}

static void test_random_systems(void **state)
{
    (void)state;
    uint64_t scleronomic = 0, count = SYSTEMS * test_size();
    for (uint64_t seed = 1; seed <= count; seed++) {
        Text text = write_system(seed);
        Loaded loaded = load_good("random", text.at);
        scleronomic += assert_roads_are_one(&loaded, text.at);
        assert_tzenoff_is_voronets(&loaded, text.at);
        unload(&loaded);
        text_clear(&text);
    }
    assert_true(scleronomic > count / 8);
}

// ---- Tzénoff's remark on bodies that roll.

typedef struct {
    const char *name, *independent; // coordinates instead of those that the program chooses
    bool centres;                   // whether the masses at their centres are enough
} Remark;

static void choose(Loaded *loaded, const char *name)
{
    const Model *model = loaded->model;
    loaded->model->independent.count = 0;
    for (size_t i = 0; name && i < model->coords.count; i++)
        if (strstr(name, model->coords.at[i].name))
            array_push(&loaded->model->independent, i);
    motion_free(loaded->motion);
    assert_int_equal(motion_new(model, loaded->diag, &loaded->motion), STATUS_OK);
}

static bool has_note(const Form *form, const char *words)
{
    for (size_t i = 0; i < form->notes.count; i++)
        if (strstr(form->notes.at[i], words))
            return true;
    return false;
}

// ∂S₁/∂q''_{k+i} is ∂S₀/∂q''_{k+i} of the whole energy of acceleration.
static void assert_general_road(Loaded *loaded, const Form *form, const char *model)
{
    Motion *motion = loaded->motion;
    ExprPool *pool = motion->pool;
    Reduced reduced = reduce(loaded, model);
    Expr S0 = motion_acceleration_energy(motion), S1 = recorded(form, "S₁");
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!reduced.free_[nu])
            assert_zero(loaded,
                        expr_sub(pool, expr_diff(pool, S0, motion->a[nu]),
                                 expr_diff(pool, S1, motion->a[nu])),
                        "∂S₁ = ∂S₀", model);
    base_free(reduced.free_);
}

// The apparent forces of an S that was given stand beside H, conditions or not: Δ = (a·x·y',
// −a·x·x') by hand, and y' = p_y.
static void test_canonical_apparent_forces(void **state)
{
    (void)state;
    Loaded loaded = load_good("turned", "param a\ncoord x, y\n"
                                        "acceleration_energy (x''^2 + y''^2)/2"
                                        " + a*x*(x'*y'' - y'*x'')\n");
    ExprPool *pool = loaded.motion->pool;
    Form *form = form_derive(FORM_CANONICAL, loaded.motion);
    assert_null(form->reason);
    Expr ax = expr_mul(pool, expr_symbol(pool, "a"), expr_symbol(pool, "x"));
    Expr R_x = expr_mul(pool, ax, expr_symbol(pool, "p_y"));
    Expr R_y = expr_neg(pool, expr_mul(pool, ax, expr_symbol(pool, "p_x")));
    assert_true(expr_same(recorded(form, "R_x"), R_x));
    assert_true(expr_same(recorded(form, "R_y"), R_y));
    form_free(form);
    unload(&loaded);
}

static void test_masses_at_their_centres(void **state)
{
    (void)state;
    // A hoop whose spin is dependent, and energies that were given, need the whole of S₀.
    static const Remark remarks[] = {{"hoop", NULL, true},
                                     {"hoop", "x theta psi", false},
                                     {"rattleback", NULL, true},
                                     {"hoop_hamel", NULL, false},
                                     {"cart", NULL, false}};
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        Loaded loaded = load_model(remarks[i].name);
        if (remarks[i].independent)
            choose(&loaded, remarks[i].independent);
        Form *form = form_derive(FORM_TZENOFF, loaded.motion);
        assert_null(form->reason);
        if (has_note(form, "masses at their centres") != remarks[i].centres)
            print_message("%s\n", remarks[i].name);
        assert_int_equal(has_note(form, "masses at their centres"), remarks[i].centres);
        assert_general_road(&loaded, form, remarks[i].name);
        form_free(form);
        unload(&loaded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_random_systems),
        cmocka_unit_test(test_masses_at_their_centres),
        cmocka_unit_test(test_canonical_apparent_forces),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
