// test_percussions.c: the equations of a blow in every form, against the principle itself: on every
// virtual displacement the jumps of the momenta do the work of the impulses, and the conditions
// are kept.
#include "forms/forms.h"
#include "motion/motion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    Source *source;
    Diag *diag;
    Model *model;
    Motion *motion;
} Desk;

static Desk desk_new(const char *text)
{
    Desk desk = {.source = source_new("m.zw", text, strlen(text)), .diag = diag_new()};
    assert_int_equal(model_read(desk.source, NULL, 0, desk.diag, &desk.model), STATUS_OK);
    assert_int_equal(motion_new(desk.model, desk.diag, &desk.motion), STATUS_OK);
    return desk;
}

static void desk_free(Desk *desk)
{
    motion_free(desk->motion);
    model_free(desk->model);
    diag_free(desk->diag);
    source_free(desk->source);
}

static void assert_zero(const Desk *desk, Expr e, const char *what)
{
    Verdict verdict = algebra_is_zero(desk->motion->algebra, e);
    if (verdict.answer != ANSWER_YES) {
        Text text = {0};
        expr_print(desk->motion->pool, e, &text);
        print_message("%s: %s\n", what, text.at);
        text_clear(&text);
    }
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

// The jump of every velocity: solved for, or by the speeds.
static bool find_jumps(const Desk *desk, const Form *percussion, Expr *jumps)
{
    Motion *motion = desk->motion;
    ExprPool *pool = motion->pool;
    if (percussion->jumps.count == 0)
        return false;
    for (size_t nu = 0; nu < motion->n; nu++)
        jumps[nu] = expr_int(pool, 0);
    for (size_t i = 0; i < percussion->jumps.count; i++) {
        const char *name = strchr(percussion->jumps.at[i].name, '.') + 1;
        for (size_t nu = 0; nu < motion->n; nu++) {
            if (strcmp(name, expr_name(pool, motion->v[nu])) == 0 &&
                percussion->unknowns.count > motion->k)
                jumps[nu] = percussion->jumps.at[i].value;
            for (size_t alpha = 0; percussion->unknowns.count == motion->k && alpha < motion->k;
                 alpha++)
                if (strcmp(name, expr_name(pool, motion->state.speeds[alpha].u)) == 0)
                    jumps[nu] = expr_add(pool, jumps[nu],
                                         expr_mul(pool, motion->state.B[nu * motion->k + alpha],
                                                  percussion->jumps.at[i].value));
        }
    }
    return true;
}

// Σ_ν A_να·(Σ_ρ ∂²T/∂q'_ν∂q'_ρ·Δq'_ρ − I_ν) = 0, and b·Δq' = 0.
static void assert_principle(const Desk *desk, const Expr *jumps, const Expr *impulse,
                             const char *form)
{
    Motion *motion = desk->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        Expr work = expr_int(pool, 0);
        for (size_t nu = 0; nu < n; nu++) {
            Expr momentum = expr_neg(pool, impulse[nu]);
            for (size_t rho = 0; rho < n; rho++) {
                Expr inertia =
                    expr_diff(pool, expr_diff(pool, motion->T, motion->v[nu]), motion->v[rho]);
                momentum = expr_add(pool, momentum, expr_mul(pool, inertia, jumps[rho]));
            }
            work = expr_add(pool, work, expr_mul(pool, momentum, motion->state.A[nu * k + alpha]));
        }
        assert_zero(desk, work, form);
    }
    for (size_t mu = 0; mu < motion->m; mu++) {
        Expr rate = expr_int(pool, 0);
        for (size_t nu = 0; nu < n; nu++)
            rate = expr_add(pool, rate, expr_mul(pool, motion->rows[mu].b[nu], jumps[nu]));
        assert_zero(desk, rate, form);
    }
}

// Checks every form that applies; so many solve for the jumps.
static void assert_all(const char *text, size_t wanted)
{
    Desk desk = desk_new(text);
    Motion *motion = desk.motion;
    Expr impulse[8], jumps[8];
    size_t solved = 0;
    motion_percussion(motion, &desk.model->impulses.at[0], impulse);
    for (int kind = 0; kind < FORM_COUNT; kind++) {
        Form *form = form_derive((FormKind)kind, motion);
        if (!form->reason) {
            assert_int_equal(form->percussions.count, 1);
            const Form *percussion = form->percussions.at[0];
            assert_int_equal(percussion->equations.count, form->equations.count);
            if (find_jumps(&desk, percussion, jumps)) {
                assert_principle(&desk, jumps, impulse, form_name((FormKind)kind));
                solved++;
            }
        }
        form_free(form);
    }
    assert_int_equal(solved, wanted);
    desk_free(&desk);
}

static void every_form_has_the_jumps(void **state)
{
    (void)state;
    // A blade, with speeds; a potential, a dissipation and forces drop out.
    assert_all("param m, s, I, J\ncoord x, y, theta\n"
               "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - x'*sin(theta)) + "
               "I*theta'^2/2\n"
               "potential x^2*y\ndissipation theta'^2\nforce 3*x' along y\n"
               "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
               "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n"
               "impulse J*x along x when t = 1\n",
               11);
    // Conditions that hold the time, also beside the velocities; an open function.
    assert_all("param I1, I2, J\nfunction f(t)\ncoord a, b, c\n"
               "kinetic I1*a'^2/2 + I2*b'^2/2 + c'^2\n"
               "constraint gear: a' = f(t)*b' + sin(t)\nimpulse J along b when t = 1\n",
               11);
    // A finite condition, and a body that turns.
    assert_all("param m, l, I, J\ncoord x, y, theta\nframe F = world rotate theta about z\n"
               "point G = [x, y, 0]\nbody rod frame F mass m at G inertia [0, 0, I]\n"
               "constraint c: x = l*cos(theta)\nimpulse [0, J, 0] at G + l*F.x when t = 1\n",
               11);
    // Nothing constrains it.
    assert_all("param m, J\ncoord x, y\nmass m at [x, y, 0]\nimpulse J along y when t = 1\n", 11);
}

