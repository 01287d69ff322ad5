// test_integrals.c: first integrals that are known from the literature are found, each is proved
// again by another road, and what is none is refused.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

static Expr read_value(Loaded *loaded, const char *text)
{
    Source *source = source_new("value", text, strlen(text));
    Expr value;
    assert_int_equal(model_read_expression(loaded->model->pool, source, loaded->diag, &value),
                     STATUS_OK);
    source_free(source);
    // Speeds stand for what they are made of.
    for (size_t i = 0; i < loaded->model->speeds.count; i++) {
        const ModelSpeed *speed = &loaded->model->speeds.at[i];
        value = expr_replace(loaded->model->pool, value, &speed->u, &speed->value, 1);
    }
    return value;
}

static Answer is_integral(Loaded *loaded, Expr value, bool values)
{
    Verdict verdict = inquiry_is_integral(loaded->motion, value, values);
    Answer answer = verdict.answer;
    verdict_clear(&verdict);
    return answer;
}

// Whether `wanted` depends on the integrals that were found: with it their gradients, at a point
// of no conditions, have no greater rank. Only for models without finite conditions.
static bool is_among(Loaded *loaded, const InquiryIntegrals *found, Expr wanted)
{
    Motion *motion = loaded->motion;
    size_t width = motion->n + motion->k, rows = found->at.count + 1;
    Expr *matrix = base_alloc(rows * width * sizeof *matrix);
    Expr *symbols = base_alloc(width * sizeof *symbols);
    bool *independent = base_alloc(rows * sizeof *independent);
    memcpy(symbols, motion->q, motion->n * sizeof *symbols);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        symbols[motion->n + alpha] = motion->state.speeds[alpha].u;
    for (size_t i = 0; i < rows; i++)
        expr_gradient(motion->pool,
                      motion_in_speeds(motion, i + 1 < rows ? found->at.at[i].value : wanted),
                      symbols, width, matrix + i * width);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, width, NULL, independent, NULL);
    bool among = rank >= 0 && !independent[rows - 1];
    base_free(matrix);
    base_free(symbols);
    base_free(independent);
    return among;
}

// All that is found is proved again; each with something added to it is refused.
static void check_found(Loaded *loaded, const InquiryIntegrals *found, const char *name)
{
    ExprPool *pool = loaded->motion->pool;
    for (size_t i = 0; i < found->at.count; i++) {
        const InquiryIntegral *integral = &found->at.at[i];
        Answer answer = is_integral(loaded, integral->value, integral->special);
        Answer reduced = is_integral(loaded, integral->reduced, integral->special);
        Expr wrong = expr_add(pool, integral->value,
                              expr_mul(pool, loaded->motion->q[1], loaded->motion->v[1]));
        Expr scaled = expr_mul(pool, integral->value,
                               expr_add(pool, expr_int(pool, 3), loaded->motion->q[0]));
        if (answer != ANSWER_YES || reduced != ANSWER_YES)
            print_error("%s: %s is no integral\n", name, integral->name);
        assert_int_equal(answer, ANSWER_YES);
        assert_int_equal(reduced, ANSWER_YES);
        assert_int_equal(is_integral(loaded, wrong, integral->special), ANSWER_NO);
        assert_int_equal(is_integral(loaded, scaled, integral->special), ANSWER_NO);
    }
}

typedef struct {
    const char *model;
    size_t count;
    bool energy;          // T + U is one of them
    const char *expected; // the others, one a line
} Case;

static void check_case(const Case *one)
{
    Loaded loaded = load_model(one->model);
    InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
    if (found->at.count != one->count)
        print_error("%s: %zu integrals and not %zu\n", one->model, found->at.count, one->count);
    assert_int_equal(found->at.count, one->count);
    assert_int_equal(found->no_energy == NULL, one->energy);
    check_found(&loaded, found, one->model);
    char text[512];
    snprintf(text, sizeof text, "%s", one->expected);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        Expr wanted = read_value(&loaded, line);
        if (!is_among(&loaded, found, wanted))
            print_error("%s: %s is not found\n", one->model, line);
        assert_true(is_among(&loaded, found, wanted));
    }
    inquiry_integrals_free(found);
    unload(&loaded);
}

