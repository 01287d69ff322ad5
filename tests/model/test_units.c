// Units are exact, and dimensions are those that the values have: where the base units change
// their sizes, every value changes by the power that its dimension says, and what is refused for
// its dimensions changes by none.
#include "reading.h"

#include "model/model_equation.h"
#include "program/program.h"
#include "uniform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Sizes of units, by the definitions of the SI and of the international yard and pound.

static const struct {
    const char *written, *value;
} sizes[] = {
    {"1 m", "1"},
    {"1 kg", "1"},
    {"2 km", "2000"},
    {"1 mm", "1/1000"},
    {"1 um", "1/1000000"},
    {"1 μm", "1/1000000"},
    {"3 g", "3/1000"},
    {"1 Mg", "1000"},
    {"2 min", "120"},
    {"1 h", "3600"},
    {"120 km/h", "100/3"},
    {"30 deg", "pi/6"},
    {"1 rev", "2*pi"},
    {"60 rpm", "2*pi"},
    {"1 mrad", "1/1000"},
    {"1 inch", "254/10000"},
    {"1 ft", "3048/10000"},
    {"1 lb", "45359237/100000000"},
    {"1 lbf", "45359237/100000000*980665/100000"},
    {"1 bar", "100000"},
    {"5 kN/m", "5000"},
    {"1 kN*mm", "1"},
    {"1 W*h", "3600"},
    {"1 mV/uA", "1000"},
    {"1 J/(kg*K)", "1"},
    {"9.81 m/s^2", "981/100"},
    {"9.81 m/s²", "981/100"},
    {"7 s^-1", "7"},
    {"1 hPa", "100"},
    {"1 dam", "10"},
    {"(1/2) m", "1/2"},
    {"-32 cm", "-32/100"},
    {"2*3 m", "6"},
    {"1 g/cm^3", "1000"},
};

static void units_have_their_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[200];
        snprintf(text, sizeof text, "param other = 1 A\nparam a = %s\ncoord x in m\n",
                 sizes[i].written);
        Reading reading = read_good(text);
        assert_means(&reading, reading.model->params.at[1].value, sizes[i].value);
        finish(&reading);
    }
}

// ---- Columns.

static void assert_unit(const Reading *reading, const char *column, const char *si,
                        const char *shown, double scale)
{
    ColumnUnit unit;
    assert_true(model_column_unit(reading->model, column, &unit));
    assert_string_equal(unit.si, si);
    assert_string_equal(unit.shown.text, shown);
    assert_true(fabs(unit.shown.scale - scale) <= 1e-15 * scale);
}

static void columns_have_units(void **state)
{
    (void)state;
    Reading reading = read_good("param m = 2 kg, k = 5 kN/m, l [cm] = 30\n"
                                "coord x in mm, phi in deg\n"
                                "mass m at [x, 0, 0]\n"
                                "kinetic m*l^2*phi'^2/2\n"
                                "potential k*x^2/2\n"
                                "constraint wall: x <= l\n"
                                "output v in km/h = x', f = k*x, reaction = lambda.wall\n");
    assert_means(&reading, reading.model->params.at[2].value, "3/10");
    assert_unit(&reading, "t", "s", "s", 1);
    assert_unit(&reading, "x", "m", "mm", 0.001);
    assert_unit(&reading, "x'", "m/s", "mm/s", 0.001);
    assert_unit(&reading, "phi", "rad", "deg", 3.14159265358979323846 / 180);
    assert_unit(&reading, "phi'", "rad/s", "deg/s", 3.14159265358979323846 / 180);
    assert_unit(&reading, "v", "m/s", "km/h", 1 / 3.6);
    assert_unit(&reading, "f", "N", "N", 1);
    assert_unit(&reading, "reaction", "N", "N", 1);
    assert_unit(&reading, "lambda.wall", "N", "N", 1);
    assert_unit(&reading, "residual.wall", "m", "m", 1);
    assert_unit(&reading, "energy", "J", "J", 1);
    finish(&reading);
}

// Old models with names such as m and s stay as they are; numbers of theirs have no units.
static void models_without_units_stay(void **state)
{
    (void)state;
    Reading reading = read_good("const N = 2\n"
                                "param m = 2, s = 3, kg = 4, g = 2*m, K[N] = 1\n"
                                "coord x, q[N]\n"
                                "mass m at [x, 0, 0]\n"
                                "output e = kg*x/s + q[1]*g/m\n");
    ColumnUnit unit;
    assert_false(reading.model->units);
    assert_false(model_has_units(reading.model));
    assert_false(model_column_unit(reading.model, "x", &unit));
    finish(&reading);
}