// Appell 23 for the blade, by hand: m·Δv = J·cos θ, I·Δw = N.
static void blows_of_one_time_are_taken_together(void **state)
{
    (void)state;
    Desk desk = desk_new("param m, s, I, J, N, t1\ncoord x, y, theta\n"
                         "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - "
                         "x'*sin(theta)) + I*theta'^2/2\n"
                         "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                         "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n"
                         "impulse J along x when t = t1\nimpulse N along theta when t = t1\n"
                         "impulse 2*N along w when t = 3\n");
    Form *form = form_derive(FORM_APPELL, desk.motion);
    static const char *const wanted[][2] = {{"m*Delta.v - J*cos(theta)", "I*Delta.w - N"},
                                            {"m*Delta.v", "I*Delta.w - 2*N"}};
    assert_int_equal(form->percussions.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const Form *percussion = form->percussions.at[i];
        assert_string_equal(percussion->functions.at[0].name, "S_Delta");
        for (size_t j = 0; j < 2; j++) {
            Source *source = source_new("e", wanted[i][j], strlen(wanted[i][j]));
            Expr e;
            assert_int_equal(model_read_expression(desk.motion->pool, source, desk.diag, &e),
                             STATUS_OK);
            const FormEquation *equation = &percussion->equations.at[j];
            Expr apart = expr_sub(desk.motion->pool, equation->left, equation->right);
            assert_zero(&desk, expr_sub(desk.motion->pool, apart, e), wanted[i][j]);
            source_free(source);
        }
    }
    form_free(form);
    desk_free(&desk);
}

// ∂S_Δ/∂Δu and ∂Z_Δ/∂Δq' are the equations.
static void functions_of_the_jumps_give_the_equations(void **state)
{
    (void)state;
    Desk desk =
        desk_new("param m, l, I, J\ncoord x, y, theta\nframe F = world rotate theta about z\n"
                 "point G = [x, y, 0]\nbody rod frame F mass m at G inertia [0, 0, I]\n"
                 "gravity [0, -9, 0]\nconstraint c: x' = l*y*theta'\n"
                 "impulse [0, J, 0] at G + l*F.x when t = 1\n");
    static const FormKind kinds[] = {FORM_APPELL, FORM_GAUSS};
    for (size_t i = 0; i < 2; i++) {
        Form *form = form_derive(kinds[i], desk.motion);
        const Form *percussion = form->percussions.at[0];
        for (size_t j = 0; j < percussion->equations.count; j++) {
            ExprPool *pool = desk.motion->pool;
            const FormEquation *equation = &percussion->equations.at[j];
            Expr slope =
                expr_diff(pool, percussion->functions.at[0].value, percussion->unknowns.at[j]);
            // Gauss's has the impulse in it, which stands beside the reaction on the right.
            Expr lambda = percussion->unknowns.at[percussion->unknowns.count - 1];
            Expr zero = expr_int(pool, 0), wanted = equation->left;
            if (kinds[i] == FORM_GAUSS)
                wanted =
                    expr_sub(pool, wanted, expr_replace(pool, equation->right, &lambda, &zero, 1));
            assert_zero(&desk, expr_sub(pool, slope, wanted), form_name(kinds[i]));
        }
        form_free(form);
    }
    desk_free(&desk);
}

// Where a condition turns with the velocities the equations are those of the path.
static void turning_conditions_have_a_path(void **state)
{
    (void)state;
    Desk desk = desk_new("param m, k, J\ncoord x, y, z\nmass m at [x, y, z]\n"
                         "constraint c: z'^2 = k^2*(x'^2 + y'^2)\nimpulse J along x when t = 1\n"
                         "initial x' = 1, z' = 1\n");
    Form *form = form_derive(FORM_MULTIPLIERS, desk.motion);
    const Form *percussion = form->percussions.at[0];
    assert_string_equal(expr_name(desk.motion->pool, percussion->unknowns.at[0]), "d.x'");
    assert_int_equal(percussion->notes.count, 1);
    form_free(form);
    desk_free(&desk);
}

// An S that is not quadratic has no jump that follows from the first degree; it is said.
static void other_energies_have_no_jumps(void **state)
{
    (void)state;
    Desk desk = desk_new("coord x\nacceleration_energy x\'\'^2/2 + x\'\'^4/4\n"
                         "impulse 3 along x when t = 1\n");
    Form *form = form_derive(FORM_APPELL, desk.motion);
    assert_int_equal(form->percussions.count, 0);
    assert_int_equal(form->notes.count, 1);
    assert_non_null(strstr(form->notes.at[0], "the impulses have no equations"));
    form_free(form);
    desk_free(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_the_jumps),
        cmocka_unit_test(blows_of_one_time_are_taken_together),
        cmocka_unit_test(functions_of_the_jumps_give_the_equations),
        cmocka_unit_test(turning_conditions_have_a_path),
        cmocka_unit_test(other_energies_have_no_jumps),
    };
    return cmocka_run_group_tests_name("forms/percussions", tests, NULL, NULL);
}