static void test_known_integrals(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"polar", 2, true, "m*r^2*theta'"},
        {"blade", 1, true, ""},
        {"hoop", 1, true, ""},      // Legendre's functions, and no polynomials (Appell, Korteweg)
        {"chaplygin", 4, true, ""}, // the angular momentum about the point of contact
        {"cylinder", 3, true, ""},  // the rate round, and the equation of momentum
        {"table", 4, false, ""},
        {"cart", 1, false, "m*v^2/2 + I*w^2/2 + CR*v^2/r^2 + CR*b^2*w^2/r^2 + Z*r*(phi1 + phi2)/2"},
        {"top", 3, true, "C*(phi' + psi'*cos(theta))"},
        {"euler", 4, true, ""}, // for its couples, which are 0
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

// Routh's ball: the drill turns with the height, a·drill − z·turn = const.
static void test_the_momentum_of_the_ball_in_the_cylinder(void **state)
{
    (void)state;
    Loaded loaded = load_model("cylinder");
    assert_int_equal(is_integral(&loaded, read_value(&loaded, "a*drill - z*turn"), false),
                     ANSWER_YES);
    assert_int_equal(is_integral(&loaded, read_value(&loaded, "a*drill + z*turn"), false),
                     ANSWER_NO);
    assert_int_equal(is_integral(&loaded, read_value(&loaded, "drill"), false), ANSWER_NO);
    unload(&loaded);
}

// ---- What is none.

static void test_wrong_integrals_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *model, *value;
    } wrong[] = {
        {"polar", "r*theta'"},
        {"blade", "w"},
        {"blade", "m*(x'^2 + y'^2)/2"},
        {"cart", "m*v^2/2 + I*w^2/2"},
        {"hoop", "phi'"},
        {"hoop", "A*theta'*cos(psi)^2"},
        {"table", "u"},
        {"top", "theta'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Loaded loaded = load_model(wrong[i].model);
        Expr value = read_value(&loaded, wrong[i].value);
        if (is_integral(&loaded, value, false) != ANSWER_NO)
            print_error("%s: %s is not refused\n", wrong[i].model, wrong[i].value);
        assert_int_equal(is_integral(&loaded, value, false), ANSWER_NO);
        unload(&loaded);
    }
}

// A coordinate that nothing knows has a constant momentum; with a force or a condition on it no
// more.
static void test_momenta_and_what_destroys_them(void **state)
{
    (void)state;
    static const struct {
        const char *addition;
        size_t momenta;
    } cases[] = {
        {"", 2},
        {"force c*y along x\n", 1},
        {"dissipation x'^2\n", 1},
        {"constraint a: z' = y*x'\n", 0},
        {"potential x*y\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "param c = 1\ncoord x, y, z\nkinetic x'^2 + (1 + y^4)*y'^2 + exp(y)*z'^2\n"
                 "potential cos(y)\n%s",
                 cases[i].addition);
        Loaded loaded = load_good("momenta", text);
        InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
        size_t momenta = 0;
        for (size_t j = 0; j < found->at.count; j++)
            momenta += strcmp(found->at.at[j].kind, "momentum") == 0;
        assert_int_equal(momenta, cases[i].momenta);
        check_found(&loaded, found, text);
        inquiry_integrals_free(found);
        unload(&loaded);
    }
}

// What one-sided conditions and impulses change is no integral through events: a ball keeps its
// momentum along the floor, but not along a wall; two that meet the momentum that they have
// together.
static void test_integrals_through_events(void **state)
{
    (void)state;
    static const struct {
        const char *addition;
        size_t between, through;
    } cases[] = {
        {"constraint floor: z >= 0\n", 3, 3},
        {"constraint wall: x >= 0\n", 3, 1},
        {"constraint apart: y >= x\n", 3, 1},
        {"constraint apart: y >= x\nconstraint wall: x >= 0\n", 3, 0},
        {"impulse 1 along y when t = 1\n", 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "param m = 1, M = 3\ncoord x, y, z\nkinetic m*x'^2/2 + M*y'^2/2 + z'^2/2\n"
                 "potential z\n%s",
                 cases[i].addition);
        for (int through = 0; through < 2; through++) {
            Loaded loaded = load_good("events", text);
            InquiryIntegrals *found = inquiry_integrals(
                loaded.motion, through ? INQUIRY_THROUGH_EVENTS : INQUIRY_BETWEEN_EVENTS);
            size_t linear = 0;
            for (size_t j = 0; j < found->at.count; j++)
                linear += found->at.at[j].field != NULL;
            assert_int_equal(linear, through ? cases[i].through : cases[i].between);
            check_found(&loaded, found, text);
            inquiry_integrals_free(found);
            unload(&loaded);
        }
    }
}