// ---- Intervals.

static void intervals_have_a_middle_and_a_radius(void **state)
{
    (void)state;
    const char *settings[] = {"c=4 N/m ± 10 mN/mm", NULL};
    Reading reading = read_good_with("param m = 1 kg +/- 10 g, c = 3 N/m, b = 2 kg\n"
                                     "coord x in m\n"
                                     "mass m at [x, 0, 0]\n"
                                     "potential c*x^2/2\n"
                                     "initial x = 0.1 m +/- 1 mm, x' = 0 m/s ± 2 m/s\n",
                                     settings);
    static const struct {
        const char *name;
        double low, high;
    } all[] = {{"m", 0.99, 1.01}, {"c", -6, 14}, {"x", 0.099, 0.101}, {"x'", -2, 2}};
    double low, high;
    assert_true(model_has_intervals(reading.model));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(model_interval(reading.model, str_of(all[i].name), &low, &high));
        assert_true(fabs(low - all[i].low) <= 1e-14 && fabs(high - all[i].high) <= 1e-14);
    }
    assert_false(model_interval(reading.model, str_of("b"), &low, &high));
    finish(&reading);
}

// ---- Random expressions.

enum { NAMES = 8, BASES = 3, DEEP = 5 };

typedef struct {
    int of[BASES]; // kg, m, s
} Powers;

typedef struct {
    Random random;
    Powers powers[NAMES];
    bool whole; // nothing is changed: a smaller or larger argument would hide it
    int leaves;
    Text text;
} Family;

static int draw(Family *family, int below)
{
    return (int)random_below(&family->random, (uint64_t)below);
}

static Powers draw_powers(Family *family)
{
    Powers powers;
    for (int i = 0; i < BASES; i++)
        powers.of[i] = draw(family, 5) - 2;
    return powers;
}

static Powers minus(Powers a, Powers b)
{
    for (int i = 0; i < BASES; i++)
        a.of[i] -= b.of[i];
    return a;
}

// A product of names and base units' names with these powers.
static void add_leaf(Family *family, Powers wanted)
{
    int name = draw(family, NAMES);
    Powers rest = minus(wanted, family->powers[name]);
    // Nothing is 0 by chance, which would hide what is beside it.
    text_addf(&family->text, "(1.%d%d*p%d*kg0^%d*m0^%d*s0^%d)", family->leaves++,
              1 + draw(family, 9), name, rest.of[0], rest.of[1], rest.of[2]);
}

static void add_expression(Family *family, Powers wanted, int depth)
{
    static const char *const signs[] = {" + ", " - "};
    Text *text = &family->text;
    // Now and then something of another dimension.
    if (!family->whole && draw(family, 24) == 0)
        wanted.of[draw(family, BASES)] += 1 + draw(family, 2);
    if (depth == 0) {
        add_leaf(family, wanted);
        return;
    }
    bool pure = wanted.of[0] == 0 && wanted.of[1] == 0 && wanted.of[2] == 0;
    Powers part = draw_powers(family), twice = wanted;
    for (int i = 0; i < BASES; i++)
        twice.of[i] *= 2;
    text_add(text, "(");
    switch (draw(family, pure ? 7 : 6)) {
    case 0:
    case 1:
        add_expression(family, wanted, depth - 1);
        text_add(text, signs[draw(family, 2)]);
        add_expression(family, wanted, depth - 1);
        break;
    case 2:
        add_expression(family, part, depth - 1);
        text_add(text, "*");
        add_expression(family, minus(wanted, part), depth - 1);
        break;
    case 3:
        add_expression(family, part, depth - 1);
        text_add(text, "/");
        add_expression(family, minus(part, wanted), depth - 1);
        break;
    case 4:
        text_add(text, "sqrt(abs(");
        add_expression(family, twice, depth - 1);
        text_add(text, "))");
        break;
    case 5: {
        bool whole = family->whole;
        family->whole = true;
        text_add(text, draw(family, 2) ? "min(" : "max(");
        add_expression(family, wanted, depth - 1);
        text_add(text, ", ");
        add_expression(family, wanted, depth - 1);
        text_add(text, ")");
        family->whole = whole;
        break;
    }
    default:
        text_add(text, draw(family, 2) ? "sin(" : "atan(");
        add_expression(family, wanted, depth - 1);
        text_add(text, ")");
    }
    text_add(text, ")");
}