// ---- Why the energy changes.

static void reason_holds(const char *text, const char *words)
{
    Loaded loaded = load_good("energy", text);
    InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
    assert_non_null(found->no_energy);
    if (!strstr(found->no_energy, words))
        print_error("'%s' does not say '%s'\n", found->no_energy, words);
    assert_non_null(strstr(found->no_energy, words));
    inquiry_integrals_free(found);
    unload(&loaded);
}

// Where T or U jump, momenta jump across the surface: what remains is along it, and the energy
// where the surface stands still.
static void test_integrals_through_jumps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        bool energy;
        const char *kept;
    } cases[] = {
        {"kinetic (x'^2 + y'^2)/2\npotential sign(x)\n", 2, true, "y'"},
        {"kinetic (x'^2 + y'^2)/2\npotential sign(x + y)\n", 2, true, "x' - y'"},
        {"kinetic (x'^2 + y'^2)/2\npotential sign(x^2 + y^2 - 1)\n", 2, true, "x*y' - y*x'"},
        {"kinetic (3 + sign(y))*(x'^2 + y'^2)/2\n", 2, true, "(3 + sign(y))*x'"},
        {"kinetic (x'^2 + y'^2)/2\npotential sign(x - t)\n", 1, false, "y'"},
        {"kinetic (x'^2 + y'^2)/2*(3 + sign(t))\n", 3, false, "(3 + sign(t))*x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_addf(&text, "coord x, y\n%s", cases[i].text);
        Loaded loaded = load_good("jumps", text.at);
        InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
        assert_int_equal(found->at.count, cases[i].count);
        assert_int_equal(found->no_energy == NULL, cases[i].energy);
        for (size_t k = 0; k < found->at.count; k++)
            assert_true(expr_is_none(found->at.at[k].jumps));
        assert_true(is_among(&loaded, found, read_value(&loaded, cases[i].kept)));
        inquiry_integrals_free(found);
        unload(&loaded);
        text_clear(&text);
    }
}

// At a random point where sign(…) switches: whether it makes the value jump.
static bool jumps_at(Loaded *loaded, Random *random, Expr value, Expr sign)
{
    ExprPool *pool = loaded->model->pool;
    Expr symbols[16], numbers[16], by = expr_switch_argument(pool, sign), sides[2], slope, rest;
    ExprList all = expr_symbols(pool, (Expr[]){value, by}, 2);
    assert_true(all.count <= 16);
    size_t solved = all.count;
    for (size_t i = 0; i < all.count; i++) {
        symbols[i] = (Expr){all.at[i]};
        numbers[i] = expr_ratio(pool, 1 + (long)random_below(random, 1000), 97);
        bool is_time = expr_same(symbols[i], loaded->model->t);
        if ((is_time || expr_same(symbols[i], loaded->motion->q[0])) &&
            expr_holds(pool, by, symbols[i]))
            solved = i;
    }
    assert_true(solved < all.count);
    assert_true(expr_linear(pool, by, &symbols[solved], 1, &slope, &rest));
    Expr zero = expr_neg(pool, expr_div(pool, rest, slope));
    for (int i = 0; i < 2; i++) {
        Expr side = expr_int(pool, i ? -1 : 1);
        ExprSubst *subst = expr_subst_new(pool);
        expr_subst_set(subst, sign, side);
        sides[i] = expr_replace(pool, expr_subst(subst, value), &symbols[solved], &zero, 1);
        sides[i] = expr_replace(pool, sides[i], symbols, numbers, all.count);
        expr_subst_free(subst);
    }
    expr_list_free(&all);
    return !expr_is_zero(pool, expr_sub(pool, sides[0], sides[1]));
}