// The value of the expression where the base units are so many times smaller.
static double value_at(ExprPool *pool, Expr value, const Family *family, const double *numbers,
                       const double *smaller)
{
    static const char *const bases[] = {"kg0", "m0", "s0"};
    Expr symbols[NAMES + BASES];
    double data[NAMES + BASES], result = NAN;
    for (int i = 0; i < NAMES + BASES; i++) {
        char name[8];
        Powers powers = {{0}};
        snprintf(name, sizeof name, "p%d", i);
        symbols[i] = expr_symbol(pool, i < NAMES ? name : bases[i - NAMES]);
        if (i < NAMES)
            powers = family->powers[i];
        else
            powers.of[i - NAMES] = 1;
        data[i] = numbers[i];
        for (int k = 0; k < BASES; k++)
            data[i] *= pow(smaller[k], powers.of[k]);
    }
    program_run_once(program_new(pool, symbols, NAMES + BASES, &value, 1, NULL), data, &result);
    return result;
}

static void dimensions_are_those_of_values(void **state)
{
    (void)state;
    enum { ROUNDS = 400 };
    size_t accepted = 0, refused = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        Family family = {.random = random_seed(seed)};
        Text model = {0};
        text_add(&model, "param kg0 in kg, m0 in m, s0 in s\nparam ");
        for (int i = 0; i < NAMES; i++) {
            family.powers[i] = draw_powers(&family);
            const int *of = family.powers[i].of;
            text_addf(&model, "%sp%d in kg^%d*m^%d*s^%d", i ? ", " : "", i, of[0], of[1], of[2]);
        }
        add_expression(&family, draw_powers(&family), 1 + draw(&family, DEEP));
        text_addf(&model, "\ncoord x in m\noutput f = %s\n", family.text.at);
        double numbers[NAMES + BASES], smaller[BASES], once[BASES], twice[BASES];
        for (int i = 0; i < NAMES + BASES; i++)
            numbers[i] = uniform(&family.random, 0.5, 1.5);
        for (int k = 0; k < BASES; k++) {
            smaller[k] = 1;
            once[k] = uniform(&family.random, 1.25, 2.25);
            twice[k] = once[k] * once[k];
        }
        Source *source = source_new("expression", family.text.at, family.text.length);
        Diag *diag = diag_new();
        ExprPool *pool = expr_pool_new();
        Expr value;
        bool divides = model_read_expression(pool, source, diag, &value) != STATUS_OK; // by 0
        if (divides)
            value = expr_int(pool, 0);
        double f = value_at(pool, value, &family, numbers, smaller);
        double g = value_at(pool, value, &family, numbers, once);
        double h = value_at(pool, value, &family, numbers, twice);
        Reading reading = read_with(model.at, NULL);
        bool good = true;
        if (divides)
            good = reading.status != STATUS_OK;
        else if (reading.status == STATUS_OK) {
            double factor = 1;
            for (int k = 0; k < BASES; k++)
                factor *= pow(once[k], (double)reading.model->outputs.at[0].dim.of[k] / DIM_WHOLE);
            good = !isfinite(f) || fabs(g - factor * f) <= 1e-7 * fabs(g);
            accepted++;
        } else {
            good = !isfinite(f) || fabs(h * f - g * g) > 1e-9 * fabs(g * g);
            refused++;
        }
        Text said = {0};
        text_add(&said, "");
        diag_render(reading.diag, DIAG_NOTE, &said);
        if (!good)
            print_message("%s\nseed %d: %s: %s: %g %g %g\n", said.at, (int)seed, family.text.at,
                          reading.status == STATUS_OK ? "accepted" : "refused", f, g, h);
        text_clear(&said);
        assert_true(good);
        finish(&reading);
        expr_pool_free(pool);
        diag_free(diag);
        source_free(source);
        text_clear(&family.text);
        text_clear(&model);
    }
    assert_true(accepted > ROUNDS / 4 && refused > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_their_sizes),
        cmocka_unit_test(columns_have_units),
        cmocka_unit_test(models_without_units_stay),
        cmocka_unit_test(intervals_have_a_middle_and_a_radius),
        cmocka_unit_test(dimensions_are_those_of_values),
    };
    return cmocka_run_group_tests_name("model/units", tests, NULL, NULL);
}