// Integrals that jump where a function switches are told, and no others.
static void test_integrals_that_jump(void **state)
{
    (void)state;
    static const char *const forces[] = {
        "potential %g*max(x, %g*y)\nforce -0.1*x' along x\n",
        "potential %g*abs(x - %g)\n",
        "force %g*sign(t - %g) along x\n",
        "potential %g*abs(x - y)\nconstraint x' = 2*y' + %g*t\n",
        "potential %g*max(x - %g, y)^2\n",
        "force %g*max(t, %g) along x\nforce -y' along y\n",
    };
    size_t flagged = 0;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        Text text = {0}, pushed = {0};
        double a = 1 + (double)random_below(&random, 7), b = 1 + (double)random_below(&random, 5);
        const char *force = forces[seed % 6];
        const char *first = strstr(force, "%g"), *second = strstr(first + 2, "%g");
        text_addf(&pushed, "%.*s%g%.*s%g%s", (int)(first - force), force, a,
                  (int)(second - first - 2), first + 2, b, second + 2);
        text_addf(&text, "coord x, y, z\nkinetic %g*x'^2 + y'^2/2 + z'^2\n%s", b, pushed.at);
        Loaded loaded = load_good("m.zw", text.at);
        InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
        ExprPool *pool = loaded.model->pool;
        for (size_t i = 0; i < found->at.count; i++) {
            const InquiryIntegral *integral = &found->at.at[i];
            ExprList nodes = expr_nodes(pool, &integral->reduced, 1);
            bool jumps = false;
            for (size_t k = 0; k < nodes.count; k++)
                if (expr_op(pool, (Expr){nodes.at[k]}) == EXPR_SIGN)
                    jumps =
                        jumps || jumps_at(&loaded, &random, integral->reduced, (Expr){nodes.at[k]});
            expr_list_free(&nodes);
            if (jumps == expr_is_none(integral->jumps))
                fail_msg("%s of\n%s", integral->name, text.at);
            flagged += jumps;
        }
        inquiry_integrals_free(found);
        unload(&loaded);
        text_clear(&text);
        text_clear(&pushed);
    }
    assert_true(flagged > 0);
}

static void test_reasons(void **state)
{
    (void)state;
    reason_holds("coord x, y\nkinetic x'^2 + y'^2\nconstraint move: x' = t*y'^1 + sin(t)*x\n",
                 "move");
    reason_holds("coord x\nkinetic x'^2*(1 + t^2)\n", "T holds the time");
    reason_holds("coord x\nkinetic x'^2\npotential x*exp(t)*x\n", "potential energy holds");
    reason_holds("coord x\nkinetic x'^2\ndissipation x'^2\n", "dissipation");
    reason_holds("coord x, y\nkinetic x'^2 + y'^2\nforce y*y along x\n", "forces");
}

// Where they are not sought nothing is said of the energy.
static void test_not_sought(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x'^2 + y'^2 = 1\ninitial x' = 1\n",
        "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x'' = y\n",
        "coord x, z\nkinetic x'^2 + z'^2\nconstraint c: z = 0\nforce lambda.c along x"};
    static const char *const words[] = {"not linear in the velocities", "accelerations",
                                        "a force holds a reaction"};
    for (size_t i = 0; i < 3; i++) {
        Loaded loaded = load_good("unsought", models[i]);
        InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
        assert_non_null(found->not_sought);
        assert_non_null(strstr(found->not_sought, words[i]));
        assert_null(found->no_energy);
        assert_int_equal(found->at.count, 0);
        inquiry_integrals_free(found);
        unload(&loaded);
    }
}

// Painlevé: T in a turning plane does not hold t, though the conditions move.
static void test_painleves_integral(void **state)
{
    (void)state;
    Loaded loaded = load_good("turning", "param w = 2, g = 9.81, m = 1\ncoord s, x, y\n"
                                         "kinetic m*(x'^2 + y'^2)/2\n"
                                         "constraint a: x = s*cos(w*t)\n"
                                         "constraint b: y = s*sin(w*t)\n"
                                         "independent s\n");
    InquiryIntegrals *found = inquiry_integrals(loaded.motion, INQUIRY_BETWEEN_EVENTS);
    assert_true(found->at.count >= 1);
    assert_string_equal(found->at.at[0].name, "Jacobi-Painlevé energy");
    assert_int_equal(is_integral(&loaded, read_value(&loaded, "m*(s'^2 - w^2*s^2)/2"), false),
                     ANSWER_YES);
    check_found(&loaded, found, "turning");
    inquiry_integrals_free(found);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_integrals),
        cmocka_unit_test(test_the_momentum_of_the_ball_in_the_cylinder),
        cmocka_unit_test(test_wrong_integrals_are_refused),
        cmocka_unit_test(test_momenta_and_what_destroys_them),
        cmocka_unit_test(test_integrals_through_events),
        cmocka_unit_test(test_integrals_through_jumps),
        cmocka_unit_test(test_integrals_that_jump),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_not_sought),
        cmocka_unit_test(test_painleves_integral),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
